"""What it takes to be a species: typical features, and a drawing of wings and body."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from homeroom.crowd.insects.shapes import Shape

FEATURES = ("wings", "antennae", "eyespots", "stripes")
"""What tells insects apart, each from 0 to 1: wings narrow to broad, antennae feathered to
clubbed, eyespots small to large, stripes faint to strong."""

KINDS = ("moth", "butterfly")


@dataclass(frozen=True, eq=False)
class Look:
    """What is drawn of one insect.

    Parameters
    ----------
    wings, antennae, eyespots, stripes
        Its features, from 0 to 1; see :data:`FEATURES`.
    tone
        How much lighter (above zero) or darker its colours are.
    rng
        For what is left to chance: the fur, the places of spots.
    """

    wings: float
    antennae: float
    eyespots: float
    stripes: float
    tone: float
    rng: np.random.Generator


class AbstractSpecies(ABC):
    """A species of insect."""

    name: str
    """What it is called."""

    short: str
    """What the paper calls it."""

    kind: str
    """Moth or butterfly."""

    typical: tuple[float, float, float, float]
    """Its features on average, in the order of :data:`FEATURES`."""

    @abstractmethod
    def fore(self, look: Look) -> list[Shape]:
        """Return the right forewing, the lowest shape first."""

    @abstractmethod
    def hind(self, look: Look) -> list[Shape]:
        """Return the right hindwing."""

    @abstractmethod
    def body(self, look: Look) -> list[Shape]:
        """Return body, head and antennae."""
