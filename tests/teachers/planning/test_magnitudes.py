"""The best lengths along one direction."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.teachers.planning.magnitudes import best_lengths, gauss_nodes


def test_the_free_lengths_are_gauss_nodes() -> None:
    """They integrate polynomials of degree 2m - 1 exactly, against ``rate * energy``."""
    rng = np.random.default_rng(0)
    rates, energies = 0.1 + rng.random(30), rng.random(30)
    nodes = np.sort(1.0 / best_lengths(rates, energies, 3, ceiling=1e9).g)
    masses = rates * energies
    weights = np.linalg.solve(
        np.vander(nodes, increasing=True).T, [masses @ rates**k for k in range(3)]
    )
    for degree in range(6):
        assert weights @ nodes**degree == pytest.approx(masses @ rates**degree, rel=1e-9)


def test_lengths_at_the_ceiling_come_last_and_are_counted() -> None:
    rates = np.linspace(0.1, 0.6, 20)
    found = best_lengths(rates, np.ones(20), 5, ceiling=4.0)
    assert found.capped == 3
    assert (np.diff(found.g) >= 0).all()
    np.testing.assert_array_equal(found.g[2:], 4.0)


def test_more_steps_never_have_fewer_at_the_ceiling() -> None:
    """So that the search for one more step can begin where the last one ended."""
    rng = np.random.default_rng(3)
    rates, energies = 0.1 + 0.9 * rng.random(40), rng.random(40)
    capped = [best_lengths(rates, energies, count, 3.0).capped for count in range(1, 12)]
    assert capped == sorted(capped)
    again = [
        best_lengths(rates, energies, count + 1, 3.0, capped=known)
        for count, known in enumerate([0, *capped[:-1]])
    ]
    assert [one.capped for one in again] == capped


def test_a_single_rate_has_a_single_node() -> None:
    np.testing.assert_allclose(gauss_nodes(np.full(4, 0.3), np.ones(4), 3), [0.3])


def test_a_measure_without_mass_has_no_nodes() -> None:
    assert len(gauss_nodes(np.array([0.1, 0.2]), np.zeros(2), 2)) == 0
