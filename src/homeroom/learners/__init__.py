"""How students change when they are shown an example."""

from homeroom.learners.learners import (
    SILENCE,
    AbstractLearner,
    AttentionLearner,
    GradientLearner,
    LangevinLearner,
    MomentumLearner,
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
    "AttentionLearner",
    "GradientLearner",
    "Hinge",
    "LangevinLearner",
    "Logistic",
    "MomentumLearner",
    "Noise",
    "OwnLoss",
    "Squared",
    "Step",
    "StochasticRateLearner",
]
