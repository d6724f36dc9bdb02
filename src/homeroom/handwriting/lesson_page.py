"""A lesson as an HTML page that writes its letters, in one self-contained file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from homeroom._arrays import Floats
from homeroom.handwriting.generators.pen_path import paced, placed, times_of
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.lesson import WritingLesson, Written
from homeroom.handwriting.letters import LETTERS, model_letter
from homeroom.handwriting.scores import FEATURES
from homeroom.plots import Page

MODEL_HEIGHT = 200.0
"""The height of the model letter in units of the drawing."""

MARGIN = 14.0
"""The space around the letters, in units of the drawing."""


@dataclass(frozen=True, eq=False)
class DrawingArea:
    """The area of the drawing that all letters of a lesson share.

    Parameters
    ----------
    model
        The model letter.
    scale
        Units of the drawing per unit of the model.
    box
        The rectangle that contains every letter: left, top, width, height.
    """

    model: Ink
    scale: float
    box: tuple[float, float, float, float]

    @classmethod
    def of(cls, model: Ink, inks: Iterable[Ink]) -> DrawingArea:
        """Return the area that contains the model, and the letters placed on it."""
        points = np.concatenate([model.points, *(ink.points for ink in inks)])
        scale = MODEL_HEIGHT / max(1e-9, float(np.ptp(model.points, axis=0).max()))
        low, high = points.min(axis=0) * scale - MARGIN, points.max(axis=0) * scale + MARGIN
        left, top, width, height = (
            round(float(side), 1) for side in (low[0], low[1], *(high - low))
        )
        return cls(model, scale, (left, top, width, height))

    def place(self, points: Floats) -> list[list[float]]:
        """Return points in units of the drawing, with one decimal."""
        placed: list[list[float]] = np.round(points * self.scale, 1).tolist()
        return placed


def place_on_model(shown: Written, model: Ink) -> Ink:
    """Return a letter of a lesson with times, at the size and place of the model."""
    return placed(paced(shown.ink), model)


def letter_data(scene: DrawingArea, shown: Written, ink: Ink) -> dict[str, Any]:
    """Return a letter as JSON values: strokes with times, scores, and whether it is good.

    ``ink`` is the letter ``shown``, as from :func:`place_on_model`.
    """
    strokes = [
        {"p": scene.place(stroke.points), "t": np.round(times_of(stroke), 3).tolist()}
        for stroke in ink
    ]
    return {
        "good": shown.good,
        "scores": [round(float(score), 3) for score in shown.scores],
        "strokes": strokes,
    }


NO_DIAGNOSIS = (
    "The scores are inspired by the BHK, a test of handwriting. They compare letters with a model "
    "letter, and are never a diagnosis."
)


def in_words(kind: str) -> str:
    """Return a type of handwriting in words.

    >>> in_words("shaky+rotated")
    'shaky and rotated'
    """
    return kind.replace("+", " and ")


def lesson_page(lesson: WritingLesson, *, title: str | None = None) -> Page:
    """Return a lesson as a page, which is written as one self-contained HTML file.

    The page shows the letters for the whole class and for each type of children, and writes them
    one after the other, at the speed at which they were written. It works with the keyboard, and
    follows the reader's settings for dark mode and reduced motion.

    Parameters
    ----------
    lesson
        The lesson.
    title
        The heading of the page.
    """
    letter = lesson.pool.model.letter or lesson.pool.inks[0].letter or ""
    page = Page(title or f"Letters to write: {letter}")
    page.text(
        "Show these letters in order, on this page or with a robot. For each letter, the child "
        f"decides whether it is a good {letter}, and writes it better. The letters start with what "
        "the children themselves find hard."
    )
    page.add("letters", **letters_data(lesson, letter))
    page.heading("What the children wrote")
    page.text(
        "Each score is a defect from 0 (as in the model letter) to 1, averaged over a child's "
        "letters. The type names the two greatest defects, even if they are small."
    )
    page.table(
        ("child", "letters", *FEATURES, "type"),
        [
            (
                child.name,
                str(len(child.inks)),
                *(f"{score:.2f}" for score in child.mean.tolist()),
                in_words(str(kind)),
            )
            for child, kind in zip(lesson.pupils, lesson.kinds, strict=True)
        ],
    )
    for child in lesson.pupils:
        for sentence in child.remarks:
            page.text(sentence)
    page.footer(f"{NO_DIAGNOSIS} {page.footer_text}")
    return page


def letters_data(lesson: WritingLesson, letter: str) -> dict[str, Any]:
    """Return what the viewer writes: the model letter, and the letters of each tab."""
    model, tabs = lesson.pool.model, _tabs(lesson)
    inks = {one.ink: place_on_model(one, model) for _, _, shown in tabs for one in shown}
    scene = DrawingArea.of(model, inks.values())
    ruled = letter in LETTERS and model is model_letter(letter)
    return {
        "letter": letter,
        "box": scene.box,
        "scores": list(FEATURES),
        "model": [scene.place(stroke.points[::3]) for stroke in model],
        "lines": [0.0, -scene.scale] if ruled else [],  # the baseline, and the height of an x
        "lessons": [
            {
                "name": name,
                "about": about,
                "letters": [letter_data(scene, one, inks[one.ink]) for one in shown],
            }
            for name, about, shown in tabs
        ],
    }


def _tabs(lesson: WritingLesson) -> list[tuple[str, str, list[Written]]]:
    """Return the whole class, then each type of children: name, members, and the letters."""
    number = len(lesson.pupils)
    together = "One child." if number == 1 else f"All {number} children together."
    tabs = [("Whole class", together, lesson.letters())]
    if len(lesson.groups) < 2:
        return tabs
    for kind in lesson.groups:
        members = [
            child.name
            for child, own in zip(lesson.pupils, lesson.kinds, strict=True)
            if own == kind
        ]
        tabs.append((in_words(kind).capitalize(), f"{', '.join(members)}.", lesson.letters(kind)))
    return tabs
