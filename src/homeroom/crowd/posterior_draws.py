"""Draws from the posterior of a map, by the No-U-Turn sampler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError, whole
from homeroom._extras import needs
from homeroom.crowd.answers import Answers
from homeroom.crowd.embedding import Embedding
from homeroom.crowd.fitting.answer_table import AnswerTable
from homeroom.crowd.fitting.parameters import rotation_onto
from homeroom.crowd.fitting.posterior import Prior
from homeroom.crowd.fitting.uncertainty import Uncertainty


@dataclass(frozen=True, eq=False)
class PosteriorDraws:
    """Maps drawn from the posterior, each rotated to match the most probable one.

    Parameters
    ----------
    items
        Shape ``(draws, items, d)``.
    people
        Shape ``(draws, people, d)``.
    thresholds
        Shape ``(draws, people)``.
    divergences
        The number of divergent transitions; more than a few call for a longer warmup.
    """

    items: Floats
    people: Floats
    thresholds: Floats
    divergences: int

    def uncertainty(self) -> Uncertainty:
        """Return the covariances of the draws, to be compared with Laplace's."""
        lines = np.concatenate([self.people, self.thresholds[:, :, None]], axis=2)
        return Uncertainty(_covariances(self.items), _covariances(lines))


def sample_posterior(
    embedding: Embedding,
    answers: Answers,
    *,
    draws: int = 500,
    warmup: int = 500,
    seed: int = 0,
    prior: Prior = Prior(),
) -> PosteriorDraws:
    """Return draws from the posterior of a map; needs numpyro.

    Laplace's covariances approximate the posterior at its peak, in a fraction of a second. Those of
    the draws are exact up to sampling noise, and take minutes.

    Parameters
    ----------
    embedding
        The most probable map, where the sampler starts.
    answers
        The answers that it was fitted to.
    draws, warmup
        How many maps are drawn, and how many before them are discarded.
    seed
        The seed of the sampler.
    prior
        The prior that the map was fitted with.
    """
    whole(draws, "draws", at_least=2)
    whole(warmup, "warmup", at_least=1)
    if (answers.items, answers.people) != (embedding.item_names, embedding.person_names):
        raise InputError(
            "`answers` must be those that the map was fitted to, but have other annotators or "
            "items. Fit them first: Embedding.fit(answers)."
        )
    if len(embedding.classes) > 2:
        raise InputError(
            f"Draws from the posterior are made for maps with two answers, but this one has "
            f"{len(embedding.classes)} classes: use embedding.uncertainty."
        )
    embedding.check_has_axes()
    jax, numpyro = _numpyro_or_explain()
    infer = numpyro.infer
    start = {
        "items": embedding.items / prior.items,
        "people": embedding.people / prior.people,
        "thresholds": embedding.thresholds / prior.thresholds,
    }
    sampler = infer.MCMC(
        infer.NUTS(_model, init_strategy=infer.init_to_value(values=start)),
        num_warmup=warmup,
        num_samples=draws,
        progress_bar=False,
    )
    sampler.run(jax.random.PRNGKey(seed), AnswerTable.of(answers), embedding.dimensions, prior)
    found = {
        name: np.asarray(values, dtype=np.float64) for name, values in sampler.get_samples().items()
    }
    diverging = int(np.asarray(sampler.get_extra_fields()["diverging"]).sum())
    return _aligned(embedding, found, prior, diverging)


def _model(table: AnswerTable, dimensions: int, prior: Prior) -> None:
    """Define the model for numpyro, with unknowns divided by their prior standard deviations."""
    jax, numpyro = _numpyro_or_explain()
    normal = numpyro.distributions.Normal(0.0, 1.0)
    items = numpyro.sample("items", normal.expand([table.items, dimensions]).to_event(2))
    people = numpyro.sample("people", normal.expand([table.people, dimensions]).to_event(2))
    thresholds = numpyro.sample("thresholds", normal.expand([table.people]).to_event(1))
    scale = prior.items * prior.people
    certain = scale * (people[table.person] * items[table.item]).sum(axis=1)
    certain = certain - prior.thresholds * thresholds[table.person]
    said = jax.scipy.special.log_ndtr(table.signs * certain)
    numpyro.factor("answers", said.sum())


def _aligned(
    embedding: Embedding, found: dict[str, Floats], prior: Prior, divergences: int
) -> PosteriorDraws:
    """Return the sampler's draws in the units of the map, each rotated to match the map."""
    items, people = found["items"] * prior.items, found["people"] * prior.people
    rotations = np.array([rotation_onto(draw, embedding.items) for draw in items])
    thresholds = found["thresholds"] * prior.thresholds
    return PosteriorDraws(items @ rotations, people @ rotations, thresholds, divergences)


def _covariances(draws: Floats) -> Floats:
    """Return the covariance of each row over draws ``(draws, rows, d)``, shape ``(rows, d, d)``."""
    gaps = draws - draws.mean(axis=0)
    sums: Floats = np.einsum("sia,sib->iab", gaps, gaps)
    return sums / (len(draws) - 1)


def _numpyro_or_explain() -> Any:
    """Return jax and numpyro, or raise an error that says how to install them."""
    with needs("Draws from the posterior need numpyro", "posterior"):
        import jax
        import numpyro
    return jax, numpyro
