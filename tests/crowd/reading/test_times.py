from __future__ import annotations

import numpy as np
import pytest

from homeroom.crowd.reading.times import times_from


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("12.5", 12.5),
        ("2005-09-09 12:24:35.0", 1126268675.0),
        ("2005-09-09T14:24:35+02:00", 1126268675.0),
        ("2005/09/09 12:24:35", 1126268675.0),
        ("20:12:07", 72727.0),
        ("9:05", 545.0),
    ],
)
def test_numbers_dates_and_clocks_are_times(text: str, seconds: float) -> None:
    read, unread = times_from([text, "x"])
    assert read[0] == pytest.approx(seconds)
    assert unread == 1


def test_what_is_no_time_is_counted_and_a_gap_is_not() -> None:
    read, unread = times_from(["", " ", "yesterday", "1:x"])
    assert np.isnan(read).all()
    assert unread == 2
