"""Was a letter written backwards, in mirror writing, or with its strokes in another order?

How well the turn of a letter can be told from its slant and its width.

A narrow letter such as "1" shows where its downstroke points, but hardly what of that is turn and
what is slant; in a round one such as "0" a shift along the line looks like a turn. How much so
follows from the model alone: from how alike the model's affine maps and its other changes look.

What is measured on letters that lie on their model: form, turn, slant and tremor.

Letters laid onto their model, each in the way in which it was written, and measured.
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
"""How far a letter may be turned before that alone speaks against a way to read it."""

CLEARLY_BETTER = 0.45
"""A letter is read in an unusual way if that leaves less than this share of the difference."""


SUSPICIOUS = 0.06
"""Letters of one stroke that differ less are read in the usual way without ado; of two, half of
it, as one of them may be short."""


@dataclass(frozen=True)
class StrokeOrder:
    """One way to read a letter: its strokes in which order, which of them backwards, mirrored."""

    order: tuple[int, ...]
    backwards: tuple[bool, ...]
    mirrored: bool

    @property
    def reversed(self) -> bool:
        """Whether any stroke was written from its end to its start."""
        return any(self.backwards)

    def read(self, strokes: Sequence[Points]) -> list[Points]:
        """Return the strokes in the usual order and direction; a mirror image stays one."""
        return [
            strokes[k][::-1] if back else strokes[k]
            for k, back in zip(self.order, self.backwards, strict=True)
        ]


def stroke_orders(strokes: int) -> list[StrokeOrder]:
    """Return the ways to read a letter of so many strokes: first the usual one, last mirror images.

    Of more than two strokes, only all of them together are read backwards.
    """
    usual = tuple(range(strokes))
    if strokes <= 2:
        written = list(product(permutations(usual), product((False, True), repeat=strokes)))
    else:
        written = [(usual, (False,) * strokes), (usual[::-1], (True,) * strokes)]
    return [StrokeOrder(*way, mirrored) for mirrored in (False, True) for way in written]


def best_orders(
    letters: Sequence[Sequence[Points]], frame: ModelFrame
) -> tuple[list[StrokeOrder], Ints, Points]:
    """Return the ways, which of them suits each letter, and the letters' points read that way.

    An unusual way must suit clearly better than the usual one. Of those that do, a backward one
    is preferred to a mirrored one of about the same likeness: it looks right, after all.
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
    """Return the letters' points in every way to read them, ``(ways, points, letters)``."""
    written = [
        trace_letters([way.read(letter) for letter in letters], frame.counts)
        for way in every
        if not way.mirrored
    ]
    return np.stack([*written, *(-points.conj() for points in written)])


def _clearly_best(rest: Floats, every: Sequence[StrokeOrder]) -> Ints:
    """Return the best way for each letter, given what each way leaves of the difference."""
    price = np.array([0.0] + [0.02 * (1 + way.mirrored) for way in every[1:]])
    best = (rest + price[:, None]).argmin(axis=0)
    least = np.take_along_axis(rest, best[None], axis=0)[0]
    return np.where(least < CLEARLY_BETTER * rest[0], best, 0)


def _difference(points: Points, frame: ModelFrame) -> Floats:
    """Return how much of each letter is no turned and scaled model, from 0 to 1."""
    found, _ = standardise(points)
    inner = (frame.points.conj()[:, None] * found).mean(axis=0)
    turned = np.maximum(0.0, np.abs(np.angle(inner)) - TURN_TOLERANCE)
    alike = np.abs(inner) * np.cos(turned)
    rest: Floats = 1.0 - np.maximum(0.0, alike) ** 2
    return rest


def order_flags(best: Ints, every: Sequence[StrokeOrder], name: str) -> npt.NDArray[np.bool_]:
    """Return for each letter whether its way is mirrored, or reversed."""
    return np.array([getattr(way, name) for way in every])[best]


RESIDUAL_VARIANCE = 0.1
"""The variance of what is neither map nor wave nor glide, where the waves' is one."""

GLIDE_SPREAD = 0.2
"""How far points may glide along the line, as a share of its length."""

ERROR_FACTOR = 5.0
"""How much greater errors are than this linear reckoning says; measured on simulated letters."""

LARGEST_CORRECTION = np.radians(45.0)
"""A turn is corrected by this much at most: where nothing fits, slants are beyond all bounds."""

STYLE_VARIANCES = np.diag([0.12, 0.1]) ** 2
"""How much hands differ in shear and in the logarithm of the aspect: the variances."""


