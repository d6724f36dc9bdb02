"""Names and values from a JSON or YAML file, as text and with repeated names kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from homeroom._checks import InputError
from homeroom._extras import needs
from homeroom.tables.text import encoding_of

Pairs: TypeAlias = "tuple[tuple[str, str | Pairs], ...]"
"""Names with their values: a text each, or pairs again."""

MAX_JSON, MAX_YAML = 1 << 28, 1 << 25
"""The largest files that are read whole: 256 MiB, and 32 MiB (PyYAML reads 2 to 5 MiB per
second)."""

MAX_DEPTH = 2
"""How deeply pairs may be nested in YAML."""


def read_pairs(path: Path) -> Pairs:
    """Return the pairs in a ``.json`` or ``.yaml`` file; values are texts as they are written.

    Nothing is converted (``yes`` stays ``yes``, ``010`` stays ``010``), and a name that occurs
    twice is returned twice, so that the caller can refuse it.

    Raises
    ------
    ValueError
        If the file is too large, or holds anything but pairs.
    """
    is_json = path.suffix.lower() == ".json"
    if path.stat().st_size > (MAX_JSON if is_json else MAX_YAML):
        raise InputError(
            f"{path} is too large for a mapping of items to labels: save it as a .csv table with "
            "the columns item and label."
        )
    text = path.read_text(encoding=encoding_of(path))
    return _json_pairs(path, text) if is_json else yaml_pairs(path, text)


def yaml_pairs(path: Path, text: str) -> Pairs:
    """Return the pairs of a YAML mapping, in lines or in braces; a value may hold pairs again.

    The events of PyYAML's parser are read, and no object is constructed: tags have no effect, and
    aliases, which could multiply a small file without limit, are refused.

    >>> yaml_pairs(Path("labels.yaml"), "labels: {tiger moth: 1, 'wasp': 0}  # by Ada")
    (('labels', (('tiger moth', '1'), ('wasp', '0'))),)
    """
    with needs("Labels in YAML need PyYAML", "yaml", otherwise="save them as .csv or .json"):
        import yaml
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    events = yaml.parse(text, Loader=loader)
    try:
        found = _document(path, events)
    except yaml.MarkedYAMLError as reason:
        mark = reason.problem_mark or reason.context_mark
        line = 1 if mark is None else mark.line + 1
        _refuse(path, min(line, len(text.splitlines())))  # the mark may be behind the last line
    except yaml.YAMLError:  # a character that YAML forbids, which has no line
        _refuse(path, 1)
    return found


def _document(path: Path, events: Iterator[Any]) -> Pairs:
    """Return the pairs of the only document; nothing if there is none."""
    found: Pairs = ()
    documents = 0
    for event in events:
        kind = type(event).__name__
        if kind == "DocumentStartEvent":
            documents += 1
            if documents > 1:
                _refuse(path, event.start_mark.line + 1)
        elif kind == "MappingStartEvent":
            found = _mapping(path, events, event, depth=1)
        elif kind not in ("StreamStartEvent", "StreamEndEvent", "DocumentEndEvent"):
            is_nothing = kind == "ScalarEvent" and not event.value and event.implicit[0]
            if not is_nothing:
                _refuse(path, event.start_mark.line + 1)
    return found


def _mapping(path: Path, events: Iterator[Any], start: Any, *, depth: int) -> Pairs:
    """Return the pairs up to the end of a mapping that has just started."""
    if depth > MAX_DEPTH or start.tag or start.anchor:
        _refuse(path, start.start_mark.line + 1)
    found: list[tuple[str, str | Pairs]] = []
    while type(key := next(events)).__name__ != "MappingEndEvent":
        name = _scalar(path, key)
        value = next(events)
        if type(value).__name__ == "MappingStartEvent":
            found.append((name, _mapping(path, events, value, depth=depth + 1)))
        else:
            found.append((name, _scalar(path, value)))
    return tuple(found)


def _scalar(path: Path, event: Any) -> str:
    """Return the text of a plain value; refuse any other event."""
    if type(event).__name__ != "ScalarEvent" or event.tag or event.anchor:
        _refuse(path, event.start_mark.line + 1)
    return str(event.value)


def _refuse(path: Path, line: int) -> NoReturn:
    raise InputError(
        f"{path} cannot be read as labels from line {line} on: it needs pairs such as tiger moth: "
        "1, one per line or all in braces, without lists, anchors and tags. Correct that line, or "
        "save a .csv table of item and label."
    )


def _json_pairs(path: Path, text: str) -> Pairs:
    """Return the pairs of a JSON object; refuse anything else."""
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
    """Return the pairs of one JSON object, with values as text unless they are pairs again."""
    return tuple((name, held if isinstance(held, tuple) else str(held)) for name, held in pairs)
