"""Evaluate candidate examples on the observed class: the distance of every student after each."""

from __future__ import annotations

import math

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom._checks import InputError
from homeroom.moments import Observation
from homeroom.people_order import ItemChances
from homeroom.pools import Candidates

BLOCK_BYTES = 1 << 24
"""The size of the blocks in which tables of students and examples are computed."""

GOLDEN = (math.sqrt(5) - 1) / 2
SECTIONS = 20
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
    total, students = np.zeros(len(xs)), seen.gaps.shape[0]
    for rows in _arrays.blocks(students, len(xs) * seen.outputs, at_most=BLOCK_BYTES):
        after = distances_after(seen, xs, ys, rows)
        total += _arrays.to_host(_arrays.namespace(after).sum(after, axis=0))
    mean: Floats = total / students
    return mean


def distances_after(seen: Observation, xs: Floats, ys: Floats, rows: slice = slice(None)) -> Array:
    """Return each student's squared distance to the target after each example.

    Exact for the gradient step under any loss, the projection included, without ever forming the
    states: with ``e = w - w*``, ``|e - m x|^2 = |e|^2 - 2 m <e, x> + m^2 |x|^2``, ``m = rate *
    slope``.

    Parameters
    ----------
    seen
        The class.
    xs, ys
        The examples, shapes ``(examples, dimensions / outputs)`` and ``(examples,)``; the labels
        of the squared loss with several outputs ``(examples, outputs)``.
    rows
        The students; all unless given.

    Returns
    -------
    Array
        Shape ``(students, examples)``. Cost: O(students * examples * dimensions).
    """
    gaps, xp = seen.gaps[rows, :], _arrays.namespace(seen.gaps)
    states, target = gaps + _arrays.like(seen.target, gaps), seen.target
    shape = (gaps.shape[0], seen.outputs, len(xs))
    columns = _arrays.like(xs.T, states)
    scores = xp.reshape(xp.reshape(states, (-1, xs.shape[1])) @ columns, shape)
    target_scores = _arrays.like(target.reshape(seen.outputs, -1) @ xs.T, states)
    moves = seen.rates[rows][:, None, None] * _slopes(seen, scores, _arrays.like(ys, states))
    squared_lengths = _arrays.like((xs * xs).sum(axis=1), states)
    travelled = squared_lengths * xp.sum(moves * moves, axis=1)
    before = xp.sum(gaps * gaps, axis=1)[:, None]
    after = before - 2.0 * xp.sum(moves * (scores - target_scores), axis=1) + travelled
    if math.isinf(seen.state_radius):
        return after
    norms = xp.sum(states * states, axis=1)[:, None]
    norms = norms - 2.0 * xp.sum(moves * scores, axis=1) + travelled
    return _project(after, norms, float(target @ target), seen.state_radius)


def _slopes(seen: Observation, scores: Array, labels: Array) -> Array:
    """Return the slopes of the loss at scores, both of shape ``(students, outputs, examples)``."""
    if seen.outputs == 1:
        return seen.loss.slopes(scores[:, 0, :], labels)[:, None, :]
    xp = _arrays.namespace(scores)
    slopes = seen.loss.slopes(xp.permute_dims(scores, (0, 2, 1)), labels)
    return xp.permute_dims(slopes, (0, 2, 1))


def _project(after: Array, norms: Array, target_norm: float, radius: float) -> Array:
    """Return the distances once students outside the ball are back on its surface.

    Distances (``after``) and ``norms`` are squared, ``r`` is ``radius / |w|``, and
    ``|r w - w*|^2 = r^2 |w|^2 - 2 r <w, w*> + |w*|^2`` with ``2 <w, w*> = |w|^2 + |w*|^2 - |w -
    w*|^2``.
    """
    xp = _arrays.namespace(after)
    outside = norms > radius**2
    scale = radius / xp.sqrt(xp.where(outside, norms, xp.ones_like(norms)))
    inner = norms + target_norm - after
    return xp.where(outside, radius**2 - scale * inner + target_norm, after)


def choose_candidate(seen: Observation, candidates: Candidates, ys: Floats) -> int | None:
    """Return the position of the candidate that leaves the least mean distance, if it helps."""
    distances = mean_distances(seen, candidates.xs, ys)
    best = int(distances.argmin())
    helps = distances[best] < measure_error(seen) * (1 - rounding(seen.gaps))
    return best if helps else None


def rescale(seen: Observation, x: Floats) -> Floats:
    """Return the example at the best length between half and twice its own, within the ball."""
    length = math.sqrt(float(x @ x))
    direction = x / length

    def distance(tried: float) -> float:  # the class's mean squared distance with this length
        xs: Floats = tried * direction[None, :]
        return float(mean_distances(seen, xs, seen.labels(xs))[0])

    low, high = length / 2, min(2 * length, seen.example_radius)
    for _ in range(SECTIONS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        low, high = (low, right) if distance(left) < distance(right) else (left, high)
    best = (low + high) / 2
    rescaled: Floats = (best if distance(best) < distance(length) else length) * direction
    return rescaled


def measure_help(seen: Observation, candidates: Candidates, ys: Floats) -> Floats:
    """Return by how much each item would lower the class's mean squared distance, ``(items,)``.

    Cost by moments: O(items * dimensions^2), and O(students * dimensions^2) if the engine has none.
    Observed squares of the rates count in them; trying out each item squares the observed rates.
    """
    by_moments = seen.loss.is_quadratic and candidates.labels is None and seen.noise is None
    if by_moments and math.isinf(seen.state_radius):  # no student is moved back into the ball
        return seen.moments.helps(candidates.xs, (candidates.xs**2).sum(axis=1))
    helps: Floats = measure_error(seen) - mean_distances(seen, candidates.xs, ys)
    return helps


def measure_chances(seen: Observation, xs: Floats, ys: Floats) -> ItemChances:
    """Return whether all students answer each item correctly (1 or 0), and the share who do.

    A student answers with the sign of ``<state, x>``, or with the class of the highest score. Cost:
    O(students * items * dimensions), students in blocks.
    """
    states, outputs = _arrays.to_host(seen.states), seen.outputs
    students, classes = len(states), ys if ys.ndim == 1 else ys.argmax(axis=1) + 1
    right: Ints = np.zeros(len(xs), dtype=np.int64)
    signed = xs.T * np.sign(ys) if outputs == 1 else xs.T
    for rows in _arrays.blocks(students, len(xs) * outputs, at_most=BLOCK_BYTES):
        if outputs == 1:
            right += np.count_nonzero(states[rows] @ signed > 0.0, axis=0)
        else:
            scores = states[rows].reshape(-1, outputs, xs.shape[1]) @ signed
            right += np.count_nonzero(scores.argmax(axis=1) + 1 == classes, axis=0)
    return ItemChances((right == students).astype(np.float64), right / students)


def measure_error(seen: Observation) -> float:
    """Return the class's mean squared distance now."""
    xp = _arrays.namespace(seen.gaps)
    return float(_arrays.to_host(xp.sum(seen.gaps * seen.gaps, axis=1)).mean())


def rounding(gaps: Array) -> float:
    """Return the fraction of a squared distance that may be a rounding error."""
    xp = np if _arrays.is_numpy(gaps) else _arrays.namespace(gaps)
    return 64 * float(xp.finfo(gaps.dtype).eps)
