"""The search for the best groups, compared with trying every grouping."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, ClassroomTeacher, EveryoneGoal
from homeroom.advice import frontier
from homeroom.advice.group_rounds import CandidateGroup
from homeroom.advice.group_search import (
    MergeScore,
    by_cost,
    by_similarity,
    cut_by_rate,
    find_splits,
    merge_clusters,
)

if TYPE_CHECKING:
    from homeroom.advice.group_rounds import GroupRounds
    from homeroom.advice.pareto import ParetoSet
    from tests.advice.conftest import Brute, MakeGroupRounds


def cut(group_rounds: GroupRounds) -> ParetoSet:
    return cut_by_rate(group_rounds, group_rounds.parts.whole_class.clusters)


def contiguous(room: Classroom) -> Iterator[list[tuple[int, ...]]]:
    """Yield all 2^(N-1) groupings of students whose rates are neighbours."""
    order = np.argsort(np.asarray(room.rates))
    for bits in range(2 ** (room.students - 1)):
        cuts = [k + 1 for k in range(room.students - 1) if bits >> k & 1]
        yield [tuple(np.sort(part).tolist()) for part in np.split(order, cuts)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"teacher": ClassroomTeacher("dynamic", safe=True)},
        {"goal": EveryoneGoal(0.3)},
        {"goal": AverageGoal(1e-4)},
    ],
    ids=["static", "dynamic", "everyone", "strict goal"],
)
def test_it_agrees_with_brute_force_over_contiguous_groupings(
    seed: int, settings: dict[str, Any], group_rounds_for: MakeGroupRounds, brute: type[Brute]
) -> None:
    """The whole frontier is that of all 2^(N-1) groupings, so the best is for every lambda."""
    room = Classroom.sample(8, 3, rates=(0.05, 1.5), seed=seed)
    tried = brute(room, **settings)
    expected = brute.undominated({tried.pair(groups) for groups in contiguous(room)})
    assert brute.pairs_of(cut(group_rounds_for(room, **settings))) == expected


@pytest.mark.parametrize("seed", range(5))
def test_with_fewer_cells_it_is_exact_over_their_cuts(
    seed: int, group_rounds_for: MakeGroupRounds, brute: type[Brute]
) -> None:
    """Groups are runs of cells, or cells whose students are taught alone."""
    room = Classroom.sample(20, 3, rates=(0.1, 0.9), seed=seed)
    group_rounds = group_rounds_for(room, cells=5)
    parts, tried = group_rounds.parts, brute(room)
    cells = [
        tuple(parts.members(CandidateGroup((0,), c, c + 1)).tolist()) for c in range(parts.cells)
    ]
    pairs = set()
    for bits in range(2 ** (len(cells) - 1)):
        cuts = [k + 1 for k in range(len(cells) - 1) if bits >> k & 1]
        runs = [list(part) for part in np.split(np.arange(len(cells)), cuts)]
        lone = [k for k, run in enumerate(runs) if len(run) == 1]
        for alone in range(2 ** len(lone)):
            groups: list[tuple[int, ...]] = []
            for k, run in enumerate(runs):
                members = tuple(sorted(who for cell in run for who in cells[cell]))
                split = k in lone and alone >> lone.index(k) & 1
                groups += [(who,) for who in members] if split else [members]
            pairs.add(tried.pair(groups))
    assert brute.pairs_of(cut(group_rounds)) == brute.undominated(pairs)


def test_a_student_too_slow_for_the_limit_leaves_no_way_that_isolates_them(
    group_rounds_for: MakeGroupRounds,
) -> None:
    """They reach the goal only within a group, by the average goal."""
    states = [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.3, 0.0]]
    room = Classroom(states, [0.25, 0.25, 0.25, 1e-3], [0.0, 0.0])
    ways = cut(group_rounds_for(room, goal=AverageGoal(0.05), max_rounds=5))
    assert ways.groups.tolist() == [1]


if TYPE_CHECKING:
    from homeroom.advice.group_rounds import GroupRounds
    from tests.advice.conftest import Brute, MakeGroupRounds


def test_a_class_at_the_goal_needs_no_groups_by_knowledge() -> None:
    room = Classroom(np.full((4, 2), 0.01), rates=[0.1, 0.2, 0.3, 0.4], target=[0.0, 0.0])
    [only] = frontier(room, by="knowledge", goal=AverageGoal(0.1))
    assert (only.rounds, only.workload, only.groups) == (0, 0.0, 1)


@pytest.mark.parametrize("merge_score", [by_cost, by_similarity])
def test_merging_continues_through_clusters_that_miss_the_goal_alone(
    merge_score: MergeScore, group_rounds_for: MakeGroupRounds, brute: type[Brute]
) -> None:
    """A cluster too slow for the limit of rounds is reached in company, by the average goal."""
    states = np.repeat([[1.0, 0.0], [0.0, 0.6]], 8, axis=0)
    room = Classroom(states, np.repeat([0.25, 0.001], 8), [0.0, 0.0])
    group_rounds = group_rounds_for(room, "knowledge", cells=4, goal=AverageGoal(0.2), max_rounds=5)
    assert group_rounds.count_rounds([CandidateGroup((1,), 0, 2)]).tolist() == [-1]
    ways = merge_clusters(group_rounds, cut_by_rate, merge_score)
    assert brute.pairs_of(ways) == [(1, 16)]


if TYPE_CHECKING:
    from tests.advice.conftest import Brute, MakeGroupRounds

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


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("clusters", [0, 2])
def test_by_both_it_comes_close_to_the_best_of_all_partitions(
    seed: int, clusters: int, group_rounds_for: MakeGroupRounds, brute: type[Brute]
) -> None:
    """All 203 partitions of six students; merging is greedy, so it need not find the very best."""
    room = Classroom.sample(6, 3, rates=(0.05, 1.0), seed=seed, clusters=clusters)
    tried = brute(room)
    pairs = [tried.pair(groups) for groups in all_partitions(6)]
    assert len(pairs) == 203
    ways = find_splits(group_rounds_for(room, "both"), "both")
    for lam in LAMBDAS:
        best = min(rounds + lam * work / 6 for rounds, work in pairs)
        cost = float(ways.costs(lam, 6).min())
        assert best - 1e-9 <= cost <= 1.25 * best


@pytest.mark.parametrize("by", KINDS)
def test_every_split_has_the_stated_cost(
    by: str, group_rounds_for: MakeGroupRounds, brute: type[Brute]
) -> None:
    room = Classroom.sample(30, 4, rates=(0.1, 0.9), clusters=3, spread=0.3)
    group_rounds = group_rounds_for(room, by, cells=6)
    ways, tried = find_splits(group_rounds, by), brute(room)
    for place in range(0, len(ways), 3):
        groups: list[tuple[int, ...]] = []
        for piece in ways.pieces(place):
            members = tuple(group_rounds.parts.members(piece.group).tolist())
            groups += [(who,) for who in members] if piece.alone else [members]
        assert sorted(who for group in groups for who in group) == list(range(30))
        assert tried.pair(groups) == (ways.rounds[place], ways.work[place])
        assert len(groups) == ways.groups[place]


@pytest.mark.parametrize("seed", range(3))
def test_both_is_never_worse_than_rate_or_knowledge(
    seed: int, group_rounds_for: MakeGroupRounds
) -> None:
    room = Classroom.sample(60, 4, rates=(0.1, 0.9), clusters=3, spread=0.3, seed=seed)
    rate, knowledge, both = (find_splits(group_rounds_for(room, by, cells=8), by) for by in KINDS)
    for lam in LAMBDAS:
        apart = [ways.costs(lam, 60).min() for ways in (rate, knowledge)]
        assert both.costs(lam, 60).min() <= min(apart) + 1e-9


def test_clusters_that_start_alike_become_groups(group_rounds_for: MakeGroupRounds) -> None:
    """Five clusters far apart: for a middling lambda, groups are the clusters."""
    room = Classroom.sample(100, 10, rates=(0.1, 0.12), clusters=5, spread=0.05)
    group_rounds = group_rounds_for(room, "knowledge", cells=15)
    ways = find_splits(group_rounds, "knowledge")
    pieces = ways.pieces(ways.best(10.0, 100))
    found = sorted(group_rounds.parts.members(piece.group).tolist() for piece in pieces)
    assert found == [list(range(start, start + 20)) for start in range(0, 100, 20)]


@pytest.mark.parametrize("by", KINDS)
def test_no_way_reaches_a_goal_that_is_out_of_reach(
    by: str, group_rounds_for: MakeGroupRounds
) -> None:
    room = Classroom.sample(12, 3)
    assert len(find_splits(group_rounds_for(room, by, cells=4, max_rounds=1), by)) == 0
