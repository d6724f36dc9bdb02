"""When it was: numbers, dates and clocks as seconds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from homeroom._arrays import Floats


def times_from(texts: Sequence[str]) -> tuple[Floats, int]:
    """Return the times as numbers, nan for what is none, and how many could not be read.

    Numbers stay as they are; a date becomes seconds since 1970 (in UTC unless it says otherwise),
    a clock such as 20:12:07 seconds since midnight.

    >>> times_from(["3", "", "1970-01-01 00:01:00", "00:01:30", "soon"])
    (array([ 3., nan, 60., 90., nan]), 1)
    """
    try:
        return np.array(texts, dtype=np.float64), 0
    except (ValueError, OverflowError):
        read = np.array([_time(text.strip()) for text in texts])
        blank = sum(1 for text in texts if not text.strip())
        return read, int(np.isnan(read).sum()) - blank


def _time(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return _clock(text) if ":" in text[:3] else _date(text)


def _date(text: str) -> float:
    try:
        when = datetime.fromisoformat(text.replace("/", "-"))
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return math.nan


def _clock(text: str) -> float:
    try:
        parts = [float(part) for part in text.split(":")]
    except ValueError:
        return math.nan
    return float(sum(part * 60.0**power for power, part in enumerate(reversed(parts))))
