"""Evaluating candidate examples on the observed class."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom._checks import InputError
from homeroom.classroom import project
from homeroom.learners.learners import gradients
from homeroom.learners.preview import distances_after
from homeroom.moments import Observation

BLOCK_BYTES = 1 << 24
"""The size of the blocks in which tables of students and examples are computed."""

_GOLDEN = (math.sqrt(5) - 1) / 2
_CUTS = 20
"""The number of golden sections, each to 0.62 of the interval: to a ten-thousandth in total."""


def mean_distances(seen: Observation, xs: Floats, ys: Floats) -> Floats:
    """Return the class's mean squared distance after each example, shape ``(examples,)``.

    Cost: O(students * examples * dimensions), students in blocks.
    """
    if seen.noise is not None:
        raise InputError(
            "An observer such as NoisyMoments adds noise to W, but here each example is tried out "
            "on the students (another loss, or a pool with labels of its own). Use "
            "NoisyStates(delta), or let `observe` return truth.seen_with(gaps=...) without `noise`."
        )
    total = np.zeros(len(xs))
    for _, after in _in_blocks(seen, xs, ys):
        total += _arrays.to_host(_arrays.namespace(after).sum(after, axis=0))
    mean: Floats = total / seen.gaps.shape[0]
    return mean


def best_for_each(seen: Observation, xs: Floats, ys: Floats) -> tuple[Ints, Floats]:
    """Return the best example for each student, and the squared distance after it."""
    students = seen.gaps.shape[0]
    best, distances = np.zeros(students, dtype=np.int64), np.zeros(students)
    for rows, after in _in_blocks(seen, xs, ys):
        host = _arrays.to_host(after)
        best[rows] = host.argmin(axis=1)
        distances[rows] = host.min(axis=1)
    return best, distances


def own_distances(seen: Observation, xs: Floats) -> Floats:
    """Return each student's squared distance after their own example, one row of ``xs`` each."""
    xp = _arrays.namespace(seen.gaps)
    labels = _arrays.like(seen.labels(xs), seen.rates)
    moves = gradients(seen.states, _arrays.like(xs, seen.gaps), labels, seen.loss)
    after = seen.gaps - seen.rates[:, None] * moves
    if not math.isinf(seen.state_radius):
        target = _arrays.like(seen.target, after)
        after = project(after + target, seen.state_radius) - target
    return _arrays.to_host(xp.sum(after * after, axis=1))


def best_lengths(distances: Callable[[Floats], Floats], lengths: Floats, longest: float) -> Floats:
    """Return the lengths between half and twice the given ones that leave the least distance.

    By golden sections, all lengths at once; a length keeps its value if nothing better is found.
    """
    low, high = lengths / 2, np.minimum(2 * lengths, longest)
    for _ in range(_CUTS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        nearer = distances(left) < distances(right)
        low, high = np.where(nearer, low, left), np.where(nearer, right, high)
    found = (low + high) / 2
    return np.where(distances(found) < distances(lengths), found, lengths)


def squared_distances(seen: Observation) -> Floats:
    """Return each student's squared distance now."""
    xp = _arrays.namespace(seen.gaps)
    return _arrays.to_host(xp.sum(seen.gaps * seen.gaps, axis=1))


def rounding(gaps: Array) -> float:
    """Return the part of a squared distance that may be a rounding error."""
    xp = np if _arrays.is_numpy(gaps) else _arrays.namespace(gaps)
    return 64 * float(xp.finfo(gaps.dtype).eps)


def _in_blocks(seen: Observation, xs: Floats, ys: Floats) -> Iterator[tuple[slice, Array]]:
    columns = len(xs) * seen.outputs
    for rows in _arrays.blocks(seen.gaps.shape[0], columns, at_most=BLOCK_BYTES):
        gaps = seen.gaps[rows, :]
        states = gaps + _arrays.like(seen.target, gaps)
        yield (
            rows,
            distances_after(
                states,
                seen.rates[rows],
                target=seen.target,
                xs=xs,
                ys=ys,
                loss=seen.loss,
                state_radius=seen.state_radius,
            ),
        )
