from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from homeroom.crowd import Answers
from homeroom.crowd.reading import text

if TYPE_CHECKING:
    from tests.crowd.reading.conftest import Write


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8", "utf-8-sig", "utf-16"])
def test_text_in_other_encodings_is_read(write: Write, encoding: str) -> None:
    text = "student,item,answer\nJürgen,Schwärmer,1\nZoë,Schwärmer,0\n"
    answers = Answers.read(write(text, encoding=encoding))
    assert answers.people == ("Jürgen", "Zoë")
    assert answers.items == ("Schwärmer",)
    assert (answers.notes == ("text as cp1252",)) == (encoding in ("latin-1", "cp1252"))


def test_a_line_without_an_end_is_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    from homeroom.crowd.reading import text

    monkeypatch.setattr(text, "MAX_LINE", 1000)
    monkeypatch.setattr(text, "BLOCK", 100)
    with pytest.raises(ValueError, match="has a line of more than 1000 characters"):
        Answers.read(write("student,item,answer\n" + "x" * 5000))


def test_one_line_is_read_at_a_time_and_blocks_do_not_cut_it(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "BLOCK", 7)
    expected = ["alpha,1\n", "b\n", "\n", "gamma\r\n", "end"]
    path = write("".join(expected))
    with path.open(newline="") as file:
        assert list(text.lines(file, path, lambda _: None)) == expected


def test_text_of_windows_has_its_own_quotes(write: Write) -> None:
    assert text.encoding_of(write("a “b”", encoding="cp1252")) == "cp1252"
    path = write("x")
    path.write_bytes(b"a \x81 b")  # a byte that cp1252 does not have
    assert text.encoding_of(path) == "latin-1"


def test_a_broken_mark_is_said(write: Write) -> None:
    path = write("x")
    path.write_bytes(b"\xff\xfea")
    with pytest.raises(ValueError, match="is not written in utf-16"):
        text.encoding_of(path)


@pytest.mark.parametrize(
    ("written", "told"),
    [("utf-8-sig", "utf-8"), ("utf-8-sig", "UTF8"), ("utf-16", "utf-16-le"), ("utf-32", "utf-32")],
)
def test_a_mark_is_no_letter_even_if_the_encoding_is_told(
    write: Write, written: str, told: str
) -> None:
    path = write("student,item,answer\nZoë,moth,1\n", encoding=written)
    assert Answers.read(path, encoding=told).people == ("Zoë",)


def test_what_begins_like_a_mark_is_text_where_there_are_no_marks(write: Write) -> None:
    assert text.encoding_of(write("ï»¿a", encoding="latin-1"), "latin-1") == "latin-1"


@pytest.mark.parametrize("name", ["zlib", "quopri", "hex", "rot13", "bz2"])
def test_what_is_no_text_is_no_encoding(write: Write, name: str) -> None:
    with pytest.raises(ValueError, match=f"There is no encoding called '{name}'"):
        text.encoding_of(write("student,item,answer\n"), name)


def test_an_encoding_that_complains_in_its_own_way_is_refused_too(write: Write) -> None:
    with pytest.raises(ValueError, match=r"answers.csv is not written in undefined \("):
        text.encoding_of(write("x"), "undefined")
