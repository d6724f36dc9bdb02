"""The distance between the letters of a model and its training data, by the three scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from homeroom._arrays import Floats
from homeroom.handwriting.generators.children import corpus
from homeroom.handwriting.generators.lstm import weights
from homeroom.handwriting.generators.lstm.model import LetterModel
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores import scales
from homeroom.handwriting.scores.form_choice import UNRECOGNISABLE
from homeroom.handwriting.scores.measurement import read

SCORES = ("distortion", "rotation", "shakiness")


@dataclass(frozen=True, eq=False)
class ScoreDistances:
    """Kolmogorov-Smirnov distances of the three scores between model and corpus.

    ``each`` has one row per letter, ``(letters, 3)``; ``all`` is for all letters together.
    ``broken`` is the fraction of letters that are invalid before they are rewritten, and ``lost``
    the fraction that is barely recognisable afterwards.
    """

    letters: tuple[str, ...]
    each: Floats
    all: Floats
    broken: float
    lost: float

    def to_json(self) -> dict[str, Any]:
        """Return JSON values for a card."""
        return {
            "all": dict(zip(SCORES, self.all.round(4).tolist(), strict=True)),
            "each": dict(zip(self.letters, self.each.round(3).tolist(), strict=True)),
            "broken_before_guard": round(self.broken, 4),
            "lost_after_guard": round(self.lost, 5),
        }


def distances(
    model: LetterModel,
    of_each: int = 400,
    seed: int = 3 * 10**6,
    *,
    letters: Sequence[str] = (),
) -> ScoreDistances:
    """Compare ``of_each`` generated samples per letter with the corpus, from an unused seed.

    By default, all letters of the model are compared.
    """
    letters = tuple(letters or model.letters)
    generated, reference, broken = [], [], []
    for letter in letters:
        shape = model_letter(letter)
        generated.append(read(model.sample(letter, of_each, seed), shape).table)
        reference.append(read(corpus(letter, of_each, seed), shape).table)
        which = np.full(of_each // 3, model.letters.index(letter))
        rng = np.random.default_rng(seed)
        draft = model.draft(which, model.conditions(which, rng), rng)
        broken.append(1.0 - draft.valid(model.card.limits, model.card.step_size).mean())
    limit = scales.defect_score(np.array(UNRECOGNISABLE), scales.DISTORTION)
    return ScoreDistances(
        letters,
        np.array([_columns(a, b) for a, b in zip(generated, reference, strict=True)]),
        _columns(np.concatenate(generated), np.concatenate(reference)),
        float(np.mean(broken)),
        float(np.mean(np.concatenate(generated)[:, 0] > limit)),
    )


def describe(path: str | PathLike[str], of_each: int = 400) -> ScoreDistances:
    """Measure the model in a file, and write the distances into its card."""
    model = LetterModel.load(path)
    found = distances(model, of_each)
    story = {**model.card.story, "distances": {"of_each_letter": of_each, **found.to_json()}}
    weights.save(replace(model.weights, card=replace(model.card, story=story)), path)
    return found


def _columns(first: Floats, second: Floats) -> Floats:
    """Return the distance of two tables in each column."""
    return np.array([kolmogorov_smirnov(a, b) for a, b in zip(first.T, second.T, strict=True)])


def kolmogorov_smirnov(first: Floats, second: Floats) -> float:
    """Return the Kolmogorov-Smirnov distance of two samples.

    >>> kolmogorov_smirnov(np.array([1.0, 2.0, 3.0, 4.0]), np.array([3.0, 4.0, 5.0, 6.0]))
    0.5
    """
    at = np.concatenate([first, second])
    one, other = (
        np.searchsorted(np.sort(part), at, side="right") / len(part) for part in (first, second)
    )
    return float(np.abs(one - other).max())
