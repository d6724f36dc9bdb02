"""Options that several commands share, declared once as dataclasses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from homeroom import _plugins
from homeroom._checks import InputError
from homeroom.classroom import Classroom, LargeClass
from homeroom.cli.class_files import read_groups, read_pool
from homeroom.cli.command import Bounds, Seed

if TYPE_CHECKING:
    from homeroom.groups import AbstractGrouping


def parse_columns(column: Sequence[str] | None, example: str) -> dict[str, str]:
    """Return the columns by what they hold: {"rate": "Speed"} for ``--column rate=Speed``."""
    columns: dict[str, str] = {}
    for text in column or ():
        part, equals, name = (piece.strip() for piece in text.partition("="))
        if not equals:
            raise InputError(f"--column names a column, as in {example}, but is {text!r}.")
        if part in columns:
            raise InputError(f"--column names the {part} twice: leave one out.")
        columns[part] = name
    return columns


@dataclass(frozen=True)
class ClassOptions:
    """The class: a file, or one drawn at random.

    Parameters
    ----------
    file : FILE
        A class: .npz, .csv, .parquet, .xlsx or .ods. Without it, one is sampled.
    target : NUMBERS|FILE
        The target, if the class file has none: numbers, as in 0.6,0.8, or a file with it.
    column : PART=NAME
        The name of a column of a table, as in rate=Speed; also for student, and for states, as in
        states=algebra,geometry. May be repeated.
    students
        The number of students to draw. [default: 300]
    dimensions
        The number of dimensions of a state. [default: 25]
    rates : LOW HIGH
        Learning rates are drawn between these two. [default: 0.05 0.25]
    sample_seed
        The seed of the class. [default: the one of --seed]
    state_radius
        States stay within this distance of zero. [default: no limit]
    example_radius
        No example is longer than this. [default: the file's, or 2]
    seed
        The random seed: the same seed gives the same result.
    """

    file: Path | None = None
    _: KW_ONLY
    target: str | None = None
    column: list[str] | None = None
    students: int | None = None
    dimensions: int | None = None
    rates: tuple[float, float] | None = None
    sample_seed: Annotated[int | None, Bounds(0)] = None
    state_radius: float | None = None
    example_radius: float | None = None
    seed: Seed = 0

    def room(self) -> Classroom:
        """Return the class, read from its file or drawn at random."""
        self.check()
        if self.file is not None:
            return Classroom.load(self.file, columns=self._columns(), **self.reading_arguments)
        names = ("students", "dimensions", "rates", "state_radius", "example_radius")
        chosen = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        seed = self.seed if self.sample_seed is None else self.sample_seed
        return Classroom.sample(seed=seed, **chosen)

    def check(self) -> None:
        """Raise an error for options that exclude each other."""
        for_files = {"column", "target"}
        for name in (*for_files, "students", "dimensions", "rates", "sample_seed"):
            option = f"--{name.replace('_', '-')}"
            if getattr(self, name) is None or (self.file is None) != (name in for_files):
                continue
            if self.file is None:
                raise InputError(f"{option} needs a class file: name the FILE too.")
            raise InputError(
                f"{option} is for a class drawn at random, but {self.file} was given: leave out "
                "one of the two."
            )

    @property
    def reading_arguments(self) -> dict[str, Any]:
        """The options that are arguments of the functions which read a class file."""
        return {
            "target": None if self.target is None else numbers_or_file(self.target),
            "state_radius": self.state_radius,
            "example_radius": self.example_radius,
        }

    def _columns(self) -> dict[str, str | list[str]] | None:
        """Return the columns that are named."""
        columns: dict[str, str | list[str]] = {**parse_columns(self.column, "rate=Speed")}
        if "states" in columns:
            columns["states"] = [name.strip() for name in str(columns["states"]).split(",")]
        return columns or None


def numbers_or_file(text: str) -> list[float] | Path:
    """Return the target that an option gives: its numbers, or the file that contains it.

    >>> numbers_or_file("0.6,-0.8")
    [0.6, -0.8]
    """
    path = Path(text)
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if path.is_file() or (not numbers and (path.suffix or path.exists())):
        return path
    if not numbers or not all(map(math.isfinite, numbers)):
        raise InputError(
            f"--target must be finite numbers such as 0.6,0.8, or a file, but is {text!r}."
        )
    return numbers


@dataclass(frozen=True, kw_only=True)
class LessonOptions:
    """The lesson.

    Parameters
    ----------
    teacher : NAME[:KEY=VALUE,...]
        How examples are chosen: {teachers}. Example: classroom:magnitude=dynamic.
        [default: classroom; pool with --pool]
    magnitude
        How the length of examples is chosen: static, dynamic, joint or best. [default: static]
    pool
        Show items from this file (.npy, .npz, .csv), or from a pool by its registered name, instead
        of constructed examples.
    rescalable
        The pool's items are directions; the teacher chooses their length.
    goal : NAME[:KEY=VALUE,...]
        The goal of the lesson: {goals}. Example: everyone:eps=0.1.
    eps
        How close to the target the goal is. [default: 0.1]
    observer : NAME[:KEY=VALUE,...]
        What the teacher observes: {observers}. Example: noisy-states:delta=0.5.
    learner : NAME[:KEY=VALUE,...]
        How students learn: {learners}. Example: gradient:loss=logistic.
    max_rounds
        The most rounds for each group.
    """

    teacher: str | None = None
    magnitude: str | None = None
    pool: Path | None = None
    rescalable: bool = False
    goal: str = "average"
    eps: float | None = None
    observer: str = "exact"
    learner: str = "gradient"
    max_rounds: int = 100_000

    def settings(self) -> dict[str, Any]:
        """Return teacher, goal, observer, learner and limit as arguments of ``teach``."""
        return {
            "teacher": self._make_teacher(),
            "goal": _plugins.make("goals", self.goal, **_leave_out_none(eps=self.eps)),
            "observer": _plugins.make("observers", self.observer),
            "learner": _plugins.make("learners", self.learner),
            "max_rounds": self.max_rounds,
        }

    def _make_teacher(self) -> Any:
        more = _leave_out_none(magnitude=self.magnitude)
        text = self.teacher or ("classroom" if self.pool is None else "pool")
        if self.pool is not None:
            more["pool"] = read_pool(self.pool, rescalable=self.rescalable)
        elif self.rescalable:
            raise InputError("--rescalable describes a pool: name it with --pool FILE.")
        elif _requires(name := text.partition(":")[0].strip(), "pool"):
            raise InputError(
                f"The teacher {name!r} shows the items of a pool: name it with --pool FILE."
            )
        return _plugins.make("teachers", text, **more)


def _leave_out_none(**options: Any) -> dict[str, Any]:
    """Return the options that the user has set."""
    return {name: value for name, value in options.items() if value is not None}


def _requires(teacher: str, setting: str) -> bool:
    """Return whether a registered teacher cannot be made without a setting."""
    takes = signature(_plugins.find("teachers", teacher)).parameters.get(setting)
    return takes is not None and takes.default is Parameter.empty


def find_grouping(text: str, room: Classroom | LargeClass) -> AbstractGrouping:
    """Return the grouping that a text names, or the one in a file."""
    if text.lower().endswith(".csv") and isinstance(room, Classroom):
        return read_groups(Path(text), room)
    if text.partition(":")[0].strip() == "as-given":
        raise InputError(
            "The groups 'as-given' need a label for each student: write them into a "
            "table with the columns student and group, and name it, as in --groups groups.csv."
        )
    grouping: AbstractGrouping = _plugins.make("groups", text)
    return grouping
