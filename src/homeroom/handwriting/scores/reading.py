"""Measure letters: find how the strokes were written, register them to a model, and measure.

A letter can be written backwards, in mirror writing, or with its strokes in another order. In a
narrow letter such as "1", the direction of the downstroke barely separates rotation from slant; in
a round letter such as "0", a shift along the line looks like a rotation. The covariance of these
errors follows from the model alone, and corrects the measured rotation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import permutations, product

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.scores import scales
from homeroom.handwriting.scores.registration import (
    TINY,
    WAVES,
    ModelFrame,
    Points,
    Registration,
    frame_of,
    multiply,
    register,
    standardise,
    stroke_lines,
    trace_letters,
)

TURN_TOLERANCE = np.radians(75.0)
"""Rotations beyond this count against a stroke order."""

CLEARLY_BETTER = 0.45
"""An unusual order must leave less than this fraction of the difference to the model."""

SUSPICIOUS = 0.06
"""Letters of one stroke that differ less are read in the usual order. The limit is halved for two
strokes, because one of them may be short."""


MOST_ARRANGED = 3
"""The most strokes that are read in every order; more of them only in two."""


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

    With more than three strokes, only all of them together are read backwards.
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
    points: Points | None = None,
) -> tuple[list[StrokeOrder], Ints, Points]:
    """Return all orders, the index of the best order of each letter, and its points in that order.

    An unusual order must be clearly better than the usual one. A backward order is preferred to a
    mirrored one of about the same difference, because the letter then looks right. Without
    ``mirror``, no letter is read as a mirror image. ``points`` are the points in the usual order,
    if they are known.
    """
    every = stroke_orders(len(frame.counts))
    every = every if mirror else every[: len(every) // 2]
    points = trace_letters(letters, frame.counts) if points is None else points.copy()
    best = np.zeros(len(letters), dtype=np.int64)
    rest = _difference(points, frame)
    odd = np.flatnonzero(rest > SUSPICIOUS / len(frame.counts))
    if len(odd):
        own = [letters[i] for i in odd.tolist()]
        reads = _traces_in_every_order(own, points[:, odd], every, frame)
        best[odd] = _clearly_best(np.stack([_difference(read, frame) for read in reads]), every)
        points[:, odd] = reads[best[odd], :, np.arange(len(odd))].T
    return every, best, points


def _traces_in_every_order(
    letters: Sequence[Sequence[Points]],
    usual: Points,
    every: Sequence[StrokeOrder],
    frame: ModelFrame,
) -> Points:
    """Return the letters' points in every order, ``(orders, points, letters)``."""
    if len(frame.counts) == 1:
        written = [usual, usual[::-1]]
    else:
        written = [
            trace_letters([order.read(letter) for letter in letters], frame.counts)
            for order in every
            if not order.mirrored
        ]
    mirrored = [-points.conj() for points in written] if every[-1].mirrored else []
    return np.stack([*written, *mirrored])


def _clearly_best(rest: Floats, every: Sequence[StrokeOrder]) -> Ints:
    """Return the best order of each letter, given the difference that each order leaves."""
    price = np.array([0.0] + [0.02 * (1 + order.mirrored) for order in every[1:]])
    best = (rest + price[:, None]).argmin(axis=0)
    least = np.take_along_axis(rest, best[None], axis=0)[0]
    return np.where(least < CLEARLY_BETTER * rest[0], best, 0)


def _difference(points: Points, frame: ModelFrame) -> Floats:
    """Return the part of each letter that no rotated and scaled model explains, from 0 to 1."""
    found, _ = standardise(points)
    inner = (frame.points.conj()[:, None] * found).mean(axis=0)
    turned = np.maximum(0.0, np.abs(np.angle(inner)) - TURN_TOLERANCE)
    alike = np.abs(inner) * np.cos(turned)
    rest: Floats = 1.0 - np.maximum(0.0, alike) ** 2
    return rest


def order_flags(best: Ints, every: Sequence[StrokeOrder], name: str) -> npt.NDArray[np.bool_]:
    """Return whether the order of each letter is mirrored, or reversed."""
    return np.array([getattr(order, name) for order in every])[best]


def arranged_lines(letters: Sequence[Sequence[Points]], frame: ModelFrame) -> list[list[Points]]:
    """Return each letter as one line, its strokes in the order that is most like the model.

    The order of writing is kept unless another one is clearly better.
    """
    lines = [np.concatenate(strokes) for strokes in letters]
    for i, strokes in enumerate(letters):
        if not 1 < len(strokes) <= MOST_ARRANGED:
            continue
        orders = [order for order in stroke_orders(len(strokes)) if not order.mirrored]
        tried = [np.concatenate(order.read(strokes)) for order in orders]
        rest = _difference(trace_letters([[line] for line in tried], frame.counts), frame)
        best = int(rest.argmin())
        lines[i] = tried[best if rest[best] < CLEARLY_BETTER * rest[0] else 0]
    return [[line] for line in lines]


RESIDUAL_VARIANCE = 0.1
"""The variance of the residual, relative to the variance of the waves."""

