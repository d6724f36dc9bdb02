"""The table of an activity."""

from __future__ import annotations

import pytest

from homeroom.live.activities import table
from homeroom.live.activities.table import Row, rows_of
from homeroom.live.refused import Refused


def test_a_table_has_items_and_labels() -> None:
    data = "item,label,explanation,text,picture\nmoth,no,it flies at night,A moth,m.png\n"
    assert rows_of(data.encode()) == [Row("moth", "no", "m.png", "A moth", "it flies at night", ())]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_header_determines_the_separator(mark: str) -> None:
    data = f"Item{mark}Label{mark}x1{mark}x2\n\nmoth{mark}no{mark}0.5{mark}-1e-1\n"
    assert rows_of(data.encode())[0].place == (0.5, -0.1)


def test_text_in_a_windows_encoding_is_read() -> None:
    assert rows_of("item,label\nBär,ja".encode("cp1252"))[0].item == "Bär"
    assert rows_of("\ufeffitem,label\nBär,ja".encode())[0].item == "Bär"
    assert rows_of("item\tlabel\r\nBär\tja".encode("utf-16"))[0].item == "Bär"
    assert rows_of(b"sep=;\r\nitem;label\r\nbee;ja")[0].item == "bee"


def test_other_names_of_columns_are_accepted() -> None:
    row = rows_of(b"filename,answer,x,y\nm.png,no,1,2")[0]
    assert (row.item, row.picture, row.label, row.place) == ("m.png", "m.png", "no", (1.0, 2.0))


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "is empty: its first line must name the columns item and label"),
        (b"a,b\n1,2", "must have the columns item and label, but has a, b"),
        (b"item,label\n,yes", "has no item in line 2"),
        (b"item,label\n" + b"x" * 101 + b",yes", "several lines or more than 100 characters"),
        (b"item,label\nx," + b"y" * 2001, "a cell with more than 2000 characters in line 2"),
        (b"item,label,x1\nm,yes,left", "has 'left' as a place in line 2, but a number is expected"),
        (b"item,label,x1\nm,yes,nan", "has 'nan' as a place in line 2"),
        (b"item,label\nm\0,yes", "is not a text file: save the table as CSV"),
        (b'item,label\n"' + b"x" * 140_000, "cannot be read: field larger than field limit"),
        (b"item,label\n" + b"i,yes\n" * 2001, "has 2001 items, but 2000 are allowed"),
    ],
)
def test_a_file_that_is_not_a_table_is_refused(data: bytes, match: str) -> None:
    with pytest.raises(Refused, match=match):
        rows_of(data)


def test_a_huge_table_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "LARGEST", 1 << 20)
    with pytest.raises(Refused, match="has more than 1 MiB: it is not a table of items") as caught:
        rows_of(b"item,label\n" + bytes(2**20))
    assert caught.value.status == 413
