"""The number of dimensions of a map: as many as help to predict held-out answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from homeroom._arrays import Floats, Ints
from homeroom.crowd.answers import Answers
from homeroom.crowd.dawid_skene import ConsensusLabels, expectation_maximization, feasible
from homeroom.crowd.fitting.answer_table import AnswerTable
from homeroom.crowd.fitting.parameters import MapParameters
from homeroom.crowd.fitting.posterior import Posterior, Prior, probit
from homeroom.crowd.fitting.search import fit_lines, most_probable, promising_starts

MOST = 4
"""The most dimensions that are tried, or one fewer than there are classes up to eight."""
HELD_OUT = 0.1
"""The share of the answers in a fold: they are held out, and predicted from all others."""
ENOUGH = 5000
"""How many answers are held out in all, in as many folds as needed."""
CLASS_FOLDS = 3
"""With more than two classes, where a map takes longer, at most this many folds are used."""
NOISE = 1e-4
"""A smaller gain in log loss may depend on where the search stopped: a map on which all items are
in one point makes the same predictions in any number of dimensions."""
WORTH = 0.02
"""The relative rise of the log loss that is accepted for a wider prior. Predictions
at the peak gain a little from a prior that is too narrow, but the map is distorted by it."""
EM_ROUNDS = 2
"""The number of EM iterations for the widths of the prior, before the map is fitted."""
LARGEST = 100_000
"""On a table with more answers than this, a sample of annotators (or items) is used."""


ROW_PRIORS = (
    Prior(people=0.35, thresholds=0.5, crowd=0.5, crowd_thresholds=1.0),
    Prior(people=0.7, thresholds=0.7, crowd=1.5, crowd_thresholds=1.0),
    Prior(people=1.4, thresholds=1.0, crowd=3.0, crowd_thresholds=1.5),
)
"""The priors with more than two classes, the narrowest first: how certain annotators are differs
from crowd to crowd, and held-out answers show it."""


class DimensionChoice(NamedTuple):
    """The number of dimensions, and the held-out log loss of each that was tried.

    ``prior`` is the prior to fit the map with. ``held_out[0]`` is the log loss of thresholds
    alone: how often each annotator says yes. ``dawid_skene`` is that of Dawid and Skene's model,
    and ``better_without`` whether it is clearly lower than that of the map.
    """

    dimensions: int
    held_out: dict[int, float]
    prior: Prior = Prior()
    dawid_skene: float | None = None
    better_without: bool = False


def choose_dimensions(
    answers: Answers,
    prior: Prior = Prior(),
    *,
    given: int | None = None,
    most: int = MOST,
    seed: int = 0,
    progress: Callable[[float], None] = lambda _: None,
) -> DimensionChoice:
    """Return the number of dimensions that predicts held-out answers best, from none up.

    Another dimension is kept if it lowers the held-out log loss by more than the standard error of
    the difference. Of two that are about as good, the simpler is taken. Where one dimension does
    not help, two are tried as well. With more than two classes, the widest prior is taken that
    predicts held-out answers about as well, and then its widths are estimated by EM. ``given`` is
    the number of dimensions, if it is not to be chosen. ``progress`` is called with the fraction
    that is done.
    """
    rng = np.random.default_rng(seed)
    few = _sample(answers, rng)
    folds = list(_folds(few, rng))
    several = len(answers.classes) > 2
    if several:
        folds = folds[:CLASS_FOLDS]
        prior, most = ROW_PRIORS[0], max(most, min(len(answers.classes) - 1, 2 * MOST))
    best = given or 0
    losses = _losses(few, folds, best, prior, seed)
    tried = {best: float(losses.mean())}
    for dimensions in range(1, min(most, len(few.items), len(few.people)) + 1):
        if given is not None:
            break
        more = _losses(few, folds, dimensions, prior, seed)
        progress(dimensions / (most + 1))
        tried[dimensions] = float(more.mean())
        if _better(losses, more):
            best, losses = dimensions, more
        elif dimensions > 1:
            break
    for wider in ROW_PRIORS[1:] if several else ():
        more = _losses(few, folds, best, wider, seed)
        if more.mean() > (1 + WORTH) * losses.mean():
            break
        prior, losses, tried[best] = wider, more, float(more.mean())
    if several and best:
        estimated = estimate_prior(few, best, prior, seed=seed)
        more = _losses(few, folds, best, estimated, seed)
        if more.mean() <= (1 + WORTH) * losses.mean():
            prior, losses, tried[best] = estimated, more, float(more.mean())
    other = _consensus_losses(few, folds) if feasible(few) else None
    if other is None:
        return DimensionChoice(best, tried, prior)
    return DimensionChoice(best, tried, prior, float(other.mean()), _better(losses, other))


def estimate_prior(answers: Answers, dimensions: int, prior: Prior, *, seed: int = 0) -> Prior:
    """Return the widths of the prior by a few rounds of EM, from a first guess."""
    table = AnswerTable.of(answers)
    starts = promising_starts(table, dimensions, prior, 2, np.random.default_rng(seed))
    found = most_probable(Posterior(table, prior), starts, exactly=False)
    for _ in range(EM_ROUNDS):
        prior = Posterior(table, prior).updated_prior(found)
        found = most_probable(Posterior(table, prior), [found], exactly=False)
    return Posterior(table, prior).updated_prior(found)


def held_out_losses(
    answers: Answers,
    out: Ints,
    dimensions: int,
    prior: Prior = Prior(),
    *,
    number: int = 1,
    seed: int = 0,
) -> Floats:
    """Return ``-log P`` of each answer in ``out`` under the map of all the others.

    ``out`` are positions of answers, and ``number`` is the number of starts of the search.
    """
    found = map_without(answers, out, dimensions, prior, number=number, seed=seed)
    certain = found.certainty(answers.person[out], answers.item[out])
    if found.classes > 2:
        said = log_softmax(certain, axis=1)[np.arange(len(out)), answers.choices[out]]
        return np.asarray(-said)
    signs = np.where(answers.yes[out], 1.0, -1.0)
    return -probit(signs * certain).log_probability


def map_without(
    answers: Answers, out: Ints, dimensions: int, prior: Prior, *, number: int, seed: int
) -> MapParameters:
    """Return the map of all answers but those in ``out``; with 0 dimensions only thresholds.

    ``number`` is the number of starts of the search.
    """
    table = _table_without(answers, out)
    if dimensions == 0:
        items = np.zeros((len(answers.items), 0))
        return MapParameters.of(items, fit_lines(items, table, prior)[0])
    starts = promising_starts(table, dimensions, prior, number, np.random.default_rng(seed))
    return most_probable(Posterior(table, prior), starts, exactly=False)


def _table_without(answers: Answers, out: Ints) -> AnswerTable:
    keep = np.ones(len(answers), dtype=np.bool_)
    keep[out] = False
    return AnswerTable.of(answers, keep)


def _consensus_losses(answers: Answers, folds: list[Ints]) -> Floats:
    """Return ``-log P`` of held-out answers under Dawid and Skene's model of the others."""
    losses = []
    for out in folds:
        found = expectation_maximization(_table_without(answers, out))
        consensus = ConsensusLabels(answers.classes, *found)
        losses.append(
            consensus.log_losses(answers.person[out], answers.item[out], answers.choices[out])
        )
    return np.concatenate(losses)


