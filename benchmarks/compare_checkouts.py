"""Whether a change made lessons slower: the CPU time of two checkouts, measured in turns.

    python benchmarks/compare_checkouts.py BEFORE/src AFTER/src [NAME...]

In each of five turns two new processes alternate after every lesson, so that other work of the
machine affects both. A ratio is the median of five; the command fails if one is above the limit.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

TURNS = 5
LIMIT = 1.10
"""The greatest ratio of CPU times, after to before, that a step of a redesign may have."""

SECONDS = 0.25
"""How long a lesson is repeated for one measurement, which is the least time of one call."""


def lessons() -> dict[str, Callable[[], object]]:
    """Return the lessons by name; they use only public names that both checkouts have."""
    import homeroom as h

    sample = h.Classroom.sample
    small, paper, wide = sample(30, 5), sample(300, 10), sample(60, 5, rates=(0.1, 0.6))
    large, huge = (sample(size, 25, rates=(0.1, 0.5)) for size in (3000, 200_000))
    people = sample(20, 4, rates=(0.1, 0.6), spread=0.5, example_radius=1.0)
    items = np.random.default_rng(0).standard_normal((500, 10))
    pool = h.PoolTeacher(h.ItemPool(items / np.linalg.norm(items, axis=1, keepdims=True)))
    best, planned = h.BestGroups(3.0, by="rate", cells=12), h.PlannedTeacher(polish=False)
    return {
        "30 x 5": partial(h.teach, small, engine="exact"),
        "300 x 10": partial(h.teach, paper, engine="exact"),
        "3,000 x 25": partial(h.teach, large, engine="exact", max_rounds=100),
        "sketch, 200,000 x 25": partial(h.teach, huge, engine="sketch", max_rounds=100),
        "pool of 500 items": partial(h.teach, paper, teacher=pool, max_rounds=100),
        "3,000 individuals": partial(h.teach, large, groups=h.Individuals(), engine="exact"),
        "planned, 60 x 5": partial(h.teach, wide, teacher=planned, engine="exact"),
        "quiz, 20 x 4": partial(h.teach, people, observer=h.QuizObserver(), max_rounds=10),
        "best groups, 60 x 5": partial(h.teach, wide, groups=best, engine="exact"),
        "certify, 300 x 10": partial(h.certify, paper, groups=h.ByRate()),
    }


def measure() -> None:
    """Read names of lessons, and write the CPU seconds of each: the part of one process."""
    warnings.simplefilter("ignore")
    known = lessons()
    for name in map(str.strip, sys.stdin):
        known[name]()  # caches and late imports
        least, start = float("inf"), time.process_time()
        while time.process_time() - start < SECONDS:
            before = time.process_time()
            known[name]()
            least = min(least, time.process_time() - before)
        print(least, flush=True)


def start_process(source: str) -> subprocess.Popen[str]:
    """Return a process that measures the package in a folder."""
    assert Path(source, "homeroom").is_dir(), f"no package homeroom in {source}"
    environment = {**os.environ, "PYTHONPATH": str(Path(source).resolve()), "OMP_NUM_THREADS": "1"}
    command, pipe = [sys.executable, __file__, "--measure"], subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)


def ask(process: subprocess.Popen[str], name: str) -> float:
    """Return the CPU seconds of a lesson in a process."""
    assert process.stdin
    assert process.stdout
    print(name, file=process.stdin, flush=True)
    return float(process.stdout.readline())


def compare(before: str, after: str, names: list[str]) -> bool:
    """Print the table, and return whether every ratio is within the limit."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for turn in range(TURNS):
        processes = [start_process(before), start_process(after)]
        for name in names:
            first = turn % 2
            taken = {place: ask(processes[place], name) for place in (first, 1 - first)}
            times[name].append((taken[0], taken[1]))
        for process in processes:
            process.communicate()
    ratios = {name: median(b / a for a, b in pairs) for name, pairs in times.items()}
    print(f"{'lesson':22} {'before':>10} {'after':>10} {'ratio':>6}")
    for name, pairs in times.items():
        a, b = (1e3 * median(column) for column in zip(*pairs, strict=True))
        late = "  above the limit" if ratios[name] > LIMIT else ""
        print(f"{name:22} {a:7.2f} ms {b:7.2f} ms {ratios[name]:6.2f}{late}")
    return max(ratios.values()) <= LIMIT


if __name__ == "__main__":
    if sys.argv[1:] == ["--measure"]:
        measure()
    else:
        before, after, *names = sys.argv[1:]
        sys.exit(not compare(before, after, names or list(lessons())))
