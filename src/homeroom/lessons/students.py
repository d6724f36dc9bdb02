"""What a lesson did to each student, written in another pass over the students."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom._files import replacing
from homeroom.classroom import AbstractNamedPiece, AbstractPiece, Classroom, LargeClass
from homeroom.classroom.parquet_table import needed_pyarrow
from homeroom.classroom.runners import total_of
from homeroom.engines.replay import Verdict, replayed_exactly, verdict
from homeroom.lessons.record import Record
from homeroom.lessons.verify import gaps_after, with_verdict

COLUMNS = ("student", "before", "after")


@dataclass(frozen=True, eq=False)
class StudentDistances:
    """StudentDistances of some students to the target before and after a lesson.

    Parameters
    ----------
    names
        Their names, if they have any.
    before, after
        StudentDistances, shape ``(students,)``.
    verdict
        The verdict on them at the end.
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
    return with_verdict(record, total_of(verdicts, len(verdicts)))


def _distances(room: Classroom | LargeClass, record: Record) -> Iterator[StudentDistances]:
    if isinstance(room, LargeClass):
        work = partial(distances_of_piece, target=room.target, xs=record.examples.xs)
        yield from room.runner.each(work, room.pieces)
        return
    room = room.flat
    after = gaps_after(room, record)
    yield StudentDistances(room.names, _lengths(room.gaps), _lengths(after), verdict(after))


def distances_of_piece(piece: AbstractPiece, *, target: Floats, xs: Floats) -> StudentDistances:
    """Return the distances of a piece's students before and after these examples."""
    before, after, verdicts = [np.zeros(0)], [np.zeros(0)], [Verdict(0, 0.0, 0.0)]
    for states, rates in piece.blocks():
        before.append(_lengths(np.subtract(states, target, dtype=np.float64)))
        gaps = replayed_exactly(np.asarray(states), target, np.asarray(rates), xs)
        after.append(_lengths(gaps))
        verdicts.append(verdict(gaps))
    names = list(piece.names()) if isinstance(piece, AbstractNamedPiece) else []
    return StudentDistances(
        _joined(names),
        np.concatenate(before),
        np.concatenate(after),
        sum(verdicts[1:], verdicts[0]),
    )


def _joined(names: list[Any]) -> Any:
    """Return the names of several blocks as those of one, or ``None`` if there are none."""
    if not names:
        return None
    if all(hasattr(some, "to_pylist") for some in names):
        return needed_pyarrow().chunked_array(names).combine_chunks()
    return [str(name) for some in names for name in some]


def _lengths(gaps: Any) -> Floats:
    lengths: Floats = np.sqrt(_arrays.to_host(_arrays.squared_lengths(gaps)))
    return lengths


Write = Callable[[Any, StudentDistances], None]


@contextmanager
def _parquet(path: Path) -> Iterator[Write]:
    pyarrow = needed_pyarrow()
    writers: list[Any] = []

    def write(students: Any, some: StudentDistances) -> None:
        named = some.names is not None
        column = pyarrow.array(students, pyarrow.string() if named else pyarrow.int64())
        table = pyarrow.table(dict(zip(COLUMNS, (column, some.before, some.after), strict=True)))
        if not writers:
            writers.append(pyarrow.parquet.ParquetWriter(path, table.schema))
        writers[0].write_table(table)

    try:
        yield write
    finally:
        for writer in writers:
            writer.close()


@contextmanager
def _csv(path: Path) -> Iterator[Write]:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(COLUMNS)

        def write(students: Any, some: StudentDistances) -> None:
            names = students.to_pylist() if hasattr(students, "to_pylist") else students
            rows.writerows(zip(names, some.before.tolist(), some.after.tolist(), strict=True))

        yield write
