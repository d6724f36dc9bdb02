"""The letter network: its distance from the corpus, how it follows its knobs, and its speed."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.timing import Line
from homeroom._arrays import Floats
from homeroom.handwriting.generators.lstm import LetterModel
from homeroom.handwriting.generators.lstm.distance import SCORES, distances
from homeroom.handwriting.letters import LETTERS, model_letter
from homeroom.handwriting.scores.measurement import read

EACH, FEW, SEED = 200, 20, 7
SETTINGS = {
    "distortion": (0.0, 0.15, 0.3, 0.45, 0.6),
    "rotation": (-40.0, -20.0, 0.0, 20.0, 40.0),
    "shakiness": (0.0, 0.15, 0.3, 0.45, 0.6),
}


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    model = LetterModel.load()
    print(_responses(model), end="\n\n")
    yield from _distances(model)
    yield from _speed(model)


def _responses(model: LetterModel) -> str:
    """Return a table of the scores of letters with given knobs: mean and deviation."""
    rows = ["| setting | measured, mean and standard deviation |", "| --- | --- |"]
    for at, (name, settings) in enumerate(SETTINGS.items()):
        for setting in settings:
            found = _measured(model, at, name, setting)
            rows.append(f"| {name} {setting:g} | {found.mean():.3f} +- {found.std():.3f} |")
    return "\n".join(rows)


def _measured(model: LetterModel, at: int, name: str, setting: float) -> Floats:
    parts = []
    for letter in LETTERS:
        inks = model.sample(letter, FEW, SEED, bias=0.0, **{name: setting})
        found = read(inks, model_letter(letter))
        parts.append(np.degrees(found.turn) if name == "rotation" else found.table[:, at])
    return np.concatenate(parts)


def _distances(model: LetterModel) -> Iterator[Line]:
    found = distances(model, EACH)
    for at, name in enumerate(SCORES):
        yield Line(f"{name}, KS to the corpus", found.all[at], "allowed", 0.1, 1.0, unit="")
        middle, most = np.median(found.each[:, at]), found.each[:, at].max()
        yield Line(f"{name}, KS by letter, median", middle, "greatest", most, unit="")
    yield Line(
        "invalid letters before they are rewritten", found.broken, "allowed", 0.01, 1.0, unit=""
    )
    yield Line("barely recognisable letters afterwards", found.lost, "allowed", 0.01, 1.0, unit="")


def _speed(model: LetterModel) -> Iterator[Line]:
    """Measure processor time, which other programs disturb little."""
    model.sample("f")
    for what, many, times, allowed in (("one letter", 1, 15, 0.04), ("500 letters", 500, 3, 2.0)):
        took = [_worked(model, many, seed) for seed in range(times)]
        yield Line(what, float(np.median(took)), "allowed", allowed, 1.0)


def _worked(model: LetterModel, many: int, seed: int) -> float:
    began = time.process_time()
    model.sample("f", many, seed)
    return time.process_time() - began
