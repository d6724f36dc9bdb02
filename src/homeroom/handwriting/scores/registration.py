"""Register letters to a model: which point corresponds to which, and the map between them.

Letters are resampled to the same number of points, so that they can be compared point by point. A
point (x, y) is the complex number x + iy: to rotate a letter is to multiply. A letter is modelled
as ``A x + waves + tremor``, an affine map of the model's points x and deviations from it, read at
positions that *glide*: they may shift along its line.
Starting from evenly spaced positions, a few steps improve map, waves and positions in turn.
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
"""The number of points of a resampled letter."""

FEWEST_POINTS = 5
"""The fewest points of a stroke."""


def stroke_lines(ink: Ink, *, joined: bool = False) -> list[Points]:
    """Return the strokes of a letter as complex points; one line for all of them if ``joined``."""
    parts = [np.ascontiguousarray(s.points).view(np.complex128)[:, 0] for s in ink]
    return [np.concatenate(parts)] if joined else parts


def points_per_stroke(strokes: Sequence[Points]) -> Ints:
    """Return the number of points of each stroke of a model, in proportion to its length."""
    lengths = np.array([np.abs(np.diff(stroke)).sum() for stroke in strokes])
    counts: Ints = np.maximum(
        FEWEST_POINTS, (TRACE_POINTS * lengths / lengths.sum()).astype(np.int64)
    )
    counts[counts.argmax()] += TRACE_POINTS - counts.sum()
    return counts


def trace_letters(letters: Sequence[Sequence[Points]], counts: Ints) -> Points:
    """Return points evenly along each stroke of the letters, shape ``(points, letters)``.

    ``letters`` has the strokes of each letter, one per count; ``counts`` has the number of points
    of each stroke. A single interpolation handles all strokes: stroke j lies between 2j and 2j + 1
    on one long line.
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
    """Return the letters with mean zero and RMS radius one, and the original radii.

    ``points`` has shape ``(..., points, letters)``, the radii ``(..., letters)``.
    """
    centred = points - points.mean(axis=-2, keepdims=True)
    most = np.abs(centred).max(axis=-2, keepdims=True)  # avoids underflow and overflow of squares
    scaled = centred / most
    radius = np.sqrt((scaled.real**2 + scaled.imag**2).mean(axis=-2, keepdims=True))
    return scaled / radius, (most * radius)[..., 0, :]


def _positions(points: Points, sizes: Ints) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the position of each point on the long line, and which strokes have a length."""
    firsts = np.cumsum(sizes) - sizes
    steps = np.abs(np.diff(points, prepend=points[:1]))
    steps[firsts] = 0.0
    ways = np.cumsum(steps)
    ways -= np.repeat(ways[firsts], sizes)
    lengths = ways[firsts + sizes - 1]
    moved = lengths > 0
    ways /= np.repeat(np.where(moved, lengths, 1.0), sizes)
    # Rounding in the running sum must not push the last point of a stroke beyond its end.
    ways = np.minimum(ways, 1.0) + np.repeat(2.0 * np.arange(len(sizes)), sizes)
    return ways, moved


WAVES = 8
"""The number of cosines along the letter that describe its form: up to four waves."""

SMOOTHING_WINDOW = 25
"""The window that separates form from tremor, in points: about a fifth of the letter."""

STEPS = 12
"""How often the correspondence between model and letter is improved."""

STIFFNESS = (0.3, 0.001)
"""The penalty on a form that differs from the model, in the first and in the last step."""

GLIDE_SINES = (6, 22)
"""The number of sines by which positions glide, in the first and in the last step."""

TINY = 1e-13
"""Prevents a division by zero for straight models, whose points span one dimension."""

GLIDE_PENALTY = 0.02
"""The penalty on gliding."""

FRAMES = 512
"""The number of models that are kept ready, about 0.15 MB each: more than the shipped forms."""


@dataclass(frozen=True, eq=False)
class RegistrationStep:
    """One improvement of the correspondence: matrices that depend only on the model.

    ``fit``, shape ``(coefficients, points)``, maps a letter's points to coefficients of the basis.
    ``glide``, shape ``(sines, points)``, then ``sines``, shape ``(points, sines)``, smooth the
    shift that each point should make along the line.
    """

    fit: Floats
    glide: Floats
    sines: Floats


@dataclass(frozen=True, eq=False)
class ModelFrame:
    """A model letter with all matrices that depend only on it.

    In a stack of several models (:func:`stack_frames`) the arrays have one more axis, the first.

    Parameters
    ----------
    counts
        The number of points of each stroke.
    points
        The model, mean zero and RMS radius one, shape ``(points,)``.
    basis
        The columns 1, x, y, and cosines along the line, orthogonal to the first three; shape
        ``(points, 3 + WAVES)``.
    slopes
        The derivative of ``basis`` with respect to the index of the point.
    free
        The least-squares matrix from points to coefficients of ``basis``.
    smoother
        The matrix that smooths a line: a cubic through the neighbours of each point.
    first, last
        The indices of the first and last point of each point's stroke, as columns.
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


