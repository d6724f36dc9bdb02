"""The best lengths along a direction, and the first draft of a plan."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from homeroom import Classroom
from homeroom.moments.representatives import Representatives
from homeroom.teachers.planning.axes import Axes, best_lengths, gauss_nodes
from homeroom.teachers.planning.simulation import Simulation


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


def test_the_expected_error_is_what_the_steps_leave(
    make_room: Callable[..., Classroom], make_simulation: Callable[..., Simulation]
) -> None:
    """Steps along orthogonal directions do not interact, so errors add up."""
    room = make_room()
    simulation = make_simulation(room)
    axes = Axes(simulation.representatives, 4.0)
    for rounds in (1, 4, 11, 20):
        assert simulation.score(axes.draft(rounds)) == pytest.approx(axes.errors[rounds], rel=1e-9)


def test_gentle_steps_come_first_and_none_is_too_long(
    make_room: Callable[..., Classroom], make_simulation: Callable[..., Simulation]
) -> None:
    axes = Axes(make_simulation(make_room(4.9)).representatives, 4.0)
    lengths = np.linalg.norm(axes.draft(30), axis=1)
    assert (np.diff(lengths) >= -1e-12).all()
    assert lengths.max() <= 2.0 + 1e-12


def test_each_step_goes_where_it_helps_most(
    make_room: Callable[..., Classroom], make_simulation: Callable[..., Simulation]
) -> None:
    """No other allocation that differs by one step per direction leaves a smaller error."""
    axes = Axes(make_simulation(make_room(dimensions=3)).representatives, 4.0)
    axes.grow(8)
    counts = axes.counts(8)
    best = sum(axes._best(axis, int(count)).left for axis, count in enumerate(counts))
    for gives in range(3):
        for takes in range(3):
            other = counts.copy()
            other[gives] -= 1
            other[takes] += 1
            if other.min() >= 0:
                left = sum(axes._best(axis, int(count)).left for axis, count in enumerate(other))
                assert best <= left + 1e-12


def test_students_who_differ_in_two_directions_have_two_axes() -> None:
    rng = np.random.default_rng(0)
    gaps = rng.standard_normal((20, 2)) @ rng.standard_normal((2, 7))
    rows = Representatives(gaps, np.full(20, 0.3), np.full(20, 0.05), np.ones(20, dtype=bool), 0.3)
    axes = Axes(rows, 4.0)
    assert axes.directions.shape == (2, 7)
    axes.grow(5)
    assert axes.errors[2] < 1e-25  # one rate: one step for each direction leaves nothing
    assert len(axes.draft(9)) <= 4


def test_scattered_steps_have_the_same_lengths(
    make_room: Callable[..., Classroom], make_simulation: Callable[..., Simulation]
) -> None:
    axes = Axes(make_simulation(make_room()).representatives, 4.0)
    scattered = axes.scattered(12, np.random.default_rng(0))
    np.testing.assert_allclose(
        np.linalg.norm(scattered, axis=1), np.linalg.norm(axes.draft(12), axis=1)
    )


def test_lengths_for_rates_far_apart_do_not_overflow() -> None:
    """At the greatest length the fastest student is moved to 639 times their distance."""
    rates = np.geomspace(0.01, 10.0, 40)
    found = best_lengths(rates, np.ones(40), 200, ceiling=64.0)
    assert np.isfinite(found.g).all()
    assert found.left >= 0.0
    rows = Representatives(
        np.ones((40, 1)), rates, np.full(40, 1 / 40), np.ones(40, dtype=bool), 10.0
    )
    axes = Axes(rows, 64.0)
    axes.grow(400)
    assert np.isfinite(axes.errors).all()
    assert (np.diff(axes.errors) <= 0.0).all()
