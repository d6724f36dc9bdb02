from pathlib import Path

import numpy as np
import pytest

from homeroom import Classroom
from homeroom.cli.membership import read_groups

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


def test_blanks_around_names_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("student,group\n Ada,1\nBen ,2\nCleo,1\n")
    padded = Classroom([[0.0], [1.0], [2.0]], [0.1] * 3, [0.5], names=["Ada ", " Ben", "Cleo"])
    assert split(path) == split(path, padded) == [0, 1, 0]


def test_students_who_share_a_name_cannot_be_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("student,group\nAda,1\nBen,2\n")
    twins = Classroom([[0.0], [1.0], [2.0]], [0.1] * 3, [0.5], names=["Ada", "Ben", "Ada "])
    with pytest.raises(ValueError, match=r"students 0 and 2 .* are both called 'Ada': give each a"):
        read_groups(path, twins)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"student,group\nAda,1\nBen,1\n", "does not say in which group student Cleo is"),
        (b"student,group\nAda,1\nBen,\nCleo,2\n", "does not say in which group student Ben is"),
        (b"name,team\nAda,1\n", "must have the columns student and group"),
        (b"", "must have the columns student and group"),
        (b"student,group\n\xff,1\n", "cannot be read as a table"),
        (b"group,student\n1\n", "has a row for '', but there is no such student"),
        (b"student,group\nAda,1\nZed,2\n", "has a row for 'Zed', but there is no such student"),
        (b"student,group\nAda,1\n Ada ,2\n", "has two rows for 'Ada': leave one out"),
        (b"student;group\nAda;1\n", "columns student and group.*It seems to be separated by semi"),
    ],
)
def test_a_table_that_does_not_fit_says_why(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "groups.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=sentence):
        read_groups(path, ROOM)
