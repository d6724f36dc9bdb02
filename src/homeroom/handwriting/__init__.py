"""From letters that children wrote to the letters that a teacher should write for them."""

from homeroom.handwriting.files import read_ink, write_ink
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.letters import LETTERS, model_from, model_letter
from homeroom.handwriting.resample import by_length, normalised
from homeroom.handwriting.svg import sheet

__all__ = [
    "LETTERS",
    "Ink",
    "Stroke",
    "by_length",
    "model_from",
    "model_letter",
    "normalised",
    "read_ink",
    "sheet",
    "write_ink",
]
