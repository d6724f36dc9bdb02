"""A sketch that checks itself: the same lesson on all of its nodes and on every other one.

While both agree, there are enough nodes. The coarse copy costs half a sketch more per round, and
no pass over the students.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom.learners import SILENCE, Noise
from homeroom.moments.observation import Moments
from homeroom.moments.rounding import UNIT, Rounding
from homeroom.moments.sketch import Sketch


class NestedSketch:
    """A sketch and its coarse copy, taught together and in place.

    The matrices lie row by row, ``[row, node, column]``: both halves of an example's change,
    ``a x'`` and ``x a'``, are then an outer product over the whole array, in two shapes.

    Parameters
    ----------
    sketch
        The sketch, which is not changed. An exact one needs no copy.
    """

    def __init__(self, sketch: Sketch) -> None:
        coarse = [] if sketch.exact else [sketch.coarse()]
        self.start = sketch
        self._nodes = np.concatenate([part.nodes for part in (sketch, *coarse)])
        self._weights = np.concatenate([part.weights for part in (sketch, *coarse)])
        matrices = np.concatenate([part.matrices for part in (sketch, *coarse)])
        self._rows: Floats = np.ascontiguousarray(matrices.transpose(1, 0, 2))
        self._powers = np.stack([sketch.nodes, sketch.nodes**2])
        extremes = np.array([sketch.nodes.min(), sketch.nodes.max()])
        self._rounding = Rounding(extremes, len(self._rows))
        self._traces = np.einsum("aia->i", self._rows)

    @property
    def count(self) -> int:
        """How many nodes the sketch has."""
        return len(self.start.nodes)

    @property
    def fine(self) -> Sketch:
        """The sketch as it is now."""
        return replace(self.start, matrices=self._rows[:, : self.count].transpose(1, 0, 2).copy())

    @property
    def moments(self) -> Moments:
        """The moments of the class now."""
        both = self._powers @ self._rows[:, : self.count]
        return Moments(both[:, 0].copy(), both[:, 1].copy(), 1.0 / self.start.fastest)

    @property
    def error(self) -> float:
        """The class's mean squared distance to the target."""
        return float(self._traces[: self.count].sum())

    @property
    def missed(self) -> float:
        """A bound on the interpolation error of ``error``."""
        if self.start.exact:
            return 0.0
        return abs(self.error - float(self._traces[self.count :].sum()))

    @property
    def rounding(self) -> float:
        """A bound on the rounding error of ``error``."""
        return self._rounding.error

    def show(self, x: Floats, noise: Noise = SILENCE) -> None:
        """Show the class an example, as :meth:`Sketch.after` does. O(nodes * dimensions^2)."""
        dimensions, nodes, _ = self._rows.shape
        tall = self._rows.reshape(dimensions * nodes, dimensions)
        wide = self._rows.reshape(dimensions, nodes * dimensions)
        seen = (tall @ x).reshape(dimensions, nodes)  # M x, one column per node
        squares = self._nodes**2 + noise.rate_variance
        moves = self._nodes * seen - np.multiply.outer(x, 0.5 * squares * (x @ seen))
        if noise.attention < 1.0:
            moves *= noise.attention
        _arrays.subtract_outer(tall, slice(None), moves.reshape(-1), x)
        _arrays.subtract_outer(wide, slice(None), x, moves.T.reshape(-1))
        if noise.heat:
            every = np.arange(dimensions)
            self._rows[every, :, every] += noise.heat * self._nodes * self._weights
        scale = float(np.abs(self._traces[: self.count]).sum())
        self._rounding.show(x, UNIT * scale)
        self._traces = np.einsum("aia->i", self._rows)
