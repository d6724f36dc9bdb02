"""How a class is split into groups that are each taught on their own."""

from homeroom.groups.as_given import AsGiven
from homeroom.groups.at_random import AtRandom
from homeroom.groups.base import AbstractGrouping, AbstractInformed
from homeroom.groups.by_knowledge import ByKnowledge
from homeroom.groups.by_rate import ByRate
from homeroom.groups.plain import Individuals, WholeClass

__all__ = [
    "AbstractGrouping",
    "AbstractInformed",
    "AsGiven",
    "AtRandom",
    "ByKnowledge",
    "ByRate",
    "Individuals",
    "WholeClass",
]
