"""Errors of clients are counted, and reported rarely."""

from __future__ import annotations

import logging

import pytest

from homeroom.live.access.client_errors import REPORT_SECONDS, ClientErrors


def test_errors_are_reported_at_most_once_per_minute(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    errors = ClientErrors(lambda: now[0])
    with caplog.at_level(logging.WARNING):
        for second in range(round(10 * REPORT_SECONDS)):
            now[0] = float(second)
            for _ in range(100):
                errors.count("flood")
    assert len(caplog.records) == 9
    assert errors.counts == {"flood": 1000 * REPORT_SECONDS}
    assert f"flood {round(900 * REPORT_SECONDS)}" not in caplog.records[0].getMessage()
    assert "flood" in caplog.records[0].getMessage()
