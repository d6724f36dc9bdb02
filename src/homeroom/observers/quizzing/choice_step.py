"""The answers of students who choose among several, and their chances under a Gaussian belief.

A student has a state vector per answer, the rows of ``W``, which sum to zero. They give answer
``c`` of ``K`` to item ``x`` with probability ``lapse / K + (1 - lapse) softmax(beta W x)_c``, where
``beta = 1.702 / sigma``: so two answers have almost the same probabilities as with the probit of
:mod:`~homeroom.observers.quizzing.answer_step`, as a function of the difference of their scores.

The rows sum to zero, so ``W = B Z`` with ``K - 1`` orthonormal contrasts ``B``. Only the ``K - 1``
contrasts ``t = beta Z x`` matter for an answer. Their belief is a Gaussian; probabilities are means
over fixed points. The update by an answer is in
:mod:`~homeroom.observers.quizzing.choice_posterior`.

All arrays of small matrices have the beliefs in their last axis, so that each operation runs over
all of them.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, roots_genlaguerre

from homeroom._arrays import Floats
from homeroom.observers.quizzing.answer_step import AnswerModel

SHARP = 1.702
"""``logistic(1.702 z)`` differs from ``Phi(z)`` by less than 0.01."""

POINTS = 64
"""The number of quasi-random points, or a few more for symmetry; with more than five answers up to
twice as many."""

SHELLS = 6
"""The number of spheres of points over which the chances of answers are averaged."""

LEAST_SHELL = 1e-4
"""Points on a sphere with less weight than this are left out."""

SEPARATE = 7
"""So many of the points should be no mirror images or shifts of each other. With four (eight
answers, 64 points) the chance of a right answer to a fact was off by 0.1, with seven by 0.03."""


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
def normal_points(dimensions: int, least: int = POINTS) -> Floats:
    """Return fixed quasi-random points of a standard normal, at least ``least`` of them.

    Shape ``(points, dimensions)``. They are a Kronecker sequence, its mirror image, and both with
    the ``dimensions + 1`` answers shifted in turn: so no answer is preferred. Their covariance is
    the identity.
    """
    options, root = dimensions + 1, 2.0
    for _ in range(50):  # the generalised golden ratio: root^(dimensions + 1) = root + 1
        root = (1.0 + root) ** (1.0 / options)
    count = max(-(-least // (2 * options)), min(SEPARATE, -(-least // options)))
    steps = root ** -np.arange(1.0, options)
    some = ndtri((0.5 + np.outer(np.arange(1, count + 1), steps)) % 1.0)
    basis = contrasts(options)
    both = np.concatenate([some, -some]) @ basis.T
    every = np.concatenate([np.roll(both, turn, axis=1) for turn in range(options)]) @ basis
    values, vectors = np.linalg.eigh(every.T @ every / len(every))
    scaled: Floats = every @ (vectors / np.sqrt(values)) @ vectors.T
    scaled.flags.writeable = False
    return scaled


def shells_of(dimensions: int, count: int) -> tuple[Floats, Floats]:
    """Return radii and weights of spheres for means over a standard normal: a Gauss rule.

    >>> [array.round(2).tolist() for array in shells_of(2, 2)]
    [[1.08, 2.61], [0.85, 0.15]]
    """
    squares, weights = roots_genlaguerre(count, 0.5 * dimensions - 1.0)
    kept = weights > LEAST_SHELL * weights.sum()
    return np.sqrt(2.0 * squares[kept]), weights[kept] / weights[kept].sum()


@cache
def symmetric_rule(dimensions: int) -> tuple[npt.NDArray[np.float32], Floats]:
    """Return points of a standard normal that prefer no answer, and weights that sum to 1.

    On each of several spheres, the points are the directions of the answers, the middles between
    two of them, and the mirror images. With the weights of Mysovskikh, polynomials of the fifth
    degree are exact. Beyond eight answers, some of these weights would be negative, and the points
    are :func:`normal_points`.
    """
    n, basis = dimensions, contrasts(dimensions + 1)
    if n > 7:
        points = normal_points(n)
        weights = np.full(len(points), 1.0 / len(points))
    else:
        middles = np.array([basis[a] + basis[b] for a, b in combinations(range(n + 1), 2)])
        ends = n * (7.0 - n) / (2.0 * (n + 1.0) ** 2 * (n + 2.0))
        between = 2.0 * (n - 1.0) ** 2 / (n * (n + 1.0) ** 2 * (n + 2.0))
        shares = np.repeat([ends, between], [len(basis), len(middles)])
        used = shares > 0.0
        some = np.concatenate([basis, middles])[used]
        some /= np.linalg.norm(some, axis=1, keepdims=True)
        radii, masses = shells_of(n, SHELLS)
        directions = np.concatenate([some, -some])
        points = (radii[:, None, None] * directions).reshape(-1, n)
        weights = np.outer(masses, np.tile(shares[used], 2)).ravel()
    return points.astype(np.float32), weights / weights.sum()


def sharpness(model: AnswerModel) -> float:
    """Return ``beta``: the logits of answers are ``beta`` times their scores."""
    return SHARP / model.sigma


def answer_chances(means: Floats, covariances: Floats, model: AnswerModel) -> Floats:
    """Return the probability of each answer, shape ``(..., K)``.

    ``means`` and ``covariances`` of ``Z x`` have the shapes ``(..., K - 1)`` and
    ``(..., K - 1, K - 1)``; lapses are ``guess + slip`` of the model.

    >>> answer_chances(np.zeros(3), np.eye(3), AnswerModel(0.25)).round(6)
    array([0.25, 0.25, 0.25, 0.25])
    """
    rows = means.shape[-1]
    options, lapse = rows + 1, model.guess + model.slip
    flat = means.reshape(-1, rows), covariances.reshape(-1, rows, rows)
    points, weights = symmetric_rule(rows)  # in single precision: the error of the points is larger
    chances = (probabilities_at(points, *flat, model) @ weights).T
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
    """Return the expected ``shrink`` of ``choice_effect`` before the answer is known.

    Shapes ``(beliefs, K - 1)`` and ``(beliefs, K - 1, K - 1)``; the result has the latter. An
    answer ``y`` of probability ``P(y)`` moves the mean of ``t = m + Lz`` by ``L E[z p_y] / P(y)``,
    and the covariance loses the mean square of these moves. Over points with weights, that is
    never more than the covariance itself.
    """
    options, lapse = means.shape[1] + 1, model.guess + model.slip
    points, weights = symmetric_rule(options - 1)
    chances = (1.0 - lapse) * probabilities_at(points, means, covariances, model) * weights
    drawn = np.moveaxis(chances @ points, 2, 0)  # E[z p_y], shape (K - 1, K, beliefs)
    pulls = solve_transposed(cholesky(np.moveaxis(covariances, 0, 2)), drawn)
    total = lapse / options + chances.sum(axis=-1)
    shrink: Floats = np.einsum("kyn,lyn->nkl", pulls / total, pulls)
    return shrink


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
