"""Second passes: show the whole lesson to every student, to verify it or to write distances.

The result of a pass is a *verdict*: the number of students, the sum of their squared distances to
the target at the end, and the greatest distance. A student's *gap* is state minus target.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom._checks import InputError
from homeroom._files import replacing
from homeroom.classroom import AbstractPiece, Classroom, LargeClass
from homeroom.classroom.runners import total_of
from homeroom.engines.replay import Verdict, replay, verdict, verdict_on_piece
from homeroom.lessons.record import Record

COLUMNS = ("student", "before", "after")


@dataclass(frozen=True, eq=False)
class StudentDistances:
    """Distances of some students to the target before and after a lesson.

    Parameters
    ----------
    names
        Their names, if they have any.
    before, after
        The distances, shape ``(students,)``.
    verdict
        Their number, the sum of their squared distances at the end, and the greatest distance.
    """

    names: Any
    before: Floats
    after: Floats
    verdict: Verdict


def save_students(
    room: Classroom | LargeClass, record: Record, path: str | PathLike[str]
) -> Record:
    """Write each student's distance to the target before and after a lesson.

    A class that is read piece by piece is passed over once more, and never held in memory.

    Parameters
    ----------
    room
        The class that was taught.
    record
        Its lesson.
    path
        A ``.parquet`` or ``.csv`` file with the columns ``student`` (a name, or a number counted
        from 0), ``before`` and ``after``. A failure leaves no partial file.

    Returns
    -------
    Record
        The record, with the result of the pass as ``record.verified``.

    Examples
    --------
    >>> from homeroom import teach
    >>> room = Classroom([[3.0, 4.0], [0.0, 0.1]], [0.5, 0.5], [0.0, 0.0], names=["Ada", "Ben"])
    >>> record = save_students(room, teach(room), "students.csv")  # doctest: +SKIP
    """
    if record.in_expectation:
        raise InputError(
            "These students learn at random, and the sketch knows them only on average: no "
            "student's own distance is known."
        )
    path = Path(path)
    writer = {".parquet": _parquet, ".csv": _csv}.get(path.suffix.lower())
    if writer is None:
        raise InputError(f"{path} must end in .parquet or .csv to hold one row per student.")
    verdicts: list[Verdict] = []
    first = 0
    with replacing(path) as temporary, writer(temporary) as write:
        for some in _distances(room, record):
            last = first + len(some.before)
            write(range(first, last) if some.names is None else some.names, some)
            verdicts.append(some.verdict)
            first = last
    return add_verdict(record, total_of(verdicts, len(verdicts)))


def _distances(room: Classroom | LargeClass, record: Record) -> Iterator[StudentDistances]:
    """Yield the distances of all students, piece by piece if the class is read like that."""
    if isinstance(room, LargeClass):
        work = partial(measure_piece, target=room.target, xs=record.examples.xs)
        yield from room.runner.each(work, room.pieces)
        return
    room = room.flat
    after = compute_gaps_after(room, record)
    yield StudentDistances(room.names, _lengths(room.gaps), _lengths(after), verdict(after))


def measure_piece(piece: AbstractPiece, *, target: Floats, xs: Floats) -> StudentDistances:
    """Return the distances of a piece's students before and after these examples."""
    before, after, verdicts = [np.zeros(0)], [np.zeros(0)], [Verdict(0, 0.0, 0.0)]
    for states, rates in piece.blocks():
        before.append(_lengths(np.subtract(states, target, dtype=np.float64)))
        gaps = replay(np.asarray(states), target, np.asarray(rates), xs)
        after.append(_lengths(gaps))
        verdicts.append(verdict(gaps))
    names = [name for some in piece.names() for name in some]
    return StudentDistances(
        names or None,
        np.concatenate(before),
        np.concatenate(after),
        sum(verdicts[1:], verdicts[0]),
    )


def _lengths(gaps: Any) -> Floats:
    """Return the length of each row."""
    lengths: Floats = np.sqrt(_arrays.to_host(_arrays.sum_squares(gaps)))
    return lengths


Write = Callable[[Any, StudentDistances], None]
"""Appends students to a file: their names or numbers, and their distances."""


@contextmanager
def _parquet(path: Path) -> Iterator[Write]:
    """Yield a function that appends students to a Parquet file."""
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    writers: list[Any] = []

    def write(students: Any, some: StudentDistances) -> None:
        named = some.names is not None
        column = pyarrow.array(students, pyarrow.string() if named else pyarrow.int64())
        table = pyarrow.table(dict(zip(COLUMNS, (column, some.before, some.after), strict=True)))
        if not writers:
            writers.append(ParquetWriter(path, table.schema))
        writers[0].write_table(table)

    try:
        yield write
    finally:
        for writer in writers:
            writer.close()


@contextmanager
def _csv(path: Path) -> Iterator[Write]:
    """Yield a function that appends students to a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(COLUMNS)

        def write(students: Any, some: StudentDistances) -> None:
            rows.writerows(zip(students, some.before.tolist(), some.after.tolist(), strict=True))

        yield write


def verify_record(record: Record, room: Classroom | LargeClass) -> Record:
    """Return the record with the exact error and the farthest student of the class at the end."""
    if isinstance(room, LargeClass):
        work = partial(verdict_on_piece, target=room.target, xs=record.examples.xs)
        return add_verdict(record, room.runner.total(work, room.pieces))
    return add_verdict(record, verdict(compute_gaps_after(room, record)))


def add_verdict(record: Record, found: Verdict) -> Record:
    """Return the record with the result of a second pass."""
    return replace(record, verified={"error": found.error, "farthest": found.farthest})


def compute_gaps_after(room: Classroom, record: Record) -> Array:
    """Return the gaps after a lesson, one row per student.

    Groups whose students the lesson did not follow are replayed in float64. The others are taken
    from the record.
    """
    if record.engine != "sketch" or record.handed_over:
        return _arrays.flat(record.final_states) - room.target
    if len(record.transcript.rounds) == 1:
        return _replay_group(room, record, 0)
    members = [record.members(group) for group in range(len(record.transcript.rounds))]
    parts = [_replay_group(room.subset(rows), record, group) for group, rows in enumerate(members)]
    together = _arrays.namespace(room.states).concat(parts)
    return _arrays.take_rows(together, np.argsort(np.concatenate(members)))


def _replay_group(room: Classroom, record: Record, group: int) -> Array:
    """Return the gaps of one group's students, ``room``, after the examples of the group."""
    xs = record.transcript.examples([group]).xs
    return replay(room.states, room.target, room.rates, xs)
