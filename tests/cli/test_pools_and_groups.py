"""Pools of items and groups of students from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from homeroom import Classroom, DirectionPool, ItemPool
from homeroom.cli.pools_and_groups import read_groups, read_pool

GIB = 1 << 30


def test_a_table_may_have_a_header_or_not(tmp_path: Path) -> None:
    (tmp_path / "with.csv").write_text("x1,x2\n1,2\n3,4\n")
    (tmp_path / "without.csv").write_text("1,2\n\n3,4\n")
    for name in ("with.csv", "without.csv"):
        pool = read_pool(tmp_path / name, rescalable=False, max_bytes=GIB)
        assert isinstance(pool, ItemPool)
        assert pool.items.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_items_may_have_answers_of_their_own(tmp_path: Path) -> None:
    np.savez(tmp_path / "items.npz", items=np.eye(2), labels=[1.0, -1.0])
    pool = read_pool(tmp_path / "items.npz", rescalable=False, max_bytes=GIB)
    assert pool.labels is not None
    assert pool.labels.tolist() == [1.0, -1.0]


def test_directions_are_scaled_to_length_one(tmp_path: Path) -> None:
    np.save(tmp_path / "items.npy", 3 * np.eye(2))
    pool = read_pool(tmp_path / "items.npy", rescalable=True, max_bytes=GIB)
    assert isinstance(pool, DirectionPool)
    assert pool.directions.tolist() == np.eye(2).tolist()


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("items.txt", b"1,2", "must end in .npy, .npz or .csv"),
        ("items.csv", b"x1,x2\n", "has no items"),
        ("items.csv", b"1,2\n3\n", "has rows with more or fewer cells than the header: 1 of them"),
        ("items.csv", b"1;2,5\n3;0.5\n", "numbers with a comma .'2,5'. and with a point .'0.5'."),
        ("items.csv", b"1,2\n3,x\n", "could not convert string to float: 'x'"),
        ("items.csv", b"1,\xff\n", "could not convert string to float"),
        ("items.csv", b"1,\0\n", "is not text"),
        ("items.csv", b"1,nan\n", "is not a pool of items: `items` must be finite"),
        ("items.npy", b"nothing of the kind", "damaged or cut off"),
        ("items.npz", b"nothing of the kind", "damaged or cut off"),
    ],
)
def test_a_file_that_is_not_a_pool_is_refused_with_the_reason(
    tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=sentence):
        read_pool(tmp_path / name, rescalable=False, max_bytes=GIB)


def test_a_missing_file_and_a_missing_array_are_reported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="There is no file"):
        read_pool(tmp_path / "none.npy", rescalable=False, max_bytes=GIB)
    np.savez(tmp_path / "other.npz", things=np.eye(2))
    with pytest.raises(ValueError, match="must hold an array called `items`"):
        read_pool(tmp_path / "other.npz", rescalable=False, max_bytes=GIB)


@pytest.mark.parametrize("ending", [".npy", ".npz", ".csv"])
def test_a_pool_that_is_too_large_is_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"items{ending}"
    if ending == ".npy":
        np.save(path, np.eye(50))
    elif ending == ".npz":
        np.savez(path, items=np.eye(50))
    else:
        np.savetxt(path, np.eye(50), delimiter=",")
    with pytest.raises(ValueError, match="more than the limit"):
        read_pool(path, rescalable=False, max_bytes=1000)


def test_a_cut_off_array_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "items.npy", np.eye(50))
    whole = (tmp_path / "items.npy").read_bytes()
    (tmp_path / "items.npy").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="damaged or cut off"):
        read_pool(tmp_path / "items.npy", rescalable=False, max_bytes=GIB)


ROOM = Classroom([[0.0], [1.0], [2.0]], [0.1] * 3, [0.5], names=["Ada", "Ben", "Cleo"])


def split(path: Path, room: Classroom = ROOM) -> list[int]:
    groups: list[int] = read_groups(path, room).split(room, np.random.default_rng(0)).tolist()
    return groups


def test_students_are_found_by_name_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("group,student\nred,Cleo\nblue,Ada\nred,Ben\n")
    assert split(path) == [0, 1, 1]


def test_without_names_students_are_numbered_from_0(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("student,group\n0,b\n1,a\n2,b\n")
    assert split(path, Classroom.sample(students=3, dimensions=2)) == [1, 0, 1]


def test_numbers_are_in_the_order_of_numbers(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("student,group\nAda,10\nBen,9\nCleo,10\n")
    assert split(path) == [1, 0, 1]


def test_numbers_may_be_as_long_as_they_like(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("student,group\nAda,99999999999999999999999\nBen,1\nCleo,01\n")
    assert split(path) == [1, 0, 0]


def test_pools_and_groups_of_a_spreadsheet_are_read(tmp_path: Path) -> None:
    """Byte order mark, semicolons, decimal commas, quotes, blank lines, other names of columns."""
    groups, items = tmp_path / "groups.csv", tmp_path / "items.csv"
    groups.write_text('\ufeffPupil;Group\n"Ada";red\n\nBen;blue\nCleo;red\n', encoding="utf-8")
    assert split(groups) == [1, 0, 1]
    items.write_text('sep=;\n"x 1";x2\n0,5;"1,25"\n\n-1;2e-1\n', encoding="utf-16")
    pool = read_pool(items, rescalable=False, max_bytes=GIB)
    assert isinstance(pool, ItemPool)
    assert pool.items.tolist() == [[0.5, 1.25], [-1.0, 0.2]]


def test_spaces_around_names_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("student,group\n Ada,1\nBen ,2\nCleo,1\n")
    padded = Classroom([[0.0], [1.0], [2.0]], [0.1] * 3, [0.5], names=["Ada ", " Ben", "Cleo"])
    assert split(path) == split(path, padded) == [0, 1, 0]


def test_students_who_share_a_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("student,group\nAda,1\nBen,2\n")
    twins = Classroom([[0.0], [1.0], [2.0]], [0.1] * 3, [0.5], names=["Ada", "Ben", "Ada "])
    with pytest.raises(ValueError, match=r"students 0 and 2 .* are both called 'Ada': give each"):
        read_groups(path, twins)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"student,group\nAda,1\nBen,1\n", "does not state the group of student Cleo"),
        (b"student,group\nAda,1\nBen,\nCleo,2\n", "does not state the group of student Ben"),
        (b"who,team\nAda,1\n", "must have the columns student and group, .* has 'who', 'team'"),
        (b"", "must have the columns student and group"),
        (b"student,group\n\0,1\n", "is not text"),
        (b'student,group\n"Ada,1\n', "cannot be read as a table from line 2 on"),
        (b"group,student\n1\n", "has rows with more or fewer cells than the header: 1 of them"),
        (b"student,group\nAda,1\nZed,2\n", "has a row for 'Zed', but there is no such student"),
        (b"student,group\nAda,1\n Ada ,2\n", "has two rows for 'Ada': leave one out"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_with_the_reason(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    path = tmp_path / "groups.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=sentence):
        read_groups(path, ROOM)
