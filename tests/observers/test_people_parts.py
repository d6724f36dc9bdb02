"""Comparisons in parts: any number of processes, and runs that were killed."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from benchmarks.people_data import Mask, Trials
from benchmarks.people_parts import Part, Predictions, done


def _table() -> Trials:
    ones = np.ones((6, 4))
    every = ones > 0
    zeros = np.zeros((6, 4), dtype=np.int64)
    return Trials(np.arange(6), ones, ones, zeros, zeros, ones[..., None], every, every)


def _shares(scale: float, data: Trials, test: Mask) -> Predictions:
    return {"a model": scale * data.said[test], "a control": scale + data.said[test]}


def _fails(_: Trials, __: Mask) -> Predictions:
    raise AssertionError("this part was computed before")


def _parts(scale: float = 0.1) -> list[Part]:
    data, fold = _table(), np.arange(6) % 3
    work = partial(_shares, scale)
    return [Part("table", "model", number, data, fold == number, work) for number in range(3)]


def test_parts_are_computed_once_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = list(done(_parts(), 1, tmp_path))
    assert "[3/3] table: model, fold 3" in capsys.readouterr().err
    monkeypatch.setattr("benchmarks.people_parts._timed", lambda part: _fails(part.data, part.test))
    again = list(done(_parts(), 1, tmp_path))
    assert "3 of 3 parts are in" in capsys.readouterr().err
    for one, other in zip(first, again, strict=True):
        assert one.keys() == other.keys()
        assert all((one[name] == other[name]).all() for name in one)


def test_files_that_are_damaged_are_computed_again(tmp_path: Path) -> None:
    list(done(_parts(), 1, tmp_path))
    files = sorted(tmp_path.iterdir())
    for path, text in zip(files, (b"", b"PK", files[2].read_bytes()[:40]), strict=True):
        path.write_bytes(text)
    found = list(done(_parts(), 1, tmp_path))
    assert [one["a model"].tolist() for one in found] == [[[0.1] * 4] * 2] * 3
