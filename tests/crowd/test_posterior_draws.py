"""Draws from the posterior of a map."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom.crowd import Embedding
from homeroom.crowd.posterior_draws import PosteriorDraws, sample_posterior


@pytest.mark.slow
def test_draws_agree_with_laplace(crowds: Callable[..., Any]) -> None:
    """Standard deviations within a third of each other, on a map with some answers each."""
    pytest.importorskip("numpyro")
    answers = crowds(items=30, people=15).answers
    found = Embedding.fit(answers, dimensions=2)
    drawn = sample_posterior(found, answers, draws=200, warmup=200)
    assert drawn.items.shape == (200, 30, 2)
    assert drawn.thresholds.shape == (200, 15)
    assert drawn.divergences <= 2
    for mine, theirs in (
        (drawn.uncertainty().items, found.uncertainty.items),
        (drawn.uncertainty().people, found.uncertainty.people),
    ):
        ratio = np.sqrt(np.einsum("iaa->ia", mine) / np.einsum("iaa->ia", theirs))
        assert 0.75 < np.median(ratio) < 1.33


def test_covariances_are_those_of_the_draws() -> None:
    rng = np.random.default_rng(0)
    drawn = PosteriorDraws(rng.random((50, 3, 2)), rng.random((50, 4, 2)), rng.random((50, 4)), 0)
    sure = drawn.uncertainty()
    np.testing.assert_allclose(sure.items[1], np.cov(drawn.items[:, 1].T))
    line = np.column_stack([drawn.people[:, 3], drawn.thresholds[:, 3]])
    np.testing.assert_allclose(sure.people[3], np.cov(line.T))


def test_other_answers_are_refused(crowds: Callable[..., Any]) -> None:
    found = Embedding.fit(crowds(items=10, people=8).answers, dimensions=1)
    with pytest.raises(ValueError, match="`answers` must be those that the map was fitted to"):
        sample_posterior(found, crowds(items=9, people=8).answers)
    with pytest.raises(ValueError, match="`draws` must be at least 2, but is 1"):
        sample_posterior(found, crowds(items=10, people=8).answers, draws=1)


def test_without_numpyro_the_install_command_is_named(
    crowds: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "numpyro", None)
    answers = crowds(items=10, people=8).answers
    found = Embedding.fit(answers, dimensions=1)
    with pytest.raises(ImportError, match=r"pip install 'homeroom\[posterior\]'"):
        sample_posterior(found, answers)