GLIDE_SPREAD = 0.2
"""The standard deviation of gliding, as a fraction of the length of the line."""

ERROR_FACTOR = 5.0
"""The ratio of actual errors to this linear estimate; measured on simulated letters."""

LARGEST_CORRECTION = np.radians(45.0)
"""The largest correction of a rotation: if nothing fits, slants are arbitrarily large."""

PRIOR_VARIANCES = np.diag([0.6, 0.12, 0.1]) ** 2
"""The variances of rotation, shear and log aspect between letters."""


@lru_cache(maxsize=128)
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
    error of the form. A perfect form needs no correction. A form that barely shows a rotation, such
    as a ring, gives an estimate near zero.
    """
    errors = form[:, None, None] * covariance
    measured = np.column_stack([turn, style])[:, :, None]
    surprise = np.linalg.solve(errors + PRIOR_VARIANCES, measured)
    wrong = np.clip((errors[:, :1] @ surprise)[:, 0, 0], -LARGEST_CORRECTION, LARGEST_CORRECTION)
    better: Floats = (turn - wrong + np.pi) % (2 * np.pi) - np.pi
    return np.where(wrong == 0, turn, better)


LEAST_CHANGE = 0.1
"""A model that moves by less than this when it is rotated, in RMS radii, shows no rotation."""


@lru_cache(maxsize=512)
def shows_turn(frame: ModelFrame) -> bool:
    """Return whether a rotation of the model would be visible: not if it is a ring.

    The change is the RMS distance of the rotated line to the nearest points of the model.
    """
    turns = np.exp(1j * np.radians([30.0, 60.0, 90.0]))
    apart = np.abs(frame.points[:, None] * turns[:, None, None] - frame.points)
    nearest = np.minimum(apart, apart.transpose(0, 2, 1)).min(axis=2)
    return bool(np.sqrt((nearest**2).mean(axis=1)).max() > LEAST_CHANGE)


STEADY_SHARE = 0.65
"""The steadiest fraction of the line, on which tremor is measured: it excludes corners."""

TREMOR_GAIN = 3.4
"""The ratio of the RMS of the full tremor to that measure; measured on simulated letters."""

STYLE_LIMITS = (0.5, 0.5)
"""Shear and log aspect count as style up to these limits, and as distortion beyond them."""


@dataclass(frozen=True, eq=False)
class LetterMeasures:
    """One number per letter: lengths in RMS radii of the letter, angles in radians."""

    form: Floats
    turn: Floats
    shear: Floats
    aspect: Floats
    tremor: Floats


def measure(fit: Registration, frame: ModelFrame) -> LetterMeasures:
    """Measure letters that are registered to their model."""
    maps = _turns_only(fit.maps, frame) if _is_straight(frame) else fit.maps
    area = np.abs(np.linalg.det(maps))
    size = np.sqrt(np.where(area > 1e-6, area, 1.0))
    turn, stretch = _split_turn(maps / size[:, None, None])
    high = np.where(np.abs(stretch[:, 1, 1]) > 1e-3, stretch[:, 1, 1], 1e-3)
    shear = -stretch[:, 0, 1] / high
    aspect = np.log(np.abs(stretch[:, 0, 0] / high) + 1e-9)
    form = (fit.form.real**2 + fit.form.imag**2).mean(axis=0) / size**2
    style = np.column_stack([shear, aspect])
    return LetterMeasures(
        np.sqrt(form + _excess(style, frame)),
        corrected_turns(turn, style, form, map_covariance(frame)),
        shear,
        np.exp(aspect),
        _tremor(fit.tremor) / size,
    )


def _is_straight(frame: ModelFrame) -> bool:
    """Return whether a model is nearly a straight line, which has a direction, but no slant."""
    widths = np.linalg.svd(np.stack([frame.points.real, frame.points.imag]), compute_uv=False)
    return bool(widths[1] < 0.05 * widths[0])


def _turns_only(maps: Floats, frame: ModelFrame) -> Floats:
    """Return the rotation and scale that maps give to a straight model, as maps."""
    line = np.sqrt((frame.points**2).mean())
    image = maps @ [line.real, line.imag]
    change = (image[:, 0] + 1j * image[:, 1]) / line
    return np.array([[change.real, -change.imag], [change.imag, change.real]]).transpose(2, 0, 1)


def _split_turn(maps: Floats) -> tuple[Floats, Floats]:
    """Split maps into a rotation and an upper triangular matrix of slant and stretch."""
    turn = np.arctan2(maps[:, 1, 0], maps[:, 0, 0])
    c, s = np.cos(turn), np.sin(turn)
    back = np.array([[c, s], [-s, c]]).transpose(2, 0, 1)
    return turn, back @ maps


def _excess(style: Floats, frame: ModelFrame) -> Floats:
    """Return the mean squared displacement by slant and stretch beyond the limits of style."""
    beyond = np.maximum(0.0, np.abs(style) - STYLE_LIMITS)
    down = (frame.points.imag**2).mean()
    excess: Floats = down * beyond[:, 0] ** 2 + (beyond[:, 1] / 2) ** 2
    return excess


def _tremor(across: Floats) -> Floats:
    kept = int(STEADY_SHARE * len(across))
    steadiest = np.partition(across**2, kept, axis=0)[:kept]
    tremor: Floats = TREMOR_GAIN * np.sqrt(steadiest.mean(axis=0))
    return tremor


AT_ONCE = 128
"""Letters that are registered together: about as many as fit into the cache of a core."""

IN_MEMORY = 4096
"""Letters that are measured together, which bounds the memory."""

TOUCH_LENGTH = 0.02
"""A surplus stroke shorter than this fraction of the letter is an accidental touch."""

ROUNDING = 1e-6
"""Smaller measures are rounding errors, and count as zero."""

PIXEL_NOISE = 0.115
"""The squared tremor that rounding to whole pixels adds, in pixels; measured."""

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

    A letter with as many strokes as the model is compared stroke by stroke, any other as one line,
    as if the pen had stayed on the paper. Surplus strokes that are accidental touches are ignored.
    Without ``mirror``, no letter is read as a mirror image.
    """
    parts = [
        (start + traced.where, traced.read())
        for start in range(0, len(inks), IN_MEMORY)
        for traced in trace_along(inks[start : start + IN_MEMORY], model, {}, mirror=mirror)
    ]
    return in_order(parts)


