"""``homeroom crowd teach`` on a large table: 10^6 answers of 20,000 people to 2,000 items.

The command runs as a user would start it, in a separate process and at a terminal, so that it
shows its progress. The table is written into a temporary folder, which is removed afterwards.
"""

from __future__ import annotations

import csv
import os
import pty
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.crowds import simulate
from benchmarks.timing import Line

ITEMS, PEOPLE, ANSWERS = 2000, 20_000, 1_000_000
STAGES = ("Reading", "Fitting the map", "Choosing items")
"""The steps that the command reports, in this order."""


class Run(NamedTuple):
    """The time of a command, its peak memory, and its output."""

    seconds: float
    peak: float
    said: str


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    with tempfile.TemporaryDirectory(prefix="homeroom-benchmark-") as folder:
        table, labels = write(Path(folder), ITEMS, PEOPLE, ANSWERS)
        out = Path(folder) / "lesson"
        ran = at_a_terminal(
            ["crowd", "teach", str(table), "--labels", str(labels), "--out", str(out)]
        )
        rounds = sum(1 for _ in (out / "lesson.csv").open(encoding="utf-8")) - 1
    for stage in STAGES:
        if stage not in ran.said:
            raise SystemExit(f"The command should say that it is {stage.lower()!r}.")
    print(f"A lesson of {rounds} examples in all; the last lines:\n{ran.said[-900:]}")
    what = "crowd teach, 1,000,000 answers, 20,000 people, 2,000 items"
    yield Line(what, ran.seconds, "3 minutes", 180.0, 1.0)
    yield Line("its memory at the peak, all of it", ran.peak, "2 GB", 2e9, 1.0, unit="B")


def write(folder: Path, items: int, people: int, answers: int) -> tuple[Path, Path]:
    """Write a simulated crowd as a table of answers, and the expert's labels in their own file."""
    world = simulate(items, people, answers=answers).answers
    order = np.random.default_rng(0).permutation(len(world))
    table, labels = folder / "answers.csv", folder / "labels.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["student", "item", "answer"])
        columns = (world.person[order], world.item[order], world.yes[order].astype(int))
        for person, item, yes in zip(*(column.tolist() for column in columns), strict=True):
            rows.writerow([f"person-{person}", f"item-{item}", yes])
    with labels.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["item", "label"])
        rows.writerows(
            (f"item-{name}", int(label > 0))
            for name, label in zip(world.items, world.labels.tolist(), strict=True)
        )
    return table, labels


def at_a_terminal(arguments: list[str]) -> Run:
    """Run homeroom as at a terminal, and return its time and memory."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    start = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        command = str(Path(sys.executable).with_name("homeroom"))
        os.execv(command, [command, *arguments])
    said = b"".join(_heard(terminal))
    _, status = os.waitpid(child, 0)
    took = time.perf_counter() - start
    if status:
        raise SystemExit(f"The command failed: {said.decode()[-500:]}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    if peak <= before:
        raise SystemExit("Its memory cannot be measured: an earlier command used more.")
    return Run(took, 1024.0 * peak, said.decode(errors="replace"))


def _heard(terminal: int) -> Iterator[bytes]:
    """Yield the output of a terminal until it is closed, which Linux reports as an error."""
    while True:
        try:
            block = os.read(terminal, 1 << 16)
        except OSError:
            return
        if not block:
            return
        yield block
