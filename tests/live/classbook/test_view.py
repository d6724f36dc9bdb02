"""The student's page shows their own answers, and nothing about other students."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from homeroom.live.events import Answered, Closed, Enrolled, Left, PhaseBegan
from homeroom.live.refused import Refused

Make = Callable[..., Any]


def test_a_question_does_not_contain_its_answer(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"))
    view = one.book.view("s0")
    assert view["item"] == {
        "id": one.code(one.begun().items[0]),
        "picture": f"/api/activities/insects/items/{one.code(one.begun().items[0])}/picture",
        "text": None,
        "question": "Is it a butterfly or a moth?",
        "options": [{"value": 1, "label": "butterfly"}, {"value": -1, "label": "moth"}],
    }
    assert view["feedback"] is None
    assert view["example"] is None
    assert not view["answered"]


def test_a_student_sees_the_label_after_answering(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"))
    item = one.begun().items[0]
    label = one.activity.labels[item]
    one.add(Answered("s0", 1, item, -label))
    view = one.book.view("s0")
    assert view["answered"]
    assert view["item"] is None
    assert view["feedback"]["right"] is False
    assert view["feedback"]["label"] == one.activity.word(label)
    assert view["feedback"]["explanation"].startswith("This ")
    assert view["feedback"]["species"] in ("cmoth", "tmoth", "rbfly", "pbfly")
    assert one.book.view("s1")["feedback"] is None
    one.add(Answered("s1", 1, item, label))
    after = one.book.view("s0")
    assert after["item"]["id"] != one.code(item)
    assert after["example"]["item"]["id"] == one.code(item)
    assert after["example"]["right"] is False
    assert one.book.view("s1")["example"]["right"] is True


def test_a_view_contains_nothing_about_other_students(new_class: Make) -> None:
    one = new_class(4)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    one.answer()
    text = json.dumps(one.book.view("s0"))
    assert "Name of s0" in text
    for other in ("s1", "s2", "s3"):
        assert other not in text


def test_a_test_shows_no_labels(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("pretest"))
    assert one.book.view("s0")["left"] == 10
    now = one.book.state.now
    first = now.left("s0")[0]
    one.add(Answered("s0", 0, first, one.activity.labels[first]))
    view = one.book.view("s0")
    assert view["left"] == 9
    assert view["item"]["id"] == one.code(now.left("s0")[1])
    assert view["progress"] == {"answered": 1, "judged": 0, "right": 0, "rounds": 0}
    one.answer(["s0"])
    view = one.book.view("s0")
    assert view["answered"]
    assert (view["item"], view["feedback"], view["example"]) == (None, None, None)
    one.add(PhaseBegan("teach"))
    assert one.book.view("s0")["progress"]["right"] >= 1  # now that it is over


def test_progress_counts_the_students_own_answers(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"))
    for _ in range(3):
        item = one.begun().items[0]
        label = one.activity.labels[item]
        number = one.book.state.last_round
        one.add(Answered("s0", number, item, label), Answered("s1", number, item, -label))
    three = {"answered": 3, "judged": 3, "rounds": 3}
    assert one.book.view("s0")["progress"] == {**three, "right": 3}
    assert one.book.view("s1")["progress"] == {**three, "right": 0}


def test_a_student_who_missed_a_round_sees_its_example(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"))
    item = one.begun().items[0]
    one.answer(["s0"])
    one.add(Closed(1))
    example = one.book.view("s1")["example"]
    seen = (example["item"]["id"], example["right"], example["round"])
    assert seen == (one.code(item), None, 1)


def test_a_student_who_left_is_asked_nothing(new_class: Make) -> None:
    one = new_class(2)
    one.add(PhaseBegan("teach"), Left("s0"))
    view = one.book.view("s0")
    assert (view["here"], view["item"]) == (False, None)


def test_a_student_who_never_joined_has_no_view(new_class: Make) -> None:
    one = new_class(1)
    one.add(Enrolled("r1", "Ada"))
    for student in ("stranger", "r1"):
        with pytest.raises(Refused, match="There is no such student in this class"):
            one.book.view(student)
