"""The page "The paper in 40 lines": its code agrees with both engines, and its table is right."""

from __future__ import annotations

import importlib
import re
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, LangevinLearner, teach

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/paper-in-numpy.md").read_text(encoding="utf-8")


def run_page() -> dict[str, Any]:
    """Return what the examples of the page define."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    code = "\n".join(line[4:] for line in lines if line.startswith((">>>", "...")))
    names: dict[str, Any] = {}
    exec(compile(code, "docs/paper-in-numpy.md", "exec"), names)  # our own page
    return names


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    return run_page()


def table() -> list[list[list[str]]]:
    """Return the names in code of each row of the page's table, by column."""
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "---" not in line][1:]
    return [[re.findall(r"`([^`]+)`", cell) for cell in row.split("|")[1:-1]] for row in rows]


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        *((name, "exact") for name in run_page()["variants"]),
        *((name, "sketch") for name in ("Algorithm 1", "dynamic magnitude", "C pool")),
    ],
)
def test_the_page_and_the_engines_agree(page: dict[str, Any], name: str, engine: str) -> None:
    paper_settings, settings = page["variants"][name]
    for seed in range(3):
        room = Classroom.sample(students=40, dimensions=6, rates=(0.05, 0.4), seed=seed)
        theirs, ours, same = page["compare_both"](
            room, paper_settings, settings | {"engine": engine}, seed=seed
        )
        assert theirs == ours > 10
        assert same


def test_they_agree_where_students_reach_the_edge_of_their_ball(page: dict[str, Any]) -> None:
    room = Classroom.sample(students=20, dimensions=3, seed=1)
    longest = float(np.linalg.norm(room.states, axis=1).max())
    errors = []
    for radius in (longest, 100.0):
        tight = Classroom(room.states, room.rates, room.target, state_radius=radius)
        learner = LangevinLearner(0.5)
        theirs, ours, same = page["compare_both"](
            tight, {"beta": 0.5}, {"learner": learner}, eps=2.0
        )
        assert theirs == ours
        assert same
        errors.append(teach(tight, goal=AverageGoal(2.0), learner=learner).errors[1])
    assert errors[0] < errors[1]


def test_the_code_is_short() -> None:
    code = re.search(r">>> def teach_class\((.*?)```", PAGE, re.DOTALL)
    assert code is not None
    assert len(code[1].splitlines()) <= 50


@pytest.mark.parametrize("name", sorted({name for row in table() for name in row[2]}))
def test_every_name_of_the_table_exists(name: str) -> None:
    package, _, rest = f"homeroom.{name}".rpartition(".")
    parts = [*package.split("."), rest]
    for split in range(len(parts) - 1, 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:split]))
        except ModuleNotFoundError:
            continue
        assert callable(reduce(getattr, parts[split:], module))
        return
    pytest.fail(name)


@pytest.mark.parametrize("name", sorted({name for row in table() for name in row[3]}))
def test_every_test_of_the_table_exists(name: str) -> None:
    assert (ROOT / "tests" / name).is_file()
