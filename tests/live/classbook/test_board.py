"""The teacher's page: the state of the class, and the estimates."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from homeroom.live.activities.base import Activity, Item
from homeroom.live.classbook.board import group_name, picture_of
from homeroom.live.classbook.choosing import COVER
from homeroom.live.events import Enrolled, Left, PhaseBegan, Regrouped
from tests.live.shown import board_of

Make = Callable[..., Any]


def test_a_board_is_plain_json(new_class: Make) -> None:
    one = new_class(3)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    one.answer()
    board = board_of(one.state, "c1")
    again = json.loads(json.dumps(board, allow_nan=False))
    assert again["class"] == "c1"
    assert again["name"] == "5b"
    assert again["code"] == "ABC234"
    assert again["retention_days"] == 30
    assert again["version"] == len(one.log)
    assert (again["phase"], again["round"], again["kind"]) == ("teach", 2, "quiz")


def test_nothing_is_estimated_in_the_lobby(new_class: Make) -> None:
    one = new_class(2)
    one.add(Enrolled("r1", "Ada"))
    board = board_of(one.state, "c")
    assert [student["p_right"] for student in board["students"]] == [None] * 3
    assert [student["here"] for student in board["students"]] == [True, True, False]
    assert board["errors"] == []
    assert board["next"] is None
    assert board["counts"] == {
        "students": 3, "here": 2, "answered": 0, "waiting": 0, "answers": 0, "right": 0,
    }  # fmt: skip
    assert len(board["items"]) == 160


def test_what_students_know_is_not_stated_before_they_have_answered(new_class: Make) -> None:
    one = new_class(3)
    one.add(PhaseBegan("pretest"))
    board = board_of(one.state, "c")
    assert board["knows"] is None
    assert [student["p_right"] for student in board["students"]] == [None] * 3
    one.answer(["s0", "s1"])
    one.add(PhaseBegan("teach"))
    board = board_of(one.state, "c")
    assert board["knows"] is not None
    assert [student["p_right"] is None for student in board["students"]] == [False, False, True]


def test_an_answer_shows_on_the_board_at_once(new_class: Make) -> None:
    one = new_class(3)
    one.add(PhaseBegan("teach"))
    one.answer(["s1"])
    board = board_of(one.state, "c")
    assert [student["answered"] for student in board["students"]] == [False, True, False]
    assert (board["counts"]["answered"], board["counts"]["waiting"]) == (1, 2)
    one.add(Left("s0"))
    assert board_of(one.state, "c")["counts"]["waiting"] == 1


def test_the_error_includes_the_uncertainty(new_class: Make) -> None:
    one = new_class(8)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    for _ in range(4):
        one.answer()
    errors = board_of(one.state, "c")["errors"]
    assert [point["round"] for point in errors] == [0, 1, 2, 3, 4]
    assert all(0 < point["unsure"] < point["total"] for point in errors)
    state = one.state.beliefs.memory
    knows = state.knows.of_class
    assert errors[-1]["total"] == pytest.approx(1.0 - knows.low)
    assert errors[-1]["unsure"] == pytest.approx(knows.middle - knows.low)
    assert errors[-1]["distance"] == pytest.approx(state.error.total)
    assert board_of(one.state, "c")["knows"] == pytest.approx(knows._asdict())


def test_the_next_example_comes_with_its_label_and_one_sentence(new_class: Make) -> None:
    one = new_class(5)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    shown = board_of(one.state, "c")["next"]
    assert shown["item"] == one.begun().items[0]
    assert shown["label"] in ("butterfly", "moth")
    assert shown["reason"]["cover"] == "typical"
    assert shown["why"].startswith(COVER["typical"])
    assert "of 5 would get it wrong. No student has seen it yet." in shown["why"]
    assert shown["reason"]["instead"] in {"butterfly", "moth"} - {shown["label"]}
    assert shown["result"] is None  # not before the reveal
    assert shown["reason"]["of"] == 5
    assert shown["group"] is None


def test_the_target_is_a_line_that_separates_the_labels(new_class: Make) -> None:
    one = new_class(1)
    one.add(PhaseBegan("teach"))
    board = board_of(one.state, "c")
    (a, b), offset = board["target"]["normal"], board["target"]["offset"]
    for item in board["items"]:
        x, y = item["place"]
        assert (a * x + b * y > offset) == (item["label"] == "butterfly")


def test_each_group_has_its_own_name_colour_and_item(new_class: Make) -> None:
    one = new_class(4)
    one.add(PhaseBegan("teach"))
    one.add(Regrouped("so", {"s0": 0, "s1": 1, "s2": 1, "s3": 1}))
    one.answer()
    board = board_of(one.state, "c")
    assert [(g["name"], g["size"], g["colour"]) for g in board["groups"]] == [
        ("A", 1, 0),
        ("B", 3, 1),
    ]
    assert [g["next"]["item"] for g in board["groups"]] == list(one.begun().items)
    assert board["next"]["group"] == "B"  # the largest
    assert [student["group"] for student in board["students"]] == [0, 1, 1, 1]
    assert board["how"] == "so"


def test_there_is_a_name_for_any_group() -> None:
    assert len({group_name(number) for number in range(100)}) == 100


def test_an_address_of_a_picture_is_quoted() -> None:
    activity = Activity("a/b", "A", (Item("../x y?", 1, picture=True), Item("t", 1, "text")))
    first, second = activity.items
    assert picture_of(activity, first) == "/api/activities/a%2Fb/items/..%2Fx%20y%3F/picture"
    assert picture_of(activity, second) is None
