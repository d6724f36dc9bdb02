"""The search for the most probable map: starts, L-BFGS, and a few Newton steps at the end.

A start must not depend on the order of annotators and items, or the same answers in another order
would give another map. So nothing is drawn at random per item or annotator: only the mixture of
the main patterns of the whole table is.

L-BFGS stops when the loss no longer changes in its last digits, which leaves half as many correct
digits in the map. Newton steps add the others, so that a live map does not tremble, and the same
answers in another order give the same map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, cg, svds

from homeroom._arrays import Floats
from homeroom._descent import descend
from homeroom.crowd.fitting.answer_table import AnswerTable
from homeroom.crowd.fitting.parameters import MapParameters
from homeroom.crowd.fitting.posterior import Posterior, Prior, certainty, inverses, probit

QUICK, FULL = 25, 1000
"""Iterations of L-BFGS: to rank the starts, and at most."""
MEMORY = 12
"""The number of gradients that L-BFGS remembers."""

EXTRA_PATTERNS = 2
"""How many patterns beyond the map's dimensions the other starts are mixed from."""

LINE_STEPS, SMALL = 60, 1e-10
"""Newton steps for the lines of annotators, and the step at which they end."""

NEWTON_STEPS, CG_STEPS = 6, 200
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
    best = _descend(posterior, found[0], FULL, 1e-10 if exactly else 1e-8, tick)
    return polish(posterior, best, tick) if exactly else best


def _descend(
    posterior: Posterior,
    start: MapParameters,
    iterations: int,
    tolerance: float,
    tick: Callable[[], None],
) -> MapParameters:
    """Follow the gradient by L-BFGS until the loss barely changes."""

    def loss(flat: Floats) -> tuple[float, Floats]:
        return posterior.loss(start.like(flat))

    found = descend(
        loss, start.flat(), tick=tick, maxiter=iterations, maxcor=MEMORY, ftol=tolerance, gtol=1e-6
    )
    return start.like(found)


def fit_lines(items: Floats, table: AnswerTable, prior: Prior = Prior()) -> tuple[Floats, Floats]:
    """Return the most probable ``(w, tau)`` of each annotator, with the items fixed.

    Newton's method for all annotators at once; where a step made the loss worse, it is halved. The
    loss is convex, so each annotator has one best line.

    Returns
    -------
    lines
        Shape ``(people, d + 1)``: the weights, then the threshold.
    covariances
        Shape ``(people, d + 1, d + 1)``.
    """
    posterior = Posterior(table, prior)
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


def _line_step(posterior: Posterior, items: Floats, lines: Floats) -> tuple[Floats, Floats]:
    """Return the loss of each annotator, and the Newton step that would lower it."""
    found = MapParameters.of(items, lines)
    gradient = lines * posterior.prior.line_precisions(items.shape[1])
    loss: Floats = 0.5 * (gradient * lines).sum(axis=1)
    for block in posterior.table.blocks:
        answers = probit(block.signs * certainty(block, found))
        loss[block.rows] -= block.sums(answers.log_probability).totals()
        slopes = block.sums(block.signs * answers.slope)
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
        lines, _ = fit_lines(items, table, prior)
        yield MapParameters.of(items, lines)


def patterns(table: AnswerTable, number: int) -> Floats:
    """Return how much each item takes part in the main patterns of agreement.

    These are the leading singular vectors of the answers, centred per annotator and weighted so
    that annotators with many answers do not dominate; shape ``(items, number)``. Strong patterns
    are longer. Of each vector and its mirror image, the one with a positive skew is taken.
    """
    by_person = np.maximum(table.answers_by_person(), 1)
    by_item = np.maximum(table.answers_by_item(), 1)
    means = np.bincount(table.person, table.signs, minlength=table.people) / by_person
    values = (table.signs - means[table.person]) / np.sqrt(
        by_person[table.person] * by_item[table.item]
    )
    shape = (table.people, table.items)
    matrix = csr_array((values, table.item, table.first), shape=shape)
    vectors, lengths = _leading(matrix, number)
    scaled = vectors * np.sqrt(lengths) / np.sqrt(by_item)[:, None]
    scaled *= np.where((scaled**3).sum(axis=0) < 0, -1.0, 1.0)
    wide: Floats = np.pad(scaled, ((0, 0), (0, number - scaled.shape[1])))
    return wide


