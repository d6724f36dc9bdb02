"""A class that writes a letter: the model, the robot's next letter, and the students' letters.

The robot writes imperfect letters, which students correct. A letter has several forms (ways to
write it), each in a style: print or cursive.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import numpy as np

from homeroom._checks import InputError
from homeroom.handwriting import (
    Ink,
    LetterPool,
    Pupil,
    Stroke,
    model_letter,
    next_letter,
    paced,
    placed,
    score,
    score_each,
)
from homeroom.handwriting.letters import forms_of, school_letter, select_forms
from homeroom.handwriting.pupils import leaning, side_of
from homeroom.handwriting.scores import FEATURES
from homeroom.handwriting.scores.form_choice import FIRST_LETTERS
from homeroom.live.classbook.state import State, Strokes
from homeroom.live.events import Wrote
from homeroom.live.messages.common import Box, InkPoint
from homeroom.live.messages.responses import RobotLetter
from homeroom.live.messages.views import ClassLetters, LetterTry, StudentLetters, WritingSheet
from homeroom.live.refused import Refused

LETTERS = 300
"""The number of letters that the robot chooses from."""

MARGIN = 0.5
"""The margin around the model, in x-heights."""

MOST_STROKES, MOST_POINTS = 50, 5000
"""The most strokes, and points of all strokes, that a page may send for one letter."""

DIGITS = 4
"""The number of decimals that pages get."""

REMEMBERED = 1000
"""The number of the robot's letters that are cached, so that each is chosen only once."""

RECENT = 5
"""The number of latest letters from which a student's present writing is estimated."""

OWN, SCHOOL = "own", "cursive"
"""The setting with which each student has their own form, and the style of the model shown then."""


@lru_cache(maxsize=64)
def pool_of(letter: str, form: str = "") -> LetterPool:
    """Return the letters that the robot may write: variants of a form, or of the school's model.

    Cost: about a second, once per form.
    """
    model = model_letter(letter, form) if form else school_letter(letter)
    return LetterPool.make(letter, LETTERS, model=model)


def ink_of(strokes: Strokes, letter: str) -> Ink:
    """Return strokes sent by a page as ink; refuse anything else."""
    if not strokes or len(strokes) > MOST_STROKES or sum(map(len, strokes)) > MOST_POINTS:
        raise Refused("strokes", strokes=MOST_STROKES, points=MOST_POINTS)
    try:
        return Ink(tuple(_stroke(stroke) for stroke in strokes), letter=letter)
    except (KeyError, TypeError, ValueError) as why:
        raise Refused("no_ink", why=str(why)) from None


def _stroke(stroke: Sequence[Mapping[str, Any]]) -> Stroke:
    """Return a list of points as a stroke; without pressures if a point has none."""
    felt = [point.get("p") for point in stroke]
    return Stroke(
        [[float(point["x"]), float(point["y"])] for point in stroke],
        times=[float(point["t"]) for point in stroke],
        pressures=None if None in felt else [float(one or 0.0) for one in felt],
    )


def strokes_of(ink: Ink) -> list[list[InkPoint]]:
    """Return ink as lists of points for a page; strokes without times get plausible ones."""
    timed = paced(ink)
    found = []
    for stroke in timed:
        assert stroke.times is not None
        rows = np.column_stack([stroke.points, stroke.times]).round(DIGITS).tolist()
        found.append([InkPoint(x=x, y=y, t=t) for x, y, t in rows])
    return found


def style_of(state: State) -> str | None:
    """Return the style that the teacher set for the letter; ``None`` for each student's own."""
    return None if state.opened is None or state.opened.form == OWN else state.opened.form


def score_letter(
    strokes: Strokes, letter: str, style: str | None = None, before: Sequence[Strokes] = ()
) -> tuple[dict[str, float], str]:
    """Return how far a letter is from its form, three scores from 0 (equal) to 1; and the form.

    The form is the one that fits the student's first letters best: those written ``before``, and
    this one while they are few.
    """
    first = [ink_of(one, letter) for one in before[:FIRST_LETTERS]]
    hand = [replace(ink, writer="student") for ink in (*first, ink_of(strokes, letter))]
    try:
        found = score_each(hand, select_forms(forms_of(letter), style))[-1]
    except Refused:
        raise
    except ValueError as why:
        raise Refused("letter_not_scored", why=str(why)) from None
    if not found.fits:
        raise Refused("letter_not_scored", why=found.note)
    scores = {name: round(float(getattr(found, name)), DIGITS) for name in FEATURES}
    return scores, found.form


@cache
def model_of(letter: str, style: str | None = None) -> tuple[list[list[InkPoint]], Box]:
    """Return the model's strokes, and the sheet: left, top, width and height."""
    model = school_letter(letter, style or SCHOOL)
    low, high = model.points.min(axis=0) - MARGIN, model.points.max(axis=0) + MARGIN
    left, top, width, height = np.concatenate([low, high - low]).round(DIGITS).tolist()
    return strokes_of(model), (left, top, width, height)


