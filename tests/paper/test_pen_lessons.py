"""What is measured of children who learn to write is what the library gives."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom import AsGiven, AtRandom, AverageGoal, GradientLearner, Individuals, teach
from homeroom.handwriting.letter_teacher import LetterTeacher
from homeroom.paper import Plan, Row, Settings
from homeroom.paper.drawing import where
from homeroom.paper.experiments import pen_costs, pen_samples, pen_shown, pen_word
from homeroom.paper.fig1b import Figure1b
from homeroom.paper.fig6a import Figure6a
from homeroom.paper.pen_class import TYPES, class_of_children, pool_for

SETTINGS = Settings(pen_children=6, pen_pool=120)


@pytest.fixture(scope="module")
def shown() -> list[Row]:
    return pen_shown(SETTINGS.as_json(), 0)


def test_letters_are_shown_to_whom_they_are_for(shown: list[Row]) -> None:
    """Each type's rows are its group's lesson, the first those of the whole class."""
    made = class_of_children(SETTINGS, 3, 0)
    record = teach(
        made.room,
        teacher=LetterTeacher(made.pool),
        learner=GradientLearner("logistic"),
        goal=AverageGoal(0.2),
        groups=AsGiven(made.types),
    )
    for kind, own in zip(sorted(TYPES), record.groups, strict=True):
        rows = where(shown, who=kind)
        assert [row["item"] for row in rows] == own.examples.items.tolist()
        assert [row["round"] for row in rows] == list(range(own.rounds))
    row = where(shown, who="CT")[0]
    scores = made.pool.normalised[row["item"]]
    told = [row[name] for name in ("distortion", "rotation", "shakiness")]
    np.testing.assert_allclose(told, scores, atol=1e-6)
    assert row["usual_rotation"] == pytest.approx(made.pool.normalised[:, 1].mean(), abs=1e-6)


def test_the_four_ways_are_what_teach_gives() -> None:
    rows = where(pen_costs(SETTINGS.as_json(), 1), diversity=3)
    made = class_of_children(SETTINGS, 3, 1)
    ways = {"CTwP-Opt": AsGiven(made.types), "CTwP-Rand": AtRandom(3), "IT": Individuals()}
    for way, groups in ways.items():
        record = teach(
            made.room,
            teacher=LetterTeacher(made.pool),
            learner=GradientLearner("logistic"),
            goal=AverageGoal(0.2),
            groups=groups,
            seed=1,
        )
        (row,) = where(rows, way=way)
        assert (row["T"], row["S"]) == (record.rounds, record.workload)


def test_samples_say_who_wrote_them_and_what_was_found() -> None:
    rows = pen_samples(SETTINGS.as_json(), 0)
    assert len(rows) == 6 * 5
    assert {row["type"] for row in rows} == set(TYPES)
    assert np.mean([row["type"] == row["found"] for row in rows]) > 0.8


def test_a_child_writes_better_from_interaction_to_interaction() -> None:
    """Not in every single one, but in the end: the two defects of its type are less."""
    rows = pen_word(SETTINGS.as_json(), 0)
    for letter in "nao":
        own = where(rows, letter=letter)
        assert [row["talk"] for row in own] == list(range(5))
        assert own[0]["round"] == 0
        for name in ("child_rotation", "child_shakiness"):
            assert own[-1][name] < own[0][name]
        assert own[0]["item"] in range(len(pool_for(SETTINGS, 0, letter)))


@pytest.mark.parametrize("change", ["pen_eps=1000", "pen_children=3"])
def test_strips_and_words_are_drawn_of_any_lesson(change: str) -> None:
    """Of none at all, and of three children."""
    settings = SETTINGS.changed(change)
    plan = Plan(settings, quick=True)
    rows = pen_shown(settings.as_json(), 0)
    assert bool(rows) == (change != "pen_eps=1000")
    Figure6a().draw(rows, plan).draw_without_rendering()
    Figure1b().draw(pen_word(settings.as_json(), 0), plan).draw_without_rendering()


def test_a_long_lesson_skips_rounds() -> None:
    rows = [
        {"seed": 0, "who": "shaky+rotated", "round": number, "item": 0, "good": False}
        for number in range(150)
    ]
    drawn = Figure6a().draw(rows, Plan(SETTINGS, quick=True))
    named = [text.get_text() for text in drawn.axes[0].texts]
    assert named == [str(number) for number in range(1, 151, 3)]
