"""What the teacher gets to see of the class."""

from homeroom.observers.base import (
    NOISELESS,
    AbstractExaminer,
    AbstractObserver,
    ObservationNoise,
    Outcome,
)
from homeroom.observers.exact import ExactObserver
from homeroom.observers.noisy import NoisyMoments, NoisyStates
from homeroom.observers.quiz import QuizObserver
from homeroom.observers.quizzing.gradebook import Gradebook
from homeroom.observers.rates import RateHistory

__all__ = [
    "NOISELESS",
    "AbstractExaminer",
    "AbstractObserver",
    "ExactObserver",
    "Gradebook",
    "NoisyMoments",
    "NoisyStates",
    "ObservationNoise",
    "Outcome",
    "QuizObserver",
    "RateHistory",
]
