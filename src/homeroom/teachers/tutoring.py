"""Choosing an example for each student alone, all students at once."""

from __future__ import annotations

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom.moments import Observation
from homeroom.pools import Candidates
from homeroom.teachers.base import Choices
from homeroom.teachers.candidates import (
    BLOCK_BYTES,
    best_for_each,
    best_lengths,
    own_distances,
    rounding,
    squared_distances,
)
from homeroom.teachers.synthesis import (
    FIRST_REACH,
    LENGTHS,
    SHRINK,
    class_starts,
    stars,
    within,
)


def best_example_for_each(seen: Observation) -> Choices:
    """Return for each student the example that helps most, at their own best length.

    It points to the target, or with several outputs where the student errs most. For one student
    every magnitude rule gives the squared length ``g = eta / (mean square rate)``, at most the
    squared radius of the ball.
    """
    xp = _arrays.namespace(seen.gaps)
    gaps = largest_gap_component(seen.gaps, seen.width)
    distances = xp.sqrt(xp.sum(gaps * gaps, axis=1))
    lengths = xp.where(distances > 0, distances, xp.ones_like(distances))
    scale = _arrays.signs(gaps) * xp.sqrt(own_best_g(seen))
    return synthesised(seen, (scale / lengths)[:, None] * gaps)


def largest_gap_component(gaps: Array, width: int) -> Array:
    """Return the direction in which each student errs most, as long as that part of the gap.

    With one vector per student it is the gap. With several, a gap is a matrix ``E`` of shape
    ``(outputs, width)``. It is then ``E' a``, where ``a`` is the top eigenvector of ``E E'``: the
    first right singular vector of ``E`` times its singular value. The result has shape
    ``(students, width)``.
    """
    if gaps.shape[1] == width:
        return gaps
    xp = _arrays.namespace(gaps)
    vectors = xp.reshape(gaps, (gaps.shape[0], -1, width))
    _, found = xp.linalg.eigh(vectors @ xp.permute_dims(vectors, (0, 2, 1)))
    return (xp.permute_dims(found, (0, 2, 1))[:, -1:, :] @ vectors)[:, 0, :]


def synthesised(seen: Observation, xs: Array) -> Choices:
    """Return these examples, one per row, as synthesised ones labelled by the target."""
    labels = _arrays.like(seen.labels(_arrays.to_host(xs)), xs)
    return Choices(xs, labels, np.full(xs.shape[0], -1, dtype=np.int64))


def own_best_g(seen: Observation) -> Array:
    """Return each student's own best squared magnitude within the ball, shape ``(students,)``.

    Where the observed rate is not positive, it is the best one for the fastest student.
    """
    xp = _arrays.namespace(seen.rates)
    squares = seen.rates * seen.rates if seen.squared_rates is None else seen.squared_rates
    known = (squares > 0) & (seen.rates > 0)
    ratio = seen.rates / xp.where(known, squares, xp.ones_like(squares))
    ones = xp.ones_like(ratio)
    return xp.minimum(xp.where(known, ratio, seen.gentle_g * ones), seen.example_radius**2 * ones)


def best_of_each(seen: Observation, candidates: Candidates) -> Choices:
    """Return for each student the candidate after which they are closest to the target."""
    ys = seen.labels(candidates.xs) if candidates.labels is None else candidates.labels
    best, distances = best_for_each(seen, candidates.xs, ys)
    helps = distances < squared_distances(seen) * (1 - rounding(seen.gaps))
    return Choices(
        _arrays.like(candidates.xs[best] * helps[:, None], seen.gaps),
        _arrays.like(ys[best], seen.gaps),
        candidates.items[best],
    )


def rescaled_each(seen: Observation, choices: Choices) -> Choices:
    """Return the choices at the best length between half and twice their own, within the ball.

    The items stay the same, and the labels are the target's.
    """
    xs = _arrays.to_host(choices.xs)
    lengths = np.linalg.norm(xs, axis=1)
    units = xs / np.maximum(lengths, 1e-300)[:, None]

    def distances(tried: Floats) -> Floats:  # each student's squared distance after their example
        return own_distances(seen, tried[:, None] * units)

    best = best_lengths(distances, lengths, seen.example_radius)
    rows = _arrays.like(best[:, None] * units, seen.gaps)
    return synthesised(seen, rows)._replace(items=choices.items)


