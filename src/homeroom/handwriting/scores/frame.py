"""A model letter, made ready for comparing letters with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.scores.tracing import Points, lines, shares, standard, traced

WAVES = 8
"""Cosines along the letter in which its form may differ from the model: up to four waves."""

WINDOW = 25
"""Points over which a line is smoothed to tell form from tremor: about a fifth of the letter."""

STEPS = 12
"""How often the correspondence between model and letter is improved."""

STIFFNESS = (0.3, 0.001)
"""How dearly a form other than the model's is paid for in the first and in the last step."""

GLIDES = (6, 22)
"""Sines by which corresponding points may glide along, in the first and in the last step."""

TINY = 1e-13
"""What keeps a straight model, whose points have but one dimension, from dividing by zero."""

RIGID = 0.02
"""How dearly gliding is paid for."""


@dataclass(frozen=True, eq=False)
class Step:
    """One improvement of the correspondence: matrices that depend on the model only.

    ``fit`` gives the coefficients of a letter's points. ``glide`` and ``sines``, one after the
    other, give from how far each point should go along the line how far it goes.
    """

    fit: Floats
    glide: Floats
    sines: Floats


@dataclass(frozen=True, eq=False)
class Frame:
    """A model letter and what can be worked out from it beforehand.

    Parameters
    ----------
    counts
        How many points each stroke has.
    points
        The model, mean zero and RMS radius one, shape ``(points,)``.
    basis
        The columns 1, x, y, and cosines along the way, which have nothing of the former.
    slopes
        The derivative of ``basis`` by the number of the point.
    free
        What gives the coefficients of ``basis`` by least squares.
    smoother
        What smooths a line: a cubic through the neighbours of each point.
    first, last
        The numbers of the first and of the last point of each point's stroke, as columns.
    steps
        The improvements of the correspondence.
    """

    counts: Ints
    points: Points
    basis: Floats
    slopes: Floats
    free: Floats
    smoother: Floats
    first: Ints
    last: Ints
    steps: tuple[Step, ...]


@lru_cache(maxsize=128)
def frame_of(model: Ink, *, joined: bool = False) -> Frame:
    """Return the frame of a model; ``joined`` if its strokes are to count as one line."""
    strokes = lines(model, joined=joined)
    counts = shares(strokes)
    points = standard(traced([strokes], counts))[0][:, 0]
    basis = _basis(points)
    ends = np.cumsum(counts)
    return Frame(
        counts,
        points,
        basis,
        _blocks(counts, _differences) @ basis,
        np.linalg.pinv(basis).astype(np.float64),
        _blocks(counts, smoothing),
        np.repeat(ends - counts, counts)[:, None],
        np.repeat(ends - 1, counts)[:, None],
        _steps(basis, counts),
    )


def _basis(points: Points) -> Floats:
    affine = np.column_stack([np.ones(len(points)), points.real, points.imag])
    along = np.linspace(0.0, np.pi, len(points))
    waves = np.cos(np.outer(along, np.arange(1, WAVES + 1)))
    return np.column_stack([affine, waves - affine @ (np.linalg.pinv(affine) @ waves)])


def _steps(basis: Floats, counts: Ints) -> tuple[Step, ...]:
    order = np.concatenate([np.zeros(3), np.arange(1.0, WAVES + 1)])
    prices = np.geomspace(*STIFFNESS, STEPS + 1)[:-1, None] * order + TINY
    glides = np.linspace(*GLIDES, STEPS).tolist()
    return tuple(
        Step(_ridge(basis, price), *_gliding(counts, glide))
        for price, glide in zip(prices, glides, strict=True)
    )


def _ridge(basis: Floats, price: Floats) -> Floats:
    gram = basis.T @ basis / len(basis) + np.diag(price)
    fit: Floats = np.linalg.solve(gram, basis.T / len(basis)).astype(np.float64)
    return fit


def _gliding(counts: Ints, glides: float) -> tuple[Floats, Floats]:
    """Return what gives the coefficients of sines that vanish at each stroke's ends; the sines."""
    numbers = np.maximum(2, np.rint(glides * counts / counts.sum()).astype(np.int64))
    sines = np.zeros((counts.sum(), numbers.sum()))
    row = column = 0
    for count, number in zip(counts.tolist(), numbers.tolist(), strict=True):
        along = np.outer(np.linspace(0.0, np.pi, count), np.arange(1, number + 1))
        sines[row : row + count, column : column + number] = np.sin(along)
        row, column = row + count, column + number
    gram = sines.T @ sines
    gram += RIGID * np.trace(gram) / len(gram) * np.eye(len(gram))
    return np.linalg.solve(gram, sines.T), sines


def _differences(count: int) -> Floats:
    differences: Floats = np.asarray(np.gradient(np.eye(count), axis=0))
    return differences


def smoothing(count: int) -> Floats:
    """Return what fits a cubic to the window around each point, and reads it there.

    (Savitzky and Golay's filter; at the ends the first and the last window are read further out.
    It is in scipy.signal, which takes a second to import.)
    """
    window = min(WINDOW, (count - 1) // 2 * 2 + 1)
    terms, points = min(4, window), np.arange(count)
    first = np.clip(points - window // 2, 0, count - window)
    fit = np.linalg.pinv(np.vander(np.linspace(-1.0, 1.0, window), terms))
    read = np.vander(2.0 * (points - first) / max(1, window - 1) - 1.0, terms)
    smooth = np.zeros((count, count))
    np.put_along_axis(smooth, first[:, None] + np.arange(window), read @ fit, axis=1)
    return smooth


def _blocks(counts: Ints, block: Callable[[int], Floats]) -> Floats:
    """Return a matrix with one block for each stroke."""
    total = int(counts.sum())
    matrix = np.zeros((total, total))
    row = 0
    for count in counts.tolist():
        matrix[row : row + count, row : row + count] = block(count)
        row += count
    return matrix
