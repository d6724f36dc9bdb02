"""Drawing the pen's next step."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting.generators.lstm import mixture
from homeroom.handwriting.generators.lstm.mixture import COMPONENTS, MOST_CORRELATED, OUTPUTS
from homeroom.handwriting.generators.lstm.tracks import Floats32

MANY = 40_000


def outputs() -> Floats32:
    """Two components: 1/4 at (1, 2), wide and correlated, and 3/4 at (-3, 0), narrow."""
    row = np.zeros(OUTPUTS, dtype=np.float32)
    weights, x, y, log_x, log_y, correlation = row[: 6 * COMPONENTS].reshape(6, COMPONENTS)
    weights[:] = -50.0
    weights[:2] = np.log([0.25, 0.75])
    x[:2], y[:2] = [1.0, -3.0], [2.0, 0.0]
    log_x[:2], log_y[:2] = np.log([0.5, 0.1]), np.log([0.2, 0.1])
    correlation[0] = np.arctanh(0.8 / MOST_CORRELATED)
    row[-2:] = [np.log(0.3 / 0.7), 20.0]
    return np.tile(row, (MANY, 1))


def test_draws_follow_the_mixture() -> None:
    drawn = mixture.draw(outputs(), np.random.default_rng(0))
    wide = drawn[:, 0] > -1.0
    assert wide.mean() == pytest.approx(0.25, abs=0.01)
    np.testing.assert_allclose(drawn[wide].mean(axis=0), [1.0, 2.0], atol=0.02)
    np.testing.assert_allclose(drawn[wide].std(axis=0), [0.504, 0.204], atol=0.01)
    turned = (drawn[wide] - [1.0, 2.0]) / [0.504, 0.204]
    assert turned.prod(axis=1).mean() == pytest.approx(0.8, abs=0.05)


def test_bias_makes_writing_neater() -> None:
    """Widths shrink by exp(bias); shares go as their power 1 + bias."""
    drawn = mixture.draw(outputs(), np.random.default_rng(0), bias=1.0)
    wide = drawn[:, 0] > -1.0
    assert wide.mean() == pytest.approx(0.25**2 / (0.25**2 + 0.75**2), abs=0.01)
    np.testing.assert_allclose(drawn[wide].std(axis=0), np.array([0.504, 0.204]) / np.e, atol=0.01)


def test_coins_fall_as_their_odds_say() -> None:
    coins = mixture.toss(outputs(), np.random.default_rng(0))
    assert coins.ends.mean() == pytest.approx(0.3, abs=0.01)
    assert coins.lifts.all()
