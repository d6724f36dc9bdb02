"""The search for the most probable map: starts, L-BFGS, and a few Newton steps at the end.

A start is a map from which a search begins. It must not depend on the order of annotators and
items, or the same answers in another order would give another map. So nothing is drawn at random
per item or annotator; only the mixture of the main patterns of the whole table is random.

L-BFGS stops when the loss no longer changes in its last digits, which leaves half as many correct
digits in the map. Newton steps add the other digits, so that a live map stays still, and the same
answers in another order give the same map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import scipy  # its parts are imported when they are first used

from homeroom._arrays import Floats
from homeroom._descent import descend
from homeroom.crowd.fitting.answer_table import AnswerBlock, AnswerTable
from homeroom.crowd.fitting.parameters import MapParameters
from homeroom.crowd.fitting.posterior import (
    Posterior,
    Prior,
    ProbitAnswers,
    SoftmaxAnswers,
    evaluate,
    inverses,
)

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator

QUICK, FULL = 25, 1000
"""Iterations of L-BFGS: to rank the starts, and at most."""
MEMORY = 12
"""The number of gradients that L-BFGS remembers."""

EXTRA_PATTERNS = 2
"""How many patterns beyond the map's dimensions the other starts are mixed from."""

LINE_STEPS, SMALL = 60, 1e-10
"""Newton steps for the lines of annotators, and the step at which they end."""

ROUGH_STEPS, EXACT_STEPS = 30, 500
"""Iterations of L-BFGS for the lines with more than two classes: at a start, and at the end."""

KEPT = 1 << 25
"""How many probabilities of answers are stored for Newton steps (512 MB); more are recomputed."""

POLISHED = 1 << 21
"""Maps with more probabilities of answers than this get no Newton steps: the last digits would take
as long as all others, and are far below the uncertainty."""

NEWTON_STEPS, CG_STEPS = 6, 200
"""The most Newton steps, and the most conjugate gradient iterations for each."""

CONVERGED = 1e-9
"""The largest entry of the gradient at which a map is finished."""


def most_probable(
    posterior: Posterior,
    starts: Iterable[MapParameters],
    *,
    exactly: bool = True,
    tick: Callable[[], None] = lambda: None,
) -> MapParameters:
    """Return the best map that can be reached from the starts; ``tick`` is called per iteration.

    Without ``exactly``, the search ends when eight digits of the loss no longer change, which is
    enough to compare numbers of dimensions.
    """
    found = list(starts)
    if len(found) > 1:
        found = [_descend(posterior, start, QUICK, 1e-8, tick) for start in found]
        found.sort(key=lambda start: posterior.loss(start)[0])
    if len(posterior.table) * len(found[0].outputs) > POLISHED:
        return _descend(posterior, found[0], FULL, 1e-9 if exactly else 1e-8, tick)
    best = _descend(posterior, found[0], FULL, 1e-10 if exactly else 1e-8, tick)
    return polish(posterior, best, tick) if exactly else best


def _descend(
    posterior: Posterior,
    start: MapParameters,
    iterations: int,
    tolerance: float,
    tick: Callable[[], None],
) -> MapParameters:
    """Return the map after L-BFGS from a start, until the loss barely changes.

    ``tolerance`` is the relative change of the loss at which it ends.

    With more than two classes, each number is measured in units in which the second derivative is
    one at the start: an item has far more answers than an annotator, and fewer steps are needed.
    """
    unit = np.ones(1) if start.classes == 2 else _units(posterior, start)

    def loss(flat: Floats) -> tuple[float, Floats]:
        value, slope = posterior.loss(start.like(unit * flat))
        return value, unit * slope

    found = descend(
        loss,
        start.flat() / unit,
        tick=tick,
        maxiter=iterations,
        maxcor=MEMORY,
        ftol=tolerance,
        gtol=1e-6,
    )
    return start.like(unit * found)


def _units(posterior: Posterior, found: MapParameters) -> Floats:
    """Return the step size of each number of a map: one over the root of its second derivative."""
    diagonals = (np.einsum("...aa->...a", blocks) for blocks in posterior.hessian_blocks(found))
    return np.asarray(MapParameters.of(*diagonals).flat() ** -0.5)


