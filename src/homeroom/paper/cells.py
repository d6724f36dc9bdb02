"""Many small measurements, each kept as soon as it is there.

A *cell* is one measurement: an experiment's name, what it depends on, and a seed. Its result is a
list of rows. Cells are independent, so they run on any executor, in any order, with the same
numbers. Each finished cell is a line of ``cells.jsonl``, written at once; a run that was killed
goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]

WAITING = 64
"""How many cells are handed out ahead of the results."""


@dataclass(frozen=True)
class Cell:
    """One measurement.

    Parameters
    ----------
    experiment
        The name of a function in :mod:`homeroom.paper.experiments`.
    inputs
        What it is called with, as JSON text, so that a cell can be a key.
    """

    experiment: str
    inputs: str

    @classmethod
    def of(cls, experiment: str, **inputs: Any) -> Cell:
        """Return the cell of an experiment with these inputs."""
        return cls(experiment, json.dumps(inputs, sort_keys=True))

    @property
    def key(self) -> str:
        """A name for the cell that also tells states of the code apart."""
        text = f"{code_as_measured()}|{self.experiment}|{self.inputs}"
        return hashlib.sha256(text.encode()).hexdigest()[:20]


@cache
def code_as_measured() -> str:
    """Return what tells one state of homeroom's code from another: numbers of old code are old."""
    package = Path(__file__).parent.parent
    code = hashlib.sha256(version("homeroom").encode())
    for path in sorted(package.rglob("*.py")):
        if path.relative_to(package).parts[0] not in ("cli", "plots"):
            code.update(path.read_bytes())
    return code.hexdigest()


def run_cell(cell: Cell) -> tuple[list[Row], float]:
    """Return a cell's rows, and how many seconds it took. Runs in a worker."""
    start = perf_counter()
    experiment: Callable[..., list[Row]] = getattr(
        import_module("homeroom.paper.experiments"), cell.experiment
    )
    with warnings.catch_warnings():
        # The paper's dynamic magnitude may move the fastest away for a while. That is part of what
        # is measured, and a word about it from each of a thousand cells would help nobody.
        warnings.filterwarnings("ignore", r"rate \* \|x\|\^2 is .* above 2", UserWarning)
        rows = experiment(**json.loads(cell.inputs))
    return rows, perf_counter() - start


class Store:
    """Finished cells on disk, a line each; ``None`` keeps them in memory only."""

    def __init__(self, folder: Path | None) -> None:
        self.path = None if folder is None else folder / "cells.jsonl"
        self.rows: dict[str, list[Row]] = {}
        self.seconds: dict[str, float] = {}
        self._cut_off = False
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def _read(self, path: Path) -> None:
        """Read what is there; a line that was cut off in writing, or damaged, is passed over."""
        line = b"\n"
        with path.open("rb") as file:
            for line in file:
                try:
                    found = json.loads(line)
                    key, rows, seconds = found["key"], found["rows"], float(found["seconds"])
                except (ValueError, KeyError, TypeError):
                    continue
                self.rows[key], self.seconds[key] = rows, seconds
        self._cut_off = not line.endswith(b"\n")

    def put(self, cell: Cell, rows: list[Row], seconds: float) -> None:
        """Keep a finished cell, on disk before this returns."""
        self.rows[cell.key], self.seconds[cell.key] = rows, seconds
        if self.path is None:
            return
        told = {"key": cell.key, "experiment": cell.experiment, "rows": rows, "seconds": seconds}
        line = ("\n" if self._cut_off else "") + json.dumps(told) + "\n"
        self._cut_off = False
        # One write at the end of the file: lines stay whole, whoever else is writing.
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            os.write(handle, line.encode())
            os.fsync(handle)
        finally:
            os.close(handle)


def run_cells(
    cells: Iterable[Cell],
    store: Store,
    executor: Executor,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> dict[Cell, list[Row]]:
    """Run the cells that are not stored yet, and return the rows of all.

    Parameters
    ----------
    cells
        What to measure; the same cell twice is measured once.
    store
        Where finished cells are kept.
    executor
        Anything with ``submit``: processes, threads, ``dask_client.get_executor()``.
    progress
        Called with how many of how many cells are done.
    """
    wanted = list(dict.fromkeys(cells))
    missing = [cell for cell in wanted if cell.key not in store.rows]
    done = len(wanted) - len(missing)
    progress(done, len(wanted))
    waiting: dict[Future[tuple[list[Row], float]], Cell] = {}
    try:
        for cell in _with_end(missing):
            if cell is not None:
                waiting[executor.submit(run_cell, cell)] = cell
            while waiting and (cell is None or len(waiting) >= WAITING):
                finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in [each for each in waiting if each in finished]:  # in order
                    store.put(waiting.pop(future), *future.result())
                    done += 1
                    progress(done, len(wanted))
    except BaseException:
        for future in waiting:
            future.cancel()
        raise
    return {cell: store.rows[cell.key] for cell in wanted}


def _with_end(cells: list[Cell]) -> Iterator[Cell | None]:
    yield from cells
    yield None


@contextmanager
def processes(workers: int) -> Iterator[Executor]:
    """Give an executor of processes, one thread of linear algebra in each.

    One thread each: the processes fill the cores, and results do not depend on their number.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            yield pool
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
