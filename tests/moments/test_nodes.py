import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeroom.moments.nodes import barycentric_weights, chebyshev_nodes, lagrange


@given(st.floats(1e-3, 1.0), st.floats(1.1, 1e3), st.integers(1, 7))
def test_nodes_lie_in_the_range_and_touch_its_ends(slowest: float, wide: float, level: int) -> None:
    nodes = chebyshev_nodes(slowest, slowest * wide, 2**level + 1)
    assert nodes[0] == pytest.approx(slowest * wide)
    assert nodes[-1] == pytest.approx(slowest)
    assert (np.diff(nodes) < 0).all()


def test_every_other_node_is_the_coarser_set() -> None:
    """Nested: half as many nodes are among them."""
    np.testing.assert_allclose(
        chebyshev_nodes(0.1, 5.0, 65)[::2], chebyshev_nodes(0.1, 5.0, 33), rtol=1e-14
    )


@pytest.mark.parametrize("count", [3, 9, 33])
def test_polynomials_come_back_exactly(count: int) -> None:
    """sum_i l_i(x) f(z_i) = f(x) for every polynomial of degree below the number of nodes."""
    rng = np.random.default_rng(count)
    nodes = chebyshev_nodes(0.2, 3.0, count)
    places = rng.uniform(0.2, 3.0, 200)
    polynomial = np.polynomial.Chebyshev(rng.standard_normal(count), domain=[0.2, 3.0])
    found = lagrange(nodes, places) @ polynomial(nodes)
    np.testing.assert_allclose(found, polynomial(places), atol=1e-12)


def test_a_place_on_a_node_is_all_of_that_node() -> None:
    nodes = chebyshev_nodes(0.1, 0.9, 17)
    np.testing.assert_array_equal(lagrange(nodes, nodes), np.eye(17))


def test_a_place_beside_a_node_is_almost_all_of_it() -> None:
    nodes = chebyshev_nodes(0.1, 0.9, 17)
    beside = np.nextafter(nodes, 0.5)
    np.testing.assert_allclose(lagrange(nodes, beside), np.eye(17), atol=1e-12)


def test_many_nodes_do_not_overflow() -> None:
    weights = barycentric_weights(chebyshev_nodes(1e-3, 1.0, 513))
    assert np.isfinite(weights).all()
    # Known in closed form: alternating signs, equal size, half at both ends.
    size = np.abs(weights) / np.abs(weights).max()
    np.testing.assert_allclose(size[1:-1], 1.0, rtol=1e-9)
    np.testing.assert_allclose(size[[0, -1]], 0.5, rtol=1e-9)
    assert (np.sign(weights[1:]) == -np.sign(weights[:-1])).all()