def fit_lines(
    items: Floats,
    table: AnswerTable,
    prior: Prior = Prior(),
    *,
    centre: Floats | None = None,
    exactly: bool = True,
) -> tuple[Floats, Floats]:
    """Return the most probable ``(w, tau)`` of each annotator, with the items fixed.

    Newton's method for all annotators at once; where a step made the loss worse, it is halved. The
    loss is convex, so each annotator has one best line. With more than two classes, L-BFGS.

    Parameters
    ----------
    items, table, prior
        The places of the items, the answers, the prior.
    centre
        The prior mean of the lines, if it is known; shape ``(K, d + 1)``.
    exactly
        Whether lines are needed to the last digits (with more than two classes).

    Returns
    -------
    lines
        Shape ``(people, d + 1)``, or ``(people, K, d + 1)``: the weights, then the threshold.
    covariances
        Shape ``(people, d + 1, d + 1)``, or ``(people, K, d + 1, d + 1)``.
    """
    posterior = Posterior(table, prior, centre)
    if table.classes > 2:
        return _fit_rows(posterior, items, exactly=exactly)
    lines = np.zeros((table.people, items.shape[1] + 1))
    share = np.ones(table.people)
    loss, step = _line_step(posterior, items, lines)
    for _ in range(LINE_STEPS):
        trial = lines - share[:, None] * step
        trial_loss, trial_step = _line_step(posterior, items, trial)
        better = trial_loss <= loss + SMALL * (1 + loss)
        lines[better], loss[better] = trial[better], trial_loss[better]
        step[better] = trial_step[better]
        share = np.where(better, 1.0, share / 2)
        if np.abs(share[:, None] * step).max(initial=0.0) < SMALL:
            break
    return lines, inverses(posterior.hessian_blocks(MapParameters.of(items, lines))[1])


def _fit_rows(posterior: Posterior, items: Floats, *, exactly: bool) -> tuple[Floats, Floats]:
    """Return the lines with a row per class, and their covariances within each class.

    Without ``exactly``, the covariances are not computed, and all zero.
    """
    table = posterior.table
    first = np.zeros((table.people, table.classes, items.shape[1] + 1))
    if posterior.centre is not None:
        first += posterior.centre

    def loss(flat: Floats) -> tuple[float, Floats]:
        found = MapParameters.of(items, flat.reshape(first.shape))
        value, slope = posterior.loss(found)
        return value, found.like(slope).lines.ravel()

    steps, tolerance = (EXACT_STEPS, 1e-15) if exactly else (ROUGH_STEPS, 1e-6)
    flat = descend(
        loss, first.ravel(), maxiter=steps, maxcor=MEMORY, ftol=tolerance, gtol=SMALL, maxfun=10_000
    )
    lines = flat.reshape(first.shape)
    if not exactly:
        return lines, np.zeros((*lines.shape, lines.shape[-1]))
    return lines, inverses(posterior.hessian_blocks(MapParameters.of(items, lines))[1])


def _line_step(posterior: Posterior, items: Floats, lines: Floats) -> tuple[Floats, Floats]:
    """Return the loss of each annotator, and the Newton step that would lower it."""
    found = MapParameters.of(items, lines)
    gradient = lines * posterior.prior.line_precisions(items.shape[1])
    loss: Floats = 0.5 * (gradient * lines).sum(axis=1)
    for block in posterior.table.blocks:
        answers = evaluate(block, found)
        loss[block.rows] -= block.sums(answers.log_probability).person_totals()
        slopes = block.sums(answers.slopes[0])
        gradient[block.rows] -= slopes.of_people(found.features)
    _, hessians = posterior.hessian_blocks(found)
    return loss, (inverses(hessians) @ gradient[:, :, None])[:, :, 0]


def promising_starts(
    table: AnswerTable, dimensions: int, prior: Prior, number: int, rng: np.random.Generator
) -> Iterator[MapParameters]:
    """Yield starts, the most promising first: the main patterns, then mixtures of more of them."""
    found = patterns(table, dimensions + EXTRA_PATTERNS)
    for start in range(number):
        mix = np.eye(found.shape[1], dimensions) if start == 0 else _mix(found, dimensions, rng)
        items = _scaled(found @ mix) * prior.items
        lines, _ = fit_lines(items, table, prior, exactly=False)
        yield MapParameters.of(items, lines)


