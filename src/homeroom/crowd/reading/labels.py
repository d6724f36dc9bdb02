"""The expert's labels: in a column, in a row, or in a separate file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from homeroom._checks import InputError, InputTypeError
from homeroom._files import check_file, reading
from homeroom.crowd.reading.layout import ANSWER, CORRECT, ITEM, LABEL, layout_of
from homeroom.crowd.reading.meaning import GAPS, NO, YES, Meaning, canonical, check_word, in_order
from homeroom.tables import Pairs, open_table, quoted, read_pairs, refuse_dropped_rows

TEXT = (".csv", ".tsv", ".tab", ".txt")
PART = "labels"
"""The name of the part of a mapping that counts, if it has several."""


def class_labels(
    labels: Mapping[str, str], meaning: Meaning
) -> tuple[dict[str, float], tuple[str, ...]]:
    """Return the label of each item as a position among the classes, and the classes.

    A label that no annotator gave becomes another class.
    """
    names = {canonical(name): name for name in meaning.classes}
    for text in labels.values():
        if canonical(text) not in meaning.gaps:
            names.setdefault(canonical(text), text.strip())
    classes = in_order(names.values())
    codes = {canonical(name): float(code) for code, name in enumerate(classes)}
    known = {item: canonical(text) for item, text in labels.items()}
    return {item: codes[label] for item, label in known.items() if label in codes}, classes


def signs(
    labels: Mapping[str, str], meaning: Meaning, positive_labels: Collection[str] | None = None
) -> dict[str, float]:
    """Return the label of each item as +1 or -1; items without a label are left out.

    Labels use the words of the answers, unless ``positive_labels`` lists those that mean yes. If
    all labels are words for yes and no, and no answer is, yes means the positive answer.
    """
    known = {canonical(word): yes for word, yes in meaning.yes.items() if yes is not None}
    if meaning.right_or_wrong:  # then the answers do not show what the labels are called
        meaning, known = replace(meaning, yes_words=YES, positive="yes", negative="no"), {}
    words = {canonical(text) for text in labels.values()}.difference(meaning.gaps)
    if words <= YES | NO and not known.keys() & (YES | NO) and not meaning.is_arbitrary:
        known |= {word: word in YES for word in words}
    found: dict[str, float] = {}
    for item, text in labels.items():
        label = canonical(text)
        if label in meaning.gaps:
            continue
        if positive_labels is None:
            is_yes = _is_yes(item, text, known, meaning)
        else:
            is_yes = label in positive_labels
        found[item] = 1.0 if is_yes else -1.0
    return found


def canonical_labels(labels: Mapping[str, str], positive_labels: Collection[str]) -> set[str]:
    """Return the labels that the user says mean yes in canonical form; all must occur."""
    if isinstance(positive_labels, str):
        raise InputTypeError(
            "`positive_labels` must be a list of labels, as in ['mallard', 'teal']."
        )
    there = {canonical(text): text for text in labels.values()}
    for place, label in enumerate(positive_labels):
        if canonical(check_word(label, f"positive_labels[{place}]")) not in there:
            raise InputError(
                f"`positive_labels` names {label[:200]!r}, but the expert's labels are "
                f"{quoted(sorted(there.values()))}."
            )
    return {canonical(label) for label in positive_labels}


def _is_yes(item: str, text: str, known: Mapping[str, bool], meaning: Meaning) -> bool:
    """Return whether an expert's label means yes; refuse a label of unknown meaning."""
    label = canonical(text)
    if label in known:
        return known[label]
    if label in meaning.yes_words and not meaning.is_arbitrary:
        return True
    if meaning.against_the_rest or (label in YES | NO and not known.keys() - YES - NO):
        return False
    raise InputError(
        f"The expert's label of item {item[:200]!r} is {text[:200]!r}, which is neither "
        f"{meaning.positive!r} nor {meaning.negative!r}: list the labels that mean yes, "
        f"as in positive_labels=[{text[:200]!r}] (--label-yes)."
    )


def one_label_each(
    path: Path,
    items: Sequence[str],
    experts: Mapping[int, Collection[str]],
    gaps: Collection[str] = GAPS,
) -> dict[str, str]:
    """Return the label of each item; refuse an item with two. ``gaps`` are not labels."""
    labels: dict[str, str] = {}
    for number, texts in experts.items():
        said = {canonical(text): text for text in texts if canonical(text) not in gaps}
        if len(said) > 1:
            raise InputError(
                f"{path} has several expert's labels for item {items[number][:200]!r} "
                f"({quoted(sorted(said.values()))}), but an item has one: correct the table."
            )
        for text in said.values():
            labels[items[number]] = text
    return labels


def labels_from_file(path: Path, *, quotes: bool = True) -> dict[str, str]:
    """Return the label of each item from a table of items and labels, or from a mapping.

    A table has columns such as ``item, label``, or just two columns, with or without a header. A
    mapping is a ``.json`` or ``.yaml`` file with pairs such as ``moth: 1``, perhaps in a part
    called ``labels``.
    """
    check_file(path)
    with reading(path):
        if path.suffix.lower() not in (".json", ".yaml", ".yml"):
            return _table(path, quotes=quotes)
        pairs = _flat(path, read_pairs(path))
    if not pairs:
        raise InputError(f"{path} has no labels: it needs pairs such as moth: 1.")
    return _unique(path, pairs)


def _flat(path: Path, pairs: Pairs) -> list[tuple[str, str]]:
    """Return the pairs that are labels: all, or those of the part called ``labels``."""
    repeated = Counter(name for name, held in pairs if isinstance(held, tuple))
    for name, times in repeated.items():
        if times > 1:
            raise InputError(f"{path} has several parts called {name[:200]!r}: merge them.")
    parts = {name: held for name, held in pairs if isinstance(held, tuple)}
    if len(pairs) == 1 or PART in parts:
        pairs = parts.get(PART, next(iter(parts.values()), pairs))
    flat = [(name.strip(), label) for name, label in pairs if isinstance(label, str)]
    if len(flat) < len(pairs):
        part = next(name for name, held in pairs if not isinstance(held, str))
        raise InputError(
            f"{path} must have one label per item, but has several values for {part[:200]!r}: "
            f"if only a part of the file is labels, call that part {PART}."
        )
    return flat


def _table(path: Path, *, quotes: bool) -> dict[str, str]:
    """Return the label of each item in a table."""
    table = open_table(path, quotes=quotes, what="a table of labels (or in .json or .yaml)")
    layout = layout_of(path, table.header)
    part = next((part for part in (LABEL, ANSWER, CORRECT) if part in layout), None)
    if ITEM in layout and part is not None:
        item, label = layout.places[ITEM][0], layout.places[part][0]
    elif len(table.header) == 2:
        item, label = 0, 1
        table = table.without_header() if path.suffix.lower() in TEXT else table
    else:
        raise InputError(
            f"{path} must have the columns item and label, but has {quoted(table.header)}."
        )
    found = _unique(
        path,
        zip(table.texts(item), table.texts(label), strict=True),
    )
    refuse_dropped_rows(table)
    if not found:
        raise InputError(f"{path} has no labels: it needs one row per item, as in item,label.")
    return found


def _unique(path: Path, pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the label of each item; a pair may occur repeatedly."""
    labels: dict[str, str] = {}
    for item, label in pairs:
        known = labels.get(item)
        if known is None:
            labels[item] = label
        elif canonical(known) != canonical(label):
            raise InputError(
                f"{path} has two labels for item {item[:200]!r} ({quoted([known, label])}), "
                "but an item has one: leave one out."
            )
    return labels
