"""Students in Parquet files, a batch at a time."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom import Classroom
from homeroom.classroom.pieces import parquet as pieces
from homeroom.classroom.pieces.parquet import ParquetPiece, names_in_file, read_footers

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

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
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "BLOCK_BYTES", 16 * 7)  # seven students


def written(path: Path, columns: dict[str, Any], **options: Any) -> ParquetPiece:
    parquet.write_table(pyarrow.table(columns), path, **({"row_group_size": 40} | options))
    [piece] = read_footers([path]).pieces(None)
    return piece


def all_of(piece: ParquetPiece) -> tuple[Any, Any, list[str]]:
    blocks = list(piece.blocks())
    assert max(len(block.rates) for block in blocks) <= 7
    np.testing.assert_array_equal(
        np.concatenate([block.rates for block in blocks]), np.concatenate(list(piece.rates()))
    )
    names = [name for some in piece.names() for name in some.to_pylist()]
    states = np.concatenate([block.states for block in blocks])
    return states, np.concatenate([block.rates for block in blocks]), names


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
    piece = pickle.loads(pickle.dumps(written(path, GOOD, **options)))
    states, rates, names = all_of(piece)
    np.testing.assert_array_equal(states, np.column_stack([GOOD["w1"], GOOD["w2"]]))
    np.testing.assert_array_equal(rates, GOOD["rate"])
    assert names == GOOD["student"]


@pytest.mark.parametrize("kind", ["float32", "int64", "string", "decimal128"])
def test_numbers_of_other_kinds_become_floats(path: Path, kind: str) -> None:
    whole = pyarrow.array(range(1, ROWS + 1))
    other = pyarrow.decimal128(22, 2) if kind == "decimal128" else kind
    states, rates, _ = all_of(written(path, GOOD | {"rate": whole.cast(other), "w2": whole}))
    assert rates.tolist() == states[:, 1].tolist() == list(range(1, ROWS + 1))
    assert states.dtype == rates.dtype == np.float64


def test_columns_may_be_in_capitals_in_any_order_and_among_others(path: Path) -> None:
    columns = {"note": [[1, 2]] * ROWS} | {name.upper(): GOOD[name] for name in reversed(GOOD)}
    states, rates, names = all_of(written(path, columns))
    np.testing.assert_array_equal(states[:, 0], GOOD["w1"])
    np.testing.assert_array_equal(rates, GOOD["rate"])
    assert names == GOOD["student"]


def test_without_names_there_are_none(path: Path) -> None:
    piece = written(path, {name: GOOD[name] for name in ("rate", "w1", "w2")})
    assert all_of(piece)[2] == []
    missing = [None, *GOOD["student"][1:]]
    assert all_of(written(path, GOOD | {"student": missing}))[2][0] == ""


@pytest.mark.parametrize("place", [0, 6, 7, 40, 57, 99])
def test_the_target_is_not_a_student_in_any_row(path: Path, place: int) -> None:
    columns = {name: list(GOOD[name]) for name in GOOD}
    columns["student"][place], columns["rate"][place] = " Target ", None
    states, rates, names = all_of(written(path, columns))
    np.testing.assert_array_equal(rates, np.delete(GOOD["rate"], place))
    np.testing.assert_array_equal(states[:, 0], np.delete(GOOD["w1"], place))
    assert names == [name for i, name in enumerate(GOOD["student"]) if i != place]


def test_a_class_that_was_saved_is_read_as_it_was(path: Path) -> None:
    room = Classroom.sample(students=50, dimensions=4)
    room.save(path)
    found = read_footers([path])
    states, rates, names = all_of(*found.pieces(None))
    np.testing.assert_array_equal(states, room.states)
    np.testing.assert_array_equal(rates, room.rates)
    np.testing.assert_array_equal(found.target, room.target)
    assert names[-1] == "49"


def changed(name: str, row: int, value: Any) -> dict[str, Any]:
    column = list(GOOD[name])
    column[row] = value
    return {name: column}


def as_text(name: str, row: int, value: str) -> dict[str, Any]:
    return {name: [value if i == row else str(number) for i, number in enumerate(GOOD[name])]}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (changed("w2", 57, None), r"Column w2 must have a number in every row, but row 58 of "
                                  r".*class\.parquet has none\. Fill it in, or drop the row"),
        (changed("rate", 57, None), r"Column rate must have a number in every row, but row 58 of"),
        (changed("w2", 57, np.nan), r"row 58 of .*class\.parquet has nan in column w2\. Fill in"),
        (changed("rate", 99, 0.0), r"row 100 of .*class\.parquet has the rate 0\.0\. A student"),
        (changed("rate", 99, -2.0), r"row 100 of .*class\.parquet has the rate -2\.0\. A student"),
        (as_text("w2", 99, "much"), r"Column w2 must have numbers, but row 100 of .*class\.parquet "
                                    r"has 'much' \(Failed to parse string"),
        (as_text("rate", 0, "fast"), r"Column rate must have numbers, but row 1 of .* has 'fast'"),
        ({"w2": [[1]] * ROWS}, r"Column w2 must have numbers, but row 1 of .* has .*\[1\]"),
        ({"w2": pyarrow.array([2**60 + 1] * ROWS)}, r"Column w2 must have numbers, but row 1 of"),
    ],
    ids=range(9),
)  # fmt: skip
def test_an_unreadable_value_is_reported_with_its_column_and_row(
    path: Path, changes: dict[str, Any], sentence: str
) -> None:
    piece = written(path, GOOD | changes)
    with pytest.raises(ValueError, match=sentence):
        list(piece.blocks())
    if "rate" in changes:
        with pytest.raises(ValueError, match=sentence):
            list(piece.rates())


def test_a_rate_outside_the_given_range_is_reported_with_its_row(path: Path) -> None:
    written(path, GOOD | changed("rate", 57, 7.5))
    [piece] = read_footers([path]).pieces((0.1, 0.5))
    for read in (piece.blocks, piece.rates):
        with pytest.raises(
            ValueError, match=r"0\.5, but row 58 of .*class\.parquet has the rate 7"
        ):
            list(read())


def test_a_file_that_is_damaged_in_the_middle_is_refused_when_it_is_read(path: Path) -> None:
    piece = written(path, GOOD, compression="zstd")
    data = bytearray(path.read_bytes())
    data[100 : len(data) // 2] = bytes(len(data) // 2 - 100)
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"class\.parquet cannot be read: it is damaged or cut"):
        list(piece.blocks())


def test_a_file_that_was_deleted_or_replaced_is_refused(path: Path) -> None:
    piece = written(path, GOOD)
    written(path, GOOD | {"w3": GOOD["w1"]})
    with pytest.raises(ValueError, match=r"class\.parquet must have the columns w1 to w2 like the"):
        list(piece.blocks())
    written(path, {name: GOOD[name][:30] for name in GOOD})
    with pytest.raises(ValueError, match=r"class\.parquet cannot be read: it is damaged"):
        list(piece.blocks())
    path.unlink()
    with pytest.raises(ValueError, match=r"There is no file .*class\.parquet\."):
        list(piece.blocks())


def test_a_programming_error_is_not_called_a_damaged_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    piece = written(path, GOOD)

    def wrong(*_: Any) -> dict[str, str]:
        raise IndexError("a mistake")

    monkeypatch.setattr(pieces, "names_in_file", wrong)
    with pytest.raises(IndexError, match="a mistake"):
        list(piece.blocks())


def test_a_table_without_rates_is_refused() -> None:
    with pytest.raises(ValueError, match=r"x\.parquet must have a column rate: how fast each"):
        names_in_file(Path("x.parquet"), ["student", "w1"])


def test_one_large_group_of_rows_is_never_in_memory_whole(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, size = 200_000, 200_000 * 11 * 8
    columns = {f"w{i + 1}": RNG.standard_normal(rows) for i in range(10)}
    piece = written(
        path,
        {"rate": RNG.uniform(0.1, 0.5, rows), **columns},
        row_group_size=rows,
        data_page_size=1 << 14,
        use_dictionary=False,
    )
    monkeypatch.setattr(pieces, "BLOCK_BYTES", size // 20)
    monkeypatch.setattr(pieces, "BUFFER_BYTES", 1 << 12)
    before, most, students = pyarrow.total_allocated_bytes(), 0, 0
    for block in piece.blocks():
        assert block.states.nbytes <= size // 20
        most = max(most, pyarrow.total_allocated_bytes() - before)
        students += len(block.rates)
    assert students == rows
    assert 0 < most < size / 3
