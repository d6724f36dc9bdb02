"""``homeroom teach``: teach a class, in memory or read in pieces, until its goal is reached."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from homeroom import plots
from homeroom._checks import InputError
from homeroom._files import is_folder
from homeroom.classroom import AbstractRunner, Classroom, LargeClass, OnDask, OneByOne
from homeroom.classroom.opening import size_in_memory
from homeroom.cli.cluster import connect, cores, has_dask, local_cluster
from homeroom.cli.command import Bounds, command
from homeroom.cli.group import MOST_GROUPS, groups_chart
from homeroom.cli.options import ClassOptions, LessonOptions, find_grouping
from homeroom.cli.output import lesson_bars
from homeroom.cli.result import (
    Chart,
    Curve,
    Result,
    class_in_words,
    effort_in_words,
    ending,
    engine_in_words,
    four_students,
    lesson_values,
    name_of,
    plans_in_words,
    setting_in_words,
    student_in_words,
    students_called,
)
from homeroom.engines import sketch_pays
from homeroom.groups import AbstractGrouping, WholeClass
from homeroom.lessons import Record, save_students
from homeroom.lessons import teach as teach_class

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGE = 1 << 30
"""From this size in bytes, several processes read a class, and a sketch leaves it on disk."""

USUAL = ("exact", "gradient", "gradient (loss squared)")
"""The observer and the learner that are not mentioned, as they are the usual ones."""


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """How rounds are computed, and a class larger than memory.

    Parameters
    ----------
    engine
        How rounds are computed: auto, exact (every student) or sketch (any class size).
    verify
        Replay the lesson on every student for the exact error; with --out, also write all
        distances.
    rate_range : LOW HIGH
        All learning rates lie between these two; saves one pass over the file.
    workers
        The number of processes that read the class; the result is the same.
        [default: one per core, from 1 GiB]
    scheduler : ADDRESS
        Read the class on the Dask cluster of this scheduler.
    """

    engine: str = "auto"
    verify: bool = False
    rate_range: tuple[float, float] | None = None
    workers: Annotated[int | None, Bounds(1)] = None
    scheduler: str | None = None

    @property
    def for_pieces(self) -> list[str]:
        """The options that ask for reading in pieces, whatever the size."""
        names = ("rate_range", "workers", "scheduler")
        return [f"--{name.replace('_', '-')}" for name in names if getattr(self, name) is not None]

    def check(self, file: Path | None) -> None:
        """Raise an error for options that exclude each other."""
        for option in self.for_pieces:
            if file is None:
                raise InputError(f"{option} needs a class file: name the FILE too.")
            if self.engine == "exact":
                raise InputError(
                    f"{option} is for a class that is read in pieces, but the exact engine "
                    "holds it in memory: leave out one of the two."
                )


@contextmanager
def open_class(
    which: ClassOptions,
    how: EngineOptions,
    progress: Callable[[int, int], None],
    *,
    single_students: str | None,
) -> Iterator[Classroom | LargeClass]:
    """Yield the class: in memory if it fits, otherwise on disk with a runner that reads it.

    Parameters
    ----------
    which, how
        The options.
    progress
        Called after each piece with the number of pieces read, and of all pieces.
    single_students
        The option that needs single students, if there is one: a sketch does not have them.
    """
    which.check()
    how.check(which.file)
    file = which.file
    if file is None or not _is_large(file, how, single_students):
        yield which.room()
        return
    if single_students is not None:
        raise InputError(
            f"{single_students} needs single students, but {file} is read in pieces: leave it out, "
            "or make it one file that fits into memory."
        )
    if which.column:
        raise InputError(
            f"--column needs a class that fits into memory, but {file} is read in pieces: leave it "
            "out, and call the columns student, rate, w1, w2, ..."
        )
    room = LargeClass.open(file, rates=how.rate_range, **which.reading_arguments)
    with _start_runner(file, how, progress) as runner:
        yield replace(room, runner=runner)


def _is_large(file: Path, how: EngineOptions, single_students: str | None) -> bool:
    """Return whether a file is to be read in pieces."""
    if is_folder(file) and how.engine == "exact":
        raise InputError(
            f"{file} is a folder, which is read in pieces, but the exact engine holds the "
            "class in memory: leave --engine out, or make it one file."
        )
    if is_folder(file) or how.for_pieces:
        return True
    if single_students is not None or how.engine == "exact" or file.suffix.lower() == ".csv":
        return False  # a CSV file is always read as a whole
    size = size_in_memory(file)
    limit = LARGE if how.engine == "sketch" else _memory() // 2
    return size is not None and size > limit


def _memory() -> int:
    """Return this machine's memory in bytes; 16 GiB if the system does not report it."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # pragma: no cover - not on this system
        return 16 << 30


@contextmanager
def _start_runner(
    file: Path, how: EngineOptions, progress: Callable[[int, int], None]
) -> Iterator[AbstractRunner]:
    """Yield what reads the file: a running cluster, a temporary one, or this process."""
    files = file.rglob("*") if is_folder(file) else [file]
    size = sum(part.stat().st_size for part in files if part.is_file())
    workers = how.workers or (cores() if has_dask() and size > LARGE else 1)
    if how.scheduler is None and workers == 1:
        yield OneByOne(progress)
        return
    with connect(how.scheduler) if how.scheduler else local_cluster(workers) as client:
        yield OnDask(client, progress)


