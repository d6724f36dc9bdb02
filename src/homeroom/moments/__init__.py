"""Moments: the summary of a class of any size from which a teacher chooses."""

from homeroom.moments.build import sketch_of
from homeroom.moments.observation import (
    AbstractMoments,
    FewStudents,
    ItemOutlook,
    Moments,
    Observation,
    moments_of,
)
from homeroom.moments.sketch import Sketch

__all__ = [
    "AbstractMoments",
    "FewStudents",
    "ItemOutlook",
    "Moments",
    "Observation",
    "Sketch",
    "moments_of",
    "sketch_of",
]
