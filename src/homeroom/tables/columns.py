"""Columns by name: spelling differences, and the names that other tools use."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

ColumnNames: TypeAlias = Mapping[str, Sequence[str]]
"""For each part of a table, the names that its column may have, best first."""


def normalized(name: str) -> str:
    """Return the name of a column without case, blanks, dots, dashes and underscores.

    >>> normalized(" Anon Student-Id ")
    'anonstudentid'
    """
    return re.sub(r"[\s_.\-]+", "", name).lower()


def head(row: Sequence[str]) -> list[str]:
    """Return the normalized names of all columns."""
    return [normalized(name) for name in row]


def find_column(header: Sequence[str], names: Sequence[str]) -> int | None:
    """Return the column with the first of these names that there is.

    >>> find_column(["Pupil", "answer"], ["student", "pupil"])
    0
    """
    spelt = head(header)
    return next((spelt.index(name) for name in map(normalized, names) if name in spelt), None)
