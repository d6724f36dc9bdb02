"""The sketch: a class of any size in a few small matrices.

After examples ``x_1..x_t`` a student's gap is ``P_t(eta_j) e_j`` with
``P_t(eta) = prod (I - eta x_s x_s')``, a polynomial in eta that is the same for everybody. So every
average a teacher needs is an average of polynomials of eta against ``e_j e_j'``, and a quadrature
in eta stands for the students: with nodes ``z_i`` and their Lagrange functions ``l_i``,

    M_i = mean( l_i(eta_j) e_j e_j' )        one pass over the students
    mean |e|^2 = sum_i tr M_i,   A = sum_i z_i M_i,   B = sum_i z_i^2 M_i

and each ``M_i`` changes as a group of rate ``z_i`` would. A round costs O(nodes * dimensions^2),
however many students there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from homeroom._arrays import Floats
from homeroom.moments.nodes import lagrange
from homeroom.moments.second import Moments


@dataclass(frozen=True, eq=False)
class Sketch:
    """What any lesson would do to a class, whatever its size.

    Parameters
    ----------
    nodes
        Rates that stand for everybody's, shape ``(nodes,)``.
    matrices
        ``M_i``, shape ``(nodes, dimensions, dimensions)``; some may be indefinite.
    fastest
        The highest rate in the class.
    students
        How many students there are.
    farthest
        The greatest distance of a student to the target, at the time of the sketch.
    exact
        Whether the nodes are all the rates there are, so that nothing is interpolated.
    """

    nodes: Floats
    matrices: Floats
    fastest: float
    students: int
    farthest: float
    exact: bool = False

    @property
    def error(self) -> float:
        """The class's mean squared distance to the target."""
        return float(np.trace(self.matrices, axis1=1, axis2=2).sum())

    @property
    def moments(self) -> Moments:
        """What a teacher needs to know of the class."""
        linear = np.tensordot(self.nodes, self.matrices, axes=1)
        quadratic = np.tensordot(self.nodes**2, self.matrices, axes=1)
        return Moments(linear, quadratic, 1.0 / self.fastest)

    def after(self, x: Floats) -> Sketch:
        """Return the sketch of the class after it was shown ``x``. O(nodes * dimensions^2).

        ``M <- (I - z x x') M (I - z x x') = M - x a' - a x'``, ``a = z M x - z^2 (x'Mx) x / 2``.
        """
        seen = self.matrices @ x
        along = seen @ x
        moves = self.nodes[:, None] * seen - (0.5 * self.nodes**2 * along)[:, None] * x
        change = x[None, :, None] * moves[:, None, :]
        return replace(self, matrices=self.matrices - (change + change.transpose(0, 2, 1)))

    def coarse(self) -> Sketch:
        """Return the sketch on every other node, to see how much the nodes matter."""
        if self.exact:
            return self
        kept = self.nodes[::2]
        shares = lagrange(kept, self.nodes)
        return replace(self, nodes=kept, matrices=np.tensordot(shares.T, self.matrices, axes=1))

    def error_after(self, xs: Floats) -> float:
        """Return the class's error after these examples, one after the other."""
        sketch = self
        for x in xs:
            sketch = sketch.after(x)
        return sketch.error
