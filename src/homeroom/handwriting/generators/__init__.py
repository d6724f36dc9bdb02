"""Generators of letters: a kinematic model of the hand, and a network trained on its letters."""

from homeroom.handwriting.generators.children import KINDS, Child, children, corpus
from homeroom.handwriting.generators.dispatch import generate
from homeroom.handwriting.generators.kinematic import Kinematic
from homeroom.handwriting.generators.knobs import KNOBS, AbstractGenerator, Knobs, Ranges

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
