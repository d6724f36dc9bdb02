"""Run many small experiments, and store each result as soon as it is available.

A *cell* is one run of an experiment: a function at the top level of a module, its inputs, and a
seed. Its result is a list of rows. Cells are independent, so they give the same numbers on any
executor and in any order, on machines with the same processor and packages. Each finished cell is
written at once as one line of ``cells.jsonl``; a run that was killed resumes from there.
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
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any, TypeAlias

from homeroom import _plugins
from homeroom.studies.rows import Row
from homeroom.studies.settings import PaperSettings

Experiment: TypeAlias = Callable[..., list[Row]]
"""Returns the rows of one run; its arguments are JSON values, and ``settings``."""

WAITING = 64
"""How many cells are submitted ahead of the results."""

CELLS = "cells.jsonl"
"""The file of a store in its folder."""


@dataclass(frozen=True)
class ExperimentCell:
    """One run of an experiment.

    Parameters
    ----------
    experiment
        Where a worker finds the function, as ``"module:function"``.
    inputs
        Its keyword arguments as JSON text, which makes the cell hashable; ``settings`` are those
        of :meth:`PaperSettings.for_a_class`.
    """

    experiment: str
    inputs: str

    @classmethod
    def of(cls, experiment: Experiment, **inputs: Any) -> ExperimentCell:
        """Return the cell of an experiment with these inputs."""
        where = f"{experiment.__module__}:{experiment.__name__}"
        return cls(where, json.dumps(inputs, sort_keys=True))

    @property
    def key(self) -> str:
        """A name for the cell that changes with the code: numbers of old code are not reused."""
        text = f"{code_version()}|{self.experiment}|{self.inputs}"
        return hashlib.sha256(text.encode()).hexdigest()[:20]


@cache
def code_version() -> str:
    """Return a hash of homeroom's version and source code, command line and plots excluded."""
    package = Path(__file__).parent.parent
    code = hashlib.sha256(_plugins.version().encode())
    for path in sorted(package.rglob("*.py")):
        if path.relative_to(package).parts[0] not in ("cli", "plots"):
            code.update(path.read_bytes())
    return code.hexdigest()


def run_cell(cell: ExperimentCell) -> tuple[list[Row], float]:
    """Return a cell's rows, and the seconds of one core that it took. Runs in a worker."""
    module, _, name = cell.experiment.partition(":")
    experiment: Experiment = getattr(import_module(module), name)
    inputs = json.loads(cell.inputs)
    if "settings" in inputs:
        inputs["settings"] = PaperSettings.from_json(inputs["settings"])
    start = process_time()
    with warnings.catch_warnings():
        # The paper's dynamic magnitude may move the fastest students away for a while. That is part
        # of the measurement; the same warning from a thousand cells would not help.
        warnings.filterwarnings("ignore", r"rate \* \|x\|\^2 is .* above 2", UserWarning)
        rows = experiment(**inputs)
    return rows, process_time() - start


class CellStore:
    """Finished cells on disk, one line per cell; without a folder they stay in memory."""

    def __init__(self, folder: Path | None) -> None:
        self.path = None if folder is None else folder / CELLS
        self.rows: dict[str, list[Row]] = {}
        self.seconds: dict[str, float] = {}
        self._cut_off = False
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def _read(self, path: Path) -> None:
        """Read every line that is valid, and note whether the last line lacks its line break.

        Skip the others, such as a line that was being written when the run was killed, or whose
        rows were damaged since. (Lines of version 0.2 have no sum to tell.)
        """
        line = b"\n"
        with path.open("rb") as file:
            for line in file:
                try:
                    found = json.loads(line)
                    key, rows, seconds = found["key"], found["rows"], float(found["seconds"])
                    if isinstance(rows, list) and found.get("sum", _sum(rows)) == _sum(rows):
                        self.rows[key], self.seconds[key] = rows, seconds
                except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
                    continue
        self._cut_off = not line.endswith(b"\n")

    def put(self, cell: ExperimentCell, rows: list[Row], seconds: float) -> None:
        """Store a finished cell. With a folder, it is on disk when this returns."""
        self.rows[cell.key], self.seconds[cell.key] = rows, seconds
        if self.path is None:
            return
        about = {"key": cell.key, "experiment": cell.experiment, "sum": _sum(rows)}
        entry = {**about, "rows": rows, "seconds": seconds}
        line = (("\n" if self._cut_off else "") + json.dumps(entry) + "\n").encode()
        # A single append: lines stay whole even if another process writes to the file.
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            written = os.write(handle, line)
            self._cut_off = written < len(line)
            if self._cut_off:
                raise OSError(f"{self.path}: only a part of a line was written. Is the disk full?")
            os.fsync(handle)
        finally:
            os.close(handle)


def _sum(rows: list[Row]) -> str:
    """Return a check sum of rows."""
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:8]


def run_cells(
    cells: Iterable[ExperimentCell],
    store: CellStore,
    executor: Executor,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> dict[ExperimentCell, list[Row]]:
    """Run the cells that are not stored yet, and return the rows of all cells.

    Parameters
    ----------
    cells
        The cells to run; duplicates run once.
    store
        Where finished cells are stored.
    executor
        Anything with ``submit``: processes, threads, ``dask_client.get_executor()``.
    progress
        Called with the number of finished cells and the number of all cells.
    """
    wanted = list(dict.fromkeys(cells))
    missing = [cell for cell in wanted if cell.key not in store.rows]
    done = len(wanted) - len(missing)
    progress(done, len(wanted))
    remaining = iter(missing)
    waiting: dict[Future[tuple[list[Row], float]], ExperimentCell] = {}
    try:
        while True:
            for cell in islice(remaining, WAITING - len(waiting)):
                waiting[executor.submit(run_cell, cell)] = cell
            if not waiting:
                break
            finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
            errors = []
            for future in [each for each in waiting if each in finished]:  # in order
                cell = waiting.pop(future)
                if error := future.exception():
                    errors.append(error)
                    continue
                store.put(cell, *future.result())
                done += 1
                progress(done, len(wanted))
            if errors:
                raise errors[0]
    except BaseException:
        for future in waiting:
            future.cancel()
        raise
    return {cell: store.rows[cell.key] for cell in wanted}


@contextmanager
def processes(workers: int) -> Iterator[Executor]:
    """Yield a pool of ``workers`` processes with one linear algebra thread each.

    So results do not depend on the number of processes. The environment variables that set this
    are restored at the end.
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
