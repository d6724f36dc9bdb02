"""A class that writes: scores, the robot's next letter, the letters of all students."""

from __future__ import annotations

import json
from typing import Any

import pytest

from homeroom.handwriting import LETTERS, Child, Kinematic, Knobs, score
from homeroom.live.activities import catalogue as activities
from homeroom.live.classbook import ClassBook, writing
from homeroom.live.events import Joined, Opened, PhaseBegan, from_json, to_json
from homeroom.live.refused import Refused


@pytest.fixture
def book() -> ClassBook:
    """A class of two that writes the letter f."""
    activity = activities.letter_activity("f")
    assert activity is not None
    book = ClassBook.begin(activity).after(Opened("2a", "letter-f", "ABC234"))
    for student, name in (("s1", "Ada"), ("s2", "Ben")):
        book = book.after(Joined(student, name))
    return book.after(PhaseBegan("teach"))


def ink(kind: str = "shaky+rotated", seed: int = 3) -> list[list[dict[str, float]]]:
    return writing.strokes_of(Child.of(kind, seed=seed).write("f", tries=1)[0])


def test_every_letter_has_a_model() -> None:
    assert set(activities.LETTERS) <= set(LETTERS)
    assert activities.letter_activity("ß") is None


def test_a_letter_is_scored_and_the_robot_writes_another(book: ClassBook) -> None:
    before = book.view("s1")["writing"]
    assert (before["letter"], before["robot"], before["tries"]) == ("f", None, 0)
    left, top, width, height = before["box"]
    for stroke in before["model"]:
        assert all(left < point["x"] < left + width for point in stroke)
        assert all(top < point["y"] < top + height for point in stroke)
        assert [point["t"] for point in stroke] == sorted(point["t"] for point in stroke)
    event = book.written("s1", ink())
    assert event.round == 1
    assert event.scores["shakiness"] > event.scores["distortion"]
    book.check(event)
    after = book.after(event)
    robot = after.view("s1")["writing"]["robot"]["strokes"]
    assert robot != before["model"]
    assert sum(len(stroke) for stroke in robot) > 10
    assert after.view("s2")["writing"]["robot"] is None
    assert after.written("s1", ink(seed=4)).round == 2


def test_letters_and_the_robots_are_the_same_after_a_restart(book: ClassBook) -> None:
    event = book.written("s1", ink())
    again = from_json(json.loads(json.dumps(to_json(event))))
    assert book.after(again).view("s1") == book.after(event).view("s1")


@pytest.mark.parametrize("side", [-1, 1])
def test_the_robot_slants_to_the_same_side_as_the_student(book: ClassBook, side: int) -> None:
    """Scores do not depend on the side, but a child sees it, as in a lesson on paper."""
    for seed in range(3):
        (tried,) = Kinematic().write("f", [Knobs(rotation=25.0 * side, shakiness=0.3)], seed)
        book = book.after(book.written("s1", writing.strokes_of(tried)))
        robot = book.view("s1")["writing"]["robot"]["strokes"]
        assert side * score(writing.ink_of(robot, "f"), "f").angle > -1


def test_the_teacher_sees_all_letters_and_their_scores(book: ClassBook) -> None:
    for seed in (3, 4):
        book = book.after(book.written("s1", ink(seed=seed)))
    letters = json.loads(json.dumps(book.letters()))
    assert letters["letter"] == "f"
    ada, ben = letters["students"]
    assert [one["round"] for one in ada["tries"]] == [1, 2]
    assert set(ada["tries"][0]["scores"]) == {"distortion", "rotation", "shakiness"}
    assert ada["tries"][0]["strokes"] == ink(seed=3)
    assert ben["tries"] == []
    assert book.proposes() is None


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
def test_strokes_that_are_not_ink_are_refused(book: ClassBook, strokes: Any, match: str) -> None:
    with pytest.raises(Refused, match=match) as caught:
        book.written("s1", strokes)
    assert caught.value.status == 422


def test_pressure_is_kept_where_it_is_known() -> None:
    felt = writing.ink_of(
        [[{"x": 0, "y": 0, "t": 0, "p": 0.5}, {"x": 1, "y": 0, "t": 1, "p": 1}]], "f"
    )
    assert felt.strokes[0].pressures is not None
    plain = writing.ink_of([[{"x": 0, "y": 0, "t": 0}, {"x": 1, "y": 0, "t": 1}]], "f")
    assert plain.strokes[0].pressures is None


def test_letters_are_refused_in_a_quiz(book: ClassBook) -> None:
    from homeroom.live.activities.insects import activity

    quiz = ClassBook.begin(activity()).after(Opened("5b", "insects", "A"))
    with pytest.raises(Refused, match="This class does not write letters"):
        quiz.letters()
    with pytest.raises(Refused, match="This class does not write letters"):
        quiz.written("s1", ink())