@lru_cache(maxsize=FRAMES)
def frame_of(model: Ink, *, joined: bool = False) -> ModelFrame:
    """Return the frame of a model; its strokes count as one line if ``joined``."""
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
        _smoother(tuple(counts.tolist())),
        np.repeat(ends - counts, counts)[:, None],
        np.repeat(ends - 1, counts)[:, None],
        _steps(basis, counts),
    )


def _basis(points: Points) -> Floats:
    """Return the basis of a model, shape ``(points, 3 + WAVES)``: see :class:`ModelFrame`."""
    affine = np.column_stack([np.ones(len(points)), points.real, points.imag])
    along = np.linspace(0.0, np.pi, len(points))
    waves = np.cos(np.outer(along, np.arange(1, WAVES + 1)))
    return np.column_stack([affine, waves - affine @ (np.linalg.pinv(affine) @ waves)])


def stack_frames(frames: Sequence[ModelFrame]) -> ModelFrame:
    """Return several models as one, to register a letter to all of them at once."""
    steps = zip(*(frame.steps for frame in frames), strict=True)
    return ModelFrame(
        frames[0].counts,
        np.stack([frame.points for frame in frames]),
        np.stack([frame.basis for frame in frames]),
        np.stack([frame.slopes for frame in frames]),
        np.stack([frame.free for frame in frames]),
        np.stack([frame.smoother for frame in frames]),
        np.stack([frame.first for frame in frames]),
        np.stack([frame.last for frame in frames]),
        tuple(
            RegistrationStep(
                np.stack([step.fit for step in own]),
                _stack_padded([step.glide for step in own]),
                _stack_padded([step.sines for step in own]),
            )
            for own in steps
        ),
    )


def _stack_padded(matrices: Sequence[Floats]) -> Floats:
    """Return a stack of matrices, shorter ones padded with zeros; or the one that all are."""
    if all(matrix is matrices[0] for matrix in matrices):
        return matrices[0]
    sizes = np.array([matrix.shape for matrix in matrices])
    stack = np.zeros((len(matrices), *sizes.max(axis=0).tolist()))
    for padded, matrix in zip(stack, matrices, strict=True):
        padded[tuple(map(slice, matrix.shape))] = matrix
    return stack


def _steps(basis: Floats, counts: Ints) -> tuple[RegistrationStep, ...]:
    """Return the improvements; from step to step, the penalty falls and the sines increase."""
    order = np.concatenate([np.zeros(3), np.arange(1.0, WAVES + 1)])
    prices = np.geomspace(*STIFFNESS, STEPS + 1)[:-1, None] * order + TINY
    glides = np.linspace(*GLIDE_SINES, STEPS).tolist()
    return tuple(
        RegistrationStep(_ridge(basis, price), *_gliding(tuple(counts.tolist()), glide))
        for price, glide in zip(prices, glides, strict=True)
    )


def _ridge(basis: Floats, price: Floats) -> Floats:
    """Return the matrix of ridge regression; ``price`` is the penalty per column of the basis."""
    gram = basis.T @ basis / len(basis) + np.diag(price)
    fit: Floats = np.linalg.solve(gram, basis.T / len(basis)).astype(np.float64)
    return fit


@lru_cache(maxsize=STEPS * FRAMES)
def _gliding(points: tuple[int, ...], glides: float) -> tuple[Floats, Floats]:
    """Return the fit matrix of sines that vanish at the ends of strokes, and the sines.

    ``points`` has the number of points per stroke; ``glides`` is the number of sines in all.
    """
    counts = np.array(points)
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
    """Return the matrix of differences along a stroke with ``count`` points."""
    differences: Floats = np.asarray(np.gradient(np.eye(count), axis=0))
    return differences


