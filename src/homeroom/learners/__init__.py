"""How students change when they are shown an example."""

from homeroom.learners.learners import (
    SILENCE,
    AbstractLearner,
    GradientLearner,
    LangevinLearner,
    Noise,
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
    "SILENCE",
    "Absolute",
    "AbstractLearner",
    "AbstractLoss",
    "GradientLearner",
    "Hinge",
    "LangevinLearner",
    "Logistic",
    "Noise",
    "OwnLoss",
    "Squared",
    "Step",
    "StochasticRateLearner",
]