def in_order(parts: Sequence[tuple[Ints, Reading]]) -> Reading:
    """Return the measurements of all letters, given those of some at a time with their indices."""
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
        """Return about how far each letter is from the model, in RMS radii: without gliding.

        About a twentieth of the cost of :meth:`read`.
        """
        affine = multiply(self.frame.basis[:, :3], multiply(self.frame.free[:3], self.points))
        rest = self.points - affine
        rough: Floats = np.sqrt((rest.real**2 + rest.imag**2).mean(axis=0))
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
            measure(register(self.points[:, start : start + AT_ONCE], self.frame), self.frame)
            for start in range(0, self.points.shape[1], AT_ONCE)
        ]
        form, turn, shear, aspect, tremor = (
            np.concatenate([getattr(piece, name) for piece in pieces])
            for name in LetterMeasures.__dataclass_fields__
        )
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


def trace_along(
    inks: Sequence[Ink], model: Ink, known: dict[bytes, Points], *, mirror: bool = True
) -> list[Traced]:
    """Return letters as points along a model: those with as many strokes, and the others.

    ``known`` keeps the points of the letters between calls with the same letters: models whose
    strokes have the same numbers of points share them.
    """
    inks = [_without_touches(ink, len(model.strokes)) for ink in inks]
    alike = np.array([len(ink.strokes) == len(model.strokes) for ink in inks])
    return [
        _traced(inks, np.flatnonzero(some), model, known, joined=joined, mirror=mirror)
        for joined, some in ((False, alike), (True, ~alike))
        if some.any()
    ]


def _traced(
    inks: Sequence[Ink],
    where: Ints,
    model: Ink,
    known: dict[bytes, Points],
    *,
    joined: bool,
    mirror: bool,
) -> Traced:
    frame = frame_of(model, joined=joined)
    own = [inks[i] for i in where.tolist()]
    lines = [stroke_lines(ink) for ink in own]
    if joined:
        lines, usual = arranged_lines(lines, frame), None
    else:
        key = frame.counts.tobytes()
        if key not in known:
            known[key] = trace_letters(lines, frame.counts)
        usual = known[key]
    every, best, traces = best_orders(lines, frame, mirror=mirror, points=usual)
    points, radius = standardise(traces)
    return Traced(
        where,
        frame,
        points,
        PIXEL_NOISE * (_has_whole_pixels(own) / radius) ** 2,
        order_flags(best, every, "mirrored"),
        order_flags(best, every, "reversed"),
    )


def _without_touches(ink: Ink, expected: int) -> Ink:
    """Return a letter without surplus strokes that are too short to be lines."""
    extra = len(ink.strokes) - expected
    if extra <= 0:
        return ink
    lengths = [Ink((stroke,)).length for stroke in ink]
    shortest = np.argsort(lengths)[:extra].tolist()
    touches = {at for at in shortest if lengths[at] < TOUCH_LENGTH * ink.length}
    return replace(ink, strokes=tuple(stroke for at, stroke in enumerate(ink) if at not in touches))


def _without_rounding(values: Floats) -> Floats:
    return np.where(np.abs(values) < ROUNDING, 0.0, values)


def _has_whole_pixels(inks: Sequence[Ink]) -> Floats:
    """Return 1 for each letter whose points are all whole numbers, as from a screen, else 0."""
    points = np.concatenate([stroke.points for ink in inks for stroke in ink])
    sizes = np.array([sum(len(stroke) for stroke in ink) for ink in inks])
    whole = (points == np.rint(points)).all(axis=1)
    return np.logical_and.reduceat(whole, np.cumsum(sizes) - sizes).astype(np.float64)
