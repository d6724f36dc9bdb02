"""A school's own ink: letters from any tablet, to train on with its writers' consent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike

import numpy as np

from homeroom._checks import InputError
from homeroom.handwriting.generators.lstm.model import LetterModel
from homeroom.handwriting.generators.lstm.telling import measured
from homeroom.handwriting.generators.lstm.tracks import MOST_STEPS, RATE, track, tracks
from homeroom.handwriting.generators.lstm.training.settings import Progress, Settings
from homeroom.handwriting.generators.lstm.training.train import train
from homeroom.handwriting.generators.lstm.weights import Weights
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letters import LETTERS, model_letter
from homeroom.handwriting.pace import paced
from homeroom.handwriting.resample import by_length, radius
from homeroom.handwriting.scores import checks

FURTHER = Settings(
    steps=600, batch=32, rate=3e-4, average=0.99, held_out=0.1, check_every=20, device="cpu"
)
"""How the shipped model learns further: minutes on two cores."""

ANEW = replace(FURTHER, steps=4000, rate=2e-3, average=0.995)
"""How a model learns from nothing: an hour or more on two cores."""

LARGEST = 50.0
"""No letter has a larger radius, in x-heights: one in another unit would spoil all others."""


def train_on(
    inks: Sequence[Ink],
    path: str | PathLike[str],
    *,
    start: LetterModel | None = None,
    settings: Settings | None = None,
    tell: Callable[[Progress], None] = lambda _: None,
) -> Weights:
    """Train a letter model on a school's own ink, write it to a file, and return its weights.

    Ink may be in any unit, as long as all of it is in the same. If ``start`` knows all its letters
    the model learns on from there, which needs few letters and minutes; otherwise from nothing,
    which needs hundreds of each letter. After an interruption the same call goes on.

    Parameters
    ----------
    inks
        Letters; each must say which it is. Those without times are taken to be written as a hand
        would.
    path
        Where to write the model, ending in ``.npz``.
    start
        The model to begin from, such as ``LetterModel.load()``; None begins from nothing.
    settings
        How to train, instead of what is usual for the one or the other.
    tell
        Called after each check.
    """
    inks = [paced(ink) for ink in checks.letters(inks)]
    names = sorted({ink.letter for ink in inks if ink.letter is not None})
    factor = unit(inks)
    scaled = [ink.moved(factor * np.eye(2), np.zeros(2)) for ink in inks]
    _refuse_other_units(scaled)
    story = {"corpus": f"a school's own ink, {len(inks)} letters"}
    if start is not None and set(names) <= set(start.letters):
        learned = tracks(scaled, start.letters, measured(scaled), start.card.rate)
        how = replace(settings or FURTHER, hidden=start.weights.hidden)
        return train(learned, path, how, start=start.weights, story=story, tell=tell)
    learned = tracks(scaled, names, measured(scaled))
    return train(learned, path, settings or ANEW, story=story, tell=tell)


def _refuse_other_units(inks: Sequence[Ink]) -> None:
    for number, ink in enumerate(inks):
        if _radius(ink) > LARGEST:
            raise InputError(
                f"All ink must be in one unit, but letter number {number}, counted from 0, is "
                f"{_radius(ink):.3g} x-heights large. Scale it, or leave it out."
            )


def unfit(ink: Ink) -> str:
    """Return why nothing can be learned from a letter, in a few words; else nothing."""
    if ink.letter is None:
        return "whose file does not say which it is"
    if not checks.moves(ink):
        return "in which the pen never moves"
    try:
        track(paced(ink))
    except ValueError:
        return f"on which the pen is for more than {MOST_STEPS / RATE:g} s"
    return ""


def unit(inks: Sequence[Ink]) -> float:
    """Return the factor that brings ink to the usual size: the model letters' x-height is one."""
    ratios = [
        _radius(model_letter(ink.letter)) / _radius(ink)
        for ink in inks
        if ink.letter in LETTERS and _radius(ink) > 0
    ]
    if ratios:
        return float(np.median(ratios))
    sizes = [_radius(ink) for ink in inks]
    return 1.0 / (float(np.median(sizes)) or 1.0) if sizes else 1.0


def _radius(ink: Ink) -> float:
    return radius(by_length(ink))
