"""From a table of answers to a map of items and annotators, and to a class that can be taught."""

from homeroom.crowd.answers import Answers
from homeroom.crowd.dawid_skene import ConsensusLabels, dawid_skene
from homeroom.crowd.embedding import Embedding, Newcomer
from homeroom.crowd.fitting.uncertainty import Uncertainty
from homeroom.crowd.group_beliefs import Confusion, GroupBelief, beliefs
from homeroom.crowd.lesson_plan import LessonItem, Syllabus, syllabus
from homeroom.crowd.rule import ExpertRule

__all__ = [
    "Answers",
    "Confusion",
    "ConsensusLabels",
    "Embedding",
    "ExpertRule",
    "GroupBelief",
    "LessonItem",
    "Newcomer",
    "Syllabus",
    "Uncertainty",
    "beliefs",
    "dawid_skene",
    "syllabus",
]
