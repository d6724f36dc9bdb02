import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.precision import SETTINGS, a_lesson, a_room, replayed_error
from homeroom import (
    AverageGoal,
    Classroom,
    ClassroomTeacher,
    EveryoneGoal,
    ItemPool,
    RandomTeacher,
    Record,
    StoppedBecause,
    teach,
)
from homeroom.engines import ExactClass, RoundingBounds

pytestmark = pytest.mark.filterwarnings("ignore:rate . .x.:UserWarning")

JOINT = ClassroomTeacher("joint")


def far_apart(number: int, seed: int | None = None) -> tuple[Classroom, Record]:
    """Return a class with rates 150 times apart, and its lesson."""
    room = a_room(150, SETTINGS[number], number if seed is None else seed)
    return room, a_lesson(room, SETTINGS[number])


@pytest.mark.parametrize("number", [0, 1, 4, 5, 6])
def test_the_estimate_covers_the_rounding_errors(number: int) -> None:
    """Rates 150 times apart; sixty such lessons are in ``python -m benchmarks precision``."""
    room, record = far_apart(number)
    error, estimate = float(record.errors[-1]), record.error_estimate
    difference = abs(replayed_error(room, record) - error)
    assert difference <= estimate


@pytest.mark.parametrize("seed", [0, 2, 4])
def test_a_goal_that_rounding_may_hide_is_not_declared(seed: int) -> None:
    room, record = far_apart(4, seed)
    assert replayed_error(room, record) > 1e6
    assert record.errors[-1] < 1.0
    assert record.stopped_because is StoppedBecause.ROUNDING


@pytest.mark.slow
def test_every_group_has_its_own_estimate() -> None:
    setting = SETTINGS[5]
    room = a_room(400, setting, 5)
    record = a_lesson(room, setting)
    for number, group in enumerate(record.groups):
        members = room.subset(record.members(number))
        difference = abs(replayed_error(members, group) - group.errors[-1])
        assert difference <= group.error_estimate
    shares = record.sizes / room.students
    assert record.group_estimates is not None
    assert record.error_estimate == pytest.approx(shares @ record.group_estimates)
    assert record.group_estimates.max() > 1e6 * record.group_estimates.min()


def test_doubt_that_more_rounds_can_remove_is_removed() -> None:
    """The class reaches the goal with an estimate that leaves doubt, and takes one more round."""
    room, record = far_apart(0)
    assert record.stopped_because is StoppedBecause.GOAL
    assert record.error_estimate > 1e-9 * record.errors[-1]
    just = float(record.errors[-2]) * (1.0 + 1e-9)
    doubtful = a_lesson(room, SETTINGS[0]._replace(more={"goal": AverageGoal(just)}))
    assert doubtful.rounds == record.rounds
    assert doubtful.stopped_because is StoppedBecause.GOAL


def test_doubt_when_no_rounds_are_left_is_the_reason_given() -> None:
    room, record = far_apart(0)
    just = AverageGoal(float(record.errors[-2]) * (1.0 + 1e-9))
    teacher = ClassroomTeacher(SETTINGS[0].magnitude)
    doubtful = teach(room, teacher=teacher, goal=just, max_rounds=record.rounds - 1)
    assert doubtful.rounds == record.rounds - 1
    assert doubtful.stopped_because is StoppedBecause.ROUNDING


@pytest.mark.parametrize(
    ("off", "stop"),
    [
        (RoundingBounds(0.0, 0.0), StoppedBecause.GOAL),
        (RoundingBounds(1.0, 1e-10), StoppedBecause.GOAL),
        (RoundingBounds(0.0, 0.01), StoppedBecause.ROUNDING),
    ],
)
def test_a_goal_for_all_students_looks_at_the_farthest(
    off: RoundingBounds, stop: StoppedBecause, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The farthest student arrives exactly at the goal."""
    monkeypatch.setattr(ExactClass, "uncertainty", off)
    room = Classroom([[1.0]], [0.5], [0.0], example_radius=1.0)
    record = teach(room, goal=EveryoneGoal(0.5), max_rounds=1)
    assert record.errors.tolist() == [1.0, 0.25]
    assert record.stopped_because is stop


def test_a_lesson_that_exists_only_in_rounding_is_given_up() -> None:
    """It would continue for about 220 rounds, and end at about 1e102 in exact arithmetic."""
    room, record = far_apart(4)
    assert record.rounds < 150
    assert replayed_error(room, record) > 1e6 * record.errors[0]


@pytest.mark.parametrize(
    ("teacher", "eps"), [("static", 0.1), ("dynamic", 0.1), ("static", 1e-12), ("joint", 1e-12)]
)
def test_ordinary_lessons_leave_no_doubt(teacher: str, eps: float) -> None:
    room = Classroom.sample(students=60, dimensions=4, rates=(0.2, 0.8))
    record = teach(room, teacher=ClassroomTeacher(teacher), goal=AverageGoal(eps))
    assert record.stopped_because is StoppedBecause.GOAL
    assert 0.0 < record.error_estimate <= 1e-9 * record.errors[-1]


@pytest.mark.parametrize("groups", ["whole", "by-rate", "individuals"])
@pytest.mark.parametrize("eps", [0.1, 1e-8])
def test_single_precision_is_estimated_as_what_it_is(groups: str, eps: float) -> None:
    room = Classroom.sample(students=50, dimensions=3, rates=(0.1, 0.5), example_radius=1.0)
    single = Classroom(
        *(np.asarray(part, np.float32) for part in (room.states, room.rates, room.target)),
        example_radius=1.0,
    )
    record = teach(single, groups=groups, goal=AverageGoal(eps))
    assert record.stopped_because is StoppedBecause.GOAL
    error, estimate = float(record.errors[-1]), record.error_estimate
    difference = abs(replayed_error(single, record) - error)
    assert difference <= estimate <= max(1000.0 * difference, 1e-4 * error)
    assert error + estimate <= eps


@pytest.mark.parametrize("how", [{}, {"groups": "individuals"}, {"engine": "sketch"}])
def test_the_estimate_of_a_diverged_class_is_infinite(how: dict[str, Any], tmp_path: Path) -> None:
    room = Classroom.sample(students=4, dimensions=2, rates=(5e60, 9e60))
    teacher = RandomTeacher(ItemPool([[1.0, 1.0], [-1.0, 1.0]]))
    record = teach(room, teacher=teacher, max_rounds=20, **how)
    assert record.stopped_because is StoppedBecause.DIVERGED
    assert record.error_estimate == math.inf
    record.save(tmp_path / "lesson.npz")
    again = Record.load(tmp_path / "lesson.npz")
    assert again.error_estimate == math.inf
    assert [group.error_estimate for group in again.groups] == [math.inf] * len(again.groups)


def test_rounding_is_bounded_even_where_the_ball_restricts_students() -> None:
    """A projection is not replayed, but it does not make errors grow."""
    rng = np.random.default_rng(4)
    rates = 150.0 ** -rng.random(30)
    states = rng.standard_normal((30, 6))
    room = Classroom(states / 5.0, rates, np.full(6, 0.1), state_radius=3.0, example_radius=20.0)
    record = teach(room, teacher=JOINT, goal=EveryoneGoal(0.01), max_rounds=400)
    assert record.error_estimate > 1e-9 * record.errors[-1]
    if record.stopped_because is StoppedBecause.GOAL:
        assert record.errors[-1] + record.error_estimate < 0.01**2 * 30
