"""The time that the last students of a round have: it begins and ends with an event."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from homeroom.live.classbook.rounds import Round
from homeroom.live.classbook.state import State
from homeroom.live.events import (
    Answered,
    Closed,
    CountdownBegan,
    Joined,
    Opened,
    Paused,
    PhaseBegan,
    PhaseUndone,
    TimerPaused,
    TimerSet,
)
from tests.live.shown import board_of, view_of

Make = Any


@pytest.mark.parametrize(
    ("students", "needed"), [(2, 1), (5, 4), (10, 9), (19, 18), (20, 18), (30, 27), (300, 270)]
)
def test_almost_all_are_nine_of_ten_or_all_but_one(students: int, needed: int) -> None:
    names = [f"s{number}" for number in range(students)]
    now = Round(1, "teach", ("moth",), members=dict.fromkeys(names, 0))
    for name in names[: needed - 1]:
        now = now.add_answer(name, "moth", 1)
    assert not now.almost_all_answered
    assert now.add_answer(names[needed], "moth", 1).almost_all_answered


def test_one_student_has_as_long_as_they_need() -> None:
    assert not Round(1, "teach", ("moth",), members={"s0": 0}).almost_all_answered


def countdown(one: Any) -> float | None:
    assert one.state.now is not None
    return one.state.now.countdown  # type: ignore[no-any-return]


def test_the_countdown_is_an_event_and_the_rebuilt_class_is_the_same(new_class: Make) -> None:
    one = new_class(3)
    one.add(PhaseBegan("teach"))
    one.answer(["s0"])
    assert countdown(one) is None
    one.answer(["s1"])
    assert one.log[-1] == CountdownBegan(1, 20.0)
    assert countdown(one) == 20.0
    one.add(Closed(1), Closed(1))  # a second process was as quick: the next round stays open
    assert one.begun().round == 2
    assert countdown(one) is None
    rebuilt = State.begin(one.activity).after_all(one.log)
    assert board_of(rebuilt) == board_of(one.state)
    assert [view_of(rebuilt, f"s{n}") for n in range(3)] == [
        view_of(one.state, f"s{n}") for n in range(3)
    ]


def test_tests_are_answered_at_one_s_own_speed(new_class: Make) -> None:
    one = new_class(3)
    one.add(PhaseBegan("pretest"))
    one.answer(["s0", "s1"])
    assert not any(isinstance(event, CountdownBegan) for event in one.log)


def test_the_teacher_who_shows_the_solution_decides_how_long_to_wait(new_class: Make) -> None:
    one = new_class(3)
    one.state = replace(one.state, opened=Opened("5b", "", "A", reveal="teacher"))
    one.add(PhaseBegan("teach"))
    one.answer(["s0", "s1"])
    assert countdown(one) is None


def test_setting_pausing_and_switching_off(new_class: Make) -> None:
    one = new_class(3)
    one.add(PhaseBegan("teach"))
    one.answer(["s0", "s1"])
    one.add(TimerSet(45.0))
    assert countdown(one) == 45.0
    one.add(TimerPaused(1, True))
    assert countdown(one) is None
    one.add(TimerPaused(1, False))
    assert countdown(one) == 45.0
    one.add(Paused(True))
    assert countdown(one) is None
    one.add(Paused(False))
    assert countdown(one) == 45.0  # the full time again
    one.add(TimerSet(0.0))
    assert countdown(one) is None
    one.answer(["s2"])
    one.answer(["s0", "s1"])
    assert countdown(one) is None  # for the whole lesson
    one.add(PhaseBegan("posttest"), PhaseUndone())
    assert one.state.opened.timer == 0.0


def test_a_countdown_that_is_paused_is_paused_for_one_round(new_class: Make) -> None:
    one = new_class(3)
    one.add(PhaseBegan("teach"))
    one.add(TimerPaused(1, True))
    one.answer(["s0", "s1"])
    assert countdown(one) is None
    one.answer(["s2"])
    one.answer(["s0", "s1"])
    assert countdown(one) == 20.0


def test_students_who_join_during_the_countdown_get_their_time(new_class: Make) -> None:
    one = new_class(3)
    one.add(PhaseBegan("teach"))
    one.answer(["s0", "s1"])
    one.add(Joined("s3", "Dora"))
    assert countdown(one) is None
    item = one.begun().items[0]
    one.add(Answered("s3", 1, item, 1))
    assert countdown(one) == 20.0