def patterns(table: AnswerTable, number: int) -> Floats:
    """Return the weight of each item in the main patterns of agreement.

    These are the leading singular vectors of the answers, centred per annotator and weighted so
    that annotators with many answers do not dominate; shape ``(items, number)``. With more than two
    classes, the matrix has a row per annotator and class. Strong patterns are longer. Of each
    vector and its mirror image, the one with a positive skew is taken.
    """
    by_person = np.maximum(table.answers_by_person(), 1)
    by_item = np.maximum(table.answers_by_item(), 1)
    size = np.sqrt(by_person[table.person] * by_item[table.item])
    if table.classes > 2:
        vectors, lengths = _leading(_centred_choices(table, size), number)
    else:
        means = np.bincount(table.person, table.signs, minlength=table.people) / by_person
        values = (table.signs - means[table.person]) / size
        shape = (table.people, table.items)
        matrix = scipy.sparse.csr_array((values, table.item, table.first), shape=shape)
        vectors, lengths = _leading(matrix, number)
    scaled = vectors * np.sqrt(lengths) / np.sqrt(by_item)[:, None]
    scaled *= np.where((scaled**3).sum(axis=0) < 0, -1.0, 1.0)
    wide: Floats = np.pad(scaled, ((0, 0), (0, number - scaled.shape[1])))
    return wide


def _centred_choices(table: AnswerTable, size: Floats) -> LinearOperator:
    """Return the matrix with a row per annotator and class, and a column per item.

    An answer adds ``(1 if it is the class else 0) - the annotator's share of that class``, divided
    by its entry in ``size``. Kept as two sparse matrices, so that it needs no more memory than with
    two classes.
    """
    from scipy.sparse.linalg import LinearOperator  # imported here: slow to import

    people, classes, items = table.people, table.classes, table.items
    shares = table.choices_by_person() / np.maximum(table.answers_by_person(), 1)[:, None]
    rows = table.person.astype(np.int64) * classes + table.choice
    shape = people * classes, items
    chosen = scipy.sparse.coo_array((1 / size, (rows, table.item)), shape=shape).tocsr()
    answered = scipy.sparse.csr_array((1 / size, table.item, table.first), shape=(people, items))

    def matmat(vectors: Floats) -> Floats:
        mean = shares[:, :, None] * np.asarray(answered @ vectors)[:, None, :]
        return np.asarray(chosen @ vectors - mean.reshape(people * classes, -1))

    def rmatmat(vectors: Floats) -> Floats:
        mean = (shares[:, :, None] * vectors.reshape(people, classes, -1)).sum(axis=1)
        return np.asarray(chosen.T @ vectors - answered.T @ mean)

    return LinearOperator(
        shape,
        matvec=lambda vector: matmat(vector.reshape(-1, 1)).ravel(),
        rmatvec=lambda vector: rmatmat(vector.reshape(-1, 1)).ravel(),
        matmat=matmat,
        rmatmat=rmatmat,
        dtype=np.float64,
    )


def _leading(
    matrix: scipy.sparse.csr_array[np.float64] | LinearOperator, number: int
) -> tuple[Floats, Floats]:
    """Return the leading right singular vectors as columns, and their singular values."""
    from scipy.sparse.linalg import svds  # imported here: slow to import

    least = min(matrix.shape)
    if least <= 4 * number:
        dense = np.asarray(matrix @ np.eye(matrix.shape[1]))
        _, lengths, rows = np.linalg.svd(dense, full_matrices=False)
        return rows[:number].T, lengths[:number]
    first = np.random.default_rng(0).standard_normal(least)  # has no effect on the converged result
    side = matrix if least == matrix.shape[0] else matrix.T
    if not np.abs(np.asarray(side.T @ first)).max():  # all annotators give one answer only
        return np.zeros((matrix.shape[1], 0)), np.zeros(0)
    _, lengths, rows = svds(matrix, k=number, v0=first)
    order = np.argsort(-lengths)
    return np.asarray(rows[order].T), np.asarray(lengths[order], dtype=np.float64)


def _mix(found: Floats, dimensions: int, rng: np.random.Generator) -> Floats:
    """Return random orthonormal columns that mix the patterns, shape ``(patterns, dimensions)``."""
    mix: Floats = np.linalg.qr(rng.standard_normal((found.shape[1], dimensions)))[0]
    return mix


