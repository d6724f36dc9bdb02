"""A class that writes: scores, the robot's next letter, the letters of all students."""

from __future__ import annotations

import json
from typing import Any

import pytest

from homeroom.handwriting import LETTERS, Child, Ink, Kinematic, Knobs, forms_of, score
from homeroom.live.activities import catalogue as activities
from homeroom.live.classbook import writing
from homeroom.live.classbook.proposals import propose
from homeroom.live.classbook.state import State
from homeroom.live.classbook.writing import show_letters, write_letter
from homeroom.live.events import Joined, Opened, PhaseBegan, Wrote, from_json, to_json
from homeroom.live.refused import Refused
from tests.live.shown import board_of, letters_of, strokes_sent, view_of


def class_of_two(letter: str, form: Any = "own") -> State:
    activity = activities.letter_activity(letter)
    assert activity is not None
    opened = Opened("2a", f"letter-{letter}", "ABC234", form=form)
    state = State.begin(activity)
    opened.check(state)
    state = state.after(opened)
    for student, name in (("s1", "Ada"), ("s2", "Ben")):
        state = state.after(Joined(student, name))
    return state.after(PhaseBegan("teach"))


@pytest.fixture
def state() -> State:
    """A class of two that writes the letter f."""
    return class_of_two("f")


def after_writing(state: State, *inks: Ink) -> State:
    for ink in inks:
        state = state.after(write_letter(state, "s1", strokes_sent(ink)))
    return state


def ink(kind: str = "shaky+rotated", seed: int = 3) -> list[list[dict[str, float]]]:
    return strokes_sent(Child.of(kind, seed=seed).write("f", tries=1)[0])


def test_every_letter_has_a_model() -> None:
    assert set(activities.LETTERS) <= set(LETTERS)
    assert activities.letter_activity("ß") is None


def test_a_letter_is_scored_and_the_robot_writes_another(state: State) -> None:
    before = view_of(state, "s1")["writing"]
    assert (before["letter"], before["robot"], before["tries"]) == ("f", None, 0)
    left, top, width, height = before["box"]
    for stroke in before["model"]:
        assert all(left < point["x"] < left + width for point in stroke)
        assert all(top < point["y"] < top + height for point in stroke)
        assert [point["t"] for point in stroke] == sorted(point["t"] for point in stroke)
    event = write_letter(state, "s1", ink())
    assert event.round == 1
    assert event.scores["shakiness"] > event.scores["distortion"]
    event.check(state)
    after = state.after(event)
    robot = view_of(after, "s1")["writing"]["robot"]["strokes"]
    assert robot != before["model"]
    assert sum(len(stroke) for stroke in robot) > 10
    assert view_of(after, "s2")["writing"]["robot"] is None
    assert write_letter(after, "s1", ink(seed=4)).round == 2


def test_letters_and_the_robots_are_the_same_after_a_restart(state: State) -> None:
    event = write_letter(state, "s1", ink())
    again = from_json(json.loads(json.dumps(to_json(event))))
    assert view_of(state.after(again), "s1") == view_of(state.after(event), "s1")


@pytest.mark.parametrize("side", [-1, 1])
def test_the_robot_slants_to_the_same_side_as_the_student(state: State, side: int) -> None:
    """Scores do not depend on the side, but a child sees it, as in a lesson on paper."""
    for seed in range(3):
        (tried,) = Kinematic().write("f", [Knobs(rotation=25.0 * side, shakiness=0.3)], seed)
        state = state.after(write_letter(state, "s1", strokes_sent(tried)))
        robot = view_of(state, "s1")["writing"]["robot"]["strokes"]
        assert side * score(writing.ink_of(robot, "f"), "f").angle > -1


def test_the_teacher_sees_all_letters_and_their_scores(state: State) -> None:
    for seed in (3, 4):
        state = state.after(write_letter(state, "s1", ink(seed=seed)))
    letters = json.loads(json.dumps(letters_of(state)))
    assert letters["letter"] == "f"
    ada, ben = letters["students"]
    assert [one["round"] for one in ada["tries"]] == [1, 2]
    assert set(ada["tries"][0]["scores"]) == {"distortion", "rotation", "shakiness"}
    assert ada["tries"][0]["strokes"] == ink(seed=3)
    assert ben["tries"] == []
    assert propose(state) is None


