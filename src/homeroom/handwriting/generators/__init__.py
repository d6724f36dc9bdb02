"""Generators: letters written by a model of the hand, or by a network that learned from them."""

from homeroom.handwriting.generators.base import KNOBS, AbstractGenerator, Knobs, Ranges
from homeroom.handwriting.generators.children import KINDS, Child, children
from homeroom.handwriting.generators.corpus import corpus
from homeroom.handwriting.generators.kinematic import Kinematic
from homeroom.handwriting.generators.writing import generate

__all__ = [
    "KINDS",
    "KNOBS",
    "AbstractGenerator",
    "Child",
    "Kinematic",
    "Knobs",
    "Ranges",
    "children",
    "corpus",
    "generate",
]
