from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from homeroom.crowd import Answers
from homeroom.crowd.reading import assemble

if TYPE_CHECKING:
    from tests.crowd.reading.conftest import Rows, Write

EXPECTED = [("Ada", "moth", True), ("Ada", "wasp", False), ("Ben", "moth", False)]


def test_triples_without_a_header(write: Write, rows: Rows) -> None:
    answers = Answers.read(write("moth Ada 1\nwasp Ada 0\nmoth Ben 0\n", "labels.txt"))
    assert rows(answers) == EXPECTED
    assert "there is no header" in answers.notes


def test_columns_without_a_header_can_be_named_by_number(write: Write, rows: Rows) -> None:
    path = write("Ada,moth,9:00,1\nAda,wasp,9:01,0\nBen,moth,9:02,0\n")
    columns = {"student": "1", "item": "2", "answer": "4"}
    assert rows(Answers.read(path, columns=columns)) == EXPECTED


def test_a_first_line_may_say_how_many_there_are(write: Write, rows: Rows) -> None:
    answers = Answers.read(write("3 2 3\n0 0 1\n1 0 0\n0 1 0\n", "labels.txt"))
    assert rows(answers) == [("0", "0", True), ("0", "1", False), ("1", "0", False)]
    assert answers.dropped == {assemble.SILENT_ITEMS: 1}


def test_a_first_line_that_is_an_answer_is_one(write: Write) -> None:
    assert len(Answers.read(write("0 0 1\n1 0 0\n", "labels.txt"))) == 2
    assert len(Answers.read(write("5 5 2\n1 0 1\n1 1 1\n1 2 1\n", "l.txt"), positive="2")) == 4


@pytest.mark.parametrize(
    "comment",
    [
        "#student\titem\tanswer",
        "# by hand\n# worker\ttask\tlabel",
        "# columns: student\titem\tanswer",
        '# "student"\t"item"\t"answer"',
    ],
)
def test_a_comment_above_may_say_the_order(write: Write, rows: Rows, comment: str) -> None:
    answers = Answers.read(write(comment + "\n\nAda\tmoth\tyes\nBen\tmoth\tno\n", "a.tsv"))
    assert rows(answers) == [("Ada", "moth", True), ("Ben", "moth", False)]


@pytest.mark.parametrize(
    "comment", ['# of "the" lab', "# student,item", "# item", "# each,item,answer,by,student"]
)
def test_a_comment_that_names_no_columns_says_no_order(
    write: Write, rows: Rows, comment: str
) -> None:
    answers = Answers.read(write(comment + "\nmoth,Ada,yes\nmoth,Ben,no\n"))
    assert rows(answers) == [("Ada", "moth", True), ("Ben", "moth", False)]
