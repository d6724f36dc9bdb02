from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from homeroom.crowd import Answers
from homeroom.crowd.answers import REPEATED
from homeroom.crowd.reading.assemble import NO_ITEM
from homeroom.crowd.reading.layout import layout_of

if TYPE_CHECKING:
    from tests.conftest import Rows, Write

EXPECTED = [("Ada", "moth", True), ("Ada", "wasp", False), ("Ben", "moth", False)]


@pytest.mark.parametrize(
    ("header", "order"),
    [
        ("student,item,answer", "pia"),
        ("worker,task,label", "pia"),
        ("task,worker,label", "ipa"),
        ("user_id,problem_id,correct", "pia"),
        ("Anon Student Id,Problem Name,Outcome", "pia"),
        ("Annotator-ID;Image;Response", "pia"),
        ("item|worker|label", "ipa"),
        ("item worker label", "ipa"),
        ("item\tworker\tlabel", "ipa"),
    ],
)
def test_the_names_of_other_tools_are_known(
    write: Write, header: str, order: str, rows: Rows
) -> None:
    mark = next((mark for mark in ",;|\t" if mark in header), " ")
    lines = [header]
    for person, item, yes in EXPECTED:
        cells = {"p": person, "i": item, "a": str(int(yes))}
        lines.append(mark.join(cells[part] for part in order))
    assert rows(Answers.read(write("\n".join(lines) + "\n"))) == EXPECTED


def test_a_datashop_item_is_the_step_of_a_problem(write: Write, rows: Rows) -> None:
    text = (
        "Row\tAnon Student Id\tTime\tProblem Name\tStep Name\tOutcome\n"
        "1\tStu_1\t2005-09-09 12:24:35.0\tP1\ts1\tCORRECT\n"
        "2\tStu_1\t2005-09-09 12:25:15.0\tP1\ts2\tINCORRECT\n"
        "3\tStu_2\t2005-09-09 12:26:15.0\tP1\ts2\tHINT\n"
    )
    answers = Answers.read(write(text, "tx.txt"))
    assert rows(answers) == [
        ("Stu_1", "P1 / s1", True),
        ("Stu_1", "P1 / s2", False),
        ("Stu_2", "P1 / s2", False),
    ]
    assert (answers.positive, answers.negative) == ("right", "wrong")
    assert answers.times is not None
    assert np.diff(answers.times).tolist() == [40.0, 60.0]


TRANSACTIONS = [
    "Row\tSample Name\tAnon Student Id\tSession Id\tTime\tProblem Name\tProblem View\t"
    "Problem Start Time\tStep Name\tAttempt At Step\tIs Last Attempt\tOutcome\tInput\tSchool\t"
    "Class",
    "1\tAll Data\tStu_1\ts\t2005-09-09 12:24:35\tP1\t1\t.\ts1\t1\t0\tINCORRECT\t5\tNorth\t7b",
    "2\tAll Data\tStu_1\ts\t2005-09-09 12:24:50\tP1\t1\t.\ts1\t2\t1\tCORRECT\t6\tNorth\t7b",
    "3\tAll Data\tStu_2\ts\t2005-09-09 12:25:00\tP1\t1\t.\ts1\t1\t1\tCORRECT\t6\tNorth\t7c",
    "4\tAll Data\tStu_2\ts\t2005-09-09 12:26:00\tP1\t1\t.\ts2\t1\t1\tUNKNOWN\t\tNorth\t7c",
]
"""DataShop's transactions: one row per attempt, and the student's class."""


def test_the_first_of_datashops_attempts_counts(write: Write, rows: Rows) -> None:
    """At the last attempt nearly all answers are right, whether the student knew it or not."""
    path = write("\n".join(TRANSACTIONS), "tx.txt")
    answers = Answers.read(path)
    assert rows(answers) == [("Stu_1", "P1 / s1", False), ("Stu_2", "P1 / s1", True)]
    assert not np.isfinite(answers.labels).any()  # a school class is no expert's label
    assert answers.dropped[REPEATED.format(kept="first")] == 1
    last = Answers.read(path, keep="last")
    assert rows(last) == [("Stu_1", "P1 / s1", True), ("Stu_2", "P1 / s1", True)]


def test_the_steps_of_students_as_datashop_sums_them_up(write: Write, rows: Rows) -> None:
    text = (
        "Row\tSample\tAnon Student Id\tProblem Hierarchy\tProblem Name\tProblem View\tStep Name\t"
        "Step Start Time\tFirst Transaction Time\tStep Duration (sec)\tFirst Attempt\tIncorrects\n"
        "1\tAll\tS1\tUnit\tP1\t1\ts1\t.\t2008-09-19 13:30:46.0\t1\tcorrect\t0\n"
        "2\tAll\tS2\tUnit\tP1\t1\ts1\t.\t2008-09-19 13:30:49.0\t1\thint\t0\n"
    )
    answers = Answers.read(write(text, "steps.txt"))
    assert rows(answers) == [("S1", "P1 / s1", True), ("S2", "P1 / s1", False)]
    kdd = text.replace("First Attempt", "Correct First Attempt")
    kdd = kdd.replace("\tcorrect\t", "\t1\t").replace("\thint\t", "\t0\t")
    assert rows(Answers.read(write(kdd, "kdd.txt"))) == rows(answers)


def test_columns_can_be_named(write: Write, rows: Rows) -> None:
    path = write("Wer,Was,Urteil,answer\nAda,moth,1,x\nBen,wasp,0,y\n")
    columns = {"student": "Wer", "item": "was", "answer": "Urteil"}
    answers = Answers.read(path, columns=columns)
    assert rows(answers) == [("Ada", "moth", True), ("Ben", "wasp", False)]
    assert answers.notes == ("student from 'Wer', item from 'Was', answer from 'Urteil'",)


def test_two_columns_can_be_one_name(write: Write) -> None:
    path = write("student,page,nr,answer\nAda,7,a,1\nBen,7,b,0\nBen,8,,1\nBen,,,1\n")
    answers = Answers.read(path, columns={"item": "page + nr"})
    assert answers.items == ("7 / a", "7 / b", "8")
    assert answers.dropped == {NO_ITEM: 1}


def test_a_column_label_is_the_answer_only_if_there_is_no_other() -> None:
    path = Path("x.csv")
    assert layout_of(path, ["worker", "task", "label"]).places["answer"] == (2,)
    both = layout_of(path, ["student", "item", "answer", "label"])
    assert both.places["label"] == (3,)


def test_the_answer_counts_before_whether_it_was_right() -> None:
    found = layout_of(Path("x.csv"), ["student", "item", "correct", "answer"])
    assert "correct" not in found
    assert found.unread == "correct"
    reported = layout_of(
        Path("x.csv"), ["student", "item", "correct", "answer"], {"correct": "correct"}
    )
    assert "answer" not in reported


def test_a_column_holds_one_part() -> None:
    """A column that the user names for one part is not taken for another."""
    found = layout_of(Path("x.csv"), ["worker", "task", "label"], {"label": "label"})
    assert "answer" not in found
    assert found.places["label"] == (2,)


def test_columns_are_described_only_where_the_names_differ(write: Write) -> None:
    assert Answers.read(write(" Student , ITEM ,Answer\nA,a,1\nB,a,0\n")).notes == ()
    assert Answers.read(write(",q1,q2\nA,1,0\nB,0,1\n")).notes == ("student from column 1",)