@command()
def teach(
    which: ClassOptions,
    lesson: LessonOptions,
    how: EngineOptions,
    *,
    groups: str = "whole",
    watch: str | None = None,
    place: Path | None = None,
) -> Result:
    """Teach a class until its goal is reached.

    The class is read from a file, or drawn at random like the paper's. The result
    shows how its error falls, how many examples the teacher showed (T), and how
    many a student saw on average (S). A Parquet or .npz file that does not fit
    into memory, or a folder of such files, is read in pieces, by several
    processes or on a Dask cluster.

    [bold]Examples[/bold]
    $ homeroom teach
    $ homeroom teach students.csv --groups by-rate --magnitude dynamic
    $ homeroom teach students.csv --pool questions.npy --eps 0.2 --out lesson
    $ homeroom teach students.parquet --verify --scheduler tcp://scheduler:8786

    Parameters
    ----------
    groups : NAME[:KEY=VALUE,...]
        How the class is split: {groups}. Example: by-knowledge:k=3, or a file, groups.csv.
    watch : NAMES
        Students to show one by one: names, or numbers from 0. Example: Ada,Ben.
        [default: four different students, unless the class is very large]
    """
    settings = lesson.settings()
    single_students = None if groups.strip() == "whole" else f"--groups {groups}"
    single_students = single_students if watch is None else "--watch"
    with (
        lesson_bars("Teaching") as (progress, reading),
        open_class(which, how, reading, single_students=single_students) as room,
    ):
        split = find_grouping(groups, room)
        watched = choose_watched(room, split, watch, how.engine)
        record = teach_class(
            room,
            groups=split,
            watch=list(watched.values()),
            engine=how.engine,
            verify=how.verify and place is None,
            seed=which.seed,
            progress=progress,
            **settings,
        )
        if how.verify and place is not None:  # distances and the exact error in one pass
            record = save_students(room, record, place / "students.parquet")
    return lesson_result(room, record, watched)


def choose_watched(
    room: Classroom | LargeClass, split: AbstractGrouping, names: str | None, engine: str
) -> dict[str, int]:
    """Return the numbers of the students to watch, by a label: those named, or four by default.

    None are watched by default where a sketch replaces single students, or in groups.
    """
    if isinstance(room, LargeClass):
        return {}
    if names is not None:
        return students_called(room, [name.strip() for name in names.split(",") if name.strip()])
    exact = engine == "exact" or (engine == "auto" and not sketch_pays(room))
    return four_students(room) if exact and isinstance(split, WholeClass) else {}


def lesson_result(
    room: Classroom | LargeClass, record: Record, watched: Mapping[str, int]
) -> Result:
    """Return the result of a lesson."""
    rounds, curves, rows = record.transcript.rounds, [], []
    if isinstance(room, Classroom):
        for (who, student), curve in zip(watched.items(), record.watched_errors.T, strict=False):
            curves.append({"student": name_of(room, student), "who": who, "errors": curve})
            distances = (f"{curve[end] ** 0.5:.3g}" for end in (0, -1))
            name, rate = student_in_words(room, who, student), float(room.rates[student])
            rows.append([name, f"{rate:.3g}", *distances])
    values = lesson_values(
        room,
        record,
        errors=record.errors,
        watched=curves,
        rounds_by_group=rounds,
        students_by_group=record.sizes,
    )
    result = Result("The lesson", values, {"record.npz": record.save})
    parts = ("teacher", "goal", "groups", "observer", "learner")
    words = [(part, setting_in_words(record.settings[part])) for part in parts]
    chosen = [(part, text) for part, text in words if text not in USUAL]
    result.facts([("class", class_in_words(room, record)), *chosen])
    result.heading("What it took")
    result.facts([*effort_in_words(record), ("error", Curve(record.errors))], main=True)
    counts = [(name, number) for name, number in record.counts.items() if number]
    result.facts([*plans_in_words(record), *engine_in_words(record), *counts])
    result.add(error_chart(record, watched))
    if rows:
        result.table(("student", "rate", "distance before", "after"), rows)
    if len(rounds) > 1:
        result.add(groups_chart(record))
    if not watched and 1 < len(rounds) <= MOST_GROUPS:
        groups = zip(range(1, len(rounds) + 1), record.sizes, rounds, strict=True)
        result.table(("group", "students", "rounds"), groups)
    result.add(ending(record))
    return result


def error_chart(record: Record, watched: Mapping[str, int]) -> Chart:
    """Return the chart of a lesson's error, with a thin line for each watched student."""

    def draw(ax: Axes) -> None:
        students = dict(zip(watched, record.watched_errors.T, strict=False))
        plots.error_curve(record.errors, students=students, goal=record.goal_line, ax=ax)

    caption = "The error of the class, round by round, on a logarithmic scale."
    if watched:
        caption += " The thin lines are single students, slow and fast, near and far."
    return Chart("error", draw, caption, 3.6)
