"""Measure letters: find how the strokes were written, register them to a model, and measure.

A letter can be written backwards, in mirror writing, or with its strokes in another order. In a
narrow letter such as "1", the direction of the downstroke barely separates rotation from slant; in
a round letter such as "0", a shift along the line looks like a rotation. The covariance of these
errors follows from the model alone, and corrects the measured rotation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import permutations, product

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.scores import scales
from homeroom.handwriting.scores.registration import (
    FRAMES,
    TINY,
    TRACE_POINTS,
    WAVES,
    ModelFrame,
    Points,
    Registration,
    frame_of,
    multiply,
    register,
    stack_frames,
    standardise,
    stroke_lines,
    trace_letters,
)

TURN_TOLERANCE = np.radians(75.0)
"""Rotations beyond this count against a stroke order."""

CLEARLY_BETTER = 0.45
"""An unusual order must leave less than this fraction of the difference to the model."""

SUSPICIOUS = 0.06
"""Letters that differ less from the model are read in the usual order. The limit is divided by the
number of strokes, because one of them may be short."""


MOST_ARRANGED = 3
"""Up to this many strokes are read in every order; more strokes in two orders only."""

REORDERED = 256
"""The number of letters that are read in every order at a time, which bounds the memory."""


@dataclass(frozen=True)
class StrokeOrder:
    """One way to read a letter: the order of its strokes, which are backwards, and mirroring."""

    order: tuple[int, ...]
    backwards: tuple[bool, ...]
    mirrored: bool

    @property
    def reversed(self) -> bool:
        """Whether any stroke was written from its end to its start."""
        return any(self.backwards)

    def read(self, strokes: Sequence[Points]) -> list[Points]:
        """Return the strokes in the usual order and direction; a mirror image stays mirrored."""
        return [
            strokes[k][::-1] if back else strokes[k]
            for k, back in zip(self.order, self.backwards, strict=True)
        ]


def stroke_orders(strokes: int) -> list[StrokeOrder]:
    """Return the orders for a number of strokes: first the usual one, last the mirror images.

    More than three strokes are read as written, or all of them backwards.
    """
    usual = tuple(range(strokes))
    if strokes <= MOST_ARRANGED:
        written = list(product(permutations(usual), product((False, True), repeat=strokes)))
    else:
        written = [(usual, (False,) * strokes), (usual[::-1], (True,) * strokes)]
    return [StrokeOrder(*order, mirrored) for mirrored in (False, True) for order in written]


def best_orders(
    letters: Sequence[Sequence[Points]],
    frame: ModelFrame,
    *,
    mirror: bool = True,
    usual: Points | None = None,
) -> tuple[list[StrokeOrder], Ints, Points]:
    """Return all orders, the index of the best order of each letter, and its points in that order.

    ``letters`` has the strokes of each letter, and ``frame`` is the model. The points are
    standardised. An unusual order must be clearly better than the usual one. A
    backward order is preferred to a mirrored one of about the same difference, because the letter
    then looks right. Without ``mirror``, no letter is read as a mirror image. ``usual`` are the
    standardised points in the usual order, if they are known.
    """
    every = stroke_orders(len(frame.counts))
    every = every if mirror else every[: len(every) // 2]
    usual = standardise(trace_letters(letters, frame.counts))[0] if usual is None else usual
    best = np.zeros(len(letters), dtype=np.int64)
    odd = np.flatnonzero(_difference(usual, frame) > SUSPICIOUS / len(frame.counts))
    points = usual.copy() if len(odd) else usual
    for start in range(0, len(odd), REORDERED):
        some = odd[start : start + REORDERED]
        reads = _in_every_order([letters[i] for i in some.tolist()], usual[:, some], every, frame)
        best[some] = _clearly_best(_difference(reads, frame), every)
        points[:, some] = reads[best[some], :, np.arange(len(some))].T
    return every, best, points


def _in_every_order(
    letters: Sequence[Sequence[Points]],
    usual: Points,
    every: Sequence[StrokeOrder],
    frame: ModelFrame,
) -> Points:
    """Return the letters' standardised points in every order, ``(orders, points, letters)``."""
    counts = tuple(frame.counts.tolist())
    if len(counts) == 1:
        written = np.stack([usual, usual[::-1]])
    elif len(counts) <= MOST_ARRANGED:
        # Each stroke in each place: an order selects one stroke per place.
        pieces = trace_letters(
            [list(strokes) * len(counts) for strokes in letters],
            np.repeat(frame.counts, len(counts)),
        )
        written = standardise(pieces[_pieces_in_order(counts)])[0]
    else:
        back = [[stroke[::-1] for stroke in reversed(strokes)] for strokes in letters]
        written = np.stack([usual, standardise(trace_letters(back, frame.counts))[0]])
    return np.concatenate([written, -written.conj()]) if every[-1].mirrored else written


