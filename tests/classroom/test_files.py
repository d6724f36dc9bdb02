"""A class on disk, in any of the three formats."""

import errno
import io
import math
import pickle
import random
import struct
import zipfile
from pathlib import Path
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

from homeroom import Classroom, InputError
from homeroom._files import read_arrays, read_npy
from homeroom.classroom import files
from homeroom.classroom.files import load
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
    with pytest.raises(ValueError, match=r"t\.npz has no target\. Add a row named 'target'"):
        Classroom.load(path, target=tmp_path / "t.npz")
    np.save(tmp_path / "t.npy", [1.0, 2.0])
    assert Classroom.load(path, target=tmp_path / "t.npy").target.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match=r"There is no file .*none\.npy\."):
        Classroom.load(path, target=tmp_path / "none.npy")


def test_a_file_without_students_is_not_a_class(tmp_path: Path) -> None:
    path = tmp_path / "class.npz"
    np.savez(path, target=[1.0])
    with pytest.raises(ValueError, match=r"class\.npz has no states: it is not a class file"):
        files.load(path)
    np.savez(path, target=[1.0], states=[[1.0]])
    with pytest.raises(ValueError, match=r"class\.npz has no rates: it is not a class file"):
        files.load(path)
    np.savez(path, rates=[1.0], states=[[1.0]])
    with pytest.raises(ValueError, match=r"class\.npz has no target\. Add a row named 'target'"):
        files.load(path)


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
    with pytest.raises(ValueError, match=r"'A', 'B': save the one with the table alone\.$"):
        files.load(tmp_path / "two.xlsx")


def test_a_class_is_not_written_as_a_spreadsheet(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"read, not written: save the class as \.csv"):
        files.save(room(), tmp_path / "class.xlsx")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["class.txt", "class", "class.npz.gz", ".npz"])
def test_another_ending_is_refused(tmp_path: Path, name: str) -> None:
    message = r"must end in \.npz, \.csv or \.parquet .*, but ends in '(\.txt|nothing|\.gz)'"
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


def test_files_of_the_second_version_are_read(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, GOOD["states"], version=(2, 0))
    found = read_arrays(archive(tmp_path / "a.npz", {"states": buffer.getvalue()}))
    np.testing.assert_array_equal(found["states"], GOOD["states"])


def test_some_arrays_can_be_read_without_the_others(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.npz", {"states": b"damaged", "target": npy([1.0, 2.0])})
    assert list(read_arrays(path, only=("target", "state_radius"))) == ["target"]
    with pytest.raises(ValueError, match=r"a\.npz cannot be read: it is damaged"):
        read_arrays(path)


class TestOneArray:
    def test_it_comes_back_as_it_was(self, tmp_path: Path) -> None:
        np.save(tmp_path / "a.npy", GOOD["states"].T)
        found = read_npy(tmp_path / "a.npy")
        np.testing.assert_array_equal(found, GOOD["states"].T)

    def test_a_file_cut_off_anywhere_or_too_long_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "a.npy"
        whole = npy(GOOD["states"])
        for data in (*(whole[:length] for length in range(0, len(whole), 7)), whole + b"x"):
            path.write_bytes(data)
            with pytest.raises(ValueError, match=r"a\.npy cannot be read: it is damaged or cut"):
                read_npy(path)

    def test_a_file_that_is_too_large_is_refused(self, tmp_path: Path) -> None:
        np.save(tmp_path / "a.npy", np.zeros(1000))
        with pytest.raises(ValueError, match=r"a\.npy would fill 0\.0 GiB of memory, more than"):
            read_npy(tmp_path / "a.npy", max_bytes=1000)

    def test_python_objects_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "a.npy").write_bytes(npy(np.array([None])))
        with pytest.raises(ValueError, match=r"a\.npy .* \(a\.npy holds Python objects, not numbe"):
            read_npy(tmp_path / "a.npy")


