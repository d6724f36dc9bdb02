"""A large class on a real server, as in the benchmark, but without its time limits."""

from __future__ import annotations

import pytest

from benchmarks import live


@pytest.mark.slow
def test_no_answer_of_a_hundred_students_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "STUDENTS", 100)
    monkeypatch.setattr(live, "ROUNDS", 10)
    found = {line.what: line.ours for line in live.lines()}
    assert found["answers not acknowledged"] == 0
    assert found["answers lost"] == 0
    assert found["answers counted twice"] == 0
    assert found["errors"] == 0
