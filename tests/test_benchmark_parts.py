"""Benchmarks in several processes: finished parts are kept, each in a file of its own."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from benchmarks import timing

FACTOR = 3
"""A constant that the work depends on, as the seeds of benchmarks."""


def times(number: int, *, plus: int = 0) -> int:
    if number < 0:
        raise ValueError("negative")
    return FACTOR * number + plus


def test_parts_are_resumed_and_results_keep_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timing, "JOBS", 2)
    monkeypatch.setenv("PARTS", str(tmp_path))
    with pytest.raises(ValueError, match="negative"):
        timing.in_processes(times, [4, 5, -1])
    assert timing.in_processes(times, [5, 1, 4]) == [15, 3, 12]
    dates = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert len(dates) == 3
    assert timing.in_processes(times, [1, 4, 5]) == [3, 12, 15]
    assert dates == {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}


def test_the_file_of_a_part_depends_on_all_that_its_result_depends_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARTS", str(tmp_path))
    table = tmp_path / "table.csv"
    table.write_text("a")
    names = [timing._part(times, (1,)), timing._part(partial(times, plus=1), (1,))]
    names.append(timing._part(times, (2,)))
    names.append(timing._part(times, (table,)))
    table.write_text("b")
    names.append(timing._part(times, (table,)))
    monkeypatch.setitem(times.__globals__, "FACTOR", 4)
    names.append(timing._part(times, (1,)))
    assert len(set(names)) == len(names)
    monkeypatch.delenv("PARTS")
    assert timing._part(times, (1,)) is None