@lru_cache(maxsize=FRAMES)
def _pieces_in_order(counts: tuple[int, ...]) -> Ints:
    """Return which points make up each order of the strokes, ``(orders, points)``.

    The points are those of all strokes in the first place, then of all in the second, and so on.
    """
    strokes = len(counts)
    before = np.cumsum([0, *counts[:-1]]) * strokes
    rows = []
    for order in stroke_orders(strokes)[: len(stroke_orders(strokes)) // 2]:
        parts = zip(order.order, order.backwards, before.tolist(), counts, strict=True)
        row = [
            start + k * count + np.arange(count)[:: -1 if back else 1]
            for k, back, start, count in parts
        ]
        rows.append(np.concatenate(row))
    return np.stack(rows)


def _clearly_best(rest: Floats, every: Sequence[StrokeOrder]) -> Ints:
    """Return the best order of each letter, given the difference that each order leaves."""
    price = np.array([0.0] + [0.02 * (1 + order.mirrored) for order in every[1:]])
    best = (rest + price[:, None]).argmin(axis=0)
    least = np.take_along_axis(rest, best[None], axis=0)[0]
    return np.where(least < CLEARLY_BETTER * rest[0], best, 0)


def _difference(points: Points, frame: ModelFrame) -> Floats:
    """Return the part of each letter that no rotated and scaled model explains, from 0 to 1.

    ``points`` are standardised, ``(..., points, letters)``.
    """
    inner = frame.points.conj() @ points / len(frame.points)
    size = np.abs(inner)
    turned = np.maximum(0.0, np.abs(np.angle(inner)) - TURN_TOLERANCE)
    rest: Floats = 1.0 - (size * np.maximum(0.0, np.cos(turned))) ** 2
    return rest


def order_flags(best: Ints, every: Sequence[StrokeOrder], name: str) -> npt.NDArray[np.bool_]:
    """Return whether each letter's order is ``"mirrored"``, or ``"reversed"``, as ``name`` asks."""
    return np.array([getattr(order, name) for order in every])[best]


def _lines_in_every_order(letters: Sequence[Sequence[Points]]) -> tuple[Points, Floats]:
    """Return letters of equally many strokes as one line, with their strokes in every order.

    Returns standardised points, ``(orders, points, letters)``, and radii, ``(orders, letters)``.
    """
    strokes = len(letters[0])
    orders = stroke_orders(strokes) if strokes <= MOST_ARRANGED else stroke_orders(strokes)[:1]
    written = [order for order in orders if not order.mirrored]
    # A single stroke is read backwards later, when it is compared with the model.
    written = written if strokes > 1 else written[:1]
    lines = [[np.concatenate(order.read(one))] for order in written for one in letters]
    traces = trace_letters(lines, np.array([TRACE_POINTS]))
    return standardise(
        np.ascontiguousarray(
            traces.reshape(TRACE_POINTS, len(written), len(letters)).swapaxes(0, 1)
        )
    )


def arranged(reads: Points, radii: Floats, frame: ModelFrame) -> tuple[Points, Floats]:
    """Return each letter in the stroke order that is most like a model, and its radius.

    ``reads`` are the points in each order, ``(orders, points, letters)``, and ``radii`` are
    ``(orders, letters)``. The first order, as written, is kept unless another is clearly better.
    """
    if len(reads) == 1:
        return reads[0], radii[0]
    rest = _difference(reads, frame)
    best = rest.argmin(axis=0)
    letters = np.arange(len(best))
    best[rest[best, letters] >= CLEARLY_BETTER * rest[0]] = 0
    return reads[best, :, letters].T, radii[best, letters]


RESIDUAL_VARIANCE = 0.1
"""The variance of the residual, relative to the variance of the waves."""

GLIDE_SPREAD = 0.2
"""The standard deviation of gliding, as a fraction of the length of the line."""

ERROR_FACTOR = 5.0
"""The ratio of actual errors to this linear estimate; measured on simulated letters."""

LARGEST_CORRECTION = np.radians(45.0)
"""The largest correction of a rotation: for a letter that fits badly, slants have no limit."""

LARGEST_ERRORS = 1e6
"""The largest entry of the covariance of errors: a million times the prior variances."""

PRIOR_VARIANCES = np.diag([0.6, 0.12, 0.1]) ** 2
"""The variances of rotation, shear and log aspect between letters."""


@lru_cache(maxsize=FRAMES)
def map_covariance(frame: ModelFrame) -> Floats:
    """Return the covariance of the errors in rotation, shear and log aspect, for waves of size one.

    This is the posterior covariance of the map after least squares, with the sizes of waves and
    glides as priors.
    """
    affine, waves = frame.basis[:, :3], frame.basis[:, 3:]
    slope = frame.slopes[:, 1:3]
    sines = frame.steps[-1].sines
    order = np.arange(1.0, WAVES + 1)
    power = 2.0 * ((waves**2).mean(axis=0) / order**2).sum()
    design = np.block(
        [
            [affine, np.zeros_like(affine), waves, np.zeros_like(waves), slope[:, :1] * sines],
            [np.zeros_like(affine), affine, np.zeros_like(waves), waves, slope[:, 1:] * sines],
        ]
    )
    glides = np.full(sines.shape[1], 1.0 / (GLIDE_SPREAD * len(sines)) ** 2)
    known = np.concatenate([np.full(6, TINY), np.tile(power * order**2, 2), glides])
    left = np.linalg.inv(design.T @ design / RESIDUAL_VARIANCE + np.diag(known))[:6, :6]
    # The entries of the map: (1, x, y) to x, then (1, x, y) to y.
    to_turn, to_shear, to_aspect = np.zeros((3, 6))
    to_turn[4], to_shear[[2, 4]], to_aspect[[1, 5]] = 1.0, -1.0, (1.0, -1.0)
    reading = np.stack([to_turn, to_shear, to_aspect])
    covariance: Floats = ERROR_FACTOR * reading @ left @ reading.T
    return covariance


def corrected_turns(turn: Floats, style: Floats, form: Floats, covariance: Floats) -> Floats:
    """Return the best estimate of each rotation, given how letters are usually written.

    ``style`` is the measured shear and log aspect, ``(letters, 2)``; ``form`` is the mean squared
    error of the form. A perfect form needs no correction. For a form that barely shows a rotation,
    such as a ring, the estimate is near zero.
    """
    errors = form[:, None, None] * covariance
    # The errors of a straight model have no limit, and the sum below would be singular.
    largest = np.abs(errors).max(axis=(1, 2), keepdims=True)
    errors *= LARGEST_ERRORS / np.maximum(LARGEST_ERRORS, largest)
    measured = np.column_stack([turn, style])[:, :, None]
    surprise = np.linalg.solve(errors + PRIOR_VARIANCES, measured)
    wrong = np.clip((errors[:, :1] @ surprise)[:, 0, 0], -LARGEST_CORRECTION, LARGEST_CORRECTION)
    better: Floats = (turn - wrong + np.pi) % (2 * np.pi) - np.pi
    return np.where(wrong == 0, turn, better)


LEAST_CHANGE = 0.1
"""If rotating a model moves its points by less than this, in RMS radii, no rotation is visible."""


@lru_cache(maxsize=FRAMES)
def shows_turn(frame: ModelFrame) -> bool:
    """Return whether a rotation of the model would be visible. In a ring it is not.

    The change is the RMS distance of the rotated line to the nearest points of the model.
    """
    turns = np.exp(1j * np.radians([30.0, 60.0, 90.0]))
    apart = np.abs(frame.points[:, None] * turns[:, None, None] - frame.points)
    nearest = np.minimum(apart, apart.transpose(0, 2, 1)).min(axis=2)
    return bool(np.sqrt((nearest**2).mean(axis=1)).max() > LEAST_CHANGE)


STEADY_SHARE = 0.65
"""The steadiest fraction of the line, on which tremor is measured: it excludes corners."""

TREMOR_GAIN = 3.4
"""The ratio of the whole line's RMS tremor to that of the steadiest part; from simulations."""

STYLE_LIMITS = (0.5, 0.5)
"""Shear and log aspect count as style up to these limits, and as distortion beyond them."""


@dataclass(frozen=True, eq=False)
class LetterMeasures:
    """One number per letter, as in :class:`Reading`, not yet corrected for pixels and mirroring.

    Lengths are in RMS radii of the letter, angles in radians.
    """

    form: Floats
    turn: Floats
    shear: Floats
    aspect: Floats
    tremor: Floats


def measure(fit: Registration, frames: Sequence[ModelFrame]) -> LetterMeasures:
    """Measure letters that are registered to a model: one for all letters, or one per letter."""
    facts = [_model_properties(frame) for frame in frames]
    straight, line, spread, covariance = (np.array(column) for column in zip(*facts, strict=True))
    maps = fit.maps
    flipped = reflection(maps, spread)
    if straight.any():
        maps = np.where(straight[:, None, None], _turns_only(maps, line), maps)
    area = np.abs(maps[:, 0, 0] * maps[:, 1, 1] - maps[:, 0, 1] * maps[:, 1, 0])
    size = np.sqrt(np.where(area > 1e-6, area, 1.0))
    turn, stretch = _split_turn(maps / size[:, None, None])
    high = np.where(np.abs(stretch[:, 1, 1]) > 1e-3, stretch[:, 1, 1], 1e-3)
    shear = -stretch[:, 0, 1] / high
    aspect = np.log(np.abs(stretch[:, 0, 0] / high) + 1e-9)
    form = (fit.form.real**2 + fit.form.imag**2).mean(axis=0) / size**2
    style = np.column_stack([shear, aspect])
    return LetterMeasures(
        np.sqrt(form + _excess(style, spread[:, 1, 1]) + flipped / size**2),
        corrected_turns(turn, style, form, covariance),
        shear,
        np.exp(aspect),
        _tremor(fit.tremor) / size,
    )


@lru_cache(maxsize=FRAMES)
def _model_properties(frame: ModelFrame) -> tuple[bool, complex, Floats, Floats]:
    """Return properties of a model that measurements need.

    These are: whether it is nearly a straight line, which has a direction but no slant; the
    direction; the covariance of its points; and the covariance of the errors of its map.
    """
    widths = np.linalg.svd(np.stack([frame.points.real, frame.points.imag]), compute_uv=False)
    return (
        bool(widths[1] < 0.05 * widths[0]),
        complex(np.sqrt((frame.points**2).mean())),
        _spread(frame),
        map_covariance(frame),
    )


@lru_cache(maxsize=FRAMES)
def _spread(frame: ModelFrame) -> Floats:
    """Return the covariance of a model's points, ``(2, 2)``."""
    xy = np.stack([frame.points.real, frame.points.imag])
    spread: Floats = xy @ xy.T / len(frame.points)
    return spread


def reflection(maps: Floats, spread: Floats) -> Floats:
    """Return the mean squared displacement that maps explain only by reflecting a model.

    A map with a negative determinant turns a letter over: M becomes W, and n becomes u. The nearest
    map that does not is flat in one direction; its difference counts as an error of the form.
    ``spread`` is the covariance of the points of one model, or of one per map.
    """
    size = np.einsum("...ij,...jk,...ik->...", maps, spread, maps)  # both squared widths
    area = np.linalg.det(maps) ** 2 * np.linalg.det(spread)
    least = (size - np.sqrt(np.maximum(0.0, size**2 - 4.0 * area))) / 2.0
    return np.where(np.linalg.det(maps) < 0, np.maximum(0.0, least), 0.0)


def _turns_only(maps: Floats, line: Points) -> Floats:
    """Return the maps of straight models, reduced to rotation and scale."""
    direction = np.stack([line.real, line.imag], axis=-1)
    image = (maps @ direction[:, :, None])[:, :, 0]
    change = (image[:, 0] + 1j * image[:, 1]) / np.where(line == 0, 1.0, line)
    return np.array([[change.real, -change.imag], [change.imag, change.real]]).transpose(2, 0, 1)


def _split_turn(maps: Floats) -> tuple[Floats, Floats]:
    """Split maps into a rotation and an upper triangular matrix of slant and stretch."""
    turn = np.arctan2(maps[:, 1, 0], maps[:, 0, 0])
    c, s = np.cos(turn), np.sin(turn)
    back = np.array([[c, s], [-s, c]]).transpose(2, 0, 1)
    return turn, back @ maps


def _excess(style: Floats, down: Floats) -> Floats:
    """Return the mean squared displacement by slant and stretch beyond the limits of style.

    ``down`` is the mean squared height of the models.
    """
    beyond = np.maximum(0.0, np.abs(style) - STYLE_LIMITS)
    excess: Floats = down * beyond[:, 0] ** 2 + (beyond[:, 1] / 2) ** 2
    return excess


def _tremor(across: Floats) -> Floats:
    """Return the RMS tremor, measured on the steadiest part of each line."""
    kept = int(STEADY_SHARE * len(across))
    steadiest = np.partition(across**2, kept, axis=0)[:kept]
    tremor: Floats = TREMOR_GAIN * np.sqrt(steadiest.mean(axis=0))
    return tremor


FEW = 32
"""The most pairs of a letter and a model that are registered in one call."""

AT_ONCE = 128
"""The number of letters registered at a time: about what fits into the cache of a core."""

IN_MEMORY = 4096
"""The number of letters measured at a time, which bounds the memory."""

TOUCH_LENGTH = 0.02
"""A surplus stroke shorter than this fraction of the letter is an accidental touch."""

ROUNDING = 1e-6
"""Smaller measures are rounding errors, and count as zero."""

PIXEL_NOISE = 0.115
"""The squared tremor, in pixels, that rounding to whole pixels adds; measured."""

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Reading:
    """The measurements of letters: one value per letter.

    Parameters
    ----------
    form
        The RMS distance of the line from the model, in RMS radii of the letter.
    tremor
        The RMS tremor of the line, in RMS radii of the letter.
    turn
        The rotation in radians, positive to the right; NaN if the model is round and shows none.
    shear, aspect
        The slant, and the ratio of width to height relative to the model.
    mirrored, backwards
        Whether the letter is in mirror writing, or was written from its end to its start.
    """

    form: Floats
    tremor: Floats
    turn: Floats
    shear: Floats
    aspect: Floats
    mirrored: Bools
    backwards: Bools

    @cached_property
    def table(self) -> Floats:
        """The scores: distortion, rotation and shakiness of each letter, ``(letters, 3)``."""
        return np.column_stack(
            [
                scales.defect_score(self.form, scales.DISTORTION),
                scales.rotation_score(np.degrees(np.nan_to_num(self.turn))),
                scales.defect_score(self.tremor, scales.SHAKINESS),
            ]
        )

    def subset(self, which: Bools) -> Reading:
        """Return the measurements of some letters."""
        return Reading(*(getattr(self, name)[which] for name in self.__dataclass_fields__))


def read(inks: Sequence[Ink], model: Ink, *, mirror: bool = True) -> Reading:
    """Measure letters relative to a model.

    A letter with the same number of strokes as the model is compared stroke by stroke. Any other
    letter is compared as one line, as if the pen had stayed on the paper. Surplus strokes that are
    accidental touches are ignored. Without ``mirror``, no letter is read as a mirror image.
    """
    parts = []
    for start in range(0, len(inks), IN_MEMORY):
        tracer = Tracer(inks[start : start + IN_MEMORY], mirror=mirror)
        parts += [(start + traced.where, traced.read()) for traced in tracer.along(model)]
    return in_order(parts)


def in_order(parts: Sequence[tuple[Ints, Reading]]) -> Reading:
    """Join measurements of parts of the letters, each with the letters' indices, in order."""
    order = np.argsort(np.concatenate([where for where, _ in parts]))
    columns = [
        np.concatenate([getattr(part, name) for _, part in parts])[order]
        for name in Reading.__dataclass_fields__
    ]
    return Reading(*columns)


@dataclass(frozen=True, eq=False)
class Traced:
    """Letters in their best stroke orders, as points along a model.

    Parameters
    ----------
    where
        The indices of the letters.
    frame
        The model.
    points
        The points, mean zero and RMS radius one, shape ``(points, letters)``.
    noise
        The squared tremor of each letter that is due to rounding to pixels.
    mirrored, backwards
        Whether each letter is read as a mirror image, or from its end to its start.
    """

    where: Ints
    frame: ModelFrame
    points: Points
    noise: Floats
    mirrored: Bools
    backwards: Bools

    def rough_fit(self) -> Floats:
        """Return the approximate distance of each letter from the model, in RMS radii.

        It ignores gliding along the line, and costs about a twentieth of :meth:`read`.
        """
        weights = multiply(self.frame.free[:3], self.points)
        rest = self.points - multiply(self.frame.basis[:, :3], weights)
        maps = np.stack([weights[1:].real, weights[1:].imag]).transpose(2, 0, 1)
        flipped = reflection(maps, _spread(self.frame))
        rough: Floats = np.sqrt((rest.real**2 + rest.imag**2).mean(axis=0) + flipped)
        return rough

    def subset(self, which: Bools) -> Traced:
        """Return some of the letters."""
        return Traced(
            self.where[which],
            self.frame,
            self.points[:, which],
            self.noise[which],
            self.mirrored[which],
            self.backwards[which],
        )

    def read(self) -> Reading:
        """Return the measurements."""
        pieces = [
            measure(register(self.points[:, start : start + AT_ONCE], self.frame), [self.frame])
            for start in range(0, self.points.shape[1], AT_ONCE)
        ]
        return self._reading(
            *(
                np.concatenate([getattr(piece, name) for piece in pieces])
                for name in LetterMeasures.__dataclass_fields__
            )
        )

    def _reading(
        self, form: Floats, turn: Floats, shear: Floats, aspect: Floats, tremor: Floats
    ) -> Reading:
        """Return measures as a reading, without pixel noise; mirrored letters change their side."""
        side = np.where(self.mirrored, -1.0, 1.0)  # mirrored letters lean the other way
        return Reading(
            _without_rounding(form),
            _without_rounding(np.sqrt(np.maximum(0.0, tremor**2 - self.noise))),
            side * _without_rounding(turn)
            if shows_turn(self.frame)
            else np.full(len(turn), np.nan),
            side * _without_rounding(shear),
            aspect,
            self.mirrored,
            self.backwards,
        )


def read_together(parts: Sequence[Traced]) -> list[Reading]:
    """Return the measurements of letters along several models.

    A few letters are registered to all models together, which for five models takes barely longer
    than for one.
    """
    sizes = [len(part.where) for part in parts]
    if len(parts) < 2 or sum(sizes) > FEW:
        return [part.read() for part in parts]
    frames = [part.frame for part in parts for _ in part.where]
    points = np.concatenate([part.points for part in parts], axis=1)
    fit = register(np.ascontiguousarray(points.T)[:, :, None], stack_frames(frames))
    found = measure(
        Registration(fit.maps[:, 0], fit.form[:, :, 0].T, fit.tremor[:, :, 0].T), frames
    )
    columns = [getattr(found, name) for name in LetterMeasures.__dataclass_fields__]
    ends = np.cumsum(sizes).tolist()
    return [
        part._reading(*(column[end - size : end] for column in columns))
        for part, size, end in zip(parts, sizes, ends, strict=True)
    ]


class Tracer:
    """Traces letters along several models, and caches what the models share.

    Parameters
    ----------
    inks
        The letters.
    mirror
        Whether a letter may be read as a mirror image.
    """

    def __init__(self, inks: Sequence[Ink], *, mirror: bool) -> None:
        self.inks = inks
        self.mirror = mirror
        self._pixels = _has_whole_pixels(inks)
        # The strokes of each letter, by the number of strokes of a model:
        self._lines: dict[int, list[list[Points]]] = {}
        # Points in the usual order and radii, by the number of points per stroke:
        self._usual: dict[bytes, tuple[Points, Floats]] = {}
        # The results of _arrangements, by the number of strokes of a model:
        self._arrangements: dict[int, list[tuple[Ints, Points, Floats]]] = {}

    def along(self, model: Ink) -> list[Traced]:
        """Return the letters as points along a model: first those with its number of strokes."""
        expected = len(model.strokes)
        if expected not in self._lines:
            kept = (_without_touches(ink, expected) for ink in self.inks)
            self._lines[expected] = [stroke_lines(ink) for ink in kept]
        alike = np.array([len(lines) == expected for lines in self._lines[expected]])
        return [
            self._traced(np.flatnonzero(some), frame_of(model, joined=joined), expected, joined)
            for joined, some in ((False, alike), (True, ~alike))
            if some.any()
        ]

    def _traced(self, where: Ints, frame: ModelFrame, expected: int, joined: bool) -> Traced:
        """Return some letters in their best stroke orders; ``joined`` as one line.

        ``expected`` is the number of strokes of the model.
        """
        lines = [self._lines[expected][i] for i in where.tolist()]
        if joined:
            usual, radius = self._joined(where, lines, frame, expected)
        else:
            key = frame.counts.tobytes()
            if key not in self._usual:
                self._usual[key] = standardise(trace_letters(lines, frame.counts))
            usual, radius = self._usual[key]
        every, best, points = best_orders(lines, frame, mirror=self.mirror, usual=usual)
        return Traced(
            where,
            frame,
            points,
            PIXEL_NOISE * (self._pixels[where] / radius) ** 2,
            order_flags(best, every, "mirrored"),
            order_flags(best, every, "reversed"),
        )

    def _joined(
        self, where: Ints, lines: list[list[Points]], frame: ModelFrame, expected: int
    ) -> tuple[Points, Floats]:
        """Return letters as one line with their strokes in the best order, and their radii."""
        points = np.empty((TRACE_POINTS, len(where)), dtype=np.complex128)
        radius = np.empty(len(where))
        parts = self._arrangements.get(expected)
        if parts is None:
            parts = list(_arrangements(lines)) if len(where) <= REORDERED else None
            if parts is not None:
                self._arrangements[expected] = parts
        for own, reads, radii in _arrangements(lines) if parts is None else parts:
            points[:, own], radius[own] = arranged(reads, radii, frame)
        return points, radius


def _arrangements(lines: Sequence[Sequence[Points]]) -> Iterator[tuple[Ints, Points, Floats]]:
    """Yield some letters at a time as one line with their strokes in every order.

    Each item has the indices of the letters, their points, and their radii.
    """
    strokes = np.array([len(one) for one in lines])
    for number in np.unique(strokes).tolist():
        of_number = np.flatnonzero(strokes == number)
        for start in range(0, len(of_number), REORDERED):
            own = of_number[start : start + REORDERED]
            yield own, *_lines_in_every_order([lines[i] for i in own.tolist()])


def _without_touches(ink: Ink, expected: int) -> Ink:
    """Return a letter without surplus strokes that are too short to be lines."""
    extra = len(ink.strokes) - expected
    if extra <= 0:
        return ink
    lengths = np.array([_length(stroke) for stroke in ink])
    shortest = np.argsort(lengths)[:extra].tolist()
    touches = {at for at in shortest if lengths[at] < TOUCH_LENGTH * lengths.sum()}
    if not touches:
        return ink
    return replace(ink, strokes=tuple(stroke for at, stroke in enumerate(ink) if at not in touches))


def _length(stroke: Stroke) -> float:
    steps = np.diff(stroke.points, axis=0)
    return float(np.hypot(steps[:, 0], steps[:, 1]).sum())


def _without_rounding(values: Floats) -> Floats:
    """Return the values, with rounding errors set to zero."""
    return np.where(np.abs(values) < ROUNDING, 0.0, values)


def _has_whole_pixels(inks: Sequence[Ink]) -> Floats:
    """Return 1 for each letter whose points are all whole numbers, as from a screen, else 0."""
    points = np.concatenate([stroke.points for ink in inks for stroke in ink])
    sizes = np.array([sum(len(stroke) for stroke in ink) for ink in inks])
    whole = (points == np.rint(points)).all(axis=1)
    return np.logical_and.reduceat(whole, np.cumsum(sizes) - sizes).astype(np.float64)
