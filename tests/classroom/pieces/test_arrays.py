"""Pieces of arrays, in memory and in files, and the checks of a block of students."""

import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from homeroom.classroom.pieces import arrays
from homeroom.classroom.pieces.arrays import (
    ArrayPiece,
    StoredArray,
    map_npy,
    map_npz,
)
from homeroom.classroom.pieces.base import (
    Block,
    as_floats,
    as_rates,
)
from homeroom.classroom.tables import Place
from tests.bad_input import refuse

RNG = np.random.default_rng(0)
STATES, RATES = RNG.standard_normal((50, 3)), np.linspace(0.1, 1.0, 50)


@pytest.fixture(params=["npy", "npz", "npy by columns", "npz by columns"])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> StoredArray:
    ending, _, order = request.param.partition(" ")
    array = np.asfortranarray(STATES) if order else STATES
    path = tmp_path / f"class.{ending}"
    if ending == "npy":
        np.save(path, array)
        return map_npy(path)
    np.savez(path, first=np.arange(5), states=array, last=np.ones(2))
    found = map_npz(path, ("states", "missing"))
    assert found is not None
    return found["states"]


def test_rows_come_back_as_they_were(stored: StoredArray) -> None:
    assert stored.shape == (50, 3)
    again = pickle.loads(pickle.dumps(stored))
    for rows in (slice(0, 50), slice(7, 8), slice(40, 60)):
        found = again[rows]
        np.testing.assert_array_equal(found, STATES[rows])
        assert found.flags.c_contiguous
        assert found.flags.writeable
    part = stored.part(10, 40).part(5, 99)
    assert part.shape == (25, 3)
    np.testing.assert_array_equal(part[slice(1, 3)], STATES[16:18])


def test_a_file_that_has_become_shorter_or_is_gone_is_refused(stored: StoredArray) -> None:
    path = Path(stored.path)
    path.write_bytes(path.read_bytes()[:400])
    refuse(lambda: stored[slice(0, 3)], "damaged")
    path.unlink()
    refuse(lambda: stored[slice(0, 3)], "class")


def test_a_npy_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "states.npy"
    np.save(path, STATES)
    whole = path.read_bytes()
    for length in (0, 4, 60, 700, len(whole) - 1):
        path.write_bytes(whole[:length])
        refuse(lambda: map_npy(path), "states.npy")
    for array in (np.array([None]), np.float64(3.0)):
        np.save(path, np.asarray(array), allow_pickle=True)
        refuse(lambda: map_npy(path), "states.npy")


def test_an_archive_with_false_sizes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "class.npz"
    np.savez(path, states=STATES)
    whole = bytearray(path.read_bytes())
    for data in (whole[:200], b"", b"PK\x03\x04" * 30):
        path.write_bytes(bytes(data))
        refuse(lambda: map_npz(path, ("states",)), "class.npz")
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        whole[whole.index(mark) + offset] |= 1
    path.write_bytes(whole)
    refuse(lambda: map_npz(path, ("states",)), "encrypted")
    text = "{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }\n"
    member = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + b"\0" * 64
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("states.npy", member)
    refuse(lambda: map_npz(path, ("states",)), "numbers")


def test_blocks_are_the_rows_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "BLOCK_BYTES", 20 * 24)
    names = [f"pupil {i}" for i in range(50)]
    piece = pickle.loads(pickle.dumps(ArrayPiece(STATES, RATES, Place("here"), None, names)))
    blocks = list(piece.blocks())
    assert [len(block.rates) for block in blocks] == [20, 20, 10]
    np.testing.assert_array_equal(np.concatenate([block.states for block in blocks]), STATES)
    np.testing.assert_array_equal(np.concatenate([block.rates for block in blocks]), RATES)
    np.testing.assert_array_equal(np.concatenate(list(piece.rates())), RATES)
    assert [name for some in piece.names() for name in some] == names
    assert list(ArrayPiece(STATES, RATES, Place("here")).names()) == []
    empty = ArrayPiece(STATES[:0], RATES[:0], Place("here"))
    assert list(empty.blocks()) == list(empty.rates()) == []


GOOD = Block(np.ones((3, 2)), np.array([0.1, 0.2, 0.3]))


@pytest.mark.parametrize("rate", [0.0, -1.0, np.nan, np.inf, 0.4, 0.05])
def test_an_invalid_rate_is_refused_with_its_row(rate: float) -> None:
    good = ArrayPiece(GOOD.states, GOOD.rates, Place("a"), (0.1, 0.3))
    assert len(list(good.blocks())) == 1
    bad = ArrayPiece(GOOD.states, np.array([0.1, rate, 0.3]), Place("a", first=11), (0.1, 0.3))
    refuse(lambda: list(bad.blocks()), "`rates`", "row 12")


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("number", [np.nan, -np.inf, 1e30, 1e200])
def test_an_invalid_state_is_refused_with_its_row_and_column(number: float, kind: str) -> None:
    if (number, kind) == (1e30, "float64"):
        return  # its square is finite
    states = np.ones((3, 2), kind)
    with np.errstate(over="ignore"):
        states[2, 1] = number
    bad = ArrayPiece(states, GOOD.rates, Place("a", first=11))
    refuse(lambda: list(bad.blocks()), "`states`", "row 13", "column w2")


@pytest.mark.parametrize("kind", ["float32", "float64", "int32", "uint8", "bool", "float16", ">f8"])
def test_numbers_of_any_kind_become_floats_by_rows(kind: str) -> None:
    columns = np.asfortranarray(np.array([[1, 0], [1, 1]]).astype(kind))
    floats = as_floats(columns, "`states`")
    assert floats.dtype == (np.float32 if kind == "float32" else np.float64)
    assert floats.flags.c_contiguous
    assert floats.tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert as_rates(columns, "`rates`").dtype == np.float64
