"""Pareto sets of splits, compared with brute force."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from homeroom.advice.group_rounds import CandidateGroup
from homeroom.advice.pareto import EMPTY, ParetoSet, Piece, cross_sum, single, union

GROUP = CandidateGroup((0,), 0, 1)
Points = list[tuple[int, int]]
points = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=12)


def ways_of(pairs: Points, name: int = 0) -> ParetoSet:
    """Return ways with such rounds and work, each from a piece with a name of its own."""
    kinds = [
        ParetoSet(
            np.array([[t], [w], [1]]), [Piece(CandidateGroup((name,), place, place + 1), False)]
        )
        for place, (t, w) in enumerate(pairs)
    ]
    return union(kinds)


def undominated(pairs: Points) -> Points:
    """Return the undominated pairs, by brute force."""
    different = sorted(set(pairs))
    return [
        (t, w)
        for t, w in different
        if not any(a <= t and b <= w and (a, b) != (t, w) for a, b in different)
    ]


def pairs_of(ways: ParetoSet) -> Points:
    return list(zip(ways.rounds.tolist(), ways.work.tolist(), strict=True))


@given(points)
def test_only_undominated_splits_are_kept(pairs: Points) -> None:
    """Against the definition; the fewest rounds come first."""
    assert pairs_of(ways_of(pairs)) == undominated(pairs)


@given(points, points)
def test_splits_of_two_parts_are_their_undominated_sums(left: Points, right: Points) -> None:
    """Dropping dominated splits of the parts loses no split of the whole."""
    sums = [(a + c, b + d) for a, b in left for c, d in right]
    assert pairs_of(cross_sum(ways_of(left), ways_of(right))) == undominated(sums)


@given(points, points)
def test_every_split_lists_its_pieces(left: Points, right: Points) -> None:
    """Adding up the pieces gives the way."""
    together = cross_sum(ways_of(left, 0), ways_of(right, 1))
    for place, (rounds, work) in enumerate(pairs_of(together)):
        pieces = together.pieces(place)
        assert sorted(piece.group.clusters[0] for piece in pieces) == [0, 1]
        mine = [(left, right)[p.group.clusters[0]][p.group.first] for p in pieces]
        assert (rounds, work) == tuple(map(sum, zip(*mine, strict=True)))


@given(points, st.floats(0.0, 50.0))
def test_the_best_way_is_a_corner_and_no_way_is_cheaper(pairs: Points, lam: float) -> None:
    ways = ways_of(pairs)
    costs = [t + lam * (w / 7) for t, w in pairs]
    best = ways.best(lam, students=7)
    assert ways.costs(lam, 7)[best] == min(costs)
    assert min(ways.costs(lam, 7)[place] for place in ways.corners()) <= min(costs) + 1e-9


@given(points)
def test_corners_turn_upwards(pairs: Points) -> None:
    """Each corner is the only cheapest way for some weight."""
    ways = ways_of(pairs)
    corners = ways.corners()
    rounds, work = ways.rounds[corners], ways.work[corners]
    slopes = np.diff(work) / np.diff(rounds)
    assert (np.diff(slopes) > 0).all()
    assert corners[0] == 0
    assert corners[-1] == len(ways) - 1


def test_of_equal_ways_the_one_with_fewest_groups_is_kept() -> None:
    few, many = (
        ParetoSet(np.array([[5], [6], [groups]]), [Piece(GROUP, False)]) for groups in (2, 4)
    )
    assert union([many, few]).groups.tolist() == [2]
    tied = ParetoSet(np.array([[1, 2], [4, 2], [9, 3]]), [Piece(GROUP, False)] * 2)
    assert tied.best(1.0, students=2) == 1


def test_a_piece_that_misses_the_goal_gives_no_split() -> None:
    assert single(GROUP, -1, 3) is EMPTY
    assert len(cross_sum(EMPTY, single(GROUP, 5, 3))) == 0
    assert len(union([EMPTY, EMPTY])) == 0
    assert pairs_of(union([EMPTY, single(GROUP, 5, 3)])) == [(5, 15)]
    assert EMPTY.corners() == []
