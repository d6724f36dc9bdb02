"""A class on disk, in any of the three formats."""

import io
import math
import pickle
import random
import struct
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

from homeroom import Classroom
from homeroom._files import read_arrays, read_npy
from homeroom.classroom import files
from homeroom.classroom.files import load
from tests.bad_input import refuse
from tests.tables.test_exports import sheet_cells, write_xlsx

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
    refuse(lambda: Classroom.load(path, target=tmp_path / "t.npz"), "t.npz", "'target'")
    np.save(tmp_path / "t.npy", [1.0, 2.0])
    assert Classroom.load(path, target=tmp_path / "t.npy").target.tolist() == [1.0, 2.0]
    refuse(lambda: Classroom.load(path, target=tmp_path / "none.npy"), "none.npy")


def test_a_file_without_students_is_not_a_class(tmp_path: Path) -> None:
    path = tmp_path / "class.npz"
    np.savez(path, target=[1.0])
    refuse(lambda: files.load(path), "class.npz")
    np.savez(path, target=[1.0], states=[[1.0]])
    refuse(lambda: files.load(path), "class.npz")
    np.savez(path, rates=[1.0], states=[[1.0]])
    refuse(lambda: files.load(path), "class.npz", "'target'")


@pytest.mark.parametrize("ending", [".xlsx", ".csv"])
def test_a_class_is_read_as_a_spreadsheet_of_another_country_has_it(
    tmp_path: Path, ending: str
) -> None:
    rows: list[list[object]] = [
        ["Classe 6A"],
        [],
        ["Élève", "Vitesse", "Algèbre", "Géométrie"],
        ["Ada", 0.2, 1.5, 0.5],
        ["Bén", 0.1, 0, -0.25],
        ["Cible", "", 0.5, 0.75],
    ]
    path = tmp_path / f"classe{ending}"
    if ending == ".xlsx":
        pytest.importorskip("python_calamine")
        write_xlsx(path, {"Feuil1": sheet_cells([list(map(str, row)) for row in rows])})
    else:
        text = "\n".join(";".join(str(cell).replace(".", ",") for cell in row) for row in rows)
        path.write_bytes(text.encode("cp1252"))
    found = files.load(path)
    assert found.names == ("Ada", "Bén")
    assert found.rates.tolist() == [0.2, 0.1]
    assert found.states.tolist() == [[1.5, 0.5], [0, -0.25]]
    assert found.target.tolist() == [0.5, 0.75]
    assert files.load(path, columns={"states": "Algèbre"}).dimensions == 1


def test_of_several_sheets_none_is_guessed_and_no_missing_option_is_named(tmp_path: Path) -> None:
    cells = sheet_cells([["student", "rate", "w1"], ["Ada", "0.2", "1"]])
    write_xlsx(tmp_path / "two.xlsx", {"A": cells, "B": cells})
    refuse(lambda: files.load(tmp_path / "two.xlsx"), "'A'")


def test_a_class_is_not_written_as_a_spreadsheet(tmp_path: Path) -> None:
    refuse(lambda: files.save(room(), tmp_path / "class.xlsx"), "written")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["class.txt", "class", "class.npz.gz", ".npz"])
def test_another_ending_is_refused(tmp_path: Path, name: str) -> None:
    refuse(lambda: files.load(tmp_path / name), name, ".parquet")
    refuse(lambda: files.save(room(), tmp_path / name), name, ".parquet")
    assert not list(tmp_path.iterdir())


def test_a_missing_file_or_a_folder_is_refused(path: Path) -> None:
    refuse(lambda: files.load(path), "class")
    path.mkdir()
    refuse(lambda: files.load(path), "folder")
    refuse(lambda: files.save(room(), path), "directory")
    assert list(path.parent.iterdir()) == [path]


def test_a_name_longer_than_the_disk_allows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300 + ".csv")
    refuse(lambda: files.load(path), "too long")
    refuse(lambda: files.save(room(), path), "too long")
    assert not list(tmp_path.iterdir())


def test_a_failed_save_leaves_the_old_file_and_nothing_else(path: Path) -> None:
    room().save(path)
    before = path.read_bytes()
    if path.suffix.lower() == ".npz":
        pytest.skip("any name fits into .npz")
    for names in (["a", "b", "target"], ["a", "b", "\ud800"]):
        refuse(partial(room(names=names).save, path), "name")
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


GOOD: dict[str, Any] = {
    "states": np.array([[1.0, 0.0], [0.0, 2.0]]),
    "rates": np.array([0.1, 0.2]),
    "target": np.array([0.6, 0.8]),
}


def npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array), allow_pickle=True)
    return buffer.getvalue()


