"""``homeroom teach`` on classes that are read in pieces."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from homeroom import Classroom, Record, teach
from homeroom.classroom import OneByOne, opening
from homeroom.classroom.pieces import parquet as parquet_pieces
from homeroom.cli import teach as large
from homeroom.lessons.strategies import FEWEST

if TYPE_CHECKING:
    from tests.cli.conftest import Homeroom

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

ROOM = Classroom.sample(students=600, dimensions=3, rates=(0.1, 0.5))
COMMAND = (sys.executable, "-c", "from homeroom.cli import main; main()", "teach")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A class of twelve pieces in a Parquet file."""
    monkeypatch.setattr(parquet_pieces, "PIECE_BYTES", 8 * 3 * 50)
    ROOM.save(tmp_path / "whole.parquet")
    path = tmp_path / "class.parquet"
    parquet.write_table(parquet.read_table(tmp_path / "whole.parquet"), path, row_group_size=50)
    (tmp_path / "whole.parquet").unlink()
    return path


@pytest.fixture
def scheduler(two_workers: Any) -> str:
    return str(two_workers.scheduler_address)


class TestWhichWay:
    @pytest.fixture
    def opened(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """What was read in pieces, and by which runner."""
        found: list[str] = []
        find = opening.find

        def watched(source: Any, *more: Any) -> Any:
            found.append(Path(source).name)
            return find(source, *more)

        @contextmanager
        def cluster(workers: int) -> Iterator[str]:
            found.append(f"{workers} workers")
            yield ""

        monkeypatch.setattr(opening, "find", watched)
        monkeypatch.setattr(large, "local_cluster", cluster)
        monkeypatch.setattr(large, "OnDask", lambda _, progress: OneByOne(progress))
        monkeypatch.setattr(large, "cores", lambda: 3)
        return found

    def test_a_small_file_is_held_in_memory(
        self, homeroom: Homeroom, table: Path, opened: list[str]
    ) -> None:
        assert homeroom("teach", table).code == 0
        assert opened == []

    def test_more_than_half_the_memory_is_read_in_pieces(
        self, homeroom: Homeroom, table: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(large, "_memory", lambda: 10_000)
        assert homeroom("teach", table).code == 0
        assert opened == ["class.parquet"]
        assert homeroom("teach", table, "--engine", "exact").code == 0
        assert homeroom("teach", table, "--groups", "by-rate").code == 0
        assert homeroom("teach", table, "--watch", "3").code == 0
        assert opened == ["class.parquet"]

    @pytest.mark.parametrize("ending", ["parquet", "npz"])
    def test_more_than_max_gib_is_read_in_pieces(
        self, homeroom: Homeroom, tmp_path: Path, opened: list[str], ending: str
    ) -> None:
        path = tmp_path / f"small.{ending}"
        ROOM.save(path)
        ran = homeroom("teach", path, "--max-gib", 1e-6, "--json")
        assert ran.code == 0, ran.err
        assert opened == [f"small.{ending}"]
        assert ran.document["lesson"]["rounds"] == teach(ROOM).rounds
        refused = homeroom("teach", path, "--max-gib", 1e-6, "--engine", "exact")
        assert refused.code == 2
        assert f"small.{ending} would fill 0.0 GiB of memory, more than the limit" in refused.err

    def test_a_table_that_cannot_be_cut_is_refused_as_before(
        self, homeroom: Homeroom, pupils: Path, opened: list[str]
    ) -> None:
        ran = homeroom("teach", pupils, "--max-gib", 1e-9)
        assert ran.code == 2
        assert "pupils.csv would fill 0.0 GiB of memory, more than the limit" in ran.err
        assert opened == []

    def test_a_gigabyte_for_the_sketch_stays_on_disk_and_gets_a_cluster(
        self, homeroom: Homeroom, table: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(large, "LARGE", 1000)
        assert homeroom("teach", table, "--engine", "sketch").code == 0
        assert opened == ["class.parquet", "3 workers"]
        opened.clear()
        monkeypatch.setattr(large, "has_dask", lambda: False)
        assert homeroom("teach", table, "--engine", "sketch").code == 0
        assert opened == ["class.parquet"]
        opened.clear()
        assert homeroom("teach", table, "--engine", "sketch", "--workers", 5).code == 0
        assert opened == ["class.parquet", "5 workers"]

    def test_a_folder_is_always_read_in_pieces(
        self, homeroom: Homeroom, table: Path, tmp_path: Path, opened: list[str]
    ) -> None:
        folder = tmp_path / "folder"
        folder.mkdir()
        table.rename(folder / "part.parquet")
        assert homeroom("teach", folder).code == 0
        assert opened == ["folder"]
        ran = homeroom("teach", folder, "--engine", "exact")
        assert ran.code == 2
        assert re.search(r"folder is a folder, which is read in pieces, but the exact", ran.err)


def test_the_lesson_is_that_of_the_class_in_memory(homeroom: Homeroom, table: Path) -> None:
    ran = homeroom("teach", table, "--workers", 1, "--verify", "--json")
    assert ran.code == 0, ran.err
    record = teach(ROOM, engine="exact")
    lesson = ran.document["lesson"]
    assert lesson["rounds"] == record.rounds
    assert lesson["engine"] == "sketch"
    assert lesson["error_estimate"] <= 1e-9 * record.errors[-1]
    assert lesson["verified"]["error"] == pytest.approx(record.errors[-1], rel=1e-9)
    assert ran.document["settings"]["nodes"] >= 33
    assert ran.document["class"]["students"] == 600
    assert ran.document["class"]["slowest_rate"] == ROOM.rates.min()
    assert ran.document["watched"] == []


def test_the_screen_shows_engine_nodes_and_estimate(homeroom: Homeroom, table: Path) -> None:
    ran = homeroom("teach", table, "--workers", 1, "--verify")
    assert re.search(r"engine +sketch, \d+ nodes, off by at most \d\.\de-\d\d", ran.out)
    assert re.search(r"verified +error 0\.0\d+, the farthest at \d\.\d", ran.out)
    assert "600 students, 3 dimensions, rates 0.1" in ran.out
    ran = homeroom("teach", table, "--engine", "exact")
    assert re.search(r"engine +exact", ran.out)
    assert "verified" not in ran.out


def test_the_hand_over_is_reported(homeroom: Homeroom, tmp_path: Path) -> None:
    rates = np.full(600, 0.1)
    rates[0] = 5.0  # for whom the others' examples are far too long
    room = Classroom(ROOM.states, rates, ROOM.target, state_radius=50.0)
    room.save(tmp_path / "room.npz")
    line = ("teach", tmp_path / "room.npz", "--engine", "sketch", "--magnitude", "dynamic")
    ran = homeroom(*line, "--max-rounds", 20)
    assert ran.code == 0
    said = " ".join(ran.out.split())
    assert "handed over after round 0: an example was so long that students may leave" in said
    ran = homeroom(*line, "--workers", 1)
    assert ran.code == 2
    assert re.search(r"The sketch cannot continue after round \d+: an example was so long", ran.err)


def test_no_student_is_watched_where_a_sketch_is_faster(homeroom: Homeroom) -> None:
    line = ("teach", "--dimensions", 2, "--json", "--students")
    few, many = (homeroom(*line, students).document for students in (FEWEST - 1, FEWEST))
    assert (few["lesson"]["engine"], many["lesson"]["engine"]) == ("exact", "sketch")
    assert (len(few["watched"]), len(many["watched"])) == (4, 0)
    named = homeroom(*line, FEWEST, "--watch", "7").document
    assert named["lesson"]["engine"] == "exact"
    assert len(named["watched"]) == 1


@pytest.mark.slow
def test_the_folder_has_all_files(homeroom: Homeroom, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ran = homeroom("teach", table, "--workers", 1, "--verify", "--out", out, "--json")
    assert ran.code == 0, ran.err
    names = {"record.npz", "error.svg", "error.png", "report.html", "result.json"}
    assert {file.name for file in out.iterdir()} == {*names, "students.parquet"}
    assert json.loads((out / "result.json").read_text()) == ran.document
    record = Record.load(out / "record.npz")
    assert record.verified == ran.document["lesson"]["verified"]
    students = parquet.read_table(out / "students.parquet")
    assert students.column_names == ["student", "before", "after"]
    assert students.num_rows == 600
    after = students.column("after").to_numpy()
    assert np.mean(after**2) == pytest.approx(record.errors[-1], rel=1e-9)
    page = (out / "report.html").read_text()
    assert re.search(r">engine<.*>sketch, ", page)
    assert "600 students" in page


@pytest.mark.slow
def test_a_class_in_memory_is_verified_too(
    homeroom: Homeroom, pupils: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homeroom.cli.teach.find_spec", lambda _: None)
    out = tmp_path / "out"
    ran = homeroom("teach", pupils, "--verify", "--groups", "by-rate", "--out", out, "--json")
    assert ran.code == 0, ran.err
    assert ran.document["lesson"]["verified"]["error"] <= 0.1
    lines = (out / "students.csv").read_text().splitlines()
    assert lines[0] == "student,before,after"
    assert lines[1].startswith("pupil 0,")
    assert len(lines) == 25


@pytest.mark.filterwarnings("default::ResourceWarning", "default::DeprecationWarning")
@pytest.mark.filterwarnings("default::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.slow
class TestOnACluster:
    def test_the_document_is_the_same_to_the_last_bit(
        self, homeroom: Homeroom, table: Path, scheduler: str, tmp_path: Path
    ) -> None:
        line = ("teach", table, "--verify", "--json", "--out")
        there = homeroom(*line, tmp_path / "there", "--scheduler", scheduler)
        here = homeroom(*line, tmp_path / "here", "--workers", 1)
        assert there.code == here.code == 0, there.err
        assert there.document == here.document
        one, two = (
            parquet.read_table(tmp_path / name / "students.parquet") for name in ("here", "there")
        )
        assert one.equals(two)

    def test_bad_input_is_the_same_sentence(
        self, homeroom: Homeroom, table: Path, scheduler: str, tmp_path: Path
    ) -> None:
        line = ("teach", table, "--rate-range", 0.1, 0.45, "--out", tmp_path / "out")
        there = homeroom(*line, "--scheduler", scheduler)
        here = homeroom(*line, "--workers", 1)
        assert there.code == here.code == 2
        for sentence in (there.err, here.err):
            assert len(sentence.splitlines()) == 1
            assert re.match(
                r"`rates` were announced to be between 0\.1 and 0\.45, but row \d+ of .*class\.par",
                sentence,
            )
        assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_dead_scheduler_is_one_sentence_and_leaves_nothing(table: Path, tmp_path: Path) -> None:
    start = time.monotonic()
    line = (str(table), "--scheduler", "tcp://127.0.0.1:1", "--out", str(tmp_path / "out"))
    ran = subprocess.run((*COMMAND, *line), check=False, capture_output=True, text=True)
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert len(ran.stderr.splitlines()) == 1
    assert re.match(r"No Dask scheduler answers at tcp://127\.0\.0\.1:1: .*\.$", ran.stderr)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class.parquet"]
    assert time.monotonic() - start < 120  # it gives up by itself, busy machine or not


def columns() -> dict[str, Any]:
    states = {f"w{i + 1}": ROOM.states[:, i].tolist() for i in range(3)}
    return {"rate": ROOM.rates.tolist(), **states}


def with_value(name: str, value: Any) -> dict[str, Any]:
    changed = columns()
    changed[name][577] = value
    return changed


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ({name: column for name, column in columns().items() if name != "rate"},
         r".*class\.parquet must have a column rate: how fast each student learns\. Its col"),
        ({name: column for name, column in columns().items() if name != "w2"},
         r".*class\.parquet must have the columns w1, w2, \.\.\. without a gap, but has rate, w"),
        (with_value("w2", None), r"Column w2 must have a number in every row, but row 578 of .*"),
        (with_value("rate", None), r"Column rate must have a number in every row, but row 578 of"),
        (columns() | {"w2": [*map(str, ROOM.states[:-1, 1]), "much"]},
         r"Column w2 must have numbers, but row 600 of .*class\.parquet has 'much' \(Failed to"),
        (with_value("w2", float("nan")), r"`states` must be finite, but row 578 of .* has nan in"),
        (with_value("rate", 0.0), r"`rates` must be positive and finite, but row 578 of .* rate 0"),
        (with_value("rate", 0.7), r"`rates` were announced to be between 0\.1 and 0\.5, but row 5"),
    ],
    ids=["no rate", "no w2", "null", "null rate", "mixed", "nan", "rate 0", "rate outside"],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_leaves_nothing(
    homeroom: Homeroom, tmp_path: Path, bad: dict[str, Any], sentence: str
) -> None:
    np.save(tmp_path / "target.npy", ROOM.target)
    parquet.write_table(pyarrow.table(bad), tmp_path / "class.parquet", row_group_size=50)
    line = (tmp_path / "class.parquet", "--target", tmp_path / "target.npy")
    ran = homeroom("teach", *line, "--rate-range", 0.1, 0.5, "--out", tmp_path / "out")
    assert ran.code == 2
    assert ran.out == ""
    assert len(ran.err.splitlines()) == 1
    assert re.match(sentence, ran.err)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class.parquet", "target.npy"]


def test_a_truncated_file_is_one_sentence(homeroom: Homeroom, table: Path, tmp_path: Path) -> None:
    table.write_bytes(table.read_bytes()[:-300])
    ran = homeroom("teach", table, "--workers", 1, "--out", tmp_path / "out")
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1
    assert re.match(r".*class\.parquet cannot be read: it is damaged or cut off \(", ran.err)
    assert not (tmp_path / "out").exists()


def test_a_file_that_breaks_in_the_verifying_pass_leaves_nothing(
    homeroom: Homeroom, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def then_break(*given: Any, **more: Any) -> Record:
        record = teach(*given, **more)
        table.write_bytes(table.read_bytes()[:-300])
        return record

    monkeypatch.setattr("homeroom.cli.teach.teach_class", then_break)
    ran = homeroom("teach", table, "--workers", 1, "--verify", "--out", tmp_path / "out")
    assert ran.code == 2
    assert re.match(r".*class\.parquet cannot be read: it is damaged or cut off \(", ran.err)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class.parquet"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--workers", 0), r"--workers must be at least 1, but is 0\."),
        (("--workers", 2, "--engine", "exact"), r"--workers is for a class that is read in "),
        (("--rate-range", 0.1, 0.5, "--engine", "exact"), r"--rate-range is for a class that is r"),
        (("--rate-range", 0.5, 0.1), r"`rates` must be two positive numbers"),
        (("--workers", 1, "--watch", "3"), r"--watch needs single students, but .*class\.parqu"),
        (("--workers", 1, "--groups", "by-rate"), r"--groups by-rate needs single students, bu"),
        (("--workers", 1, "--groups", "groups.csv"), r"--groups groups\.csv needs single stude"),
        (("--workers", 1, "--learner", "langevin:beta=9", "--verify"), r"`verify` shows the lesso"),
        (("--engine", "fast"), r"`engine` must be 'exact', 'sketch' or 'auto'.*|.*engine.*fast"),
        (("--scheduler", "tcp://127.0.0.1:1", "--students", 5), r"--students is for a class dr"),
    ],
    ids=range(10),
)  # fmt: skip
def test_options_that_do_not_go_together_are_one_sentence(
    homeroom: Homeroom, table: Path, tmp_path: Path, options: tuple[object, ...], sentence: str
) -> None:
    ran = homeroom("teach", table, *options, "--out", tmp_path / "out")
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1
    assert re.match(sentence, ran.err)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("option", [("--workers", 2), ("--rate-range", 1, 2), ("--scheduler", "x")])
def test_a_drawn_class_is_in_memory(homeroom: Homeroom, option: tuple[object, ...]) -> None:
    ran = homeroom("teach", *option)
    assert ran.code == 2
    assert re.match(rf"{option[0]} needs a class file: name the FILE too\.", ran.err)
