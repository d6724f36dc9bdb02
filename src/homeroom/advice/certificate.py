"""A proof, as a thing: after how many rounds a lesson is over at the latest."""

from __future__ import annotations

import math
from dataclasses import dataclass

from homeroom._words import counted


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
        return self.start * self.rate**rounds + self.floor

    def __str__(self) -> str:
        if self.rounds is None:
            return f"No number of rounds is proved to be enough: {self.why}"
        enough = f"{counted(self.rounds, 'round')} {'is' if self.rounds == 1 else 'are'} enough"
        return f"{enough}{' on average' if self.in_expectation else ''}: {self.why}"


def none(why: str, **known: float | int | bool) -> Certificate:
    """Return a certificate that proves nothing, and says why."""
    return Certificate(None, why, **known)  # type: ignore[arg-type]  # fields are checked by name


def rounds_for(start: float, rate: float, floor: float, enough: float) -> int | None:
    """Return the smallest ``t`` with ``rate^t * start + floor`` below ``enough``, if there is one.

    Below by a billionth: a bound that only just meets the goal must not fail it by rounding.
    """
    left = enough * (1 - 1e-9) - floor
    if left <= 0.0 or rate >= 1.0:
        return None
    if rate <= 0.0:
        return 1
    return max(1, math.ceil(math.log(start / left) / -math.log(rate)))
