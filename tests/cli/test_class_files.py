"""Pools of items and groups of students from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from homeroom import Classroom, DirectionPool, ItemPool
from homeroom.cli.class_files import read_groups, read_pool
from tests.bad_input import refuse

ROOM = Classroom([[0.0], [1.0], [2.0]], [0.1] * 3, [0.5], names=["Ada", "Ben ", "Cleo"])
NUMBERED = Classroom.sample(students=3, dimensions=2)


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("content", "items"),
    [
        ("x1,x2\n1,2\n3,4\n", [[1, 2], [3, 4]]),
        ("1,2\n\n3,4\n", [[1, 2], [3, 4]]),
        ('sep=;\n"x 1";x2\n0,5;"1,25"\n\n-1;2e-1\n'.encode("utf-16"), [[0.5, 1.25], [-1, 0.2]]),
    ],
    ids=["header", "no header", "spreadsheet"],
)
def test_a_table_of_numbers_is_a_pool(
    tmp_path: Path, content: str | bytes, items: list[list[float]]
) -> None:
    pool = read_pool(write(tmp_path, "items.csv", content), rescalable=False)
    assert isinstance(pool, ItemPool)
    assert pool.items.tolist() == items


def test_arrays_are_pools(tmp_path: Path) -> None:
    np.savez(tmp_path / "items.npz", items=np.eye(2), labels=[1.0, -1.0])
    pool = read_pool(tmp_path / "items.npz", rescalable=False)
    assert pool.labels is not None
    assert pool.labels.tolist() == [1.0, -1.0]
    np.save(tmp_path / "items.npy", 3 * np.eye(2))
    pool = read_pool(tmp_path / "items.npy", rescalable=True)
    assert isinstance(pool, DirectionPool)
    assert pool.directions.tolist() == np.eye(2).tolist()


@pytest.mark.parametrize(
    ("name", "content", "named"),
    [
        ("items.txt", "1,2", ".npz"),
        ("items.csv", "x1,x2\n", "no items"),
        ("items.csv", "1,2\n3\n", "1 of them"),
        ("items.csv", "1;2,5\n3;0.5\n", "'2,5'"),
        ("items.csv", "1,2\n3,x\n", "'x'"),
        ("items.csv", b"1,\xff\n", "items.csv"),
        ("items.csv", "1,\0\n", "items.csv"),
        ("items.csv", "1,nan\n", "`items`"),
        ("items.npy", "nothing of the kind", "items.npy"),
        ("items.npz", "nothing of the kind", "items.npz"),
    ],
)
def test_a_file_that_is_not_a_pool_is_refused(
    tmp_path: Path, name: str, content: str | bytes, named: str
) -> None:
    path = write(tmp_path, name, content)
    refuse(lambda: read_pool(path, rescalable=False), named)


def test_a_missing_array_and_a_cut_off_one_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", things=np.eye(2))
    refuse(lambda: read_pool(tmp_path / "other.npz", rescalable=False), "`items`")
    np.save(tmp_path / "items.npy", np.eye(50))
    path = write(tmp_path, "items.npy", (tmp_path / "items.npy").read_bytes()[:9000])
    refuse(lambda: read_pool(path, rescalable=False), "items.npy")


@pytest.mark.parametrize(
    ("text", "groups", "room"),
    [
        ("group,student\nred,Cleo\nblue,Ada\nred,Ben\n", [0, 1, 1], ROOM),
        ("student,group\n0,b\n1,a\n2,b\n", [1, 0, 1], NUMBERED),
        ("student,group\nAda,10\nBen,9\nCleo,10\n", [1, 0, 1], ROOM),
        ("student,group\n Ada,99999999999999999999999\nBen,1\nCleo,01\n", [1, 0, 0], ROOM),
        ('\ufeffPupil;Group\n"Ada";red\n\nBen;blue\nCleo;red\n', [1, 0, 1], ROOM),
    ],
    ids=["by name", "by number", "order of numbers", "long numbers", "spreadsheet"],
)
def test_the_groups_of_students_are_read(
    tmp_path: Path, text: str, groups: list[int], room: Classroom
) -> None:
    split = read_groups(write(tmp_path, "groups.csv", text), room)
    assert split.split(room, np.random.default_rng(0)).tolist() == groups


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("student,group\nAda,1\nBen,1\n", "Cleo"),
        ("student,group\nAda,1\nBen,\nCleo,2\n", "Ben"),
        ("who,team\nAda,1\n", "'who', 'team'"),
        ("", "student and group"),
        ("student,group\n\0,1\n", "groups.csv"),
        ('student,group\n"Ada,1\n', "line 2"),
        ("group,student\n1\n", "1 of them"),
        ("student,group\nAda,1\nZed,2\n", "'Zed'"),
        ("student,group\nAda,1\n Ada ,2\n", "'Ada'"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(tmp_path: Path, content: str, named: str) -> None:
    path = write(tmp_path, "groups.csv", content)
    refuse(lambda: read_groups(path, ROOM), named)


def test_students_who_share_a_name_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "groups.csv", "student,group\nAda,1\nBen,2\n")
    twins = Classroom([[0.0], [1.0], [2.0]], [0.1] * 3, [0.5], names=["Ada", "Ben", "Ada "])
    refuse(lambda: read_groups(path, twins), "0 and 2", "'Ada'")
