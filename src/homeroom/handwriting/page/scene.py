"""What the page's player needs to know, as plain values: where the pen is, and when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from homeroom._arrays import Floats
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.lesson import Written
from homeroom.handwriting.pace import paced, placed, times_of

TALL = 200.0
"""How high the model letter is on the page, in the drawing's own units."""

MARGIN = 14.0


@dataclass(frozen=True, eq=False)
class Scene:
    """A drawing board that all letters of a lesson share.

    Parameters
    ----------
    model
        The letter as it should be.
    scale
        How many units of the drawing one unit of the model is.
    box
        The part of the plane that holds every letter: left, top, width, height.
    """

    model: Ink
    scale: float
    box: tuple[float, float, float, float]

    @classmethod
    def of(cls, model: Ink, inks: Iterable[Ink]) -> Scene:
        """Return a board that holds the model and all these letters, which lie like the model."""
        points = np.concatenate([model.points, *(ink.points for ink in inks)])
        scale = TALL / max(1e-9, float(np.ptp(model.points, axis=0).max()))
        low, high = points.min(axis=0) * scale - MARGIN, points.max(axis=0) * scale + MARGIN
        left, top, width, height = (
            round(float(side), 1) for side in (low[0], low[1], *(high - low))
        )
        return cls(model, scale, (left, top, width, height))

    def place(self, points: Floats) -> list[list[float]]:
        """Return points on the board, to a tenth of its unit."""
        placed: list[list[float]] = np.round(points * self.scale, 1).tolist()
        return placed

    def path(self, ink: Ink) -> str:
        """Return a letter as the path of a drawing."""
        return "".join(_line(self.place(stroke.points)) for stroke in ink)


def _line(points: Sequence[Sequence[float]]) -> str:
    """Return a smooth line through all points (Catmull and Rom's), as the player draws it."""
    where = np.array([points[0], *points, points[-1]])
    before, after = (
        where[1:-2] + (where[2:-1] - where[:-3]) / 6,
        where[2:-1] - (where[3:] - where[1:-2]) / 6,
    )
    bends = np.round(np.hstack([before, after, where[2:-1]]), 1).tolist()
    start = f"M{points[0][0]:g} {points[0][1]:g}"
    if not bends:
        return start + "h0"  # a dot
    return start + "".join("C" + " ".join(f"{value:g}" for value in bend) for bend in bends)


def laid(shown: Written, model: Ink) -> Ink:
    """Return a letter of a lesson with times, as large as the model and where the model is."""
    return placed(paced(shown.ink), model)


def as_values(scene: Scene, shown: Written, ink: Ink) -> dict[str, Any]:
    """Return a letter as plain values: its strokes with times, its scores, whether it is good."""
    strokes = [
        {"p": scene.place(stroke.points), "t": np.round(times_of(stroke), 3).tolist()}
        for stroke in ink
    ]
    return {
        "good": shown.good,
        "scores": [round(float(score), 3) for score in shown.scores],
        "seconds": max(stroke["t"][-1] for stroke in strokes),
        "strokes": strokes,
    }
