"""Draw letters as SVG: the path of a stroke, and a sheet of letters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError, counted
from homeroom.handwriting.ink import Ink, Stroke

_CELL = 128.0  # the side of a cell in px
_PAD = 12.0  # around the letter in its cell
_CAPTION = 16.0  # the height of a caption
_MARGIN = 16.0  # around the grid
_WIDEST = 10  # columns by default

_INK = "#1d3557"
_RULE = "#dfe5ec"
_GUIDE = "#b8d0e8"
_WORDS = "#5b6673"


def path_of(stroke: Stroke, *, scale: float = 1.0, shift: Sequence[float] = (0.0, 0.0)) -> str:
    """Return a stroke as the ``d`` of an SVG path: every point at ``scale * point + shift``.

    A dot is a line of length zero, which a round pen draws as a dot.

    >>> path_of(Stroke([[0, 0], [1, 2]]), scale=10)
    'M0 0L10 20'
    """
    points = (scale * stroke.points + np.asarray(shift)).tolist()
    first, *rest = [f"{_short(x)} {_short(y)}" for x, y in points]
    return f"M{first}L{'L'.join(rest or [first])}"


def sheet(
    inks: Sequence[Ink],
    *,
    columns: int | None = None,
    captions: Sequence[str] | None = None,
    title: str | None = None,
    ruled: bool = False,
) -> str:
    """Return a sheet of letters as an SVG document, row by row in a light grid.

    Parameters
    ----------
    inks
        The letters, in reading order.
    columns
        The number of letters per row; by default the sheet is about square.
    captions
        A short text under each letter; by default its letter and writer, if known. An empty list
        gives none.
    title
        A heading.
    ruled
        Draw the baseline and the x-height, and put every letter on them at the same scale. This
        needs letters measured in x-heights from the baseline, such as model letters and generated
        letters. By default, each letter fills its cell.
    """
    if not inks:
        raise InputError("A sheet needs at least one letter, but `inks` is empty.")
    words = [_known(ink) for ink in inks] if captions is None else list(captions)
    if words and len(words) != len(inks):
        raise InputError(
            f"`captions` must have one text per letter, {len(inks)} in all, "
            f"but there are {len(words)}."
        )
    grid = _Grid.of(inks, columns, any(words), title is not None, ruled)
    return "\n".join([*_head(grid, title, len(inks)), *_cells(grid, inks, words), "</svg>\n"])


@dataclass(frozen=True)
class _Grid:
    """The layout of a sheet."""

    columns: int
    rows: int
    cell: tuple[float, float]  # width and height
    top: float  # from the top of the sheet to the first row
    scales: Floats  # px per unit of each letter
    ruled: bool
    above: float  # from the top of a cell to the baseline, if ruled

    @classmethod
    def of(
        cls, inks: Sequence[Ink], columns: int | None, captioned: bool, titled: bool, ruled: bool
    ) -> _Grid:
        """Return the layout for some letters."""
        columns = columns or min(_WIDEST, math.ceil(math.sqrt(len(inks))))
        columns = min(columns, len(inks))
        lows, highs = _boxes(inks)
        if ruled:
            lows[:, 1], highs[:, 1] = min(lows[:, 1].min(), -1.0), max(highs[:, 1].max(), 0.0)
        sizes = highs - lows
        largest = np.full(len(inks), sizes.max()) if ruled else sizes.max(axis=1)
        free = _CELL - 2 * _PAD
        scales = free / np.where(largest > 0, largest, 1.0)
        wide, high = sizes.max(axis=0) * scales[0] if ruled else (free, free)
        return cls(
            columns,
            math.ceil(len(inks) / columns),
            (wide + 2 * _PAD, high + 2 * _PAD + _CAPTION * captioned),
            _MARGIN + 1.5 * _CAPTION * titled,
            scales,
            ruled,
            _PAD - lows[:, 1].min() * scales[0],
        )

    @property
    def size(self) -> tuple[float, float]:
        """The width and the height of the sheet."""
        width, height = self.cell
        return (
            2 * _MARGIN + self.columns * width,
            self.top + self.rows * height + _MARGIN,
        )

    def corner(self, at: int) -> tuple[float, float]:
        """Return the upper left corner of a cell."""
        row, column = divmod(at, self.columns)
        return _MARGIN + column * self.cell[0], self.top + row * self.cell[1]


def _boxes(inks: Sequence[Ink]) -> tuple[Floats, Floats]:
    """Return the least and the greatest coordinates of each letter, ``(letters, 2)`` each."""
    lows = np.array([ink.points.min(axis=0) for ink in inks])
    return lows, np.array([ink.points.max(axis=0) for ink in inks])


def _head(grid: _Grid, title: str | None, letters: int) -> list[str]:
    """Return the start of the SVG document: size, background, title and lines."""
    width, height = map(_short, grid.size)
    label = quoteattr(title or f"a sheet of {counted(letters, 'letter')}")
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label={label}>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    if title is not None:
        lines.append(
            f'<text x="{_short(_MARGIN)}" y="{_short(_MARGIN + _CAPTION * 0.7)}" '
            f'font-family="sans-serif" font-size="14" fill="{_INK}">{escape(title)}</text>'
        )
    return [*lines, _rules(grid)]


def _rules(grid: _Grid) -> str:
    """Return the lines between cells as one path, and the guide lines as another."""
    wide, high = grid.cell
    right, low = _MARGIN + grid.columns * wide, grid.top + grid.rows * high
    tops = [grid.top + row * high for row in range(grid.rows + 1)]
    lefts = [_MARGIN + column * wide for column in range(grid.columns + 1)]
    across = "".join(f"M{_short(_MARGIN)} {_short(y)}H{_short(right)}" for y in tops)
    down = "".join(f"M{_short(x)} {_short(grid.top)}V{_short(low)}" for x in lefts)
    rules = f'<path d="{across}{down}" fill="none" stroke="{_RULE}"/>'
    if not grid.ruled:
        return rules
    heights = [top + grid.above - up * grid.scales[0] for top in tops[:-1] for up in (0, 1)]
    guides = "".join(f"M{_short(_MARGIN)} {_short(y)}H{_short(right)}" for y in heights)
    return f'{rules}\n<path d="{guides}" fill="none" stroke="{_GUIDE}"/>'


def _cells(grid: _Grid, inks: Sequence[Ink], words: Sequence[str]) -> list[str]:
    """Return one path per letter, and the captions."""
    lows, highs = _boxes(inks)
    wide, high = grid.cell
    lines = [
        f'<g fill="none" stroke="{_INK}" stroke-width="2" stroke-linecap="round" '
        'stroke-linejoin="round">'
    ]
    for at, ink in enumerate(inks):
        left, top = grid.corner(at)
        scale = grid.scales[at]
        middle = (lows[at] + highs[at]) / 2 * scale
        free = high - _CAPTION * any(words)
        x = left + wide / 2 - middle[0]
        y = top + (grid.above if grid.ruled else free / 2 - middle[1])
        path = "".join(path_of(stroke, scale=scale, shift=(x, y)) for stroke in ink)
        lines.append(f'<path d="{path}"/>')
    lines.append("</g>")
    if any(words):
        lines.append(f'<g font-family="sans-serif" font-size="10" fill="{_WORDS}">')
        for at, text in enumerate(words):
            left, top = grid.corner(at)
            place = f'x="{_short(left + 5)}" y="{_short(top + high - 5)}"'
            lines.append(f"<text {place}>{escape(text)}</text>")
        lines.append("</g>")
    return lines


def _known(ink: Ink) -> str:
    """Return the default caption: the letter and the writer, if known."""
    return " · ".join(word for word in (ink.letter, ink.writer) if word is not None)


def _short(value: float) -> str:
    """Return a length with two decimals, without trailing zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