@lru_cache(maxsize=128)
def map_covariance(frame: ModelFrame) -> Floats:
    """Return the covariance of the errors in turn, shear and log aspect, for waves of size one.

    It is what remains in doubt of the map after least squares, with the waves' and the glides'
    own sizes as what is known before.
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
    # The map's entries come as (1, x, y) to x and (1, x, y) to y.
    to_turn, to_shear, to_aspect = np.zeros((3, 6))
    to_turn[4], to_shear[[2, 4]], to_aspect[[1, 5]] = 1.0, -1.0, (1.0, -1.0)
    reading = np.stack([to_turn, to_shear, to_aspect])
    covariance: Floats = ERROR_FACTOR * reading @ left @ reading.T
    return covariance


def corrected_turns(turn: Floats, style: Floats, form: Floats, covariance: Floats) -> Floats:
    """Return the best guess of each turn, given what hands usually do.

    ``style`` is shear and log aspect as measured, ``(letters, 2)``, and ``form`` the mean square of
    what is wrong with the form: where nothing is, nothing is corrected.
    """
    errors = form[:, None, None] * covariance
    surprise = np.linalg.solve(errors[:, 1:, 1:] + STYLE_VARIANCES, style[:, :, None])
    wrong = np.clip(
        (errors[:, :1, 1:] @ surprise)[:, 0, 0], -LARGEST_CORRECTION, LARGEST_CORRECTION
    )
    better: Floats = (turn - wrong + np.pi) % (2 * np.pi) - np.pi
    return np.where(wrong == 0, turn, better)


STEADY_SHARE = 0.65
"""The steadiest share of the line, on which tremor is measured: that leaves out corners."""

TREMOR_GAIN = 3.4
"""From that to the RMS of the whole tremor, along the line too; measured on simulated letters."""

STYLE_LIMITS = (0.5, 0.5)
"""Shear, and logarithm of the aspect, up to which they are style; beyond, they are distortion."""


@dataclass(frozen=True, eq=False)
class LetterMeasures:
    """A number for each letter: lengths in RMS radii of the letter, angles in radians."""

    form: Floats
    turn: Floats
    shear: Floats
    aspect: Floats
    tremor: Floats


def measure(fit: Registration, frame: ModelFrame) -> LetterMeasures:
    """Measure letters that lie on their model."""
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
    """Tell whether a model is a straight line, or nearly so: it has a direction, but no slant."""
    widths = np.linalg.svd(np.stack([frame.points.real, frame.points.imag]), compute_uv=False)
    return bool(widths[1] < 0.05 * widths[0])


def _turns_only(maps: Floats, frame: ModelFrame) -> Floats:
    """Return the turn and the size that maps give to the line on which the model lies."""
    line = np.sqrt((frame.points**2).mean())
    image = maps @ [line.real, line.imag]
    change = (image[:, 0] + 1j * image[:, 1]) / line
    return np.array([[change.real, -change.imag], [change.imag, change.real]]).transpose(2, 0, 1)


def _split_turn(maps: Floats) -> tuple[Floats, Floats]:
    """Split maps into a turn of the writing line and an upper triangle of slant and stretch."""
    turn = np.arctan2(maps[:, 1, 0], maps[:, 0, 0])
    c, s = np.cos(turn), np.sin(turn)
    back = np.array([[c, s], [-s, c]]).transpose(2, 0, 1)
    return turn, back @ maps


def _excess(style: Floats, frame: ModelFrame) -> Floats:
    """Return the mean squared displacement by slant and stretch beyond what is tolerated."""
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
"""Letters that are registered together: about what stays in a core's cache."""

IN_MEMORY = 4096
"""Letters that are read together: however many there are, no more memory is filled."""

TOUCH_LENGTH = 0.02
"""A stroke too many that is shorter than this share of its letter is no more than a touch."""

ROUNDING = 1e-6
"""A measure below this is rounding, and counts as none."""

PIXEL_NOISE = 0.115
"""What rounding to whole numbers adds to the square of the tremor, in pixels; measured."""

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Reading:
    """What was measured on letters: a number, or yes or no, for each.

    Parameters
    ----------
    form
        How far the line is from the model's, and
    tremor
        how far it trembles, both in RMS radii of the letter.
    turn
        The letter's turn in radians, positive to the right.
    shear, aspect
        The letter's slant, and its breadth for its height as a factor to the model's.
    mirrored, backwards
        Whether it was written in mirror writing, and from its end to its start.
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
    """Measure letters against a model.

    A letter with as many strokes as the model is compared stroke by stroke; any other as one line,
    as if the pen had stayed on the paper. Where it has more, mere touches of the pen do not count.
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
    """Return a letter without its shortest strokes, if they are too many and hardly lines."""
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
    side = np.where(mirrored, -1.0, 1.0)  # a mirrored letter that leans to the right
    noise = PIXEL_NOISE * (_has_whole_pixels(inks) / radius) ** 2  # no square of a tiny radius
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
    """Return 1 for each letter whose points are all whole numbers, as from a screen; else 0."""
    points = np.concatenate([stroke.points for ink in inks for stroke in ink])
    sizes = np.array([sum(len(stroke) for stroke in ink) for ink in inks])
    whole = (points == np.rint(points)).all(axis=1)
    return np.logical_and.reduceat(whole, np.cumsum(sizes) - sizes).astype(np.float64)
