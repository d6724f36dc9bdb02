"""The command ``homeroom bench teachers``."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from homeroom.cli.cluster import WorkOptions
from tests.cli.conftest import Homeroom
from tests.pages import parts_of

COMMAND = (sys.executable, "-c", "from homeroom.cli import main; main()", "bench", "teachers")
FEW = ("--teachers", "best,random,STRICT", "--learners", "squared,people", "--tasks", "ball,facts")


def cells_in(folder: Path) -> dict[str, Any]:
    lines = map(json.loads, (folder / "cells.jsonl").read_text().splitlines())
    return {line["key"]: line["rows"] for line in lines}


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread in the place of processes, whose start takes seconds."""

    monkeypatch.setattr(WorkOptions, "start", lambda _: ThreadPoolExecutor(1))


@pytest.mark.slow
@pytest.mark.usefixtures("in_this_process")
def test_the_report_has_the_matrix_ranks_curves_and_reasons(
    homeroom: Homeroom, tmp_path: Path
) -> None:
    ran = homeroom("bench", "teachers", *FEW, "--seeds", 3, "--out", tmp_path)
    assert ran.code == 0, ran.err
    assert re.search(r"best +4 +[\d.]+ +[\d.]+x +\d+%", ran.out)
    assert re.search(r"30 lessons in \d+ seconds?; newly taught: 30, reused: 0; not", ran.out)
    assert "not applicable: 2 cells" in " ".join(ran.out.split())
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for part in ("The matrix", "Ranks and worst cases", "Task: facts", "cannot be lis"):
        assert part in page
    assert sum(len(table["curves"]) for table in parts_of(page, "table")) == 10  # one per cell
    for name in ("matrix.svg", "matrix.png"):
        assert (tmp_path / name).stat().st_size > 1000
    document = json.loads((tmp_path / "result.json").read_text())
    assert len(document["cells"]) == 12
    best = next(one for one in document["cells"] if one["teacher"] == "best")
    assert best["seeds"] == 3
    assert best["rounds_half"] >= 0.0
    with (tmp_path / "lessons.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 30
    again = homeroom("bench", "teachers", *FEW, "--seeds", 3, "--out", tmp_path, "--json")
    assert again.document["cells"] == document["cells"]


@pytest.mark.usefixtures("in_this_process")
def test_with_force_stored_lessons_are_taught_again(homeroom: Homeroom, tmp_path: Path) -> None:
    one = ("--teachers", "random", "--learners", "squared", "--tasks", "directions", "--quick")
    for more, said in (
        ((), "newly taught: 1, reused: 0"),
        ((), "newly taught: 0, reused: 1"),
        (("--force",), "newly taught: 1, reused: 0"),
    ):
        ran = homeroom("bench", "teachers", *one, *more, "--out", tmp_path)
        assert ran.code == 0, ran.err
        assert said in " ".join(ran.out.split())
        assert len(cells_in(tmp_path)) == 1


@pytest.mark.slow
def test_a_killed_command_resumes_and_gives_the_same_numbers(
    homeroom: Homeroom, tmp_path: Path
) -> None:
    """kill -9 on the command and its workers; then as a run that was never stopped."""
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    asked = (*FEW, "--seeds", "40", "--workers", "1")
    path = killed / "cells.jsonl"
    running = subprocess.Popen((*COMMAND, *asked, "--out", str(killed)), start_new_session=True)
    try:
        deadline = time.monotonic() + 300
        while not path.exists() or path.read_bytes().count(b"\n") < 3:
            assert time.monotonic() < deadline, "no lesson was finished in five minutes"
            assert running.poll() is None, "it was over before it could be killed"
            time.sleep(0.005)
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    kept = path.read_bytes()
    kept = kept[: kept.rindex(b"\n") + 1]
    assert not (killed / "report.html").exists()
    for folder in (killed, whole):
        few = (*FEW, "--seeds", 2, "--workers", 2, "--out", folder)
        assert homeroom("bench", "teachers", *few).code == 0
    assert path.read_bytes().startswith(kept)
    for key, rows in cells_in(whole).items():
        assert cells_in(killed)[key] == rows
    documents = [json.loads((one / "result.json").read_text()) for one in (killed, whole)]
    assert documents[0]["cells"] == documents[1]["cells"]


# What Dask leaves open when its cluster is gone is Dask's: it is closed a moment later.
@pytest.mark.filterwarnings("default::ResourceWarning", "default::DeprecationWarning")
@pytest.mark.filterwarnings("default::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_numbers(
    homeroom: Homeroom, two_workers: Any, tmp_path: Path
) -> None:
    few = (*FEW, "--seeds", 1)
    address = two_workers.scheduler_address
    ran = homeroom("bench", "teachers", *few, "--scheduler", address, "--out", tmp_path / "a")
    assert ran.code == 0, ran.err
    assert homeroom("bench", "teachers", *few, "--workers", 1, "--out", tmp_path / "b").code == 0
    assert cells_in(tmp_path / "a") == cells_in(tmp_path / "b")
