from __future__ import annotations

from typing import TYPE_CHECKING

from homeroom.crowd import Answers
from homeroom.crowd.answers import REPEATED
from homeroom.crowd.reading import assemble

if TYPE_CHECKING:
    from tests.conftest import Rows, Write


def test_answers_follow_from_right_or_wrong_and_the_experts_labels(
    write: Write, rows: Rows
) -> None:
    """A right answer is the expert's, a wrong one the opposite."""
    path = write(
        "user_id,problem_id,correct\nAda,moth,1\nAda,wasp,1\nBen,moth,0\nBen,wasp,0\nBen,bee,1\n"
    )
    labels = write("item,label\nmoth,1\nwasp,0\n", "labels.csv")
    answers = Answers.read(path, labels=labels)
    assert sorted(rows(answers)) == [
        ("Ada", "moth", True),
        ("Ada", "wasp", False),
        ("Ben", "moth", False),
        ("Ben", "wasp", True),
    ]
    assert (answers.positive, answers.negative) == ("yes", "no")
    assert answers.dropped == {assemble.NO_LABEL: 1, assemble.SILENT_ITEMS: 1}


def test_right_or_wrong_without_labels_is_kept(write: Write, rows: Rows) -> None:
    answers = Answers.read(write("user_id,problem_id,correct\nAda,moth,1\nBen,moth,0\n"))
    assert rows(answers) == [("Ada", "moth", True), ("Ben", "moth", False)]
    assert (answers.positive, answers.negative) == ("right", "wrong")


def test_one_answer_against_the_rest(write: Write, rows: Rows) -> None:
    path = write("student,item,answer,truth\nAda,a,2,2\nBen,a,1,2\nBen,b,3,1\nAda,b,2,1\n")
    answers = Answers.read(path, positive="2")
    assert [yes for _, _, yes in rows(answers)] == [True, False, False, True]
    assert answers.labels.tolist() == [1, -1]
    assert (answers.positive, answers.negative) == ("2", "not 2")


def test_nothing_is_dropped_silently(write: Write, rows: Rows) -> None:
    """Every row is either an answer or counted in what was dropped."""
    path = write(
        "student,item,answer,time\n"
        "Ada,moth,1,1\n"
        ",moth,1,2\n"
        "Ada,,1,3\n"
        "Ada,wasp,,4\n"
        "Ben,wasp,0,soon\n"
        "Ben,wasp\n"
        "\n"
        "Ada,moth,0,0\n"
    )
    answers = Answers.read(path)
    assert rows(answers) == [("Ada", "moth", True), ("Ben", "wasp", False)]
    assert answers.dropped == {
        "rows with more or fewer cells than the header": 1,
        assemble.NO_STUDENT: 1,
        assemble.NO_ITEM: 1,
        assemble.NO_ANSWER: 1,
        assemble.UNREAD_TIMES: 1,
        REPEATED.format(kept="last"): 1,
    }
