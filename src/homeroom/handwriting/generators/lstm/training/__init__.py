"""Train the letter generator. Only this package needs torch."""

from homeroom.handwriting.generators.lstm.training.train import train, train_on
from homeroom.handwriting.generators.lstm.training.training_run import (
    TrainingProgress,
    TrainingSettings,
)

__all__ = ["TrainingProgress", "TrainingSettings", "train", "train_on"]
