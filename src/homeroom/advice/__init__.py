"""Advice: compare ways of teaching a class, find its best groups, certify a number of rounds."""

from homeroom.advice.certificate import Certificate
from homeroom.advice.certify import certify
from homeroom.advice.compare import Comparison, Way, compare
from homeroom.advice.frontier import BestGroups, Frontier, Split, frontier
from homeroom.advice.richness import richness

__all__ = [
    "BestGroups",
    "Certificate",
    "Comparison",
    "Frontier",
    "Split",
    "Way",
    "certify",
    "compare",
    "frontier",
    "richness",
]
