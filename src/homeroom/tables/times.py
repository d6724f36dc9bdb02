"""Times as other programs write them, as seconds."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone

import numpy as np

from homeroom._arrays import Floats

ZONES = {"UTC": 0, "GMT": 0, "Z": 0, "PST": -8, "PDT": -7, "MST": -7, "MDT": -6, "CST": -6}
ZONES |= {"CDT": -5, "EST": -5, "EDT": -4, "BST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2}
"""Hours from UTC to the time zones that exports name; PST to EDT are those of Mechanical Turk."""

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_AM = r"a\.? ?m\.?|午前|上午|오전|vorm\.|f\.?m\.?|π\.?μ\.?|de\."
_PM = r"p\.? ?m\.?|午後|下午|오후|nachm\.|e\.?m\.?|μ\.?μ\.?|du\."
"""Before and after noon: English, Spanish, Japanese, Chinese, Korean, German, Swedish, Greek,
Hungarian."""

_NUMBERS = re.compile(
    r"(\d{1,4})[-/. ]{1,2}(\d{1,2})[-/. ]{1,2}(\d{1,4})\.?"
    r"(?:[T, ]+(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,]\d+)?)?)? ?"
    rf"({_AM}|(?P<pm>{_PM}))? ?(.*)",
    re.IGNORECASE,
)
_WORDS = re.compile(
    r"(?:[A-Za-z]{3},? )?([A-Za-z]{3}) (\d{1,2}) (\d{2}):(\d{2}):(\d{2}) ?([A-Z]{0,4}) (\d{4})"
)
_MONTH_NAMES = re.compile(
    r"(?:[A-Za-z]{3,9}, )?(?:([A-Za-z]{3})[a-z]* (\d{1,2})|(\d{1,2})\.? ([A-Za-z]{3})[a-z]*),? "
    rf"(\d{{4}}),? *(?:(\d{{1,2}}):(\d{{2}})(?::(\d{{2}}))?)? ?({_AM}|(?P<pm>{_PM}))?",
    re.IGNORECASE,
)
"""Nov 16, 2025 9:05 AM and 16 November 2025 9:05: JotForm, Moodle."""
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?")


def times_from(texts: Sequence[str]) -> tuple[Floats, int]:
    """Return times as numbers, nan where there is none, and how many could not be read.

    Numbers stay as they are. A date becomes seconds since 1970 (UTC unless it names a time zone),
    a time of day such as 20:12:07 seconds since midnight. Where 3/4/2025 could be in March or in
    April, the other dates decide; without them, dots put the day first and slashes the month.

    >>> times_from(["3", "", "1970-01-01 00:01:00 UTC", "00:01:30", "soon"])
    (array([ 3., nan, 60., 90., nan]), 1)
    """
    try:
        return np.array(texts, dtype=np.float64), 0
    except (ValueError, OverflowError):
        pass
    tidy = [text.strip() for text in texts]
    day_first = _puts_day_first(tidy)
    read = np.array([_seconds(text, day_first) for text in tidy])
    blank = tidy.count("")
    return read, int(np.isnan(read).sum()) - blank


def is_date(text: str) -> bool:
    """Return whether a text is a date, with or without a time of day.

    >>> [is_date(text) for text in ("2025/11/16 9:05:00 AM GMT+1", "16.11.2025 09:05", "7", "1-2")]
    [True, True, False, False]
    """
    return len(text) > 5 and not math.isnan(_date(text.strip(), None))


def _seconds(text: str, day_first: bool | None) -> float:
    """Return a number, a time of day or a date as a number; nan if it cannot be read."""
    try:
        return float(text)
    except ValueError:
        return _time_of_day(text) if ":" in text[:3] else _date(text, day_first)


def _time_of_day(text: str) -> float:
    """Return a time such as 20:12:07 as the sum of its parts, the last in seconds."""
    try:
        parts = [float(part) for part in text.split(":")]
    except ValueError:
        return math.nan
    return float(sum(part * 60.0**power for power, part in enumerate(reversed(parts))))


def _date(text: str, day_first: bool | None) -> float:
    """Return a date as seconds since 1970; nan if it cannot be read.

    ``day_first`` is whether 3/4/2025 is in April; ``None`` if that is not known.
    """
    try:
        when = datetime.fromisoformat(text.removesuffix(" UTC"))
    except ValueError:
        return _by_pattern(text, day_first)
    return _since_1970(when)


def _since_1970(when: datetime) -> float:
    try:
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return math.nan


def _by_pattern(text: str, day_first: bool | None) -> float:
    """Return a date not in ISO format as seconds since 1970; nan if it has no known pattern."""
    words = _WORDS.fullmatch(text)
    try:
        if words is not None:
            month = MONTHS.index(words[1].lower()) + 1
            numbers = map(int, (words[2], words[3], words[4], words[5]))
            day, hour, minute, second = numbers
            zone = _zone(words[6])
            return _since_1970(datetime(int(words[7]), month, day, hour, minute, second, 0, zone))
        if named := _MONTH_NAMES.fullmatch(text):
            month = MONTHS.index((named[1] or named[4]).lower()) + 1
            hour, minute, second = (int(named[at] or 0) for at in (6, 7, 8))
            if named[9]:
                hour = hour % 12 + (12 if named["pm"] else 0)
            day = int(named[2] or named[3])
            return _since_1970(datetime(int(named[5]), month, day, hour, minute, second, 0, UTC))
        found = _NUMBERS.fullmatch(text)
        if found is None:
            return math.nan
        year, month, day = _in_order(found, day_first)
        hour, minute, second = (int(found[at] or 0) for at in (4, 5, 6))
        if found[7]:
            hour = hour % 12 + (12 if found["pm"] else 0)
        zone = _zone(found[9], after_time=found[4] is not None)
        return _since_1970(datetime(year, month, day, hour, minute, second, 0, zone))
    except ValueError:
        return math.nan


def _in_order(found: re.Match[str], day_first: bool | None) -> tuple[int, int, int]:
    """Return year, month and day, whatever their order in the text."""
    first, second, third = (int(found[at]) for at in (1, 2, 3))
    if len(found[1]) == 4:
        return first, second, third
    if len(found[3]) != 4:
        if len(found[3]) != 2 or not found[4]:  # 1-2-03 alone may be a name
            raise ValueError(found[0])
        third += 2000
    if day_first is None:
        day_first = first > 12 or (second <= 12 and "." in found[0][:6])
    return (third, second, first) if day_first else (third, first, second)


def _puts_day_first(texts: Sequence[str]) -> bool | None:
    """Return whether dates such as 16.11.2025 begin with the day; ``None`` if none shows it."""
    for text in texts:
        if text[:4].isdecimal():  # the year is first, as most programs have it
            return None
        found = _NUMBERS.fullmatch(text)
        if found is not None and len(found[1]) < 3:
            if int(found[1]) > 12:
                return True
            if int(found[2]) > 12:
                return False
    return None


def _zone(text: str | None, *, after_time: bool = True) -> timezone | None:
    """Return the time zone that a text names; ``None`` without one.

    Unknown names count as UTC after a time. After a day they are no zone: "2025-11-16 moth".
    """
    name = (text or "").strip().upper()
    if not name:
        return None
    if name in ZONES or (after_time and re.fullmatch(r"[A-Z]{3,5}", name)):
        return timezone(timedelta(hours=ZONES.get(name, 0)))
    offset = _OFFSET.fullmatch(name)
    if offset is None:
        raise ValueError(name)
    ahead = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
    return timezone(ahead if offset[1] == "+" else -ahead)
