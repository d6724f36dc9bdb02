"""``homeroom teach``: teach a class, in memory or read in pieces, until its goal is reached."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from homeroom._checks import InputError
from homeroom._files import is_folder
from homeroom.classroom import AbstractRunner, Classroom, LargeClass, OnDask, OneByOne
from homeroom.classroom.opening import size_in_memory
from homeroom.cli.cluster import connected, cores, has_dask, local_cluster
from homeroom.cli.group import MOST_GROUPS, groups_chart
from homeroom.cli.options import (
    ClassOptions,
    GroupsOption,
    LessonOptions,
    grouping,
    in_panel,
    lesson_option,
)
from homeroom.cli.output import ResultOptions, lesson_bars, result_option
from homeroom.cli.report import (
    Chart,
    CommandReport,
    Curve,
    Facts,
    Heading,
    Table,
    class_as_values,
    class_in_words,
    engine_in_words,
    four_students,
    name_of,
    plans_in_words,
    record_as_values,
    setting_in_words,
    student_in_words,
    students_called,
)
from homeroom.groups import AbstractGrouping, WholeClass
from homeroom.lessons import Record, save_students
from homeroom.lessons import teach as teach_class
from homeroom.lessons.lesson import require_verifiable
from homeroom.lessons.strategies import is_small

if TYPE_CHECKING:
    from matplotlib.figure import Figure


LARGE = 1 << 30
"""From this size in bytes, several processes read a class, and a sketch leaves it on disk."""

large_option = in_panel("A class larger than memory")


@dataclass(frozen=True)
class EngineOptions:
    """How rounds are computed, and how a class that does not fit into memory is read."""

    engine: Annotated[
        str,
        lesson_option(
            "How rounds are computed: auto, exact (every student) or sketch (any class size)."
        ),
    ] = "auto"
    verify: Annotated[
        bool,
        lesson_option(
            "Replay the lesson on every student for the exact error; with --out, also write "
            "all distances.",
            "--verify",
        ),
    ] = False
    rate_range: Annotated[
        tuple[float, float] | None,
        large_option(
            "All learning rates lie between these two; saves one pass over the file.",
            metavar="LOW HIGH",
        ),
    ] = None
    workers: Annotated[
        int | None,
        large_option(
            "The number of processes that read the class; the result is the same.",
            show_default="one per core, from 1 GiB",
        ),
    ] = None
    scheduler: Annotated[
        str | None,
        large_option("Read the class on the Dask cluster of this scheduler.", metavar="ADDRESS"),
    ] = None

    def check(self, file: Path | None) -> None:
        """Raise an error for options that exclude each other."""
        if self.workers is not None and self.workers < 1:
            raise InputError(f"--workers must be at least 1, but is {self.workers}.")
        for name in ("rate_range", "workers", "scheduler"):
            if getattr(self, name) is None:
                continue
            option = f"--{name.replace('_', '-')}"
            if file is None:
                raise InputError(f"{option} needs a class file: name the FILE too.")
            if self.engine == "exact":
                raise InputError(
                    f"{option} is for a class that is read in pieces, but the exact engine "
                    "holds it in memory: leave out one of the two."
                )

    @property
    def asks_for_pieces(self) -> bool:
        """Whether the options ask for reading in pieces, whatever the size."""
        return any(each is not None for each in (self.rate_range, self.workers, self.scheduler))


@contextmanager
def opened(
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
    if file is None or not _is_large(file, which, how, single_students):
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
    room = LargeClass.open(file, rates=how.rate_range, **which.given)
    with _runner(file, how, progress) as runner:
        yield replace(room, runner=runner)


def _is_large(
    file: Path, which: ClassOptions, how: EngineOptions, single_students: str | None
) -> bool:
    """Return whether a file is to be read in pieces."""
    if is_folder(file) and how.engine == "exact":
        raise InputError(
            f"{file} is a folder, which is read in pieces, but the exact engine holds the "
            "class in memory: leave --engine out, or make it one file."
        )
    if is_folder(file) or how.asks_for_pieces:
        return True
    if single_students is not None or how.engine == "exact" or file.suffix.lower() == ".csv":
        return False  # a CSV file is always read as a whole
    size = size_in_memory(file)
    limit = LARGE if how.engine == "sketch" else _memory() // 2
    return size is not None and size > min(limit, which.max_bytes)


def _memory() -> int:
    """Return this machine's memory in bytes; 16 GiB if the system does not report it."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # pragma: no cover - not on this system
        return 16 << 30


@contextmanager
def _runner(
    file: Path, how: EngineOptions, progress: Callable[[int, int], None]
) -> Iterator[AbstractRunner]:
    """Yield what reads the file: a running cluster, a temporary one, or this process."""
    if how.scheduler is not None:
        with connected(how.scheduler) as client:
            yield OnDask(client, progress)
        return
    usual = cores() if has_dask() and _bytes_on_disk(file) > LARGE else 1
    workers = usual if how.workers is None else how.workers
    if workers == 1:
        yield OneByOne(progress)
        return
    with local_cluster(workers) as client:
        yield OnDask(client, progress)


def _bytes_on_disk(file: Path) -> int:
    files = file.rglob("*") if is_folder(file) else [file]
    return sum(each.stat().st_size for each in files if each.is_file())


USUAL = ("exact", "gradient", "gradient (loss squared)")
"""The observer and the learner that are not mentioned, as they are the usual ones."""


