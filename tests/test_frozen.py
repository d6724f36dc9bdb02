"""What users see is as stored: results and files of commands, the web API, boards of classes.

``tests/frozen/outputs.py`` explains what is stored. What changes on purpose is stored again by
``python -m tests.frozen --write NAME``, in a commit that says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from homeroom.cli.app import app
from tests.frozen.outputs import (
    COMMANDS,
    LEFT_OUT,
    PARTS,
    STORE,
    differences,
    find_out,
    read_store,
    remove_sample,
)

STORED = read_store()
MOST_BYTES = 400_000


@pytest.fixture(scope="module", autouse=True)
def sample() -> Iterator[None]:
    """Remove the sample files that the commands share."""
    yield
    remove_sample()


def case(name: str) -> Any:
    return pytest.param(name, id=name, marks=[pytest.mark.slow] if PARTS[name][1] else [])


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", [case(name) for name in PARTS])
def test_users_see_what_is_stored(name: str) -> None:
    found = sorted(differences(STORED[name], find_out(name), name))
    assert not found, "\n".join(found[:30])


def test_every_part_is_stored_in_a_small_file() -> None:
    assert list(STORED) == list(PARTS)
    assert STORE.stat().st_size <= MOST_BYTES


def test_every_command_is_stored_or_left_out_for_a_reason() -> None:
    known: set[str] = set()
    for name, command in app.commands.items():
        known |= {f"{name} {part}" for part in getattr(command, "commands", {})} or {name}
    used = {
        name for name in known for one in COMMANDS.values() if f"{one.command} ".find(name) == 0
    }
    assert known - used == LEFT_OUT.keys()


def test_what_differs_is_named() -> None:
    before = {"a": 1.0, "b": [1, "x"], "c": 0}
    now = {"a": 1.000001, "b": [2, "x"], "d": True}
    assert sorted(differences(before, now, "teach")) == [
        "teach/b/0: 2 instead of 1",
        "teach/c: gone, was 0",
        "teach/d: new, true",
    ]
