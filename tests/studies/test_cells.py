import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from homeroom.studies.cells import CellStore, ExperimentCell, processes, run_cells
from homeroom.studies.figures import PaperPlan
from homeroom.studies.paper import FIGURES
from homeroom.studies.rows import Row
from homeroom.studies.settings import PaperSettings
from homeroom.studies.synthetic import rates
from tests.studies.conftest import SameThread

SMALL = PaperSettings(students=12, dimensions=3, seeds=2, knowledge_dimensions=3)


@pytest.fixture
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def cells() -> list[ExperimentCell]:
    return FIGURES["dip"].cells(PaperPlan(SMALL, quick=True))


def test_a_finished_cell_is_written_at_once(tmp_path: Path, threads: Executor) -> None:
    lines = []

    def look(done: int, of: int) -> None:
        path = tmp_path / "cells.jsonl"
        lines.append((done, len(path.read_text().splitlines()) if path.exists() else 0))

    run_cells(cells(), CellStore(tmp_path), threads, look)
    assert all(done == written for done, written in lines)
    assert lines[-1][0] == len(set(cells()))


def test_a_second_run_repeats_nothing(tmp_path: Path, threads: Executor) -> None:
    first = run_cells(cells(), CellStore(tmp_path), threads)
    before = (tmp_path / "cells.jsonl").read_bytes()
    second = run_cells(cells(), CellStore(tmp_path), threads)
    assert (tmp_path / "cells.jsonl").read_bytes() == before
    assert first == second


def test_other_settings_give_other_cells() -> None:
    one = ExperimentCell.of(rates, settings=SMALL.as_json(), diversities=[0.1], seed=0)
    other = ExperimentCell.of(
        rates, settings=SMALL.change("eps=0.2").as_json(), diversities=[0.1], seed=0
    )
    assert one.key != other.key
    assert (
        one.key == ExperimentCell.of(rates, seed=0, diversities=[0.1], settings=SMALL.as_json()).key
    )


def test_more_seeds_add_cells_and_keep_the_first() -> None:
    few, many = (FIGURES["3a"].cells(PaperPlan(SMALL.change(f"seeds={n}"))) for n in (2, 5))
    assert many[:2] == few
    assert len(many) == 5


def test_other_code_gives_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of older code are not reused."""
    cell = ExperimentCell.of(rates, settings=SMALL.as_json(), diversities=[0.1], seed=0)
    before = cell.key
    monkeypatch.setattr("homeroom.studies.cells.code_version", lambda: "other code")
    assert cell.key != before


@pytest.mark.parametrize("damage", [b'{"key": "abc", "ro', b"\x00\xff\n", b'{"key": 1}\n', b"[]\n"])
def test_an_incomplete_line_is_dropped_and_the_rest_kept(
    tmp_path: Path, threads: Executor, damage: bytes
) -> None:
    path = tmp_path / "cells.jsonl"
    whole = run_cells(cells(), CellStore(tmp_path), threads)
    kept = path.read_bytes().splitlines(keepends=True)[:3]
    path.write_bytes(b"".join(kept) + damage)
    store = CellStore(tmp_path)
    assert len(store.rows) == 3
    assert run_cells(cells(), store, threads) == whole
    assert len(CellStore(tmp_path).rows) == len(whole)


def test_a_damaged_line_loses_only_one_cell(tmp_path: Path, threads: Executor) -> None:
    path = tmp_path / "cells.jsonl"
    whole = run_cells(cells(), CellStore(tmp_path), threads)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"rows"', b'"ro\xffs"')
    path.write_bytes(b"".join(lines))
    store = CellStore(tmp_path)
    assert len(store.rows) == len(whole) - 1
    assert run_cells(cells(), store, threads) == whole
    assert len(path.read_bytes().splitlines()) == len(whole) + 1


def test_opening_a_store_never_changes_it(tmp_path: Path, threads: Executor) -> None:
    """Another process may be in the middle of a line."""
    path = tmp_path / "cells.jsonl"
    run_cells(cells(), CellStore(tmp_path), threads)
    path.write_bytes(path.read_bytes()[:-7])
    before = path.read_bytes()
    CellStore(tmp_path)
    assert path.read_bytes() == before


@pytest.mark.slow
def test_the_numbers_do_not_depend_on_the_workers(threads: Executor) -> None:
    """Two processes and two threads give the same rows; the command's tests cover one process."""
    with processes(2) as pool:
        by_processes = run_cells(cells(), CellStore(None), pool)
    assert run_cells(cells(), CellStore(None), threads) == by_processes


