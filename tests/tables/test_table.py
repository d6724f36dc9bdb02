"""Rules for all tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from homeroom.tables.table import MAX_COLUMNS, check_width, distinct, quoted

if TYPE_CHECKING:
    from pathlib import Path


def test_names_are_shown_on_one_line_and_cut() -> None:
    assert quoted(["a\nb", "x" * 100, "c"], most=2) == f"'a\\nb', '{'x' * 30}...', ..."


def test_a_table_with_too_many_columns_is_refused() -> None:
    check_width(Path("x.csv"), MAX_COLUMNS)
    with pytest.raises(ValueError, match=f"x.csv has {MAX_COLUMNS + 1} columns; at most"):
        check_width(Path("x.csv"), MAX_COLUMNS + 1)


def test_different_names_are_never_shown_as_the_same() -> None:
    for where in (0, 10, 29, 35, 50, 95):
        names = ["y" * where + mark + "x" * (99 - where) for mark in "ab"]
        shown = distinct(names)
        assert len(set(shown)) == 2
        assert len(set(quoted(names).split(", "))) == 2
    assert distinct(["same", "same"]) == ["same", "same"]
