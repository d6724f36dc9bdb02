"""Shakiness."""

from __future__ import annotations

import numpy as np

from homeroom.handwriting.generators.tremor import BAND, tremors


def test_a_tremor_is_as_large_as_it_is_told() -> None:
    clocks = [
        np.arange(100) / 60.0 + np.zeros((2, 1)),
        2.0 + np.arange(30) / 60.0 * np.ones((2, 1)),
    ]
    counts = np.array([[100, 30], [80, 20]])
    shakes = tremors(clocks, counts, np.array([0.1, 0.0]), np.random.default_rng(0))
    assert [shake.shape for shake in shakes] == [(2, 100, 2), (2, 30, 2)]
    first = np.concatenate([shake[0] for shake in shakes])
    np.testing.assert_allclose(np.sqrt((first**2).sum(axis=1).mean()), 0.1)
    assert all((shake[1] == 0.0).all() for shake in shakes)


def test_points_beyond_a_letters_end_do_not_count() -> None:
    clocks = [np.arange(100) / 60.0 * np.ones((1, 1))]
    shake = tremors(clocks, np.array([[40]]), np.array([0.1]), np.random.default_rng(0))[0]
    np.testing.assert_allclose(np.sqrt((shake[0, :40] ** 2).sum(axis=1).mean()), 0.1)


def test_a_tremor_is_in_its_band() -> None:
    clocks = [np.arange(1024) / 64.0 * np.ones((20, 1))]
    shakes = tremors(clocks, np.full((20, 1), 1024), np.ones(20), np.random.default_rng(3))[0]
    power = (np.abs(np.fft.rfft(shakes[..., 0] * np.hanning(1024))) ** 2).mean(axis=0)
    pitch = np.fft.rfftfreq(1024, 1 / 64.0)
    inside = (pitch > BAND[0] - 0.3) & (pitch < BAND[1] + 0.3)
    assert power[inside].sum() > 0.999 * power.sum()
