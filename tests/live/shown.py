"""What the pages of a class show, as the JSON values that they get."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from homeroom.handwriting import Ink
from homeroom.live.classbook.board import show_board
from homeroom.live.classbook.regroup import compare_splits
from homeroom.live.classbook.state import State
from homeroom.live.classbook.view import show_projector, show_student
from homeroom.live.classbook.writing import show_letters, strokes_of
from homeroom.live.exports.report import report_of as make_report
from homeroom.live.messages.common import to_json
from homeroom.live.store import Stored


def board_of(state: State, class_id: str = "") -> Any:
    """Return what the teacher's page shows."""
    return json.loads(to_json(show_board(state, class_id)))


def view_of(state: State, student: str) -> Any:
    """Return what a student's page shows."""
    return json.loads(to_json(show_student(state, student)))


def projector_of(state: State, class_id: str = "") -> Any:
    """Return what the projector shows."""
    return json.loads(to_json(show_projector(state, class_id)))


def letters_of(state: State) -> Any:
    """Return the letters that the students wrote."""
    return json.loads(to_json(show_letters(state)))


def strokes_sent(ink: Ink) -> list[list[dict[str, float]]]:
    """Return ink as a page sends it."""
    return [[point.model_dump(exclude_unset=True) for point in one] for one in strokes_of(ink)]


def splits_of(state: State, lam: float = 0.5) -> Any:
    """Return what the page shows of the ways to split a class."""
    return json.loads(to_json(compare_splits(state, lam)))


def report_of(state: State, stored: Sequence[Stored]) -> Any:
    """Return the report on a lesson."""
    return json.loads(to_json(make_report(state, stored)))
