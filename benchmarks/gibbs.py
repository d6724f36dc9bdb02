"""The mean of a map's posterior by Gibbs sampling, to hold the most probable map against.

Albert and Chib's way: behind every answer is a number ``z ~ N(<w, x> - tau, 1)``, positive for yes.
Given these, items and lines are Gaussian; given items and lines, they are cut-off Gaussians.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from homeroom._arrays import Floats
from homeroom.crowd import Answers, Embedding
from homeroom.crowd.align import onto
from homeroom.crowd.fitting.posterior import Prior

FORGOTTEN, DRAWS = 500, 1000


def posterior_mean(answers: Answers, found: Embedding, *, seed: int = 0) -> Floats:
    """Return the mean place of each item over draws, each turned onto the map that was found.

    Everybody must have answered everything.
    """
    rng, prior = np.random.default_rng(seed), Prior()
    sign = np.zeros((len(answers.people), len(answers.items)))
    sign[answers.person, answers.item] = np.where(answers.yes, 1.0, -1.0)
    items, people, thresholds = found.items, found.people, found.thresholds
    total = np.zeros_like(items)
    for draw in range(FORGOTTEN + DRAWS):
        hidden = _hidden(sign, people @ items.T - thresholds[:, None], rng)
        features = np.column_stack([items, np.full(len(items), -1.0)])
        lines = _gaussian(features, hidden, prior.line(found.dimensions), rng)
        people, thresholds = lines[:, :-1], lines[:, -1]
        precision = np.full(found.dimensions, prior.items**-2)
        items = _gaussian(people, (hidden + thresholds[:, None]).T, precision, rng)
        if draw >= FORGOTTEN:
            total += items @ onto(items, found.items)
    mean: Floats = total / DRAWS
    return mean


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
