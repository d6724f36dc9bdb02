from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from homeroom.crowd import Answers
from homeroom.tables.delimited import OTHER_WIDTH, read_text
from homeroom.tables.text import delimiter_of

if TYPE_CHECKING:
    from tests.conftest import Rows, Write


def test_quoted_names_may_hold_anything(write: Write) -> None:
    answers = Answers.read(write('student,item,answer\n"Dee, ""D"" Jr.","a\nb",1\nBen,c,0\n'))
    assert answers.people == ('Dee, "D" Jr.', "Ben")
    assert answers.items == ("a\nb", "c")


@pytest.mark.parametrize(
    "stray",
    ['"C,moth,1', 'C,"moth,1', 'C,"moth" 2,1'],
    ids=["before a row", "before a cell", "within a cell"],
)
@pytest.mark.parametrize("closed", [False, True], ids=["never closed", "closed much later"])
def test_a_stray_quotation_mark_does_not_swallow_rows(
    stray: str, closed: bool, write: Write
) -> None:
    rows = ["student,item,answer", "A,moth,1", "B,moth,0", stray, "D,moth,1", "E,moth,0"]
    if closed:
        rows[5] = 'E,"moth,0'
    with pytest.raises(
        ValueError, match=r"from line 4 on: .* nail\"; .*quotes=False \(--no-quotes"
    ):
        Answers.read(write("\n".join(rows) + "\n"))


def test_the_line_of_a_stray_quotation_mark_is_that_of_the_file(write: Write) -> None:
    """Comments, blank lines and cells of two lines count, as in an editor."""
    top = '# from the lab\n\nsep=;\nstudent;item;answer\n\nA;"two\nlines";1\n'
    with pytest.raises(ValueError, match="from line 8 on"):
        Answers.read(write(top + 'B;"Big" moth;1\n'))
    with pytest.raises(ValueError, match="from line 2 on"):
        Answers.read(write('# from the lab\n"student" name,item,answer\nA,a,1\n'))


def test_quotation_marks_may_be_letters(write: Write, rows: Rows) -> None:
    text = 'student,item,answer\nAda,"Big" moth,1\nBen,5" nail,0\nBen,"Big" moth,0\nEve,"open,1\n'
    path = write(text)
    with pytest.raises(ValueError, match="from line 2 on"):
        Answers.read(path)
    labels = write('"Big" moth,1\n5" nail,0\n', "labels.csv")
    answers = Answers.read(path, labels=labels, quotes=False)
    assert rows(answers) == [
        ("Ada", '"Big" moth', True),
        ("Ben", '5" nail', False),
        ("Ben", '"Big" moth', False),
        ("Eve", '"open', True),
    ]
    assert answers.labels[:2].tolist() == [1, -1]


def test_quotation_marks_that_are_letters_hide_no_delimiter(write: Write, rows: Rows) -> None:
    answers = Answers.read(write('1" nail;"Ada;1\n2" nail;"Ada;0\n', "t.txt"), quotes=False)
    assert rows(answers) == [('"Ada', '1" nail', True), ('"Ada', '2" nail', False)]
    assert delimiter_of('"a b', quotes=False) is None
    with pytest.raises(ValueError, match=r"line 2 on: field larger than field limit \(131072\)\.$"):
        Answers.read(write("student,item,answer\nA," + "x" * 200_000 + ",1\n"), quotes=False)


def test_quotes_is_true_or_false(write: Write) -> None:
    with pytest.raises(TypeError, match="`quotes` must be True or False, but is 'no'"):
        Answers.read(write("student,item,answer\n"), quotes="no")  # type: ignore[arg-type]


def test_comments_and_blank_lines_at_the_top_are_skipped(write: Write, rows: Rows) -> None:
    answers = Answers.read(write("# from the lab\n\nstudent,item,answer\nAda,moth,1\n\n"))
    assert rows(answers) == [("Ada", "moth", True)]


def test_too_many_columns_are_refused(write: Write) -> None:
    with pytest.raises(ValueError, match="has 100002 columns; at most 100000 are read"):
        Answers.read(write("student" + ",q" * 100_001 + "\n"))


@pytest.mark.parametrize(
    ("line", "mark"),
    [
        ("a,b;c,d", ","),
        ('"a;b;c",d', ","),
        ("a\tb c", "\t"),
        ("a b c", None),
        ("one", ","),
        ("", ","),
        ('"one cell"', ","),
    ],
)
def test_the_delimiter_is_found_in_the_first_line(line: str, mark: str | None) -> None:
    assert delimiter_of(line) == mark


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ",;\t|")
def test_both_ways_to_split_rows_give_the_same(write: Write, mark: str, end: str) -> None:
    """pyarrow splits the first text; the second has a quotation mark within a cell."""
    rows = [["a", "b", "c"], ["1", f'"x{mark} ""y"""', ""], ["", "é", "3"], ["4"], ["", "", ""]]
    plain = end.join(mark.join(row) for row in rows)
    fast, slow = (
        read_text(write(text, "t.csv")) for text in (plain, plain + f'{end}5{mark}2 x 4" {mark}6')
    )
    for at in range(3):
        assert slow.texts(at)[:-1] == fast.texts(at)
    assert fast.texts(1) == [f'x{mark} "y"', "é", ""]
    assert fast.dropped == slow.dropped == {OTHER_WIDTH: 1}


def test_a_spreadsheets_line_sep_is_not_a_header(write: Write, rows: Rows) -> None:
    for mark in ";,\t":
        text = f"sep={mark}\nstudent;item;answer\nA;a, b;1\nB;a, b;0\n".replace(";", mark)
        if mark == ",":
            text = text.replace("a, b", '"a, b"')
        assert rows(Answers.read(write(text))) == [("A", "a, b", True), ("B", "a, b", False)]


def test_blank_lines_are_not_rows(write: Write, rows: Rows) -> None:
    answers = Answers.read(write("student,item,answer\nAda,moth,1\n\nBen,moth,0\n,,\n \n\n"))
    assert rows(answers) == [("Ada", "moth", True), ("Ben", "moth", False)]
    assert OTHER_WIDTH not in answers.dropped


def test_a_blank_line_does_not_spoil_a_file_of_labels(write: Write) -> None:
    labels = write("item,label\nmoth,1\n\n", "labels.csv")
    assert Answers.read(write("item,student,answer\nmoth,Ada,1\n"), labels=labels).labels == [1]
