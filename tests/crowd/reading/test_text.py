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
