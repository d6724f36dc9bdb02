"""The rows of an activity, one per item, from a table."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import count
from typing import NamedTuple

from homeroom._checks import InputError
from homeroom.live.activities.base import MOST_OPTIONS
from homeroom.live.refused import Refused
from homeroom.tables import (
    ColumnNames,
    find_column,
    normalized,
    normalized_header,
    rows_of_file,
)
from homeroom.tables.columns import aliases
from homeroom.tables.spreadsheet import ZIP
from homeroom.tables.table import FIRST_LINES, is_number

LARGEST = 4 * 2**20
MOST_ITEMS = 2000
LONGEST = 2000
"""Characters that a cell may have."""

QUOTED = 60
"""The most characters of a row that a refusal quotes."""

LONGEST_ID = 100
DIGITS = "0123456789"
SEPARATOR = "|"
"""Separates the options of an item in one cell."""

NAMES: ColumnNames = {
    part: names for part, names in aliases("quiz").items() if part not in ("option", "no_option")
}
"""The accepted names of columns; places are in ``x1``, ``x2``, ... (or ``x``, ``y``), and the
options of an item in one column, separated by ``|``, or in one column each: ``option1``,
``Answer A``, or just ``A``. Wrong answers have one column or several, with or without numbers."""

OPTIONS = frozenset(aliases("quiz")["option"])
"""The names of columns with one option each, before their number or letter."""

NO_OPTIONS = frozenset(aliases("quiz")["no_option"])
"""The names of numbered columns that hold no options."""

NEEDED = ("item", "question", "label")
"""A row that has none of these but numbers is a blank row of a template."""

LABEL = "label"
"""homeroom's own name for the right answer, which is always its text."""

_DECORATION = re.compile(r"\s+[-–—]\s.*|\s*\([^()]{3,}\)\s*$|\s*:.*", re.DOTALL)
_COUNTED = re.compile(r"[\W_]*(?P<stem>.*?)(?P<apart>[\W_]*)(?P<key>[a-j]|[0-9]{1,2})[\W_]*")
_KEY = re.compile(r"[\W_]*([a-j]|[0-9]{1,2}(?=\.0$|\D*$))(?:\.0)?(?:[\W_]*|[).:]\s*(?P<text>.+))")


_KEYS = re.compile(r"\s*(?:[a-jA-J]|[0-9]{1,2})(?:\s*[,;&+]\s*(?:[a-jA-J]|[0-9]{1,2}))+\s*")
"""Several letters or numbers: more than one answer is right."""


class Row(NamedTuple):
    """One item as the table has it; what the table does not have is empty.

    ``label`` is the right answer, and ``place`` the coordinates on a map.
    """

    item: str
    label: str
    picture: str
    text: str
    explanation: str
    place: tuple[float, ...]
    question: str = ""
    options: tuple[str, ...] = ()


class Questions(NamedTuple):
    """The items of a file, and the questions that were left out, as they cannot be asked."""

    rows: list[Row]
    skipped: tuple[str, ...] = ()


def rows_of(data: bytes, name: str = "The table") -> list[Row]:
    r"""Return the items of a table.

    >>> rows_of(b"item,label,x1\nmoth,no,0.5\nbee,yes,-1")[1].place
    (-1.0,)
    >>> rows_of(b"item,label,options\nFrance,Paris,Lyon|Paris|Nice")[0].options
    ('Lyon', 'Paris', 'Nice')
    >>> rows_of(b"question;answer;wrong1;wrong2\nCapital of France?;Paris;Lyon;Nice")[0].options
    ('Paris', 'Lyon', 'Nice')
    """
    return read_table(data, name).rows


