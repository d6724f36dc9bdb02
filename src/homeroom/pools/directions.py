"""A pool of directions that the teacher may scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from homeroom import _arrays, _checks
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.pools.base import AbstractPool, Candidates, Pick, SeesMoments, untaught_directions

MAGNITUDES = 12
"""How many lengths a direction is tried at, for losses with no closed form."""


@dataclass(frozen=True, init=False, eq=False)
class DirectionPool(AbstractPool):
    """A re-scalable pool: the teacher picks a direction and a length (appendix C).

    Parameters
    ----------
    directions
        Shape ``(items, dimensions)``; any length but zero, they are scaled to length one.

    Examples
    --------
    >>> DirectionPool([[2.0, 0.0], [0.0, 3.0]]).directions
    array([[1., 0.],
           [0., 1.]])
    """

    directions: Floats

    def __init__(self, directions: npt.ArrayLike) -> None:
        rows = _arrays.small(_checks.matrix(directions, "directions", "(items, dimensions)"))
        lengths = np.sqrt((rows * rows).sum(axis=1))
        if not lengths.all():
            raise InputError(
                f"`directions` must not be zero, but item {int(lengths.argmin())} is. Drop it."
            )
        object.__setattr__(self, "directions", _arrays.frozen(rows / lengths[:, None]))

    @property
    def rescalable(self) -> bool:
        return True

    @property
    def labels(self) -> None:
        return None

    def best(self, moments: SeesMoments, g: float) -> Pick:
        help_each = moments.helps(np.sqrt(g) * self.directions, np.full(len(self.directions), g))
        item = int(help_each.argmax())
        return Pick(self.directions[item], g, item, float(help_each[item]))

    def candidates(self, radius: float) -> Candidates:
        lengths = radius * np.geomspace(0.02, 1.0, MAGNITUDES)
        xs = (lengths[:, None, None] * self.directions).reshape(-1, self.directions.shape[1])
        return Candidates(xs, np.tile(np.arange(len(self.directions)), MAGNITUDES), None)

    def draw(self, count: int, dimensions: int, rng: np.random.Generator) -> Candidates:
        items = rng.integers(len(self.directions), size=count)
        return Candidates(self.directions[items], items, None)

    def fit(self, dimensions: int, radius: float) -> DirectionPool:
        _checks.width(self.directions, "directions", dimensions)
        return self

    def untaught(self, dimensions: int) -> Floats:
        return untaught_directions(self.directions)
