"""How rounds are computed."""

from homeroom.engines.exact import ExactClass
from homeroom.engines.individuals import (
    Straight,
    can_be_straight,
    straight_lessons,
    tutored_lessons,
)
from homeroom.engines.overshoot import LONG, MAY_MOVE_AWAY

ENGINES = ("auto", "exact")
"""What ``teach(engine=...)`` takes; ``"auto"`` is the best that is valid for the class."""


def check_engine(name: str) -> None:
    """Refuse an engine that does not exist."""
    if name not in ENGINES:
        raise ValueError(f"`engine` must be one of {', '.join(ENGINES)}, but is {name!r}.")


__all__ = [
    "ENGINES",
    "LONG",
    "MAY_MOVE_AWAY",
    "ExactClass",
    "Straight",
    "can_be_straight",
    "check_engine",
    "straight_lessons",
    "tutored_lessons",
]
