"""Many letters as equally many points each, so that they can be compared point by point.

A point (x, y) is the complex number x + iy here: to turn a letter is to multiply.

A model letter, made ready for comparing letters with it.

Which point of a letter corresponds to which of the model, and what map takes one to the other.

A letter is taken to be ``A x + waves + tremor`` of the model's points x, read at places that glide
along its line. From evenly spaced places, a few steps find map, waves and places in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom.handwriting.ink import Ink

Points: TypeAlias = npt.NDArray[np.complex128]
"""Points of letters, shape ``(points, letters)``."""

TRACE_POINTS = 112
"""How many points stand for a letter."""

FEWEST_POINTS = 5
"""How many of them even the shortest stroke has."""


def stroke_lines(ink: Ink, *, joined: bool = False) -> list[Points]:
    """Return the strokes of a letter as complex points; ``joined``, all of them as one line."""
    parts = [np.ascontiguousarray(s.points).view(np.complex128)[:, 0] for s in ink]
    return [np.concatenate(parts)] if joined else parts


def points_per_stroke(strokes: Sequence[Points]) -> Ints:
    """Return how many of the points each stroke of a model gets, by its length."""
    lengths = np.array([np.abs(np.diff(stroke)).sum() for stroke in strokes])
    counts: Ints = np.maximum(
        FEWEST_POINTS, (TRACE_POINTS * lengths / lengths.sum()).astype(np.int64)
    )
    counts[counts.argmax()] += TRACE_POINTS - counts.sum()
    return counts


def trace_letters(letters: Sequence[Sequence[Points]], counts: Ints) -> Points:
    """Return the letters' points, evenly along each stroke, shape ``(points, letters)``.

    Every letter has as many strokes as there are counts. One interpolation does them all: stroke
    j lies between 2j and 2j + 1 on one long line.
    """
    strokes = [stroke for letter in letters for stroke in letter]
    points = np.concatenate(strokes)
    ways, moved = _positions(points, np.array([len(stroke) for stroke in strokes]))
    share = np.concatenate([np.linspace(0.0, 1.0, count) for count in counts.tolist()])
    number = np.repeat(np.arange(len(counts)), counts)[:, None]
    number = number + len(counts) * np.arange(len(letters))
    at = 2.0 * number + share[:, None] * moved[number]
    found: Points = np.interp(at, ways, points)
    return found


def standardise(points: Points) -> tuple[Points, Floats]:
    """Return the letters with mean zero and RMS radius one, and what that radius was."""
    centred = points - points.mean(axis=0)
    most = np.abs(centred).max(axis=0)  # so that no square is too small or too large
    scaled = centred / most
    radius = np.sqrt((scaled.real**2 + scaled.imag**2).mean(axis=0))
    return scaled / radius, most * radius


def _positions(points: Points, sizes: Ints) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return each point's place on the long line, and which strokes have a length at all."""
    firsts = np.cumsum(sizes) - sizes
    steps = np.abs(np.diff(points, prepend=points[:1]))
    steps[firsts] = 0.0
    ways = np.cumsum(steps)
    ways -= np.repeat(ways[firsts], sizes)
    lengths = ways[firsts + sizes - 1]
    moved = lengths > 0
    ways /= np.repeat(np.where(moved, lengths, 1.0), sizes)
    # Rounding of the running sum must not push a stroke's last point beyond its end.
    ways = np.minimum(ways, 1.0) + np.repeat(2.0 * np.arange(len(sizes)), sizes)
    return ways, moved


WAVES = 8
"""Cosines along the letter in which its form may differ from the model: up to four waves."""

SMOOTHING_WINDOW = 25
"""Points over which a line is smoothed to tell form from tremor: about a fifth of the letter."""

STEPS = 12
"""How often the correspondence between model and letter is improved."""

STIFFNESS = (0.3, 0.001)
"""How dearly a form other than the model's is paid for in the first and in the last step."""

GLIDE_SINES = (6, 22)
"""Sines by which corresponding points may glide along, in the first and in the last step."""

TINY = 1e-13
"""What keeps a straight model, whose points have but one dimension, from dividing by zero."""

GLIDE_PENALTY = 0.02
"""How dearly gliding is paid for."""


@dataclass(frozen=True, eq=False)
class RegistrationStep:
    """One improvement of the correspondence: matrices that depend on the model only.

    ``fit`` gives the coefficients of a letter's points. ``glide`` and ``sines``, one after the
    other, give from how far each point should go along the line how far it goes.
    """

    fit: Floats
    glide: Floats
    sines: Floats


@dataclass(frozen=True, eq=False)
class ModelFrame:
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
    steps: tuple[RegistrationStep, ...]


