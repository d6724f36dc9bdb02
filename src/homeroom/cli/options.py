"""Options that several commands share, declared once as dataclasses."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from homeroom import _plugins
from homeroom._checks import InputError
from homeroom.classroom import Classroom, LargeClass
from homeroom.cli.pools_and_groups import read_groups, read_pool

if TYPE_CHECKING:
    from homeroom.goals import AbstractGoal
    from homeroom.groups import AbstractGrouping
    from homeroom.learners import AbstractLearner
    from homeroom.observers import AbstractObserver
    from homeroom.teachers import AbstractTeacher


def in_panel(panel: str) -> Callable[..., Any]:
    """Return a function that declares options, which the help lists in this panel."""

    def option(text: str, *names: str, **more: Any) -> Any:
        return typer.Option(*names, help=text, rich_help_panel=panel, **more)

    return option


class_option = in_panel("The class: a file, or one drawn at random")
lesson_option = in_panel("The lesson")


def bytes_of(max_gib: float) -> int:
    """Return the value of ``--max-gib`` in bytes, checked."""
    if not 0 < max_gib < 1e9:
        raise InputError(f"--max-gib must be positive and finite, but is {max_gib}.")
    return int(max_gib * 2**30)


def named_columns(column: list[str] | None, example: str) -> dict[str, str] | None:
    """Return the columns by what they hold: {"rate": "Speed"} for ``--column rate=Speed``."""
    columns: dict[str, str] = {}
    for text in column or []:
        part, equals, name = text.partition("=")
        if not equals:
            raise InputError(f"--column names a column, as in {example}, but is {text!r}.")
        if part.strip() in columns:
            raise InputError(f"--column names the {part.strip()} twice: leave one out.")
        columns[part.strip()] = name.strip()
    return columns or None


@dataclass(frozen=True)
class ClassOptions:
    """Which class: a file, or one drawn at random like the paper's."""

    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="A class: .npz, .csv, .parquet, .xlsx or .ods. Without it, one is sampled.",
            show_default=False,
        ),
    ] = None
    target: Annotated[
        Path | None, class_option("A file with the target, if the class file has none.")
    ] = None
    column: Annotated[
        list[str] | None,
        class_option(
            "The name of a column of a table, as in rate=Speed; also for student, and for states, "
            "as in states=algebra,geometry. May be repeated.",
            metavar="PART=NAME",
        ),
    ] = None
    students: Annotated[
        int | None, class_option("The number of students to draw.", show_default="300")
    ] = None
    dimensions: Annotated[
        int | None, class_option("The number of dimensions of a state.", show_default="25")
    ] = None
    rates: Annotated[
        tuple[float, float] | None,
        class_option(
            "Learning rates are drawn between these two.",
            metavar="LOW HIGH",
            show_default="0.05 0.25",
        ),
    ] = None
    sample_seed: Annotated[
        int | None, class_option("The seed of the class.", show_default="the one of --seed")
    ] = None
    state_radius: Annotated[
        float | None,
        class_option("States stay within this distance of zero.", show_default="no limit"),
    ] = None
    example_radius: Annotated[
        float | None,
        class_option("No example is longer than this.", show_default="the file's, or 2"),
    ] = None
    max_gib: Annotated[float, class_option("Refuse files that need more memory than this.")] = 8.0
    seed: Annotated[int, lesson_option("The random seed: the same seed gives the same result.")] = 0

    @property
    def max_bytes(self) -> int:
        """The size limit for files, in bytes."""
        return bytes_of(self.max_gib)

    def room(self, max_bytes: int | None = None) -> Classroom:
        """Return the class, read from its file (at most ``max_bytes``) or drawn at random."""
        self.check()
        if self.file is None:
            return self._drawn()
        limit = self.max_bytes if max_bytes is None else max_bytes
        return Classroom.load(self.file, max_bytes=limit, columns=self.columns(), **self.given)

    def columns(self) -> dict[str, str | list[str]] | None:
        """Return the columns that are named."""
        named: dict[str, str | list[str]] = dict(named_columns(self.column, "rate=Speed") or {})
        if "states" in named:
            named["states"] = [name.strip() for name in str(named["states"]).split(",")]
        return named or None

    def check(self) -> None:
        """Raise an error for options that exclude each other."""
        if self.seed < 0 or (self.sample_seed or 0) < 0:
            raise InputError("--seed and --sample-seed must not be negative: try --seed 0.")
        if self.file is None:
            if self.column:
                raise InputError("--column needs a class file: name the FILE too.")
            return
        for name in ("students", "dimensions", "rates", "sample_seed"):
            if getattr(self, name) is not None:
                raise InputError(
                    f"--{name.replace('_', '-')} is for a class drawn at random, but {self.file} "
                    "was given: leave out one of the two."
                )

    @property
    def given(self) -> dict[str, Any]:
        """The options that are arguments of the functions which read a class file."""
        return {
            "target": self.target,
            "state_radius": self.state_radius,
            "example_radius": self.example_radius,
        }

    def _drawn(self) -> Classroom:
        """Return a class drawn at random, as the options describe it."""
        if self.target is not None:
            raise InputError("--target needs a class file: name the FILE too.")
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
    """Return an option that takes the name of a plug-in, with its settings.

    ``usually`` is the default that the help shows; True for the actual one.
    """
    return lesson_option(
        f"{what}: {', '.join(_plugins.names(kind))}. Example: {example}.",
        metavar="NAME[:KEY=VALUE,...]",
        show_default=usually,
    )


