"""Engines: how rounds are computed."""

from homeroom.engines.costs import FEWEST, sketch_pays
from homeroom.engines.exact import CERTAIN, ExactClass, RoundingBounds
from homeroom.engines.individuals import (
    Straight,
    has_closed_form,
    straight_lessons,
)
from homeroom.engines.replay import LONG, MAY_MOVE_AWAY, TOLERANCE
from homeroom.engines.sketch import SketchClass, why_not_sketched

__all__ = [
    "CERTAIN",
    "FEWEST",
    "LONG",
    "MAY_MOVE_AWAY",
    "TOLERANCE",
    "ExactClass",
    "RoundingBounds",
    "SketchClass",
    "Straight",
    "has_closed_form",
    "sketch_pays",
    "straight_lessons",
    "why_not_sketched",
]
