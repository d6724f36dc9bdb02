"""What to do with this class: compare ways of teaching it, and prove how many rounds are enough."""

from homeroom.advice.certificate import Certificate
from homeroom.advice.certify import certify
from homeroom.advice.compare import Comparison, Way, compare
from homeroom.advice.richness import richness

__all__ = ["Certificate", "Comparison", "Way", "certify", "compare", "richness"]
