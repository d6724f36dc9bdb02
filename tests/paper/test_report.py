import base64
import csv
import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pyarrow.parquet as pq
import pytest

from homeroom.paper import FIGURES, Plan, Store
from homeroom.paper.report import Result, reproduce, write_table
from tests.paper.conftest import Here

NAMES = ("3a", "3b", "mean")


@pytest.fixture(scope="module")
def made(tiny: Plan, tmp_path_factory: pytest.TempPathFactory) -> Result:
    return reproduce(NAMES, tiny, tmp_path_factory.mktemp("report") / "deep" / "in", Here())


def test_every_figure_is_there_in_every_format(made: Result) -> None:
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    for name in NAMES:
        for ending, start in starts.items():
            assert (made.folder / "figures" / f"{name}.{ending}").read_bytes().startswith(start)


def test_text_stays_text_in_the_vector_formats(made: Result) -> None:
    svg = (made.folder / "figures" / "3b.svg").read_text()
    assert "diversity of rates</text>" in svg
    assert b"/FontFile2" in (made.folder / "figures" / "3b.pdf").read_bytes()


def test_the_numbers_are_there_as_tidy_tables(made: Result) -> None:
    for name in NAMES:
        with (made.folder / "data" / f"{name}.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        table = pq.read_table(made.folder / "data" / f"{name}.parquet")
        assert len(rows) == table.num_rows == len(made.tables[name])
        assert list(rows[0]) == table.column_names
        for measured, read in zip(made.tables[name], table.to_pylist(), strict=True):
            assert {key: value for key, value in read.items() if value is not None} == measured


def test_a_row_without_a_value_has_an_empty_field(tmp_path: Path) -> None:
    write_table([{"a": 1, "T": None}, {"a": 2, "b": 3.5}], tmp_path / "odd.name")
    assert (tmp_path / "odd.name.csv").read_text() == "a,T,b\n1,,\n2,,3.5\n"


def test_the_claims_are_there_as_json(made: Result) -> None:
    told = json.loads((made.folder / "data" / "claims.json").read_text())
    assert told == [claim.as_json() for claim in made.claims]
    assert len(told) >= 4


def test_the_page_is_one_file_with_everything_in_it(made: Result, tiny: Plan) -> None:
    page = (made.folder / "report.html").read_text()
    pictures = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert len(pictures) == len(NAMES)
    for picture in pictures:
        assert ET.fromstring(base64.b64decode(picture)).tag.endswith("svg")
    assert not re.search(r'(src|href)="(?!data:)', page)
    assert not re.search(r"url\(|@import|<script|<link", page)
    for words in (
        "The paper&#x27;s claims",
        made.claims[0].text,
        FIGURES["3a"].caption[:40],
        "seeds 0 to 1; Python",
        "numpy",
        "<td>12</td>",
        "knowledge_dimensions",
        "from 2 classes a point in",
        "(a quick look)",
    ):
        assert words in page, words


def test_a_second_run_draws_the_same_from_what_is_stored(made: Result, tiny: Plan) -> None:
    before = {path.name: path.read_bytes() for path in (made.folder / "figures").iterdir()} | {
        "cells": (made.folder / "cells.jsonl").read_bytes()
    }
    again = reproduce(NAMES, tiny, made.folder, Here())
    after = {path.name: path.read_bytes() for path in (made.folder / "figures").iterdir()} | {
        "cells": (made.folder / "cells.jsonl").read_bytes()
    }
    assert again.tables == made.tables
    assert before == after
    assert len(Store(made.folder).rows) == len(after["cells"].splitlines())
    assert again.measuring == pytest.approx(made.measuring)


def test_progress_is_told_of_both_parts(tiny: Plan, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    reproduce(["mean"], tiny, tmp_path, Here(), lambda *step: told.append(step))
    assert [step for step in told if step[0] == "measuring"][-1] == ("measuring", 4, 4)
    assert told[-1] == ("drawing", 1, 1)


def test_a_folder_that_cannot_be_written_is_found_out_before_the_work(
    tiny: Plan, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"file/report cannot be written: Not a directory\. Choo"):
        reproduce(["mean"], tiny, tmp_path / "file" / "report", Here())
