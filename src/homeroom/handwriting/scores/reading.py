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

    With more than two strokes, only all of them together are read backwards.
    """
    usual = tuple(range(strokes))
    if strokes <= 2:
        written = list(product(permutations(usual), product((False, True), repeat=strokes)))
    else:
        written = [(usual, (False,) * strokes), (usual[::-1], (True,) * strokes)]
    return [StrokeOrder(*order, mirrored) for mirrored in (False, True) for order in written]


def best_orders(
    letters: Sequence[Sequence[Points]], frame: ModelFrame
) -> tuple[list[StrokeOrder], Ints, Points]:
    """Return all orders, the index of the best order of each letter, and its points in that order.

    An unusual order must be clearly better than the usual one. A backward order is preferred to a
    mirrored one of about the same difference, because the letter then looks right.
    """
    every = stroke_orders(len(frame.counts))
    points = trace_letters(letters, frame.counts)
    best = np.zeros(len(letters), dtype=np.int64)
    rest = _difference(points, frame)
    odd = np.flatnonzero(rest > SUSPICIOUS / len(frame.counts))
    if len(odd):
        reads = _traces_in_every_order([letters[i] for i in odd.tolist()], every, frame)
        best[odd] = _clearly_best(np.stack([_difference(read, frame) for read in reads]), every)
        points[:, odd] = reads[best[odd], :, np.arange(len(odd))].T
    return every, best, points


def _traces_in_every_order(
    letters: Sequence[Sequence[Points]], every: Sequence[StrokeOrder], frame: ModelFrame
) -> Points:
    """Return the letters' points in every order, ``(orders, points, letters)``."""
    written = [
        trace_letters([order.read(letter) for letter in letters], frame.counts)
        for order in every
        if not order.mirrored
    ]
    return np.stack([*written, *(-points.conj() for points in written)])


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


RESIDUAL_VARIANCE = 0.1
"""The variance of the residual, relative to the variance of the waves."""

GLIDE_SPREAD = 0.2
"""The standard deviation of gliding, as a fraction of the length of the line."""

ERROR_FACTOR = 5.0
"""The ratio of actual errors to this linear estimate; measured on simulated letters."""

LARGEST_CORRECTION = np.radians(45.0)
"""The largest correction of a rotation: if nothing fits, slants are arbitrarily large."""

STYLE_VARIANCES = np.diag([0.12, 0.1]) ** 2
"""The variances of shear and log aspect between writers."""


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
    """Return the best estimate of each rotation, given the usual styles of writers.

    ``style`` is the measured shear and log aspect, ``(letters, 2)``; ``form`` is the mean squared
    error of the form. A perfect form needs no correction.
    """
    errors = form[:, None, None] * covariance
    surprise = np.linalg.solve(errors[:, 1:, 1:] + STYLE_VARIANCES, style[:, :, None])
    wrong = np.clip(
        (errors[:, :1, 1:] @ surprise)[:, 0, 0], -LARGEST_CORRECTION, LARGEST_CORRECTION
    )
    better: Floats = (turn - wrong + np.pi) % (2 * np.pi) - np.pi
    return np.where(wrong == 0, turn, better)


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
        The rotation in radians, positive to the right.
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
                scales.rotation_score(np.degrees(self.turn)),
                scales.defect_score(self.tremor, scales.SHAKINESS),
            ]
        )


def read(inks: Sequence[Ink], model: Ink) -> Reading:
    """Measure letters relative to a model.

    A letter with as many strokes as the model is compared stroke by stroke, any other as one line,
    as if the pen had stayed on the paper. Surplus strokes that are accidental touches are ignored.
    """
    inks = [_without_touches(ink, len(model.strokes)) for ink in inks]
    strokes = np.array([len(ink.strokes) for ink in inks])
    alike = strokes == len(model.strokes)
    blocks = [
        (block, joined)
        for joined, some in ((False, np.flatnonzero(alike)), (True, np.flatnonzero(~alike)))
        for block in np.split(some, np.arange(IN_MEMORY, len(some), IN_MEMORY))
        if len(block)
    ]
    parts = [_read([inks[i] for i in block], model, joined=joined) for block, joined in blocks]
    order = np.argsort(np.concatenate([block for block, _ in blocks]))
    columns = [
        np.concatenate([getattr(part, name) for part in parts])[order]
        for name in Reading.__dataclass_fields__
    ]
    return Reading(*columns)


def _without_touches(ink: Ink, expected: int) -> Ink:
    """Return a letter without surplus strokes that are too short to be lines."""
    extra = len(ink.strokes) - expected
    if extra <= 0:
        return ink
    lengths = [Ink((stroke,)).length for stroke in ink]
    shortest = np.argsort(lengths)[:extra].tolist()
    touches = {at for at in shortest if lengths[at] < TOUCH_LENGTH * ink.length}
    return replace(ink, strokes=tuple(stroke for at, stroke in enumerate(ink) if at not in touches))


def _read(inks: Sequence[Ink], model: Ink, *, joined: bool) -> Reading:
    frame = frame_of(model, joined=joined)
    every, best, traces = best_orders([stroke_lines(ink, joined=joined) for ink in inks], frame)
    points, radius = standardise(traces)
    pieces = [
        measure(register(points[:, start : start + AT_ONCE], frame), frame)
        for start in range(0, len(inks), AT_ONCE)
    ]
    form, turn, shear, aspect, tremor = (
        np.concatenate([getattr(piece, name) for piece in pieces])
        for name in LetterMeasures.__dataclass_fields__
    )
    mirrored = order_flags(best, every, "mirrored")
    side = np.where(mirrored, -1.0, 1.0)  # mirrored letters lean the other way
    noise = PIXEL_NOISE * (_has_whole_pixels(inks) / radius) ** 2
    return Reading(
        _without_rounding(form),
        _without_rounding(np.sqrt(np.maximum(0.0, tremor**2 - noise))),
        side * _without_rounding(turn),
        side * _without_rounding(shear),
        aspect,
        mirrored,
        order_flags(best, every, "reversed"),
    )


def _without_rounding(values: Floats) -> Floats:
    return np.where(np.abs(values) < ROUNDING, 0.0, values)


def _has_whole_pixels(inks: Sequence[Ink]) -> Floats:
    """Return 1 for each letter whose points are all whole numbers, as from a screen, else 0."""
    points = np.concatenate([stroke.points for ink in inks for stroke in ink])
    sizes = np.array([sum(len(stroke) for stroke in ink) for ink in inks])
    whole = (points == np.rint(points)).all(axis=1)
    return np.logical_and.reduceat(whole, np.cumsum(sizes) - sizes).astype(np.float64)
