"""Cells of rates: groups of any size from a few matrices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeroom import AverageGoal, Classroom, teach
from homeroom._arrays import Floats, Ints
from homeroom.engines.batch import Rule, rounds_needed
from homeroom.moments.rate_cells import (
    NODES_PER_DOUBLING,
    WATCHED,
    Cell,
    cell_of,
    nodes_of,
    representatives,
    sort_into,
)
from homeroom.moments.representatives import Representatives


def cut(room: Classroom, cells: int) -> tuple[list[Floats], list[list[Cell]], list[Ints]]:
    """Return nodes, cell and students of intervals of the rates, none wider than a doubling."""
    rates = np.asarray(room.rates)
    edges = np.geomspace(rates.min(), rates.max(), cells + 1)
    assert edges[1] <= 2 * edges[0]
    members = sort_into(np.searchsorted(edges[1:-1], rates), cells)
    nodes = [nodes_of(rates[who]) for who in members]
    found = [
        [cell_of(room.gaps[who], rates[who], own)] for who, own in zip(members, nodes, strict=True)
    ]
    return nodes, found, members


def second_moment(rows: Representatives, power: int) -> Floats:
    weights = rows.weights * rows.rates**power
    matrix: Floats = (weights[:, None] * rows.gaps).T @ rows.gaps
    return matrix


def test_a_group_of_cells_has_the_moments_of_its_students() -> None:
    room = Classroom.sample(2000, 5, rates=(0.1, 2.0))
    nodes, cells, members = cut(room, 8)
    for first, last in ((0, 8), (0, 1), (2, 5), (6, 8)):
        rows = representatives(nodes[first:last], cells[first:last], watch=False)
        who = np.concatenate(members[first:last])
        gaps, rates = room.gaps[who], np.asarray(room.rates)[who]
        assert rows.fastest == rates.max()
        for power in (0, 1, 2, 5):
            expected = (rates[:, None] ** power * gaps).T @ gaps / len(who)
            np.testing.assert_allclose(
                second_moment(rows, power), expected, atol=1e-9 * np.abs(expected).max()
            )


@pytest.mark.slow
@pytest.mark.parametrize("rates", [(0.05, 0.25), (0.1, 5.0), (0.02, 4.0)])
@pytest.mark.parametrize(("dimensions", "eps"), [(1, 1e-6), (3, 1e-3), (10, 0.1)])
def test_rounds_are_those_of_the_students(
    rates: tuple[float, float], dimensions: int, eps: float
) -> None:
    drawn = Classroom.sample(1500, dimensions, rates=(0.2, 1.0), seed=1)
    spread = np.geomspace(*rates, 1500)  # as many slow students as fast ones
    room = Classroom(drawn.states, spread, drawn.target)
    nodes, cells, members = cut(room, 12)
    spans = [(0, 12), (0, 6), (3, 8), (10, 12), (0, 1)]
    groups = [representatives(nodes[i:j], cells[i:j], watch=False) for i, j in spans]
    rule = Rule(AverageGoal(eps))
    found = rounds_needed(groups, np.full(len(spans), 50_000), rule)
    expected = [
        teach(
            room.subset(np.concatenate(members[i:j])), goal=AverageGoal(eps), engine="exact"
        ).rounds
        for i, j in spans
    ]
    assert found.tolist() == expected


def test_several_parts_of_a_cell_add_up_and_empty_cells_are_passed_over() -> None:
    room = Classroom.sample(400, 3, rates=(0.1, 0.15))
    rates = np.asarray(room.rates)
    nodes = nodes_of(rates)
    halves = [cell_of(room.gaps[i::2], rates[i::2], nodes) for i in (0, 1)]
    whole = cell_of(room.gaps, rates, nodes)
    split = representatives([nodes, np.array([0.5])], [halves, []], watch=False)
    together = representatives([nodes], [[whole]], watch=False)
    for power in range(3):
        np.testing.assert_allclose(
            second_moment(split, power), second_moment(together, power), rtol=1e-10, atol=1e-13
        )


def test_the_farthest_students_are_watched() -> None:
    room = Classroom.sample(1000, 3)
    nodes, cells, members = cut(room, 3)
    rows = representatives(nodes, cells, watch=True)
    assert int(rows.counted.sum()) == 3 * WATCHED
    for who in members:
        far = np.sqrt((room.gaps[who] ** 2).sum(axis=1).max())
        lengths = np.sqrt((rows.gaps[rows.counted] ** 2).sum(axis=1))
        assert np.isclose(lengths, far).any()


@settings(max_examples=50)
@given(
    slowest=st.floats(1e-6, 10.0),
    ratio=st.floats(1.0, 4.0),
    count=st.integers(1, 40),
    seed=st.integers(0, 99),
)
def test_nodes_lie_within_the_rates(slowest: float, ratio: float, count: int, seed: int) -> None:
    """No node is outside, none twice, and all weights of a rate add up to one."""
    from homeroom.moments.sketch import lagrange

    places: Floats = np.random.default_rng(seed).random(count)
    rates: Floats = slowest * (1 + (ratio - 1) * places)
    nodes = nodes_of(rates)
    assert len(nodes) <= NODES_PER_DOUBLING
    assert (np.diff(nodes) > 0).all()
    slack = 1e-12 * slowest
    assert rates.min() - slack <= nodes.min() <= nodes.max() <= rates.max() + slack
    np.testing.assert_allclose(lagrange(nodes, rates).sum(axis=1), 1.0, rtol=1e-9)
