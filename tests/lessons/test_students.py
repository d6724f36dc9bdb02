"""The distance of each student before and after a lesson, in a file."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom import Classroom, LargeClass, teach
from homeroom.classroom import opening
from homeroom.lessons import save_students

SAMPLED = Classroom.sample(students=90, dimensions=3, rates=(0.1, 0.5))
NAMES = [f"pupil, {number}" for number in range(90)]
ROOM = Classroom(SAMPLED.states, SAMPLED.rates, SAMPLED.target, names=NAMES)


@pytest.fixture(autouse=True)
def several_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "PIECE_BYTES", 8 * 3 * 20)


def rows_of(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            return list(csv.DictReader(file))
    parquet = pytest.importorskip("pyarrow.parquet")
    rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return rows


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("kind", ["class", "arrays", "table"])
def test_distances_are_those_after_the_lesson(tmp_path: Path, kind: str, ending: str) -> None:
    if "parquet" in (ending, {"table": "parquet"}.get(kind)):
        pytest.importorskip("pyarrow")
    room: Classroom | LargeClass = ROOM
    if kind == "arrays":
        room = LargeClass.open((ROOM.states, ROOM.rates), target=ROOM.target)
        assert len(room.pieces) == 5
    if kind == "table":
        ROOM.save(tmp_path / "class.parquet")
        room = LargeClass.open(tmp_path / "class.parquet")
    record = save_students(room, teach(room), tmp_path / f"students.{ending}")
    exact = teach(ROOM, engine="exact")
    rows = rows_of(tmp_path / f"students.{ending}")
    numbers = range(90) if ending == "parquet" else map(str, range(90))
    assert [row["student"] for row in rows] == (list(numbers) if kind == "arrays" else NAMES)
    before, after = (np.array([float(row[name]) for row in rows]) for name in ("before", "after"))
    np.testing.assert_allclose(before, np.sqrt(ROOM.squared_distances), rtol=1e-12)
    final = exact.final_states - ROOM.target
    np.testing.assert_allclose(after, np.sqrt(np.vecdot(final, final)), rtol=1e-9)
    assert record.verified is not None
    assert record.verified["error"] == pytest.approx(exact.errors[-1], rel=1e-12)
    assert record.verified["farthest"] == pytest.approx(after.max(), rel=1e-12)


def test_it_agrees_with_verify_to_the_last_bit(tmp_path: Path) -> None:
    room = LargeClass.open((ROOM.states, ROOM.rates), target=ROOM.target)
    saved = save_students(room, teach(room), tmp_path / "students.csv")
    assert saved.verified == teach(room, verify=True).verified


def test_nothing_half_written_is_left(tmp_path: Path) -> None:
    states = ROOM.states.copy()
    room = LargeClass.open((states, ROOM.rates), target=ROOM.target)
    record = teach(room)
    states[70, 1] = np.nan
    for name in ("students.csv", "students.parquet"):
        if name.endswith("parquet"):
            pytest.importorskip("pyarrow")
        with pytest.raises(ValueError, match="row 71 of the arrays has nan in column 2"):
            save_students(room, record, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"students\.txt must end in \.parquet or \.csv to hold"):
        save_students(ROOM, teach(ROOM), tmp_path / "students.txt")


def test_students_who_learn_at_random_have_no_distances_in_a_sketch(tmp_path: Path) -> None:
    record = teach(ROOM, learner="langevin:beta=1e6", engine="sketch", max_rounds=5)
    with pytest.raises(ValueError, match="These students learn at random, and the sketch knows"):
        save_students(ROOM, record, tmp_path / "students.csv")
