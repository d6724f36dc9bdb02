"""From a class to its sketch."""

from __future__ import annotations

import math

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom.classroom import Classroom
from homeroom.moments.binned import BINS_A_NODE, MOMENTS, RateBins, binned_moments
from homeroom.moments.nodes import chebyshev_nodes
from homeroom.moments.sketch import Sketch

NODES = 33


def sketch_of(room: Classroom, nodes: int = NODES) -> Sketch:
    """Return the sketch of a class: one pass over its students.

    Parameters
    ----------
    room
        The class.
    nodes
        How many rates stand for all, an odd number. If no more than that are different, they
        themselves do, and nothing is interpolated.
    """
    rates = _arrays.small(room.rates)
    xp = _arrays.namespace(room.states)
    farthest = math.sqrt(float(xp.max(room.squared_distances)))
    few = _few_different(rates, nodes)
    if few is not None:
        matrices = _by_rate(room.gaps, rates, few)
    else:
        bins = RateBins(float(rates.min()), float(rates.max()), BINS_A_NODE * (nodes - 1))
        sums = binned_moments(room.gaps, room.rates, bins)
        at = chebyshev_nodes(bins.slowest, bins.fastest, nodes)
        shares = bins.shares(at, MOMENTS)
        matrices = np.tensordot(shares, sums, axes=2) / room.students
    return Sketch(
        nodes=few if few is not None else at,
        matrices=matrices,
        fastest=float(rates.max()),
        students=room.students,
        farthest=farthest,
        exact=few is not None,
    )


def _few_different(rates: Floats, most: int) -> Floats | None:
    """Return the different rates if there are no more than ``most``."""
    if len(np.unique(rates[: 64 * most])) > most:
        return None
    different = np.unique(rates)
    return different if len(different) <= most else None


def _by_rate(gaps: Array, rates: Floats, different: Floats) -> Floats:
    """Return the mean of ``e e'`` over the students of each rate."""
    students, dimensions = gaps.shape
    sums = np.zeros((len(different), dimensions, dimensions))
    for rows in _arrays.blocks(students, dimensions, at_most=1 << 26):
        block, which = _arrays.small(gaps[rows, :]), np.searchsorted(different, rates[rows])
        order = np.argsort(which, kind="stable")
        parts = np.split(block[order], np.cumsum(np.bincount(which, minlength=len(different)))[:-1])
        for number, part in enumerate(parts):
            sums[number] += part.T @ part
    means: Floats = sums / students
    return means
