"""The sketch: a class of any size in a few small matrices.

Student j has the learning rate ``eta_j`` and the gap ``e_j`` (state minus target). After examples
``x_1..x_t`` the gap is ``P_t(eta_j) e_j`` with ``P_t(eta) = prod (I - eta x_s x_s')``, a polynomial
in eta that is the same for all students. So every average a teacher needs is an average of
polynomials of eta times ``e_j e_j'``, and a quadrature in eta replaces the students: with nodes
``z_i`` and their Lagrange functions ``l_i``,

    M_i = mean( l_i(eta_j) e_j e_j' )        one pass over the students
    mean |e|^2 = sum_i tr M_i,   A = sum_i z_i M_i,   B = sum_i z_i^2 M_i

and each ``M_i`` changes as a group of rate ``z_i`` would. A round costs O(nodes * dimensions^2),
whatever the number of students. The nodes are Chebyshev points in the range of the rates.

A nested sketch checks itself: it teaches the same lesson on all nodes and on every other one. While
both agree, there are enough nodes. The coarse copy costs half a sketch more per round, and no pass
over the students.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom.learners import SILENCE, Noise
from homeroom.moments.observation import Moments
from homeroom.moments.rounding import UNIT, Rounding


def chebyshev_nodes(slowest: float, fastest: float, count: int) -> Floats:
    """Return ``count`` Chebyshev-Lobatto points from the fastest rate down to the slowest.

    >>> chebyshev_nodes(0.0, 2.0, 3)
    array([2., 1., 0.])
    """
    angles = np.pi * np.arange(count) / (count - 1)
    return 0.5 * (fastest + slowest) + 0.5 * (fastest - slowest) * _cosine(angles)


def _cosine(angles: Floats) -> Floats:
    """Return the cosine, exactly zero at a right angle and antisymmetric about it."""
    return np.sin(0.5 * np.pi - angles)


def lagrange(nodes: Floats, at: Floats) -> Floats:
    """Return the weight of each node at each place, shape ``(places, nodes)``.

    ``f(at) = lagrange(nodes, at) @ f(nodes)`` for every polynomial of degree below the number of
    nodes. Barycentric form; a place on a node has weight one there.

    >>> lagrange(np.array([0.0, 1.0, 2.0]), np.array([1.0, 0.5]))
    array([[ 0.   ,  1.   ,  0.   ],
           [ 0.375,  0.75 , -0.125]])
    """
    gaps = at[:, None] - nodes[None, :]
    hit = gaps == 0.0
    shares = barycentric_weights(nodes) / np.where(hit, 1.0, gaps)
    shares /= shares.sum(axis=1, keepdims=True)
    struck = hit.any(axis=1)
    shares[struck] = hit[struck]
    return shares


def barycentric_weights(nodes: Floats) -> Floats:
    """Return ``1 / prod_k (z_i - z_k)`` up to a common factor, without overflow."""
    gaps = nodes[:, None] - nodes[None, :]
    np.fill_diagonal(gaps, 1.0)
    logs = np.log(np.abs(gaps)).sum(axis=1)
    weights: Floats = np.prod(np.sign(gaps), axis=1) * np.exp(logs.min() - logs)
    return weights


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
        and what ``noise``, the randomness of the students, adds in expectation.
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


class NestedSketch:
    """A sketch and its coarse copy, taught together and in place.

    The matrices are stored row by row, ``[row, node, column]``. Both halves of an example's change,
    ``a x'`` and ``x a'``, are then one outer product each, subtracted from the whole array in two
    shapes.

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
        """The current sketch."""
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
