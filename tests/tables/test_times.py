"""Times as other programs write them."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.tables.times import is_date, times_from


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("12.5", 12.5),
        ("2005-09-09 12:24:35.0", 1126268675.0),
        ("2005-09-09T14:24:35+02:00", 1126268675.0),
        ("2005/09/09 12:24:35", 1126268675.0),
        ("20:12:07", 72727.0),
        ("9:05", 545.0),
        ("2025-11-16 09:05:00 UTC", 1763283900.0),
        ("2025-11-16T09:05:00.000Z", 1763283900.0),
        ("Sun Nov 16 01:05:00 PST 2025", 1763283900.0),
        ("2025/11/16 10:05:00 AM GMT+1", 1763283900.0),
        ("11/16/2025 9:05:00", 1763283900.0),
        ("11/16/25 9:05:00", 1763283900.0),
        ("16.11.2025 09:05:00", 1763283900.0),
        ("16/11/2025, 9:05", 1763283900.0),
        ("2025/11/16 10:05:00 a. m. GMT+1", 1763283900.0),
        ("2025/11/16 6:05:00 午後 GMT+9", 1763283900.0),
        ("2025/11/16 6:05:00 오후 GMT+9", 1763283900.0),
        ("2025/11/16 9:05:00 vorm. WEZ", 1763283900.0),
    ],
)
def test_numbers_dates_and_times_of_day_are_read(text: str, seconds: float) -> None:
    read, unread = times_from([text, "x"])
    assert read[0] == pytest.approx(seconds)
    assert unread == 1


def test_unreadable_times_are_counted_and_blanks_are_not() -> None:
    read, unread = times_from(["", " ", "yesterday", "1:x"])
    assert np.isnan(read).all()
    assert unread == 2


def test_other_dates_of_a_column_decide_whether_the_day_comes_first() -> None:
    april, _ = times_from(["3/4/2025", "16/4/2025"])
    march, _ = times_from(["3/4/2025", "4/16/2025"])
    alone, _ = times_from(["3.4.2025"])
    assert april[1] - april[0] == 13 * 86400
    assert march[1] - march[0] == 43 * 86400
    assert alone[0] == april[0]


@pytest.mark.parametrize(
    "text", ["7", "item-1-2", "1-2-03", "2025-11-16 moth", "12:00", "99/99/9999", "yes", ""]
)
def test_numbers_and_names_are_not_dates(text: str) -> None:
    assert not is_date(text)