def read_table(data: bytes, name: str = "The table") -> Questions:
    """Return the items of a table; questions with several right answers are left out."""
    if len(data) > LARGEST:
        raise Refused("table_large", name=name, most=LARGEST >> 20)
    cells = cells_of(data, name)
    if not cells:
        raise Refused("table_empty", name=name)
    columns, body = _below_header(cells, name)
    if len(body) > MOST_ITEMS:
        raise Refused("table_items", name=name, items=len(body), most=MOST_ITEMS)
    several = [row for row in body if _has_several_keys(columns, row)]
    body = [row for row in body if row not in several]
    columns, labels = _with_right_answers(columns, body, name)
    rows = [_row(row, label, columns, name) for row, label in zip(body, labels, strict=True)]
    asked = columns.named.get("question", columns.named.get("item", 0))
    skipped = tuple(_cell(row, asked)[:LONGEST_ID] for row in several)
    return Questions(rows if "item" in columns.named else with_unique_names(rows), skipped)


def _below_header(cells: list[list[str]], name: str) -> tuple[Columns, list[list[str]]]:
    """Return the columns of a table and its rows; titles above the header are left out.

    So are rows without a question and an answer, and a first row that explains the columns.
    """
    for number, row in enumerate(cells[:FIRST_LINES]):
        above = [sum(map(bool, map(str.strip, one))) for one in cells[:number]]
        if number and max(above) > 2:
            break
        try:
            columns = _columns(row, name)
        except Refused:
            continue
        needed = [columns.named[part] for part in NEEDED if part in columns.named]
        body = [
            one
            for one in cells[number + 1 :]
            if any(_cell(one, at) for at in needed)
            or any(text.strip() and not is_number(text) for text in one)
        ]
        return columns, body[1:] if _explains(columns, body) else body
    columns = _columns(cells[0], name)
    return columns, []


def _explains(columns: Columns, body: list[list[str]]) -> bool:
    """Return whether the first row explains the columns, as in Quizizz's template.

    Its right answer is neither a letter nor a number, and that of every other row is.
    """
    place = columns.named["label"]
    labels = [_cell(row, place).casefold() for row in body]
    keys = [bool(_KEY.fullmatch(text) or _KEYS.fullmatch(text)) for text in labels]
    return len(keys) > 2 and bool(columns.groups) and not keys[0] and all(keys[1:])


def _has_several_keys(columns: Columns, row: list[str]) -> bool:
    """Return whether the right answer of a row with options is several letters or numbers."""
    return bool(columns.groups) and bool(_KEYS.fullmatch(_cell(row, columns.named["label"])))


def with_unique_names(rows: list[Row]) -> list[Row]:
    """Return the rows with unique item names: repeated ones become ``name (2)`` and so on."""
    taken: set[str] = set()
    named: list[Row] = []
    for row in rows:
        names = (row.item if turn == 1 else f"{row.item} ({turn})" for turn in count(1))
        taken.add(name := next(one for one in names if one not in taken))
        named.append(row._replace(item=name))
    return named


def cells_of(data: bytes, name: str) -> list[list[str]]:
    """Return the cells of a table; refuse a file that is not one."""
    try:
        cells = rows_of_file(data, name)
    except InputError as why:
        if data.startswith(ZIP):
            raise Refused("spreadsheet", why=str(why)) from None
        raise Refused("table_unreadable", name=name, why=str(why)) from None
    if any("\0" in cell for row in cells for cell in row):
        raise Refused("table_no_text", name=name)
    return cells


class Columns(NamedTuple):
    """The positions of a table's columns.

    ``header`` has their names, ``named`` the positions of the parts of an item, by part, ``axes``
    those of the coordinates, ``options`` those of the columns with one option each, by their
    numbers (a letter counts as its place in the alphabet), ``wrong`` those of wrong answers, and
    ``groups`` the sets of columns that may be the options, by what their names begin with.
    """

    header: list[str]
    named: Mapping[str, int]
    axes: list[int]
    options: Mapping[int, int]
    wrong: list[int]
    groups: Mapping[str, Mapping[int, int]]

    def choices(self, row: list[str]) -> dict[int, str]:
        """Return the options of a row that have a column each, by number."""
        cells = {number: _cell(row, place) for number, place in self.options.items()}
        return {number: text for number, text in cells.items() if text}


