"""Cutting by rate, against trying every cut."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, ClassroomTeacher, EveryoneGoal, NoisyMoments
from homeroom.advice.cut_by_rate import INTERVALS, cut_by_rate, cuts_of
from homeroom.advice.parts import Group

if TYPE_CHECKING:
    from homeroom.advice.foresight import Foresight
    from homeroom.advice.ways import Ways
    from tests.advice.conftest import Brute, Foresee


def cut(foresight: Foresight) -> Ways:
    return cut_by_rate(foresight, foresight.parts.everybody.camps)


def contiguous(room: Classroom) -> Iterator[list[tuple[int, ...]]]:
    """Yield all 2^(N-1) groupings of students whose rates are neighbours."""
    order = np.argsort(np.asarray(room.rates))
    for bits in range(2 ** (room.students - 1)):
        cuts = [k + 1 for k in range(room.students - 1) if bits >> k & 1]
        yield [tuple(np.sort(part).tolist()) for part in np.split(order, cuts)]


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
def test_it_finds_what_trying_all_contiguous_groupings_finds(
    seed: int, settings: dict[str, Any], foresee: Foresee, brute: type[Brute]
) -> None:
    """The whole frontier is that of all 2^(N-1) groupings, so the best is for every lambda."""
    room = Classroom.sample(8, 3, rates=(0.05, 1.5), seed=seed)
    tried = brute(room, **settings)
    expected = brute.undominated({tried.pair(groups) for groups in contiguous(room)})
    assert brute.pairs_of(cut(foresee(room, **settings))) == expected


def test_a_lesson_for_each_group_finds_the_same(foresee: Foresee, brute: type[Brute]) -> None:
    """Where groups cannot be foreseen quickly: W seen through (no) noise."""
    room = Classroom.sample(5, 2, rates=(0.05, 1.5))
    slowly = foresee(room, observer=NoisyMoments(0.0))
    assert not slowly.quick
    assert brute.pairs_of(cut(slowly)) == brute.pairs_of(cut(foresee(room)))


@pytest.mark.parametrize("seed", range(5))
def test_with_fewer_cells_it_is_exact_over_their_cuts(
    seed: int, foresee: Foresee, brute: type[Brute]
) -> None:
    """Groups are runs of cells, or cells whose students are taught alone."""
    room = Classroom.sample(20, 3, rates=(0.1, 0.9), seed=seed)
    foresight = foresee(room, cells=5)
    parts, tried = foresight.parts, brute(room)
    cells = [tuple(parts.members(Group((0,), c, c + 1)).tolist()) for c in range(parts.cells)]
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
    assert brute.pairs_of(cut(foresight)) == brute.undominated(pairs)


def test_a_part_of_the_class_is_cut_more_coarsely(foresee: Foresee) -> None:
    room = Classroom.sample(400, 3, rates=(0.1, 0.9), clusters=2)
    foresight = foresee(room, "both", cells=16)
    camps, cells = foresight.parts.everybody.camps, foresight.parts.cells
    assert cuts_of(foresight, camps) == list(range(cells + 1))
    for some in (camps[:1], camps[:3], camps[1:]):
        cuts = cuts_of(foresight, some)
        sizes = [foresight.parts.students(Group(some, *ends)) for ends in pairwise(cuts)]
        assert (cuts[0], cuts[-1]) == (0, cells)
        assert len(sizes) <= INTERVALS
        assert min(sizes) > 0
        assert sum(sizes) == foresight.parts.students(Group(some, 0, cells))


def test_students_with_one_rate_stay_together_or_alone(foresee: Foresee) -> None:
    ways = cut(foresee(Classroom.sample(10, 3, rates=(0.2, 0.2))))
    assert set(ways.groups.tolist()) == {1, 10}


def test_a_student_too_slow_for_the_limit_leaves_no_way_that_cuts_her_off(foresee: Foresee) -> None:
    """She is reached in company, by the average goal, and only there."""
    states = [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.3, 0.0]]
    room = Classroom(states, [0.25, 0.25, 0.25, 1e-3], [0.0, 0.0])
    ways = cut(foresee(room, goal=AverageGoal(0.05), max_rounds=5))
    assert ways.groups.tolist() == [1]
