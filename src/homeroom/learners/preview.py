"""Distances of all students after each of many candidate examples."""

from __future__ import annotations

import math

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom.learners.losses import AbstractLoss


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
    right = _arrays.like(target.reshape(outputs, width) @ xs.T, states)
    labels = _arrays.like(ys, states)
    if outputs == 1:
        slopes = loss.slopes(scores[:, 0, :], labels)[:, None, :]
    else:
        slopes = loss.slopes(xp.permute_dims(scores, (0, 2, 1)), labels)
        slopes = xp.permute_dims(slopes, (0, 2, 1))
    moves = rates[:, None, None] * slopes
    lengths = _arrays.like((xs * xs).sum(axis=1), states)
    gaps = states - _arrays.like(target, states)
    squared = xp.sum(gaps * gaps, axis=1)[:, None]
    travelled = lengths * xp.sum(moves * moves, axis=1)
    after = squared - 2.0 * xp.sum(moves * (scores - right), axis=1) + travelled
    if math.isinf(state_radius):
        return after
    norms = xp.sum(states * states, axis=1)[:, None]
    norms = norms - 2.0 * xp.sum(moves * scores, axis=1) + travelled
    return _projected(after, norms, float(target @ target), state_radius)


def _projected(after: Array, norms: Array, target_norm: float, radius: float) -> Array:
    """Return the distances once those outside the ball are back on its surface.

    ``|r w - w*|^2 = r^2 |w|^2 - 2 r <w, w*> + |w*|^2`` with ``2 <w, w*> = |w|^2 + |w*|^2 - |w -
    w*|^2``.
    """
    xp = _arrays.namespace(after)
    outside = norms > radius**2
    safe = xp.where(outside, norms, xp.ones_like(norms))
    scale = radius / xp.sqrt(safe)
    inner = norms + target_norm - after
    return xp.where(outside, radius**2 - scale * inner + target_norm, after)
