from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from homeroom.crowd import Answers
from homeroom.crowd.reading import assemble, read

if TYPE_CHECKING:
    from tests.crowd.reading.conftest import Rows


def test_parquet(tmp_path: Path, rows: Rows) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table(
        {
            "worker": ["Ada", "Ben", None],
            "task": [1.0, 2.0, 1.0],
            "label": [True, False, True],
            "truth": [True, None, True],
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "answers.parquet")
    answers = Answers.read(tmp_path / "answers.parquet")
    assert rows(answers) == [("Ada", "1", True), ("Ben", "2", False)]
    assert answers.labels[0] == 1
    assert np.isnan(answers.labels[1])
    assert answers.dropped == {assemble.NO_STUDENT: 1}


def test_a_parquet_column_of_lists_is_refused(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"student": [[1]], "item": ["a"], "answer": [1]})
    pyarrow.parquet.write_table(table, tmp_path / "answers.parquet")
    with pytest.raises(ValueError, match=r"column 'student' holds list"):
        Answers.read(tmp_path / "answers.parquet")


def test_too_many_rows_are_refused_before_they_are_read(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table(
        {"student": ["a", "b"] * 500, "item": ["x"] * 1000, "answer": [1, 0] * 500}
    )
    pyarrow.parquet.write_table(table, tmp_path / "answers.parquet")
    told: list[float] = []
    with pytest.raises(ValueError, match=r"more than the limit of 0\.0 GiB"):
        read(tmp_path / "answers.parquet", max_bytes=50_000, tell=told.append)
    assert told == []
