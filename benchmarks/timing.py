"""Shared by all benchmarks: timing in turns, and a line of the table."""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import homeroom
from homeroom._files import replacing

Work = Callable[[], object]
Result = TypeVar("Result")

JOBS = int(os.environ.get("JOBS", os.cpu_count() or 1))
"""The number of processes of benchmarks that count and do not measure times."""


def in_processes(work: Callable[..., Result], *columns: Iterable[Any]) -> list[Result]:
    """Return what a function gives for each seed, in order, by ``JOBS`` processes.

    With ``PARTS=FOLDER`` each result is kept there, so that a run that was killed can be resumed.
    """
    calls = list(zip(*columns, strict=True))
    files = [_part(work, call) for call in calls]
    missing = [place for place, file in enumerate(files) if file is None or not file.exists()]
    found: dict[int, Result] = {}
    with ProcessPoolExecutor(JOBS) as pool:
        places = {pool.submit(work, *calls[place]): place for place in missing}
        try:
            for future in as_completed(places):
                found[places[future]] = future.result()
                file = files[places[future]]
                if file is not None:
                    with replacing(file) as unfinished:
                        unfinished.write_bytes(pickle.dumps(future.result()))
                    print(f"{len(found)} of {len(missing)} parts", file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    kept = {place: file for place, file in enumerate(files) if file and place not in found}
    found |= {place: pickle.loads(file.read_bytes()) for place, file in kept.items()}
    return [found[place] for place in range(len(calls))]


def _part(work: Callable[..., Any], call: tuple[Any, ...]) -> Path | None:
    """Return the file of one result.

    Its name depends on the code, the arguments, the contents of files among them, and the constants
    of the module, which environment variables may set.
    """
    folder = os.environ.get("PARTS")
    if not folder:
        return None
    Path(folder).mkdir(parents=True, exist_ok=True)
    inner, given = (
        (work.func, (work.args, work.keywords)) if isinstance(work, partial) else (work, ())
    )
    constants = {key: value for key, value in inner.__globals__.items() if key.isupper()}
    read = [one.read_bytes() for one in call if isinstance(one, Path)]
    name = f"{inner.__module__}.{inner.__qualname__}{given}{call}{constants}".encode()
    return Path(folder) / hashlib.sha256(b"".join([_code(), name, *read])).hexdigest()[:32]


@cache
def _code() -> bytes:
    """Return a digest of the package and the benchmarks."""
    digest = hashlib.sha256()
    for folder in (Path(homeroom.__file__).parent, Path(__file__).parent):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.digest()


def take_turns(
    *works: Work,
    turns: int,
    in_a_row: int = 1,
    calls: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """Return the least seconds per call for each of the works.

    They take turns, so that other work of the machine affects all of them. The least time, not
    the mean, because other processes can only make it longer.

    Parameters
    ----------
    works
        What to measure.
    turns
        How often each has its turn.
    in_a_row
        How many measurements a turn has: the first may find the caches full of the others' data.
    calls
        How many calls are measured as one, for work that is short.
    clock
        What is measured; ``time.process_time`` for processor time, which other programs barely
        change.
    """
    least = [float("inf")] * len(works)
    for _ in range(turns):
        for place, work in enumerate(works):
            for _ in range(in_a_row):
                start = clock()
                for _ in range(calls):
                    work()
                least[place] = min(least[place], (clock() - start) / calls)
    return least


def peak_bytes(work: Work) -> int:
    """Return how much memory the work took at its peak, beyond what was there before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


class Line(NamedTuple):
    """A line of the table: ours compared with something else, and the limit of the ratio.

    Parameters
    ----------
    what, against
        In words.
    ours, theirs
        Seconds, bytes, or plain numbers.
    limit
        The limit of the ratio, if there is one.
    faster
        Whether the ratio says how many times faster ours is (``theirs / ours``, at least the
        limit), or else how many times as much it takes (``ours / theirs``, at most the limit).
    unit
        ``"s"``, ``"B"`` or ``""``.
    """

    what: str
    ours: float
    against: str
    theirs: float
    limit: float | None = None
    faster: bool = False
    unit: str = "s"

    @property
    def ratio(self) -> float:
        """How many times faster, or how many times as much."""
        return self.theirs / self.ours if self.faster else self.ours / self.theirs

    @property
    def ok(self) -> bool:
        """Whether the limit is kept."""
        if self.limit is None:
            return True
        return self.ratio >= self.limit if self.faster else self.ratio <= self.limit

    def cells(self) -> tuple[str, ...]:
        """Return the line as it is printed."""
        kind = "x faster" if self.faster else "x"
        sign = "at least" if self.faster else "at most"
        return (
            self.what,
            amount(self.ours, self.unit),
            self.against,
            amount(self.theirs, self.unit),
            f"{self.ratio:{'.2f' if abs(self.ratio) < 1e6 else '.3g'}}{kind}",
            "" if self.limit is None else f"{sign} {self.limit:g}x",
            "" if self.limit is None else ("yes" if self.ok else "NO"),
        )


def amount(value: float, unit: str) -> str:
    """Return seconds or bytes with a prefix that suits them, or a plain number.

    >>> amount(0.00235, "s"), amount(2e8, "B"), amount(0.0563, "")
    ('2.35 ms', '200 MB', '0.0563')
    """
    if not unit:
        return f"{value:.3g}"
    prefixes = {"s": {"": 1.0, "m": 1e-3, "u": 1e-6}, "B": {"G": 1e9, "M": 1e6, "k": 1e3}}[unit]
    prefix = next((name for name, size in prefixes.items() if value >= size), [*prefixes][-1])
    return f"{value / prefixes[prefix]:.3g} {prefix}{unit}"
