"""A pool of fixed items: pictures, letters, questions."""

from typing import Any

import numpy as np
import pytest

from homeroom import ItemPool
from homeroom.moments import moments_of


@pytest.mark.parametrize("students", [1, 20])
def test_the_best_item_is_that_of_brute_force(students: int) -> None:
    """The largest drop of the mean squared distance, by really showing every item."""
    rng = np.random.default_rng(0)
    gaps, rates = rng.standard_normal((students, 3)), 0.1 + rng.random(students)
    pool = ItemPool(rng.standard_normal((40, 3)))
    drops = []
    for x in pool.items:
        after = gaps - (rates * (gaps @ x))[:, None] * x
        drops.append(((gaps**2).sum() - (after**2).sum()) / students)
    pick = pool.best(moments_of(gaps, rates), g=99.0)
    assert pick.item == int(np.argmax(drops))
    assert pick.help == pytest.approx(max(drops))
    np.testing.assert_allclose(np.sqrt(pick.g) * pick.direction, pool.items[pick.item])


def test_items_are_shown_as_they_are() -> None:
    pool = ItemPool([[2.0, 0.0], [0.0, 3.0]], labels=[1.0, -1.0])
    assert not pool.rescalable
    xs, items, labels = pool.candidates(1e-9)
    assert xs.tolist() == [[2.0, 0.0], [0.0, 3.0]]
    assert items.tolist() == [0, 1]
    assert labels is not None
    assert labels.tolist() == [1.0, -1.0]


def test_items_are_drawn_with_their_labels() -> None:
    pool = ItemPool(np.eye(3), labels=[10.0, 20.0, 30.0])
    xs, items, labels = pool.draw(300, 3, np.random.default_rng(0))
    np.testing.assert_array_equal(xs, np.eye(3)[items])
    np.testing.assert_array_equal(labels, 10.0 * (items + 1))
    assert np.bincount(items).min() > 60
    assert ItemPool(np.eye(3)).draw(1, 3, np.random.default_rng(0)).labels is None


class TestFit:
    def test_a_pool_that_fits_is_kept(self) -> None:
        pool = ItemPool([[2.0, 0.0], [0.0, 1.0]])
        assert pool.fit(2, 2.0) is pool

    def test_items_that_are_too_long_or_zero_are_never_shown(self) -> None:
        pool = ItemPool([[9.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 2.0]], labels=[1, 2, 3, 4])
        with pytest.warns(UserWarning, match="2 of 4 items are zero or longer than 2, and will"):
            kept = pool.fit(2, 2.0)
        assert len(kept) == 2
        assert kept.labels is not None
        assert kept.labels.tolist() == [2.0, 4.0]
        pick = kept.best(moments_of(np.array([[0.0, 1.0]]), np.array([0.2])), g=4.0)
        assert pick.item == 3  # counted in the pool that was given

    def test_items_that_are_all_too_long_are_refused(self) -> None:
        message = (
            r"`items` must be no longer than 2 for this class, but the shortest has length 3\."
        )
        with pytest.raises(ValueError, match=message):
            ItemPool([[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]]).fit(2, 2.0)

    def test_items_that_are_all_zero_are_refused(self) -> None:
        with pytest.raises(ValueError, match="`items` must not all be zero: nobody learns"):
            ItemPool(np.zeros((2, 2))).fit(2, 2.0)

    def test_another_width_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"`items` must have 3 columns, .* but have 2"):
            ItemPool(np.eye(2)).fit(3, 2.0)


def test_a_rank_poor_pool_says_what_it_cannot_teach() -> None:
    assert ItemPool(np.ones((5, 3))).untaught(3).shape == (3, 2)
    assert ItemPool(np.eye(3)).untaught(3).shape == (3, 0)


@pytest.mark.parametrize(
    ("items", "labels", "message"),
    [
        (np.ones((0, 3)), None, r"`items` must have at least one row and one column, .* \(0, 3\)"),
        ([], None, r"`items` must have shape \(items, dimensions\), but has shape \(0,\)"),
        ([[1.0, np.inf]], None, r"`items` must be finite, but items\[0, 1\] is inf"),
        ([[1.0], [2.0]], [1.0], r"`labels` must have one number for each item, shape \(2,\), but"),
        ([[1.0], [2.0]], [1.0, np.nan], r"`labels` must be finite, but labels\[1\] is nan"),
    ],
)
def test_pools_that_cannot_be_are_refused(items: Any, labels: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ItemPool(items, labels)


def test_labels_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(TypeError, match="`labels` must be numbers in rows of equal length"):
        ItemPool([[1.0]], ["yes"])