def _better(losses: Floats, others: Floats) -> bool:
    """Return whether the others are lower by more than the standard error of the difference."""
    gains = losses - others
    return bool(gains.mean() > max(NOISE, gains.std() / np.sqrt(len(gains))))


def _losses(
    answers: Answers, folds: list[Ints], dimensions: int, prior: Prior, seed: int
) -> Floats:
    """Return ``-log P`` of the answers in all folds, each under the map without its fold."""
    return np.concatenate(
        [held_out_losses(answers, out, dimensions, prior, number=2, seed=seed) for out in folds]
    )


def _folds(answers: Answers, rng: np.random.Generator) -> Iterator[Ints]:
    """Yield folds, disjoint tenths of the answers drawn at random, until they are enough."""
    order = rng.permutation(len(answers))
    size = max(1, int(HELD_OUT * len(answers)))
    for number in range(min(10, -(-ENOUGH // size))):
        yield order[number * size : (number + 1) * size]


def _sample(answers: Answers, rng: np.random.Generator) -> Answers:
    """Return all answers of some annotators, or to some items, if there are too many answers.

    The larger of the two sides is sampled, so that each member of the other keeps many answers.
    """
    if len(answers) <= LARGEST:
        return answers
    people, items = len(answers.people), len(answers.items)
    if people >= items:
        return answers.subset(people=_some(answers.person, people, rng))
    return answers.subset(items=_some(answers.item, items, rng))


def _some(whose: npt.NDArray[np.int32], number: int, rng: np.random.Generator) -> Ints:
    """Return annotators (or items) drawn at random that have about ``LARGEST`` answers together.

    ``whose`` is the annotator (or item) of each answer, and ``number`` how many there are.
    """
    order = rng.permutation(number)
    counts = np.bincount(whose, minlength=number)[order]
    return np.sort(order[: int(np.searchsorted(np.cumsum(counts), LARGEST)) + 1])
