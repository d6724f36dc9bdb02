"""Evaluate candidate examples on the observed class: the distance of every student after each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom._checks import InputError
from homeroom.classroom import project
from homeroom.learners.learners import gradients
from homeroom.learners.losses import AbstractLoss
from homeroom.moments import Observation


def distances_after(
    states: Array,
    rates: Array,
    *,
    target: Floats,
    xs: Floats,
    ys: Floats,
    loss: AbstractLoss,
    state_radius: float = math.inf,
) -> Array:
    """Return each student's squared distance to the target after each example.

    Exact for the gradient step under any loss, the projection included, without ever forming the
    states: with ``e = w - w*``, ``|e - m x|^2 = |e|^2 - 2 m <e, x> + m^2 |x|^2``, ``m = rate *
    slope``.

    Parameters
    ----------
    states, rates
        The students, shapes ``(students, dimensions)`` and ``(students,)``.
    target
        Shape ``(dimensions,)``.
    xs, ys
        The examples, shapes ``(examples, dimensions / outputs)`` and ``(examples,)``; the labels
        of the squared loss with several outputs ``(examples, outputs)``.
    loss
        The loss.
    state_radius
        States stay within this ball.

    Returns
    -------
    Array
        Shape ``(students, examples)``. Cost: O(students * examples * dimensions).
    """
    xp = _arrays.namespace(states)
    examples, width = xs.shape
    students, outputs = states.shape[0], states.shape[1] // width
    columns = _arrays.like(xs.T, states)
    vectors = xp.reshape(states, (students * outputs, width))
    scores = xp.reshape(vectors @ columns, (students, outputs, examples))
    target_scores = _arrays.like(target.reshape(outputs, width) @ xs.T, states)
    labels = _arrays.like(ys, states)
    if outputs == 1:
        slopes = loss.slopes(scores[:, 0, :], labels)[:, None, :]
    else:
        slopes = loss.slopes(xp.permute_dims(scores, (0, 2, 1)), labels)
        slopes = xp.permute_dims(slopes, (0, 2, 1))
    moves = rates[:, None, None] * slopes
    squared_lengths = _arrays.like((xs * xs).sum(axis=1), states)
    gaps = states - _arrays.like(target, states)
    squared = xp.sum(gaps * gaps, axis=1)[:, None]
    travelled = squared_lengths * xp.sum(moves * moves, axis=1)
    after = squared - 2.0 * xp.sum(moves * (scores - target_scores), axis=1) + travelled
    if math.isinf(state_radius):
        return after
    norms = xp.sum(states * states, axis=1)[:, None]
    norms = norms - 2.0 * xp.sum(moves * scores, axis=1) + travelled
    return _projected(after, norms, float(target @ target), state_radius)


def _projected(after: Array, norms: Array, target_norm: float, radius: float) -> Array:
    """Return the distances once students outside the ball are back on its surface.

    Distances (``after``) and ``norms`` are squared, ``r`` is ``radius / |w|``, and
    ``|r w - w*|^2 = r^2 |w|^2 - 2 r <w, w*> + |w*|^2`` with ``2 <w, w*> = |w|^2 + |w*|^2 - |w -
    w*|^2``.
    """
    xp = _arrays.namespace(after)
    outside = norms > radius**2
    safe = xp.where(outside, norms, xp.ones_like(norms))
    scale = radius / xp.sqrt(safe)
    inner = norms + target_norm - after
    return xp.where(outside, radius**2 - scale * inner + target_norm, after)


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
    """Return the fraction of a squared distance that may be a rounding error."""
    xp = np if _arrays.is_numpy(gaps) else _arrays.namespace(gaps)
    return 64 * float(xp.finfo(gaps.dtype).eps)


def _in_blocks(seen: Observation, xs: Floats, ys: Floats) -> Iterator[tuple[slice, Array]]:
    """Yield the squared distances after each example, some students at a time."""
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
