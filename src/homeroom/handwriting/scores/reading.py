"""Letters laid onto their model, each in the way in which it was written, and measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.scores import scales
from homeroom.handwriting.scores.frame import frame_of
from homeroom.handwriting.scores.likeness import best_ways, told
from homeroom.handwriting.scores.measures import Measures, measure
from homeroom.handwriting.scores.registration import register
from homeroom.handwriting.scores.tracing import lines, standard

AT_ONCE = 128
"""Letters that are registered together: about what stays in a core's cache."""

IN_MEMORY = 4096
"""Letters that are read together: however many there are, no more memory is filled."""

TOUCH = 0.02
"""A stroke too many that is shorter than this share of its letter is no more than a touch."""

NOTHING = 1e-6
"""A measure below this is rounding, and counts as none."""

PIXEL = 0.115
"""What rounding to whole numbers adds to the square of the tremor, in pixels; measured."""

Flags = npt.NDArray[np.bool_]


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
    mirrored: Flags
    backwards: Flags

    @cached_property
    def table(self) -> Floats:
        """The scores: distortion, rotation and shakiness of each letter, ``(letters, 3)``."""
        return np.column_stack(
            [
                scales.defect(self.form, scales.DISTORTION),
                scales.leaning(np.degrees(self.turn)),
                scales.defect(self.tremor, scales.SHAKINESS),
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
    touches = {at for at in shortest if lengths[at] < TOUCH * ink.length}
    return replace(ink, strokes=tuple(stroke for at, stroke in enumerate(ink) if at not in touches))


def _read(inks: Sequence[Ink], model: Ink, *, joined: bool) -> Reading:
    frame = frame_of(model, joined=joined)
    every, best, traces = best_ways([lines(ink, joined=joined) for ink in inks], frame)
    points, radius = standard(traces)
    pieces = [
        measure(register(points[:, start : start + AT_ONCE], frame), frame)
        for start in range(0, len(inks), AT_ONCE)
    ]
    form, turn, shear, aspect, tremor = (
        np.concatenate([getattr(piece, name) for piece in pieces])
        for name in Measures.__dataclass_fields__
    )
    mirrored = told(best, every, "mirrored")
    side = np.where(mirrored, -1.0, 1.0)  # a mirrored letter that leans to the right
    noise = PIXEL * (_coarse(inks) / radius) ** 2  # no square of a tiny radius
    return Reading(
        _some(form),
        _some(np.sqrt(np.maximum(0.0, tremor**2 - noise))),
        side * _some(turn),
        side * _some(shear),
        aspect,
        mirrored,
        told(best, every, "reversed"),
    )


def _some(values: Floats) -> Floats:
    return np.where(np.abs(values) < NOTHING, 0.0, values)


def _coarse(inks: Sequence[Ink]) -> Floats:
    """Return 1 for each letter whose points are all whole numbers, as from a screen; else 0."""
    points = np.concatenate([stroke.points for ink in inks for stroke in ink])
    sizes = np.array([sum(len(stroke) for stroke in ink) for ink in inks])
    whole = (points == np.rint(points)).all(axis=1)
    return np.logical_and.reduceat(whole, np.cumsum(sizes) - sizes).astype(np.float64)
