"""The distance of each student before and after a lesson, in a file."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom import Classroom, LargeClass, teach
from homeroom.classroom.pieces import arrays
from homeroom.lessons import save_students
from tests.bad_input import refuse

SAMPLED = Classroom.sample(students=90, dimensions=3, rates=(0.1, 0.5))
NAMES = [f"pupil, {number}" for number in range(90)]
ROOM = Classroom(SAMPLED.states, SAMPLED.rates, SAMPLED.target, names=NAMES)


@pytest.fixture(autouse=True)
def several_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "PIECE_BYTES", 8 * 3 * 20)


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


def test_nothing_half_written_is_left(tmp_path: Path) -> None:
    states = ROOM.states.copy()
    room = LargeClass.open((states, ROOM.rates), target=ROOM.target)
    record = teach(room)
    states[70, 1] = np.nan
    for name in ("students.csv", "students.parquet"):
        if name.endswith("parquet"):
            pytest.importorskip("pyarrow")
        refuse(partial(save_students, room, record, tmp_path / name), "row 71")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def room() -> Classroom:
    return Classroom.sample(students=700, dimensions=4, rates=(0.1, 2.0), seed=3)


@pytest.mark.parametrize("engine", ["sketch", "exact"])
@pytest.mark.parametrize("groups", ["whole", "by-rate"])
def test_the_second_pass_finds_the_distances_of_all_students(
    room: Classroom, engine: str, groups: str
) -> None:
    record = teach(room, engine=engine, groups=groups, verify=True)
    distances = np.linalg.norm(record.final_states - room.target, axis=1)
    assert record.verified is not None
    assert record.verified["error"] == pytest.approx((distances**2).mean(), rel=1e-12)
    assert record.verified["farthest"] == pytest.approx(distances.max(), rel=1e-12)
    assert record.verified["error"] == pytest.approx(record.errors[-1], rel=1e-9)


def test_a_class_that_is_read_piece_by_piece_is_read_once_more(room: Classroom) -> None:
    large = LargeClass.open((room.states, room.rates), target=room.target)
    record, held = teach(large, verify=True), teach(room, engine="sketch", verify=True)
    assert record.verified is not None
    assert held.verified is not None
    assert record.rounds == held.rounds
    assert record.verified["error"] == pytest.approx(held.verified["error"], rel=1e-12)
    assert record.verified["farthest"] == pytest.approx(held.verified["farthest"], rel=1e-12)


@pytest.mark.parametrize("groups", ["whole", "by-rate"])
def test_single_precision_students_are_verified_in_double(groups: str) -> None:
    """Far from zero, float32 would lose what is left of the error."""
    rng = np.random.default_rng(0)
    states = (1000 + rng.standard_normal((200, 3))).astype(np.float32)
    rates = (0.1 + rng.random(200)).astype(np.float32)
    room = Classroom(states, rates, np.full(3, 1000, dtype=np.float32))
    record = teach(room, engine="sketch", goal="average:eps=1e-5", groups=groups, verify=True)
    double = Classroom(*(np.asarray(part, np.float64) for part in (states, rates, room.target)))
    expected = teach(double, engine="sketch", goal="average:eps=1e-5", groups=groups, verify=True)
    assert record.verified is not None
    assert expected.verified is not None
    assert record.verified["error"] == pytest.approx(expected.verified["error"], rel=1e-9)
    assert record.verified["error"] == pytest.approx(record.errors[-1], rel=1e-9)
