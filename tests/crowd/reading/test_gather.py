"""Rows of a table packed into arrays."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
import pytest

from homeroom.crowd import Answers
from homeroom.crowd.reading import assemble
from homeroom.crowd.reading.gather import gather
from homeroom.crowd.reading.layout import layout_of
from homeroom.tables import Table

if TYPE_CHECKING:
    from tests.conftest import Rows, Write


def test_more_answers_than_two_are_not_gathered_forever(write: Write) -> None:
    lines = "".join(f"p,i{k},text {k}\n" for k in range(20_000))
    with pytest.raises(ValueError, match="more than 1000 different answers, such as 'text 0'"):
        Answers.read(write("student,item,answer\n" + lines))


def test_each_name_is_kept_once() -> None:
    columns = [["Ada", " Ada", "Ben"], ["moth", "wasp", "moth"], ["1", "0", "1"]]
    table = Table.of(Path("x.csv"), ["student", "item", "answer"], columns)
    gathered = gather(table, layout_of(table.path, table.header))
    assert gathered.annotators == ["Ada", "Ben"]
    assert gathered.person.tolist() == [0, 0, 1]
    assert gathered.times is None


def test_a_matrix_with_one_row_per_annotator(write: Write, rows: Rows) -> None:
    text = "name,q1,q2,q3\nAda,1,,0\nBen,0,1,NA\nCleo,,,\nkey,1,0,1\n"
    answers = Answers.read(write(text))
    assert sorted(rows(answers)) == [
        ("Ada", "q1", True),
        ("Ada", "q3", False),
        ("Ben", "q1", False),
        ("Ben", "q2", True),
    ]
    assert answers.labels.tolist() == [1, -1, 1]
    assert answers.dropped == {assemble.SILENT_ANNOTATORS: 1}


def test_a_matrix_whose_corner_is_empty(write: Write) -> None:
    answers = Answers.read(write(",q1,q2\nAda,1,\nBen,0,\n"))
    assert answers.people == ("Ada", "Ben")
    assert answers.items == ("q1",)
    assert answers.dropped == {assemble.SILENT_ITEMS: 1}


def test_a_matrix_with_one_row_per_item(write: Write, rows: Rows) -> None:
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


def test_a_matrix_whose_names_and_labels_are_spread_over_columns(write: Write) -> None:
    path = write("first,last,q1,q2\nAda,Bell,1,0\nBen,,0,1\n")
    answers = Answers.read(path, columns={"student": "first+last"})
    assert answers.people == ("Ada / Bell", "Ben")
    assert answers.items == ("q1", "q2")
    path = write("Problem Name,Step Name,ann,ben\np1,s1,1,0\np1,s2,0,1\n")
    assert Answers.read(path).items == ("p1 / s1", "p1 / s2")
    path = write("item,g1,g2,ann,ben\nmoth,yes,,1,0\nwasp,,no,0,1\n")
    answers = Answers.read(path, columns={"item": "item", "label": "g1+g2"})
    assert answers.people == ("ann", "ben")
    assert answers.labels.tolist() == [1, -1]


def test_a_matrix_column_that_is_not_an_item_is_left_out_with_a_note(write: Write) -> None:
    answers = Answers.read(write("student,time,q1,q2\nAda,9:00,1,0\nBen,9:05,0,1\n"))
    assert answers.items == ("q1", "q2")
    assert "columns ignored because they hold no answers: 'time'" in answers.notes


def test_columns_without_a_name_may_be_many(write: Write) -> None:
    answers = Answers.read(write("student,q1,q2,,\nAda,1,0,,\nBen,0,1,,1\n"))
    assert answers.items == ("q1", "q2")
    assert answers.dropped == {assemble.NO_ITEM: 1}


@pytest.mark.slow
def test_a_duplicate_column_is_refused(write: Write) -> None:
    """Half a second; it would be two minutes if each of 10^5 columns were counted."""
    names = [f"q{number}" for number in range(99_998)]
    path = write(",".join(["student", *names, names[-1]]) + "\n")
    start = process_time()
    with pytest.raises(ValueError, match="several columns for the item 'q99997': rename them"):
        Answers.read(path)
    assert process_time() - start < 20
