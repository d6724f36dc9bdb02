"""The paper's letter generator: a recurrent network with three LSTM layers."""

from homeroom.handwriting.generators.lstm.model import LetterModel

__all__ = ["LetterModel"]
