"""Any example at all: the teacher makes it up."""

import numpy as np
import pytest

from homeroom import Ball
from homeroom.moments import moments_of
from homeroom.pools import AbstractPool


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


def test_a_ball_fits_every_class_and_teaches_everything() -> None:
    ball: AbstractPool = Ball()
    assert ball.fit(7, 0.1) is ball
    assert ball.untaught(7).shape == (7, 0)
    assert ball.rescalable
    assert ball.labels is None
    assert ball.candidates(2.0) is None
