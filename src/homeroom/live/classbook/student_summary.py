"""What the teacher's page shows of each student: chances, state, learning rate in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from homeroom._arrays import Floats
from homeroom.observers.quizzing.beliefs import Belief
from homeroom.observers.quizzing.quiz_state import QuizState

LEVEL = 0.9
"""The probability of credible intervals and ellipses."""

POINTS = 17
"""The number of points of an ellipse; the last is the first again."""

DIGITS = 3


class StudentSummary(NamedTuple):
    """The estimates for one student, as plain JSON values."""

    p_right: dict[str, float]
    state: list[float] | None
    ellipse: list[list[float]] | None
    rate_words: str
    honest: bool
    hasty: int


def summaries(students: Sequence[str], memory: QuizState) -> dict[str, StudentSummary]:
    """Return the summary of each student.

    ``p_right`` is what the student knows: the expected share of right answers, with a 90 % credible
    interval. States are on the first two axes of the map, in units of the target's length; without
    a map there are none.
    """
    known = [
        {part: round(float(value), DIGITS) for part, value in one._asdict().items()}
        for one in memory.knows.students
    ]
    states = edges = [None] * len(students)
    if not memory.setup.chooses:
        plane = on_the_plane(memory.belief)
        states, edges = _short(plane.means), _short(ellipses(plane))
    words, honest = memory.rates_in_words, (~memory.flagged).tolist()
    hasty = memory.hasty.tolist()
    return {
        student: StudentSummary(
            known[row],
            states[row],
            edges[row],
            words[row],
            honest[row],
            hasty[row],
        )
        for row, student in enumerate(students)
    }


def on_the_plane(belief: Belief) -> Belief:
    """Return the beliefs about the first two axes; if there is only one, the second is zero."""
    axes = belief.means.shape[1] - 1  # the last number of a state is its threshold
    if axes > 1:
        return Belief(belief.means[:, :2], belief.covariances[:, :2, :2])
    means = np.zeros((len(belief.means), 2))
    covariances = np.zeros((len(belief.means), 2, 2))
    means[:, 0], covariances[:, 0, 0] = belief.means[:, 0], belief.covariances[:, 0, 0]
    return Belief(means, covariances)


def ellipses(plane: Belief) -> Floats:
    """Return the edge of each student's credible region, shape ``(students, points, 2)``."""
    angles = np.linspace(0.0, 2.0 * math.pi, POINTS)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    values, vectors = np.linalg.eigh(plane.covariances)
    halves = vectors * np.sqrt(np.maximum(values, 0.0) * -2.0 * np.log1p(-LEVEL))[:, None, :]
    edges: Floats = plane.means[:, None, :] + circle @ np.swapaxes(halves, 1, 2)
    return edges


def _short(values: Floats) -> Any:
    return np.round(values, DIGITS).tolist()
