import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import pytest

from homeroom.paper import Cell, Plan, Settings, Store, processes, run_cells
from homeroom.paper.fig3a import Figure3a
from homeroom.paper.rates import rates_cells

SMALL = Settings(students=12, dimensions=3, seeds=2, knowledge_dimensions=3)


@pytest.fixture
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def cells() -> list[Cell]:
    return rates_cells(Plan(SMALL, quick=True))


def test_a_finished_cell_is_on_disk_at_once(tmp_path: Path, threads: Executor) -> None:
    lines = []

    def look(done: int, of: int) -> None:
        path = tmp_path / "cells.jsonl"
        lines.append((done, len(path.read_text().splitlines()) if path.exists() else 0))

    run_cells(cells(), Store(tmp_path), threads, look)
    assert all(done == written for done, written in lines)
    assert lines[-1][0] == len(set(cells()))


def test_a_second_run_measures_nothing_again(tmp_path: Path, threads: Executor) -> None:
    first = run_cells(cells(), Store(tmp_path), threads)
    before = (tmp_path / "cells.jsonl").read_bytes()
    second = run_cells(cells(), Store(tmp_path), threads)
    assert (tmp_path / "cells.jsonl").read_bytes() == before
    assert first == second


def test_other_settings_are_other_cells() -> None:
    one = Cell.of("rates", settings=SMALL.as_json(), diversity=0.1, seed=0)
    other = Cell.of("rates", settings=SMALL.changed("eps=0.2").as_json(), diversity=0.1, seed=0)
    assert one.key != other.key
    assert one.key == Cell.of("rates", seed=0, diversity=0.1, settings=SMALL.as_json()).key


def test_more_seeds_are_more_cells_and_the_first_stay() -> None:
    few, many = (Figure3a().cells(Plan(SMALL.changed(f"seeds={n}"))) for n in (2, 5))
    assert many[:2] == few
    assert len(many) == 5


def test_other_code_gives_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number that older code measured is not taken for a new one."""
    cell = Cell.of("rates", settings=SMALL.as_json(), diversity=0.1, seed=0)
    before = cell.key
    monkeypatch.setattr("homeroom.paper.cells.code_as_measured", lambda: "other code")
    assert cell.key != before


@pytest.mark.parametrize("damage", [b'{"key": "abc", "ro', b"\x00\xff\n", b'{"key": 1}\n', b"[]\n"])
def test_a_line_that_was_cut_off_is_dropped_and_the_rest_kept(
    tmp_path: Path, threads: Executor, damage: bytes
) -> None:
    path = tmp_path / "cells.jsonl"
    whole = run_cells(cells(), Store(tmp_path), threads)
    kept = path.read_bytes().splitlines(keepends=True)[:3]
    path.write_bytes(b"".join(kept) + damage)
    store = Store(tmp_path)
    assert len(store.rows) == 3
    assert run_cells(cells(), store, threads) == whole
    assert len(Store(tmp_path).rows) == len(whole)


def test_a_damaged_line_in_the_middle_costs_only_itself(tmp_path: Path, threads: Executor) -> None:
    path = tmp_path / "cells.jsonl"
    whole = run_cells(cells(), Store(tmp_path), threads)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"rows"', b'"ro\xffs"')
    path.write_bytes(b"".join(lines))
    store = Store(tmp_path)
    assert len(store.rows) == len(whole) - 1
    assert run_cells(cells(), store, threads) == whole
    assert len(path.read_bytes().splitlines()) == len(whole) + 1


def test_opening_a_store_never_changes_it(tmp_path: Path, threads: Executor) -> None:
    """Somebody else may be in the middle of a line."""
    path = tmp_path / "cells.jsonl"
    run_cells(cells(), Store(tmp_path), threads)
    path.write_bytes(path.read_bytes()[:-7])
    before = path.read_bytes()
    Store(tmp_path)
    assert path.read_bytes() == before


@pytest.mark.slow
def test_the_numbers_do_not_depend_on_the_workers(threads: Executor) -> None:
    """Two processes, two threads: the same rows (and one process, in the command's tests)."""
    with processes(2) as pool:
        by_processes = run_cells(cells(), Store(None), pool)
    assert run_cells(cells(), Store(None), threads) == by_processes


def test_a_cell_that_fails_stops_the_run_and_keeps_the_others(
    tmp_path: Path, threads: Executor
) -> None:
    bad = Cell.of("rates", settings={"students": -1}, diversity=0.1, seed=0)
    with pytest.raises(ValueError, match="`students` must be at least 1, but is -1"):
        run_cells([*cells(), bad], Store(tmp_path), threads)
    assert len(Store(tmp_path).rows) > 0


@pytest.mark.slow
def test_a_run_killed_in_the_middle_goes_on_where_it_stopped(
    tmp_path: Path, threads: Executor
) -> None:
    """kill -9 after a few cells; the rerun keeps them and ends with the same numbers."""
    script = tmp_path / "run.py"
    script.write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "from homeroom.paper import Plan, Settings, Store, processes, run_cells\n"
        "from homeroom.paper.fig3a import Figure3a\n"
        "if __name__ == '__main__':\n"
        "    plan = Plan(Settings(students=40, dimensions=12, seeds=5000))\n"
        "    with processes(1) as pool:\n"
        "        run_cells(Figure3a().cells(plan), Store(Path(sys.argv[1])), pool)\n"
    )
    path = tmp_path / "cells.jsonl"
    running = subprocess.Popen([sys.executable, str(script), str(tmp_path)], start_new_session=True)
    try:
        deadline = time.monotonic() + 180
        while not path.exists() or path.read_bytes().count(b"\n") < 5:
            assert time.monotonic() < deadline, "no cell was finished in three minutes"
            assert running.poll() is None, "it was over before it could be killed"
            time.sleep(0.02)
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    kept = Store(tmp_path).rows
    plan = Plan(Settings(students=40, dimensions=12, seeds=5000))
    wanted = Figure3a().cells(plan)[: len(kept) + 5]
    assert 5 <= len(kept) < 5000
    resumed = run_cells(wanted, Store(tmp_path), threads)
    fresh = run_cells(wanted[:5], Store(None), threads)
    assert all(resumed[cell] == rows for cell, rows in fresh.items())
    lines = [json.loads(line)["key"] for line in path.read_text().splitlines()]
    assert lines[: len(kept)] == list(kept)
    assert len(lines) == len(set(lines))
