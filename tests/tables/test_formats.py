"""JSON lines, Parquet, and the choice of a format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from homeroom.crowd import Answers
from homeroom.crowd.reading import assemble

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
        ("{]\n", r"line 1 cannot be read"),
        ("[1, 2]\n", r"but line 1 is list"),
        ('{"student": [1], "item": 1, "answer": 1}\n', r"texts and numbers for the annotators"),
        ("[" * 100_000 + "\n", r"but line 1 cannot be read"),
        ("", r"is empty"),
    ],
)
def test_broken_json_lines_are_refused(write: Write, text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Answers.read(write(text, "answers.jsonl"))


def test_a_column_may_appear_in_a_late_line(write: Write) -> None:
    line = '{"student": "s%d", "a": %d, "b": 0}\n'
    text = "".join(line % (k, k % 2) for k in range(1200)) + '{"student": "x", "z": 1}\n'
    assert Answers.read(write(text, "answers.jsonl")).items == ("a", "b", "z")
    line = '{"student": "s%d", "item": "moth", "answer": 1}\n'
    text = "".join(line % k for k in range(1000))
    text += '{"student": "x", "item": "moth", "answer": 0, "time": 3}\n'
    times = Answers.read(write(text, "answers.jsonl")).times
    assert times is not None
    assert times[-1] == 3


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
    with pytest.raises(ValueError, match=r"no column for the student"):
        Answers.read(tmp_path / "answers.parquet")
