"""Ink: the strokes of a pen, as points with times and pressures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._checks import counted
from homeroom.handwriting import ink_checks


@dataclass(frozen=True, eq=False, init=False)
class Stroke:
    """The path of the pen between touching the paper and leaving it.

    Parameters
    ----------
    points
        The positions of the pen, shape ``(points, 2)``, in any unit: x grows to the right and y
        grows *downwards*, as on a screen and in most files.
    times
        The times in seconds, never decreasing, shape ``(points,)``; ``None`` if unknown.
    pressures
        The pressures from 0 to 1, shape ``(points,)``; ``None`` if unknown.
    """

    points: Floats
    times: Floats | None
    pressures: Floats | None

    def __init__(
        self,
        points: npt.ArrayLike,
        times: npt.ArrayLike | None = None,
        pressures: npt.ArrayLike | None = None,
    ) -> None:
        where = ink_checks.points(points)
        when = None if times is None else _arrays.frozen(ink_checks.times(times, len(where)))
        checked = (
            None
            if pressures is None
            else _arrays.frozen(ink_checks.pressures(pressures, len(where)))
        )
        object.__setattr__(self, "points", _arrays.frozen(where))
        object.__setattr__(self, "times", when)
        object.__setattr__(self, "pressures", checked)

    def __len__(self) -> int:
        return len(self.points)


@dataclass(frozen=True, eq=False)
class Ink:
    """One letter (or word) as it was written.

    Parameters
    ----------
    strokes
        At least one :class:`Stroke`, in the order of writing.
    letter
        The letter, if known.
    writer
        The writer, if known.

    Examples
    --------
    >>> ink = Ink((Stroke([[0, 0], [3, 4]], times=[0.0, 0.5]),), letter="l")
    >>> ink
    Ink('l', 1 stroke, 2 points, 0.5 s)
    >>> ink.length
    5.0
    """

    strokes: tuple[Stroke, ...]
    letter: str | None = None
    writer: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "strokes", ink_checks.strokes(self.strokes, Stroke))
        object.__setattr__(self, "letter", ink_checks.word(self.letter, "letter"))
        object.__setattr__(self, "writer", ink_checks.word(self.writer, "writer"))

    def __repr__(self) -> str:
        what = [] if self.letter is None else [repr(self.letter)]
        what += [counted(len(self.strokes), "stroke"), counted(len(self.points), "point")]
        what += [] if self.duration is None else [f"{self.duration:.3g} s"]
        return f"Ink({', '.join(what)})"

    def __iter__(self) -> Iterator[Stroke]:
        return iter(self.strokes)

    @property
    def points(self) -> Floats:
        """The points of all strokes, shape ``(points, 2)``."""
        return np.concatenate([stroke.points for stroke in self.strokes])

    @property
    def timed(self) -> bool:
        """Whether every point has a time."""
        return all(stroke.times is not None for stroke in self.strokes)

    @property
    def duration(self) -> float | None:
        """The seconds from the first point to the last; None without times."""
        first, last = self.strokes[0].times, self.strokes[-1].times
        return None if first is None or last is None else float(last[-1] - first[0])

    @property
    def length(self) -> float:
        """The length of all strokes, in the unit of the points."""
        steps = [np.diff(stroke.points, axis=0) for stroke in self.strokes]
        return float(sum(np.hypot(step[:, 0], step[:, 1]).sum() for step in steps))

    def moved(self, matrix: Floats, shift: Floats) -> Ink:
        """Return the ink with every point p moved to ``p @ matrix.T + shift``."""
        strokes = (
            replace(stroke, points=stroke.points @ matrix.T + shift) for stroke in self.strokes
        )
        return replace(self, strokes=tuple(strokes))
