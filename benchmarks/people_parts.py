"""A comparison in parts: one model on one table with one fold held out.

Parts run in several processes, and finished ones are kept in a folder, so that a run that was
killed goes on where it was. A part is computed alone, with one thread of linear algebra: results do
not depend on how many processes there are.
"""

from __future__ import annotations

import hashlib
import io
import multiprocessing
import os
import pickle
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import homeroom
from benchmarks.people_data import Mask, Trials
from homeroom._arrays import Floats

Predictions = dict[str, Floats]
"""Chances for the sequences that are held out; one entry per model, of any shape."""

Work = Callable[[Trials, Mask], Predictions]
"""Given all sequences and which are held out: fit the others and predict them."""


class Part(NamedTuple):
    """A model and a fold of a table. ``work`` must be a function of a module, or a partial one."""

    table: str
    model: str
    fold: int
    data: Trials
    test: Mask
    work: Work

    @property
    def name(self) -> str:
        """The part in words."""
        return f"{self.table}: {self.model}, fold {self.fold + 1}"

    @property
    def key(self) -> str:
        """A name for the file of the result: other data, folds, models or code have another one."""
        digest = hashlib.sha256(_code() + pickle.dumps((self.table, self.model, self.work)))
        for array in (*self.data, self.test):
            found = np.zeros(0) if array is None else np.ascontiguousarray(array)
            digest.update(f"{found.shape} ".encode() + found.tobytes())
        return digest.hexdigest()[:32]


@cache
def _code() -> bytes:
    """Return a digest of the code that results depend on."""
    package, digest = Path(homeroom.__file__).parent, hashlib.sha256()
    folders = Path(__file__).parent, package / "observers" / "quizzing", package / "learners"
    for folder, names in zip(folders, ("people*.py", "*.py", "*.py"), strict=True):
        for path in sorted(folder.glob(names)):
            digest.update(path.read_bytes())
    return digest.digest()


def done(parts: Sequence[Part], workers: int, folder: Path | None = None) -> Iterator[Predictions]:
    """Yield the predictions of all parts in their order; report each on the standard error."""
    known = {} if folder is None else _known(parts, folder)
    if known:
        print(f"{len(known)} of {len(parts)} parts are in {folder}.", file=sys.stderr, flush=True)
    missing = [place for place in range(len(parts)) if place not in known]
    finished, given = _finished([parts[place] for place in missing], workers), 0
    number = len(known)
    while given < len(parts):
        if given in known:
            yield known.pop(given)
            given += 1
            continue
        turn, found, seconds = next(finished)
        place, number = missing[turn], number + 1
        known[place] = found
        if folder is not None:
            _store(_file(folder, parts[place]), found)
        report = f"[{number}/{len(parts)}] {parts[place].name} ({seconds:.1f} s)"
        print(report, file=sys.stderr, flush=True)


def _finished(parts: Sequence[Part], workers: int) -> Iterator[tuple[int, Predictions, float]]:
    """Yield place, predictions and seconds of each part, as they finish."""
    if workers == 1 or len(parts) < 2:
        for place, part in enumerate(parts):
            yield place, *_timed(part)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=_end_with_parent) as pool:
        asked = {pool.submit(_timed, part): place for place, part in enumerate(parts)}
        try:
            for future in as_completed(asked):
                yield asked[future], *future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _timed(part: Part) -> tuple[Predictions, float]:
    start = time.perf_counter()
    found = part.work(part.data, part.test)
    return found, time.perf_counter() - start


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, even if that was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_wait_for, args=(parent.sentinel,), daemon=True).start()


def _wait_for(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


# --- Files of finished parts ---------------------------------------------------------------------


def _file(folder: Path, part: Part) -> Path:
    return folder / f"{part.key}.npz"


def _known(parts: Sequence[Part], folder: Path) -> dict[int, Predictions]:
    """Return the parts that are in a folder; files that cannot be read count as missing."""
    found: dict[int, Predictions] = {}
    for place, part in enumerate(parts):
        try:
            with np.load(io.BytesIO(_file(folder, part).read_bytes())) as file:
                found[place] = dict(file)
        except (OSError, EOFError, ValueError, zipfile.BadZipFile):
            continue
    return found


def _store(path: Path, found: Predictions) -> None:
    """Write predictions; the file is whole or not there, whenever the process ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.tmp")
    arrays: dict[str, Any] = {**found}
    with partial.open("wb") as file:
        np.savez_compressed(file, **arrays)
    partial.replace(path)
