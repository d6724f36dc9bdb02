"""The best lengths along one direction: Gauss nodes.

m examples of squared lengths ``g_1..g_m`` along one direction leave of a component ``c_j`` of rate
``r_j`` the part ``prod_s (1 - r_j g_s)``. So they minimise ``sum_j c_j^2 p(r_j)^2`` over the
polynomials of degree m with ``p(0) = 1`` and real roots ``1/g_s``. At the minimum ``p`` is
orthogonal, with weights ``r_j c_j^2``, to all polynomials of lower degree: its roots are the Gauss
nodes of that measure. Where ``g <= ceiling`` binds, k of the lengths sit at the ceiling and the
others are the Gauss nodes of the measure that these k leave; the smallest k that fits is the best,
as fewer steps are forced.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats

RESOLVED = 1e-13
"""A measure that is left with less than this part of itself has no more nodes to give."""


class Steps(NamedTuple):
    """Squared lengths along one direction, gentlest first, and what they leave of its error.

    ``capped`` of them are at the ceiling because they would be longer.
    """

    g: Floats
    left: float
    capped: int = 0


def best_lengths(
    rates: Floats, energies: Floats, count: int, ceiling: float, *, capped: int = 0
) -> Steps:
    """Return the best ``count`` squared lengths along a direction, none above the ceiling.

    Parameters
    ----------
    rates
        How fast each row learns, shape ``(rows,)``.
    energies
        ``s_j <v, e_j>^2``: what each row has of the error along the direction; some may be negative
        where rows are stand-ins.
    count
        How many examples.
    ceiling
        No squared length is above this.
    capped
        How many are known to be at the ceiling: at least as many as of one example less, as the
        lowest node of a higher degree is lower.

    Examples
    --------
    Two students, two lengths: each learns all there is from one of them.

    >>> best_lengths(np.array([0.25, 0.5]), np.ones(2), 2, ceiling=9.0)
    Steps(g=array([2., 4.]), left=0.0, capped=0)
    """
    at_ceiling = 1.0 - rates * ceiling
    for number in range(capped, count):
        measure = rates * energies * at_ceiling ** (2 * number)
        nodes = gauss_nodes(rates, measure, count - number)
        if len(nodes) and nodes[0] * ceiling >= 1.0:
            free = 1.0 / nodes[::-1]
            factors = np.prod(1.0 - free[:, None] * rates, axis=0) * at_ceiling**number
            g = np.append(free, np.full(number, ceiling))
            return Steps(g, max(float(energies @ factors**2), 0.0), number)
    left = float(energies @ at_ceiling ** (2 * count))
    return Steps(np.full(count, ceiling), max(left, 0.0), count)


def gauss_nodes(places: Floats, masses: Floats, count: int) -> Floats:
    """Return the Gauss nodes of a discrete measure, ascending; fewer if it has not so many.

    By the three-term recurrence of its orthogonal polynomials (Stieltjes), whose coefficients are a
    symmetric tridiagonal matrix with the nodes as eigenvalues (Golub and Welsch).

    >>> gauss_nodes(np.array([1.0, 2.0, 3.0]), np.ones(3), 1)
    array([2.])
    """
    total = float(masses.sum())
    if not total > 0.0:
        return np.zeros(0)
    diagonal, beside = np.zeros(count), np.zeros(count)
    before, here = np.zeros_like(places), np.full_like(places, total**-0.5)
    found = count
    for k in range(count):
        weighed = masses * here
        diagonal[k] = float((weighed * here) @ places)
        after = (places - diagonal[k]) * here - (beside[k - 1] * before if k else 0.0)
        size = float((masses * after) @ after)
        if not size > RESOLVED * float(places.max()) ** 2:
            found = k + 1
            break
        beside[k] = size**0.5
        before, here = here, after / beside[k]
    jacobi = np.diag(diagonal[:found])
    row = np.arange(found - 1)
    jacobi[row, row + 1] = jacobi[row + 1, row] = beside[: found - 1]
    nodes: Floats = np.clip(np.linalg.eigvalsh(jacobi), places.min(), places.max())
    return nodes
