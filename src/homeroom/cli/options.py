"""The options that commands share: which class, which lesson, where the result goes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homeroom import _plugins
from homeroom._checks import InputError
from homeroom.classroom import Classroom, LargeClass

if TYPE_CHECKING:
    from homeroom.goals import AbstractGoal
    from homeroom.groups import AbstractGrouping
    from homeroom.learners import AbstractLearner
    from homeroom.observers import AbstractObserver
    from homeroom.teachers import AbstractTeacher

_THE_CLASS = "The class: a file, or one that is drawn"
_THE_LESSON = "The lesson"
_THE_RESULT = "The result"

MAX_GIB = 8.0


def _drawn(what: str, usually: str) -> Any:
    return typer.Option(help=what, rich_help_panel=_THE_CLASS, show_default=usually)


@dataclass(frozen=True)
class ClassOptions:
    """Which class: a file, or one that is drawn like the paper's."""

    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="A class: .npz, .csv or .parquet. Without it a class is drawn.",
            show_default=False,
        ),
    ] = None
    target: Annotated[
        Path | None,
        typer.Option(
            help="The target's own file, if the class file has none.", rich_help_panel=_THE_CLASS
        ),
    ] = None
    students: Annotated[int | None, _drawn("How many students to draw.", "300")] = None
    dimensions: Annotated[int | None, _drawn("How many numbers a state has.", "25")] = None
    rates: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="LOW HIGH",
            help="Rates are drawn between these two.",
            rich_help_panel=_THE_CLASS,
            show_default="0.05 0.25",
        ),
    ] = None
    sample_seed: Annotated[int | None, _drawn("The seed of the class.", "that of --seed")] = None
    state_radius: Annotated[float | None, _drawn("States stay in this ball.", "no limit")] = None
    example_radius: Annotated[
        float | None, _drawn("No example is longer than this.", "the file's, or 2")
    ] = None
    max_gib: Annotated[
        float,
        typer.Option(
            help="Refuse files that fill more memory than this.", rich_help_panel=_THE_CLASS
        ),
    ] = MAX_GIB
    seed: Annotated[
        int,
        typer.Option(help="The same seed gives the same result.", rich_help_panel=_THE_LESSON),
    ] = 0

    @property
    def max_bytes(self) -> int:
        """The limit for files, in bytes."""
        if not 0 < self.max_gib < 1e9:
            raise InputError(f"--max-gib must be positive and finite, but is {self.max_gib}.")
        return int(self.max_gib * 2**30)

    def room(self, max_bytes: int | None = None) -> Classroom:
        """Return the class, read (unless it would fill more than so many bytes) or drawn."""
        self.check()
        if self.file is None:
            return self._drawn()
        limit = self.max_bytes if max_bytes is None else max_bytes
        return Classroom.load(self.file, max_bytes=limit, **self.given)

    def check(self) -> None:
        """Refuse options that do not go together."""
        if self.seed < 0 or (self.sample_seed or 0) < 0:
            raise InputError("--seed and --sample-seed must not be negative: try --seed 0.")
        if self.file is None:
            return
        for name in ("students", "dimensions", "rates", "sample_seed"):
            if getattr(self, name) is not None:
                raise InputError(
                    f"--{name.replace('_', '-')} is for a class that is drawn, but {self.file} was "
                    "given: leave out one of the two."
                )

    @property
    def given(self) -> dict[str, Any]:
        """What is said of a class in a file besides the file."""
        return {
            "target": self.target,
            "state_radius": self.state_radius,
            "example_radius": self.example_radius,
        }

    def _drawn(self) -> Classroom:
        if self.target is not None:
            raise InputError("--target goes with a class file: name the FILE too.")
        seed = self.seed if self.sample_seed is None else self.sample_seed
        given: dict[str, Any] = {
            "students": self.students,
            "dimensions": self.dimensions,
            "rates": self.rates,
            "state_radius": self.state_radius,
            "example_radius": self.example_radius,
        }
        size = 8 * (self.students or 300) * (self.dimensions or 25)
        if size > self.max_bytes:
            raise InputError(
                f"A class of this size would fill {size / 2**30:.1f} GiB of memory, more than "
                f"--max-gib {self.max_gib:g}: draw a smaller one, or raise the limit."
            )
        return Classroom.sample(
            seed=seed, **{name: value for name, value in given.items() if value is not None}
        )


