"""The search for the best groups, against trying everything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from homeroom import Classroom
from homeroom.advice.search import find_ways

if TYPE_CHECKING:
    from tests.advice.conftest import Brute, Foresee

LAMBDAS = (0.0, 0.3, 1.0, 4.0, 50.0)
KINDS = ("rate", "knowledge", "both")


def all_partitions(students: int) -> Iterator[list[tuple[int, ...]]]:
    """Yield all ways to split students into groups."""
    if students == 0:
        yield []
        return
    for groups in all_partitions(students - 1):
        yield [*groups, (students - 1,)]
        for place, group in enumerate(groups):
            yield [*groups[:place], (*group, students - 1), *groups[place + 1 :]]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("clusters", [0, 2])
def test_by_both_it_comes_close_to_the_best_of_all_partitions(
    seed: int, clusters: int, foresee: Foresee, brute: type[Brute]
) -> None:
    """All 203 partitions of six students; merging is greedy, so it need not find the very best."""
    room = Classroom.sample(6, 3, rates=(0.05, 1.0), seed=seed, clusters=clusters)
    tried = brute(room)
    pairs = [tried.pair(groups) for groups in all_partitions(6)]
    assert len(pairs) == 203
    ways = find_ways(foresee(room, "both"), "both")
    for lam in LAMBDAS:
        best = min(rounds + lam * work / 6 for rounds, work in pairs)
        cost = float(ways.costs(lam, 6).min())
        assert best - 1e-9 <= cost <= 1.25 * best


@pytest.mark.parametrize("by", KINDS)
def test_every_way_is_a_split_that_costs_what_it_says(
    by: str, foresee: Foresee, brute: type[Brute]
) -> None:
    room = Classroom.sample(30, 4, rates=(0.1, 0.9), clusters=3, spread=0.3)
    foresight = foresee(room, by, cells=6)
    ways, tried = find_ways(foresight, by), brute(room)
    for place in range(0, len(ways), 3):
        groups: list[tuple[int, ...]] = []
        for piece in ways.pieces(place):
            members = tuple(foresight.parts.members(piece.group).tolist())
            groups += [(who,) for who in members] if piece.alone else [members]
        assert sorted(who for group in groups for who in group) == list(range(30))
        assert tried.pair(groups) == (ways.rounds[place], ways.work[place])
        assert len(groups) == ways.groups[place]


@pytest.mark.parametrize("seed", range(3))
def test_both_is_never_worse_than_rate_or_knowledge(seed: int, foresee: Foresee) -> None:
    room = Classroom.sample(60, 4, rates=(0.1, 0.9), clusters=3, spread=0.3, seed=seed)
    rate, knowledge, both = (find_ways(foresee(room, by, cells=8), by) for by in KINDS)
    for lam in LAMBDAS:
        apart = [ways.costs(lam, 60).min() for ways in (rate, knowledge)]
        assert both.costs(lam, 60).min() <= min(apart) + 1e-9


def test_camps_that_start_alike_become_groups(foresee: Foresee) -> None:
    """Five camps far apart: for a middling lambda, groups are the camps."""
    room = Classroom.sample(100, 10, rates=(0.1, 0.12), clusters=5, spread=0.05)
    foresight = foresee(room, "knowledge", cells=15)
    ways = find_ways(foresight, "knowledge")
    pieces = ways.pieces(ways.best(10.0, 100))
    found = sorted(foresight.parts.members(piece.group).tolist() for piece in pieces)
    assert found == [list(range(start, start + 20)) for start in range(0, 100, 20)]


@pytest.mark.parametrize("by", KINDS)
def test_no_way_reaches_a_goal_that_is_out_of_reach(by: str, foresee: Foresee) -> None:
    room = Classroom.sample(12, 3)
    assert len(find_ways(foresee(room, by, cells=4, max_rounds=1), by)) == 0
