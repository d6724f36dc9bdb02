"""The distance between the letters of a model and its training data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp

from homeroom.handwriting.generators.lstm import LetterModel
from homeroom.handwriting.generators.lstm.distance import distances, kolmogorov_smirnov


def test_the_distance_is_that_of_kolmogorov_and_smirnov() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.random(300), rng.random(200) ** 1.2
    assert kolmogorov_smirnov(first, second) == pytest.approx(ks_2samp(first, second).statistic)


@pytest.mark.slow
def test_the_shipped_model_writes_like_its_corpus() -> None:
    found = distances(LetterModel.load(), 30, letters="aflmo5")
    chance = 1.63 * np.sqrt(2 / 180)  # what two samples of 180 differ by, but for one in a hundred
    assert found.all.max() < 0.10 + chance
    assert found.broken < 0.05
    assert found.lost < 0.01
    assert found.each.shape == (6, 3)
    assert set(found.to_json()["each"]) == set("aflmo5")


@pytest.mark.slow
def test_the_shipped_model_is_as_close_to_its_corpus_as_documented() -> None:
    """The distance of each score to the corpus is at most 0.10, over all letters and digits."""
    found = distances(LetterModel.load(), 60)
    assert found.all.max() <= 0.10
    assert found.lost < 0.01
