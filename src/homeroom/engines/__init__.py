"""Engines: how rounds are computed."""

from homeroom._checks import InputError
from homeroom.engines.exact import ExactClass
from homeroom.engines.individuals import (
    Straight,
    can_be_straight,
    straight_lessons,
    tutored_lessons,
)
from homeroom.engines.overshoot import LONG, MAY_MOVE_AWAY
from homeroom.engines.replay import TOLERANCE
from homeroom.engines.sketch import SketchClass, why_not_sketched
from homeroom.engines.uncertainty import CERTAIN, Uncertainty

ENGINES = ("auto", "exact", "sketch")
"""The values of ``teach(engine=...)``."""


def check_engine(name: str) -> None:
    """Refuse an engine that does not exist."""
    if name not in ENGINES:
        raise InputError(f"`engine` must be one of {', '.join(ENGINES)}, but is {name!r}.")


__all__ = [
    "CERTAIN",
    "ENGINES",
    "LONG",
    "MAY_MOVE_AWAY",
    "TOLERANCE",
    "ExactClass",
    "SketchClass",
    "Straight",
    "Uncertainty",
    "can_be_straight",
    "check_engine",
    "straight_lessons",
    "tutored_lessons",
    "why_not_sketched",
]
