"""The version of homeroom, and the description of its sources."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any


def source_project() -> dict[str, Any]:
    """Return the project table of the source folder, for a homeroom that is not installed."""
    path = Path(__file__).parents[2] / "pyproject.toml"
    project: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    return project


try:
    VERSION = metadata.version("homeroom")
except metadata.PackageNotFoundError:
    VERSION = str(source_project()["version"])
