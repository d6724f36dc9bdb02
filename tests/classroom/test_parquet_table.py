"""A class as .parquet, and files that only look like one."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from homeroom.classroom.files import load
from tests.bad_input import refuse

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
    ("columns", "named"),
    [
        ({"student": ["Ada"], "rate": [0.1]}, "w1, w2, .* student"),
        ({name: [] for name in GOOD}, "no students"),
        (GOOD | {"Rate": [1, 2, 3]}, "one column rate"),
        (GOOD | {"W1": [1, 2, 3]}, "w1, w2, .* without a gap"),
        ({name: GOOD[name] for name in ("student", "w1")}, "column rate"),
        (GOOD | {"student": ["target", "a", "Target "]}, "one target row, but has 2"),
        (GOOD | {"student": ["a", "b", "c"], "rate": [1, 2, 3]}, "no target"),
        (GOOD | {"w1": ["x", "1", "2"]}, "Column w1 .* row 1 .*'x'"),
        (GOOD | {"w1": [[1], [2], [3]]}, "Column w1 "),
        (GOOD | {"w1": [{"a": 1}, {"a": 1}, {"a": 1}]}, "Column w1 "),
        (GOOD | {"w1": [None, 1.0, 2.0]}, "Column w1 .* row 1 "),
        (GOOD | {"w1": [np.inf, 1.0, 2.0]}, "`states` .*finite"),
        (GOOD | {"rate": [None, 0.1, None]}, "Column rate .* row 1 "),
        (GOOD | {"rate": [0.0, 0.1, None]}, "`rates` .*positive"),
        (GOOD | {"student": [["a"]] * 3}, "column student"),
        (GOOD | {"student": [{"a": 1}] * 3}, "column student"),
    ],
    ids=range(16),
)
def test_tables_that_make_no_class_are_refused(
    path: Path, columns: dict[str, Any], named: str
) -> None:
    with pytest.raises(ValueError, match=named) as refusal:
        load(written(path, columns))
    assert str(path) in str(refusal.value)


def test_radii_that_are_not_numbers_are_refused(path: Path) -> None:
    table = pyarrow.table(GOOD).replace_schema_metadata({b"homeroom": b"state_radius=\xff"})
    parquet.write_table(table, path)
    refuse(lambda: load(path), "class.parquet", "state_radius")


def test_a_file_cut_off_anywhere_is_refused(path: Path) -> None:
    whole = written(path, GOOD).read_bytes()
    for length in range(0, len(whole), 31):
        path.write_bytes(whole[:length])
        refuse(lambda: load(path), "class.parquet")


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
