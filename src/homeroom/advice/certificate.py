"""A proof, as a thing: after how many rounds a lesson is over at the latest."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Certificate:
    """A number of rounds that is proved to be enough, and what the proof rests on.

    The class's error after ``t`` rounds is at most ``rate^t * start + floor``, with
    ``rate = 1 - weakest / rank``.

    Parameters
    ----------
    rounds
        Enough for the goal; ``None`` if nothing is proved.
    why
        What the certificate rests on, or why there is none.
    start
        The class's mean squared distance at the start.
    rate
        What a round leaves of it, at most.
    floor
        What noise may leave in the end.
    rank
        In how many directions the class may err, ``k``.
    weakest
        How strongly the least moved student is moved, ``alpha_min``, times the pool's richness.
    in_expectation
        Whether chance is involved, so that it holds on average.
    groups
        A certificate for each group, if there are several; ``rounds`` is then their sum.
    """

    rounds: int | None
    why: str
    start: float = math.nan
    rate: float = math.nan
    floor: float = 0.0
    rank: int = 0
    weakest: float = math.nan
    in_expectation: bool = False
    groups: tuple[Certificate, ...] = ()

    def bound(self, rounds: int) -> float:
        """Return what the class's error is at most after that many rounds."""
        if self.rate == 0.0 and rounds == 0:
            return self.start
        return self.start * self.rate**rounds + self.floor

    def __str__(self) -> str:
        if self.rounds is None:
            return f"No number of rounds is proved to be enough: {self.why}"
        chance = " on average" if self.in_expectation else ""
        return f"{self.rounds} rounds are enough{chance}: {self.why}"


def none(why: str, **known: float | int | bool) -> Certificate:
    """Return a certificate that proves nothing, and says why."""
    return Certificate(None, why, **known)  # type: ignore[arg-type]  # fields are checked by name


def rounds_for(start: float, rate: float, floor: float, enough: float) -> int | None:
    """Return the smallest ``t`` with ``rate^t * start + floor <= enough``, if there is one."""
    if start <= enough and floor == 0.0:
        return 0
    if floor >= enough or not rate < 1.0:
        return None
    if rate <= 0.0:
        return 1
    rounds = max(1, math.ceil(math.log(start / (enough - floor)) / -math.log(rate) - 1e-9))
    # The logarithms may be one short where the bound lands on the goal: look, and put right.
    return rounds if rate**rounds * start + floor <= enough * (1 + 1e-12) else rounds + 1
