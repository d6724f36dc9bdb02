"""The update of a Gaussian belief about a student by one of several answers.

A student has a state vector per answer, the rows of ``W``, which sum to zero. They give answer
``c`` of ``K`` to item ``x`` with probability ``lapse / K + (1 - lapse) softmax(beta W x)_c``, where
``beta = 1.702 / sigma``: so two answers have almost the same probabilities as with the probit of
:mod:`~homeroom.observers.quizzing.answer_step`, as a function of the difference of their scores.

The rows sum to zero, so ``W = B Z`` with ``K - 1`` orthonormal contrasts ``B``. A belief about
``Z`` is a Gaussian with covariance ``V``. Only the ``K - 1`` contrasts ``t = beta Z x`` matter for
an answer ``y``, with mean ``m`` and covariance ``C = LL'``:

    p = softmax(B (m + L z)) at argmax_z log p_y - |z|^2 / 2          (damped Newton)
    H = B'(diag(p) - pp')B,  R = (I + HC)^-1 H
    Q = beta V (I (x) x),  rho = 1 - (lapse / K) / P(y)
    mean <- mean + rho Q a
    V <- V - Q [rho R - rho (1 - rho) aa'] Q'

``P(y)`` is the mean over 64 fixed quasi-random points ``z``. So is ``a``, with the weights ``p_y``
of the points: the mean of two estimates, ``a = E[B'(onehot_y - p)]`` and ``L^-T E[z]``. (At the
mode ``a = B'(onehot_y - p)`` too, but a mode is far from the mean where the belief is wide: with
five answers and a variance of 9, by 0.38 standard deviations; this estimate is off by 0.07.)

All arrays of small matrices have the beliefs in their last axis, so that each operation runs over
all of them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, ndtri

from homeroom._arrays import Floats, Ints
from homeroom.observers.quizzing.answer_step import AnswerModel

SHARP = 1.702
"""``logistic(1.702 z)`` differs from ``Phi(z)`` by less than 0.01."""

POINTS = 64
"""The number of points over which probabilities are averaged; up to eight more for symmetry."""

STEPS = 30
"""The largest number of Newton steps; with damping, six are usual."""

START = 4
"""The number of Newton steps along a line, from which the others start."""

SMALL = 1e-3
"""The mode is found if no slope is larger than this."""


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

    They are a Kronecker sequence, its mirror image, and both with the ``dimensions + 1`` answers
    shifted in turn: so no answer is preferred. Their covariance is the identity.
    """
    options, root = dimensions + 1, 2.0
    for _ in range(50):  # the generalised golden ratio: root^(dimensions + 1) = root + 1
        root = (1.0 + root) ** (1.0 / options)
    count = -(-POINTS // (2 * options))
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
    """Return the factor ``beta`` between scores and the logits of answers."""
    return SHARP / model.sigma


class ChoiceHint(NamedTuple):
    """The effect of answers on a belief about contrasts ``Z x``.

    With ``Q = V (I (x) x)``, the mean changes by ``Q pull`` and the covariance by ``-Q shrink Q'``;
    the answer had the log-probability ``evidence``. All zero without an answer.
    """

    pull: Floats
    shrink: Floats
    evidence: Floats


def choice_hint(
    means: Floats, covariances: Floats, answers: npt.ArrayLike, model: AnswerModel
) -> ChoiceHint:
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
    Cost: O(K^3) per belief and Newton step.

    Examples
    --------
    >>> said = choice_hint(np.zeros(2), 0.5 * np.eye(2), 1, AnswerModel(0.25))
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
    chance, usual, drawn = _averages(centre, spread, chosen)
    p = _mode(centre, spread, chosen)
    lapse = model.guess + model.slip
    total = lapse / options + (1.0 - lapse) * chance
    rho = np.where(heard > 0, (1.0 - lapse) * chance / total, 0.0)
    evidence = np.where(heard > 0, np.log(np.maximum(total, 1e-38)), 0.0)
    pull = 0.5 * (basis[chosen].T - basis.T @ usual + upper_solved(root, drawn))
    shrink = rho * (_curvature(basis, spread, p) - (1.0 - rho) * pull[:, None] * pull)
    return ChoiceHint(
        (beta * rho * pull).T.reshape(means.shape),
        np.moveaxis(beta * beta * shrink, 2, 0).reshape(covariances.shape),
        evidence.reshape(means.shape[:-1]),
    )


def _mode(centre: Floats, spread: Floats, chosen: Ints) -> Floats:
    """Return the probabilities of the answers at the mode, shape ``(K, beliefs)``."""
    found = np.empty(centre.shape)
    left = np.arange(len(chosen))  # beliefs whose mode is not found yet
    own = spread[chosen, :, left].T
    z = _start(centre, spread, chosen, own)
    p, level = _softmax(centre + np.einsum("ckn,kn->cn", spread, z), chosen)
    diagonal = np.arange(len(z))
    for _ in range(STEPS):
        mean = np.einsum("ckn,cn->kn", spread, p)
        slope = own - mean - z
        open_ = np.abs(slope).max(axis=0) >= SMALL
        count = int(np.count_nonzero(open_))
        if 2 * count <= len(left):
            found[:, left] = p
            if not count:
                return found
            left, z, p, own = left[open_], z[:, open_], p[:, open_], own[:, open_]
            centre, spread, chosen = centre[:, open_], spread[:, :, open_], chosen[open_]
            mean, slope, level = mean[:, open_], slope[:, open_], level[open_]
        bend = np.einsum("ckn,cln->kln", spread * p[:, None], spread) - mean[:, None] * mean
        bend[diagonal, diagonal] += 1.0
        step = solved(cholesky(bend), slope)
        value = level - 0.5 * (z * z).sum(axis=0)
        for _ in range(STEPS):  # the posterior is log-concave: a small step always raises it
            tried = z + step
            p, level = _softmax(centre + np.einsum("ckn,kn->cn", spread, tried), chosen)
            worse = level - 0.5 * (tried * tried).sum(axis=0) < value - 1e-12
            if not worse.any():
                break
            step = np.where(worse, 0.5 * step, step)
        z = tried
    found[:, left] = p
    return found


def _start(centre: Floats, spread: Floats, chosen: Ints, own: Floats) -> Floats:
    """Return a first guess of the mode, on the line along which the log-likelihood rises.

    If ``u`` of the probability of the other answers is left at ``z = u g``, then
    ``u (1 - p_y) = logistic(-logit(p_y) - u |g|^2 / (1 - p_y))``: a few Newton steps in ``u``.
    """
    p, level = _softmax(centre, chosen)
    slope = own - np.einsum("ckn,cn->kn", spread, p)
    others = np.maximum(-np.expm1(level), 1e-9)
    rise = (slope * slope).sum(axis=0) / others
    logit = level - np.log(others)
    u = np.full(len(chosen), 0.5)
    for _ in range(START):
        left = expit(-logit - u * rise)
        u = u - (u * others - left) / (others + rise * left * (1.0 - left))
        u = np.minimum(np.maximum(u, 0.0), 1.0)
    start: Floats = u * slope
    return start


def _softmax(logits: Floats, chosen: Ints) -> tuple[Floats, Floats]:
    """Return the probabilities of the answers, and the log-probability of the chosen one."""
    shifted = logits - logits.max(axis=0)
    weights = np.exp(shifted)
    total = weights.sum(axis=0)
    return weights / total, shifted[chosen, np.arange(len(chosen))] - np.log(total)


def _averages(centre: Floats, spread: Floats, chosen: Ints) -> tuple[Floats, Floats, Floats]:
    """Return the expected probability of the chosen answers, and means given those answers.

    These are the probabilities of all answers, ``(K, beliefs)``, and the points, ``(K - 1,
    beliefs)``. In single precision: with 64 points, rounding is no further error.
    """
    every = np.arange(len(chosen))
    apart = np.swapaxes(spread - spread[chosen, :, every].T, 0, 1).astype(np.float32)
    offsets = (centre - centre[chosen, every]).astype(np.float32)
    points = normal_points(len(apart)).astype(np.float32)
    odds = (points @ apart.reshape(len(apart), -1)).reshape(len(points), *offsets.shape)
    odds += offsets
    np.exp(np.minimum(odds, np.float32(40.0), out=odds), out=odds)
    own = 1.0 / odds.sum(axis=1)
    total = own.sum(axis=0)
    odds *= (own * own)[:, None]
    usual, drawn = odds.sum(axis=0) / total, points.T @ own / total
    chance: Floats = total.astype(np.float64) / len(points)
    return chance, usual.astype(np.float64), drawn.astype(np.float64)


def _curvature(basis: Floats, spread: Floats, p: Floats) -> Floats:
    """Return ``R = (I + HC)^-1 H = H - H L (I + L'HL)^-1 L'H``, ``(K - 1, K - 1, beliefs)``."""
    weighted = basis[:, :, None] * p[:, None]
    mean = basis.T @ p
    h = np.tensordot(basis.T, weighted, 1) - mean[:, None] * mean
    centred = np.einsum("ckn,cn->kn", spread, p)
    mixed = np.einsum("ckn,cln->kln", spread, weighted) - centred[:, None] * mean
    bend = np.einsum("ckn,cln,cn->kln", spread, spread, p) - centred[:, None] * centred
    bend[np.arange(len(bend)), np.arange(len(bend))] += 1.0
    curvature: Floats = h - np.einsum("mkn,mln->kln", mixed, solved(cholesky(bend), mixed))
    return curvature


def answer_chances(means: Floats, covariances: Floats, model: AnswerModel) -> Floats:
    """Return the probability of each answer, shape ``(..., K)``; arguments as for a hint.

    >>> answer_chances(np.zeros(3), np.eye(3), AnswerModel(0.25)).round(6)
    array([0.25, 0.25, 0.25, 0.25])
    """
    rows = means.shape[-1]
    options, lapse = rows + 1, model.guess + model.slip
    flat = means.reshape(-1, rows), covariances.reshape(-1, rows, rows)
    chances = probabilities_at(normal_points(rows), *flat, model).mean(axis=0)
    mixed: Floats = lapse / options + (1.0 - lapse) * chances
    return mixed.reshape(*means.shape[:-1], options)


def probabilities_at(
    points: Floats, means: Floats, covariances: Floats, model: AnswerModel
) -> Floats:
    """Return the probabilities of answers without lapses at points of a standard normal.

    ``means`` and ``covariances`` have shapes ``(beliefs, K - 1)`` and ``(beliefs, K - 1, K - 1)``;
    the result has shape ``(points, beliefs, K)``.
    """
    beta, basis = sharpness(model), contrasts(means.shape[1] + 1)
    root = np.moveaxis(cholesky(np.moveaxis(covariances, 0, 2)), 2, 0)
    drawn = np.einsum("nkl,pl->pnk", root, points) + means
    logits = beta * (drawn @ basis.T)
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    probabilities: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return probabilities


def weakened(means: Floats, covariances: Floats, model: AnswerModel) -> Floats:
    """Return by how much an answer is expected to shrink a belief, as in a hint."""
    beta, basis = sharpness(model), contrasts(means.shape[1] + 1)
    lapse = model.guess + model.slip
    spread = np.tensordot(basis, cholesky(beta**2 * np.moveaxis(covariances, 0, 2)), 1)
    p = answer_chances(means, covariances, replace(model, guess=0.0, slip=0.0)).T
    shrink: Floats = (1.0 - lapse) * beta**2 * _curvature(basis, spread, p)
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
        root[row, row] = np.sqrt(np.maximum(left, 1e-12 * matrices[row, row] + 1e-24))
    return root


def upper_solved(root: Floats, right: Floats) -> Floats:
    """Return ``L'^-1 b`` for many small matrices; ``right`` has shape ``(n, ..., beliefs)``."""
    found, size = np.array(right), len(root)
    for row in reversed(range(size)):
        for after in range(row + 1, size):
            found[row] -= root[after, row] * found[after]
        found[row] /= root[row, row]
    return found


def solved(root: Floats, right: Floats) -> Floats:
    """Return ``(LL')^-1 b`` for many small matrices; ``right`` has shape ``(n, ..., beliefs)``."""
    found = np.array(right)
    size = len(root)
    for row in range(size):
        for before in range(row):
            found[row] -= root[row, before] * found[before]
        found[row] /= root[row, row]
    return upper_solved(root, found)
