"""Sources of large classes."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

from homeroom import Classroom, LargeClass, teach
from homeroom.classroom.opening import size_in_memory
from tests.bad_input import refuse

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
    refuse(lambda: teach(large), "announced")
    refuse(lambda: LargeClass.open(folder, rates=(0.3, 0.1)), "`rates`")


def test_a_range_that_is_wider_than_the_rates_does_not_change_the_lesson() -> None:
    """The gentle magnitude is that of the fastest student, not of what was announced."""
    wide = LargeClass.open((ROOM.states, ROOM.rates), target=ROOM.target, rates=(0.05, 2.0))
    np.testing.assert_allclose(teach(wide).errors, teach(ROOM, engine="exact").errors, rtol=1e-9)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"states": np.ones(4)}, "`states`"),
        ({"rates": np.ones(4)}, "`rates`"),
        ({"states": np.full((60, 3), "a")}, "`states`"),
        ({"rates": np.ones(60, complex)}, "`rates`"),
        ({"target": np.ones(4)}, "target.npy"),
        ({"target": np.array([1, np.nan, 2])}, "target.npy"),
        ({"states": np.ones((0, 3)), "rates": np.ones(0)}, "nothing"),
    ],
    ids=range(7),
)
def test_a_folder_of_arrays_that_make_no_class_is_refused(
    tmp_path: Path, changes: dict[str, Any], named: str
) -> None:
    refuse(lambda: LargeClass.open(in_folder(tmp_path / "class", **parts(**changes))), named)


def test_an_unsupported_source_names_the_supported_ones(tmp_path: Path) -> None:
    ROOM.save(tmp_path / "class.csv")
    np.savez_compressed(tmp_path / "class.npz", **parts())
    np.save(tmp_path / "class.npy", ROOM.states)
    (tmp_path / "class.txt").write_text("")
    (tmp_path / "empty").mkdir()
    for name, named in {
        "class.csv": ".parquet",
        "class.npz": "compressed",
        "class.npy": "states.npy",
        "class.txt": ".parquet",
        "empty": "states.npy",
        "none.parquet": "none.parquet",
        "none": "none",
        "x" * 300: "too long",
    }.items():
        refuse(partial(LargeClass.open, tmp_path / name), named)


def test_a_missing_target_error_explains_how_to_give_it(tmp_path: Path) -> None:
    folder = in_folder(tmp_path / "class", states=ROOM.states, rates=ROOM.rates)
    refuse(lambda: LargeClass.open(folder), "target")
    np.savez(tmp_path / "class.npz", states=ROOM.states, rates=ROOM.rates)
    refuse(lambda: LargeClass.open(tmp_path / "class.npz"), "class.npz")
    refuse(lambda: LargeClass.open((ROOM.states, ROOM.rates)), "target=")
    np.savez(tmp_path / "class.npz", states=ROOM.states)
    refuse(lambda: LargeClass.open(tmp_path / "class.npz"), "class.npz")


def test_an_invalid_source_is_refused() -> None:
    for nothing in (7, [1, 2, 3], {"states": 1}, None):
        refuse(partial(LargeClass.open, nothing, target=[1.0]), "folder")


def test_the_memory_that_a_file_needs_is_estimated(tmp_path: Path) -> None:
    for ending in ("npz", "parquet", "csv"):
        ROOM.save(tmp_path / f"class.{ending}")
    np.savez_compressed(tmp_path / "packed.npz", **parts())
    assert size_in_memory(tmp_path / "class.parquet") == 8 * 61 * 5
    assert size_in_memory(tmp_path / "class.npz") == (tmp_path / "class.npz").stat().st_size
    assert size_in_memory(tmp_path / "packed.npz") is None
    assert size_in_memory(tmp_path / "class.csv") is None
