"""Letters as movements of a robot arm: positions in millimetres, times, and pen up or down."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import positive
from homeroom.handwriting.generators.pen_path import paced, placed, times_of
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.lesson import WritingLesson, Written

FORMAT = "homeroom-trajectories"
VERSION = 1
HEIGHT = 30.0
"""The height of the model letter in millimetres."""

FASTEST = 150.0
"""The highest speed of the pen in millimetres per second; faster letters are slowed down."""

LEAST_STEP = 0.01
"""Steps that are shorter than this, as a fraction of the mean step of a stroke, have no speed:
their points were recorded at the same time, or almost."""


def trajectories(
    lesson: WritingLesson, *, height: float = HEIGHT, fastest: float = FASTEST
) -> dict[str, Any]:
    """Return the letters of a lesson as JSON values for a robot arm.

    ``lessons`` has one entry for the whole class (``"for": "everybody"``) and, if the class has
    several types of handwriting, one per type. ``field`` is the width and height in millimetres of
    a field that fits every letter. A letter has ``good``, ``scores``, ``seconds`` and ``moves``.

    The frame is right-handed, with the paper as the plane of x and y: x points to the right, y
    upwards on the paper. The origin is the lower left corner of the field; each letter is written
    into such a field. Times are in seconds from the start of the letter. A
    letter is a list of moves, with the pen down (writing) or up (moving to the next stroke). Each
    move starts where the previous one ended.

    Parameters
    ----------
    lesson
        The lesson: its letters for the whole class, and for the children of each type.
    height
        The height of the model letter in millimetres.
    fastest
        The highest speed of the pen in millimetres per second.
    """
    height = positive(height, "height", example="30")
    fastest = positive(fastest, "fastest", example="150")
    groups: list[str | None] = [None, *(lesson.groups if len(lesson.groups) > 1 else ())]
    shown = {kind: lesson.letters(kind) for kind in groups}
    letters = {one.ink: _at_model_size(one, lesson) for own in shown.values() for one in own}
    scale = height / float(np.ptp(lesson.pool.model.points[:, 1]))
    low, high = _corners(letters.values(), lesson.pool.model)
    corner = np.array([low[0], high[1]])
    return {
        "format": FORMAT,
        "version": VERSION,
        "units": {"length": "mm", "time": "s"},
        "field": [round(float(side), 3) for side in scale * (high - low)],
        "letter": lesson.pool.inks[0].letter,
        "lessons": [
            {
                "for": "everybody" if kind is None else kind,
                "letters": [
                    _letter(one, letters[one.ink], corner, scale, fastest) for one in shown[kind]
                ],
            }
            for kind in groups
        ],
    }


def _at_model_size(one: Written, lesson: WritingLesson) -> Ink:
    """Return a letter of a lesson with times, at the size and place of the model."""
    return placed(paced(one.ink), lesson.pool.model)


def _corners(letters: Iterable[Ink], model: Ink) -> tuple[Floats, Floats]:
    """Return the least and the greatest coordinates of all points, shape ``(2,)`` each."""
    points = np.concatenate([model.points, *(ink.points for ink in letters)])
    return points.min(axis=0), points.max(axis=0)


def _letter(one: Written, ink: Ink, corner: Floats, scale: float, fastest: float) -> dict[str, Any]:
    """Return a letter as moves of the arm, slowed down if it would be too fast.

    ``ink`` is the letter ``one`` at the place of the model. ``corner`` is the lower left corner of
    the field in the same unit, and ``scale`` the millimetres per unit.
    """
    strokes = [_rows(stroke, corner, scale) for stroke in ink]
    slower = max(1.0, max(_speed(rows) for rows in strokes) / fastest)
    moves: list[dict[str, Any]] = []
    now, before = 0.0, None
    for rows in strokes:
        if before is not None:
            lift = _lift(before, rows[0], fastest)
            moves.append({"pen": "up", "points": _plain(_from(now, lift))})
            now += float(lift[-1, 0])
        down = _from(now, _limited(rows * np.array([slower, 1.0, 1.0]), fastest))
        moves.append({"pen": "down", "points": _plain(down)})
        now, before = float(down[-1, 0]), down[-1]
    return {
        "good": one.good,
        "scores": [round(float(score), 4) for score in one.scores],
        "seconds": round(now, 4),
        "moves": moves,
    }


def _rows(stroke: Stroke, corner: Floats, scale: float) -> Floats:
    """Return a stroke as rows of time, x and y, with y upwards, to a tenth of a micrometre."""
    return np.column_stack(
        [times_of(stroke), ((stroke.points - corner) * [scale, -scale]).round(4)]
    )


def _from(now: float, rows: Floats) -> Floats:
    """Return the rows with times that start at ``now``."""
    moved: Floats = rows + np.array([now - rows[0, 0], 0.0, 0.0])
    return moved


def _speed(rows: Floats) -> float:
    """Return the highest speed along a stroke, given as rows of time, x and y."""
    step = np.diff(rows, axis=0)
    timed = step[step[:, 0] > LEAST_STEP * (rows[-1, 0] - rows[0, 0]) / len(rows)]
    return float((np.hypot(timed[:, 1], timed[:, 2]) / timed[:, 0]).max(initial=0.0))


def _limited(rows: Floats, fastest: float) -> Floats:
    """Return rows of time, x and y with times in whole microseconds, from 0.

    A step that would be faster than the limit takes longer.
    """
    step = np.diff(rows, axis=0)
    least = np.ceil(1e6 * np.hypot(step[:, 1], step[:, 2]) / fastest + 1e-3)  # at least 1
    steps = np.maximum(np.diff(np.round(1e6 * rows[:, 0])), least)
    return np.column_stack([np.append(0.0, np.cumsum(steps)) / 1e6, rows[:, 1:]])


def _lift(start: Floats, end: Floats, fastest: float) -> Floats:
    """Return the straight move with the pen up as two rows of time, x and y.

    It takes at least 0.1 s, and longer if the speed limit requires it.
    """
    return _limited(np.array([[0.0, *start[1:]], [0.1, *end[1:]]]), fastest)


def _plain(rows: Floats) -> list[list[float]]:
    """Return the rows, rounded to microseconds and tenths of a micrometre."""
    rounded = np.column_stack([np.round(rows[:, 0], 6), np.round(rows[:, 1:], 4)])
    plain: list[list[float]] = rounded.tolist()
    return plain
