"""What to do with this class: compare ways of teaching it, find its best groups, prove rounds."""

from homeroom.advice.best_groups import BestGroups
from homeroom.advice.certificate import Certificate
from homeroom.advice.certify import certify
from homeroom.advice.compare import Comparison, Way, compare
from homeroom.advice.frontier import Frontier, Split, frontier
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
