"""The whole posterior of a map instead of its peak: draws by the No-U-Turn sampler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError, whole
from homeroom._extras import needs
from homeroom.crowd.align import onto
from homeroom.crowd.answers import Answers
from homeroom.crowd.embedding import Embedding
from homeroom.crowd.fitting.laplace import Uncertainty
from homeroom.crowd.fitting.posterior import Prior
from homeroom.crowd.fitting.table import Table


@dataclass(frozen=True, eq=False)
class Draws:
    """Maps drawn from the posterior, each turned to lie as the most probable one does.

    Parameters
    ----------
    items
        Shape ``(draws, items, d)``.
    people
        Shape ``(draws, people, d)``.
    thresholds
        Shape ``(draws, people)``.
    divergences
        How many draws the sampler could not follow; more than a few are a reason for more warmup.
    """

    items: Floats
    people: Floats
    thresholds: Floats
    divergences: int

    def uncertainty(self) -> Uncertainty:
        """Return the covariances of the draws, to be held against Laplace's."""
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
) -> Draws:
    """Return draws from the posterior of a map; needs numpyro.

    Laplace's covariances are a Gaussian's at the peak. These are exact but for the number of
    draws, and take minutes where those take a fraction of a second.

    Parameters
    ----------
    embedding
        The most probable map, where the sampler starts.
    answers
        The answers that it was made of.
    draws, warmup
        How many maps are drawn, and how many before them are forgotten.
    seed
        Of the sampler.
    prior
        What is expected before any answer.
    """
    whole(draws, "draws", at_least=2)
    whole(warmup, "warmup", at_least=1)
    if (answers.items, answers.people) != (embedding.item_names, embedding.person_names):
        raise InputError(
            "`answers` must be those that the map was made of, but they are of other people or to "
            "other items. Fit them first: Embedding.fit(answers)."
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
    sampler.run(jax.random.PRNGKey(seed), Table.of(answers), embedding.dimensions, prior)
    found = {
        name: np.asarray(values, dtype=np.float64) for name, values in sampler.get_samples().items()
    }
    diverging = int(np.asarray(sampler.get_extra_fields()["diverging"]).sum())
    return _aligned(embedding, found, prior, diverging)


def _model(table: Table, dimensions: int, prior: Prior) -> None:
    """Say how answers come about, in numpyro's words; all unknowns with standard deviation one."""
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
) -> Draws:
    items, people = found["items"] * prior.items, found["people"] * prior.people
    turns = np.array([onto(draw, embedding.items) for draw in items])
    return Draws(items @ turns, people @ turns, found["thresholds"] * prior.thresholds, divergences)


def _covariances(draws: Floats) -> Floats:
    gaps = draws - draws.mean(axis=0)
    sums: Floats = np.einsum("sia,sib->iab", gaps, gaps)
    return sums / (len(draws) - 1)


def _numpyro_or_explain() -> Any:
    """Return jax and numpyro, or raise an error that says how to install them."""
    with needs("Draws from the posterior need numpyro", "posterior"):
        import jax
        import numpyro
    return jax, numpyro
