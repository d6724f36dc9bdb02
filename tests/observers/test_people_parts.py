"""Comparisons in parts: any number of processes, and runs that were killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from benchmarks.people_data import Mask, Trials
from benchmarks.people_parts import Part, Predictions, done

ROOT = Path(__file__).parents[2]


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


def test_other_data_folds_models_and_code_are_other_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    one = _parts()[0]
    others = [
        _parts()[1],
        _parts(0.2)[0],
        one._replace(table="another"),
        one._replace(model="another"),
        one._replace(data=one.data._replace(said=-one.data.said)),
    ]
    assert one.key == _parts()[0].key
    assert one.key not in {other.key for other in others}
    before = one.key
    monkeypatch.setattr("benchmarks.people_parts._code", lambda: b"other code")
    assert one.key != before


BRIEF = """
import sys
from benchmarks import people
from benchmarks.people_models import base_rate

if __name__ == "__main__":
    which = people.SETS["assistments09"]
    people.SETS["assistments09"] = which._replace(
        folds=6, steps=(1,), variants={}, others={"base rate": base_rate}, limit=9.0
    )
    sys.exit(people.main(sys.argv[1:]))
"""
"""The command with fewer models and steps."""


def _tables(folder: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [
        f"{user}\t{trial}\t{rng.integers(2)}\t{trial % 2}"
        for user in range(12)
        for trial in range(40)
    ]
    (folder / "assistments09").mkdir(parents=True)
    text = "\n".join(["user_id\titem_id\tcorrect\tskill_id", *rows]) + "\n"
    (folder / "assistments09" / "preprocessed_data.csv").write_text(text)
    (folder / "brief.py").write_text(BRIEF)


def _command(folder: Path, out: Path, workers: int) -> list[str]:
    given = ["--only", "assistments09", "--out", str(out), "--workers", str(workers)]
    return [sys.executable, str(folder / "brief.py"), str(folder), *given]


@pytest.mark.slow
def test_a_killed_run_goes_on_and_gives_the_numbers_of_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the number of processes; workers end with the command, even if it was killed."""
    folder, out = tmp_path / "data", tmp_path / "out"
    _tables(folder)
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    alone = subprocess.run(
        _command(folder, tmp_path / "alone", 1), capture_output=True, check=False
    )
    assert alone.returncode == 0, alone.stderr.decode()
    killed = subprocess.Popen(
        _command(folder, out, 3), start_new_session=True, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + 120
    while len(list((out / "parts").glob("*.npz"))) < 3:
        assert time.monotonic() < until
        assert killed.poll() is None
        time.sleep(0.02)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    while _running(killed.pid):
        assert time.monotonic() < until
        time.sleep(0.05)
    rest = subprocess.run(_command(folder, out, 2), capture_output=True, check=False)
    assert b"parts are in" in rest.stderr, rest.stderr.decode()
    one, other = (
        json.loads((where / "people.json").read_text()) for where in (tmp_path / "alone", out)
    )
    assert one == other
    assert rest.stdout == alone.stdout


def _running(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
