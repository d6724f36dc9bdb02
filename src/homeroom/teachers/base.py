"""What a teacher must implement."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom._checks import InputError, InputTypeError, described
from homeroom.classroom import Classroom, Example
from homeroom.goals import AbstractGoal
from homeroom.learners import AbstractLoss
from homeroom.learners.losses import label_shape
from homeroom.moments import Observation
from homeroom.moments.observation import ROUNDING
from homeroom.pools import AbstractPool


class GreedyRule(NamedTuple):
    """How the best next example is chosen: from which pool, and how long it may be.

    ``magnitude`` names the rule for its length. ``safe``: never so long that a student could move
    away from the target. ``rates_within`` is the relative error that the rates may have. They are
    settings of :class:`~homeroom.ClassroomTeacher` and :class:`~homeroom.PoolTeacher`.
    """

    pool: AbstractPool
    magnitude: str = "static"
    safe: bool = False
    rates_within: float = 0.0


class AbstractTeacher(ABC):
    """Which example to show a class next.

    A teacher keeps nothing between rounds: the same observation and the same generator give the
    same example.
    """

    @property
    def needs(self) -> frozenset[str]:
        """What ``choose`` uses of the observation, with the squared loss.

        ``"states"``: single students, ``seen.gaps`` (state minus target) and ``seen.rates``.
        ``"moments"``: only ``seen.moments`` and what does not depend on single students. A teacher
        that needs no states can teach a sketch, which summarises a class in a few matrices.
        ``"shown"``: also ``seen.shown``, the items shown so far, so that individuals are taught one
        by one.
        """
        return frozenset({"states"})

    @property
    def assumes(self) -> str | None:
        """The registered name of the learner that the choice relies on; ``None`` if there is none.

        The teacher still runs with other learners, where its examples may help less than it
        expects. The benchmark of teachers marks the learners that a teacher assumes.
        """
        return None

    @property
    def own_labels(self) -> bool:
        """Whether examples may have labels other than the target's answers."""
        return False

    @property
    def greedy(self) -> GreedyRule | None:
        """The teacher's rule, if every example is the one that helps the class most.

        This assumes the squared loss, and examples that are labelled with the target's answers.
        Certificates, individual lessons in closed form and the search for groups rely on it.
        ``None`` for any other teacher.
        """
        return None

    @abstractmethod
    def prepare(self, room: Classroom, loss: AbstractLoss) -> AbstractTeacher:
        """Return this teacher ready for a class, or raise if the two do not fit."""

    @abstractmethod
    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        """Return the next example, or ``None`` if none brings the class closer."""


class Choices(NamedTuple):
    """One example per student; a row of zeros where none helps.

    ``xs`` has shape ``(students, dimensions)``. ``ys`` has the labels, ``items`` the numbers of the
    pool's items (-1: synthesised), both of shape ``(students,)``. With the squared loss and several
    outputs ``ys`` has shape ``(students, outputs)``.
    """

    xs: Array
    ys: Array
    items: Ints


def check_choices(
    method: str, choices: Any, seen: Observation, who: npt.NDArray[np.bool_] | None = None
) -> Floats:
    """Return the squared length of each student's example; raise if the choices are invalid.

    Parameters
    ----------
    method
        The name of the method that returned the choices, for the error.
    choices
        What it returned.
    seen
        What it was given.
    who
        Which students' examples are used, a mask; all unless given.
    """
    if not isinstance(choices, Choices):
        raise InputTypeError(
            f"{method} must return Choices(xs, ys, items), but returned {described(choices)}."
        )
    students = seen.gaps.shape[0]
    labels_each = label_shape(seen.loss, seen.outputs)
    shapes = ((students, seen.width), (students, *labels_each), (students,))
    for part, shape in zip(choices, shapes, strict=True):
        if tuple(getattr(part, "shape", ())) != shape:
            raise InputError(
                f"{method} must return one example per student, an array of shape {shape}, but "
                f"returned {described(part)}."
            )
    xp = _arrays.namespace(seen.gaps)
    if _arrays.namespace(choices.xs) is not xp or _arrays.namespace(choices.ys) is not xp:
        raise InputTypeError(
            f"{method} must return `xs` and `ys` as arrays of the class's own library, that of "
            "seen.gaps: array_api_compat.array_namespace(seen.gaps).asarray(xs) makes them."
        )
    squared = _arrays.to_host(xp.sum(choices.xs * choices.xs, axis=1))
    used = squared if who is None else squared[who]
    labels = _arrays.to_host(choices.ys) if who is None else _arrays.to_host(choices.ys)[who]
    if not (np.isfinite(used).all() and np.isfinite(labels).all()):
        raise InputError(
            f"{method} must return finite numbers: a row of zeros where no example helps."
        )
    rounding = max(ROUNDING, 1 + 8 * float(xp.finfo(choices.xs.dtype).eps))
    if not (used <= (seen.example_radius * rounding) ** 2).all():
        raise InputError(
            f"{method} must return examples no longer than the class's example_radius, "
            f"{seen.example_radius:g}, but one has length {math.sqrt(float(used.max())):.6g}."
        )
    return squared


class AbstractTutor(ABC):
    """A teacher that can also choose an example for each student alone, all at once.

    Optional: without it, individuals are taught one after the other, which is slower.
    """

    @abstractmethod
    def choose_each(self, seen: Observation, rng: np.random.Generator) -> Choices:
        """Return an example for each student, as if they were the whole class."""


class Task(NamedTuple):
    """What a planner must achieve: the goal, within a number of rounds.

    ``report`` is called during planning, with the part of the planning that is done (0 to 1) and
    the number of rounds of the current plan.
    """

    goal: AbstractGoal
    rounds_left: int
    report: Callable[[float, int], None] = lambda _share, _rounds: None


class AbstractPlanner(ABC):
    """A teacher that plans more than one round ahead.

    Optional: without it, every example is chosen separately. A planner keeps no state either. Its
    plan, and how far the lesson is in it, is the *course*: the lesson keeps it and passes it back
    in the next round.
    """

    def __init_subclass__(cls, **settings: Any) -> None:
        """Let planners of version 0.1 keep ``told``, its name for ``describe``."""
        super().__init_subclass__(**settings)
        if "told" in vars(cls) and "describe" not in vars(cls):
            cls.describe = vars(cls)["told"]  # type: ignore[method-assign]

    @abstractmethod
    def follow(
        self, course: Any, seen: Observation, task: Task, rng: np.random.Generator
    ) -> tuple[Example | None, Any]:
        """Return the next example (``None`` if none helps), and the course after it.

        Parameters
        ----------
        course
            What this method returned in the last round; ``None`` at the start.
        seen
            What the teacher observes of the class now, which need not be what was expected.
        task
            What the lesson must achieve.
        rng
            Draws random numbers.
        """

    @abstractmethod
    def describe(self, course: Any) -> dict[str, Any]:
        """Return the record's entries about a course, as plain JSON values."""