def _columns(names: list[str], name: str) -> Columns:
    """Return the positions of the columns in a header; refuse a table that lacks required ones."""
    known = {one for part in NAMES.values() for one in part}
    exact, plain = map(normalized_header, (names, [_undecorated(one) for one in names]))
    header = [one if one in known else short for one, short in zip(exact, plain, strict=True)]
    groups = _counted_columns(names)
    wrong = [place for place, one in enumerate(header) if one.rstrip(DIGITS) in NAMES["wrong"]]
    wrong += [p for stem in groups if stem in NAMES["wrong"] for p in groups[stem].values()]
    groups = {stem: own for stem, own in groups.items() if stem not in NAMES["wrong"]}
    places = {part: find_column(header, names) for part, names in NAMES.items()}
    found = {part: place for part, place in places.items() if place is not None}
    if "item" not in found and "picture" in found:
        found["item"] = found["picture"]
    has_options_or_text = wrong or groups or found.keys() & {"text", "options"}
    if "question" in found and "item" in found and not has_options_or_text:
        found["text"] = found.pop("question")  # version 0.1 called the text `question`
    if not found.keys() & {"item", "question"} or "label" not in found:
        raise Refused("table_columns", name=name, columns=", ".join(header)[:200])
    axes = _numbered(header, "x") or _numbered(header, "xyz")
    return Columns(header, found, axes, {}, list(dict.fromkeys(wrong)), groups)


def _undecorated(name: str) -> str:
    """Return the name of a column without remarks, as in ``Answer 3 (optional)``."""
    return _DECORATION.sub("", name) or name


def _counted_columns(names: list[str]) -> dict[str, dict[int, int]]:
    """Return the columns whose names differ only in a last letter or number.

    They are listed by the text before it, and each by its number. Columns that all have the same
    name for an option count from 1.

    >>> _counted_columns(["Question", "Option A", "Option B", "Correct"])
    {'option': {1: 1, 2: 2}}
    """
    found: dict[str, dict[int, int]] = {}
    spelt = normalized_header([_undecorated(name) for name in names])
    for place, name in enumerate(names):
        counted = _COUNTED.fullmatch(_undecorated(name).strip().casefold())
        if counted is not None:
            stem, key = normalized(counted["stem"]), counted["key"]
            is_apart = counted["apart"] or key.isdecimal() or not stem or stem in OPTIONS
            if is_apart and stem not in NO_OPTIONS:
                found.setdefault(stem, {}).setdefault(_number_of_key(key), place)
    for stem in OPTIONS - {"answer", "antwort", *NAMES["label"]}:
        if spelt.count(stem) > 1:
            same = [place for place, one in enumerate(spelt) if one == stem]
            found[stem] = dict(enumerate(same, start=1))
    several = {stem: own for stem, own in found.items() if len(own) > 1}
    return {stem: own for stem, own in several.items() if stem in OPTIONS or min(own) <= 1}


def _number_of_key(key: str) -> int:
    return int(key) if key.isdecimal() else ord(key) - ord("a") + 1


def _with_right_answers(
    columns: Columns, body: list[list[str]], name: str
) -> tuple[Columns, list[str]]:
    """Return the columns with those of options, and the right answer of each row as text.

    A letter or a number in the column of the right answer stands for the option in the column that
    it names. Where several columns may hold the options or the right answer, those count in which
    each right answer is one of the options.
    """
    at = [place for place, one in enumerate(columns.header) if one in NAMES["label"]]
    at.sort(key=lambda place: NAMES["label"].index(columns.header[place]))
    found: list[tuple[Columns, list[str]]] = []
    for stem, options in columns.groups.items():
        for place in at:
            if place in options.values():
                continue
            tried = columns._replace(options=options, named={**columns.named, "label": place})
            labels = _as_texts(tried, body, name)
            if labels is not None and (stem in OPTIONS or not stem or _are_keys(tried, body)):
                found.append((tried, labels))
    if found:
        if any(labels != found[0][1] for _, labels in found):
            raise Refused("table_which", name=name, columns=", ".join(columns.header)[:200])
        return found[0]
    for stem, options in columns.groups.items():  # the right answers are none of the options
        texts = [_cell(row, place) for row in body for place in options.values()]
        if stem in OPTIONS or (not stem and not all(map(is_number, filter(None, texts)))):
            columns = columns._replace(options=options)
            return columns, [_cell(row, columns.named["label"]) for row in body]
    labels = [_cell(row, columns.named["label"]) for row in body]
    if "options" in columns.named:
        return columns, _as_texts(columns, body, name) or labels
    if not columns.wrong:
        _refuse_unknown_options(columns, body, labels, name)
    return columns, labels


