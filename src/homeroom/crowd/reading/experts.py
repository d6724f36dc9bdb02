"""The expert's labels: in a column, in a row, or in a file of their own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from homeroom._checks import InputError, InputTypeError
from homeroom._files import reading, refuse_size
from homeroom.crowd.answers import MAX_BYTES
from homeroom.crowd.checks import word
from homeroom.crowd.reading.codes import GAPS, NO, YES, Meaning, canonical
from homeroom.crowd.reading.columns import ANSWER, CORRECT, ITEM, LABEL, layout
from homeroom.crowd.reading.delimited import Delimited
from homeroom.crowd.reading.flat_yaml import Pairs, yaml_pairs
from homeroom.crowd.reading.gather import NAME_BYTES
from homeroom.crowd.reading.source import refuse_ragged, shown
from homeroom.crowd.reading.text import encoding_of

MAX_MAPPING = 1 << 28
"""The largest mapping of items to labels that is read whole: 256 MiB."""

PART = "labels"
"""What the part of a mapping that counts is called, if it has several."""


def signs(
    labels: Mapping[str, str],
    meant: Meaning,
    told: Collection[str] | None = None,
) -> dict[str, float]:
    """Return each item's label as +1 or -1; gaps are left out.

    Labels are called like the answers, unless it is ``told`` which of them mean yes.
    """
    known = {canonical(text): yes for text, yes in meant.yes.items() if yes is not None}
    if meant.right_or_wrong:
        known = {}
    found: dict[str, float] = {}
    for item, text in labels.items():
        label = canonical(text)
        if label not in meant.gaps:
            yes = label in told if told is not None else _yes(item, text, known, meant)
            found[item] = 1.0 if yes else -1.0
    return found


def meaning_yes(labels: Mapping[str, str], positive_labels: Collection[str]) -> set[str]:
    """Return the labels that the user says mean yes, as they are compared; all must be there."""
    if isinstance(positive_labels, str):
        raise InputTypeError(
            "`positive_labels` must be a list of labels, as in ['mallard', 'teal']."
        )
    there = {canonical(text): text for text in labels.values()}
    for place, label in enumerate(positive_labels):
        if canonical(word(label, f"positive_labels[{place}]")) not in there:
            raise InputError(
                f"`positive_labels` names {label[:40]!r}, but the expert's labels are "
                f"{shown(sorted(there.values()))}."
            )
    return {canonical(label) for label in positive_labels}


def _yes(item: str, text: str, known: Mapping[str, bool], meant: Meaning) -> bool:
    label = canonical(text)
    if label in known:
        return known[label]
    if label in meant.yes_words:
        return True
    if meant.against_the_rest or (label in YES | NO and not known.keys() - YES - NO):
        return False
    called = ("yes", "no") if meant.right_or_wrong else (meant.positive, meant.negative)
    raise InputError(
        f"The expert's label of item {item[:40]!r} is {text[:40]!r}, which is neither "
        f"{called[0]!r} nor {called[1]!r}: say which labels mean yes, "
        f"as in positive_labels=[{text[:40]!r}] (--label-yes)."
    )


def one_label_each(
    path: Path,
    items: Sequence[str],
    experts: Mapping[int, Collection[str]],
    gaps: Collection[str] = GAPS,
) -> dict[str, str]:
    """Return the label of each item, once no item has two; ``gaps`` are no labels."""
    labels: dict[str, str] = {}
    for number, texts in experts.items():
        said = {canonical(text): text for text in texts if canonical(text) not in gaps}
        if len(said) > 1:
            raise InputError(
                f"{path} has several expert's labels for item {items[number][:40]!r} "
                f"({shown(sorted(said.values()))}), but an item has one: correct the table."
            )
        for text in said.values():
            labels[items[number]] = text
    return labels


def labels_from_file(
    path: Path, *, max_bytes: int = MAX_BYTES, quotes: bool = True
) -> dict[str, str]:
    """Return the label of each item from a file: a table of items and labels, or a mapping.

    A table has columns such as ``item, label``; or just two columns, with or without a header. A
    mapping is a ``.json`` or ``.yaml`` file with pairs such as ``moth: 1``, perhaps as its part
    ``labels``.
    """
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    with reading(path):
        if path.suffix.lower() in (".json", ".yaml", ".yml"):
            return _mapping(path, max_bytes)
        return _table(path, max_bytes, quotes=quotes)


def _mapping(path: Path, max_bytes: int) -> dict[str, str]:
    if path.stat().st_size > MAX_MAPPING:
        raise InputError(
            f"{path} is too large for a mapping of items to labels: save it as a .csv table with "
            "the columns item and label."
        )
    text = path.read_text(encoding=encoding_of(path))
    read = _json_pairs if path.suffix.lower() == ".json" else yaml_pairs
    pairs = _flat(path, read(path, text))
    if not pairs:
        raise InputError(f"{path} has no labels: it needs pairs such as moth: 1.")
    return _unique(path, pairs, max_bytes)


def _flat(path: Path, pairs: Pairs) -> list[tuple[str, str]]:
    """Return the pairs that are labels: all, or those of the part that is called so."""
    called = Counter(name for name, held in pairs if isinstance(held, tuple))
    for name, times in called.items():
        if times > 1:
            raise InputError(f"{path} has several parts called {name[:40]!r}: make one of them.")
    parts = {name: held for name, held in pairs if isinstance(held, tuple)}
    if len(pairs) == 1 or PART in parts:
        pairs = parts.get(PART, next(iter(parts.values()), pairs))
    flat = [(name.strip(), label) for name, label in pairs if isinstance(label, str)]
    if len(flat) < len(pairs):
        part = next(name for name, held in pairs if not isinstance(held, str))
        raise InputError(
            f"{path} must have a label for each item, but has several things for {part[:40]!r}: "
            f"if only a part of it is labels, call that part {PART}."
        )
    return flat


def _json_pairs(path: Path, text: str) -> Pairs:
    try:
        found = json.loads(text, object_pairs_hook=_as_texts)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, tuple):
        raise InputError(
            f'{path} must be one JSON object of items and labels, as in {{"moth": 1, "wasp": 0}}.'
        )
    return found


def _as_texts(pairs: list[tuple[str, object]]) -> Pairs:
    """Return an object of JSON as pairs, of which none is lost if a name comes twice."""
    return tuple((name, held if isinstance(held, tuple) else str(held)) for name, held in pairs)


def _table(path: Path, max_bytes: int, *, quotes: bool) -> dict[str, str]:
    from homeroom.crowd.reading.read import opened

    source = opened(path, quotes=quotes, what="a table of labels (or in .json or .yaml)")
    parts = layout(path, source.header)
    part = next((part for part in (LABEL, ANSWER, CORRECT) if part in parts), None)
    if ITEM in parts and part is not None:
        item, label = parts.places[ITEM][0], parts.places[part][0]
    elif len(source.header) == 2:
        item, label = 0, 1
        source = source.without_header() if isinstance(source, Delimited) else source
    else:
        raise InputError(
            f"{path} must have the columns item and label, but has {shown(source.header)}."
        )
    found = _unique(
        path,
        (
            (name.strip(), text.strip())
            for names, texts in source.chunks([item, label])
            for name, text in zip(names, texts, strict=True)
        ),
        max_bytes,
    )
    refuse_ragged(source)
    if not found:
        raise InputError(f"{path} has no labels: it needs a row for each item, as in item,label.")
    return found


def _unique(path: Path, pairs: Iterable[tuple[str, str]], max_bytes: int) -> dict[str, str]:
    """Return the label of each item; only one of each is held, however long the file is."""
    labels: dict[str, str] = {}
    size = 0
    for item, label in pairs:
        known = labels.get(item)
        if known is None:
            labels[item] = label
            size += 2 * NAME_BYTES + len(item) + len(label)
            refuse_size(path, size, max_bytes)
        elif canonical(known) != canonical(label):
            raise InputError(
                f"{path} has two labels for item {item[:40]!r} ({known[:40]!r} and "
                f"{label[:40]!r}), but an item has one: leave one out."
            )
    return labels
