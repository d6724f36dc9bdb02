from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from homeroom.cli import run
from homeroom.cli.paper import MARKS, choose_figures
from homeroom.studies.paper import FIGURES, ReproductionResult
from homeroom.studies.settings import PaperSettings
from tests.cli.conftest import Homeroom, refuse

TINY = ("--set", "students=12", "--set", "dimensions=3", "--set", "knowledge_dimensions=3")
QUICK = ("--quick", *TINY)
COMMAND = (sys.executable, "-c", "from homeroom.cli import main; main()", "paper")


def cells_in(folder: Path) -> dict[str, Any]:
    lines = map(json.loads, (folder / "cells.jsonl").read_text().splitlines())
    return {line["key"]: line["rows"] for line in lines}


@pytest.fixture(scope="module")
def two_processes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run with two processes."""
    folder = tmp_path_factory.mktemp("two")
    with redirect_stdout(io.StringIO()):
        assert run(["paper", "3b", "3a", *QUICK, "--workers", "2", "--out", str(folder)]) == 0
    return folder


@pytest.mark.slow
def test_one_process_gives_the_same_numbers_and_pictures(
    two_processes: Path, homeroom: Homeroom, tmp_path: Path
) -> None:
    ran = homeroom("paper", "3a", "3b", *QUICK, "--workers", 1, "--out", tmp_path)
    assert ran.code == 0
    assert cells_in(tmp_path) == cells_in(two_processes)
    for name in ("3a.svg", "3b.svg"):
        one, two = (folder / "figures" / name for folder in (tmp_path, two_processes))
        assert one.read_bytes() == two.read_bytes()
    assert re.search(r"CT exhibits linear convergence: .*\(quick run\)", ran.out)
    assert re.search(r"2 figures in \d+ seconds?\. Open ", ran.out)


@pytest.mark.slow
def test_as_json_the_result_is_one_document(homeroom: Homeroom, tmp_path: Path) -> None:
    ran = homeroom("paper", "3a", *QUICK, "--workers", 1, "--out", tmp_path, "--json")
    assert ran.document["figures"] == ["3a"]
    assert ran.document["settings"]["students"] == 12
    claims = [claim["claim"] for claim in ran.document["claims"]]
    assert claims == ["CT exhibits linear convergence"]
    assert ran.document["claims"][0]["verdict"] in MARKS
    assert ran.document["quick"] is ran.document["claims"][0]["quick"] is True
    assert ran.err == ""


# What Dask leaves open when its cluster is gone is Dask's: it is closed a moment later.
@pytest.mark.filterwarnings("default::ResourceWarning", "default::DeprecationWarning")
@pytest.mark.filterwarnings("default::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_numbers(
    two_processes: Path, homeroom: Homeroom, two_workers: Any, tmp_path: Path
) -> None:
    address = two_workers.scheduler_address
    ran = homeroom("paper", "3a", "3b", *QUICK, "--scheduler", address, "--out", tmp_path)
    assert ran.code == 0, ran.err
    assert cells_in(tmp_path) == cells_in(two_processes)
    assert (tmp_path / "figures" / "3b.svg").exists()


@pytest.mark.slow
def test_a_killed_command_resumes_where_it_stopped(homeroom: Homeroom, tmp_path: Path) -> None:
    """kill -9 on the command and its workers; started again it keeps what was there."""
    asked = ("3a", *TINY, "--seeds", "10000", "--workers", "1", "--out", str(tmp_path))
    path = tmp_path / "cells.jsonl"
    running = subprocess.Popen((*COMMAND, *asked), start_new_session=True)
    try:
        deadline = time.monotonic() + 180
        while not path.exists() or path.read_bytes().count(b"\n") < 3:
            assert time.monotonic() < deadline, "no cell was finished in three minutes"
            assert running.poll() is None, "it was over before it could be killed"
            time.sleep(0.005)
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    kept = path.read_bytes()
    kept = kept[: kept.rindex(b"\n") + 1]
    assert not (tmp_path / "report.html").exists()
    few = kept.count(b"\n") + 2
    ran = homeroom("paper", "3a", *TINY, "--seeds", few, "--workers", 1, "--out", tmp_path)
    assert ran.code == 0
    assert (tmp_path / "report.html").exists()
    assert path.read_bytes().startswith(kept)
    assert path.read_bytes().count(b"\n") == few


def test_a_figure_number_stands_for_all_its_parts() -> None:
    assert choose_figures(["5"]) == ["5a", "5b", "5c"]
    assert choose_figures(["6", "1", "2"]) == ["1b", "2", *(f"6{part}" for part in "abcdef")]
    assert choose_figures(["4c", "4"]) == [f"4{part}" for part in "abcdef"]
    assert choose_figures(["all"]) == list(FIGURES)


def test_the_help_lists_every_figure_and_every_setting(homeroom: Homeroom) -> None:
    help_text = homeroom("paper", "--help").out
    for name in FIGURES:
        assert re.search(rf"\b{name}\b", help_text), name
    for name, value in PaperSettings().as_json().items():
        shown = "inf" if value is None else f"{value:g}" if isinstance(value, float) else value
        assert re.search(rf"\b{name}={shown}\b", help_text), name


def test_a_run_needs_a_new_folder_or_that_of_an_earlier_run(
    homeroom: Homeroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ReproductionResult({"2": []}, [], 1.2, 0.0, tmp_path)
    monkeypatch.setattr("homeroom.studies.paper.reproduce", lambda *_: found)
    (tmp_path / "mine.txt").touch()
    refuse(homeroom("paper", "2", "--out", tmp_path), "--force")
    assert "1 figure in 1 second." in homeroom("paper", "2", "--out", tmp_path, "--force").out
    (tmp_path / "cells.jsonl").touch()
    assert homeroom("paper", "2", "--out", tmp_path).code == 0