def _as_texts(columns: Columns, body: list[list[str]], name: str) -> list[str] | None:
    """Return the right answer of each row as the text of an option; ``None`` if one is none.

    All of them are texts, or all are letters or numbers of options. If they may be either, and it
    makes a difference, the table is refused, unless homeroom's own name of the column settles it.
    """
    label = columns.named["label"]
    every = [(_cell(row, label), _choices(columns, row)) for row in body]
    needed = [(text, options) for text, options in every if text and options]
    by_text = [_option_with_text(text, options) for text, options in needed]
    by_key = [_option_with_key(text, options, columns) for text, options in needed]
    readings = [found for found in (by_text, by_key) if found and None not in found]
    if not readings:
        return None
    differ = readings[0] != readings[-1]
    if differ and columns.options and columns.header[label] != LABEL:
        raise Refused("table_numbers", name=name, label=needed[0][0][:60])
    texts = iter(readings[0])
    return [next(texts) or "" if text and options else text for text, options in every]


def _choices(columns: Columns, row: list[str]) -> dict[int, str]:
    """Return the options of a row by number: those in columns of their own, or all in one."""
    if columns.options or "options" not in columns.named:
        return columns.choices(row)
    texts = _cell(row, columns.named["options"]).split(SEPARATOR)
    return dict(enumerate(filter(None, map(str.strip, texts)), start=1))


def _option_with_text(label: str, options: Mapping[int, str]) -> str | None:
    """Return the option that is written like this, if there is one; case may differ."""
    if label in options.values():
        return label
    alike = [text for text in options.values() if text.casefold() == label.casefold()]
    return alike[0] if len(alike) == 1 else None


def _option_with_key(label: str, options: Mapping[int, str], columns: Columns) -> str | None:
    """Return the option whose letter, number or column is written like this, if there is one.

    ``B) Paris`` names the option B if its text is Paris.
    """
    spelt = normalized(label)
    for number, place in columns.options.items():
        if columns.header[place] == spelt:
            return options.get(number)
    named = _COUNTED.fullmatch(label.strip().casefold())
    if named is not None and normalized(named["stem"]) in OPTIONS:
        return options.get(_number_of_key(named["key"]))
    key = _KEY.fullmatch(label.strip().casefold())
    option = None if key is None else options.get(_number_of_key(key[1]))
    if option is None or key is None:
        return None
    return option if key["text"] in (None, option.casefold()) else None


def _are_keys(columns: Columns, body: list[list[str]]) -> bool:
    """Return whether all right answers are letters or numbers of options that are no numbers."""
    label = columns.named["label"]
    every = [(_cell(row, label), columns.choices(row)) for row in body]
    texts = [text for _, options in every for text in options.values()]
    named = [_option_with_key(text, options, columns) for text, options in every if text]
    return None not in named and not all(map(is_number, texts))