def _scaled(items: Floats) -> Floats:
    """Return the items scaled so that their mean squared coordinate is one."""
    size = np.sqrt(np.mean(items * items))
    return items / size if size > 0 else items


def polish(
    posterior: Posterior, found: MapParameters, tick: Callable[[], None] = lambda: None
) -> MapParameters:
    """Return the map with its last digits correct, or unchanged if no step helps."""
    gradient = posterior.loss(found)[1]
    for _ in range(NEWTON_STEPS):
        size = np.abs(gradient).max()
        if size < CONVERGED:
            break
        step = _newton_step(posterior, found, gradient, tick)
        trial = found.like(found.flat() + step)
        new = posterior.loss(trial)[1]
        if not np.abs(new).max() < size:
            break
        found, gradient = trial, new
    return found


def _newton_step(
    posterior: Posterior, found: MapParameters, gradient: Floats, tick: Callable[[], None]
) -> Floats:
    """Return the Newton step from a map, by conjugate gradients; rough, as it is repeated."""
    from scipy.sparse.linalg import LinearOperator, cg  # imported here: slow to import

    size = len(gradient)
    hessian = LinearOperator((size, size), matvec=Hessian(posterior, found), dtype=np.float64)
    near = LinearOperator((size, size), matvec=_BlockInverse(posterior, found), dtype=np.float64)
    step, _ = cg(hessian, -gradient, rtol=1e-5, maxiter=CG_STEPS, M=near, callback=lambda _: tick())
    return np.asarray(step, dtype=np.float64)


class Hessian:
    """Multiplies the second derivatives of the loss with a direction. O(answers * d * scores)."""

    def __init__(self, posterior: Posterior, found: MapParameters) -> None:
        self.posterior, self.found = posterior, found
        self.answers: list[ProbitAnswers | SoftmaxAnswers] | None = None
        if len(posterior.table) * len(found.outputs) <= KEPT:
            self.answers = [evaluate(block, found) for block in posterior.table.blocks]

    def __call__(self, flat: Floats) -> Floats:
        found, move = self.found, self.found.like(flat)
        centre = None if self.posterior.centre is None else 0 * self.posterior.centre
        out = self.posterior.prior.gradient(move, centre)
        for number, block in enumerate(self.posterior.table.blocks):
            answers = self.answers[number] if self.answers else evaluate(block, found)
            changes = np.array(
                [
                    _changes(block, weights[block.rows], found.items, moved, move.items)
                    for (weights, _), moved in zip(found.outputs, move.outputs, strict=True)
                ]
            )
            for bent, slope, (weights, _), (moved, _), (people, thresholds) in zip(
                answers.hessian_product(changes),
                answers.slopes,
                found.outputs,
                move.outputs,
                out.outputs,
                strict=True,
            ):
                curvatures, slopes = block.sums(bent), block.sums(slope)
                out.items[...] += curvatures.of_items(weights[block.rows])
                out.items[...] -= slopes.of_items(moved[block.rows])
                people[block.rows] += curvatures.of_people(found.items)
                people[block.rows] -= slopes.of_people(move.items)
                thresholds[block.rows] -= curvatures.person_totals()
        return out.flat()


def _changes(
    block: AnswerBlock,
    weights: Floats,
    items: Floats,
    moved: tuple[Floats, Floats],
    moved_items: Floats,
) -> Floats:
    """Return how much the score of each answer changes if the map is moved, to first order.

    ``moved`` are the moves of the weights and thresholds, and ``moved_items`` those of the items.
    """
    people, thresholds = moved
    change = block.products(weights, moved_items) + block.products(people[block.rows], items)
    change -= thresholds[block.rows].take(block.person)
    return change


class _BlockInverse:
    """Multiplies the inverse of the second derivatives within items and annotators with a vector.

    It preconditions the conjugate gradients.
    """

    def __init__(self, posterior: Posterior, found: MapParameters) -> None:
        of_items, of_people = posterior.hessian_blocks(found)
        self.found = found
        self.items, self.people = inverses(of_items), inverses(of_people)

    def __call__(self, flat: Floats) -> Floats:
        move = self.found.like(flat)
        lines = (self.people @ move.lines[..., None])[..., 0]
        items = (self.items @ move.items[:, :, None])[:, :, 0]
        return MapParameters.of(items, lines).flat()
