"""Ways to teach the same students that no other way beats, and how to put such ways together.

A way costs the teacher ``T`` rounds in all and the students ``sum_g n_g T_g`` examples in all. One
that is beaten in one of the two and not better in the other is of no use to anybody, whatever the
weight of the two, and neither is any larger way with it inside. So it is left out at once, and
what is left stays short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.advice.parts import Group


class Piece(NamedTuple):
    """Students who are taught together, or each of them alone."""

    group: Group
    alone: bool


@dataclass(frozen=True, eq=False)
class Ways:
    """Undominated ways to teach the same students, the fewest rounds first.

    Parameters
    ----------
    numbers
        Rounds ``T``, work ``sum_g n_g T_g`` and number of groups of each way, shape ``(3, ways)``.
        From one to the next the rounds grow and the work shrinks.
    sources
        What each way was made of: places in other ways, or a piece.
    """

    numbers: Ints
    sources: Sequence[Piece | tuple[tuple[Ways, int], ...]]

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def rounds(self) -> Ints:
        """``T`` of each way."""
        rounds: Ints = self.numbers[0]
        return rounds

    @property
    def work(self) -> Ints:
        """``sum_g n_g T_g`` of each way, which is ``S`` times the number of students."""
        work: Ints = self.numbers[1]
        return work

    @property
    def groups(self) -> Ints:
        """How many groups each way has, those of one student included."""
        groups: Ints = self.numbers[2]
        return groups

    def costs(self, lam: float, students: int) -> Floats:
        """Return ``T + lam S`` of each way, for a class of that many students."""
        return self.rounds + lam * (self.work / students)

    def best(self, lam: float, students: int) -> int:
        """Return the place of the cheapest way; of equals, the one with fewest groups."""
        return int(np.lexsort((self.groups, self.costs(lam, students)))[0])

    def pieces(self, place: int) -> list[Piece]:
        """Return the pieces of one way."""
        found: list[Piece] = []
        places: list[tuple[Ways, int]] = [(self, place)]
        while places:
            ways, at = places.pop()
            source = ways.sources[at]
            if isinstance(source, Piece):
                found.append(source)
            else:
                places += source
        return found

    def corners(self) -> list[int]:
        """Return the places that are cheapest for some weight, the fewest rounds first.

        The lower convex hull of rounds and work; what lies above it no weight would choose.
        """
        hull: list[int] = []
        for place in range(len(self)):
            while len(hull) > 1 and not self._is_below(hull[-1], hull[-2], place):
                hull.pop()
            hull.append(place)
        return hull

    def _is_below(self, place: int, left: int, right: int) -> bool:
        """Tell whether a way lies below the line between two others, in whole numbers."""
        (t, w), (left_t, left_w), (right_t, right_w) = (
            [int(number) for number in self.numbers[:2, at]] for at in (place, left, right)
        )
        return (w - left_w) * (right_t - left_t) < (right_w - left_w) * (t - left_t)


NOTHING_TO_DO = Ways(np.zeros((3, 1), dtype=np.int64), [()])
"""The one way to teach nobody."""

NO_WAY = Ways(np.zeros((3, 0), dtype=np.int64), [])
"""No way at all: these students do not reach their goal."""


def one(group: Group, rounds: int, students: int, *, alone: bool = False) -> Ways:
    """Return the way of one piece: a group that needs so many rounds, or its students alone.

    Of students who are taught alone, ``rounds`` is the sum, which is also what they see in all.
    Negative rounds stand for a goal that is not reached: then there is no such way.
    """
    if rounds < 0:
        return NO_WAY
    numbers = (rounds, rounds, students) if alone else (rounds, rounds * students, 1)
    return Ways(np.array(numbers, dtype=np.int64)[:, None], [Piece(group, alone)])


def both(left: Ways, right: Ways) -> Ways:
    """Return every way of one kind together with every way of the other, for other students."""
    numbers = (left.numbers[:, :, None] + right.numbers[:, None, :]).reshape(3, -1)
    kept = _undominated(numbers)
    pairs = zip(*(places.tolist() for places in np.divmod(kept, len(right))), strict=True)
    return Ways(numbers[:, kept], [((left, mine), (right, theirs)) for mine, theirs in pairs])


def either(kinds: Sequence[Ways]) -> Ways:
    """Return all ways to teach the same students, of whichever kind."""
    numbers = np.concatenate([ways.numbers for ways in kinds], axis=1)
    places = [(ways, place) for ways in kinds for place in range(len(ways))]
    kept = _undominated(numbers)
    return Ways(numbers[:, kept], [(places[place],) for place in kept.tolist()])


def _undominated(numbers: Ints) -> Ints:
    """Return the places that nothing beats, the fewest rounds first. O(n log n)."""
    rounds, work, groups = numbers
    order = np.lexsort((groups, work, rounds))
    least = np.minimum.accumulate(work[order])
    return order[np.diff(least, prepend=least[:1] + 1) < 0]
