"""The update of a Gaussian belief about a student by one example, at a given learning rate.

The belief has the mean ``m`` and the covariance ``V``; the example is ``x`` with the label ``y``.

    A = I - eta xx',  m1 = Am + eta y x,  V1 = AVA'
    m <- (1 - a) m + a m1
    V <- (1 - a) V + a V1 + a (1 - a) (m1 - m)(m1 - m)' + drift^2 I

``eta`` is the rate, and ``a`` the probability that the student attended to the example. If the rate
is known only up to a relative error ``b``, ``V1`` also has ``(b eta)^2 ((y - m'x)^2 + x'Vx) xx'``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom.observers.quizzing.answer_step import scores


def after_example(
    means: Floats,
    covariances: Floats,
    rates: npt.ArrayLike,
    x: Floats,
    y: npt.ArrayLike,
    *,
    attention: float = 1.0,
    drift: float = 0.0,
    rate_error: float = 0.0,
    more: tuple[float | Floats, float | Floats] = (0.0, 0.0),
) -> tuple[Floats, Floats]:
    """Return beliefs about students after they were shown an example.

    Cost: O(dimensions^2) for each belief.

    Parameters
    ----------
    means, covariances
        Beliefs, shapes ``(..., dimensions)`` and ``(..., dimensions, dimensions)``.
    rates
        The rate of each belief, of a shape that broadcasts to ``(...)``.
    x, y
        The example: one for all students, or of shapes that broadcast to ``means`` and ``(...)``.
    attention
        The probability that a student attends to it.
    drift
        The standard deviation by which each coordinate of a state drifts by itself.
    rate_error
        The relative error of the rate.
    more
        Mean and variance of a further part of the score that is independent of the state.
    """
    eta = np.asarray(rates, dtype=np.float64)
    mean, variance, across = scores(means, covariances, x)
    mean, variance = mean + more[0], variance + more[1]
    missing = np.asarray(y) - mean
    moves = (eta * missing)[..., None] * x
    # AVA' = V - xu' - ux' with u = eta Vx - eta^2 (x'Vx) x / 2
    along = 0.5 * eta * eta * (variance + rate_error * rate_error * (missing * missing + variance))
    u = eta[..., None] * across - along[..., None] * x
    change = np.broadcast_to(x, u.shape)[..., None] * u[..., None, :]
    taught = covariances - (change + np.swapaxes(change, -1, -2))
    if attention < 1.0:
        apart = (attention * (1.0 - attention) * moves)[..., None] * moves[..., None, :]
        taught = (1.0 - attention) * covariances + attention * taught + apart
    if drift > 0.0:
        taught = taught + drift * drift * np.eye(taught.shape[-1])
    return means + attention * moves, taught


class Recall(NamedTuple):
    """Means and variances of what is remembered about an item, any shape."""

    means: Floats
    variances: Floats


def item_after_example(
    memory: Recall,
    score: Recall,
    rates: npt.ArrayLike,
    y: npt.ArrayLike,
    weight: float | Floats,
    *,
    attention: float | Floats = 1.0,
    rate_error: float = 0.0,
) -> Recall:
    """Return what is remembered about an item after it was shown with its label.

    The same step as :func:`after_example`, for a coordinate that is independent of the others.

    Parameters
    ----------
    memory
        What was remembered before.
    score
        Mean and variance of the whole score before.
    rates, y
        The learning rates, and the label.
    weight
        The item's feature in this coordinate: the weight of memory in the score.
    attention, rate_error
        As for :func:`after_example`. Weight and attention may be arrays that broadcast.
    """
    eta = np.asarray(rates, dtype=np.float64)
    missing = np.asarray(y) - score.means
    spread = score.variances + rate_error**2 * (missing * missing + score.variances)
    moves = eta * weight * missing
    taught = memory.variances + weight**2 * eta * (eta * spread - 2.0 * memory.variances)
    variances = (1.0 - attention) * memory.variances + attention * taught
    variances = variances + attention * (1.0 - attention) * moves * moves
    return Recall(memory.means + attention * moves, variances)
