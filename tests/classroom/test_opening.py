"""Sources of large classes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom import Classroom, LargeClass, teach
from homeroom.classroom import OneByOne, opening
from homeroom.classroom.opening import find, size_in_memory, usual_runner
from homeroom.classroom.pieces.arrays import ArrayPiece

ROOM = Classroom.sample(students=60, dimensions=3, rates=(0.1, 0.5), state_radius=50.0)


def in_folder(path: Path, **arrays: Any) -> Path:
    path.mkdir(exist_ok=True)
    for name, array in arrays.items():
        np.save(path / f"{name}.npy", array)
    return path


def parts(**changes: Any) -> dict[str, Any]:
    return {"states": ROOM.states, "rates": ROOM.rates, "target": ROOM.target} | changes


def parquet_folder(path: Path) -> Path:
    """Three tables, one of them in a subfolder, the target, and other files."""
    parquet = pytest.importorskip("pyarrow.parquet")
    (path / "more").mkdir(parents=True)
    ROOM.save(path / "whole.parquet")
    table = parquet.read_table(path / "whole.parquet")
    (path / "whole.parquet").unlink()
    for name, first, rows in (
        ("a.parquet", 0, 20),
        ("b.parquet", 20, 25),
        ("more/c.parquet", 45, 15),
        ("target.parquet", 60, 1),
    ):
        parquet.write_table(table.slice(first, rows), path / name)
    for name in ("_metadata.parquet", ".a.parquet", "read me.txt"):
        (path / name).write_bytes(b"not a table")
    return path


@pytest.fixture(params=["npz", "folder", "parquet", "parquet folder", "pair", "by name", "mapped"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    kind = request.param
    if kind in ("npz", "parquet"):
        path = tmp_path / f"class.{kind}"
        if kind == "parquet":
            pytest.importorskip("pyarrow")
        ROOM.save(path)
        return path
    if kind == "folder":
        return in_folder(tmp_path / "class", **parts())
    if kind == "parquet folder":
        return parquet_folder(tmp_path / "class")
    folder = in_folder(tmp_path / "class", **parts())
    if kind == "mapped":
        return tuple(np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("states", "rates"))
    return (ROOM.states, ROOM.rates) if kind == "pair" else parts()


def test_every_source_is_the_same_class(source: Any) -> None:
    target = None if isinstance(source, Path) else ROOM.target
    large = LargeClass.open(source, target=target)
    blocks = [block for piece in large.pieces for block in piece.blocks()]
    np.testing.assert_array_equal(np.concatenate([block.states for block in blocks]), ROOM.states)
    np.testing.assert_array_equal(np.concatenate([block.rates for block in blocks]), ROOM.rates)
    np.testing.assert_array_equal(large.target, ROOM.target)
    if large.rates is not None:
        assert large.rates == (ROOM.rates.min(), ROOM.rates.max())
    np.testing.assert_allclose(teach(large).errors, teach(ROOM, engine="exact").errors, rtol=1e-9)


@pytest.mark.parametrize("ending", ["npz", "parquet"])
def test_the_radii_of_the_file_are_used_unless_others_are_given(
    tmp_path: Path, ending: str
) -> None:
    pytest.importorskip("pyarrow")
    ROOM.save(tmp_path / f"class.{ending}")
    large = LargeClass.open(tmp_path / f"class.{ending}")
    assert (large.state_radius, large.example_radius) == (50.0, 2.0)
    large = LargeClass.open(tmp_path / f"class.{ending}", state_radius=60.0, example_radius=1.5)
    assert (large.state_radius, large.example_radius) == (60.0, 1.5)


def test_a_target_may_be_given_itself_or_as_a_file(tmp_path: Path) -> None:
    other = ROOM.target + 1.0
    folder = in_folder(tmp_path / "class", **parts())
    np.save(tmp_path / "other.npy", other)
    np.savez(tmp_path / "other.npz", target=other)
    (tmp_path / "other.csv").write_text("w1,w2,w3\n" + ",".join(map(repr, other.tolist())) + "\n")
    for target in (other, other.tolist(), other[None, :]):
        assert LargeClass.open(folder, target=target).target.tolist() == other.tolist()
    for name in ("other.npy", "other.npz", "other.csv"):
        found = LargeClass.open(folder, target=tmp_path / name).target
        assert found.tolist() == other.tolist()


def test_the_given_range_is_passed_to_every_piece(tmp_path: Path) -> None:
    folder = in_folder(tmp_path / "class", **parts())
    large = LargeClass.open(folder, rates=(0.1, 0.3))
    assert large.rates == (0.1, 0.3)
    with pytest.raises(ValueError, match=r"announced to be between 0\.1 and 0\.3, but row \d+ of"):
        teach(large)
    with pytest.raises(ValueError, match="`rates` must be two positive numbers"):
        LargeClass.open(folder, rates=(0.3, 0.1))


def test_a_range_that_is_wider_than_the_rates_does_not_change_the_lesson() -> None:
    """The gentle magnitude is that of the fastest student, not of what was announced."""
    wide = LargeClass.open((ROOM.states, ROOM.rates), target=ROOM.target, rates=(0.05, 2.0))
    np.testing.assert_allclose(teach(wide).errors, teach(ROOM, engine="exact").errors, rtol=1e-9)


def test_a_given_range_saves_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the first piece's rates are read by themselves, to see whether few are different."""
    monkeypatch.setattr(opening, "PIECE_BYTES", 8 * 2 * 600)
    room, read = Classroom.sample(2000, 2), []
    rates = ArrayPiece.rates

    def counted(piece: ArrayPiece) -> Iterator[Any]:
        read.append(piece)
        return rates(piece)

    monkeypatch.setattr(ArrayPiece, "rates", counted)
    for announced, pieces in (((0.05, 0.25), 1), (None, 4)):
        read.clear()
        teach(LargeClass.open((room.states, room.rates), target=room.target, rates=announced))
        assert len(read) == pieces


