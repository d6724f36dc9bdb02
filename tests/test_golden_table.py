"""The golden table: the same settings give the same lessons as before.

``tests/golden/rows.py`` explains a row. A result that changes on purpose is stored again by
``python -m tests.golden --write NAME``, in a commit that says why.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

import pytest

from tests.golden.__main__ import read_component, run_textbook
from tests.golden.rows import KINDS, Row, differences, read_table, run

ROWS = read_table()


def case(row: Row) -> Any:
    marks = [pytest.mark.slow] if row.get("slow") else []
    return pytest.param(row, id=row["name"], marks=marks)


@pytest.mark.parametrize("row", [case(row) for row in ROWS])
def test_the_result_is_as_stored(row: Row) -> None:
    pytest.importorskip(row["room"].get("library", "numpy"))
    differs = differences(row, run(row))
    assert not differs, "\n".join(differs)


def is_small(row: Row) -> bool:
    return bool(row["room"].get("students", 300) <= 60 and row.get("max_rounds", 1500) <= 300)


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, id=row["name"]) for row in ROWS if "truth" in row and is_small(row)][::2],
)
def test_the_textbook_still_gives_what_is_stored(row: Row) -> None:
    differs = differences(row, run_textbook(row))
    assert not differs, "\n".join(differs)


def test_names_are_unique_and_every_row_has_a_result() -> None:
    names = [row["name"] for row in ROWS]
    assert len(set(names)) == len(names)
    assert all(row.get("result") for row in ROWS)


@pytest.mark.parametrize("kind", sorted(KINDS.values()))
def test_every_registered_component_is_in_the_table(kind: str) -> None:
    registered = {entry.name for entry in entry_points(group=f"homeroom.{kind}")}
    argument = next(name for name, its_kind in KINDS.items() if its_kind == kind)
    holders = [row["teacher"] for row in ROWS if isinstance(row.get("teacher"), dict)]
    given = [holder.get("pool") for holder in holders] if kind == "pools" else []
    given += [row.get(argument) for row in ROWS]
    given += [way for row in ROWS for way in row.get("ways", {}).values() if kind == "groups"]
    used = {read_component(one)[0] for one in given if one is not None}
    defaults = {"exact"}  # the observer of all rows that name none
    assert registered == used | (defaults & registered)


STORED: Row = {
    "name": "one",
    "result": {
        "rounds": 8,
        "errors": [4.0, 1e-3, 1e-14],
        "states": [0.0, 1.0, 2.0, 1.0],
        "bounds": [1.0, None],
    },
}


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        ({}, False),
        ({"errors": [4.0, 1e-3 * (1 + 1e-9), 2e-14]}, False),
        ({"states": [1e-9, 1.0, 2.0, 1.0]}, False),
        ({"rounds": 9}, True),
        ({"errors": [4.0, 1e-3 * (1 + 1e-6), 1e-14]}, True),
        ({"errors": [4.0, 1e-3]}, True),
        ({"states": [1e-6, 1.0, 2.0, 1.0]}, True),
        ({"bounds": [1.0, 0.5]}, True),
        ({"more": 1}, True),
    ],
)
def test_a_difference_is_found_and_names_the_row(change: dict[str, Any], differs: bool) -> None:
    lines = differences(STORED, STORED["result"] | change)
    assert len(lines) == int(differs)
    assert all(line.startswith(f"one: {next(iter(change))} ") for line in lines)


def test_lessons_at_random_are_compared_in_distribution() -> None:
    row = {"name": "many", "seeds": 16, "result": {"rounds": [30.0, 4.0]}}
    assert not differences(row, {"rounds": [33.0, 4.0]})
    assert differences(row, {"rounds": [36.0, 4.0]})
