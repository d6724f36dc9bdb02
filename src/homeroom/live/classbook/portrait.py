"""What is shown of everybody: chances, states with their ellipses, rates in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from homeroom._arrays import Floats
from homeroom.live.activities.space import Space
from homeroom.observers.quizzing.bank import Belief
from homeroom.observers.quizzing.gradebook import Gradebook
from homeroom.observers.quizzing.showing import chances

ITEMS = 60
"""On how many items, evenly taken from all, chances are averaged."""

LEVEL = 0.9
"""How sure it is that bands and ellipses hold what they are drawn around."""

POINTS = 17
"""How many points an ellipse has, the first again at the end."""

DIGITS = 3


class Likeness(NamedTuple):
    """What is known of one student, as plain JSON values."""

    p_right: dict[str, float]
    state: list[float]
    ellipse: list[list[float]]
    rate_words: str
    honest: bool


def portrait(space: Space, students: Sequence[str], book: Gradebook) -> dict[str, Likeness]:
    """Return what is shown of each student.

    Chances are those of a right answer to an item of the activity, with the band that should hold
    them nine times out of ten. States are on the first two axes of the map, in units of the
    target's length.
    """
    some = np.unique(np.linspace(0, len(space.ids) - 1, ITEMS).astype(np.int64))
    band = chances(book.belief, space.signed[some], book.assumed.model, level=LEVEL)
    middle, low, high = (part.mean(axis=1).round(DIGITS).tolist() for part in band)
    plane = on_the_plane(book.belief)
    states, edges = _short(plane.means), _short(outlines(plane))
    words, honest = book.rates_in_words, (book.honesty >= 0.5).tolist()
    return {
        student: Likeness(
            {"middle": middle[row], "low": low[row], "high": high[row]},
            states[row],
            edges[row],
            words[row],
            honest[row],
        )
        for row, student in enumerate(students)
    }


def on_the_plane(belief: Belief) -> Belief:
    """Return what is believed of the first two axes; with one alone, the second is zero."""
    axes = belief.means.shape[1] - 1  # the last number of a state is its bar
    if axes > 1:
        return Belief(belief.means[:, :2], belief.covariances[:, :2, :2])
    means = np.zeros((len(belief.means), 2))
    covariances = np.zeros((len(belief.means), 2, 2))
    means[:, 0], covariances[:, 0, 0] = belief.means[:, 0], belief.covariances[:, 0, 0]
    return Belief(means, covariances)


def outlines(plane: Belief) -> Floats:
    """Return the edge of everybody's region, shape ``(students, points, 2)``, all at once."""
    angles = np.linspace(0.0, 2.0 * math.pi, POINTS)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    values, vectors = np.linalg.eigh(plane.covariances)
    halves = vectors * np.sqrt(np.maximum(values, 0.0) * -2.0 * np.log1p(-LEVEL))[:, None, :]
    edges: Floats = plane.means[:, None, :] + circle @ np.swapaxes(halves, 1, 2)
    return edges


def _short(values: Floats) -> Any:
    return np.round(values, DIGITS).tolist()
