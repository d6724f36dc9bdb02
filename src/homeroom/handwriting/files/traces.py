"""The points of one InkML trace, by its format."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.handwriting import checks
from homeroom.handwriting.files.base import Trace

_MILLIMETRES = {"mm": 1.0, "cm": 10.0, "m": 1000.0, "in": 25.4, "pt": 25.4 / 72, "pc": 25.4 / 6}
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_VALUE = re.compile(
    r"\s*(?P<how>[!'\"]?)\s*"
    r"(?P<what>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf)\w*|[*?TF]|\#[0-9a-fA-F]+)"
)


@dataclass(frozen=True)
class Channel:
    """What one number of each point stands for."""

    name: str
    units: str = ""
    upside_down: bool = False
    most: float | None = None

    @classmethod
    def of(cls, known: dict[str, str]) -> Channel:
        """Return the channel that an element's attributes describe."""
        most = known.get("max", "")
        return cls(
            name=known.get("name", ""),
            units=known.get("units", ""),
            upside_down=known.get("orientation") == "-ve",
            most=float(most) if re.fullmatch(r"\d+(\.\d+)?", most) and float(most) else None,
        )


@dataclass(frozen=True)
class TraceFormat:
    """The channels of a trace, in the order in which their numbers come."""

    channels: tuple[Channel, ...]

    @classmethod
    def of(cls, channels: Sequence[Channel]) -> TraceFormat:
        """Return a format with these channels, X and Y among them; without any, X and Y."""
        names = [channel.name for channel in channels]
        if names and not ("X" in names and "Y" in names):
            raise InputError(f"its traceFormat must have the channels X and Y, but has {names}.")
        return cls(tuple(channels)) if names else PLAIN

    def place(self, name: str) -> int | None:
        """Return which number of a point this channel is."""
        names = [channel.name for channel in self.channels]
        return names.index(name) if name in names else None


PLAIN = TraceFormat((Channel("X"), Channel("Y")))
"""What a trace has if nothing is said."""


def trace_of(text: str, form: TraceFormat, where: str) -> Trace:
    """Return the trace that a text stands for."""
    table = _table(text, form, where)
    columns = {
        channel.name: table[:, at]
        for at, channel in enumerate(form.channels)
        if not np.isnan(table[:, at]).all()
    }
    by_name = {channel.name: channel for channel in form.channels}
    if not {"X", "Y"} <= set(columns):
        raise InputError(f"{where} must have an x and a y for each point.")
    points = np.stack([_straight(columns[name], by_name[name]) for name in "XY"], axis=1)
    scales = [_MILLIMETRES.get(by_name[name].units, 1.0) for name in "XY"]
    if scales[0] != scales[1]:
        points = points * scales
    full = by_name["F"].most if "F" in columns else None
    return Trace(points, _times(columns, by_name), columns.get("F"), full, where)


def _straight(column: Floats, channel: Channel) -> Floats:
    return -column if channel.upside_down else column


def _times(columns: dict[str, Floats], by_name: dict[str, Channel]) -> Floats | None:
    if "T" not in columns:
        return None
    units = by_name["T"].units or "ms"
    if units not in _SECONDS:
        raise InputError(f"its channel T must be in s or ms, but is in {units[:40]!r}.")
    return columns["T"] * _SECONDS[units]


def _table(text: str, form: TraceFormat, where: str) -> Floats:
    """Return a row for each point and a column for each channel; nan where a value is not known."""
    rows = text.split(",")
    if not text.strip():
        raise InputError(f"{where} must have at least one point, but is empty.")
    checks.few_enough(len(rows))
    width = len(form.channels)
    try:
        plain = np.array([row.split() for row in rows], dtype=np.float64)
        if plain.shape == (len(rows), width):
            return plain
    except ValueError:
        pass  # differences, unknown values, or values with no space between them
    return _decoded(rows, width, where)


def _decoded(rows: list[str], width: int, where: str) -> Floats:
    """Return what differences from point to point add up to, and the like."""
    table = np.full((len(rows), width), np.nan)
    how = ["!"] * width
    step = [0.0] * width
    for at, row in enumerate(rows):
        values = _values(row, width, f"point {at + 1} of {where}")
        before = table[at - 1] if at else np.zeros(width)
        for channel, (given, what) in enumerate(values):
            how[channel] = given or how[channel]
            if what in ("?", "T", "F"):
                continue
            if what == "*":
                table[at, channel] = before[channel]
                continue
            value = float(int(what[1:], 16)) if what.startswith("#") else float(what)
            if how[channel] == "'":
                step[channel] = value
            elif how[channel] == '"':
                step[channel] += value
            table[at, channel] = value if how[channel] == "!" else before[channel] + step[channel]
    return table


def _values(row: str, width: int, where: str) -> list[tuple[str, str]]:
    """Return how and what is said of each channel in one point."""
    values = []
    end = 0
    while row[end:].strip():
        found = _VALUE.match(row, end)
        if found is None:
            raise InputError(f"{where} must be numbers, but has {row[end:].strip()[:40]!r}.")
        values.append((found["how"], found["what"]))
        end = found.end()
        if len(values) > width:
            raise InputError(f"{where} must have {width} numbers, but has more.")
    if len(values) < 2:
        raise InputError(f"{where} must have {width} numbers, but has {len(values)}.")
    return values
