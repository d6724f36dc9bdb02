"""A class on disk, in any of the three formats."""

import errno
import math
import zipfile
from pathlib import Path
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

from homeroom import Classroom, InputError
from homeroom.classroom import files

FORMATS = [".npz", ".csv", ".parquet", ".NPZ", ".CSV"]


@pytest.fixture(params=FORMATS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == ".parquet":
        pytest.importorskip("pyarrow")
    return tmp_path / f"class{request.param}"


def room(**changes: Any) -> Classroom:
    rng = np.random.default_rng(0)
    parts: dict[str, Any] = {
        "states": rng.standard_normal((3, 2)),
        "rates": [0.1, 0.2, 1 / 3],
        "target": rng.standard_normal(2),
        "names": ["Zoë", 'O"Neil, "Jr."', "学生\n7"],
        "state_radius": 9.5,
        "example_radius": 1 / 3,
    }
    return Classroom(**(parts | changes))


def check_same(found: Classroom, expected: Classroom) -> None:
    for name in ("states", "rates", "target"):
        np.testing.assert_array_equal(
            np.asarray(getattr(found, name)), np.asarray(getattr(expected, name))
        )
    assert found.state_radius == expected.state_radius
    assert found.example_radius == expected.example_radius


def test_a_class_comes_back_as_it_was(path: Path) -> None:
    for saved in (room(), room(state_radius=math.inf), room(example_radius=1e-300)):
        saved.save(path)
        found = Classroom.load(path)
        check_same(found, saved)
        assert found.names == saved.names
    assert list(path.parent.iterdir()) == [path]


def test_a_class_in_single_precision_keeps_its_numbers(path: Path) -> None:
    states = np.random.default_rng(0).standard_normal((3, 2)).astype(np.float32)
    saved = room(states=states)
    saved.save(str(path))
    found = Classroom.load(str(path))
    check_same(found, saved)
    kept = path.suffix.lower() == ".npz"  # tables are read as float64
    assert found.states.dtype == (np.float32 if kept else np.float64)


def test_a_class_of_another_library_can_be_saved(path: Path) -> None:
    saved = room(states=strict.asarray(np.random.default_rng(0).standard_normal((3, 2))))
    saved.save(path)
    check_same(Classroom.load(path), saved)


def test_students_without_names_are_numbered_in_tables(path: Path) -> None:
    room(names=None).save(path)
    expected = None if path.suffix.lower() == ".npz" else ("0", "1", "2")
    assert Classroom.load(path).names == expected


def test_radii_can_be_given_instead_of_the_files(path: Path) -> None:
    room().save(path)
    found = Classroom.load(path, state_radius=7.0, example_radius=3.0)
    assert (found.state_radius, found.example_radius) == (7.0, 3.0)


def test_the_target_can_come_from_a_file_of_another_kind(path: Path, tmp_path: Path) -> None:
    room().save(path)
    np.savez(tmp_path / "t.npz", target=[1.0, 2.0])
    assert Classroom.load(path, target=tmp_path / "t.npz").target.tolist() == [1.0, 2.0]
    np.savez(tmp_path / "t.npz", other=[1.0, 2.0])
    with pytest.raises(ValueError, match=r"t\.npz has no target\. Add a row named 'target'"):
        Classroom.load(path, target=tmp_path / "t.npz")
    np.save(tmp_path / "t.npy", [1.0, 2.0])
    assert Classroom.load(path, target=tmp_path / "t.npy").target.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match=r"There is no file .*none\.npy\."):
        Classroom.load(path, target=tmp_path / "none.npy")


def test_a_file_without_students_is_no_class(tmp_path: Path) -> None:
    path = tmp_path / "class.npz"
    np.savez(path, target=[1.0])
    with pytest.raises(ValueError, match=r"class\.npz has no states: it is no class file"):
        files.load(path)
    np.savez(path, target=[1.0], states=[[1.0]])
    with pytest.raises(ValueError, match=r"class\.npz has no rates: it is no class file"):
        files.load(path)
    np.savez(path, rates=[1.0], states=[[1.0]])
    with pytest.raises(ValueError, match=r"class\.npz has no target\. Add a row named 'target'"):
        files.load(path)


@pytest.mark.parametrize("name", ["class.txt", "class", "class.npz.gz", ".npz"])
def test_another_ending_is_refused(tmp_path: Path, name: str) -> None:
    message = r"must end in \.npz, \.csv or \.parquet, but ends in '(\.txt|nothing|\.gz)'"
    with pytest.raises(ValueError, match=message):
        files.load(tmp_path / name)
    with pytest.raises(ValueError, match=message):
        files.save(room(), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_missing_file_or_a_folder_is_refused(path: Path) -> None:
    with pytest.raises(ValueError, match=r"There is no file .*class\."):
        files.load(path)
    path.mkdir()
    with pytest.raises(ValueError, match=r"class\.\w+ is a folder, but a file is needed"):
        files.load(path)
    with pytest.raises(ValueError, match=r"class\.\w+ cannot be written: Is a directory"):
        files.save(room(), path)
    assert list(path.parent.iterdir()) == [path]


def test_a_name_longer_than_the_disk_allows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300 + ".csv")
    with pytest.raises(ValueError, match=r"\.csv cannot be read: File name too long|no file"):
        files.load(path)
    with pytest.raises(ValueError, match=r"\.csv cannot be written: File name too long"):
        files.save(room(), path)
    assert not list(tmp_path.iterdir())


def test_saving_into_a_missing_folder_is_refused(path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"class\.\w+ cannot be written: No such file or directory"
    ):
        files.save(room(), path.parent / "missing" / path.name)


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        (PermissionError(errno.EACCES, "Permission denied"), "cannot be read: Permission denied"),
        (OSError("Couldn't deserialize thrift"), r"cannot be read: it is damaged or cut off \(C"),
        (MemoryError(), "cannot be read: this machine does not have enough memory"),
    ],
)
def test_errors_of_the_system_are_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: BaseException, message: str
) -> None:
    path = tmp_path / "class.npz"
    room().save(path)

    def fail(*_: object) -> None:
        raise reason

    monkeypatch.setattr(zipfile, "ZipFile", fail)
    with pytest.raises(ValueError, match=rf"class\.npz {message}"):
        files.load(path)


def test_a_failed_save_leaves_the_old_file_and_nothing_else(path: Path) -> None:
    room().save(path)
    before = path.read_bytes()
    if path.suffix.lower() == ".npz":
        pytest.skip("any name fits into .npz")
    for names in (["a", "b", "target"], ["a", "b", "\ud800"]):
        with pytest.raises(ValueError, match=r"cannot hold a student named|is not valid text"):
            room(names=names).save(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("ending", [".csv", ".npz", ".parquet"])
def test_a_missing_file_is_a_file_not_found_and_bad_input(tmp_path: Path, ending: str) -> None:
    for kind in (FileNotFoundError, InputError):
        with pytest.raises(kind, match=r"There is no file .*class\."):
            Classroom.load(tmp_path / f"class{ending}")