def best_direction_each(seen: Observation, directions: Floats) -> Choices:
    """Return for each student the direction nearest to their gap, at their own best length.

    ``directions`` are unit vectors, one per row. For the squared loss only.
    O(students * outputs * dimensions * directions).
    """
    xp = _arrays.namespace(seen.gaps)
    students = seen.gaps.shape[0]
    best, along = np.zeros(students, dtype=np.int64), np.zeros(students)
    columns = _arrays.like(directions.T, seen.gaps)
    for rows in _arrays.blocks(students, len(directions), at_most=BLOCK_BYTES):
        answers = _along(seen.gaps[rows, :], columns)
        best[rows] = _arrays.to_numpy(xp.argmax(answers, axis=1))
        along[rows] = _arrays.to_host(xp.max(answers, axis=1))
    helps = along**2 > rounding(seen.gaps) * squared_distances(seen)
    chosen = _arrays.like(directions[best] * helps[:, None], seen.gaps)
    return synthesised(seen, xp.sqrt(own_best_g(seen))[:, None] * chosen)._replace(items=best)


def _along(gaps: Array, columns: Array) -> Array:
    """Return the length ``|E u|`` of each gap along each column, ``(students, directions)``."""
    xp = _arrays.namespace(gaps)
    width, number = columns.shape
    if gaps.shape[1] == width:
        return xp.abs(gaps @ columns)
    answers = xp.reshape(_arrays.split_rows(gaps, width) @ columns, (gaps.shape[0], -1, number))
    return xp.sqrt(xp.sum(answers * answers, axis=1))


def synthesise_each(seen: Observation, rng: np.random.Generator) -> Choices:
    """Return for each student the best example found in the ball, for losses with no closed form.

    Every student starts from the best of the class's starts and their own. Then a pattern search
    tries the same random steps for all students, around the best example of each so far. A student
    for whom no step helped takes shorter ones. O(students * dimensions) per step, all students at
    once.
    """
    best = np.zeros((seen.gaps.shape[0], seen.width))
    distances = squared_distances(seen) * (1 - rounding(seen.gaps))

    def keep_better(tried: Floats) -> None:  # one row per student
        new = own_distances(seen, tried)
        better = new < distances
        best[better], distances[better] = tried[better], new[better]

    starts = class_starts(seen, rng)
    keep_better(starts[best_for_each(seen, starts, seen.labels(starts))[0]])
    for start in _own_starts(seen):
        keep_better(start)
    reach = np.full((len(best), 1), FIRST_REACH)
    for steps in stars(seen, rng):
        before = distances.copy()
        for step in steps:
            keep_better(within(best + reach * step, seen.example_radius))
        for part in steps[:6, 0] / seen.example_radius:
            keep_better(within(best * (1 + reach * part), seen.example_radius))
        reach[distances == before] *= SHRINK
    mirrored = best * _arrays.signs(best)[:, None]
    same = own_distances(seen, mirrored) <= distances * (1 + rounding(seen.gaps))
    best[same] = mirrored[same]
    return synthesised(seen, _arrays.like(best, seen.gaps))


def _own_starts(seen: Observation) -> list[Floats]:
    """Return starts, one row per student: along their gap, both ways, at several lengths."""
    gaps = _arrays.to_host(seen.gaps).reshape(-1, seen.outputs, seen.width)
    rows = [gaps[:, k] for k in range(seen.outputs)]
    units = [row / np.maximum(np.linalg.norm(row, axis=1, keepdims=True), 1e-300) for row in rows]
    return [
        sign * part * seen.example_radius * unit
        for unit in units
        for part in LENGTHS
        for sign in (1.0, -1.0)
    ]
