"""Rules for all tables."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from homeroom.crowd import Answers
from homeroom.tables.table import (
    MAX_COLUMNS,
    check_width,
    distinct,
    quoted,
    refuse_too_many_lines,
    rows_per_chunk,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Write


def test_names_are_shown_on_one_line_and_cut() -> None:
    assert quoted(["a\nb", "x" * 100, "c"], most=2) == f"'a\\nb', '{'x' * 30}...', ..."


def test_wide_tables_are_read_in_short_chunks() -> None:
    assert rows_per_chunk(3) > 1000 * rows_per_chunk(100_000)
    assert rows_per_chunk(10**9) == 1


def test_a_table_with_too_many_columns_is_refused() -> None:
    check_width(Path("x.csv"), MAX_COLUMNS)
    with pytest.raises(ValueError, match=f"x.csv has {MAX_COLUMNS + 1} columns; at most"):
        check_width(Path("x.csv"), MAX_COLUMNS + 1)


@pytest.fixture
def huge(tmp_path: Path) -> Path:
    """Three gigabytes that begin like a table; the rest is a sparse hole in the file."""
    path = tmp_path / "answers.csv"
    path.write_text("student,item,answer\n" + "person-1,item-1,1\n" * 100_000)
    with path.open("r+b") as file:
        file.truncate(3 << 30)
    return path


def test_a_file_that_is_far_too_large_is_refused_before_it_is_read(huge: Path) -> None:
    start = time.process_time()
    with pytest.raises(ValueError, match=r"would fill \d+\.\d GiB of memory, more than the limit"):
        Answers.read(huge)
    assert time.process_time() - start < 1.0  # CPU time


def test_a_file_that_may_fit_is_read(write: Write) -> None:
    text = "student,item,answer\r\n" + "Ada,moth,1\r\nBen,moth,0\r\n" * 50
    path = write(text)
    refuse_too_many_lines(path, 101 * 60, 64)
    with pytest.raises(ValueError, match="more than the limit"):
        refuse_too_many_lines(path, 101 * 40, 64)
    refuse_too_many_lines(write(text.replace("\r\n", "\r")), 101 * 80, 64)
    refuse_too_many_lines(write(""), 1, 64)


def test_the_bytes_per_line_are_a_parameter(write: Write) -> None:
    path = write("x\n" * 100)
    refuse_too_many_lines(path, 100_000, 64)
    with pytest.raises(ValueError, match="more than the limit"):
        refuse_too_many_lines(path, 100_000, 2000)


def test_different_names_are_never_shown_as_the_same() -> None:
    for where in (0, 10, 29, 35, 50, 95):
        names = ["y" * where + mark + "x" * (99 - where) for mark in "ab"]
        shown = distinct(names)
        assert len(set(shown)) == 2
        assert len(set(quoted(names).split(", "))) == 2
    assert distinct(["same", "same"]) == ["same", "same"]
