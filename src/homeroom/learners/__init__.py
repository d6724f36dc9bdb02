"""How students change when they are shown an example."""

from homeroom.learners.learners import (
    AbstractLearner,
    GradientLearner,
    LangevinLearner,
    Step,
    StochasticRateLearner,
)
from homeroom.learners.losses import (
    Absolute,
    AbstractLoss,
    Hinge,
    Logistic,
    OwnLoss,
    Squared,
)

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