@lru_cache(maxsize=128)
def frame_of(model: Ink, *, joined: bool = False) -> ModelFrame:
    """Return the frame of a model; ``joined`` if its strokes are to count as one line."""
    strokes = stroke_lines(model, joined=joined)
    counts = points_per_stroke(strokes)
    points = standardise(trace_letters([strokes], counts))[0][:, 0]
    basis = _basis(points)
    ends = np.cumsum(counts)
    return ModelFrame(
        counts,
        points,
        basis,
        _blocks(counts, _differences) @ basis,
        np.linalg.pinv(basis).astype(np.float64),
        _blocks(counts, smoothing_matrix),
        np.repeat(ends - counts, counts)[:, None],
        np.repeat(ends - 1, counts)[:, None],
        _steps(basis, counts),
    )


def _basis(points: Points) -> Floats:
    affine = np.column_stack([np.ones(len(points)), points.real, points.imag])
    along = np.linspace(0.0, np.pi, len(points))
    waves = np.cos(np.outer(along, np.arange(1, WAVES + 1)))
    return np.column_stack([affine, waves - affine @ (np.linalg.pinv(affine) @ waves)])


def _steps(basis: Floats, counts: Ints) -> tuple[RegistrationStep, ...]:
    order = np.concatenate([np.zeros(3), np.arange(1.0, WAVES + 1)])
    prices = np.geomspace(*STIFFNESS, STEPS + 1)[:-1, None] * order + TINY
    glides = np.linspace(*GLIDE_SINES, STEPS).tolist()
    return tuple(
        RegistrationStep(_ridge(basis, price), *_gliding(counts, glide))
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
    gram += GLIDE_PENALTY * np.trace(gram) / len(gram) * np.eye(len(gram))
    return np.linalg.solve(gram, sines.T), sines


def _differences(count: int) -> Floats:
    differences: Floats = np.asarray(np.gradient(np.eye(count), axis=0))
    return differences


def smoothing_matrix(count: int) -> Floats:
    """Return what fits a cubic to the window around each point, and reads it there.

    (Savitzky and Golay's filter; at the ends the first and the last window are read further out.
    It is in scipy.signal, which takes a second to import.)
    """
    window = min(SMOOTHING_WINDOW, (count - 1) // 2 * 2 + 1)
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


@dataclass(frozen=True, eq=False)
class Registration:
    """Letters laid onto the model.

    Parameters
    ----------
    maps
        The linear part of the affine map from the model to each letter, ``(letters, 2, 2)``.
    form
        How far each point is from that map of the model, smoothed, ``(points, letters)``.
    tremor
        What smoothing took away, across the line, ``(points, letters)``.
    """

    maps: Floats
    form: Points
    tremor: Floats


def register(points: Points, frame: ModelFrame) -> Registration:
    """Lay letters in standard size onto a model, ``points`` being ``(points, letters)``."""
    found = points
    places = np.repeat(np.arange(float(len(points)))[:, None], points.shape[1], axis=1)
    for step in frame.steps:
        weights = multiply(step.fit, found)
        rest = found - multiply(frame.basis, weights)
        wanted = _along(rest, multiply(frame.slopes, weights))
        places -= step.sines @ (step.glide @ wanted)
        np.clip(places, frame.first, frame.last, out=places)
        np.maximum.accumulate(places, axis=0, out=places)
        found = _sample_at(points, places, frame)
    return _split(found, frame)


def multiply(matrix: Floats, points: Points) -> Points:
    """Return the matrix times the points of every letter: one real product for all of them."""
    flat = matrix @ np.ascontiguousarray(points).view(np.float64)
    return flat.view(np.complex128)


def _split(found: Points, frame: ModelFrame) -> Registration:
    weights = multiply(frame.free, found)
    rest = found - multiply(frame.basis, weights)
    smooth = multiply(frame.smoother, rest)
    slopes = multiply(frame.slopes, weights)
    across = ((rest - smooth) * slopes.conj()).imag
    speed = np.abs(slopes)
    columns = weights[1:3].T
    return Registration(
        np.stack([columns.real, columns.imag], axis=1),
        multiply(frame.basis[:, 3:], weights[3:]) + smooth,
        across / np.where(speed > 0, speed, 1.0),
    )


def _along(rest: Points, slopes: Points) -> Floats:
    """Return how many points further along the line the rest would vanish, to first order."""
    squared = slopes.real**2 + slopes.imag**2
    inner = rest.real * slopes.real + rest.imag * slopes.imag
    wanted: Floats = inner / (squared + 0.1 * squared.mean(axis=0) + 1e-300)
    return wanted


def _sample_at(points: Points, places: Floats, frame: ModelFrame) -> Points:
    """Return the points at places between them."""
    before = places.astype(np.int64)
    share = places - before
    letters = points.shape[1]
    column = np.arange(letters)
    start = points.ravel().take(before * letters + column)
    end = points.ravel().take(np.minimum(before + 1, frame.last) * letters + column)
    read: Points = start + share * (end - start)
    return read
