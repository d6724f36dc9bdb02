"""A plan and a map on cores that have other work to do: linear algebra on one thread, or on all.

Times are medians: beside busy processes, the least time is that of a lucky moment.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from unittest.mock import patch

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.crowds import simulate
from benchmarks.timing import Line, Work
from homeroom import Classroom, PlannedTeacher, teach
from homeroom.crowd import Embedding

TURNS = 5


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    room = Classroom.sample(students=30, seed=0, rates=(0.05, 0.55))
    answers = simulate().answers
    works: dict[str, Work] = {
        "a plan for 30 students": lambda: teach(room, teacher=PlannedTeacher()),
        "a map of 160 x 67 answers": lambda: Embedding.fit(answers, dimensions=2),
    }
    cores = os.cpu_count() or 1
    with threadpool_limits(cores, user_api="blas"):
        for what, work in works.items():
            yield from _line(f"{what}, idle cores", work, None)
            with neighbours(cores):
                yield from _line(f"{what}, busy cores", work, 0.8)


def _line(what: str, work: Work, limit: float | None) -> Iterator[Line]:
    def freely() -> None:
        with patch("homeroom._descent.one_thread", nullcontext):
            work()

    took = np.array([[_seconds(work), _seconds(freely)] for _ in range(TURNS)])
    ours, theirs = np.median(took, axis=0).tolist()
    yield Line(what, ours, "on all threads", theirs, limit)


def _seconds(work: Work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@contextmanager
def neighbours(number: int) -> Iterator[None]:
    """Keep this many cores busy for a while."""
    busy = [multiprocessing.Process(target=_count, daemon=True) for _ in range(number)]
    for process in busy:
        process.start()
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.join()


def _count() -> None:
    while True:
        pass