def smoothing_matrix(count: int) -> Floats:
    """Return the matrix that fits a cubic to the window around each point, and evaluates it there.

    This is the Savitzky-Golay filter of scipy.signal, which takes a second to import. Near the ends
    the first and the last window are used.
    """
    window = min(SMOOTHING_WINDOW, (count - 1) // 2 * 2 + 1)
    terms, points = min(4, window), np.arange(count)
    first = np.clip(points - window // 2, 0, count - window)
    fit = np.linalg.pinv(np.vander(np.linspace(-1.0, 1.0, window), terms))
    read = np.vander(2.0 * (points - first) / max(1, window - 1) - 1.0, terms)
    smooth = np.zeros((count, count))
    np.put_along_axis(smooth, first[:, None] + np.arange(window), read @ fit, axis=1)
    return smooth


@lru_cache(maxsize=FRAMES)
def _smoother(points: tuple[int, ...]) -> Floats:
    """Return the smoothing matrix of a model, given the number of points per stroke."""
    return _blocks(np.array(points), smoothing_matrix)


def _blocks(counts: Ints, block: Callable[[int], Floats]) -> Floats:
    """Return a block-diagonal matrix with one block per stroke."""
    total = int(counts.sum())
    matrix = np.zeros((total, total))
    row = 0
    for count in counts.tolist():
        matrix[row : row + count, row : row + count] = block(count)
        row += count
    return matrix


@dataclass(frozen=True, eq=False)
class Registration:
    """Letters registered to a model.

    Parameters
    ----------
    maps
        The linear part of the affine map from the model to each letter, ``(letters, 2, 2)``.
    form
        The smoothed deviation of each point from the mapped model, ``(points, letters)``.
    tremor
        What smoothing removed, perpendicular to the line, ``(points, letters)``.
    """

    maps: Floats
    form: Points
    tremor: Floats


def register(points: Points, frame: ModelFrame) -> Registration:
    """Register standardised letters, shape ``(points, letters)``, to a model.

    With a stack of models, ``points`` has shape ``(models, points, letters)``, and so have the
    results.
    """
    found = points
    places = np.empty(points.shape)
    places[...] = np.arange(float(points.shape[-2]))[:, None]
    starts = _starts(points.shape)
    for step in frame.steps:
        weights = multiply(step.fit, found)
        rest = found - multiply(frame.basis, weights)
        wanted = _along(rest, multiply(frame.slopes, weights))
        places -= step.sines @ (step.glide @ wanted)
        np.maximum(places, frame.first, out=places)
        np.minimum(places, frame.last, out=places)
        np.maximum.accumulate(places, axis=-2, out=places)
        found = _sample_at(points, places, starts, frame.last)
    return _split(found, frame)


def multiply(matrix: Floats, points: Points) -> Points:
    """Return the matrix times the points of every letter, as a single real product."""
    flat = matrix @ np.ascontiguousarray(points).view(np.float64)
    return flat.view(np.complex128)


def _split(found: Points, frame: ModelFrame) -> Registration:
    """Split registered points into affine map, form and tremor."""
    weights = multiply(frame.free, found)
    rest = found - multiply(frame.basis, weights)
    smooth = multiply(frame.smoother, rest)
    slopes = multiply(frame.slopes, weights)
    across = ((rest - smooth) * slopes.conj()).imag
    speed = np.abs(slopes)
    columns = weights[..., 1:3, :].swapaxes(-1, -2)
    return Registration(
        np.stack([columns.real, columns.imag], axis=-2),
        multiply(frame.basis[..., 3:], weights[..., 3:, :]) + smooth,
        across / np.where(speed > 0, speed, 1.0),
    )


def _along(rest: Points, slopes: Points) -> Floats:
    """Return by how many points along the line the residual would vanish, to first order."""
    squared = slopes.real**2 + slopes.imag**2
    inner = rest.real * slopes.real + rest.imag * slopes.imag
    usual = squared.sum(axis=-2, keepdims=True) * (0.1 / squared.shape[-2])
    wanted: Floats = inner / (squared + usual + 1e-300)
    return wanted


def _starts(shape: tuple[int, ...]) -> Ints:
    """Return the index of the first point of each letter in a flat array of points."""
    *models, points, letters = shape
    starts = np.arange(int(np.prod(models))) * (points * letters)
    return starts.reshape(*models, 1, 1) + np.arange(letters)


def _sample_at(points: Points, places: Floats, starts: Ints, last: Ints) -> Points:
    """Return the points at the fractional indices ``places``, by linear interpolation."""
    before = places.astype(np.int64)
    share = places - before
    letters = points.shape[-1]
    start = points.ravel().take(before * letters + starts)
    end = points.ravel().take(np.minimum(before + 1, last) * letters + starts)
    read: Points = start + share * (end - start)
    return read
