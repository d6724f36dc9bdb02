"""A pool of directions that the teacher may scale."""

from typing import Any

import numpy as np
import pytest

from homeroom import DirectionPool
from homeroom.moments import moments_of


def test_directions_are_scaled_to_length_one_and_frozen() -> None:
    mine = np.array([[3.0, 4.0], [0.0, -2.0]])
    pool = DirectionPool(mine)
    np.testing.assert_allclose(pool.directions, [[0.6, 0.8], [0.0, -1.0]])
    assert mine.tolist() == [[3.0, 4.0], [0.0, -2.0]]
    with pytest.raises(ValueError, match="read-only"):
        pool.directions[0, 0] = 1.0


def test_the_best_direction_is_that_of_brute_force() -> None:
    """The largest drop of the mean squared distance, by really taking every step."""
    rng = np.random.default_rng(0)
    gaps, rates = rng.standard_normal((20, 3)), 0.1 + rng.random(20)
    pool = DirectionPool(rng.standard_normal((40, 3)))
    drops = []
    for direction in pool.directions:
        x = np.sqrt(1.2) * direction
        after = gaps - (rates * (gaps @ x))[:, None] * x
        drops.append(((gaps**2).sum() - (after**2).sum()) / 20)
    pick = pool.best(moments_of(gaps, rates), g=1.2)
    assert pick.item == int(np.argmax(drops))
    assert pick.help == pytest.approx(max(drops))
    assert pick.g == 1.2
    np.testing.assert_array_equal(pick.direction, pool.directions[pick.item])


def test_candidates_are_the_directions_at_several_lengths_within_the_radius() -> None:
    pool = DirectionPool([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    xs, items, labels = pool.candidates(2.0)
    lengths = np.linalg.norm(xs, axis=1)
    assert lengths.max() == pytest.approx(2.0)
    assert lengths.min() > 0
    np.testing.assert_allclose(xs, lengths[:, None] * pool.directions[items])
    assert np.bincount(items).tolist() == [12, 12, 12]
    assert labels is None


def test_directions_are_drawn_from_the_pool() -> None:
    pool = DirectionPool(np.eye(3))
    xs, items, labels = pool.draw(300, 3, np.random.default_rng(0))
    np.testing.assert_array_equal(xs, pool.directions[items])
    assert np.bincount(items).min() > 60
    assert labels is None


def test_a_pool_fits_a_class_of_its_width() -> None:
    pool = DirectionPool(np.eye(3))
    assert pool.fit(3, 0.01) is pool
    assert pool.rescalable
    with pytest.raises(ValueError, match="`directions` must have 4 columns, one for each dim"):
        pool.fit(4, 1.0)


def test_a_rank_poor_pool_says_what_it_cannot_teach() -> None:
    basis = DirectionPool([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]).untaught(3)
    np.testing.assert_allclose(np.abs(basis), [[0.0], [0.0], [1.0]], atol=1e-12)


@pytest.mark.parametrize(
    ("directions", "message"),
    [
        ([[1.0, 0.0], [0.0, 0.0]], "`directions` must not be zero, but item 1 is. Drop it"),
        (np.ones((0, 3)), r"`directions` must have at least one row and one column, .* \(0, 3\)"),
        ([], r"`directions` must have shape \(items, dimensions\), but has shape \(0,\)"),
        ([1.0, 2.0], r"`directions` must have shape .*For a single row, write directions=\[\["),
        ([[1.0, np.nan]], r"`directions` must be finite, but directions\[0, 1\] is nan"),
    ],
)
def test_pools_that_cannot_be_are_refused(directions: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DirectionPool(directions)
