"""Merging camps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom
from homeroom.advice.cut_by_rate import cut_by_rate
from homeroom.advice.merge_camps import Node, by_cost, by_likeness, merge_camps
from homeroom.advice.parts import Group

if TYPE_CHECKING:
    from homeroom.advice.foresight import Foresight
    from tests.advice.conftest import Brute, Foresee


def nodes_of(foresight: Foresight) -> list[Node]:
    camps = foresight.parts.everybody.camps
    return [Node((camp,), cut_by_rate(foresight, (camp,))) for camp in camps]


def test_camps_that_start_alike_are_merged_first_by_likeness(foresee: Foresee) -> None:
    states = np.array([[0.0, 5.0], [0.1, 5.0], [5.0, 0.0], [5.0, 0.3]])
    foresight = foresee(Classroom(states, [0.1, 0.2, 0.3, 0.4], [0.0, 0.0]), "knowledge")
    nodes = nodes_of(foresight)
    apart = by_likeness(foresight, nodes[0], nodes[1:])
    assert apart.argmax() == 0
    assert apart[0] == pytest.approx(-0.5 * 0.1**2)  # n m / (n + m) |difference|^2
    merged = Node((0, 1), nodes[0].ways)
    assert by_likeness(foresight, merged, nodes[2:3])[0] == pytest.approx(
        -2 / 3 * (4.95**2 + 5.0**2)
    )


def test_what_pays_most_is_merged_first_by_cost(foresee: Foresee, brute: type[Brute]) -> None:
    """Rounds saved over work added, as in earnest; never where nothing is saved."""
    room = Classroom.sample(6, 2, rates=(0.05, 0.2), seed=4)
    foresight = foresee(room, "knowledge")
    nodes = nodes_of(foresight)
    found = by_cost(foresight, nodes[0], nodes[1:])
    members = [tuple(foresight.parts.members(Group(node.camps, 0, 6)).tolist()) for node in nodes]
    tried = brute(room)
    for score, other in zip(found, members[1:], strict=True):
        together = tried.pair([tuple(sorted((*members[0], *other)))])
        apart = tried.pair([members[0], other])
        saved, added = apart[0] - together[0], together[1] - apart[1]
        pays = saved / added if added > 0 else np.inf
        assert score == pytest.approx(pays if saved > 0 else -np.inf)
    assert np.isfinite(found).any()


@pytest.mark.parametrize("prefer", [by_cost, by_likeness])
def test_merging_goes_on_through_camps_that_do_not_reach_the_goal_alone(
    prefer: str, foresee: Foresee, brute: type[Brute]
) -> None:
    """A camp too slow for the limit of rounds is reached in company, by the average goal."""
    states = np.repeat([[1.0, 0.0], [0.0, 0.6]], 8, axis=0)
    room = Classroom(states, np.repeat([0.25, 0.001], 8), [0.0, 0.0])
    foresight = foresee(room, "knowledge", cells=4, goal=AverageGoal(0.2), max_rounds=5)
    assert foresight.rounds([Group((1,), 0, 2)]).tolist() == [-1]
    ways = merge_camps(foresight, cut_by_rate, prefer)  # type: ignore[arg-type]  # a function
    assert brute.pairs_of(ways) == [(1, 16)]


def test_one_camp_is_not_merged(foresee: Foresee) -> None:
    room = Classroom(np.ones((4, 2)), [0.1, 0.1, 0.1, 0.1], [0.0, 0.0])
    foresight = foresee(room, "knowledge")
    assert len(foresight.parts.sizes) == 1
    ways = merge_camps(foresight, cut_by_rate, by_cost)
    assert ways.groups.tolist() == [1]