@pytest.mark.parametrize(
    ("strokes", "match"),
    [
        ([], "A letter has 1 to 50 strokes and up to 5000 points in total"),
        ([[{"x": 0, "y": 0, "t": 0}]] * 51, "A letter has 1 to 50 strokes"),
        ([[{"x": 0, "y": 0, "t": 0}] * 5001], "up to 5000 points in total"),
        ([[{"x": 0, "y": 0}]], "The ink cannot be read: 't'"),
        ([[{"x": "left", "y": 0, "t": 0}]], "The ink cannot be read: could not convert"),
        ([[{"x": float("nan"), "y": 0, "t": 0}]], "The ink cannot be read: .*finite"),
        ([[{"x": 1, "y": 1, "t": 0}]], "the pen never moves"),
    ],
    ids=["nothing", "many strokes", "many points", "no time", "no number", "nan", "a dot"],
)
def test_strokes_that_are_not_ink_are_refused(state: State, strokes: Any, match: str) -> None:
    with pytest.raises(Refused, match=match) as caught:
        write_letter(state, "s1", strokes)
    assert caught.value.status == 422


def test_pressure_is_kept_where_it_is_known() -> None:
    felt = writing.ink_of(
        [[{"x": 0, "y": 0, "t": 0, "p": 0.5}, {"x": 1, "y": 0, "t": 1, "p": 1}]], "f"
    )
    assert felt.strokes[0].pressures is not None
    plain = writing.ink_of([[{"x": 0, "y": 0, "t": 0}, {"x": 1, "y": 0, "t": 1}]], "f")
    assert plain.strokes[0].pressures is None


def test_letters_are_refused_in_a_quiz(state: State) -> None:
    from homeroom.live.activities.insects import activity

    quiz = State.begin(activity()).after(Opened("5b", "insects", "A"))
    with pytest.raises(Refused, match="This class does not write letters"):
        show_letters(quiz)
    with pytest.raises(Refused, match="This class does not write letters"):
        write_letter(quiz, "s1", ink())


def test_a_letter_is_compared_with_the_form_of_the_students_first_letters() -> None:
    """A letter that would fit another form better still has the form of the first ones."""
    forms = forms_of("s")
    other = forms["print with a wide foot"]
    assert score(other, "s").form == "print with a wide foot"
    state = after_writing(class_of_two("s"), *[forms["print"]] * 3, other)
    assert [wrote.form for wrote in state.wrote] == ["print"] * 4
    assert max(state.wrote[2].scores.values()) < 0.01
    assert state.wrote[3].scores["distortion"] > 0.1
    ada, ben = letters_of(state)["students"]
    assert (ada["form"], ben["form"]) == ("print", "")
    assert [one["form"] for one in ada["tries"]] == ["print"] * 4
    robot = view_of(state, "s1")["writing"]["robot"]
    assert robot is None or score(writing.ink_of(robot["strokes"], "s"), "s").form == "print"


@pytest.mark.parametrize("style", ["print", "cursive"])
def test_the_teacher_can_set_the_style(style: str) -> None:
    state = class_of_two("n", style)
    assert board_of(state)["form"] == style
    model = writing.ink_of(view_of(state, "s1")["writing"]["model"], "n")
    assert score(model, "n").form.startswith(style)
    tries = Kinematic(forms_of("n")[style]).write("n", [Knobs(rotation=10.0, distortion=0.3)])
    state = after_writing(state, *tries)
    assert state.wrote[0].form.startswith(style)
    robot = writing.ink_of(view_of(state, "s1")["writing"]["robot"]["strokes"], "n")
    assert score(robot, "n").form.startswith(style)


def test_a_style_that_does_not_exist_is_refused() -> None:
    with pytest.raises(Refused, match="each student's own form, with print or with cursive"):
        class_of_two("f", "runes")


def test_letters_of_older_logs_get_the_form_that_they_fit() -> None:
    """Version 0.1 stored no form, and letters that are none now."""
    strokes = strokes_sent(forms_of("f")["print"])
    scores = {"distortion": 0.1, "rotation": 0.2, "shakiness": 0.3}
    kept = Wrote("s1", 1, tuple(map(tuple, strokes)), scores)
    assert "form" not in to_json(kept)
    dot = Wrote("s2", 1, (({"x": 0.0, "y": 0.0, "t": 0.0},),), scores)
    state = class_of_two("f").after(kept).after(dot)
    assert [one["form"] for one in letters_of(state)["students"]] == ["print", ""]
    assert view_of(state, "s1")["writing"]["robot"]["strokes"]
    assert view_of(state, "s2")["writing"]["robot"]["strokes"]
