"""The paper's teacher, which synthesises examples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom._checks import yes_or_no
from homeroom.classroom import Classroom, Example
from homeroom.learners import AbstractLoss
from homeroom.moments import Observation
from homeroom.pools import Ball
from homeroom.teachers.base import AbstractTeacher, AbstractTutor, Choices, GreedyRule
from homeroom.teachers.magnitude import (
    check_magnitude,
    check_rates_within,
    check_safe,
    choose_by_moments,
)
from homeroom.teachers.synthesis import synthesise
from homeroom.teachers.tutoring import steer_each, synthesise_each


@dataclass(frozen=True)
class ClassroomTeacher(AbstractTeacher, AbstractTutor):
    """Synthesises the example that helps the class most (Algorithm 1).

    For the squared loss the direction is the top eigenvector of ``W``; for any other loss the
    example is searched for numerically in the ball, from several starts, its length with it.

    Parameters
    ----------
    magnitude
        How long the examples are: ``"static"`` and ``"dynamic"`` as in the paper; ``"joint"``,
        improved in turn with the direction; or ``"best"``, the best of all lengths and directions.
        Static and dynamic need one eigenvector per round, joint three to six, best 10 to 40.
    safe
        Never show an example so long that a student could move away (squared loss).
    rates_within
        The part by which the rates may be off: the true ones are in
        ``rates * (1 +- rates_within)``. ``safe`` and certificates hold for all of them.

    Examples
    --------
    >>> from homeroom import Classroom, teach
    >>> room = Classroom.sample(rates=(0.1, 0.6))
    >>> for magnitude in ("static", "dynamic", "joint", "best"):
    ...     print(magnitude, teach(room, teacher=ClassroomTeacher(magnitude, safe=True)).rounds)
    static 178
    dynamic 107
    joint 105
    best 105
    """

    magnitude: str = "static"
    safe: bool = False
    rates_within: float = 0.0

    def __post_init__(self) -> None:
        check_magnitude(self.magnitude)
        yes_or_no(self.safe, "safe")
        check_rates_within(self.rates_within)

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"moments"})

    @property
    def greedy(self) -> GreedyRule:
        return GreedyRule(Ball(), self.magnitude, self.safe, self.rates_within)

    def prepare(self, room: Classroom, loss: AbstractLoss) -> ClassroomTeacher:
        check_safe(self.safe, loss)
        return self

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        if seen.loss.is_quadratic:
            return choose_by_moments(
                seen, Ball(), self.magnitude, safe=self.safe, rates_within=self.rates_within
            )
        return synthesise(seen, rng)

    def choose_each(self, seen: Observation, rng: np.random.Generator) -> Choices:
        if seen.loss.is_quadratic:
            return steer_each(seen)
        return synthesise_each(seen, rng)
