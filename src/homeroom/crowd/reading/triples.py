"""Columns without a header: item, person, answer; perhaps under a line with their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from homeroom._checks import InputError
from homeroom.crowd.answers import Answers
from homeroom.crowd.reading.assemble import SILENT_ITEMS, SILENT_PEOPLE
from homeroom.crowd.reading.codes import NO, YES, canonical
from homeroom.crowd.reading.columns import ANSWER, ITEM, STUDENT, found_parts
from homeroom.crowd.reading.delimited import Delimited

ORDER = {ITEM: "1", STUDENT: "2", ANSWER: "3"}
"""What the columns are unless told otherwise, by the user or by a comment above them."""


class Sizes(NamedTuple):
    """What a first line such as ``240 53 9600`` announces."""

    items: int
    people: int
    answers: int


def order(source: Delimited) -> dict[str, str]:
    """Return what the columns are: as a comment above them says, else item, person, answer."""
    cells = source.last_comment()
    above = found_parts(cells)
    if len(cells) == len(above) == 3 and {STUDENT, ITEM} <= above.keys():
        return {part: str(at + 1) for part, at in above.items()}
    return ORDER


def without_header(source: Delimited, columns: Mapping[str, str] | None) -> bool:
    """Tell whether a table's first line names no columns.

    So it is if it has three cells with an answer or a number in the last; or if the user calls
    the columns by their numbers, as in ``{"student": "2", "item": "1", "answer": "3"}``.
    """
    if columns:
        return all(name.strip().isdecimal() for name in columns.values())
    first = [cell.strip() for cell in source.header]
    if len(first) != 3 or found_parts(first):
        return False
    return first[2].isdecimal() or canonical(first[2]) in YES | NO


def numbered(source: Delimited) -> tuple[Delimited, Sizes | None]:
    """Return the table with columns called 1, 2, 3, and what its first line announces, if so."""
    sizes = _sizes_of(source)
    source.notes.append("there is no header")
    return source.without_header(skip_first=sizes is not None), sizes


def as_announced(answers: Answers, sizes: Sizes, path: Path) -> Answers:
    """Return the answers, noting the people and items that were announced but never came."""
    items, people = sizes.items - len(answers.items), sizes.people - len(answers.people)
    if items < 0 or people < 0:
        raise InputError(
            f"{path} says in its first line that it has {sizes.items} items and {sizes.people} "
            f"people, but has {len(answers.items)} and {len(answers.people)}: correct that line."
        )
    return answers.noting({SILENT_ITEMS: items, SILENT_PEOPLE: people})


def _sizes_of(source: Delimited) -> Sizes | None:
    """Return what the first line announces, if it is no answer itself."""
    first = [cell.strip() for cell in source.header]
    if len(first) != 3 or not all(cell.isdecimal() and len(cell) < 16 for cell in first):
        return None
    announced = Sizes(*map(int, first))
    if announced.answers < 2 or announced.items * announced.people < announced.answers:
        return None
    rows = sum(len(texts[0]) for texts in source.chunks([0]))
    source.dropped.clear()  # this was only to count them
    if announced.answers > rows:
        raise InputError(
            f"{source.path} says in its first line that it has {announced.answers} answers, "
            f"but has {rows}: it is cut off."
        )
    return announced if announced.answers == rows else None
