"""Letters as steps of a pen at a fixed rate: the training data and the output of the network.

A track is a sequence of steps. The first step puts the pen down at the origin. Every further step
either moves the pen (``offsets``) or lifts it without moving it (``lifted``); the move after a lift
goes through the air to the start of the next stroke. The letter ends with its last step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy  # its parts are imported when they are first used

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.resample import interpolate, line_lengths

Floats32: TypeAlias = npt.NDArray[np.float32]
Bools: TypeAlias = npt.NDArray[np.bool_]

RATE = 40.0
"""Steps per second: at least three per period of a tremor of at most 12 Hz."""

UNTIMED_S = 1.5
"""The assumed duration of a letter without times: about that of a child."""

GAP_S = 0.2
"""The time in the air between two strokes of a generated letter."""

INK_RATE = 60.0
"""Points of ink per second, as in the corpus, on a spline through the steps."""

CONDITIONS = 7
"""The number of conditions of a letter: one per knob."""

MOST_STEPS = 400
"""The largest number of steps of a training letter: ten seconds."""


@dataclass(frozen=True, eq=False)
class Tracks:
    """Many letters as tracks, padded with zeros.

    Parameters
    ----------
    offsets
        The movement of the pen in each step, shape ``(letters, steps, 2)``.
    lifted
        Whether the step lifts the pen instead, shape ``(letters, steps)``.
    lengths
        The number of steps of each letter, shape ``(letters,)``.
    which
        Each letter as an index into ``names``, shape ``(letters,)``.
    conditions
        How each letter is written, as input of the network, shape ``(letters, 7)``.
    names
        The names of the letters.
    rate
        Steps per second.
    """

    offsets: Floats32
    lifted: Bools
    lengths: Ints
    which: Ints
    conditions: Floats32
    names: tuple[str, ...]
    rate: float = RATE

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def inside(self) -> Bools:
        """Which steps belong to the letters and are not padding, shape ``(letters, steps)``."""
        inside: Bools = np.arange(self.lifted.shape[1]) < self.lengths[:, None]
        return inside

    @property
    def drawn(self) -> Bools:
        """Which steps draw a line: neither the first, nor a lift, nor the move after a lift."""
        after = np.zeros_like(self.lifted)
        after[:, 1:] = self.lifted[:, :-1]
        drawn = self.inside & ~self.lifted & ~after
        drawn[:, :1] = False
        return drawn

    def __getitem__(self, rows: slice | Ints | Bools) -> Tracks:
        return Tracks(
            self.offsets[rows],
            self.lifted[rows],
            self.lengths[rows],
            self.which[rows],
            self.conditions[rows],
            self.names,
            self.rate,
        )


class Track(NamedTuple):
    """One letter: its offsets, shape ``(steps, 2)``, and its lifts, shape ``(steps,)``."""

    offsets: Floats
    lifted: Bools


def tracks(
    inks: Iterable[Ink],
    names: Sequence[str],
    conditions: Floats32 | None = None,
    rate: float = RATE,
) -> Tracks:
    """Return letters as tracks, with average conditions by default.

    >>> from homeroom.handwriting import Ink, Stroke
    >>> ink = Ink((Stroke([[0, 0], [3, 4]], times=[0.0, 0.05]),), letter="l")
    >>> tracks([ink], ("l",)).offsets.tolist()
    [[[0.0, 0.0], [1.5, 2.0], [1.5, 2.0]]]
    """
    place = {name: index for index, name in enumerate(names)}
    rows, which = [], []
    for number, ink in enumerate(inks):
        if ink.letter not in place:
            raise InputError(
                f"Each ink must have a letter, one of {' '.join(names)}, "
                f"but number {number} has {ink.letter!r}."
            )
        rows.append(track(ink, rate))
        which.append(place[ink.letter])
    if not rows:
        raise InputError("There must be at least one letter to learn from, but there is none.")
    if conditions is None:
        conditions = np.zeros((len(rows), CONDITIONS), dtype=np.float32)
    return padded(rows, np.array(which, dtype=np.int64), conditions, tuple(names), rate)


def padded(
    rows: Sequence[Track], which: Ints, conditions: Floats32, names: tuple[str, ...], rate: float
) -> Tracks:
    """Return single tracks as one object, padded with zeros."""
    lengths = np.array([len(row.lifted) for row in rows], dtype=np.int64)
    offsets = np.zeros((len(rows), lengths.max(), 2), dtype=np.float32)
    lifted = np.zeros((len(rows), lengths.max()), dtype=np.bool_)
    for number, row in enumerate(rows):
        offsets[number, : lengths[number]] = row.offsets
        lifted[number, : lengths[number]] = row.lifted
    return Tracks(offsets, lifted, lengths, which, conditions, names, rate)


def joined(parts: Sequence[Tracks]) -> Tracks:
    """Return the letters of several ``Tracks`` as one object; all have the same names and rate."""
    longest = max(part.lifted.shape[1] for part in parts)
    fill = [((0, 0), (0, longest - part.lifted.shape[1])) for part in parts]
    return Tracks(
        np.concatenate(
            [np.pad(part.offsets, (*gap, (0, 0))) for part, gap in zip(parts, fill, strict=True)]
        ),
        np.concatenate([np.pad(part.lifted, gap) for part, gap in zip(parts, fill, strict=True)]),
        np.concatenate([part.lengths for part in parts]),
        np.concatenate([part.which for part in parts]),
        np.concatenate([part.conditions for part in parts]),
        parts[0].names,
        parts[0].rate,
    )


def track(ink: Ink, rate: float = RATE) -> Track:
    """Return one letter as a track at a fixed rate; the ends of each stroke are kept."""
    pieces = [
        _at_even_times(stroke, times, rate) for stroke, times in zip(ink, _times(ink), strict=True)
    ]
    places = [pieces[0]]
    lifted = [np.zeros(len(pieces[0]), dtype=np.bool_)]
    for before, piece in pairwise(pieces):
        places += [before[-1:], piece]  # a lift stays at the end of the previous stroke
        lifted += [np.ones(1, dtype=np.bool_), np.zeros(len(piece), dtype=np.bool_)]
    where = np.concatenate(places)
    if len(where) > MOST_STEPS:
        raise InputError(
            f"A letter to learn from must last at most {MOST_STEPS / rate:g} s, but one takes "
            f"{len(where) / rate:.1f} s. Are its times in seconds, and is it a single letter?"
        )
    return Track(np.diff(where, axis=0, prepend=where[:1]), np.concatenate(lifted))


def _times(ink: Ink) -> list[Floats]:
    """Return the times of each stroke; without times the pen moves at constant speed."""
    if ink.timed:
        return [stroke.times for stroke in ink if stroke.times is not None]
    lengths = [line_lengths(stroke.points) for stroke in ink]
    total = sum(own[-1] for own in lengths) or 1.0
    return [UNTIMED_S * own / total for own in lengths]


def _at_even_times(stroke: Stroke, times: Floats, rate: float) -> Floats:
    """Return the positions at even times; the step is adjusted to end with the stroke."""
    steps = int(min(np.rint((times[-1] - times[0]) * rate), MOST_STEPS + 1))
    if steps == 0:  # a dot, or almost one
        return stroke.points[:1]
    if len(times) <= MOST_STEPS and np.ptp(np.diff(times)) < 1e-6:
        return _spline(len(times), steps + 1) @ stroke.points
    at = np.linspace(times[0], times[-1], steps + 1)
    return interpolate(at, times, stroke.points)


def ink_of(places: Floats32, lifted: Bools, letter: str, rate: float = RATE) -> Ink:
    """Return the ink of one track; ``places`` are the positions of the pen after each step.

    The points lie on a cubic spline through the steps of each stroke, sixty per second.

    >>> ink_of(np.float32([[0, 0], [1, 0], [2, 0]]), np.zeros(3, dtype=bool), "l", rate=2.0)
    Ink('l', 1 stroke, 61 points, 1 s)
    """
    strokes, begin, clock = [], 0, 0.0
    for end in [*np.flatnonzero(lifted), len(places)]:
        seconds = (int(end) - begin - 1) / rate
        points = _spline(int(end) - begin, 1 + round(seconds * INK_RATE)) @ places[begin:end]
        times = clock + np.linspace(0.0, seconds, len(points))
        strokes.append(Stroke(points, times))
        begin, clock = int(end) + 1, times[-1] + GAP_S
    return Ink(tuple(strokes), letter=letter)


@lru_cache(maxsize=4 * MOST_STEPS)
def _spline(places: int, points: int) -> Floats:
    """Return the matrix from even places to even points of a spline through them.

    A spline is linear in its knots, so a stroke costs one small product.
    """
    if places == 1 or points == 1:
        return np.eye(points, places)
    knots, each = np.arange(places), np.eye(places)
    ends: Literal["natural", "not-a-knot"] = "natural" if places < 4 else "not-a-knot"
    spline = scipy.interpolate.CubicSpline(knots, each, bc_type=ends)
    through: Floats = spline(np.linspace(0.0, places - 1.0, points))
    return through
