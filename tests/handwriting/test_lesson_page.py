"""The page that writes the letters of a lesson."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from homeroom.handwriting.generators import Child, children, generate
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.lesson import WritingLesson, Written, writing_lesson
from homeroom.handwriting.lesson_page import (
    MODEL_HEIGHT,
    DrawingArea,
    in_words,
    lesson_page,
    letter_data,
    place_on_model,
)
from homeroom.handwriting.letter_pool import LetterPool
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.pupils import pupils
from homeroom.plots import Page
from tests.pages import read_page, texts_of


def test_every_letter_lies_in_the_box() -> None:
    model, inks = model_letter("f"), generate("f", 20, rotation=(-60, 60))
    scene = DrawingArea.of(model, inks)
    left, top, width, height = scene.box
    for ink in (model, *inks):
        points = np.array([p for stroke in ink for p in scene.place(stroke.points)])
        assert (points >= [left, top]).all()
        assert (points <= [left + width, top + height]).all()
    assert np.ptp(model.points[:, 1]) * scene.scale == MODEL_HEIGHT


def test_letter_data_has_one_time_per_point() -> None:
    model = model_letter("i")
    (ink,) = generate("i", 1)
    shown = Written(ink, True, np.array([0.1, 0.25, 1.0]), 4)
    values = letter_data(DrawingArea.of(model, [ink]), shown, place_on_model(shown, model))
    assert values["good"]
    assert values["scores"] == [0.1, 0.25, 1.0]
    assert len(values["strokes"]) == 2
    for stroke in values["strokes"]:
        assert len(stroke["p"]) == len(stroke["t"])
        assert stroke["t"] == sorted(stroke["t"])
    assert values["strokes"][0]["t"][0] == 0.0


@pytest.fixture(scope="module")
def pool() -> LetterPool:
    return LetterPool.make("f", 150)


@pytest.fixture(scope="module")
def lesson(pool: LetterPool) -> WritingLesson:
    tries = {child.name: child.write("f", 2) for child in children(1)}
    return writing_lesson(pupils(tries, pool.model), pool)


@pytest.fixture(scope="module")
def page(lesson: WritingLesson) -> Page:
    return lesson_page(lesson)


def letters_of(page: Page) -> dict[str, Any]:
    (letters,) = [part for part in page.parts if part["kind"] == "letters"]
    return letters


def test_all_letters_are_included_with_their_times(page: Page, lesson: WritingLesson) -> None:
    lessons = letters_of(page)["lessons"]
    assert [len(one["letters"]) for one in lessons] == [
        len(lesson.letters(kind)) for kind in (None, *lesson.groups)
    ]
    for one, shown in zip(lessons[0]["letters"], lesson.letters(), strict=True):
        assert one["good"] == shown.good
        assert 0.5 < one["strokes"][-1]["t"][-1] < 4


def test_the_page_lists_children_and_their_scores(page: Page, lesson: WritingLesson) -> None:
    (table,) = [part for part in page.parts if part["kind"] == "table"]
    for child, kind, row in zip(lesson.pupils, lesson.kinds, table["rows"], strict=True):
        scores = [f"{score:.2f}" for score in child.mean]
        assert list(row) == [child.name, "2", *scores, in_words(str(kind))]
    assert "never a diagnosis" in page.footer_text


def test_names_cannot_break_out_of_the_page(pool: LetterPool) -> None:
    name = '</script><b onclick="x">&'
    own = pupils({name: Child.of("shaky+rotated").write("f", 1)}, pool.model)
    html = lesson_page(writing_lesson(own, pool), title="<i>Ada</i>").html()
    assert "<b onclick" not in html
    assert read_page(html)["title"] == "<i>Ada</i>"
    assert name in texts_of(read_page(html))


def test_a_class_of_one_type_has_one_tab(pool: LetterPool) -> None:
    own = pupils({"Ada": Child.of("shaky+rotated").write("f", 1)}, pool.model)
    (one,) = letters_of(lesson_page(writing_lesson(own, pool)))["lessons"]
    assert one["about"] == "One child."


def test_a_class_without_anything_to_learn_has_no_letters(pool: LetterPool) -> None:
    page = lesson_page(writing_lesson(pupils({"Ada": [pool.model]}, pool.model), pool))
    assert letters_of(page)["lessons"][0]["letters"] == []


def test_a_letter_is_ruled_only_if_its_place_is_known(page: Page, pool: LetterPool) -> None:
    assert len(letters_of(page)["lines"]) == 2
    own = replace(pool, model=Ink(pool.model.strokes, letter="f"))
    lesson = writing_lesson(
        pupils({"Ada": Child.of("shaky+rotated").write("f", 1)}, own.model), own
    )
    assert letters_of(lesson_page(lesson))["lines"] == []
