"""How students change when they are shown an example."""

from homeroom.learners.base import AbstractLearner, Step
from homeroom.learners.gradient import GradientLearner
from homeroom.learners.langevin import LangevinLearner
from homeroom.learners.losses import (
    Absolute,
    AbstractLoss,
    Hinge,
    Logistic,
    OwnLoss,
    Squared,
)
from homeroom.learners.stochastic import StochasticRateLearner

__all__ = [
    "Absolute",
    "AbstractLearner",
    "AbstractLoss",
    "GradientLearner",
    "Hinge",
    "LangevinLearner",
    "Logistic",
    "OwnLoss",
    "Squared",
    "Step",
    "StochasticRateLearner",
]
