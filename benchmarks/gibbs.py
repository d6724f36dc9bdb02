"""Posterior means by Gibbs sampling, to compare with the most probable map.

The method of Albert and Chib: behind every answer is a number ``z ~ N(<w, x> - tau, 1)``, positive
for yes. Given these, items and lines are Gaussian; given items and lines, they are truncated
Gaussians. All annotators must have answered all items.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtr, ndtri

from benchmarks.crowds import Crowd
from homeroom._arrays import Floats
from homeroom.crowd import Answers, Embedding
from homeroom.crowd.fitting.parameters import rotation_onto
from homeroom.crowd.fitting.posterior import Prior

FORGOTTEN, DRAWS = 500, 4000


def posterior_mean(answers: Answers, found: Embedding, *, seed: int = 0) -> Floats:
    """Return the mean place of each item over draws, each rotated onto the fitted map."""
    rng, prior = np.random.default_rng(seed), Prior()
    sign = _signs(answers)
    items, people, thresholds = found.items, found.people, found.thresholds
    total = np.zeros_like(items)
    for draw in range(FORGOTTEN + DRAWS):
        hidden = _hidden(sign, people @ items.T - thresholds[:, None], rng)
        features = np.column_stack([items, np.full(len(items), -1.0)])
        lines = _gaussian(features, hidden, prior.line_precisions(found.dimensions), rng)
        people, thresholds = lines[:, :-1], lines[:, -1]
        precision = np.full(found.dimensions, prior.items**-2)
        items = _gaussian(people, (hidden + thresholds[:, None]).T, precision, rng)
        if draw >= FORGOTTEN:
            total += items @ rotation_onto(items, found.items)
    mean: Floats = total / DRAWS
    return mean


def mean_by_the_laws(
    world: Crowd, angles: float, spread: float, *, seed: int = 0, draws: int = DRAWS
) -> Floats:
    """Return the posterior mean place of each item, given the answers and both distributions.

    The distributions are those of ``simulate``, from which items, people and thresholds are drawn.
    In squared error, no method that has only the answers is better on average. Angles are drawn
    from a fine grid, for any threshold; draws start at the truth, and each is turned onto it.
    """
    rng, sign = np.random.default_rng(seed), _signs(world.answers)
    steps = np.linspace(-4, 4, 161)
    expected = -0.5 * steps**2
    turns = np.pi / 4 + angles * steps
    directions = np.column_stack([np.cos(turns), np.sin(turns)])
    items, people, thresholds = world.items, world.people, world.thresholds
    narrow = 1 / (len(items) + spread**-2)
    total = np.zeros_like(items)
    for draw in range(FORGOTTEN + draws):
        hidden = _hidden(sign, people @ items.T - thresholds[:, None], rng)
        along = items @ directions.T
        gaps = hidden.sum(axis=1)[:, None] - along.sum(axis=0)
        fit = hidden @ along - 0.5 * (along**2).sum(axis=0) + 0.5 * narrow * gaps**2
        pick = (fit + expected + rng.gumbel(size=fit.shape)).argmax(axis=1)
        people = directions[pick]
        middles = -narrow * gaps[np.arange(len(people)), pick]
        thresholds = middles + np.sqrt(narrow) * rng.standard_normal(len(people))
        items = _of_two_clouds(people, (hidden + thresholds[:, None]).T, rng)
        if draw >= FORGOTTEN:
            total += items @ rotation_onto(items, world.items)
    mean: Floats = total / draws
    return mean


def _signs(answers: Answers) -> Floats:
    """Return the answers as a table of people and items, 1 for yes and -1 for no."""
    sign = np.zeros((len(answers.people), len(answers.items)))
    sign[answers.person, answers.item] = np.where(answers.yes, 1.0, -1.0)
    return sign


def _hidden(sign: Floats, certain: Floats, rng: np.random.Generator) -> Floats:
    """Draw the numbers behind the answers: Gaussian, cut off where the answer would be another."""
    chance = rng.random(sign.shape) * ndtr(sign * certain)
    hidden: Floats = certain - sign * ndtri(np.maximum(chance, 1e-300))
    return hidden


def _gaussian(
    features: Floats, values: Floats, precision: Floats, rng: np.random.Generator
) -> Floats:
    """Draw the weights of a linear model with unit noise for each row of values."""
    covariance = np.linalg.inv(features.T @ features + np.diag(precision))
    noise = rng.standard_normal((len(values), len(precision)))
    drawn: Floats = values @ features @ covariance + noise @ np.linalg.cholesky(covariance).T
    return drawn


def _of_two_clouds(people: Floats, values: Floats, rng: np.random.Generator) -> Floats:
    """Draw items that lie around (1, 1) or (-1, -1), with equal probability."""
    precision = people.T @ people + np.eye(2)
    covariance = np.linalg.inv(precision)
    means = [(values @ people + centre) @ covariance for centre in (1.0, -1.0)]
    one, other = (0.5 * np.einsum("ia,ab,ib->i", mean, precision, mean) for mean in means)
    first = rng.random(len(values)) < expit(one - other)
    noise = rng.standard_normal((len(values), 2))
    drawn: Floats = np.where(first[:, None], *means) + noise @ np.linalg.cholesky(covariance).T
    return drawn
