"""homeroom: teach a whole class with one lesson.

>>> from homeroom import Classroom, teach
>>> room = Classroom.sample(students=300, dimensions=25, seed=0)
>>> teach(room).rounds
154
"""

from homeroom.advice import Certificate, Comparison, certify, compare, richness
from homeroom.classroom import Classroom, Example
from homeroom.goals import AverageGoal, EveryoneGoal
from homeroom.groups import AsGiven, AtRandom, ByKnowledge, ByRate, Individuals, WholeClass
from homeroom.learners import GradientLearner, LangevinLearner, StochasticRateLearner
from homeroom.lessons import Lesson, Record, StoppedBecause, teach
from homeroom.moments import Observation
from homeroom.observers import ExactObserver, NoisyMoments, NoisyStates, RateHistory
from homeroom.pools import Ball, DirectionPool, ItemPool
from homeroom.teachers import ClassroomTeacher, MeanTeacher, PoolTeacher, RandomTeacher

__all__ = [
    "AsGiven",
    "AtRandom",
    "AverageGoal",
    "Ball",
    "ByKnowledge",
    "ByRate",
    "Certificate",
    "Classroom",
    "ClassroomTeacher",
    "Comparison",
    "DirectionPool",
    "EveryoneGoal",
    "ExactObserver",
    "Example",
    "GradientLearner",
    "Individuals",
    "ItemPool",
    "LangevinLearner",
    "Lesson",
    "MeanTeacher",
    "NoisyMoments",
    "NoisyStates",
    "Observation",
    "PoolTeacher",
    "RandomTeacher",
    "RateHistory",
    "Record",
    "StochasticRateLearner",
    "StoppedBecause",
    "WholeClass",
    "certify",
    "compare",
    "richness",
    "teach",
]