def teach(
    which: ClassOptions,
    lesson: LessonOptions,
    how: EngineOptions,
    result: ResultOptions,
    *,
    groups: GroupsOption = "whole",
    watch: Annotated[
        str | None,
        result_option(
            "Students to show one by one: names, or numbers from 0. Example: Ada,Ben.",
            metavar="NAMES",
            show_default="four different students, unless the class is very large",
        ),
    ] = None,
) -> None:
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
    """
    settings = lesson.settings(which.max_bytes)
    if how.verify:
        require_verifiable(settings["learner"])
    with result.folder() as out:
        with (
            lesson_bars("Teaching") as (progress, reading),
            opened(which, how, reading, single_students=_single_students(groups, watch)) as room,
        ):
            split = grouping(groups, room)
            watched = _watched(room, split, watch, how.engine)
            record = teach_class(
                room,
                groups=split,
                watch=list(watched.values()),
                max_rounds=lesson.max_rounds,
                engine=how.engine,
                verify=how.verify and not out,
                seed=which.seed,
                progress=progress,
                **settings,
            )
            if how.verify and out.path is not None:  # distances and the exact error in one pass
                ending = "parquet" if find_spec("pyarrow") else "csv"
                record = save_students(room, record, out.path / f"students.{ending}")
        report = lesson_report(room, record, watched)
        out.write(report)
    result.show(report)


def _single_students(groups: str, watch: str | None) -> str | None:
    """Return the option that needs single students, if there is one."""
    if watch is not None:
        return "--watch"
    return None if groups.strip() == "whole" else f"--groups {groups}"


def _watched(
    room: Classroom | LargeClass, split: AbstractGrouping, names: str | None, engine: str
) -> dict[str, int]:
    """Return the numbers of the students to watch, by a label: those named, or four by default.

    None are watched by default where a sketch replaces single students, or in groups.
    """
    if isinstance(room, LargeClass):
        return {}
    if names is not None:
        return students_called(room, [name.strip() for name in names.split(",") if name.strip()])
    exact = engine == "exact" or (engine == "auto" and is_small(room))
    return four_students(room) if exact and isinstance(split, WholeClass) else {}


def lesson_report(
    room: Classroom | LargeClass, record: Record, watched: Mapping[str, int]
) -> CommandReport:
    """Return the report of a lesson."""
    report = CommandReport(
        "The lesson", _values(room, record, watched), {"record.npz": record.save}
    )
    parts = ("teacher", "goal", "groups", "observer", "learner")
    words = {part: setting_in_words(record.settings[part]) for part in parts}
    chosen = [(part, text) for part, text in words.items() if text not in USUAL]
    report.add(
        Facts([("class", class_in_words(room, record)), *chosen]),
        Heading("What it took"),
        Facts(
            [
                ("rounds, T", f"{record.rounds}"),
                ("workload, S", f"{record.workload:.1f}"),
                ("error", Curve(record.errors)),
            ],
            main=True,
        ),
        Facts(
            [
                *plans_in_words(record),
                *engine_in_words(record),
                *((name, str(number)) for name, number in record.counts.items() if number),
            ]
        ),
        error_chart(record, watched),
    )
    if watched:
        assert isinstance(room, Classroom)
        report.add(
            Table(("student", "rate", "distance before", "after"), _rows(room, record, watched))
        )
    groups = len(record.transcript.rounds)
    if groups > 1:
        report.add(groups_chart(record))
    if not watched and 1 < groups <= MOST_GROUPS:
        header = ("group", "students", "rounds")
        sizes = zip(record.sizes, record.transcript.rounds, strict=True)
        rows = [(str(group), str(size), str(n)) for group, (size, n) in enumerate(sizes, start=1)]
        report.add(Table(header, rows))
    report.add_ending(record)
    return report


def _values(
    room: Classroom | LargeClass, record: Record, watched: Mapping[str, int]
) -> dict[str, Any]:
    """Return the JSON document of a lesson."""
    return {
        "class": class_as_values(room, record),
        "lesson": record_as_values(record),
        "settings": record.settings_and_results(),
        "errors": record.errors,
        "watched": [
            {
                "student": name_of(room, student),
                "who": who,
                "errors": record.watched_errors[:, i],
            }
            for i, (who, student) in enumerate(watched.items())
            if isinstance(room, Classroom)
        ],
        "rounds_by_group": record.transcript.rounds,
        "students_by_group": record.sizes,
    }


def _rows(
    room: Classroom, record: Record, watched: Mapping[str, int]
) -> list[tuple[str, str, str, str]]:
    """Return a row for each watched student: name, rate, distance before and after."""
    return [
        (
            student_in_words(room, who, student),
            f"{float(room.rates[student]):.3g}",
            f"{record.watched_errors[0, i] ** 0.5:.3g}",
            f"{record.watched_errors[-1, i] ** 0.5:.3g}",
        )
        for i, (who, student) in enumerate(watched.items())
    ]


def error_chart(record: Record, watched: Mapping[str, int]) -> Chart:
    """Return the chart of a lesson's error, with a thin line for each watched student."""

    def draw() -> Figure:
        from homeroom import plots

        own = {who: record.watched_errors[:, column] for column, who in enumerate(watched)}
        figure, ax = plots.panel(6.4, 3.6)
        plots.error_curve(record.errors, students=own, goal=record.goal_line, ax=ax)
        return figure

    caption = "The error of the class, round by round, on a logarithmic scale."
    if watched:
        caption += " The thin lines are single students, slow and fast, near and far."
    return Chart("error", draw, caption)
