"""Insects to learn with: two moths and two butterflies, drawn by code, and simulated annotators."""

from homeroom.crowd.insects.collection import ANNOTATOR_TYPES, Insects, make
from homeroom.crowd.insects.species import FEATURES, SPECIES

__all__ = ["ANNOTATOR_TYPES", "FEATURES", "SPECIES", "Insects", "make"]
