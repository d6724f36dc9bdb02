"""The frontier of splits."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

from homeroom import (
    BestGroups,
    ByRate,
    Classroom,
    ClassroomTeacher,
    EveryoneGoal,
    Frontier,
    Individuals,
    LargeClass,
    WholeClass,
    frontier,
    teach,
)
from homeroom.advice.frontier import corner_rows
from homeroom.lessons import Progress


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


def test_groups_are_numbered_from_slow_to_fast_and_single_students_last(
    room: Classroom, ways: Frontier
) -> None:
    rates = np.asarray(room.rates)
    some = [split for split in ways if split.together > 1 and split.alone]
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


def test_each_row_states_its_difference_from_the_one_above(ways: Frontier) -> None:
    rows = corner_rows(ways)
    for above, row in pairwise(rows):
        assert int(row[4]) == int(row[2]) - int(above[2])
        assert float(row[5]) == pytest.approx(float(above[3]) - float(row[3]), abs=0.011)


def test_a_split_describes_itself(ways: Frontier) -> None:
    last = ways[-1]
    assert str(last) == "60 students alone"
    assert last.short == "all alone"
    mixed = next(split for split in ways if split.together > 1 and split.alone > 1)
    assert str(mixed) == f"{mixed.together} groups and {mixed.alone} students alone"
    assert mixed.short == f"{mixed.together} + {mixed.alone} alone"
    assert repr(mixed).startswith(f"Split({mixed}: T = {mixed.rounds}, S = ")
    whole = frontier(Classroom.sample(30, 5, rates=(0.05, 0.06)))[0]
    assert (str(whole), whole.short) == ("1 group", "1 group")


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


def test_teachers_and_goals_can_be_given_by_name(room: Classroom) -> None:
    named = frontier(
        room, cells=4, teacher="classroom:magnitude=dynamic,safe=true", goal="average:eps=1"
    )
    assert named.rounds[0] < frontier(room, cells=4).rounds[0]


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
    with pytest.raises(ValueError, match="No way to split this class reaches the goal within"):
        ways.best(1.0)


def test_a_class_at_the_target_has_one_split() -> None:
    room = Classroom(np.zeros((4, 2)), [0.1, 0.2, 0.3, 0.4], [0.0, 0.0])
    ways = frontier(room)
    assert repr(ways) == "Frontier(1 way to split 4 students, T = 0 to 0, S = 0 to 0)"
    assert str(ways).split()[-1] == "any"
    assert ways.best(5.0).groups == 1
    assert isinstance(ways.plot(), Axes)


def test_a_class_of_one_has_one_split() -> None:
    ways = frontier(Classroom.sample(1, 3))
    assert [str(split) for split in ways] == ["1 student alone"]
    assert ways[0].group_of.tolist() == [0]


def test_places_are_counted_as_in_a_list(ways: Frontier) -> None:
    assert ways[-1].place == len(ways) - 1
    assert [split.place for split in ways[:3]] == [0, 1, 2]
    with pytest.raises(IndexError, match=f"there are {len(ways)} ways, but number 9999 was"):
        ways[9999]


def test_progress_is_reported_until_the_end(room: Classroom) -> None:
    seen: list[Progress] = []
    frontier(room, cells=6, progress=seen.append)
    shares = [progress.done for progress in seen]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(shares) >= 6


def test_the_same_seed_gives_the_same_ways() -> None:
    room = Classroom.sample(60, 4, clusters=3)
    one, two = (frontier(room, by="both", cells=6, seed=3) for _ in range(2))
    np.testing.assert_array_equal(one.ways.numbers, two.ways.numbers)
    np.testing.assert_array_equal(one.best(3.0).group_of, two.best(3.0).group_of)


def test_invalid_arguments_are_refused(room: Classroom, ways: Frontier) -> None:
    with pytest.raises(ValueError, match="`by` must be one of rate, knowledge, both, but is 'x'"):
        frontier(room, by="x")
    with pytest.raises(ValueError, match="`cells` must be at least 1, but is 0"):
        frontier(room, cells=0)
    with pytest.raises(ValueError, match="`lam` must be finite and not negative, but is -1"):
        ways.best(-1)
    with pytest.raises(TypeError, match="`room` must be a Classroom, but is list"):
        frontier([1, 2])  # type: ignore[arg-type]  # what a user might try


def test_a_class_that_is_read_piece_by_piece_is_not_split(room: Classroom) -> None:
    large = LargeClass.open((room.states, room.rates), target=room.target)
    for split in (
        lambda: frontier(large),  # type: ignore[arg-type]  # what a user might try
        lambda: teach(large, groups=BestGroups(1.0)),
    ):
        with pytest.raises(ValueError, match="read piece by piece is taught as a whole"):
            split()


def test_progress_names_a_group_that_exists() -> None:
    seen: list[Progress] = []
    frontier(Classroom.sample(students=8, dimensions=2), progress=seen.append)
    assert seen
    assert all(0 <= now.group < now.groups for now in seen)