def _named(kind: str, what: str, example: str, *, usually: str | bool = True) -> Any:
    """Return an option that takes one of the installed things by its short text."""
    return typer.Option(
        metavar="NAME[:KEY=VALUE,...]",
        help=f"{what}: {', '.join(_plugins.names(kind))}; as in {example}.",
        rich_help_panel=_THE_LESSON,
        show_default=usually,
    )


@dataclass(frozen=True)
class LessonOptions:
    """Who teaches, what counts as learnt, and how students change; not how they are grouped."""

    teacher: Annotated[
        str | None,
        _named(
            "teachers",
            "Who chooses the examples",
            "classroom:magnitude=dynamic",
            usually="classroom; pool with --pool",
        ),
    ] = None
    magnitude: Annotated[
        str | None,
        typer.Option(
            help="How long examples are: static, dynamic or joint.",
            rich_help_panel=_THE_LESSON,
            show_default="static",
        ),
    ] = None
    pool: Annotated[
        Path | None,
        typer.Option(
            help="Show items of this file (.npy, .npz, .csv) instead of making examples up.",
            rich_help_panel=_THE_LESSON,
        ),
    ] = None
    rescalable: Annotated[
        bool,
        typer.Option(
            "--rescalable",
            help="The pool's items are directions; the teacher chooses their length.",
            rich_help_panel=_THE_LESSON,
        ),
    ] = False
    goal: Annotated[str, _named("goals", "When it is learnt", "everyone:eps=0.1")] = "average"
    eps: Annotated[
        float | None,
        typer.Option(
            help="How close the goal is.", rich_help_panel=_THE_LESSON, show_default="0.1"
        ),
    ] = None
    observer: Annotated[
        str, _named("observers", "What the teacher sees", "noisy-states:delta=0.5")
    ] = "exact"
    learner: Annotated[str, _named("learners", "How students change", "gradient:loss=logistic")] = (
        "gradient"
    )
    max_rounds: Annotated[
        int, typer.Option(help="The limit for each group.", rich_help_panel=_THE_LESSON)
    ] = 100_000

    def settings(self, max_bytes: int) -> dict[str, Any]:
        """Return what :func:`homeroom.teach` and its like take, all made and checked."""
        eps = {} if self.eps is None else {"eps": self.eps}
        teacher: AbstractTeacher = self._teacher(max_bytes)
        goal: AbstractGoal = _plugins.make("goals", self.goal, **eps)
        observer: AbstractObserver = _plugins.make("observers", self.observer)
        learner: AbstractLearner = _plugins.make("learners", self.learner)
        return {"teacher": teacher, "goal": goal, "observer": observer, "learner": learner}

    def _teacher(self, max_bytes: int) -> Any:
        more: dict[str, Any] = {} if self.magnitude is None else {"magnitude": self.magnitude}
        text = self.teacher or ("classroom" if self.pool is None else "pool")
        if self.pool is not None:
            from homeroom.cli.items import read_pool

            more["pool"] = read_pool(self.pool, rescalable=self.rescalable, max_bytes=max_bytes)
        elif self.rescalable:
            raise InputError("--rescalable says something about a pool: name it with --pool FILE.")
        elif text.partition(":")[0].strip() == "pool":
            raise InputError("The teacher 'pool' shows items of a pool: name it with --pool FILE.")
        return _plugins.make("teachers", text, **more)


GroupsOption = Annotated[
    str,
    _named("groups", "How the class is split", "by-knowledge:k=3, or a file such as groups.csv"),
]


def grouping(text: str, room: Classroom | LargeClass) -> AbstractGrouping:
    """Return the grouping behind its short text, or the one in a file."""
    if text.lower().endswith(".csv") and isinstance(room, Classroom):
        from homeroom.cli.membership import read_groups

        return read_groups(Path(text), room)
    if text.partition(":")[0].strip() == "as-given":
        raise InputError(
            "The groups 'as-given' are a list with a label for each student: write them into a "
            "table with the columns student and group, and name it, as in --groups groups.csv."
        )
    made: AbstractGrouping = _plugins.make("groups", text)
    return made


@dataclass(frozen=True)
class ResultOptions:
    """Where the result goes."""

    json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print the result as one JSON document.", rich_help_panel=_THE_RESULT
        ),
    ] = False
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write the result, the pictures and a report here.",
            rich_help_panel=_THE_RESULT,
        ),
    ] = None
