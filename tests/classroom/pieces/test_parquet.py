"""Students in Parquet files: opened by names and rates, read a batch at a time."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from homeroom import Classroom, LargeClass
from homeroom.classroom.pieces import parquet as pieces
from homeroom.classroom.pieces.base import Source
from homeroom.classroom.pieces.parquet import find_students, size_in_memory
from tests.bad_input import refuse

ROWS = 100
RNG = np.random.default_rng(0)
GOOD: dict[str, Any] = {
    "student": [f"pupil {i}" for i in range(ROWS)],
    "rate": RNG.uniform(0.1, 0.5, ROWS),
    "w1": RNG.standard_normal(ROWS),
    "w2": RNG.standard_normal(ROWS),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "class.parquet"


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "BLOCK_BYTES", 16 * 7 * pieces.BATCHES_PER_BLOCK)  # seven students


def write(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    table = pyarrow.table(columns).replace_schema_metadata(options.pop("metadata", None))
    parquet.write_table(table, path, **({"row_group_size": 40} | options))
    return path


def read_all(source: Source) -> tuple[Any, Any, list[str]]:
    blocks = [block for piece in source.pieces for block in piece.blocks()]
    assert max(len(block.rates) for block in blocks) <= 7
    rates = np.concatenate([block.rates for block in blocks])
    only_rates = [some for piece in source.pieces for some in piece.rates()]
    np.testing.assert_array_equal(rates, np.concatenate(only_rates))
    assert source.rates == (rates.min(), rates.max())
    names = [name for piece in source.pieces for some in piece.names() for name in some]
    return np.concatenate([block.states for block in blocks]), rates, names


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"compression": "none", "use_dictionary": False},
        {"row_group_size": 1},
        {"row_group_size": 1000, "data_page_size": 64},
        {"write_statistics": False},
    ],
)
def test_students_come_back_in_their_order(path: Path, options: dict[str, Any]) -> None:
    source = pickle.loads(pickle.dumps(find_students(write(path, GOOD, **options), None)))
    states, rates, names = read_all(source)
    np.testing.assert_array_equal(states, np.column_stack([GOOD["w1"], GOOD["w2"]]))
    np.testing.assert_array_equal(rates, GOOD["rate"])
    assert names == GOOD["student"]
    assert size_in_memory(path) == 8 * ROWS * 4


@pytest.mark.parametrize("kind", ["float32", "int64", "string", "decimal128"])
def test_numbers_of_other_kinds_become_floats(path: Path, kind: str) -> None:
    whole = pyarrow.array(range(1, ROWS + 1))
    other = pyarrow.decimal128(22, 2) if kind == "decimal128" else kind
    source = find_students(write(path, GOOD | {"rate": whole.cast(other), "w2": whole}), None)
    states, rates, _ = read_all(source)
    assert rates.tolist() == states[:, 1].tolist() == list(range(1, ROWS + 1))
    assert states.dtype == rates.dtype == np.float64


def test_names_may_be_missing(path: Path) -> None:
    columns = {name: GOOD[name] for name in ("rate", "w1", "w2")}
    assert read_all(find_students(write(path, columns), None))[2] == []
    some = GOOD | {"student": [None, *GOOD["student"][1:]]}
    assert read_all(find_students(write(path, some), None))[2][0] == ""


@pytest.mark.parametrize("rate", [None, 7.0, 0.0, np.nan])
@pytest.mark.parametrize("place", [0, 6, 7, 40, 57, 99])
def test_the_target_is_not_a_student_in_any_row(path: Path, place: int, rate: float | None) -> None:
    columns = {name: list(GOOD[name]) for name in GOOD}
    columns["student"][place], columns["rate"][place] = "\u3000Target\n", rate
    source = find_students(write(path, columns), None)
    states, rates, names = read_all(source)
    np.testing.assert_array_equal(rates, np.delete(GOOD["rate"], place))
    np.testing.assert_array_equal(states[:, 0], np.delete(GOOD["w1"], place))
    assert names == [name for i, name in enumerate(GOOD["student"]) if i != place]
    assert source.target.tolist() == [GOOD["w1"][place], GOOD["w2"][place]]
    assert Classroom.load(path).rates.tolist() == rates.tolist()


def test_pieces_are_of_about_the_same_size(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 16 * 5)  # five students
    many = {name: np.ones(19) for name in ("rate", "w1", "w2")}
    rows = [2, 2, 2, 12, 1]
    with parquet.ParquetWriter(path, pyarrow.table(many).schema) as file:
        for count in rows:
            file.write_table(pyarrow.table(many)[:count])
    source = find_students(path, (0.5, 2.0))
    assert [list(piece.groups) for piece in source.pieces] == [[0, 1], [2], [3], [4]]  # type: ignore[attr-defined]
    assert all(piece.limits == (0.5, 2.0) for piece in source.pieces)
    alone = write(path, {"student": ["target"], "rate": [None], "w1": [1.0], "w2": [1.0]})
    assert find_students(alone, None).pieces == []


def change(name: str, row: int, value: Any) -> dict[str, Any]:
    column = list(GOOD[name])
    if isinstance(value, str):
        column = list(map(str, column))
    column[row] = value
    return GOOD | {name: column}


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        (change("w2", 57, None), "Column w2 .* row 58 "),
        (change("w2", 57, np.nan), "row 58 .* column w2"),
        (change("w2", 99, "much"), "Column w2 .* row 100 .*'much'"),
        (change("rate", 57, None), "Column rate .* row 58 "),
        (change("rate", 0, "fast"), "Column rate .* row 1 .*'fast'"),
        (change("rate", 99, 0.0), "`rates` .* row 100 .* rate 0.0"),
        (change("rate", 99, -2.0), "`rates` .* row 100 .* rate -2.0"),
        (change("rate", 57, 7.5), "`rates` .* row 58 .* rate 7.5"),
        (GOOD | {"w2": [[1]] * ROWS}, r"Column w2 .* row 1 "),
        (GOOD | {"student": [[1]] * ROWS}, "text in column student"),
        (GOOD | {"student": ["target"] * ROWS}, "one target row"),
        ({name: GOOD[name] for name in ("student", "w1", "w2")}, "column rate"),
        (GOOD | {"w4": GOOD["w1"]}, "w1, w2, .*without a gap"),
    ],
    ids=range(13),
)
def test_what_is_wrong_is_refused_with_its_column_and_row(
    path: Path, columns: dict[str, Any], named: str
) -> None:
    write(path, columns)
    with pytest.raises(ValueError, match=named) as refusal:
        [list(piece.blocks()) for piece in find_students(path, (0.1, 0.5)).pieces]
    assert "class.parquet" in str(refusal.value)


def test_files_are_one_class_only_if_they_fit_together(tmp_path: Path) -> None:
    target = {"student": ["target"], "rate": [0.2], "w1": [1.0], "w2": [2.0]}
    write(tmp_path / "1.parquet", GOOD, metadata={b"homeroom": b"state_radius=9.0"})
    write(tmp_path / "2.parquet", {name: GOOD[name] for name in ("rate", "w2", "w1")})
    write(tmp_path / "3.parquet", target)
    room = LargeClass.open(tmp_path)
    assert (room.state_radius, room.target.tolist(), len(room.pieces)) == (9.0, [1.0, 2.0], 2)
    assert room.rates == (GOOD["rate"].min(), GOOD["rate"].max())
    for columns, metadata in (
        (target, None),
        (GOOD, {b"homeroom": b"state_radius=8.0"}),
        ({name: GOOD[name] for name in ("rate", "w1")}, None),
    ):
        write(tmp_path / "4.parquet", columns, metadata=metadata)
        refuse(lambda: LargeClass.open(tmp_path), "4.parquet")


def test_a_file_that_changes_after_it_was_opened_is_refused(path: Path) -> None:
    [piece] = find_students(write(path, GOOD, compression="zstd"), None).pieces
    whole = path.read_bytes()
    for change_file in (
        lambda: path.write_bytes(
            whole[:100] + bytes(len(whole) // 2) + whole[100:][len(whole) // 2 :]
        ),
        lambda: write(path, GOOD | {"w3": GOOD["w1"]}),
        lambda: write(path, {name: GOOD[name][:30] for name in GOOD}),
        path.unlink,
    ):
        change_file()
        refuse(lambda: list(piece.blocks()), "class.parquet")


def test_a_file_cut_off_is_refused_before_anything_is_read(path: Path) -> None:
    whole = write(path, GOOD).read_bytes()
    for length in range(0, len(whole), 197):
        path.write_bytes(whole[:length])
        refuse(lambda: find_students(path, None), "class.parquet")


def test_one_large_group_of_rows_is_never_in_memory_whole(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, size = 200_000, 200_000 * 11 * 8
    columns = {f"w{i + 1}": RNG.standard_normal(rows) for i in range(10)}
    columns["rate"] = RNG.uniform(0.1, 0.5, rows)
    options = {"row_group_size": rows, "data_page_size": 1 << 14, "use_dictionary": False}
    monkeypatch.setattr(pieces, "BLOCK_BYTES", size // 5)
    monkeypatch.setattr(pieces, "BUFFER_BYTES", 1 << 12)
    [piece] = find_students(write(path, columns, **options), None).pieces
    before, most, students = pyarrow.total_allocated_bytes(), 0, 0
    for block in piece.blocks():
        assert block.states.nbytes <= size // 20
        most = max(most, pyarrow.total_allocated_bytes() - before)
        students += len(block.rates)
    assert students == rows
    assert 0 < most < size / 3
