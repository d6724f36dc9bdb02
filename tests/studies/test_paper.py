import base64
import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pyarrow.parquet as pq
import pytest
from matplotlib.image import imread

from homeroom.studies.cells import CellStore, run_cell
from homeroom.studies.figures import PaperPlan
from homeroom.studies.paper import (
    FIGURES,
    QUICK_VERDICTS,
    ReproductionResult,
    draw_figure,
    reproduce,
    write_table,
)
from homeroom.studies.settings import PaperSettings
from tests.pages import parts_of, read_page, texts_of
from tests.studies.conftest import SameThread

NAMES = ("3a", "3b", "rules", "mean")


@pytest.fixture(scope="module")
def made(tiny: PaperPlan, tmp_path_factory: pytest.TempPathFactory) -> ReproductionResult:
    return reproduce(NAMES, tiny, tmp_path_factory.mktemp("report") / "deep" / "in", SameThread())


STARTS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}


@pytest.mark.slow
def test_a_quick_run_draws_every_figure(made: ReproductionResult) -> None:
    found = list((made.folder / "figures").iterdir())
    assert {path.name for path in found} == {f"{name}.svg" for name in NAMES}
    for path in found:
        assert path.read_bytes().startswith(STARTS["svg"])


@pytest.mark.slow
def test_a_full_run_draws_every_format(tiny: PaperPlan, tmp_path: Path) -> None:
    reproduce(["2"], PaperPlan(tiny.settings), tmp_path, SameThread())
    for ending, start in STARTS.items():
        assert (tmp_path / "figures" / f"2.{ending}").read_bytes().startswith(start)


@pytest.mark.slow
def test_vector_formats_contain_text(made: ReproductionResult, tiny: PaperPlan) -> None:
    files = draw_figure("3b", made.tables["3b"], tiny)
    assert b"diversity of rates</text>" in files["svg"]
    assert b"/FontFile2" in files["pdf"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["4a", "4c"])
@pytest.mark.parametrize("quick", [True, False])
def test_nothing_is_cut_off_at_the_edge(name: str, quick: bool) -> None:
    """Panels of a fixed shape with long labels keep a margin on every side."""
    plan = PaperPlan(PaperSettings(seeds=1), quick=quick)
    rows = [row for cell in FIGURES[name].cells(plan) for row in run_cell(cell)[0]]
    picture = imread(io.BytesIO(draw_figure(name, rows, plan, ("png",))["png"]))
    inked = picture[..., :3].min(axis=2) < 0.9
    margin = 6  # a fiftieth of an inch
    for edge in (inked[:margin], inked[-margin:], inked[:, :margin], inked[:, -margin:]):
        assert not edge.any()


@pytest.mark.slow
def test_the_numbers_are_written_as_tidy_tables(made: ReproductionResult) -> None:
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


@pytest.mark.slow
def test_the_claims_are_written_as_json(made: ReproductionResult) -> None:
    written = json.loads((made.folder / "data" / "claims.json").read_text())
    assert written == [claim.as_json() for claim in made.claims]
    assert len(written) >= 4


def test_the_page_is_one_file_with_everything_in_it(
    made: ReproductionResult, tiny: PaperPlan
) -> None:
    (gallery,) = parts_of(made.folder / "report.html", "gallery")
    assert len(gallery["pictures"]) == len(NAMES)
    for picture in gallery["pictures"]:
        svg = base64.b64decode(picture["source"].partition(",")[2])
        assert ET.fromstring(svg).tag.endswith("svg")
    page = "\n".join(texts_of(read_page(made.folder / "report.html")))
    for words in (
        "The paper's claims",
        made.claims[0].text,
        FIGURES["3a"].caption[:40],
        "seeds 0 to 1; Python",
        "numpy",
        "12",
        "knowledge_dimensions",
        "from up to 2 classes per point",
        "Based on 2 classes per point.",
        "(a quick run)",
        QUICK_VERDICTS,
        made.claims[0].verdict_text,
    ):
        assert words in page, words


@pytest.mark.slow
def test_a_second_run_draws_the_same_from_stored_cells(
    made: ReproductionResult, tiny: PaperPlan
) -> None:
    before = {path.name: path.read_bytes() for path in (made.folder / "figures").iterdir()} | {
        "cells": (made.folder / "cells.jsonl").read_bytes()
    }
    again = reproduce(NAMES, tiny, made.folder, SameThread())
    after = {path.name: path.read_bytes() for path in (made.folder / "figures").iterdir()} | {
        "cells": (made.folder / "cells.jsonl").read_bytes()
    }
    assert again.tables == made.tables
    assert before == after
    assert len(CellStore(made.folder).rows) == len(after["cells"].splitlines())
    assert again.measuring == pytest.approx(made.measuring)


def test_progress_reports_both_steps(tiny: PaperPlan, tmp_path: Path) -> None:
    written: list[tuple[str, int, int]] = []
    reproduce(["mean"], tiny, tmp_path, SameThread(), lambda *step: written.append(step))
    assert [step for step in written if step[0] == "measuring"][-1] == ("measuring", 4, 4)
    assert written[-1] == ("drawing", 1, 1)


def test_an_unwritable_folder_is_refused_before_the_work(tiny: PaperPlan, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"file/report cannot be written: Not a directory\. Choo"):
        reproduce(["mean"], tiny, tmp_path / "file" / "report", SameThread())


@pytest.mark.slow
def test_another_figure_is_added_to_an_existing_report(tiny: PaperPlan, tmp_path: Path) -> None:
    """The page shows every figure that was drawn in the folder with these settings."""
    reproduce(["3a"], tiny, tmp_path, SameThread())
    result = reproduce(["mean"], tiny, tmp_path, SameThread())
    assert list(result.tables) == ["3a", "mean"]
    page = (tmp_path / "report.html").read_text()
    assert page.count("data:image/svg+xml") == 2
    written = json.loads((tmp_path / "data" / "settings.json").read_text())
    assert written["figures"] == ["3a", "mean"]
    assert written["settings"] == tiny.settings.as_json()


@pytest.mark.slow
def test_a_folder_with_other_settings_is_not_changed(tiny: PaperPlan, tmp_path: Path) -> None:
    reproduce(["mean"], tiny, tmp_path, SameThread())
    before = (tmp_path / "report.html").read_bytes()
    other = PaperPlan(tiny.settings.change("eps=0.2"), quick=True)
    with pytest.raises(ValueError, match=r"holds a report with other settings than .'eps': 0\.2"):
        reproduce(["mean"], other, tmp_path, SameThread())
    assert (tmp_path / "report.html").read_bytes() == before
    more = PaperPlan(tiny.settings.change("seeds=1"), quick=True)
    assert list(reproduce(["mean"], more, tmp_path, SameThread()).tables) == ["mean"]


def test_two_runs_do_not_share_a_folder(tiny: PaperPlan, tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    with (tmp_path / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(ValueError, match=r"Another run is writing into .*: wait for it, or"):
            reproduce(["mean"], tiny, tmp_path, SameThread())
    reproduce(["mean"], tiny, tmp_path, SameThread())
