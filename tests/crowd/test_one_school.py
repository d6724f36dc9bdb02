"""Crowds of one school."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.crowd.one_school import one_school


def test_one_crowd_is_spread_as_the_real_one() -> None:
    rng = np.random.default_rng(0)
    lines = rng.standard_normal((50, 3)) @ rng.standard_normal((3, 3)) + [1.0, 2.0, 3.0]
    cloud = next(one_school(lines, 100_000, rng))
    assert cloud.shape == (100_000, 3)
    np.testing.assert_allclose(cloud.mean(axis=0), lines.mean(axis=0), atol=0.05)
    np.testing.assert_allclose(np.cov(cloud.T), np.cov(lines.T), rtol=0.05, atol=0.05)


@pytest.mark.parametrize("d", [2, 3])
def test_the_other_keeps_to_the_arc(d: int) -> None:
    """People who all weigh with length two do so here too, and turn as far from the middle."""
    rng = np.random.default_rng(0)
    weights = np.eye(d)[0] + 0.5 * rng.standard_normal((300, d))
    weights *= 2 / np.linalg.norm(weights, axis=1, keepdims=True)
    lines = np.column_stack([weights, 0.3 * rng.standard_normal(300)])
    _, arc = one_school(lines, 20_000, rng)
    np.testing.assert_allclose(np.linalg.norm(arc[:, :d], axis=1), 2.0, rtol=1e-12)
    middle = weights.mean(axis=0) / np.linalg.norm(weights.mean(axis=0))
    turns = [np.arccos(np.clip(each @ middle / 2, -1, 1)) for each in (weights, arc[:, :d])]
    assert np.mean(turns[1] ** 2) == pytest.approx(np.mean(turns[0] ** 2), rel=0.05)
    assert arc[:, d].std() == pytest.approx(lines[:, d].std(), rel=0.05)


def test_with_one_dimension_there_are_no_angles() -> None:
    rng = np.random.default_rng(0)
    assert len(list(one_school(rng.standard_normal((20, 2)), 30, rng))) == 1


def test_who_weighs_nothing_looks_nowhere() -> None:
    rng = np.random.default_rng(0)
    crowds = list(one_school(np.zeros((20, 3)), 30, rng))
    assert [crowd.tolist() for crowd in crowds] == [np.zeros((30, 3)).tolist()] * 2
