"""Training the letter generator: the only part of it that needs torch."""

from homeroom.handwriting.generators.lstm.training.settings import Progress, Settings
from homeroom.handwriting.generators.lstm.training.train import train

__all__ = ["Progress", "Settings", "train"]
