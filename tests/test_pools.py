"""Pools: the ball, directions of any length, and fixed items."""

import numpy as np
import pytest

from homeroom import Ball, DirectionPool, ItemPool
from homeroom.moments import moments_of
from homeroom.pools import untaught_directions


@pytest.mark.parametrize("rank", [1, 2, 4, 5])
@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e6])
def test_the_untaught_space_is_orthogonal_to_all_items(rank: int, scale: float) -> None:
    """An orthonormal basis of the null space of the items."""
    rng = np.random.default_rng(rank)
    rows = scale * rng.standard_normal((20, rank)) @ rng.standard_normal((rank, 5))
    basis = untaught_directions(rows)
    assert basis.shape == (5, 5 - rank)
    np.testing.assert_allclose(basis.T @ basis, np.eye(5 - rank), atol=1e-12)
    np.testing.assert_allclose(rows @ basis, 0.0, atol=1e-6 * scale)


def test_the_best_of_the_ball_beats_every_direction() -> None:
    """u'Wu is largest for the top eigenvector: against 20000 random unit directions."""
    rng = np.random.default_rng(0)
    moments = moments_of(rng.standard_normal((30, 4)), 0.1 + rng.random(30))
    pick = Ball().best(moments, g=1.5)
    tried = rng.standard_normal((20_000, 4))
    tried /= np.linalg.norm(tried, axis=1, keepdims=True)
    helps = np.einsum("ni,ij,nj->n", tried, moments.weigh(1.5), tried)
    assert pick.help >= helps.max()
    assert pick.help == pytest.approx(helps.max(), rel=0.01)
    assert pick.direction @ moments.weigh(1.5) @ pick.direction == pytest.approx(pick.help)
    assert (pick.g, pick.item) == (1.5, None)


def test_random_directions_are_units_in_every_direction() -> None:
    drawn = Ball().draw(4000, 3, np.random.default_rng(0))
    np.testing.assert_allclose(np.linalg.norm(drawn.xs, axis=1), 1.0)
    np.testing.assert_allclose(drawn.xs.mean(axis=0), 0.0, atol=5 / np.sqrt(3 * 4000))
    np.testing.assert_allclose(drawn.xs.T @ drawn.xs / 4000, np.eye(3) / 3, atol=0.03)
    assert set(drawn.items.tolist()) == {-1}
    assert drawn.labels is None


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


def test_items_are_drawn_with_their_labels() -> None:
    pool = ItemPool(np.eye(3), labels=[10.0, 20.0, 30.0])
    xs, items, labels = pool.draw(300, 3, np.random.default_rng(0))
    np.testing.assert_array_equal(xs, np.eye(3)[items])
    np.testing.assert_array_equal(labels, 10.0 * (items + 1))
    assert np.bincount(items).min() > 60
    assert ItemPool(np.eye(3)).draw(1, 3, np.random.default_rng(0)).labels is None


class TestFit:
    def test_items_that_are_too_long_or_zero_are_never_shown(self) -> None:
        pool = ItemPool([[9.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 2.0]], labels=[1, 2, 3, 4])
        with pytest.warns(UserWarning, match="2 of 4 items"):
            kept = pool.fit(2, 2.0)
        assert len(kept) == 2
        assert kept.labels is not None
        assert kept.labels.tolist() == [2.0, 4.0]
        pick = kept.best(moments_of(np.array([[0.0, 1.0]]), np.array([0.2])), g=4.0)
        assert pick.item == 3  # counted in the pool that was given


def test_texts_are_labels_numbered_in_alphabetical_order() -> None:
    for labels in (["wasp", "ant", "wasp"], np.array(["wasp", "ant", "wasp"], dtype=object)):
        pool = ItemPool(np.eye(3), labels)
        assert pool.classes == ("ant", "wasp")
        assert pool.labels is not None
        assert pool.labels.tolist() == [2.0, 1.0, 2.0]
    assert ItemPool(np.eye(3), [1, 0, 1]).classes is None
    column = ItemPool(np.eye(3), np.array([1, 0, True], dtype=object))  # as tables have them
    assert column.labels is not None
    assert column.labels.tolist() == [1.0, 0.0, 1.0]
    assert (
        ItemPool(np.eye(2), [True, False]).draw(1, 2, np.random.default_rng(0)).labels is not None
    )
