"""What a plan must satisfy, and the work that it may take."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from homeroom.goals import DistanceGoal
from homeroom.pools import AbstractPool, Ball
from homeroom.teachers.planning.transients import Limits

BUDGET = 1e11
"""Multiplications for a whole plan, which take five to ten seconds on one core."""


@dataclass(frozen=True, eq=False)
class Request:
    """What a plan must satisfy.

    Parameters
    ----------
    goal
        When the class is done.
    ceiling
        No squared length is above this.
    polish
        Whether all examples are optimised together in the end; items of a pool are exchanged.
    at_most
        How many rounds there may be.
    limits
        How far students may be during the lesson.
    pool
        Where examples come from.
    budget
        The number of multiplications to spend.
    report
        Called with the part of the work that is done, and the rounds of the current draft.
    """

    goal: DistanceGoal
    ceiling: float
    polish: bool
    at_most: int
    limits: Limits
    pool: AbstractPool = field(default_factory=Ball)
    budget: float = BUDGET
    report: Callable[[float, int], None] = lambda _share, _rounds: None

    @property
    def longest(self) -> float:
        """The greatest length of an example."""
        return math.sqrt(self.ceiling)

    @property
    def safe_length(self) -> float:
        """Up to this length no example moves a student away."""
        return min(self.longest, math.sqrt(self.limits.safe_g))


class Budget:
    """The multiplications that are left for a request; ``left`` may fall below zero."""

    def __init__(self, request: Request) -> None:
        self.total = self.left = request.budget
        self._report = request.report

    def report(self, rounds: int) -> None:
        """Report the part of the work that is done, and the rounds of the current draft."""
        self._report(min(1.0, 1.0 - self.left / self.total), rounds)
