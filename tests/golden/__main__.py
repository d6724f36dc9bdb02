"""Compute the golden table again: ``python -m tests.golden``.

    python -m tests.golden                  # only report what differs
    python -m tests.golden --write          # compute all results, and store them
    python -m tests.golden --write NAME...  # only rows whose name begins so, and new rows
    python -m tests.golden --processors     # report rows that depend on the processor

Rows with ``"truth": "textbook"`` are computed by ``benchmarks/textbook.py``; it is reported where
the engines differ from them. All others are recorded from the engines.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

import numpy as np

from benchmarks.textbook import PaperLesson, Taught, teach_by_the_paper
from homeroom import teach
from tests.golden.rows import (
    Row,
    arguments_of,
    build_room,
    differences,
    pick_five,
    project_states,
    read_table,
    read_value,
    run,
    write_table,
)

PROCESSORS = ("Haswell", "Sandybridge", "SkylakeX")
AGREES = 1e-8
"""How closely results on several processors agree, as a fraction; float32 rows are left out."""


def main(options: list[str]) -> int:
    """Compute, report and perhaps store; return 1 if a result differs."""
    names = tuple(option for option in options if not option.startswith("--"))
    rows = [row for row in read_table() if row["name"].startswith(names or "")]
    if "--print" in options:
        sys.stdout.write(json.dumps({row["name"]: run(row) for row in rows}))
        return 0
    if "--processors" in options:
        return report(line for name in PROCESSORS for line in compare_processor(name, rows))
    if "--write" in options:
        store(names)
        return 0
    return report(line for row in rows for line in differences(row, run(row)))


def report(lines: Any) -> int:
    """Write the lines, and return whether there was any."""
    count = 0
    for line in lines:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
        count += 1
    return int(count > 0)


def compare_processor(name: str, rows: list[Row]) -> list[str]:
    """Return where the kernels of another processor give other results than those stored."""
    command = [sys.executable, "-m", "tests.golden", "--print", *(row["name"] for row in rows)]
    settings = {**os.environ, "OPENBLAS_CORETYPE": name}
    done = subprocess.run(command, env=settings, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    return [
        f"{name}: {line}"
        for row in rows
        for line in differences(row, found[row["name"]], max(AGREES, row.get("relative", 0.0)))
    ]


def store(names: tuple[str, ...]) -> None:
    """Compute the results of these rows, of all by default, and of those without; store them."""
    rows, start = read_table(), time.process_time()
    for row in rows:
        if "result" in row and not row["name"].startswith(names or ""):
            continue
        row.pop("result", None)
        ours = run(row)
        row["result"] = run_textbook(row) if row.get("truth") == "textbook" else ours
        report(f"the engines differ: {line}" for line in differences(row, ours))
    write_table(rows)
    report([f"{len(rows)} rows, {time.process_time() - start:.0f} s"])


def run_textbook(row: Row) -> dict[str, Any]:
    """Return the result of a row by the textbook: each group by itself, groups as in a lesson."""
    room, settings = build_room(row["room"]), arguments_of(row)
    seed, lesson = row.get("seed", 0), read_lesson(row)
    group_of = np.zeros(room.students, dtype=int)
    if "groups" in row:
        group_of = teach(room, groups=settings["groups"], seed=seed, max_rounds=0).group_of
    count = int(group_of.max()) + 1
    streams = np.random.default_rng(seed).spawn(2)[1].spawn(count)
    members = [np.flatnonzero(group_of == group) for group in range(count)]
    taught = [
        teach_by_the_paper(room.subset(rows), lesson, stream)
        for rows, stream in zip(members, streams, strict=True)
    ]
    return summarise_groups(taught, members)


def summarise_groups(taught: list[Taught], members: list[Any]) -> dict[str, Any]:
    """Return what the table keeps; a group that is done keeps its error."""
    students = sum(map(len, members))
    rounds = [len(group.errors) - 1 for group in taught]
    longest = max(rounds)
    errors = np.zeros(longest + 1)
    states = np.empty((students, *taught[0].states.shape[1:]))
    for group, rows in zip(taught, members, strict=True):
        padded = group.errors + [group.errors[-1]] * (longest + 1 - len(group.errors))
        errors += np.array(padded) * len(rows) / students
        states[rows] = group.states
    return {
        "rounds": sum(rounds),
        "workload": float(np.dot(rounds, [len(rows) for rows in members])) / students,
        "groups": len(taught),
        "stop": next((group.stop for group in taught if group.stop != "GOAL"), "GOAL"),
        "errors": pick_five(errors),
        "states": project_states(states),
    }


def read_component(given: Any) -> tuple[str, dict[str, Any]]:
    """Return the name and the arguments of a component, given as a text or an object."""
    if isinstance(given, dict):
        return given["name"], {key: value for key, value in given.items() if key != "name"}
    name, _, rest = given.partition(":")
    pairs = [part.partition("=") for part in rest.split(",") if part]
    return name, {
        key: value if value.isalpha() and value not in ("true", "false") else json.loads(value)
        for key, _, value in pairs
    }


def read_lesson(row: Row) -> PaperLesson:
    """Return the lesson of a row in the paper's terms."""
    teacher, how = read_component(row.get("teacher", "classroom"))
    observer, sees = read_component(row.get("observer", "exact"))
    learner, learns = read_component(row.get("learner", "gradient"))
    goal, ends = read_component(row.get("goal", "average"))
    pool, holds = read_component(how.pop("pool", "ball"))
    pools = {pool: read_value("items", next(iter(holds.values())))} if holds else {}
    sees_states = {"noisy-states": "state_error", "noisy-moments": "matrix_error"}
    observed: dict[str, Any] = {}
    if observer in sees_states:
        observed = {sees_states[observer]: sees["delta"]}
    elif observer == "rate-history":
        observed = {"history": sees["sigma"], "known_weights": sees.get("weights") == "known"}
    assert teacher in ("classroom", "pool", "random", "mean"), row["name"]
    assert learner in ("gradient", "stochastic-rate", "langevin"), row["name"]
    return PaperLesson(
        chooses=teacher if teacher in ("random", "mean") else "best",
        eps=ends.get("eps", 0.1),
        everyone=goal == "everyone",
        max_rounds=row.get("max_rounds", 100_000),
        **how,
        **pools,
        **observed,
        **learns,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
