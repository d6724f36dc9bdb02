"""The number of dimensions of a map: as many as help to predict held-out answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom.crowd.answers import Answers
from homeroom.crowd.fitting.answer_table import AnswerTable
from homeroom.crowd.fitting.parameters import MapParameters
from homeroom.crowd.fitting.posterior import Posterior, Prior, probit
from homeroom.crowd.fitting.search import fit_lines, most_probable, promising_starts

MOST = 4
HELD_OUT = 0.1
ENOUGH = 5000
"""How many answers are held out, in as many tenths of the table as needed."""
NOISE = 1e-4
"""A smaller gain in log loss may depend on where the search stopped: a map on which all items are
in one point makes the same predictions in any number of dimensions."""
LARGEST = 100_000
"""On a table with more answers than this, a sample of annotators (or items) is used."""


class DimensionChoice(NamedTuple):
    """The number of dimensions, and the held-out log loss of each that was tried.

    ``held_out[0]`` is the log loss of thresholds alone: how often each annotator says yes.
    """

    dimensions: int
    held_out: dict[int, float]


def choose_dimensions(
    answers: Answers,
    prior: Prior = Prior(),
    *,
    most: int = MOST,
    seed: int = 0,
    progress: Callable[[float], None] = lambda _: None,
) -> DimensionChoice:
    """Return the number of dimensions that predicts held-out answers best, from none up.

    Another dimension is kept if it lowers the held-out log loss by more than the standard error
    of the difference. Of two that are about as good, the simpler is taken. Where one dimension
    does not help, two are tried as well.
    """
    rng = np.random.default_rng(seed)
    few = _sample(answers, rng)
    folds = list(_folds(few, rng))
    best, losses = 0, _losses(few, folds, 0, prior, seed)
    tried = {0: float(losses.mean())}
    for dimensions in range(1, min(most, len(few.items), len(few.people)) + 1):
        more = _losses(few, folds, dimensions, prior, seed)
        progress(dimensions / (most + 1))
        tried[dimensions] = float(more.mean())
        if _better(losses, more):
            best, losses = dimensions, more
        elif dimensions > 1:
            break
    return DimensionChoice(best, tried)


def held_out_losses(
    answers: Answers,
    out: Ints,
    dimensions: int,
    prior: Prior = Prior(),
    *,
    number: int = 1,
    seed: int = 0,
) -> Floats:
    """Return ``-log P`` of each answer in ``out`` under the map of all the others."""
    found = map_without(answers, out, dimensions, prior, number=number, seed=seed)
    signs = np.where(answers.yes[out], 1.0, -1.0)
    certain = found.certainty(answers.person[out], answers.item[out])
    return -probit(signs * certain).log_probability


def map_without(
    answers: Answers, out: Ints, dimensions: int, prior: Prior, *, number: int, seed: int
) -> MapParameters:
    """Return the map of all answers but those in ``out``; with 0 dimensions only thresholds."""
    keep = np.ones(len(answers), dtype=np.bool_)
    keep[out] = False
    table = AnswerTable.of(answers, keep)
    if dimensions == 0:
        items = np.zeros((len(answers.items), 0))
        return MapParameters.of(items, fit_lines(items, table, prior)[0])
    starts = promising_starts(table, dimensions, prior, number, np.random.default_rng(seed))
    return most_probable(Posterior(table, prior), starts, exactly=False)


def _better(losses: Floats, others: Floats) -> bool:
    """Return whether the others are lower by more than the standard error of the difference."""
    gains = losses - others
    return bool(gains.mean() > max(NOISE, gains.std() / np.sqrt(len(gains))))


def _losses(
    answers: Answers, folds: list[Ints], dimensions: int, prior: Prior, seed: int
) -> Floats:
    return np.concatenate(
        [held_out_losses(answers, out, dimensions, prior, number=2, seed=seed) for out in folds]
    )


def _folds(answers: Answers, rng: np.random.Generator) -> Iterator[Ints]:
    """Yield disjoint tenths of the answers until they are enough."""
    order = rng.permutation(len(answers))
    size = max(1, int(HELD_OUT * len(answers)))
    for number in range(min(10, -(-ENOUGH // size))):
        yield order[number * size : (number + 1) * size]


def _sample(answers: Answers, rng: np.random.Generator) -> Answers:
    """Return all answers of some annotators, or to some items, if there are too many answers.

    The larger side is sampled, so that the other keeps many answers each.
    """
    if len(answers) <= LARGEST:
        return answers
    people, items = len(answers.people), len(answers.items)
    if people >= items:
        return answers.subset(people=_some(answers.person, people, rng))
    return answers.subset(items=_some(answers.item, items, rng))


def _some(whose: npt.NDArray[np.int32], number: int, rng: np.random.Generator) -> Ints:
    order = rng.permutation(number)
    counts = np.bincount(whose, minlength=number)[order]
    return np.sort(order[: int(np.searchsorted(np.cumsum(counts), LARGEST)) + 1])
