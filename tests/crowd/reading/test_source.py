from __future__ import annotations

from pathlib import Path

import pytest

from homeroom.crowd.reading.source import MAX_COLUMNS, check_width, rows_at_a_time, shown


def test_names_are_shown_on_one_line_and_cut() -> None:
    assert shown(["a\nb", "x" * 100, "c"], most=2) == f"'a\\nb', '{'x' * 30}', ..."


def test_broad_tables_are_read_in_short_pieces() -> None:
    assert rows_at_a_time(3) > 1000 * rows_at_a_time(100_000)
    assert rows_at_a_time(10**9) == 1


def test_too_many_columns_are_said() -> None:
    check_width(Path("x.csv"), MAX_COLUMNS)
    with pytest.raises(ValueError, match=f"x.csv has {MAX_COLUMNS + 1} columns; at most"):
        check_width(Path("x.csv"), MAX_COLUMNS + 1)
