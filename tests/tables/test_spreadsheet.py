"""Spreadsheets: what is read, and that hostile files are refused before they fill the memory."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from homeroom import Answers
from homeroom._checks import InputError
from homeroom.tables import open_table, spreadsheet
from homeroom.tables.spreadsheet import spreadsheet_rows
from tests.tables.test_exports import ods_cell, sheet_cells, write_ods, write_xlsx

CELL = '<c r="{}" t="inlineStr"><is><t>x</t></is></c>'


def read(path: Path, sheet: str | None = None) -> list[list[str]]:
    with path.open("rb") as file:
        return spreadsheet_rows(file, path.name, sheet=sheet)


def test_numbers_dates_and_texts_become_texts(tmp_path: Path) -> None:
    cells = sheet_cells([["name", "when", "n"], [" Ada ", 45977.5, 3], [], ["Ben", 45977.25, 4]])
    path = write_xlsx(tmp_path / "a.xlsx", {"One": cells})
    assert read(path) == [
        ["name", "when", "n"],
        ["Ada", "2025-11-16 12:00:00", "3"],
        ["Ben", "2025-11-16 06:00:00", "4"],
    ]


def test_a_table_has_a_header_and_columns(tmp_path: Path) -> None:
    cells = sheet_cells([["a", "b"], *([f"x{n}", n] for n in range(9))])
    table = open_table(write_xlsx(tmp_path / "a.xlsx", {"One": cells}))
    assert table.header == ["a", "b"]
    assert table.texts(1) == [str(n) for n in range(9)]


def test_names_and_values_above_the_header_are_skipped(tmp_path: Path) -> None:
    table = [
        ["Survey", "Moths", "", ""],
        ["Exported", "2025-11-16", "", ""],
        ["student", "item", "answer", "note"],
        ["Ada", "moth", "yes", ""],
        ["Ben", "moth", "no", "late"],
    ]
    as_text = tmp_path / "a.csv"
    as_text.write_text("\n".join(map(",".join, table)), encoding="utf-8")
    for path in (as_text, write_xlsx(tmp_path / "a.xlsx", {"One": sheet_cells(table)})):
        assert open_table(path).header == table[2]


@pytest.mark.parametrize("kind", ["xlsx", "ods"])
def test_a_title_above_the_header_is_skipped(kind: str, tmp_path: Path) -> None:
    table = [
        ["Answers of class 7", "", ""],
        ["exported on 2025-11-16", "", ""],
        ["student", "item", "1. Answer"],
        *([who, item, "yes" if who < item else "no"] for who in "abc" for item in "bcd"),
    ]
    path = tmp_path / f"titled.{kind}"
    if kind == "xlsx":
        write_xlsx(path, {"One": sheet_cells(table)})
    else:
        rows = ("".join(map(ods_cell, row)) for row in table)
        write_ods(path, "".join(f"<table:table-row>{cells}</table:table-row>" for cells in rows))
    answers = Answers.read(path, columns={"answer": "1. Answer"})
    assert answers.people == ("a", "b", "c")
    assert any("below a title" in note for note in answers.notes)


@pytest.mark.parametrize(
    "rows",
    [
        [["Name"], ["Ada"], ["Ben", "absent"], ["Cy"]],  # a remark beside one name
        [["x", "y"], ["1", "2"], ["2", "3"]],
        [["Title"], ["1", "2"], ["2", "3"]],  # numbers name no columns
    ],
)
def test_the_first_row_is_the_header_otherwise(rows: list[list[str]], tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", {"One": sheet_cells(rows)})
    assert open_table(path).header == rows[0]


def test_of_several_sheets_one_is_chosen_by_name(tmp_path: Path) -> None:
    one, two = (sheet_cells([["student", "item", "answer"], [who, "moth", 1]]) for who in "ab")
    path = write_xlsx(tmp_path / "two.xlsx", {"Class 7": one, "Class 8": two, "Empty": ""})
    with pytest.raises(
        InputError, match=r"'Class 7', 'Class 8': choose one, .*--sheet \"Class 7\""
    ):
        Answers.read(path)
    assert Answers.read(path, sheet="Class 8").people == ("b",)
    with pytest.raises(InputError, match="no sheet 'Class 9' with cells, but 'Class 7'"):
        Answers.read(path, sheet="Class 9")


def test_a_sheet_of_remarks_is_no_table(tmp_path: Path) -> None:
    table: list[list[object]] = [["student", "item", "answer"], *([who, "moth", 1] for who in "ab")]
    about = [["Made by the museum"], ["See the next sheet"]]
    sheets = {"Read me": sheet_cells(about), "Answers": sheet_cells(table)}
    assert Answers.read(write_xlsx(tmp_path / "a.xlsx", sheets)).people == ("a", "b")
    longer = {**sheets, "Read me": sheet_cells([*about, ["a"], ["b"]])}  # may be a list of names
    with pytest.raises(InputError, match="several sheets with cells"):
        read(write_xlsx(tmp_path / "b.xlsx", longer))


@pytest.mark.parametrize(
    "cells",
    [
        f'<row r="1">{CELL.format("A1")}</row><row r="1048576">{CELL.format("XFD1048576")}</row>',
        f"<row r='1'>{CELL.format('A1')}</row><row r='9'>{CELL.format('&#88;FD1048576')}</row>",
        '<row r="1"><c r="A1"/></row><x:row xmlns:x="y" r="9"><x:c r="XFD999999"/></x:row>',
    ],
)
def test_a_cell_far_away_is_refused_before_the_range_is_made(tmp_path: Path, cells: str) -> None:
    path = write_xlsx(tmp_path / "far.xlsx", {"One": cells})
    assert path.stat().st_size < 5000
    with pytest.raises(InputError, match="16384 columns, but at most 4000000 cells are read"):
        read(path)


def test_cells_repeated_a_million_times_are_refused(tmp_path: Path) -> None:
    wide = ods_cell("x", ' table:number-columns-repeated="16384"')
    rows = f'<table:table-row table:number-rows-repeated="1048576">{wide}</table:table-row>'
    with pytest.raises(InputError, match="at most 4000000 cells are read"):
        read(write_ods(tmp_path / "many.ods", rows))


def test_entities_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "laugh.ods"
    entities = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("content.xml", entities)
    with pytest.raises(InputError, match="defines entities"):
        read(path)


def test_a_file_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spreadsheet, "MAX_UNPACKED", 1 << 20)
    path = write_xlsx(tmp_path / "bomb.xlsx", {"One": " " * (1 << 22)})
    assert path.stat().st_size < 1 << 14
    with pytest.raises(InputError, match="unpacks to more than 1 MiB"):
        read(path)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK",
        b"PK\x03\x04 no zip",
        b"student,item,answer\n",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),  # an old .xls, or one with a password
    ],
)
def test_a_file_that_is_not_a_spreadsheet_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "none.xlsx"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"none\.xlsx cannot be read: it is damaged or cut off"):
        read(path)


def test_damaged_parts_are_refused(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", {"One": sheet_cells([["a", "b"], [1, 2]])})
    whole = path.read_bytes()
    for cut in range(10, len(whole), 97):
        for data in (whole[:cut], whole[:cut] + b"\xff" * 8 + whole[cut + 8 :]):
            path.write_bytes(data)
            try:
                rows = read(path)
            except InputError:
                continue
            assert rows == [["a", "b"], ["1", "2"]]  # the damage is where nothing is read


def test_a_zip_without_a_sheet_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", "<x/>")
    with pytest.raises(InputError, match="holds no sheet: is it a spreadsheet"):
        spreadsheet_rows(file, "letter.xlsx")