@dataclass(frozen=True)
class LessonOptions:
    """The teacher, the goal, what the teacher observes, and how students learn."""

    teacher: Annotated[
        str | None,
        _named(
            "teachers",
            "How examples are chosen",
            "classroom:magnitude=dynamic",
            usually="classroom; pool with --pool",
        ),
    ] = None
    magnitude: Annotated[
        str | None,
        lesson_option(
            "How the length of examples is chosen: static, dynamic, joint or best.",
            show_default="static",
        ),
    ] = None
    pool: Annotated[
        Path | None,
        lesson_option(
            "Show items from this file (.npy, .npz, .csv), or from a pool by its registered name, "
            "instead of constructed examples."
        ),
    ] = None
    rescalable: Annotated[
        bool,
        lesson_option(
            "The pool's items are directions; the teacher chooses their length.", "--rescalable"
        ),
    ] = False
    goal: Annotated[str, _named("goals", "The goal of the lesson", "everyone:eps=0.1")] = "average"
    eps: Annotated[
        float | None, lesson_option("How close to the target the goal is.", show_default="0.1")
    ] = None
    observer: Annotated[
        str, _named("observers", "What the teacher observes", "noisy-states:delta=0.5")
    ] = "exact"
    learner: Annotated[str, _named("learners", "How students learn", "gradient:loss=logistic")] = (
        "gradient"
    )
    max_rounds: Annotated[int, lesson_option("The most rounds for each group.")] = 100_000

    def settings(self, max_bytes: int) -> dict[str, Any]:
        """Return teacher, goal, observer and learner, as arguments of :func:`homeroom.teach`."""
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
            more["pool"] = read_pool(self.pool, rescalable=self.rescalable, max_bytes=max_bytes)
        elif self.rescalable:
            raise InputError("--rescalable describes a pool: name it with --pool FILE.")
        elif _requires(name := text.partition(":")[0].strip(), "pool"):
            raise InputError(
                f"The teacher {name!r} shows the items of a pool: name it with --pool FILE."
            )
        return _plugins.make("teachers", text, **more)


def _requires(teacher: str, setting: str) -> bool:
    """Return whether a registered teacher cannot be made without a setting."""
    takes = signature(_plugins.find("teachers", teacher)).parameters.get(setting)
    return takes is not None and takes.default is Parameter.empty


GroupsOption = Annotated[
    str, _named("groups", "How the class is split", "by-knowledge:k=3, or a file, groups.csv")
]


def grouping(text: str, room: Classroom | LargeClass) -> AbstractGrouping:
    """Return the grouping that a text names, or the one in a file."""
    if text.lower().endswith(".csv") and isinstance(room, Classroom):
        return read_groups(Path(text), room)
    if text.partition(":")[0].strip() == "as-given":
        raise InputError(
            "The groups 'as-given' need a label for each student: write them into a "
            "table with the columns student and group, and name it, as in --groups groups.csv."
        )
    made: AbstractGrouping = _plugins.make("groups", text)
    return made


DEBUG = "--debug"
DebugOption = Annotated[
    bool, typer.Option(DEBUG, help="Print the traceback of an error, for a bug report.")
]


class Command(TyperCommand):
    """A command whose help shows no type for flags."""

    def get_params(self, ctx: Any) -> list[Any]:
        return flags_without_type(super().get_params(ctx))


class CommandGroup(TyperGroup):
    """A group of commands whose help shows no type for flags."""

    def get_params(self, ctx: Any) -> list[Any]:
        return flags_without_type(super().get_params(ctx))


def flags_without_type(parameters: list[Any]) -> list[Any]:
    """Return the parameters; flags take no value, so their help needs no ``<bool>``."""
    for parameter in parameters:
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
    return parameters


def fields_as_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with each field of its dataclass arguments as an option.

    Every command also gets ``--debug``, which :func:`homeroom.cli.run` looks up itself.

    >>> @dataclasses.dataclass
    ... class Size:
    ...     width: int = 2
    ...     height: int = 3
    >>> def area(size: Size, unit: str = "m") -> None:
    ...     print(size.width * size.height, unit)
    >>> fields_as_options(area)(width=5, unit="km")
    15 km
    """
    hints = get_type_hints(command, include_extras=True)
    bundles: dict[str, Any] = {
        name: hint for name, hint in hints.items() if dataclasses.is_dataclass(hint)
    }

    @wraps(command)
    def run_command(**given: Any) -> None:
        given.pop("debug", None)
        bundled = {
            name: cls(
                **{f.name: given.pop(f.name) for f in dataclasses.fields(cls) if f.name in given}
            )
            for name, cls in bundles.items()
        }
        command(**bundled, **given)

    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in bundles:
            parameters += _options(bundles[parameter.name])
        else:
            parameters.append(parameter.replace(annotation=hints[parameter.name]))
    parameters.append(
        inspect.Parameter(
            "debug", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=DebugOption
        )
    )
    keyword_only = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    run_command.__signature__ = inspect.Signature(keyword_only)  # type: ignore[attr-defined]
    run_command.__annotations__ = {p.name: p.annotation for p in keyword_only}
    return run_command


def _options(bundle: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(bundle, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(field),
            annotation=hints[field.name],
        )
        for field in dataclasses.fields(bundle)
    ]


def _default(field: dataclasses.Field[Any]) -> Any:
    """Return an option's default; a field without one becomes a required option."""
    return inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