def test_a_cell_that_fails_stops_the_run_and_keeps_the_others(
    tmp_path: Path, threads: Executor
) -> None:
    bad = ExperimentCell.of(rates, settings={"students": -1}, diversities=[0.1], seed=0)
    with pytest.raises(ValueError, match="`students` must be at least 1, but is -1"):
        run_cells([*cells(), bad], CellStore(tmp_path), threads)
    assert len(CellStore(tmp_path).rows) > 0


def may_fail(name: str) -> list[Row]:
    if name.startswith("bad"):
        raise ValueError(name)
    return [{"x": 1}]


def test_cells_that_finish_together_with_one_that_fails_are_kept() -> None:
    """In the same thread, every cell is finished as soon as it is submitted."""

    store = CellStore(None)
    some = [ExperimentCell.of(may_fail, name=name) for name in ("bad 1", "a", "bad 2", "b")]
    with pytest.raises(ValueError, match="bad 1"):
        run_cells(some, store, SameThread())
    assert set(store.rows) == {some[1].key, some[3].key}


def test_a_line_that_is_written_in_part_is_reported_and_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_a_part(handle: int, line: bytes) -> int:
        return write(handle, line[:9])

    def write_nothing(_handle: int, _line: bytes) -> int:
        raise OSError("No space left on device")

    write, store, cell = os.write, CellStore(tmp_path), ExperimentCell("a", "{}")
    for broken, match in ((write_a_part, "Is the disk full"), (write_nothing, "No space left")):
        monkeypatch.setattr(os, "write", broken)
        with pytest.raises(OSError, match=match):
            store.put(cell, [{"x": 1}], 0.0)
    monkeypatch.setattr(os, "write", write)
    store.put(cell, [{"x": 2}], 0.0)
    assert CellStore(tmp_path).rows == {cell.key: [{"x": 2}]}


@pytest.mark.parametrize(
    "line",
    [{"key": "k", "rows": 5, "seconds": 1}, {"key": "k", "rows": [], "seconds": 10**400}],
)
def test_a_line_with_other_kinds_of_values_is_skipped(tmp_path: Path, line: Any) -> None:
    (tmp_path / "cells.jsonl").write_text(json.dumps(line) + "\n")
    assert not CellStore(tmp_path).rows


@pytest.mark.slow
def test_a_killed_run_resumes_where_it_stopped(tmp_path: Path, threads: Executor) -> None:
    """kill -9 after a few cells; the second run keeps them and gives the same numbers."""
    script = tmp_path / "run.py"
    script.write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "from homeroom.studies.cells import CellStore, processes, run_cells\n"
        "from homeroom.studies.paper import FIGURES, PaperPlan, PaperSettings\n"
        "if __name__ == '__main__':\n"
        "    plan = PaperPlan(PaperSettings(students=40, dimensions=12, seeds=5000))\n"
        "    with processes(1) as pool:\n"
        "        run_cells(FIGURES['3a'].cells(plan), CellStore(Path(sys.argv[1])), pool)\n"
    )
    path = tmp_path / "cells.jsonl"
    running = subprocess.Popen([sys.executable, str(script), str(tmp_path)], start_new_session=True)
    try:
        deadline = time.monotonic() + 180
        while not path.exists() or path.read_bytes().count(b"\n") < 5:
            assert time.monotonic() < deadline, "no cell was finished in three minutes"
            assert running.poll() is None, "it ended before it could be killed"
            time.sleep(0.02)
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    kept = CellStore(tmp_path).rows
    plan = PaperPlan(PaperSettings(students=40, dimensions=12, seeds=5000))
    wanted = FIGURES["3a"].cells(plan)[: len(kept) + 5]
    assert 5 <= len(kept) < 5000
    resumed = run_cells(wanted, CellStore(tmp_path), threads)
    fresh = run_cells(wanted[:5], CellStore(None), threads)
    assert all(resumed[cell] == rows for cell, rows in fresh.items())
    lines = [json.loads(line)["key"] for line in path.read_text().splitlines()]
    assert lines[: len(kept)] == list(kept)
    assert len(lines) == len(set(lines))
