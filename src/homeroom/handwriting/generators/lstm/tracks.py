"""Letters as a pen's steps at a steady beat: what the network learns from, and what it writes.

A track is a row of steps. The first step puts the pen down at the origin. Every further step
either moves the pen (``offsets``) or lifts it without moving it (``lifted``); the move after a lift
goes through the air to where the next stroke begins. The letter ends with its last step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.handwriting.ink import Ink, Stroke

Floats32: TypeAlias = npt.NDArray[np.float32]
Bools: TypeAlias = npt.NDArray[np.bool_]

RATE = 40.0
"""Steps in a second. A tremor swings at most 12 times in a second: three steps or more each."""

UNTIMED_S = 1.5
"""How long a letter without times is taken to last: about what a child needs."""

GAP_S = 0.2
"""How long the pen is in the air between two strokes of a written letter."""

INK_RATE = 60.0
"""Points of ink in a second, as in the corpus: a spline runs through the steps."""

TOLD = 7
"""How many numbers say how a letter is written: one for each knob."""

MOST_STEPS = 400
"""The most steps that a letter to learn from may have: ten seconds."""


@dataclass(frozen=True, eq=False)
class Tracks:
    """Many letters as tracks, shorter ones filled up with zeros.

    Parameters
    ----------
    offsets
        How far each step moves the pen, shape ``(letters, steps, 2)``.
    lifted
        Whether the step lifts the pen instead, shape ``(letters, steps)``.
    lengths
        How many steps each letter has, shape ``(letters,)``.
    which
        Which letter each is, as an index into ``names``, shape ``(letters,)``.
    told
        How each is written, as the network is told, shape ``(letters, 7)``.
    names
        The letters that there are.
    rate
        Steps in a second.
    """

    offsets: Floats32
    lifted: Bools
    lengths: Ints
    which: Ints
    told: Floats32
    names: tuple[str, ...]
    rate: float = RATE

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def inside(self) -> Bools:
        """Which steps are the letters' own, and not filled up, shape ``(letters, steps)``."""
        inside: Bools = np.arange(self.lifted.shape[1]) < self.lengths[:, None]
        return inside

    @property
    def drawn(self) -> Bools:
        """Which steps draw a line: neither the first, nor a lift, nor the move after one."""
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
            self.told[rows],
            self.names,
            self.rate,
        )


class Track(NamedTuple):
    """One letter: its offsets, shape ``(steps, 2)``, and its lifts, shape ``(steps,)``."""

    offsets: Floats
    lifted: Bools


def tracks(
    inks: Iterable[Ink], names: Sequence[str], told: Floats32 | None = None, rate: float = RATE
) -> Tracks:
    """Return letters as tracks; without ``told`` they count as written as is usual.

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
                f"Each ink must say which letter it is, one of {' '.join(names)}, "
                f"but number {number} says {ink.letter!r}."
            )
        rows.append(track(ink, rate))
        which.append(place[ink.letter])
    if not rows:
        raise InputError("There must be at least one letter to learn from, but there is none.")
    if told is None:
        told = np.zeros((len(rows), TOLD), dtype=np.float32)
    return padded(rows, np.array(which, dtype=np.int64), told, tuple(names), rate)


def padded(
    rows: Sequence[Track], which: Ints, told: Floats32, names: tuple[str, ...], rate: float
) -> Tracks:
    """Return single tracks side by side, shorter ones filled up with zeros."""
    lengths = np.array([len(row.lifted) for row in rows], dtype=np.int64)
    offsets = np.zeros((len(rows), lengths.max(), 2), dtype=np.float32)
    lifted = np.zeros((len(rows), lengths.max()), dtype=np.bool_)
    for number, row in enumerate(rows):
        offsets[number, : lengths[number]] = row.offsets
        lifted[number, : lengths[number]] = row.lifted
    return Tracks(offsets, lifted, lengths, which, told, names, rate)


def joined(parts: Sequence[Tracks]) -> Tracks:
    """Return the letters of several tracks as one."""
    longest = max(part.lifted.shape[1] for part in parts)
    fill = [((0, 0), (0, longest - part.lifted.shape[1])) for part in parts]
    return Tracks(
        np.concatenate(
            [np.pad(part.offsets, (*gap, (0, 0))) for part, gap in zip(parts, fill, strict=True)]
        ),
        np.concatenate([np.pad(part.lifted, gap) for part, gap in zip(parts, fill, strict=True)]),
        np.concatenate([part.lengths for part in parts]),
        np.concatenate([part.which for part in parts]),
        np.concatenate([part.told for part in parts]),
        parts[0].names,
        parts[0].rate,
    )


def track(ink: Ink, rate: float = RATE) -> Track:
    """Return one letter as a track: its line at a steady beat, both ends of each stroke kept."""
    pieces = [_beaten(stroke, times, rate) for stroke, times in zip(ink, _times(ink), strict=True)]
    places = [pieces[0]]
    lifted = [np.zeros(len(pieces[0]), dtype=np.bool_)]
    for before, piece in pairwise(pieces):
        places += [before[-1:], piece]  # a lift stays where the stroke before it ended
        lifted += [np.ones(1, dtype=np.bool_), np.zeros(len(piece), dtype=np.bool_)]
    where = np.concatenate(places)
    if len(where) > MOST_STEPS:
        raise InputError(
            f"A letter to learn from must last at most {MOST_STEPS / rate:g} s, but one takes "
            f"{len(where) / rate:.1f} s. Are its times in seconds, and is it one letter only?"
        )
    return Track(np.diff(where, axis=0, prepend=where[:1]), np.concatenate(lifted))


def _times(ink: Ink) -> list[Floats]:
    """Return the times of each stroke; a pen without a clock is taken to move evenly."""
    if ink.timed:
        return [stroke.times for stroke in ink if stroke.times is not None]
    ways = [_way(stroke.points) for stroke in ink]
    whole = sum(way[-1] for way in ways) or 1.0
    return [UNTIMED_S * way / whole for way in ways]


def _way(points: Floats) -> Floats:
    steps = np.diff(points, axis=0, prepend=points[:1])
    return np.cumsum(np.hypot(steps[:, 0], steps[:, 1]))


def _beaten(stroke: Stroke, times: Floats, rate: float) -> Floats:
    """Return where the pen was at each beat, the beat stretched so that it ends on the end."""
    beats = int(min(np.rint((times[-1] - times[0]) * rate), MOST_STEPS + 1))
    if beats == 0:  # a dot, or nearly
        return stroke.points[:1]
    if len(times) <= MOST_STEPS and np.ptp(np.diff(times)) < 1e-6:
        return _spline(len(times), beats + 1) @ stroke.points
    at = np.linspace(times[0], times[-1], beats + 1)
    x, y = stroke.points.T
    return np.stack([np.interp(at, times, x), np.interp(at, times, y)], axis=1)


def ink_of(places: Floats32, lifted: Bools, letter: str, rate: float = RATE) -> Ink:
    """Return the ink of one track: ``places`` are where the pen was after each step.

    A cubic spline runs through the steps of each stroke, with sixty points a second.

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
    """Return the matrix from so many even places to so many even points of a spline through them.

    A spline is linear in what it runs through, so a stroke costs one small product.
    """
    if places == 1 or points == 1:
        return np.eye(points, places)
    knots, each = np.arange(places), np.eye(places)
    spline = CubicSpline(knots, each, bc_type="natural" if places < 4 else "not-a-knot")
    through: Floats = spline(np.linspace(0.0, places - 1.0, points))
    return through
