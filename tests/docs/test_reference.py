"""The API reference is complete."""

from __future__ import annotations

import importlib
from pathlib import Path

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
    "people",
    "advice",
    "studies",
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
