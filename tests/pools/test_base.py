"""What a pool cannot teach."""

import numpy as np
import pytest

from homeroom.pools.base import untaught_directions


@pytest.mark.parametrize("rank", [1, 2, 4, 5])
@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e6])
def test_what_is_untaught_is_the_space_that_no_item_has_a_part_in(rank: int, scale: float) -> None:
    """An orthonormal basis of the null space of the items."""
    rng = np.random.default_rng(rank)
    rows = scale * rng.standard_normal((20, rank)) @ rng.standard_normal((rank, 5))
    basis = untaught_directions(rows)
    assert basis.shape == (5, 5 - rank)
    np.testing.assert_allclose(basis.T @ basis, np.eye(5 - rank), atol=1e-12)
    np.testing.assert_allclose(rows @ basis, 0.0, atol=1e-6 * scale)


def test_fewer_items_than_dimensions_leave_the_rest_untaught() -> None:
    basis = untaught_directions(np.array([[0.0, 2.0, 0.0]]))
    assert np.abs(basis).sum(axis=1).round(12).tolist() == [1.0, 0.0, 1.0]
