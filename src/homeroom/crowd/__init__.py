"""From a table of answers to a map of items and annotators, and to a class that can be taught."""

from homeroom.crowd.answers import Answers
from homeroom.crowd.dawid_skene import ConsensusLabels, dawid_skene
from homeroom.crowd.embedding import Embedding, Newcomer
from homeroom.crowd.fitting.uncertainty import Uncertainty
from homeroom.crowd.group_beliefs import Confusion, GroupBelief, beliefs
from homeroom.crowd.lesson_plan import LessonItem, Syllabus, syllabus
from homeroom.crowd.posterior_draws import PosteriorDraws, sample_posterior
from homeroom.crowd.roster import RosterNames
from homeroom.crowd.rule import ExpertRule

# The names of version 0.1.
Belief = GroupBelief
Draws = PosteriorDraws
Roster = RosterNames
Rule = ExpertRule
Shown = LessonItem

__all__ = [
    "Answers",
    "Confusion",
    "ConsensusLabels",
    "Embedding",
    "ExpertRule",
    "GroupBelief",
    "LessonItem",
    "Newcomer",
    "PosteriorDraws",
    "RosterNames",
    "Syllabus",
    "Uncertainty",
    "beliefs",
    "dawid_skene",
    "sample_posterior",
    "syllabus",
]
