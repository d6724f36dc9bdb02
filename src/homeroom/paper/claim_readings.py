"""What judges read off the tables; a table that says nothing is refused, with the reason."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats
from homeroom.paper.claim import UnmeasuredError
from homeroom.paper.drawing import band, column, straight_line, where
from homeroom.paper.figure import Rows

ALL_WAYS = ("CT", "CTwP-Opt", "CTwP-Rand", "IT")
STEADY = 0.8
"""How much of its speed a lesson keeps from its middle to its last third, at the least.

A geometric fall keeps all of it, ``exp(-sqrt(t))`` 0.77, a power of ``t`` about 0.6 to 0.78.
"""


def seeds_of(rows: Rows) -> list[int]:
    """Return the seeds that the rows come from."""
    return sorted({row["seed"] for row in rows})


def places_of(rows: Rows) -> Floats:
    """Return the diversities in the rows."""
    return np.unique(column(rows, "diversity"))


def means_of(rows: Rows, y: str) -> dict[str, Floats]:
    """Return each way's means over diversity, which must be more than one."""
    if len(places_of(rows)) < 2:
        raise UnmeasuredError("one diversity at most was measured")
    means = {way: band(where(rows, way=way), "diversity", y)[1] for way in ALL_WAYS}
    if len({len(curve) for curve in means.values()}) > 1:
        raise UnmeasuredError("not every way of teaching was measured at every diversity")
    if not any(curve.any() for curve in means.values()):
        raise UnmeasuredError("nobody needed an example in any way of teaching")
    return means


def curve_of(rows: Rows, x: str, y: str, *, least: int = 2) -> tuple[Floats, Floats]:
    """Return the places and the means there; a curve of few places, or all at 0, is refused."""
    places, means, _ = band(rows, x, y)
    if len(places) < least:
        raise UnmeasuredError(f"{y} was measured at {len(places)} values of {x} only")
    if not means.any():
        raise UnmeasuredError(f"{y} is 0 at every {x}")
    return places, means


def straightness(x: Floats, y: Floats, name: str) -> float:
    """Return R^2 of a line; NaN where a lesson failed. Values without spread are refused."""
    if np.ptp(y) == 0:
        raise UnmeasuredError(f"T is the same at every {name}")
    return straight_line(x, y)[2]


@dataclass(frozen=True)
class Descents:
    """How the error falls in some lessons, one value for each.

    Parameters
    ----------
    rounds
        How many rounds there are.
    straight
        R^2 of the logarithm of the error against rounds.
    worst
        The largest part of the error that a round leaves.
    last
        The part that a round of the last third leaves, as a geometric mean.
    kept
        The fall of the logarithm per round in the last third, over that in the middle third.
    proved
        The part that the theorem says a round leaves at most.
    """

    rounds: Floats
    straight: Floats
    worst: Floats
    last: Floats
    kept: Floats
    proved: Floats

    @property
    def steady(self) -> bool:
        """Whether the fall is geometric: straight, no slower than proved, and not slowing down."""
        return bool(
            (self.straight > 0.9).all()
            and (self.last <= self.proved + 1e-9).all()
            and self.kept.mean() >= STEADY
        )

    def __str__(self) -> str:
        return (
            f"log error against rounds is straight with R² ≥ {self.straight.min():.3f} in each of "
            f"{len(self.rounds)} classes ({self.rounds.min():.0f} to {self.rounds.max():.0f} "
            f"rounds); in the last third a round leaves {self.last.max():.4f} of the error at "
            f"most, where the theorem proves r = {self.proved.min():.4f}, and log error falls "
            f"{self.kept.mean():.2f} times as fast as in the middle third (a geometric fall 1, "
            f"exp(-√t) 0.77, powers of t less; {STEADY} is asked)"
        )


def descents(rows: Rows) -> Descents:
    """Return how the error falls in every lesson of the rows."""
    lessons = [where(rows, seed=seed) for seed in seeds_of(rows)]
    if not lessons or min(len(lesson) for lesson in lessons) < 7:
        raise UnmeasuredError("some lesson has less than six rounds, too few to tell how it falls")
    found = [_descent(column(own, "error"), column(own, "bound")) for own in lessons]
    return Descents(*np.array(found).T)


def _descent(errors: Floats, bounds: Floats) -> tuple[float, ...]:
    if not (errors > 0).all() or np.ptp(errors) == 0:
        raise UnmeasuredError("the error of some lesson is 0 or does not change")
    logs, rounds = np.log(errors), len(errors) - 1
    third = rounds // 3
    middle = (logs[third] - logs[-1 - third]) / (rounds - 2 * third)
    last = float(logs[-1 - third] - logs[-1]) / third
    return (
        rounds,
        straight_line(np.arange(len(errors), dtype=float), logs)[2],
        float((errors[1:] / errors[:-1]).max()),
        math.exp(-last),
        last / middle,
        bounds[1] / bounds[0],
    )
