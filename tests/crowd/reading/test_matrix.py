from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import numpy as np
import pytest

from homeroom.crowd import Answers
from homeroom.crowd.reading import assemble

if TYPE_CHECKING:
    from tests.crowd.reading.conftest import Rows, Write


def test_a_matrix_with_a_row_for_each_person(write: Write, rows: Rows) -> None:
    text = "name,q1,q2,q3\nAda,1,,0\nBen,0,1,NA\nCleo,,,\nkey,1,0,1\n"
    answers = Answers.read(write(text))
    assert sorted(rows(answers)) == [
        ("Ada", "q1", True),
        ("Ada", "q3", False),
        ("Ben", "q1", False),
        ("Ben", "q2", True),
    ]
    assert answers.labels.tolist() == [1, -1, 1]
    assert answers.dropped == {assemble.SILENT_PEOPLE: 1}


def test_a_matrix_whose_corner_is_empty(write: Write) -> None:
    answers = Answers.read(write(",q1,q2\nAda,1,\nBen,0,\n"))
    assert answers.people == ("Ada", "Ben")
    assert answers.items == ("q1",)
    assert answers.dropped == {assemble.SILENT_ITEMS: 1}


def test_a_matrix_with_a_row_for_each_item(write: Write, rows: Rows) -> None:
    text = "item,Ada,Ben,truth\nmoth,1,0,1\nwasp,,0,\nbee,,,0\n"
    answers = Answers.read(write(text))
    assert sorted(rows(answers)) == [
        ("Ada", "moth", True),
        ("Ben", "moth", False),
        ("Ben", "wasp", False),
    ]
    assert answers.labels[0] == 1
    assert np.isnan(answers.labels[1])
    assert answers.dropped == {assemble.SILENT_ITEMS: 1}


def test_a_column_of_a_matrix_that_is_no_item_is_left_out_and_said(write: Write) -> None:
    answers = Answers.read(write("student,time,q1,q2\nAda,9:00,1,0\nBen,9:05,0,1\n"))
    assert answers.items == ("q1", "q2")
    assert "columns left out as no answers: 'time'" in answers.notes


def test_columns_without_a_name_may_be_many(write: Write) -> None:
    answers = Answers.read(write("student,q1,q2,,\nAda,1,0,,\nBen,0,1,,1\n"))
    assert answers.items == ("q1", "q2")
    assert answers.dropped == {assemble.NO_ITEM: 1}


def test_a_column_that_is_there_twice_is_found_at_once(write: Write) -> None:
    """Half a second; it would be two minutes if each of 10^5 columns were counted."""
    names = [f"q{number}" for number in range(99_998)]
    path = write(",".join(["student", *names, names[-1]]) + "\n")
    start = process_time()
    with pytest.raises(ValueError, match="several columns for the item 'q99997': rename them"):
        Answers.read(path)
    assert process_time() - start < 20
