"""How students change when they are shown an example."""

from homeroom.learners.item_memory import Forgetting, ItemMemoryLearner, item_features
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
    "Forgetting",
    "GradientLearner",
    "Hinge",
    "ItemMemoryLearner",
    "LangevinLearner",
    "Logistic",
    "MomentumLearner",
    "Noise",
    "OwnLoss",
    "Squared",
    "Step",
    "StochasticRateLearner",
    "item_features",
]
