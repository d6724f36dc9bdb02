"""The frontier of splits."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

from homeroom import (
    ByRate,
    Classroom,
    ClassroomTeacher,
    EveryoneGoal,
    Frontier,
    Individuals,
    WholeClass,
    frontier,
    teach,
)
from tests.bad_input import refuse


@pytest.fixture(scope="module")
def room() -> Classroom:
    return Classroom.sample(60, 5, rates=(0.05, 0.6))


@pytest.fixture(scope="module")
def ways(room: Classroom) -> Frontier:
    return frontier(room)


def test_every_step_adds_rounds_and_reduces_the_workload(ways: Frontier) -> None:
    assert (np.diff(ways.rounds) > 0).all()
    assert (np.diff(ways.workloads) < 0).all()
    assert len(ways) == len(list(ways)) == len(ways[:])


def test_a_lesson_with_each_split_has_the_stated_cost(room: Classroom, ways: Frontier) -> None:
    for split in ways[::7]:
        record = teach(room, groups=split.grouping)
        assert record.rounds == split.rounds
        assert record.workload == pytest.approx(split.workload)
        assert record.cost(3.0) == pytest.approx(split.cost(3.0))
        assert len(record.groups) == split.groups
        assert int((record.sizes == 1).sum()) == split.alone


def test_no_usual_way_lies_below_it(room: Classroom, ways: Frontier) -> None:
    """Whole class, doubling bins and individuals are among the candidates."""
    for groups in (WholeClass(), ByRate(), Individuals()):
        record = teach(room, groups=groups)
        split = ways.within(record.rounds)
        assert split is not None
        assert split.workload <= record.workload


def test_the_best_way_is_a_corner_for_just_these_lambdas(ways: Frontier) -> None:
    corners = ways.corners
    assert corners[0][1] == 0.0
    assert corners[-1][2] == np.inf
    for (split, start, end), (_, after, _) in pairwise(corners):
        assert end == after
        middle = 0.5 * (start + end)
        assert ways.best(middle).place == split.place
    assert ways.best(1e9).alone == 60


def test_the_best_split_within_a_limit_of_rounds_is_found(ways: Frontier) -> None:
    fewest = int(ways.rounds[0])
    assert ways.within(fewest - 1) is None
    first, last = ways.within(fewest), ways.within(10**9)
    assert first is not None
    assert last is not None
    assert (first.place, last.place) == (0, len(ways) - 1)


def test_groups_by_rate_are_numbered_from_slow_to_fast_and_single_students_last(
    room: Classroom,
) -> None:
    rates = np.asarray(room.rates)
    some = [split for split in frontier(room, by="rate") if split.together > 1 and split.alone]
    for split in some[::5]:
        group_of = split.group_of
        sizes = np.bincount(group_of)
        assert (sizes[: split.together] > 1).all()
        assert (sizes[split.together :] == 1).all()
        groups = [rates[group_of == group] for group in range(split.together)]
        for slower, faster in pairwise(groups):
            assert slower.max() < faster.min()


def test_it_can_be_printed_plotted_and_converted_to_a_frame(ways: Frontier) -> None:
    lines = str(ways).splitlines()
    assert lines[0].split()[:4] == ["groups", "alone", "T", "S"]
    assert len(lines) == 1 + len(ways.corners)
    assert lines[-1].endswith(f"from {ways.corners[-1][1]:.3g}")
    assert isinstance(ways.plot(), Axes)
    frame = ways.to_frame()
    assert list(frame["T"]) == ways.rounds.tolist()
    assert list(frame["alone"]) == [split.alone for split in ways]


def test_the_frontier_depends_on_the_lesson(room: Classroom) -> None:
    settings: dict[str, Any] = {
        "goal": EveryoneGoal(0.5),
        "teacher": ClassroomTeacher("joint", safe=True),
    }
    ways = frontier(room, cells=6, **settings)
    split = ways.best(1.0)
    record = teach(room, groups=split.grouping, **settings)
    assert record.rounds == split.rounds
    assert record.workload == pytest.approx(split.workload)


def test_finer_cells_are_never_worse() -> None:
    """Three cells are unions of the nine, so every way with three is one with nine."""
    room = Classroom(
        np.random.default_rng(0).standard_normal((90, 4)), np.linspace(0.11, 0.2, 90), np.zeros(4)
    )
    coarse, fine = frontier(room, cells=3), frontier(room, cells=9)
    for lam in (0.0, 1.0, 10.0, 100.0):
        assert fine.best(lam).cost(lam) <= coarse.best(lam).cost(lam)


def test_an_empty_frontier_is_a_valid_result() -> None:
    ways = frontier(Classroom.sample(10, 3), max_rounds=0)
    assert len(ways) == 0
    assert not ways
    assert repr(ways) == "Frontier(no way to split 10 students reaches the goal)"
    assert str(ways) == repr(ways)
    assert str(ways).splitlines()[1:] == []
    assert ways.corners == ()
    assert ways.within(10) is None
    assert isinstance(ways.plot(), Axes)
    refuse(lambda: ways.best(1.0), "goal")


def test_a_class_at_the_target_has_one_split() -> None:
    room = Classroom(np.zeros((4, 2)), [0.1, 0.2, 0.3, 0.4], [0.0, 0.0])
    ways = frontier(room)
    assert repr(ways) == "Frontier(1 way to split 4 students, T = 0 to 0, S = 0 to 0)"
    assert str(ways).split()[-1] == "any"
    assert ways.best(5.0).groups == 1
    assert isinstance(ways.plot(), Axes)


def test_places_are_counted_as_in_a_list(ways: Frontier) -> None:
    assert ways[-1].place == len(ways) - 1
    assert [split.place for split in ways[:3]] == [0, 1, 2]
    with pytest.raises(IndexError, match="9999"):
        ways[9999]
