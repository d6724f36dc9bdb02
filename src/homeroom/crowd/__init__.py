"""From a table of answers to a map of items and people, and to a class that can be taught."""

from homeroom.crowd.answers import Answers
from homeroom.crowd.beliefs import Belief, beliefs
from homeroom.crowd.embedding import Embedding, Newcomer
from homeroom.crowd.fitting.laplace import Uncertainty
from homeroom.crowd.nuts import Draws, sample_posterior
from homeroom.crowd.roster import Roster
from homeroom.crowd.rule import Rule
from homeroom.crowd.syllabus import Shown, Syllabus, syllabus

__all__ = [
    "Answers",
    "Belief",
    "Draws",
    "Embedding",
    "Newcomer",
    "Roster",
    "Rule",
    "Shown",
    "Syllabus",
    "Uncertainty",
    "beliefs",
    "sample_posterior",
    "syllabus",
]
