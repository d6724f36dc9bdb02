"""Engines: how rounds are computed."""

from homeroom.engines.exact import CERTAIN, ExactClass, RoundingBounds
from homeroom.engines.individuals import (
    Straight,
    has_closed_form,
    straight_lessons,
    tutored_lessons,
)
from homeroom.engines.replay import LONG, MAY_MOVE_AWAY, TOLERANCE
from homeroom.engines.sketch import SketchClass, why_not_sketched

ENGINES = ("auto", "exact", "sketch")
"""The values of ``teach(engine=...)``."""


__all__ = [
    "CERTAIN",
    "ENGINES",
    "LONG",
    "MAY_MOVE_AWAY",
    "TOLERANCE",
    "ExactClass",
    "RoundingBounds",
    "SketchClass",
    "Straight",
    "has_closed_form",
    "straight_lessons",
    "tutored_lessons",
    "why_not_sketched",
]