def test_arrays_are_cut_into_pieces_of_about_the_same_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "PIECE_BYTES", 8 * 3 * 25)
    for source in (in_folder(tmp_path / "class", **parts()), (ROOM.states, ROOM.rates)):
        pieces = find(source, None).pieces
        assert [len(next(iter(piece.blocks())).rates) for piece in pieces] == [25, 25, 10]
    assert isinstance(pieces[1], ArrayPiece)
    assert np.shares_memory(pieces[1].states, ROOM.states)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"states": np.ones(4)}, r"`states` of .*class must have shape \(students, dimensions\),"),
        ({"rates": np.ones(4)}, r"`rates` of .*class must have one number for each student, shape"),
        ({"states": np.full((60, 3), "a")}, r"`states` of .*class must be real numbers, but has d"),
        ({"rates": np.ones(60, complex)}, r"`rates` of .*class must be real numbers, but has dty"),
        ({"target": np.ones(4)}, r"`target of .*target\.npy` must have one number for each dimens"),
        ({"target": np.array([1, np.nan, 2])}, r"`target of .*target\.npy` must be finite"),
        ({"states": np.ones((0, 3)), "rates": np.ones(0)}, "but there is nothing to read"),
    ],
    ids=range(7),
)  # fmt: skip
def test_a_folder_of_arrays_that_make_no_class_is_refused(
    tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        LargeClass.open(in_folder(tmp_path / "class", **parts(**changes)))


def test_an_unsupported_source_names_the_supported_ones(tmp_path: Path) -> None:
    ROOM.save(tmp_path / "class.csv")
    np.savez_compressed(tmp_path / "class.npz", **parts())
    np.save(tmp_path / "class.npy", ROOM.states)
    (tmp_path / "class.txt").write_text("")
    (tmp_path / "empty").mkdir()
    for name, sentence in {
        "class.csv": r"class\.csv cannot be read piece by piece: save it as \.parquet",
        "class.npz": r"class\.npz is compressed, so that it cannot be read piece by piece: write",
        "class.npy": r"class\.npy cannot be read piece by piece: put states\.npy, rates\.npy and",
        "class.txt": r"class\.txt cannot be read piece by piece: that works for \.parquet and",
        "empty": r"empty has neither \.parquet files nor states\.npy and rates\.npy: not a class",
        "none.parquet": r"There is no file .*none\.parquet\.",
        "none": r"There is no file .*none\.",
        "x" * 300: r"There is no file .*x: File name too long\.",
    }.items():
        with pytest.raises(ValueError, match=sentence):
            LargeClass.open(tmp_path / name)


def test_a_missing_target_error_explains_how_to_give_it(tmp_path: Path) -> None:
    folder = in_folder(tmp_path / "class", states=ROOM.states, rates=ROOM.rates)
    with pytest.raises(ValueError, match=r"class has no target\. Add a row named 'target', or"):
        LargeClass.open(folder)
    np.savez(tmp_path / "class.npz", states=ROOM.states, rates=ROOM.rates)
    with pytest.raises(ValueError, match=r"class\.npz has no target\. Add a row named"):
        LargeClass.open(tmp_path / "class.npz")
    with pytest.raises(ValueError, match="Say what the students are to learn"):
        LargeClass.open((ROOM.states, ROOM.rates))
    np.savez(tmp_path / "class.npz", states=ROOM.states)
    with pytest.raises(ValueError, match=r"class\.npz has no rates: it is not a class file"):
        LargeClass.open(tmp_path / "class.npz")


def test_an_invalid_source_is_refused() -> None:
    for nothing in (7, [1, 2, 3], {"states": 1}, None):
        with pytest.raises(TypeError, match=r"A large class is a file, a folder, .*, but this is "):
            LargeClass.open(nothing, target=[1.0])


def test_the_memory_that_a_file_needs_is_estimated(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    for ending in ("npz", "parquet", "csv"):
        ROOM.save(tmp_path / f"class.{ending}")
    np.savez_compressed(tmp_path / "packed.npz", **parts())
    assert size_in_memory(tmp_path / "class.parquet") == 8 * 61 * 5
    assert size_in_memory(tmp_path / "class.npz") == (tmp_path / "class.npz").stat().st_size
    assert size_in_memory(tmp_path / "packed.npz") is None
    assert size_in_memory(tmp_path / "class.csv") is None


def test_files_are_read_in_this_process_by_default() -> None:
    assert isinstance(usual_runner(find((ROOM.states, ROOM.rates), None)), OneByOne)
