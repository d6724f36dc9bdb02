"""Interpolation in the rate: nodes, and the weight of each node at a rate.

Everything a lesson does to a student is a polynomial in the student's rate, the same for all
students. So a class of any size is described by matrices on a few *nodes* in the range of rates.
"""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats


def chebyshev_nodes(slowest: float, fastest: float, count: int) -> Floats:
    """Return ``count`` Chebyshev-Lobatto points from the fastest rate down to the slowest.

    >>> chebyshev_nodes(0.0, 2.0, 3)
    array([2., 1., 0.])
    """
    angles = np.pi * np.arange(count) / (count - 1)
    return 0.5 * (fastest + slowest) + 0.5 * (fastest - slowest) * _cosine(angles)


def _cosine(angles: Floats) -> Floats:
    """Return the cosine, exactly zero at a right angle and odd about it."""
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
