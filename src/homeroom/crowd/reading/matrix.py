"""A matrix of answers: a row for each person and a column for each item, or the other way round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homeroom._checks import InputError
from homeroom.crowd.reading.codes import is_gap
from homeroom.crowd.reading.columns import ITEM, LABEL, STUDENT, TIME, Layout, plain
from homeroom.crowd.reading.gather import Gathered
from homeroom.crowd.reading.source import AbstractSource, Columns, shown

EXPERTS = frozenset({"label", "labels", "truth", "expert", "key", "answerkey", "gold", "solution"})
"""What the row with the expert's answers is called, in a matrix with a row for each person."""


def gather(source: AbstractSource, found: Layout, gathered: Gathered) -> None:
    """Gather the answers that there are; gaps are gaps, not dropped rows."""
    source.is_matrix = True
    by_person = STUDENT in found
    (named,) = found.places[STUDENT if by_person else ITEM]
    aside = {at for part in (TIME, LABEL) if part in found for at in found.places[part]}
    others = [at for at in range(len(found.header)) if at != named and at not in aside]
    names = [found.header[at].strip() for at in others]
    _refuse_doubles(source, names, "item" if by_person else "person")
    _note_left_out(source, found, by_person=by_person)
    labelled = [] if by_person else list(found.places.get(LABEL, ()))
    for texts in source.chunks([named, *labelled, *others]):
        rows, *cells = texts
        if by_person:
            _add_people(gathered, rows, names, cells)
        else:
            _add_items(gathered, rows, names, cells, labelled=bool(labelled))


def _add_people(
    gathered: Gathered, people: Sequence[str], items: Sequence[str], cells: Columns
) -> None:
    expert = [plain(name) in EXPERTS for name in people]
    _hear_of(gathered, [name for name, no in zip(people, expert, strict=True) if not no], items)
    there = [
        (person, item, answers[row])
        for item, answers in zip(items, cells, strict=True)
        for row, person in enumerate(people)
        if not expert[row] and not is_gap(answers[row])
    ]
    _add(gathered, there)
    for row in range(len(people)):
        if expert[row]:
            for item, answers in zip(items, cells, strict=True):
                _add_label(gathered, item, answers[row])


def _add_items(
    gathered: Gathered,
    items: Sequence[str],
    people: Sequence[str],
    cells: Columns,
    *,
    labelled: bool,
) -> None:
    _hear_of(gathered, people, items)
    if labelled:
        for item, label in zip(items, cells[0], strict=True):
            _add_label(gathered, item, label)
    there = [
        (person, item, answers[row])
        for person, answers in zip(people, cells[int(labelled) :], strict=True)
        for row, item in enumerate(items)
        if not is_gap(answers[row])
    ]
    _add(gathered, there)


def _add(gathered: Gathered, there: list[tuple[str, str, str]]) -> None:
    if there:
        people, items, answers = zip(*there, strict=True)
        gathered.add(people, items, answers)


def _hear_of(gathered: Gathered, people: Sequence[str], items: Sequence[str]) -> None:
    """Take note of all names, so that those without an answer can be counted."""
    for person in people:
        gathered.people[person.strip()]
    for item in items:
        gathered.items[item.strip()]


def _add_label(gathered: Gathered, item: str, label: str) -> None:
    if label.strip():
        number = gathered.items[item.strip()]
        gathered.add_labels(np.array([number], dtype=np.int32), [label])


def _refuse_doubles(source: AbstractSource, names: Sequence[str], what: str) -> None:
    seen: set[str] = set()
    for name in filter(None, names):  # many may have no name: what they hold is counted as dropped
        if name in seen:
            raise InputError(
                f"{source.path} has several columns for the {what} {name[:40]!r}: rename them."
            )
        seen.add(name)


def _note_left_out(source: AbstractSource, found: Layout, *, by_person: bool) -> None:
    left = [found.header[at] for at in found.places.get(TIME, ())]
    if by_person:
        left += [found.header[at] for at in found.places.get(LABEL, ())]
    if left:
        source.notes.append(f"columns left out as no answers: {shown(left)}")
