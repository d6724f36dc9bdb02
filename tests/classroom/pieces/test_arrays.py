"""Pieces of arrays, in memory and in files."""

import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom.classroom.pieces import arrays
from homeroom.classroom.pieces.arrays import (
    ArrayPiece,
    StoredArray,
    check_shapes,
    is_packed,
    part_of,
    stored_npy,
    stored_npz,
)
from homeroom.classroom.pieces.base import Place

STATES = np.random.default_rng(0).standard_normal((50, 3))


@pytest.fixture(params=["npy", "npz", "npy by columns", "npz by columns"])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> StoredArray:
    ending, _, order = request.param.partition(" ")
    array = np.asfortranarray(STATES) if order else STATES
    path = tmp_path / f"class.{ending}"
    if ending == "npy":
        np.save(path, array)
        return stored_npy(path)
    np.savez(path, first=np.arange(5), states=array, last=np.ones(2))
    return stored_npz(path, ("states", "missing"))["states"]


def test_rows_come_back_as_they_were(stored: StoredArray) -> None:
    assert stored.shape == (50, 3)
    again = pickle.loads(pickle.dumps(stored))
    for rows in (slice(0, 50), slice(7, 8), slice(40, 60)):
        found = again[rows]
        np.testing.assert_array_equal(found, STATES[rows])
        assert found.flags.c_contiguous
        assert found.flags.writeable


def test_a_part_of_a_part_is_the_right_one(stored: StoredArray) -> None:
    part = stored.part(10, 40).part(5, 99)
    assert part.shape == (25, 3)
    np.testing.assert_array_equal(part[slice(1, 3)], STATES[16:18])


def test_the_path_works_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("here.npy", STATES)
    found = stored_npy(Path("here.npy"))
    monkeypatch.chdir("/")
    np.testing.assert_array_equal(found[slice(0, 2)], STATES[:2])


def test_a_packed_archive_is_known(tmp_path: Path) -> None:
    np.savez(tmp_path / "plain.npz", a=STATES)
    np.savez_compressed(tmp_path / "packed.npz", a=STATES)
    assert not is_packed(tmp_path / "plain.npz")
    assert is_packed(tmp_path / "packed.npz")


def test_a_file_that_has_become_shorter_is_refused(stored: StoredArray) -> None:
    path = Path(stored.path)
    path.write_bytes(path.read_bytes()[:400])
    with pytest.raises(ValueError, match=r"class\.np. cannot be read: it is damaged or cut off"):
        stored[slice(0, 3)]
    path.unlink()
    with pytest.raises(ValueError, match=r"There is no file .*class\.np.\."):
        stored[slice(0, 3)]


@pytest.mark.parametrize("length", [0, 4, 60, 700, 1327])
def test_a_npy_file_cut_off_is_refused(tmp_path: Path, length: int) -> None:
    path = tmp_path / "states.npy"
    np.save(path, STATES)
    assert path.stat().st_size == 1328
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(ValueError, match=r"states\.npy cannot be read: it is damaged or cut off"):
        stored_npy(path)


@pytest.mark.parametrize(
    ("array", "why"),
    [
        (np.array([None]), "holds Python objects, not numbers"),
        (np.float64(3.0), "it holds a single number"),
    ],
)
def test_an_array_that_is_not_a_table_is_refused(tmp_path: Path, array: object, why: str) -> None:
    path = tmp_path / "states.npy"
    np.save(path, np.asarray(array), allow_pickle=True)
    with pytest.raises(ValueError, match=rf"states\.npy cannot be read: .*{why}"):
        stored_npy(path)


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"There is no file .*none\.npy\."):
        stored_npy(tmp_path / "none.npy")


def test_an_archive_with_false_sizes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "class.npz"
    np.savez(path, states=STATES)
    whole = bytearray(path.read_bytes())
    for data in (whole[:200], b"", b"PK\x03\x04" * 30):
        path.write_bytes(bytes(data))
        for read in (is_packed, lambda path: stored_npz(path, ("states",))):
            with pytest.raises(ValueError, match=r"class\.npz cannot be read: it is damaged"):
                read(path)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        whole[whole.index(mark) + offset] |= 1
    path.write_bytes(whole)
    with pytest.raises(ValueError, match=r"class\.npz cannot be read: .*encrypted"):
        stored_npz(path, ("states",))


def test_an_archive_with_a_truncated_array_is_refused(tmp_path: Path) -> None:
    path, text = (
        tmp_path / "class.npz",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }\n",
    )
    member = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + b"\0" * 64
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("states.npy", member)
    with pytest.raises(ValueError, match=r"class\.npz .* declares 72 bytes of numbers, but has 64"):
        stored_npz(path, ("states",))


STATES_ARRAYS = np.arange(20.0).reshape(10, 2)
RATES = np.linspace(0.1, 1.0, 10)


def test_blocks_are_the_rows_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "BLOCK_BYTES", 4 * 16)
    names = [f"pupil {i}" for i in range(10)]
    piece = pickle.loads(pickle.dumps(ArrayPiece(STATES_ARRAYS, RATES, Place("here"), None, names)))
    blocks = list(piece.blocks())
    assert [len(block.rates) for block in blocks] == [4, 4, 2]
    np.testing.assert_array_equal(np.concatenate([block.states for block in blocks]), STATES_ARRAYS)
    np.testing.assert_array_equal(np.concatenate([block.rates for block in blocks]), RATES)
    np.testing.assert_array_equal(np.concatenate(list(piece.rates())), RATES)
    assert [name for some in piece.names() for name in some] == names


def test_without_names_there_are_none() -> None:
    assert list(ArrayPiece(STATES_ARRAYS, RATES, Place("here")).names()) == []


def test_an_empty_piece_has_no_blocks() -> None:
    empty = ArrayPiece(STATES_ARRAYS[:0], RATES[:0], Place("here"))
    assert list(empty.blocks()) == list(empty.rates()) == []


def test_what_is_wrong_is_found_in_the_block_and_counted_in_the_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arrays, "BLOCK_BYTES", 4 * 16)
    piece = ArrayPiece(STATES_ARRAYS, RATES, Place("here", first=101), limits=(0.05, 0.85))
    for read in (piece.blocks, piece.rates):
        with pytest.raises(ValueError, match=r"0\.85, but row 109 of here has the rate 0\.9"):
            list(read())


@pytest.mark.parametrize(
    ("states", "rates", "sentence"),
    [
        (np.ones(3), np.ones(3), r"`states` of x must have shape \(students, dimensions\), but .*"
                                 r"shape \(3,\)"),
        (np.ones((3, 0)), np.ones(3), r"`states` of x must have shape .* has shape \(3, 0\)"),
        (np.ones((3, 2)), np.ones(4), r"`rates` of x must have one number for each student, shape "
                                      r"\(3,\), but has shape \(4,\)"),
        (np.ones((3, 2)), np.ones((3, 1)), r"`rates` of x must .* but has shape \(3, 1\)"),
    ],
)  # fmt: skip
def test_shapes_that_do_not_fit_are_refused(states: Any, rates: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        check_shapes(states, rates, "x")


def test_a_part_of_an_array_is_not_a_copy() -> None:
    assert np.shares_memory(part_of(STATES_ARRAYS, 2, 5), STATES_ARRAYS)