def _leading(matrix: csr_array[np.float64], number: int) -> tuple[Floats, Floats]:
    """Return the leading right singular vectors as columns, and their singular values."""
    least = min(matrix.shape)
    if not matrix.count_nonzero():  # all annotators give one answer only, and Lanczos cannot start
        return np.zeros((matrix.shape[1], 0)), np.zeros(0)
    if least <= 4 * number:
        _, lengths, rows = np.linalg.svd(matrix.toarray(), full_matrices=False)
        return rows[:number].T, lengths[:number]
    first = np.random.default_rng(0).standard_normal(least)  # has no effect on the converged result
    _, lengths, rows = svds(matrix, k=number, v0=first)
    order = np.argsort(-lengths)
    return np.asarray(rows[order].T), np.asarray(lengths[order], dtype=np.float64)


def _mix(found: Floats, dimensions: int, rng: np.random.Generator) -> Floats:
    mix: Floats = np.linalg.qr(rng.standard_normal((found.shape[1], dimensions)))[0]
    return mix


def _scaled(items: Floats) -> Floats:
    """Return the items scaled so that their mean squared coordinate is one."""
    size = np.sqrt(np.mean(items * items))
    return items / size if size > 0 else items


def polish(
    posterior: Posterior, found: MapParameters, tick: Callable[[], None] = lambda: None
) -> MapParameters:
    """Return the map with its last digits correct, or as it was where no step helps."""
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
    size = len(gradient)
    hessian = LinearOperator((size, size), matvec=Hessian(posterior, found), dtype=np.float64)
    near = LinearOperator((size, size), matvec=_BlockInverse(posterior, found), dtype=np.float64)
    step, _ = cg(hessian, -gradient, rtol=1e-5, maxiter=CG_STEPS, M=near, callback=lambda _: tick())
    return np.asarray(step, dtype=np.float64)


class Hessian:
    """Multiplies the second derivatives of the loss with a direction. O(answers * d)."""

    def __init__(self, posterior: Posterior, found: MapParameters) -> None:
        self.posterior, self.found = posterior, found
        self.answers = []
        for block in posterior.table.blocks:
            answers = probit(block.signs * certainty(block, found))
            self.answers.append((answers.curvature, block.signs * answers.slope))

    def __call__(self, flat: Floats) -> Floats:
        found, move = self.found, self.found.like(flat)
        out = self.posterior.prior.gradient(move)
        for block, (curvature, slope) in zip(
            self.posterior.table.blocks, self.answers, strict=True
        ):
            people, moved = found.people[block.rows], move.people[block.rows]
            change = block.products(people, move.items) + block.products(moved, found.items)
            change -= move.thresholds[block.rows].take(block.person)
            curvatures, slopes = block.sums(curvature * change), block.sums(slope)
            out.items[...] += curvatures.of_items(people) - slopes.of_items(moved)
            out.people[block.rows] += curvatures.of_people(found.items)
            out.people[block.rows] -= slopes.of_people(move.items)
            out.thresholds[block.rows] -= curvatures.totals()
        return out.flat()


class _BlockInverse:
    """The inverse of the second derivatives within each item and each annotator."""

    def __init__(self, posterior: Posterior, found: MapParameters) -> None:
        of_items, of_people = posterior.hessian_blocks(found)
        self.found = found
        self.items, self.people = inverses(of_items), inverses(of_people)

    def __call__(self, flat: Floats) -> Floats:
        move = self.found.like(flat)
        lines = (self.people @ move.lines[:, :, None])[:, :, 0]
        items = (self.items @ move.items[:, :, None])[:, :, 0]
        return MapParameters.of(items, lines).flat()
