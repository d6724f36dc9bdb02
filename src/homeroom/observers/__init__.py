"""What the teacher observes of the class."""

from homeroom.observers.base import (
    NOISELESS,
    AbstractExaminer,
    AbstractObserver,
    ExactObserver,
    ObservationNoise,
    Outcome,
)
from homeroom.observers.noisy import NoisyMoments, NoisyStates, RateHistory
from homeroom.observers.quiz import QuizObserver
from homeroom.observers.quizzing.quiz_state import QuizState

Gradebook = QuizState  # its name in 0.1

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
    "QuizState",
    "RateHistory",
]
