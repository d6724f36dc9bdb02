"""How students change when they are shown an example."""

from homeroom.learners.forgetting import ForgettingLearner
from homeroom.learners.hypotheses import HypothesisLearner
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
from homeroom.learners.mixed import MixedLearner
from homeroom.learners.people import PeopleLearner
from homeroom.learners.regression import RidgeLearner

__all__ = [
    "SILENCE",
    "Absolute",
    "AbstractLearner",
    "AbstractLoss",
    "AttentionLearner",
    "Forgetting",
    "ForgettingLearner",
    "GradientLearner",
    "Hinge",
    "HypothesisLearner",
    "ItemMemoryLearner",
    "LangevinLearner",
    "Logistic",
    "MixedLearner",
    "MomentumLearner",
    "Noise",
    "OwnLoss",
    "PeopleLearner",
    "RidgeLearner",
    "Squared",
    "Step",
    "StochasticRateLearner",
    "item_features",
]
