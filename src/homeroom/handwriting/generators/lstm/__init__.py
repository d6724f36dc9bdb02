"""The paper's generator: three layers of memory that have learned how a pen moves."""

from homeroom.handwriting.generators.lstm.model import LetterModel

__all__ = ["LetterModel"]