def test_names_may_be_bytes(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **GOOD, names=np.array(["Zoë".encode(), b"Ben"]))
    assert Classroom.load(tmp_path / "a.npz").names == ("Zoë", "Ben")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"states": np.ones(2)}, r"is not a class: `states` must have shape .* has shape \(2,\)"),
        ({"states": np.ones((2, 3))}, r"is not a class: `target` must have one number for each di"),
        ({"rates": np.ones((2, 1))}, r"is not a class: `rates` must have one number for each stud"),
        ({"rates": np.array([0.1, -1])}, "is not a class: `rates` must be positive, but student 1"),
        ({"states": np.full((2, 2), np.nan)}, r"is not a class: `states` must be finite, but"),
        ({"states": np.ones((2, 2), complex)}, "is not a class: `states` must be real numbers, but "
                                               "has dtype complex128"),
        ({"states": np.full((2, 2), "a")}, "is not a class: `states` must be real numbers, but has "
                                           "dtype <U1"),
        ({"rates": np.zeros(2, "M8[s]")}, "is not a class: `rates` must be real numbers, but has"),
        ({"states": np.zeros(2, [("a", "f8")])}, "is not a class: `states` must be real numbers"),
        ({"state_radius": np.ones(2)}, "is not a class: `state_radius` must be one number"),
        ({"state_radius": np.array("wide")}, "is not a class: `state_radius` must be a number"),
        ({"example_radius": np.array(-1.0)}, "is not a class: `example_radius` must be positive"),
        ({"example_radius": np.array(1j)}, "is not a class: `example_radius` must be a number"),
        ({"names": np.ones(2)}, "is not a class: `names` must be a list of texts, but has dtype f"),
        ({"names": np.array([["a", "b"]])}, r"`names` must be a list of texts, .* shape \(1, 2\)"),
        ({"names": np.array(["a"])}, "`names` must have one name for each of the 2 students"),
        ({"names": np.array([b"\xff", b"a"])}, "is not a class: `names` must be UTF-8"),
    ],
)  # fmt: skip
def test_arrays_that_make_no_class_are_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    path = tmp_path / "class.npz"
    np.savez(path, **(GOOD | changes))
    with pytest.raises(ValueError, match=rf"class\.npz {message}|class\.npz .*{message}"):
        load(path)


def test_python_objects_are_refused_and_never_unpickled(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return Path.touch, (tmp_path / "sprung",)

    objects = npy(np.array([[Trap(), 1.0]], dtype=object))
    path = archive(tmp_path / "class.npz", {"states": objects})
    with pytest.raises(ValueError, match=r"class\.npz .* \(states.npy holds Python objects, not"):
        load(path)
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ValueError, match=r"class\.npz cannot be read: it is damaged"):
        load(path)
    assert not (tmp_path / "sprung").exists()


class TestBombs:
    def test_an_archive_that_would_unpack_too_large_is_refused(self, tmp_path: Path) -> None:
        data = npy(np.zeros((1000, 1000)))
        path = archive(tmp_path / "bomb.npz", {"states": data})
        assert path.stat().st_size < 10_000
        with pytest.raises(ValueError, match=r"bomb\.npz would fill 0\.0 GiB of memory, more than"):
            load(path, max_bytes=1_000_000)

    @pytest.mark.parametrize("shape", ["(10**6, 10**6)", "(1000000000000,)", "(1073741825, 1)"])
    def test_a_header_that_states_too_large_a_size_is_refused(
        self, tmp_path: Path, shape: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def never(*_: object, **__: object) -> None:
            raise AssertionError("the array was made before its size was checked")

        monkeypatch.setattr(np.lib.format, "read_array", never)
        text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n"
        path = archive(tmp_path / "bomb.npz", {"states": header(text, b"\0" * 64)})
        with pytest.raises(ValueError, match=r"bomb\.npz cannot be read: it is damaged or cut off"):
            load(path)

    def test_text_of_a_huge_width_is_refused(self, tmp_path: Path) -> None:
        text = "{'descr': '<U500000000', 'fortran_order': False, 'shape': (8,), }\n"
        path = archive(tmp_path / "bomb.npz", {"names": header(text, b"\0" * 64)})
        with pytest.raises(ValueError, match=r"names\.npy declares \d+ bytes, but has"):
            load(path)

    def test_a_false_size_in_the_archive_is_refused(self, tmp_path: Path) -> None:
        path = archive(tmp_path / "bomb.npz", {"states": npy(GOOD["states"])})
        data = bytearray(path.read_bytes())
        place = data.rindex(b"PK\x01\x02") + 24
        data[place : place + 4] = struct.pack("<I", 0xFFFFFFF0)
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"bomb\.npz cannot be read: it is damaged"):
            load(path)
        with pytest.raises(ValueError, match=r"bomb\.npz would fill 4\.0 GiB"):
            load(path, max_bytes=1 << 30)


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
    with pytest.raises(ValueError, match=r"class\.npz cannot be read: it is damaged or cut off \("):
        load(path)


def test_a_file_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "class.npz"
    np.savez_compressed(path, **GOOD)
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"class\.npz cannot be read: it is damaged"):
            load(path)


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


def test_an_encrypted_file_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path / "class.npz", {"states": npy(GOOD["states"])})
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"class\.npz cannot be read: .*encrypted"):
        load(path)