def _refuse_unknown_options(
    columns: Columns, body: list[list[str]], labels: list[str], name: str
) -> None:
    """Refuse a quiz whose options seem to be in columns that are not read.

    Its right answers are letters, numbers or names of columns, or each is in one of these columns,
    of which two or more (three without a question) have a text of their own in most rows.
    """
    read = {*columns.named.values(), *columns.axes}
    others = [
        place
        for place, one in enumerate(columns.header)
        if place not in read and one.rstrip(DIGITS) not in NO_OPTIONS
    ]
    texts = {place: [_cell(row, place) for row in body] for place in others}
    varied = {
        place: own
        for place, own in texts.items()
        if 2 * len({*own} - {""}) > len(own) and not all(map(is_number, filter(None, own)))
    }
    names = {columns.header[place] for place in others}
    names |= {name.removeprefix(stem) for name in names for stem in OPTIONS}  # Option II
    keys = all(
        _KEY.fullmatch(label.casefold()) or normalized(label) in names or _is_letter(label)
        for label in labels
        if label
    )
    among = [
        {place for place, own in texts.items() if own[n] == one} for n, one in enumerate(labels)
    ]
    copied = all(among) and len(set().union(*among)) > 1
    fewest = 2 if columns.named.keys() & {"question", "text"} else 3
    if len(varied) >= fewest and any(labels) and (keys or copied):
        raise Refused("table_which", name=name, columns=", ".join(columns.header)[:200])


def _is_letter(label: str) -> bool:
    """Return whether a label is one letter of an alphabet with capitals, such as Cyrillic."""
    return len(label) == 1 and label.lower() != label.upper()


def _numbered(header: list[str], name: str) -> list[int]:
    """Return the positions of ``name1``, ``name2``, ... (at most eight) up to the first gap.

    For ``"xyz"`` they are those of the columns x, y and z.
    """
    names = list(name) if name == "xyz" else [f"{name}{number}" for number in range(1, 9)]
    found = []
    for one in names:
        if one not in header:
            break
        found.append(header.index(one))
    return found


def _row(row: list[str], label: str, columns: Columns, name: str) -> Row:
    """Return the item in a row of a table; ``label`` is its right answer, ``name`` the file's.

    A refusal quotes the row: the teacher's program may number it in another way.
    """
    quoted = " ".join(" ".join(row).split())[:QUOTED]
    if any(len(cell) > LONGEST for cell in row):
        raise Refused("table_cell", name=name, most=LONGEST, row=quoted)
    values = {part: _cell(row, column) for part, column in columns.named.items()}
    values["label"] = label
    item = values.get("item", " ".join(values.get("question", "").split())[:LONGEST_ID])
    if not item or not item.isprintable() or len(item) > LONGEST_ID:
        raise Refused("table_item", name=name, row=quoted, most=LONGEST_ID)
    options = list(columns.choices(row).values())
    options += values.get("options", "").split(SEPARATOR)
    options = [option.strip() for option in options if option.strip()]
    wrong = [part for column in columns.wrong for part in _cell(row, column).split(SEPARATOR)]
    if any(wrong):
        if not values["label"]:
            raise Refused("table_right", name=name, row=quoted)
        every = [values["label"], *options, *(part.strip() for part in wrong)]
        options = list(dict.fromkeys(filter(None, every)))
    valid = 2 <= len(options) == len(set(options)) <= MOST_OPTIONS
    if options and not (valid and max(map(len, options)) <= LONGEST_ID):
        longest = LONGEST_ID
        raise Refused("table_options", name=name, row=quoted, most=MOST_OPTIONS, longest=longest)
    return Row(
        item,
        values["label"],
        values.get("picture", ""),
        values.get("text", ""),
        values.get("explanation", ""),
        tuple(_coordinate(row, axis, name, quoted) for axis in columns.axes),
        values.get("question", ""),
        tuple(options),
    )


def _cell(row: list[str], column: int) -> str:
    return row[column].strip() if column < len(row) else ""


def _coordinate(row: list[str], column: int, name: str, quoted: str) -> float:
    """Return the number in a cell, perhaps with a decimal comma; refuse one that is not finite."""
    text = _cell(row, column)
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Refused("table_place", name=name, place=text[:40], row=quoted)
    return value
