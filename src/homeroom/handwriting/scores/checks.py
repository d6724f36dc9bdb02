"""What can be scored: checked once, where letters enter."""

from __future__ import annotations

from typing import Any

import numpy as np

from homeroom._checks import InputError, InputTypeError
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letters import model_letter

DOT = "is a single dot: the pen never moves, so there is no form to compare with a model"


def given(inks: Any) -> list[Ink]:
    """Return the letters as a list, dots among them."""
    if isinstance(inks, Ink):
        raise InputTypeError("`inks` must be a list of letters, but is a single one: write [ink].")
    found = list(inks)
    for ink in found:
        if not isinstance(ink, Ink):
            raise InputTypeError(f"`inks` must hold Ink objects, but has {type(ink).__name__}.")
    return found


def letters(inks: Any) -> list[Ink]:
    """Return the letters as a list, refusing one in which the pen never moves."""
    found = given(inks)
    if not found:
        raise InputError("`inks` must hold at least one letter, but is empty.")
    for at, ink in enumerate(found):
        if not moves(ink):
            which = "" if len(found) == 1 else f" number {at}, counted from 0,"
            raise InputError(f"The letter{which} {DOT}. Leave it out.")
    return found


def model(asked: Any) -> Ink:
    """Return the model, given itself or the name of a shipped letter."""
    if isinstance(asked, str):
        return model_letter(asked)
    if not isinstance(asked, Ink):
        raise InputTypeError(
            f"`model` must be an Ink or the name of a letter, as in score(ink, 'f'), but is "
            f"{asked!r}."
        )
    if not moves(asked):
        raise InputError("`model` is a single dot: nothing can be compared with it.")
    return asked


def moves(ink: Ink) -> bool:
    """Tell whether there is a line: some stroke with two different points."""
    return any(len(stroke) > 1 and np.ptp(stroke.points, axis=0).any() for stroke in ink)
