"""The public names of homeroom, which ``import homeroom`` offers."""

from homeroom._checks import InputError, InputTypeError
from homeroom._extras import MissingExtraError
from homeroom.advice import (
    BestGroups,
    Certificate,
    Comparison,
    Frontier,
    certify,
    compare,
    frontier,
    richness,
)
from homeroom.classroom import Classroom, Example, LargeClass
from homeroom.crowd import Answers, Embedding
from homeroom.goals import AccuracyGoal, AverageGoal, EveryoneGoal, MasteryGoal
from homeroom.groups import AsGiven, AtRandom, ByKnowledge, ByRate, Individuals, WholeClass
from homeroom.learners import (
    AttentionLearner,
    GradientLearner,
    ItemMemoryLearner,
    LangevinLearner,
    MomentumLearner,
    StochasticRateLearner,
)
from homeroom.lessons import Lesson, Record, StoppedBecause, teach
from homeroom.moments import Observation
from homeroom.observers import (
    ExactObserver,
    NoisyMoments,
    NoisyStates,
    QuizObserver,
    RateHistory,
)
from homeroom.people import PeopleLesson
from homeroom.pools import Ball, DirectionPool, ItemPool
from homeroom.teachers import (
    ClassroomTeacher,
    MeanTeacher,
    PlannedTeacher,
    PoolTeacher,
    RandomTeacher,
)

__all__ = [
    "AccuracyGoal",
    "Answers",
    "AsGiven",
    "AtRandom",
    "AttentionLearner",
    "AverageGoal",
    "Ball",
    "BestGroups",
    "ByKnowledge",
    "ByRate",
    "Certificate",
    "Classroom",
    "ClassroomTeacher",
    "Comparison",
    "DirectionPool",
    "Embedding",
    "EveryoneGoal",
    "ExactObserver",
    "Example",
    "Frontier",
    "GradientLearner",
    "Individuals",
    "InputError",
    "InputTypeError",
    "ItemMemoryLearner",
    "ItemPool",
    "LangevinLearner",
    "LargeClass",
    "Lesson",
    "MasteryGoal",
    "MeanTeacher",
    "MissingExtraError",
    "MomentumLearner",
    "NoisyMoments",
    "NoisyStates",
    "Observation",
    "PeopleLesson",
    "PlannedTeacher",
    "PoolTeacher",
    "QuizObserver",
    "RandomTeacher",
    "RateHistory",
    "Record",
    "StochasticRateLearner",
    "StoppedBecause",
    "WholeClass",
    "certify",
    "compare",
    "frontier",
    "richness",
    "teach",
]
