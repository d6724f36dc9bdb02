"""Pareto-optimal splits of the same students, and how to combine them.

A split costs the teacher ``T`` rounds and the students ``sum_g n_g T_g`` examples in total. A split
that is worse in one of the two and not better in the other is never the cheapest, whatever the
weights, and neither is any larger split that contains it. So dominated splits are dropped at once,
and the sets stay small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.advice.group_rounds import CandidateGroup


class Piece(NamedTuple):
    """Students who are taught together, or each one alone."""

    group: CandidateGroup
    alone: bool


@dataclass(frozen=True, eq=False)
class ParetoSet:
    """Undominated splits of the same students, fewest rounds first.

    Parameters
    ----------
    numbers
        Rounds ``T``, work ``sum_g n_g T_g`` and number of groups of each split, shape
        ``(3, splits)``. Rounds increase and work decreases from one to the next.
    sources
        What each split was made of: positions in other sets, or a piece.
    """

    numbers: Ints
    sources: Sequence[Piece | tuple[tuple[ParetoSet, int], ...]]

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def rounds(self) -> Ints:
        """``T`` of each split."""
        rounds: Ints = self.numbers[0]
        return rounds

    @property
    def work(self) -> Ints:
        """``sum_g n_g T_g`` of each split: ``S`` times the number of students."""
        work: Ints = self.numbers[1]
        return work

    @property
    def groups(self) -> Ints:
        """Number of groups of each split, single students included."""
        groups: Ints = self.numbers[2]
        return groups

    def costs(self, lam: float, students: int) -> Floats:
        """Return ``T + lam S`` of each split, for a class of ``students``."""
        return self.rounds + lam * (self.work / students)

    def best(self, lam: float, students: int) -> int:
        """Return the position of the cheapest split; among equals, the one with fewest groups."""
        return int(np.lexsort((self.groups, self.costs(lam, students)))[0])

    def pieces(self, place: int) -> list[Piece]:
        """Return the pieces of one split."""
        found: list[Piece] = []
        places: list[tuple[ParetoSet, int]] = [(self, place)]
        while places:
            splits, at = places.pop()
            source = splits.sources[at]
            if isinstance(source, Piece):
                found.append(source)
            else:
                places += source
        return found

    def corners(self) -> list[int]:
        """Return the positions that are cheapest for some weight, fewest rounds first.

        The lower convex hull of rounds and work. No weight makes a split above it cheapest.
        """
        hull: list[int] = []
        for place in range(len(self)):
            while len(hull) > 1 and not self._is_below(hull[-1], hull[-2], place):
                hull.pop()
            hull.append(place)
        return hull

    def _is_below(self, place: int, left: int, right: int) -> bool:
        """Return whether a split lies below the line between two others, in integer arithmetic."""
        (t, w), (left_t, left_w), (right_t, right_w) = (
            [int(number) for number in self.numbers[:2, at]] for at in (place, left, right)
        )
        return (w - left_w) * (right_t - left_t) < (right_w - left_w) * (t - left_t)


NO_STUDENTS = ParetoSet(np.zeros((3, 1), dtype=np.int64), [()])
"""The one split of no students: no rounds, no work."""

EMPTY = ParetoSet(np.zeros((3, 0), dtype=np.int64), [])
"""No split at all: these students do not reach their goal."""


def single(group: CandidateGroup, rounds: int, students: int, *, alone: bool = False) -> ParetoSet:
    """Return the split of one piece: a group that needs ``rounds``, or its students taught alone.

    For students taught alone, ``rounds`` is their total, which is also their total work. Negative
    rounds mean that the goal is not reached: the set is then empty.
    """
    if rounds < 0:
        return EMPTY
    numbers = (rounds, rounds, students) if alone else (rounds, rounds * students, 1)
    return ParetoSet(np.array(numbers, dtype=np.int64)[:, None], [Piece(group, alone)])


def cross_sum(left: ParetoSet, right: ParetoSet) -> ParetoSet:
    """Return the undominated sums of a split on the left and one on the right (other students)."""
    numbers = (left.numbers[:, :, None] + right.numbers[:, None, :]).reshape(3, -1)
    kept = _find_undominated(numbers)
    pairs = zip(*(places.tolist() for places in np.divmod(kept, len(right))), strict=True)
    return ParetoSet(numbers[:, kept], [((left, mine), (right, theirs)) for mine, theirs in pairs])


def union(kinds: Sequence[ParetoSet]) -> ParetoSet:
    """Return the undominated splits among several sets for the same students."""
    numbers = np.concatenate([splits.numbers for splits in kinds], axis=1)
    places = [(splits, place) for splits in kinds for place in range(len(splits))]
    kept = _find_undominated(numbers)
    return ParetoSet(numbers[:, kept], [(places[place],) for place in kept.tolist()])


def _find_undominated(numbers: Ints) -> Ints:
    """Return the positions of undominated splits, fewest rounds first. O(n log n)."""
    rounds, work, groups = numbers
    order = np.lexsort((groups, work, rounds))
    # With more rounds, a split is kept only if it takes less work than all before it.
    least = np.minimum.accumulate(work[order])
    return order[np.diff(least, prepend=least[:1] + 1) < 0]
