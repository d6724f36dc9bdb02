"""Insects to learn with: two moths and two butterflies, drawn by code, and simulated workers."""

from homeroom.crowd.insects.collection import Insects, make
from homeroom.crowd.insects.species import FEATURES, SPECIES
from homeroom.crowd.insects.workers import SCHOOLS

__all__ = ["FEATURES", "SCHOOLS", "SPECIES", "Insects", "make"]
