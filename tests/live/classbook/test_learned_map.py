"""A map that is learned from the answers of the class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from homeroom.live.activities.insects import activity as insects
from homeroom.live.classbook.state import State
from homeroom.live.events import Joined, MapDrawn, Opened, PhaseBegan
from homeroom.live.refused import Refused
from tests.live.shown import board_of, view_of

Make = Callable[..., Any]


def without_map(new_class: Make, students: int) -> Any:
    activity = replace(insects(), id="unknown", places=None, target=None)
    return new_class(students, activity=activity)


@pytest.mark.slow
def test_a_class_is_taught_on_a_map_from_its_own_answers(new_class: Make) -> None:
    one = without_map(new_class, 25)
    assert one.activity.space is None
    one.add(PhaseBegan("pretest"))
    assert (len(one.begun().items), one.begun().each) == (50, 20)
    assert {view_of(one.state, student)["left"] for student in one.states} == {20}
    assert board_of(one.state, "c")["target"] is None
    one.answer()
    PhaseBegan("teach").check(one.state)
    one.add(PhaseBegan("teach"))
    drawn = next(event for event in one.log if isinstance(event, MapDrawn))
    assert set(drawn.places) <= set(one.state.rounds[0].items)
    assert one.begun().items[0] in drawn.places
    for _ in range(8):
        one.answer()
    assert one.state.errors[-1].total < one.state.errors[0].total
    board = board_of(one.state, "c")
    assert board["students"][0]["ellipse"]
    placed = [item for item in board["items"] if item["place"] is not None]
    assert 45 <= len(placed) == len(drawn.places)
    again = State.begin(one.activity).after_all(one.log)
    assert board_of(again, "c") == board


def test_the_map_has_yes_on_one_side(new_class: Make) -> None:
    one = without_map(new_class, 40)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    space = one.state.space
    assert len(space.ids) >= 60  # few labels contradict the rule
    scores = space.rows @ space.target
    assert ((scores > 0) == (space.labels > 0)).all()
    assert np.linalg.norm(space.target) == pytest.approx(1.0)


def test_a_small_class_is_asked_fewer_items_all_of_them_the_same(new_class: Make) -> None:
    one = without_map(new_class, 6)
    one.add(PhaseBegan("pretest"))
    assert len(one.begun().items) == 20
    one.answer()
    one.add(PhaseBegan("teach"), PhaseBegan("posttest"))
    assert sorted(one.begun().items) == sorted(one.state.rounds[0].items)


def test_too_few_answers_are_refused_in_a_sentence() -> None:
    activity = replace(insects(), places=None, target=None)
    state = State.begin(activity).after(Opened("5b", "a", "A")).after(Joined("s0", "Ada"))
    with pytest.raises(Refused, match="made from the answers to its pre-test, and there are none"):
        PhaseBegan("teach").check(state)


def test_answers_that_make_no_map_are_refused_in_a_sentence(new_class: Make) -> None:
    one = without_map(new_class, 2)
    one.add(PhaseBegan("pretest"))
    one.answer(["s0"])
    with pytest.raises(Refused, match=r"No map can be made from the answers to the pre-test\. .+"):
        PhaseBegan("teach").check(one.state)
