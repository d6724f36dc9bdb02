"""The update of a Gaussian belief about a student by one of several answers.

A student has a state vector per answer, the rows of ``W``, which sum to zero. They give answer
``c`` of ``K`` to item ``x`` with probability ``lapse / K + (1 - lapse) softmax(beta W x)_c``, where
``beta = 1.702 / sigma``: so two answers have almost the same probabilities as with the probit of
:mod:`~homeroom.observers.quizzing.answer_step`, as a function of the difference of their scores.

The rows sum to zero, so ``W = B Z`` with ``K - 1`` orthonormal contrasts ``B``. A belief about
``Z`` is a Gaussian with covariance ``V``. Only the ``K - 1`` contrasts ``t = beta Z x`` matter for
an answer ``y``, with mean ``m`` and covariance ``C = LL'``:

    p = softmax(B (m + L z)) at fixed points z of a standard normal, with weights w ~ p_y
    a = E[B'(onehot_y - p)],  H = B' E[diag(p) - pp'] B,  R = (I + HC)^-1 H
    Q = beta V (I (x) x),  rho = 1 - (lapse / K) / P(y)
    mean <- mean + rho Q a
    V <- V - Q [rho R - rho (1 - rho) aa'] Q'

``(x)`` is the Kronecker product, and ``E`` is the mean over the points with weights ``w``. ``P(y)``
is the probability of the answer, with the mean of ``p_y`` over the points, 64 or more. For ``a`` we
use the mean of two estimates, the one above and ``L^-T E[z]``. The posterior has precision
``C^-1 + H``, with the curvature ``H`` of the log-likelihood averaged over the posterior.

The usual alternative is the mode by Newton's method, and the curvature there. It takes several
evaluations instead of one, and is less exact where the belief is wide: with five answers and a
variance of 9, the mode is 0.38 standard deviations from the mean (this estimate: 0.07).

All arrays of small matrices have the beliefs in their last axis, so that each operation runs over
all of them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from homeroom._arrays import Floats, Ints
from homeroom.observers.quizzing.answer_step import AnswerModel

SHARP = 1.702
"""``logistic(1.702 z)`` differs from ``Phi(z)`` by less than 0.01."""

POINTS = 64
"""The number of points over which probabilities are averaged, or a few more for symmetry; with more
than five answers up to twice as many."""

SEPARATE = 7
"""So many of the points should be no mirror images or shifts of each other. With four (eight
answers, 64 points) the chance of a right answer to a fact was off by 0.1, with seven by 0.03."""

LARGEST = 30.0
"""Log-odds are limited to this size, so that products of odds remain in single precision."""


@cache
def contrasts(options: int) -> Floats:
    """Return orthonormal columns that sum to zero, shape ``(options, options - 1)``.

    >>> contrasts(2).round(3).tolist()
    [[0.707], [-0.707]]
    """
    basis = np.zeros((options, options - 1))
    for column in range(options - 1):
        count = column + 1.0
        basis[: column + 1, column] = 1.0 / math.sqrt(count * (count + 1.0))
        basis[column + 1, column] = -math.sqrt(count / (count + 1.0))
    basis.flags.writeable = False
    return basis


@cache
def normal_points(dimensions: int) -> Floats:
    """Return fixed quasi-random points of a standard normal, at least ``POINTS`` of them.

    Shape ``(points, dimensions)``. They are a Kronecker sequence, its mirror image, and both with
    the ``dimensions + 1`` answers shifted in turn: so no answer is preferred. Their covariance is
    the identity.
    """
    options, root = dimensions + 1, 2.0
    for _ in range(50):  # the generalised golden ratio: root^(dimensions + 1) = root + 1
        root = (1.0 + root) ** (1.0 / options)
    count = max(-(-POINTS // (2 * options)), min(SEPARATE, -(-POINTS // options)))
    steps = root ** -np.arange(1.0, options)
    some = ndtri((0.5 + np.outer(np.arange(1, count + 1), steps)) % 1.0)
    basis = contrasts(options)
    both = np.concatenate([some, -some]) @ basis.T
    every = np.concatenate([np.roll(both, turn, axis=1) for turn in range(options)]) @ basis
    values, vectors = np.linalg.eigh(every.T @ every / len(every))
    scaled: Floats = every @ (vectors / np.sqrt(values)) @ vectors.T
    scaled.flags.writeable = False
    return scaled


def sharpness(model: AnswerModel) -> float:
    """Return ``beta``: the logits of answers are ``beta`` times their scores."""
    return SHARP / model.sigma


class ChosenAnswerEffect(NamedTuple):
    """The effect of answers on a belief about contrasts ``Z x``.

    With ``Q = V (I (x) x)``, the mean changes by ``Q pull`` and the covariance by ``-Q shrink Q'``;
    the answer had the log-probability ``evidence``. All zero without an answer.
    """

    pull: Floats
    shrink: Floats
    evidence: Floats


def choice_effect(
    means: Floats, covariances: Floats, answers: npt.ArrayLike, model: AnswerModel
) -> ChosenAnswerEffect:
    """Return the effect of answers, given the beliefs' means and covariances of the contrasts.

    Parameters
    ----------
    means, covariances
        Of ``Z x``, shapes ``(..., K - 1)`` and ``(..., K - 1, K - 1)``.
    answers
        1 to ``K``, or 0 for none; of a shape that broadcasts to ``(...)``.
    model
        Its ``sigma``, and ``guess + slip`` as the share of lapses.

    Notes
    -----
    Cost: O(POINTS K^2 + K^3) per belief.

    Examples
    --------
    >>> said = choice_effect(np.zeros(2), 0.5 * np.eye(2), 1, AnswerModel(0.25))
    >>> (contrasts(3) @ (0.5 * said.pull)).round(3)  # the scores of three answers afterwards
    array([ 0.585, -0.285, -0.3  ])
    """
    rows = means.shape[-1]
    options, beta = rows + 1, sharpness(model)
    heard = np.broadcast_to(np.asarray(answers, dtype=np.int64), means.shape[:-1]).reshape(-1)
    chosen = np.maximum(heard - 1, 0)
    mean = beta * means.reshape(-1, rows).T
    covariance = beta * beta * np.moveaxis(covariances.reshape(-1, rows, rows), 0, 2)
    basis = contrasts(options)
    root = cholesky(covariance)
    spread = np.tensordot(basis, root, 1)  # M = BL, shape (K, K - 1, beliefs)
    centre = basis @ mean
    chance, both, drawn = _averages(centre, spread, chosen)
    lapse = model.guess + model.slip
    total = lapse / options + (1.0 - lapse) * chance
    rho = np.where(heard > 0, (1.0 - lapse) * chance / total, 0.0)
    evidence = np.where(heard > 0, np.log(np.maximum(total, 1e-38)), 0.0)
    usual = both.sum(axis=1)  # probabilities sum to 1
    pull = 0.5 * (basis[chosen].T - basis.T @ usual + solve_transposed(root, drawn))
    shrink = rho * (_curvature(root, usual, both) - (1.0 - rho) * pull[:, None] * pull)
    return ChosenAnswerEffect(
        (beta * rho * pull).T.reshape(means.shape),
        np.moveaxis(beta * beta * shrink, 2, 0).reshape(covariances.shape),
        evidence.reshape(means.shape[:-1]),
    )


def _averages(centre: Floats, spread: Floats, chosen: Ints) -> tuple[Floats, Floats, Floats]:
    """Return the expected probability of the chosen answers, and means given those answers.

    These are the means of ``pp'``, ``(K, K, beliefs)``, and of the points, ``(K - 1, beliefs)``.
    The logits have the mean ``centre``, ``(K, beliefs)``, and the root ``spread`` of their
    covariance, ``(K, K - 1, beliefs)``; ``chosen`` counts answers from 0. In single precision: with
    64 points, rounding is no further error.
    """
    options, rows, every = len(centre), len(centre) - 1, np.arange(len(chosen))
    points = normal_points(rows).astype(np.float32)
    apart = np.empty((options, len(chosen), options), dtype=np.float32)
    apart[..., :rows] = np.swapaxes(spread - spread[chosen, :, every].T, 1, 2)
    apart[..., rows] = centre - centre[chosen, every]
    odds = apart @ np.column_stack([points, np.ones_like(points[:, 0])]).T
    np.exp(np.clip(odds, -LARGEST, LARGEST, out=odds), out=odds)
    own = 1.0 / odds.sum(axis=0)  # the probability of the chosen answer
    odds *= own * np.sqrt(own)
    both = np.empty((options, options, len(chosen)))
    for answer, these in enumerate(odds):
        products = np.einsum("np,cnp->cn", these, odds[answer:])
        both[answer, answer:] = both[answer:, answer] = products
    total = both.sum(axis=(0, 1))
    return total / len(points), both / total, (own @ points).T / total


def _curvature(root: Floats, p: Floats, both: Floats) -> Floats:
    """Return ``R = (I + HC)^-1 H = H - (HL)(I + L'HL)^-1 (HL)'``, ``(K - 1, K - 1, beliefs)``.

    ``p`` and ``both`` are means of probabilities and of their products, ``root`` is ``L``.
    """
    options, diagonal = len(p), np.arange(len(root))
    covariance = -both
    covariance[np.arange(options), np.arange(options)] += p
    basis = contrasts(options)
    h = (np.kron(basis, basis).T @ covariance.reshape(options**2, -1)).reshape(root.shape)
    mixed = np.einsum("kmn,mln->lkn", h, root)
    bend = np.einsum("lkn,kmn->lmn", mixed, root)
    bend[diagonal, diagonal] += 1.0
    curvature: Floats = h - np.einsum("lkn,lmn->kmn", mixed, solve_by_root(cholesky(bend), mixed))
    return curvature


def answer_chances(means: Floats, covariances: Floats, model: AnswerModel) -> Floats:
    """Return the probability of each answer, shape ``(..., K)``.

    Arguments as for :func:`choice_effect`.

    >>> answer_chances(np.zeros(3), np.eye(3), AnswerModel(0.25)).round(6)
    array([0.25, 0.25, 0.25, 0.25])
    """
    rows = means.shape[-1]
    options, lapse = rows + 1, model.guess + model.slip
    flat = means.reshape(-1, rows), covariances.reshape(-1, rows, rows)
    points = normal_points(rows).astype(np.float32)  # the error of the points is larger
    chances = probabilities_at(points, *flat, model).mean(axis=-1, dtype=np.float64).T
    mixed: Floats = lapse / options + (1.0 - lapse) * chances
    return mixed.reshape(*means.shape[:-1], options)


def probabilities_at(
    points: npt.NDArray[Any], means: Floats, covariances: Floats, model: AnswerModel
) -> npt.NDArray[Any]:
    """Return the probabilities of answers without lapses at points of a standard normal.

    ``means`` and ``covariances`` have shapes ``(beliefs, K - 1)`` and ``(beliefs, K - 1, K - 1)``;
    the result has shape ``(K, beliefs, points)`` and the precision of the points.
    """
    beta, basis = sharpness(model), contrasts(means.shape[1] + 1)
    root = cholesky(np.moveaxis(covariances, 0, 2))
    spread = np.swapaxes(np.tensordot(beta * basis, root, 1), 1, 2)
    logits: npt.NDArray[Any] = spread.astype(points.dtype) @ points.T
    logits += (beta * basis @ means.T)[..., None]
    logits -= logits.max(axis=0)
    np.exp(logits, out=logits)
    logits /= logits.sum(axis=0)
    return logits


def drawn_choices(scores: Floats, model: AnswerModel, rng: np.random.Generator) -> Floats:
    """Return the numbers 1, 2, ... of answers that are drawn for scores ``W x`` of all answers.

    ``scores`` has shape ``(..., K)``, the result ``(...)``.
    """
    logits = sharpness(model) * scores + rng.gumbel(size=scores.shape)
    chosen = 1.0 + logits.argmax(axis=-1)
    lapses = rng.random(chosen.shape) < model.guess + model.slip
    chosen[lapses] = rng.integers(1, scores.shape[-1] + 1, int(lapses.sum()))
    return np.asarray(chosen, dtype=np.float64)


def expected_shrink(means: Floats, covariances: Floats, model: AnswerModel) -> Floats:
    """Return the expected ``shrink`` of :func:`choice_effect` before the answer is known.

    Shapes ``(beliefs, K - 1)`` and ``(beliefs, K - 1, K - 1)``; the result has the latter.
    """
    beta, lapse = sharpness(model), model.guess + model.slip
    root = cholesky(beta**2 * np.moveaxis(covariances, 0, 2))
    p = answer_chances(means, covariances, replace(model, guess=0.0, slip=0.0)).T
    shrink: Floats = (1.0 - lapse) * beta**2 * _curvature(root, p, p[:, None] * p)
    return np.moveaxis(shrink, 2, 0)


def cholesky(matrices: Floats) -> Floats:
    """Return lower triangular roots of many small matrices, shape ``(n, n, beliefs)``.

    Directions without variance, and those that rounding makes negative, get almost none.
    """
    size = len(matrices)
    root = np.zeros(matrices.shape)
    for row in range(size):
        for column in range(row):
            inner = (root[row, :column] * root[column, :column]).sum(axis=0)
            root[row, column] = (matrices[row, column] - inner) / root[column, column]
        left = matrices[row, row] - (root[row, :row] ** 2).sum(axis=0)
        root[row, row] = np.sqrt(np.maximum(left, 1e-12 * np.abs(matrices[row, row]) + 1e-24))
    return root


def solve_transposed(root: Floats, right: Floats) -> Floats:
    """Return ``L'^-1 b`` for many lower triangular ``L`` (``root``) and ``b`` (``right``).

    Shapes ``(n, n, beliefs)`` and ``(n, ..., beliefs)``.
    """
    found, size = np.array(right), len(root)
    for row in reversed(range(size)):
        for after in range(row + 1, size):
            found[row] -= root[after, row] * found[after]
        found[row] /= root[row, row]
    return found


def solve_by_root(root: Floats, right: Floats) -> Floats:
    """Return ``(LL')^-1 b``; arguments as for :func:`solve_transposed`."""
    found = np.array(right)
    size = len(root)
    for row in range(size):
        for before in range(row):
            found[row] -= root[row, before] * found[before]
        found[row] /= root[row, row]
    return solve_transposed(root, found)
