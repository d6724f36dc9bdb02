"""The footers of Parquet files, before any student is read."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom import Classroom
from homeroom.classroom.pieces import parquet as parquet_pieces
from homeroom.classroom.pieces.parquet import read_footers, size_in_memory

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

GOOD: dict[str, Any] = {
    "student": ["Ada", "Ben", "Cleo", "Dan", "target"],
    "rate": [0.2, 0.1, 0.4, 0.3, None],
    "w1": [1.0, 0.0, 2.0, 0.5, 0.6],
    "w2": [0.5, 0.3, 0.1, 0.2, 0.8],
}
STUDENTS = {name: column[:4] for name, column in GOOD.items()}


def written(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    metadata = options.pop("metadata", None)
    table = pyarrow.table(columns).replace_schema_metadata(metadata)
    parquet.write_table(table, path, **({"row_group_size": 2} | options))
    return path


def test_a_footer_states_the_row_groups_the_range_and_the_target(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.parquet", GOOD, metadata={b"homeroom": b"state_radius=9.0 example_radius=3.0"}
    )
    found = read_footers([path])
    assert [(group.number, group.first, group.students) for group in found.groups] == [
        (0, 0, 2),
        (1, 2, 2),
    ]  # the third group is the target alone
    assert found.rates == (0.1, 0.4)
    assert found.dimensions == 2
    assert found.named
    assert found.target is not None
    assert found.target.tolist() == [0.6, 0.8]
    assert found.radii == {"state_radius": 9.0, "example_radius": 3.0}
    assert size_in_memory(path) == 8 * 5 * 4


@pytest.mark.parametrize("statistics", [True, False])
@pytest.mark.parametrize("place", range(5))
def test_the_target_is_found_wherever_it_stands(
    tmp_path: Path, place: int, statistics: bool
) -> None:
    order = [*range(place), 4, *range(place, 4)]
    columns = {name: [column[i] for i in order] for name, column in GOOD.items()}
    path = written(tmp_path / "a.parquet", columns, write_statistics=statistics)
    found = read_footers([path])
    assert found.target is not None
    assert found.target.tolist() == [0.6, 0.8]
    assert sum(group.students for group in found.groups) == 4
    assert (found.rates is None) is not statistics
    if statistics:
        assert found.rates == (0.1, 0.4)


def test_only_groups_that_may_have_the_target_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    batches = parquet_pieces.batches

    def watched(file: Any, group: Any, *more: Any) -> Any:
        read.append(group.number)
        return batches(file, group, *more)

    monkeypatch.setattr(parquet_pieces, "batches", watched)
    read_footers([written(tmp_path / "a.parquet", GOOD)])
    assert read == [2, 2]  # the names, then the target
    read.clear()
    read_footers([written(tmp_path / "b.parquet", GOOD | {"student": [7, 8, 9, 10, 11]})])
    assert read == []


@pytest.mark.parametrize("rate", [7.0, 0.0, np.nan])
@pytest.mark.parametrize("name", ["target", " TARGET", "\u3000Target\n"])
def test_a_target_with_a_rate_is_the_target_as_for_a_class_in_memory(
    tmp_path: Path, rate: float, name: str
) -> None:
    columns = {
        "student": ["Ada", "Ben", "Cleo", name, "Dan"],
        "rate": [0.2, 0.1, 0.4, rate, 0.3],
        "w1": [1.0, 0.0, 2.0, 0.6, 0.5],
        "w2": [0.5, 0.3, 0.1, 0.8, 0.2],
    }
    path = written(tmp_path / "a.parquet", columns)
    found, room = read_footers([path]), Classroom.load(path)
    assert found.target is not None
    assert found.target.tolist() == room.target.tolist() == [0.6, 0.8]
    [piece] = found.pieces(found.rates)
    assert np.concatenate(list(piece.rates())).tolist() == room.rates.tolist()
    assert found.rates is None  # the footer's range has the target's rate in it


def test_nested_columns_are_not_rates(tmp_path: Path) -> None:
    inner = {"note": [{"rate": 5.0}] * 4, "notes": [[{"rate": 7.0}]] * 4}
    assert read_footers([written(tmp_path / "a.parquet", inner | STUDENTS)]).rates == (0.1, 0.4)


def test_rates_that_are_text_have_no_range(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", STUDENTS | {"rate": ["0.2", "0.1", "10", "9"]})
    assert read_footers([path]).rates is None


def test_an_impossible_range_is_ignored(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", STUDENTS | {"rate": [0.2, 0.1, -1.0, 0.3]})
    assert read_footers([path]).rates is None


def test_files_are_put_together_in_their_order(tmp_path: Path) -> None:
    one = written(tmp_path / "1.parquet", STUDENTS)
    two = written(tmp_path / "2.parquet", {**GOOD, "rate": [0.9, 0.8, 0.7, 0.6, None]})
    three = written(tmp_path / "3.parquet", {name: STUDENTS[name] for name in ("rate", "w2", "w1")})
    found = read_footers([one, two, three])
    assert [Path(group.path).stem for group in found.groups] == ["1", "1", "2", "2", "3", "3"]
    assert found.rates == (0.1, 0.9)
    assert not found.named
    [piece] = found.pieces(None)
    assert len(list(piece.rates())) == 6
    assert [len(block.rates) for block in piece.blocks()] == [12]


def test_pieces_are_of_about_the_same_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_pieces, "PIECE_BYTES", 16 * 5)  # five students
    few = written(
        tmp_path / "few.parquet", {"rate": np.ones(9), "w1": np.ones(9), "w2": np.ones(9)}
    )
    many = {name: np.ones(14) for name in ("rate", "w1", "w2")}
    large = written(tmp_path / "large.parquet", many, row_group_size=12)
    pieces = read_footers([few, large]).pieces((0.5, 2.0))
    rows = [[group.rows for group in piece.groups] for piece in pieces]
    assert rows == [[2, 2], [2, 2, 1], [12], [2]]
    assert all(piece.limits == (0.5, 2.0) for piece in pieces)


def test_a_table_without_students_has_no_pieces(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", {name: column[4:] for name, column in GOOD.items()})
    assert read_footers([path]).pieces(None) == []


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (GOOD | {"student": ["target", "Ada", "Ben", "Cleo", "Target"],
                 "rate": [None, 0.1, 0.2, 0.3, None]}, "2.parquet must have one target row, but"),
        (GOOD | {"student": ["target", "TARGET", "Ben", "Cleo", "Dan"],
                 "rate": [None, None, 0.2, 0.3, 0.4]}, "2.parquet must have one target row, but"),
        (GOOD, "2.parquet has a target row, but so has .*1.parquet: keep one of them"),
        ({name: GOOD[name] for name in ("rate", "w1")}, "2.parquet must have the columns w1 to w2 "
                                                        "like the other files, but has w1 to w1"),
        ({name: GOOD[name] for name in ("student", "w1", "w2")}, "2.parquet must have a column r"),
        ({"rate": [1.0], "w1": [1.0], "w3": [1.0]}, "2.parquet must have the columns w1, w2, .* w"),
        (GOOD | {"w2": [0.5, 0.3, 0.1, 0.2, None]}, "Column w2 must have a number in every row, bu"
                                                    "t row 5 of .*2.parquet has none"),
        (GOOD | {"student": [[1]] * 5}, r"2.parquet must have text in column student, but has list"
                                        r"<.*>\. Save the names as text, or drop the column"),
    ],
    ids=range(8),
)  # fmt: skip
def test_files_that_make_no_class_are_refused(
    tmp_path: Path, columns: dict[str, Any], sentence: str
) -> None:
    one = written(tmp_path / "1.parquet", GOOD)
    two = written(tmp_path / "2.parquet", columns)
    with pytest.raises(ValueError, match=sentence):
        read_footers([one, two])


def test_files_with_different_radii_are_not_one_class(tmp_path: Path) -> None:
    paths = [
        written(tmp_path / f"{radius}.parquet", STUDENTS, metadata={b"homeroom": text})
        for radius, text in ((1, b"state_radius=9.0"), (2, b"state_radius=8.0"))
    ]
    with pytest.raises(ValueError, match=r"2\.parquet says state_radius=8\.0, but a file before i"):
        read_footers(paths)


def test_a_file_cut_off_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", GOOD)
    whole = path.read_bytes()
    for length in range(0, len(whole), 97):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"a\.parquet cannot be read: it is damaged or cut"):
            read_footers([path])
