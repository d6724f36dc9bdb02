"""A certificate: after how many rounds the error is proved to be small enough."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from homeroom import _notebook, plots
from homeroom._checks import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Certificate:
    """A number of rounds that is proved to be enough, and the theorem that proves it.

    The class's error after ``t`` rounds is at most ``rate^t * start + floor``, with
    ``rate = 1 - weakest / rank``. Where students learn at random, this is proved of the *expected*
    error. It does not bound the expected number of rounds of a lesson, which may be larger.

    Parameters
    ----------
    rounds
        Enough for the goal (for the expected error, if ``in_expectation``); ``None`` if nothing is
        proved.
    why
        The theorem that was used, or why there is no proof.
    start
        The class's mean squared distance at the start.
    rate
        The largest fraction of the error that may remain after a round.
    floor
        The error that may remain because of noise.
    rank
        The number of directions in which the class may err, ``k``.
    weakest
        ``alpha_min``, the smallest ``alpha`` of a student, times the pool's richness. ``alpha`` is
        the fraction of a student's squared distance that an example along their gap removes. The
        richness states how close a pool's examples come to the best possible one, from 0 to 1.
    in_expectation
        Whether students learn at random, so that all of this is about the expected error.
    groups
        One certificate per group, if there are several; ``rounds`` is then their sum.
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

    def bound(self, rounds: float) -> float:
        """Return an upper bound on the class's (expected) error after that many rounds."""
        return float(self.start * self.rate**rounds + self.floor)

    def _repr_html_(self) -> str:
        known = {
            "rounds that are enough": self.rounds,
            "mean squared distance at the start": f"{self.start:.4g}",
            "largest fraction of it that a round leaves": f"{self.rate:.6g}",
            "error that noise may leave": f"{self.floor:.3g}",
            "directions in which the class may err, k": self.rank,
            "groups": len(self.groups) or 1,
        }
        draws = self.rounds is not None and not self.groups and 0.0 < self.rate < 1.0
        draw = (lambda: plots.picture(self.plot)) if draws else None
        return _notebook.html(str(self), (), list(known.items()), draw)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the proved bound on the class's error over the rounds."""
        last = self.rounds or 100
        bounds = np.array([self.bound(t) for t in np.linspace(0, last, min(last, 500) + 1)])
        with plots.drawing(ax) as drawn:
            drawn.plot(np.linspace(0, last, len(bounds)), bounds, color=plots.COLOURS[0])
            drawn.set(xlabel="round", ylabel="proved bound on the error", yscale="log")
            return drawn

    def __str__(self) -> str:
        if self.rounds is None:
            return f"No number of rounds is proved to be enough: {self.why}"
        rounds = counted(self.rounds, "round")
        if not self.in_expectation:
            return f"{rounds} {'is' if self.rounds == 1 else 'are'} enough: {self.why}"
        if self.groups:
            return (
                f"In every group the expected error is small enough after its own rounds, "
                f"{rounds} in all: {self.why}"
            )
        return (
            f"The expected error is at most {self.bound(self.rounds):.3g} after {rounds}: "
            f"{self.why}"
        )


def none(why: str, **known: float | int | bool) -> Certificate:
    """Return a certificate that proves nothing, with the reason."""
    return Certificate(None, why, **known)  # type: ignore[arg-type]  # fields are checked by name


def rounds_for(start: float, rate: float, floor: float, enough: float) -> int | None:
    """Return the smallest ``t`` with ``rate^t * start + floor`` below ``enough``, if there is one.

    ``enough`` is lowered by a billionth, so that rounding does not decide whether the bound holds.
    """
    left = enough * (1 - 1e-9) - floor
    if left <= 0.0 or rate >= 1.0:
        return None
    if rate <= 0.0:
        return 1
    return max(1, math.ceil(math.log(start / left) / -math.log(rate)))