def robots_letter(state: State, student: str) -> list[list[InkPoint]] | None:
    """Return the robot's next letter for a student to correct; ``None`` before their first one.

    The lesson chooses the letter that teaches the student most, given their own letters. It has the
    form of their first letters, and slants to the same side as their latest.
    """
    letter = state.activity.letter
    tries = [wrote for wrote in state.wrote if wrote.student == student]
    if letter is None or not tries:
        return None
    side = side_of(
        [_measure(letter, wrote.form, _lines(wrote.strokes))[0] for wrote in tries[-RECENT:]]
    )
    scores = tuple(tuple(wrote.scores[name] for name in FEATURES) for wrote in tries)
    return _choose(letter, style_of(state), _usual_form(letter, tries), scores, side)


def _usual_form(letter: str, tries: Sequence[Wrote]) -> str:
    """Return the form of most of a student's letters; empty if none of them fits a form."""
    forms = Counter(wrote.form or _measure(letter, "", _lines(wrote.strokes))[1] for wrote in tries)
    return forms.most_common(1)[0][0] if forms else ""


def _lines(strokes: Strokes) -> tuple[bytes, ...]:
    """Return the points of each stroke as bytes: a hashable key, the same after a restart."""
    return tuple(
        np.array([[point["x"], point["y"]] for point in stroke], dtype=np.float64).tobytes()
        for stroke in strokes
    )


@lru_cache(maxsize=REMEMBERED)
def _measure(letter: str, form: str, lines: tuple[bytes, ...]) -> tuple[float, str]:
    """Return the rotation of a student's letter in degrees, positive to the right, and its form.

    Logs of version 0.1 do not state the form: then it is the one that the letter fits best. They
    may have inks that are not a letter.
    """
    strokes = (Stroke(np.frombuffer(line).reshape(-1, 2)) for line in lines)
    known = forms_of(letter)
    try:
        found = score(Ink(tuple(strokes)), {form: known[form]} if form in known else known)
    except InputError:
        return 0.0, ""
    return 0.0 if np.isnan(found.angle) else found.angle, found.form


@lru_cache(maxsize=REMEMBERED)
def _choose(
    letter: str, style: str | None, form: str, scores: tuple[tuple[float, ...], ...], side: int
) -> list[list[InkPoint]] | None:
    """Return the robot's next letter as strokes, placed on the sheet.

    Parameters
    ----------
    letter, style, form
        The letter, the style of the model on the sheet, and the form of the student's letters.
    scores
        The scores of the student's letters, shape ``(letters, features)``.
    side
        To which side the student's letters lean: 1 right, -1 left, 0 neither.
    """
    sheet = school_letter(letter, style or SCHOOL)
    pool = pool_of(letter, form)
    child = Pupil("child", (), np.array(scores[-RECENT:]))
    number = next_letter(child, pool, seed=len(scores))
    if number is None:
        return strokes_of(placed(pool.model, sheet))
    (shown,) = leaning([pool.inks[number]], pool.model, side)
    return strokes_of(placed(shown, sheet))


def show_sheet(state: State, student: str) -> WritingSheet | None:
    """Return what a student's page needs: the letter, its model, and the robot's letter."""
    letter = state.activity.letter
    if letter is None:
        return None
    model, box = model_of(letter, style_of(state))
    robot = robots_letter(state, student)
    return WritingSheet(
        letter=letter,
        box=box,
        model=model,
        robot=None if robot is None else RobotLetter(strokes=robot),
        tries=sum(wrote.student == student for wrote in state.wrote),
    )


def show_letters(state: State) -> ClassLetters:
    """Return the letters and scores of all students over time, for the teacher."""
    letter = state.activity.letter
    if letter is None:
        raise Refused("nothing_written")
    model, box = model_of(letter, style_of(state))
    students = []
    for one in state.people.values():
        tries = [wrote for wrote in state.wrote if wrote.student == one.id]
        shown = [
            LetterTry(
                round=wrote.round,
                strokes=[[InkPoint(**point) for point in stroke] for stroke in wrote.strokes],
                scores=dict(wrote.scores),
                form=wrote.form,
            )
            for wrote in tries
        ]
        form = _usual_form(letter, tries)
        students.append(StudentLetters(id=one.id, name=one.name, form=form, tries=shown))
    return ClassLetters(letter=letter, box=box, model=model, students=students)


def write_letter(state: State, student: str, strokes: Strokes, number: int | None = None) -> Wrote:
    """Return the event that a student wrote a letter, with its scores.

    Parameters
    ----------
    state
        The class.
    student
        The student.
    strokes
        The ink: lists of points ``{"x", "y", "t", "p"}``, the time in seconds.
    number
        The number of the letter, counted from 1 for each student; the next one by default.
    """
    letter = state.activity.letter
    if letter is None:
        raise Refused("nothing_written")
    number = state.next_letter(student) if number is None else number
    before = [
        wrote.strokes for wrote in state.wrote if wrote.student == student and wrote.round < number
    ]
    scores, form = score_letter(strokes, letter, style_of(state), before)
    return Wrote(student, number, tuple(tuple(stroke) for stroke in strokes), scores, form)
