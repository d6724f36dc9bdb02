"""JSON lines, Parquet, and the choice of a format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from homeroom.crowd import Answers
from homeroom.crowd.reading import assemble, read

if TYPE_CHECKING:
    from tests.conftest import Rows, Write


def test_json_lines(write: Write, rows: Rows) -> None:
    text = (
        '{"user": "Ada", "item": 7.0, "answer": true, "time": 3}\n\n'
        '{"user": "Ben", "item": 7, "answer": false, "more": 1}\n'
        '{"user": "Cleo", "item": 8, "answer": null}\n'
    )
    answers = Answers.read(write(text, "answers.jsonl"))
    assert rows(answers) == [("Ada", "7", True), ("Ben", "7", False)]
    assert answers.times is not None
    assert answers.times[0] == 3
    assert answers.dropped == {
        assemble.NO_ANSWER: 1,
        assemble.SILENT_ANNOTATORS: 1,
        assemble.SILENT_ITEMS: 1,
    }


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{]\n", r"one JSON object per line, but line 1 cannot be read"),
        ("[1, 2]\n", r"but line 1 is list"),
        ('{"student": [1], "item": 1, "answer": 1}\n', r"but line 1 holds a list"),
        ("[" * 100_000 + "\n", r"but line 1 cannot be read"),
        ("", r"is empty"),
    ],
)
def test_broken_json_lines_are_refused(write: Write, text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Answers.read(write(text, "answers.jsonl"))


def test_a_json_matrix_names_its_items_early(write: Write) -> None:
    line = '{"student": "s%d", "a": 1, "b": 0}\n'
    text = "".join(line % k for k in range(1200))
    assert len(Answers.read(write(text, "answers.jsonl")).items) == 2
    with pytest.raises(ValueError, match=r"has 'z' in line 1201, but not in its first 1000 lines"):
        Answers.read(write(text + '{"student": "x", "z": 1}\n', "answers.jsonl"))


def test_a_column_that_appears_late_is_left_out_with_a_note(write: Write) -> None:
    line = '{"student": "s%d", "item": "moth", "answer": 1}\n'
    text = "".join(line % k for k in range(1000))
    text += '{"student": "x", "item": "moth", "answer": 0, "time": 3, "gold": 1}\n' * 2
    answers = Answers.read(write(text, "answers.jsonl"))
    assert answers.times is None
    assert answers.notes == (
        "columns left out, as no line of the first 1000 has them: 'gold', 'time'",
    )


def test_the_encoding_of_json_lines_is_noted(write: Write) -> None:
    text = '{"student": "Zoë", "item": "moth", "answer": 1}\n'
    assert Answers.read(write(text, "a.jsonl", "latin-1")).notes == ("text as cp1252",)


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
    reported: list[float] = []
    with pytest.raises(ValueError, match=r"more than the limit of 0\.0 GiB"):
        read(tmp_path / "answers.parquet", max_bytes=50_000, progress=reported.append)
    assert reported == []
