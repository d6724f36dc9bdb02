"""Encodings, lines and delimiters of text files."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from homeroom.crowd import Answers
from homeroom.tables import cell, delimited, normalized_header, rows_in
from homeroom.tables.columns import ColumnContent
from homeroom.tables.text import encoding_of

if TYPE_CHECKING:
    from tests.conftest import Write


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8", "utf-8-sig", "utf-16"])
def test_text_in_other_encodings_is_read(write: Write, encoding: str) -> None:
    text = "student,item,answer\nJürgen,Schwärmer,1\nZoë,Schwärmer,0\n"
    answers = Answers.read(write(text, encoding=encoding))
    assert answers.people == ("Jürgen", "Zoë")
    assert answers.items == ("Schwärmer",)
    assert (answers.notes == ("text as cp1252",)) == (encoding in ("latin-1", "cp1252"))


@pytest.mark.parametrize(
    ("encoding", "content"),
    [
        ("cp932", "観察者,写真,回答\n山田,夜の蛾,はい\n"),
        ("cp949", "학생,이미지,답변\n김철수,나방,예\n"),
        ("gb18030", "姓名,图片,答案\n王小明,飞蛾,是\n"),
        ("cp1251", "ученик,изображение,ответ\nАнна Иванова,бабочка,да\n"),
        ("cp1252", "Schüler,Bild,Antwort\nÄnne Größler,Äskulapfalter à l’été,ja\n"),
        ("cp1252", "élève,image,réponse\nHélène,éléphant,oui\n"),
        ("cp1252", "student,item,answer\nAda,photo créée,yes\n"),
    ],
)
def test_what_windows_writes_in_other_countries_is_recognised(
    write: Write, encoding: str, content: str
) -> None:
    assert encoding_of(write(content, encoding=encoding)) == encoding
    rows = list(rows_in(content.encode(encoding)))
    assert rows == [line.split(",") for line in content.splitlines()]


def test_an_endless_line_is_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "MAX_LINE", 1000)
    with pytest.raises(ValueError, match="has a line of more than 1000 characters"):
        Answers.read(write("student,item,answer" + "x" * 5000))


def test_text_of_windows_has_its_own_quotes(write: Write) -> None:
    assert encoding_of(write("a “b”", encoding="cp1252")) == "cp1252"
    path = write("x")
    path.write_bytes(b"a \x81 b")  # a byte that cp1252 does not have
    assert encoding_of(path) == "latin-1"


def test_a_broken_byte_order_mark_is_reported(write: Write) -> None:
    path = write("x")
    path.write_bytes(b"\xff\xfea")
    with pytest.raises(ValueError, match="is not written in utf-16"):
        encoding_of(path)


@pytest.mark.parametrize(
    ("written", "given"),
    [("utf-8-sig", "utf-8"), ("utf-8-sig", "UTF8"), ("utf-16", "utf-16-le"), ("utf-32", "utf-32")],
)
def test_a_byte_order_mark_is_dropped_even_if_the_encoding_is_given(
    write: Write, written: str, given: str
) -> None:
    path = write("student,item,answer\nZoë,moth,1\n", encoding=written)
    assert Answers.read(path, encoding=given).people == ("Zoë",)


def test_bytes_like_a_mark_are_text_in_an_encoding_without_marks(write: Write) -> None:
    assert encoding_of(write("ï»¿a", encoding="latin-1"), "latin-1") == "latin-1"


@pytest.mark.parametrize("name", ["zlib", "quopri", "hex", "rot13", "bz2"])
def test_codecs_that_are_not_for_text_are_refused(write: Write, name: str) -> None:
    with pytest.raises(ValueError, match=f"There is no encoding called '{name}'"):
        encoding_of(write("student,item,answer\n"), name)


def test_an_encoding_with_its_own_kind_of_error_is_refused(write: Write) -> None:
    with pytest.raises(ValueError, match=r"answers.csv is not written in undefined \("):
        encoding_of(write("x"), "undefined")


@pytest.mark.parametrize(
    "data",
    [
        "a,b\nä,2\n".encode(),
        "\ufeffa;b\n\n ;\nä;2".encode(),
        "a\tb\nä\t2".encode("latin-1"),
        "a,b\r\nä,2\r\n".encode("utf-16"),
        b"\xfe\xff" + "a;b\nä;2".encode("utf-16-be"),
        "sep=;\r\na;b\r\nä;2\r\n".encode(),
        "\ufeffsep=,\na,b\nä,2\n".encode(),
        "a,b\rä,2\r".encode(),
    ],
)
def test_rows_are_found_in_any_encoding_and_dialect(data: bytes) -> None:
    first, *_, last = rows_in(data)
    assert (first, last) == (["a", "b"], ["ä", "2"])


@pytest.mark.parametrize(
    ("data", "row"),
    [
        (b"Zo\xeb\x93", ["Zoë\u201c"]),
        (b"Zo\xeb\x81", ["Zoë\x81"]),  # which Windows does not know
        (b"sep=x", ["sep=x"]),
    ],
)
def test_bytes_outside_utf_8_are_decoded_as_windows_does(data: bytes, row: list[str]) -> None:
    assert list(rows_in(data)) == [row]


def test_data_that_only_begin_as_utf_16_are_refused() -> None:
    with pytest.raises(ValueError, match="it begins as UTF-16, but is not"):
        list(rows_in("Ada".encode("utf-16") + b"!"))


def test_empty_data_have_no_rows() -> None:
    assert list(rows_in(b"")) == list(rows_in(b"\n\n")) == []


def test_invalid_csv_is_refused() -> None:
    with pytest.raises(ValueError, match="field larger than field limit"):
        list(rows_in(b'name\n"' + b"x" * 200_000))


def test_cells_are_tidy() -> None:
    assert normalized_header([" sourcedId", "ROLE "]) == ["sourcedid", "role"]


def test_the_name_of_a_column_may_have_composed_or_separate_accents() -> None:
    assert normalized_header(["Pr\u00e9nom", "Pre\u0301nom"]) == ["pr\u00e9nom"] * 2
    assert normalized_header(["\u0130sim", "isim", "I\u0307sim"]) == ["isim"] * 3


@pytest.mark.parametrize(
    ("texts", "are_files"),
    [
        (["https://x.org/1", "http://y"], True),
        (["img/1", "img/2"], True),
        ([r"C:\a\moth", r"..\img\2"], True),
        (["a.jpg", "b.mp4", "c.3gp"], True),
        (["0.25", "0.5", "12.1234"], False),
        (["n/a", "1/2"], False),
    ],
)
def test_files_and_links_are_recognised(texts: list[str], are_files: bool) -> None:
    assert ColumnContent(texts).are_files == are_files
    assert cell(["  Ada \n Lee "], 0) == "Ada Lee"
    assert cell(["Ada"], 1) == cell(["Ada"], None) == ""
    assert cell(["Jose\u0301"], 0) == "Jos\u00e9"


def test_very_many_accents_take_no_time() -> None:
    """Sorting n accents takes n² steps, which would block the server."""
    accents = "a" + "\u0315\u0300" * 65_000
    began = time.perf_counter()
    assert cell([accents], 0) == accents
    assert time.perf_counter() - began < 0.5