def header(text: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    """An array file with any header."""
    size = struct.pack("<H" if version == b"\x01\x00" else "<I", len(text))
    return b"\x93NUMPY" + version + size + text.encode() + data


def archive(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as file:
        for name, data in members.items():
            file.writestr(f"{name}.npy", data)
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


def test_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    arrays: dict[str, Any] = {
        "a": np.arange(6.0).reshape(2, 3).T,
        "b": np.float32(2.5),
        "c": np.array(["é", "x"]),
    }
    np.savez_compressed(tmp_path / "a.npz", **arrays)
    found = read_arrays(tmp_path / "a.npz")
    assert list(found) == ["a", "b", "c"]
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype


def test_some_arrays_can_be_read_without_the_others(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.npz", {"states": b"damaged", "target": npy([1.0, 2.0])})
    assert list(read_arrays(path, only=("target", "state_radius"))) == ["target"]
    refuse(lambda: read_arrays(path), "a.npz")


class TestOneArray:
    def test_a_file_cut_off_anywhere_or_too_long_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "a.npy"
        whole = npy(GOOD["states"])
        for data in (*(whole[:length] for length in range(0, len(whole), 7)), whole + b"x"):
            path.write_bytes(data)
            refuse(lambda: read_npy(path), "a.npy")

    def test_python_objects_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "a.npy").write_bytes(npy(np.array([None])))
        refuse(lambda: read_npy(tmp_path / "a.npy"), "a.npy")


def test_names_may_be_bytes(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **GOOD, names=np.array(["Zoë".encode(), b"Ben"]))
    assert Classroom.load(tmp_path / "a.npz").names == ("Zoë", "Ben")


@pytest.mark.parametrize(
    "changes",
    [
        {"states": np.ones(2)},
        {"states": np.full((2, 2), np.nan)},
        {"states": np.ones((2, 2), complex)},
        {"states": np.full((2, 2), "a")},
        {"states": np.zeros(2, [("a", "f8")])},
        {"target": np.ones(3)},
        {"rates": np.ones((2, 1))},
        {"rates": np.array([0.1, -1])},
        {"rates": np.zeros(2, "M8[s]")},
        {"state_radius": np.ones(2)},
        {"state_radius": np.array("wide")},
        {"example_radius": np.array(-1.0)},
        {"example_radius": np.array(1j)},
        {"names": np.ones(2)},
        {"names": np.array([["a", "b"]])},
        {"names": np.array(["a"])},
        {"names": np.array([b"\xff", b"a"])},
    ],
)
def test_arrays_that_make_no_class_are_refused_by_name(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    path = tmp_path / "class.npz"
    np.savez(path, **(GOOD | changes))
    refuse(lambda: load(path), "class.npz", f"`{next(iter(changes))}`")


def test_python_objects_are_refused_and_never_unpickled(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return Path.touch, (tmp_path / "sprung",)

    objects = npy(np.array([[Trap(), 1.0]], dtype=object))
    path = archive(tmp_path / "class.npz", {"states": objects})
    refuse(lambda: load(path), "class.npz")
    path.write_bytes(pickle.dumps(Trap()))
    refuse(lambda: load(path), "class.npz")
    assert not (tmp_path / "sprung").exists()


class TestBombs:
    @pytest.mark.parametrize("shape", ["(10**6, 10**6)", "(1000000000000,)", "(1073741825, 1)"])
    def test_a_header_that_states_too_large_a_size_is_refused(
        self, tmp_path: Path, shape: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def never(*_: object, **__: object) -> None:
            raise AssertionError("the array was made before its size was checked")

        monkeypatch.setattr(np.lib.format, "read_array", never)
        text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n"
        path = archive(tmp_path / "bomb.npz", {"states": header(text, b"\0" * 64)})
        refuse(lambda: load(path), "bomb.npz")

    def test_text_of_a_huge_width_is_refused(self, tmp_path: Path) -> None:
        text = "{'descr': '<U500000000', 'fortran_order': False, 'shape': (8,), }\n"
        path = archive(tmp_path / "bomb.npz", {"names": header(text, b"\0" * 64)})
        refuse(lambda: load(path), "names.npy")

    def test_a_false_size_in_the_archive_is_refused(self, tmp_path: Path) -> None:
        path = archive(tmp_path / "bomb.npz", {"states": npy(GOOD["states"])})
        data = bytearray(path.read_bytes())
        place = data.rindex(b"PK\x01\x02") + 24
        data[place : place + 4] = struct.pack("<I", 0xFFFFFFF0)
        path.write_bytes(data)
        refuse(lambda: load(path), "bomb.npz")


@pytest.mark.parametrize(
    "member",
    [
        b"",
        b"just text",
        b"\x93NUMPY",
        b"\x93NUMPY\x01\x00",
        header("", version=b"\x07\x07"),
        header("{}"),
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}"),
        header("{'descr': '<f8', 'fortran_order': False, 'shape': 'no'}"),
        header("{'descr': 'nonsense', 'fortran_order': False, 'shape': (1,)}"),
        header("{'descr': '|V0', 'fortran_order': 1, 'shape': (1,)}"),
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)", b"\0" * 8),
        header("(" * 3000),
        header("{'a': '''"),
        header("__import__('os').system('false')"),
        header("x" * 60_000),
        header("'" + "x" * 200_000 + "'", version=b"\x02\x00"),
        header(" \tL\n  9L\n\x00"),
    ],
    ids=range(17),
)
def test_members_that_are_not_arrays_are_refused(tmp_path: Path, member: bytes) -> None:
    path = archive(tmp_path / "class.npz", {"states": member})
    refuse(lambda: load(path), "class.npz")


def test_a_file_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "class.npz"
    np.savez_compressed(path, **GOOD)
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        refuse(lambda: load(path), "class.npz")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_a_file_with_broken_bytes_is_either_read_or_refused(tmp_path: Path, method: int) -> None:
    path = archive(tmp_path / "class.npz", {name: npy(part) for name, part in GOOD.items()}, method)
    whole = path.read_bytes()
    chance, refused = random.Random(0), 0
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 1, 3, 20))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data)
        refused += is_refused(path)
    assert refused > 100
