"""The API reference is complete, and the old names on the page about 0.2 work."""

from __future__ import annotations

import importlib
import re
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import homeroom

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PACKAGES = (
    "classroom",
    "learners",
    "pools",
    "goals",
    "moments",
    "groups",
    "observers",
    "teachers",
    "lessons",
    "advice",
    "experiments",
    "crowd",
    "crowd.atlas",
    "handwriting",
    "plots",
)


def listed() -> set[str]:
    """Return every name that a page of the reference lists, as written there."""
    lines = [
        line for page in REFERENCE.glob("*.md") for line in page.read_text(encoding="utf-8").split()
    ]
    return set(lines)


@pytest.mark.parametrize("name", homeroom.__all__)
def test_every_public_name_is_in_the_reference(name: str) -> None:
    assert name in listed()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_of_a_package_is_in_the_reference(package: str) -> None:
    module = importlib.import_module(f"homeroom.{package}")
    known = getattr(module, "__all__", [name for name in vars(module) if "Goal" in name])
    names = {name for name in known if name not in homeroom.__all__}
    missing = {name for name in names if f"{package}.{name}" not in listed()}
    assert not missing


def test_every_page_of_the_reference_is_in_its_index() -> None:
    index = (REFERENCE / "index.md").read_text(encoding="utf-8").split()
    assert {page.stem for page in REFERENCE.glob("*.md")} - {"index"} <= set(index)


def renamed() -> list[tuple[str, str, str]]:
    """Return package, old name and new name from the table of old names that work."""
    page = (REFERENCE.parent / "from-0.1-to-0.2.md").read_text(encoding="utf-8")
    section = page.split("### Renamed; the old name works\n")[1].split("\n#")[0]
    rows = [
        [re.findall(r"`([^`]+)`", cell) for cell in line.split("|")[1:-1]]
        for line in section.splitlines()
        if line.startswith("| `")
    ]
    return [
        (package, old, new)
        for [package], olds, news in rows
        for old, new in zip(olds, news, strict=True)
    ]


@pytest.mark.parametrize(("package", "old", "new"), renamed())
def test_old_names_that_are_said_to_work_do(package: str, old: str, new: str) -> None:
    def found(name: str) -> Any:
        return reduce(getattr, name.split("."), importlib.import_module(package))

    if "." in new:  # a member of a class: fields of a dataclass are not attributes of the class
        owner, member = new.rsplit(".", 1)
        assert member in found(owner).__dataclass_fields__
        assert found(old).fget
    else:
        assert found(old) is found(new)
