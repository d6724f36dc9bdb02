"""Letters for a robot arm."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from homeroom.handwriting.generators import children
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.lesson import WritingLesson, Written, writing_lesson
from homeroom.handwriting.letter_pool import LetterPool
from homeroom.handwriting.pupils import pupils
from homeroom.handwriting.trajectories import trajectories


def lesson_of(letter: str) -> WritingLesson:
    pool = LetterPool.make(letter, 100)
    tries = {child.name: child.write(letter, 2) for child in children(1)}
    return writing_lesson(pupils(tries, pool.model), pool)


@pytest.fixture(scope="module")
def lesson() -> WritingLesson:
    return lesson_of("i")


@pytest.fixture(scope="module")
def exported(lesson: WritingLesson) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(trajectories(lesson, height=20)))
    return document


def every_letter(exported: dict[str, Any]) -> list[dict[str, Any]]:
    return [letter for lesson in exported["lessons"] for letter in lesson["letters"]]


def test_the_format_and_units_are_stated(exported: dict[str, Any], lesson: WritingLesson) -> None:
    assert (exported["format"], exported["version"]) == ("homeroom-trajectories", 1)
    assert exported["units"] == {"length": "mm", "time": "s"}
    assert exported["letter"] == "i"
    assert [one["for"] for one in exported["lessons"]] == ["everybody", *lesson.groups]
    assert [one["good"] for one in exported["lessons"][0]["letters"]] == [
        one.good for one in lesson.letters()
    ]


def test_every_point_lies_on_the_field(exported: dict[str, Any]) -> None:
    points = np.array(
        [p for letter in every_letter(exported) for move in letter["moves"] for p in move["points"]]
    )
    assert points[:, 1:].min() >= -1e-3
    assert (points[:, 1:].max(axis=0) <= np.array(exported["field"]) + 1e-3).all()
    assert 15 < exported["field"][1] < 60  # the model is 20 mm high, and letters are turned


def test_times_increase_and_moves_connect(exported: dict[str, Any]) -> None:
    for letter in every_letter(exported):
        assert [move["pen"] for move in letter["moves"]] == ["down", "up", "down"]  # i and its dot
        rows = np.concatenate([move["points"] for move in letter["moves"]])
        assert rows[0, 0] == 0.0
        assert (np.diff(rows[:, 0]) >= 0).all()
        for move in letter["moves"]:
            assert (np.diff(np.array(move["points"])[:, 0]) > 0).all()
        assert rows[-1, 0] == pytest.approx(letter["seconds"], abs=1e-3)
        for before, after in zip(letter["moves"], letter["moves"][1:], strict=False):
            assert before["points"][-1] == after["points"][0]


def test_y_grows_upwards(exported: dict[str, Any]) -> None:
    """The dot of an i is written last, and above."""
    good = next(letter for letter in every_letter(exported) if letter["good"])
    body, _, dot = (np.array(move["points"]) for move in good["moves"])
    assert dot[:, 2].min() > body[:, 2].max()


@pytest.mark.parametrize("fastest", [20.0, 100.0])
def test_the_pen_is_never_faster_than_the_limit(lesson: WritingLesson, fastest: float) -> None:
    slow = trajectories(lesson, height=20, fastest=fastest)
    for letter in every_letter(slow):
        for move in letter["moves"]:
            step = np.diff(np.array(move["points"]), axis=0)
            ways = np.hypot(step[:, 1], step[:, 2])
            assert (ways <= fastest * step[:, 0]).all()


POINTS = np.column_stack([np.linspace(0, 20, 2001), 5 * np.sin(np.linspace(0, 9, 2001))])


@pytest.mark.parametrize(
    "stroke",
    [
        Stroke([[0, 0], [1, 0], [2, 1], [2, 1]], times=[0.0, 0.1, 0.1, 0.1]),
        Stroke([[0, 0], [1, 0], [2, 1], [3, 1]], times=[0.0, 0.1, 0.1 + 1e-9, 0.2]),
        Stroke(POINTS, times=np.linspace(0.0, 0.1, len(POINTS))),
    ],
    ids=["equal times", "almost equal times", "points close together"],
)
def test_no_step_is_faster_than_the_limit_and_the_letter_stays_short(
    lesson: WritingLesson, stroke: Stroke, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Written(Ink((stroke,)), good=True, scores=np.zeros(1), item=0)
    monkeypatch.setattr(WritingLesson, "letters", lambda *_: [written])
    letter = every_letter(trajectories(lesson, height=20))[0]
    rows = np.array(letter["moves"][0]["points"])
    step = np.diff(rows, axis=0)
    assert (step[:, 0] > 0).all()
    assert (np.hypot(step[:, 1], step[:, 2]) <= 150.0 * step[:, 0]).all()
    assert letter["seconds"] < 1.0


def test_letters_are_slowed_down_as_a_whole(lesson: WritingLesson) -> None:
    usual, slow = (every_letter(trajectories(lesson, fastest=v))[0] for v in (1e6, 10.0))
    assert slow["seconds"] > 2 * usual["seconds"]
    first, last = (np.array(one["moves"][0]["points"]) for one in (usual, slow))
    np.testing.assert_allclose(first[:, 1:], last[:, 1:])
    np.testing.assert_allclose(first[:, 0] * last[-1, 0] / first[-1, 0], last[:, 0], atol=2e-3)


def test_the_height_is_that_of_the_model(lesson: WritingLesson) -> None:
    small, large = (np.array(trajectories(lesson, height=h)["field"]) for h in (10, 40))
    np.testing.assert_allclose(large, 4 * small, atol=0.01)


@pytest.mark.parametrize("name", ["height", "fastest"])
def test_numbers_that_are_not_positive_are_refused(lesson: WritingLesson, name: str) -> None:
    with pytest.raises(ValueError, match=rf"`{name}` must be positive"):
        trajectories(lesson, **{name: 0.0})


def test_a_class_of_one_type_has_one_lesson() -> None:
    pool = LetterPool.make("f", 60)
    lesson = writing_lesson(pupils({"Ada": children(1)[0].write("f", 2)}, pool.model), pool)
    assert [one["for"] for one in trajectories(lesson)["lessons"]] == ["everybody"]
