"""A class as .parquet, and files that only look like one."""

import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom import Classroom
from homeroom.classroom.files import load

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

GOOD: dict[str, Any] = {
    "student": ["Ada", "Ben", "target"],
    "rate": [0.2, 0.1, None],
    "w1": [1.0, 0.0, 0.6],
    "w2": [0.5, 0.3, 0.8],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "class.parquet"


def written(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    parquet.write_table(pyarrow.table(columns), path, **options)
    return path


def is_refused(path: Path) -> bool:
    """Return whether the file is refused by a ValueError that names it; other errors are raised."""
    refusal = ""
    try:
        load(path)
    except ValueError as reason:
        refusal = str(reason)
    assert not refusal or str(path) in refusal
    return bool(refusal)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"student": pyarrow.array(["Ada", "Ben", "target"]).dictionary_encode()},
        {"w1": pyarrow.array(["1.0", "0", "0.6"])},
        {"w1": pyarrow.array([1.0, 0.0, 0.6], pyarrow.float32())},
        {"note": [[1], [2], [3]], "age": [1, None, 3]},
    ],
)
def test_tables_written_in_many_ways_are_the_same_class(
    path: Path, changes: dict[str, Any]
) -> None:
    room = load(written(path, GOOD | changes, row_group_size=2))
    assert room.names == ("Ada", "Ben")
    assert room.rates.tolist() == [0.2, 0.1]
    np.testing.assert_allclose(room.states, [[1.0, 0.5], [0.0, 0.3]])
    np.testing.assert_allclose(room.target, [0.6, 0.8], rtol=1e-7)


def test_columns_may_be_in_capitals_and_in_any_order(path: Path) -> None:
    columns = {name.upper(): GOOD[name] for name in reversed(GOOD)}
    assert load(written(path, columns)).names == ("Ada", "Ben")


def test_names_may_be_numbers_or_missing(path: Path) -> None:
    target = written(path.with_name("target.parquet"), {"w1": [0.6], "w2": [0.8]})
    room = load(written(path, GOOD | {"student": [7, None, 9], "rate": [1, 2, 3]}), target=target)
    assert room.names == ("7", "", "9")
    assert room.rates.tolist() == [1.0, 2.0, 3.0]
    room = load(
        written(path, GOOD | {"student": ["A", None, "C"], "rate": [1, 2, 3]}), target=target
    )
    assert room.names == ("A", "", "C")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"student": ["Ada"], "rate": [0.1]}, "must have the columns w1, w2, .* but has student"),
        ({name: [] for name in GOOD}, "has a header but no students"),
        (GOOD | {"Rate": [1, 2, 3]}, "must have one column rate, but has several"),
        (GOOD | {"W1": [1, 2, 3]}, "must have the columns w1, w2, .* without a gap"),
        ({name: GOOD[name] for name in ("student", "w1")}, r"must .* rate: .* are student, w1\."),
        (GOOD | {"student": ["target", "a", "Target "]}, "must have one target row, but has 2"),
        (GOOD | {"student": ["a", "b", "c"], "rate": [1, 2, 3]}, "has no target"),
        (GOOD | {"w1": ["x", "1", "2"]}, "must have numbers in column w1: .*'x'"),
        (GOOD | {"w1": [[1], [2], [3]]}, "must have numbers in column w1: "),
        (GOOD | {"w1": [{"a": 1}, {"a": 1}, {"a": 1}]}, "must have numbers in column w1: "),
        (GOOD | {"w1": [None, 1.0, 2.0]}, r"is not a class: `states` must be finite, .* is nan"),
        (GOOD | {"w1": [np.inf, 1.0, 2.0]}, "is not a class: `states` must be finite"),
        (GOOD | {"rate": [None, 0.1, None]}, r"is not a class: `rates` must be finite"),
        (GOOD | {"rate": [0.0, 0.1, None]}, r"is not a class: `rates` must be positive"),
        (
            GOOD | {"student": [["a"]] * 3},
            r"must have text in column student, but has list<.*>\. S",
        ),
        (GOOD | {"student": [{"a": 1}] * 3}, r"must have text in column student, but has struct<"),
    ],
    ids=range(16),
)
def test_tables_that_make_no_class_are_refused(
    path: Path, columns: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=rf"class\.parquet {message}"):
        load(written(path, columns))


def test_radii_that_are_not_numbers_are_refused(path: Path) -> None:
    table = pyarrow.table(GOOD).replace_schema_metadata({b"homeroom": b"state_radius=\xff"})
    parquet.write_table(table, path)
    with pytest.raises(
        ValueError, match=r"class\.parquet is not a class: 'state_radius=.' is not a num"
    ):
        load(path)


class TestBombs:
    def test_a_table_that_would_unpack_too_large_is_refused(self, path: Path) -> None:
        written(path, {"rate": np.ones(200_000), "w1": np.ones(200_000)})
        assert path.stat().st_size < 10_000
        with pytest.raises(ValueError, match=r"class\.parquet would fill 0\.0 GiB of memory, more"):
            load(path, max_bytes=1_000_000)

    def test_names_that_would_unpack_too_large_are_refused(self, path: Path) -> None:
        names = [f"{'x' * 1000}{i}" for i in range(3000)]
        written(path, {"student": names, "rate": np.ones(3000), "w1": np.ones(3000)})
        assert path.stat().st_size < 500_000
        with pytest.raises(ValueError, match=r"class\.parquet would fill 0\.0 GiB of memory, more"):
            load(path, max_bytes=1_000_000)

    def test_a_long_name_that_is_repeated_is_kept_once(self, path: Path) -> None:
        name, rows = "x" * 1_000_000, 20_000  # 20 GB if it were unpacked
        column = pyarrow.DictionaryArray.from_arrays(
            pyarrow.array(np.r_[np.zeros(rows, np.int32), np.int32(1)]), [name, "target"]
        )
        numbers = np.ones(rows + 1)
        written(path, {"student": column, "rate": numbers, "w1": numbers})
        room = load(path)
        assert room.students == rows
        assert room.names is not None
        assert room.names[-1] == name


def test_files_that_are_not_parquet_are_refused(path: Path) -> None:
    for data in (
        b"",
        b"PAR1",
        b"PAR1" * 100,
        b"student,rate,w1\n",
        random.Random(0).randbytes(999),
    ):
        path.write_bytes(data)
        with pytest.raises(
            ValueError, match=r"class\.parquet cannot be read: it is damaged or cut"
        ):
            load(path)


def test_a_file_cut_off_anywhere_is_refused(path: Path) -> None:
    whole = written(path, GOOD).read_bytes()
    for length in range(0, len(whole), 31):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"class\.parquet cannot be read: it is damaged"):
            load(path)


def test_a_file_with_broken_bytes_is_either_read_or_refused(path: Path) -> None:
    whole = written(path, GOOD).read_bytes()
    chance, refused = random.Random(2), 0
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 3, 20))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data)
        refused += is_refused(path)
    assert refused > 50


def test_without_pyarrow_the_error_names_the_install_command(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(path, GOOD)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    message = r"Parquet files need pyarrow: pip install 'homeroom\[parquet\]', or use \.csv or"
    with pytest.raises(ValueError, match=message):
        load(path)
    with pytest.raises(ValueError, match=message):
        Classroom([[1.0]], [0.1], [0.0]).save(path.with_name("new.parquet"))
    assert list(path.parent.iterdir()) == [path]
