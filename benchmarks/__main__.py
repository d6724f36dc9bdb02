"""``python -m benchmarks [NAME...]``: one table; fails if a limit is exceeded."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from platform import machine, python_version

from benchmarks.timing import Line

# Threads of BLAS that wait for each other on busy cores would measure other processes.
# NumPy reads this when it is first imported, which is when the first benchmark is.
THREADS = os.environ.setdefault("OMP_NUM_THREADS", "1")

NAMES = (
    "large_class",
    "small_class",
    "pool",
    "individuals",
    "sketch",
    "precision",
    "best_groups",
)
ON_REQUEST = {
    "crowd": "crowd",
    "crowd-classes": "crowd_classes",
    "crowd-teach": "crowd_teach",
    "clusters": "clusters",
    "schools": "clusters",
    "dask": "dask_pass",
    "planned": "planned",
    "transients": "transients",
    "disturbed": "disturbed",
    "quiz": "quiz",
    "people": "people",
    "fitted-learner": "fitted_learner",
    "simulated-people": "simulated_people",
    "simulated_people": "simulated_people",
    "people-orders": "people_orders",
    "experiments": "experiments",
    "live": "live",
    "live-people": "live_people",
    "live-attack": "live_attack",
    "handwriting": "handwriting",
    "real-letters": "real_letters",
    "fit-limit": "fit_limit",
    "network": "network",
    "busy": "busy",
    "code": "code",
}
"""Benchmarks that run only by name: they take minutes, or write gigabytes."""

HEAD = ("what", "ours", "against", "theirs", "ratio", "limit", "ok")


def main(chosen: list[str]) -> int:
    """Run the benchmarks and print the table; return 1 if a limit was missed."""
    if chosen[:1] == ["people"]:  # has options of its own
        return int(import_module("benchmarks.people").main(chosen[1:]))
    if chosen[:1] == ["people-orders"]:
        chosen = [name for name in chosen if name != "--quick"]  # which it reads itself
    known = (*NAMES, *ON_REQUEST)
    unknown = [name for name in chosen if name not in known]
    if unknown:
        print(f"There is no benchmark called {unknown[0]!r}: choose from {', '.join(known)}.")
        return 2
    lines: list[Line] = []
    for name in chosen or NAMES:
        print(f"{name} ...", file=sys.stderr, flush=True)
        lines += import_module(f"benchmarks.{ON_REQUEST.get(name, name)}").lines()
    print(f"{_versions()}; {machine()}, {os.cpu_count()} cores, OMP_NUM_THREADS={THREADS}\n")
    print(table([HEAD, *(line.cells() for line in lines)]))
    missed = [line for line in lines if not line.ok]
    print(f"\n{len(missed)} of {sum(line.limit is not None for line in lines)} limits missed.")
    return 1 if missed else 0


def table(lines: Sequence[tuple[str, ...]]) -> str:
    """Return the rows as a table that is also Markdown."""
    rows = list(lines)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, tuple("-" * width for width in widths))
    return "\n".join("| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows)


def _versions() -> str:
    return ", ".join([f"Python {python_version()}", *map(_version, ("numpy", "scipy", "torch"))])


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"no {package} (its lines are left out)"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
