"""The sketch: a class of any size in a few small matrices.

After examples ``x_1..x_t`` a student's gap is ``P_t(eta_j) e_j`` with
``P_t(eta) = prod (I - eta x_s x_s')``, a polynomial in eta that is the same for all students. So
every average a teacher needs is an average of polynomials of eta times ``e_j e_j'``, and a
quadrature in eta replaces the students: with nodes ``z_i`` and their Lagrange functions ``l_i``,

    M_i = mean( l_i(eta_j) e_j e_j' )        one pass over the students
    mean |e|^2 = sum_i tr M_i,   A = sum_i z_i M_i,   B = sum_i z_i^2 M_i

and each ``M_i`` changes as a group of rate ``z_i`` would. A round costs O(nodes * dimensions^2),
whatever the number of students.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from homeroom._arrays import Floats
from homeroom.learners import SILENCE, Noise
from homeroom.moments.nodes import lagrange
from homeroom.moments.observation import Moments


@dataclass(frozen=True, eq=False)
class Sketch:
    """A class of any size: all that is needed for the averages in a lesson.

    Parameters
    ----------
    nodes
        The nodes, in the range of the rates, shape ``(nodes,)``.
    matrices
        ``M_i``, shape ``(nodes, dimensions, dimensions)``; some may be indefinite.
    fastest
        The highest rate in the class.
    students
        How many students there are.
    farthest
        The greatest distance of a student to the target, at the time of the sketch.
    weights
        The mean of each Lagrange function, ``mean l_i(eta_j)``, shape ``(nodes,)``.
    exact
        Whether the nodes are all the rates there are, so that nothing is interpolated.
    """

    nodes: Floats
    matrices: Floats
    fastest: float
    students: int
    farthest: float
    weights: Floats
    exact: bool = False

    @property
    def error(self) -> float:
        """The class's mean squared distance to the target."""
        return float(self.traces.sum())

    @property
    def traces(self) -> Floats:
        """The part of the error on each node, shape ``(nodes,)``."""
        count, dimensions, _ = self.matrices.shape
        diagonals = self.matrices.reshape(count, -1)[:, :: dimensions + 1]
        traces: Floats = diagonals.sum(axis=1)
        return traces

    @property
    def moments(self) -> Moments:
        """The moments of the class."""
        count, dimensions, _ = self.matrices.shape
        both = np.stack([self.nodes, self.nodes**2]) @ self.matrices.reshape(count, -1)
        linear, quadratic = both.reshape(2, dimensions, dimensions)
        return Moments(linear, quadratic, 1.0 / self.fastest)

    def after(self, x: Floats, noise: Noise = SILENCE) -> Sketch:
        """Return the sketch of the class after it was shown ``x``. O(nodes * dimensions^2).

        ``M <- (I - z x x') M (I - z x x') = M - x a' - a x'``, ``a = z M x - z^2 (x'Mx) x / 2``,
        and what randomness adds in expectation.
        """
        count, dimensions, _ = self.matrices.shape
        seen = (self.matrices.reshape(-1, dimensions) @ x).reshape(count, dimensions)
        squares = self.nodes**2 + noise.rate_variance
        moves = self.nodes[:, None] * seen - (0.5 * squares * (seen @ x))[:, None] * x
        if noise.attention < 1.0:
            moves *= noise.attention
        change = moves[:, :, None] * x
        matrices = self.matrices - change
        matrices -= change.transpose(0, 2, 1)
        if noise.heat:
            diagonals = matrices.reshape(count, -1)[:, :: dimensions + 1]
            diagonals += (noise.heat * self.nodes * self.weights)[:, None]
        return replace(self, matrices=matrices)

    def coarse(self) -> Sketch:
        """Return the sketch on every other node, to estimate the error of interpolation."""
        if self.exact:
            return self
        kept = self.nodes[::2]
        shares = lagrange(kept, self.nodes).T
        return replace(
            self,
            nodes=kept,
            matrices=np.tensordot(shares, self.matrices, axes=1),
            weights=shares @ self.weights,
        )
