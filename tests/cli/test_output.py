"""Where results are written: folders and files, replaced only by force."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from homeroom.cli.output import folder

if TYPE_CHECKING:
    from tests.cli.conftest import Homeroom


def write(out: Path | None, *, force: bool = True) -> None:
    with folder(out, force=force) as place:
        if place.path:
            (place.path / "a.txt").write_text("new")
            (place.path / "b.txt").write_text("new")


def test_without_a_folder_nothing_is_written() -> None:
    with folder(None, force=False) as place:
        assert not place


def test_a_new_folder_appears_complete_with_the_usual_permissions(tmp_path: Path) -> None:
    write(tmp_path / "x" / "y")
    assert sorted(file.name for file in (tmp_path / "x" / "y").iterdir()) == ["a.txt", "b.txt"]
    usual = tmp_path / "usual"
    usual.mkdir()
    assert (tmp_path / "x" / "y").stat().st_mode == usual.stat().st_mode


def test_a_folder_that_exists_keeps_its_other_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "mine.txt").write_text("mine")
    write(tmp_path)
    assert (tmp_path / "a.txt").read_text() == "new"
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("exists", [True, False], ids=["existing", "new"])
def test_a_failure_leaves_nothing_behind(tmp_path: Path, exists: bool) -> None:
    out = tmp_path / "out"
    if exists:
        out.mkdir()

    def fail() -> None:
        with folder(out, force=False) as place:
            assert place.path is not None
            (place.path / "a.txt").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(out.iterdir() if exists else tmp_path.iterdir()) == []


def test_a_file_is_refused_as_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "inside"):
        with pytest.raises(ValueError, match=r"--out must name a folder, but .*file is a file"):
            write(out)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ValueError, match=r"--out cannot be written: .* says 'Permission denied'"):
        write(tmp_path / "out")
    tmp_path.chmod(0o700)


OUT = ["teach", "compare", "group", "certify"]


@pytest.mark.slow
@pytest.mark.parametrize("second", OUT)
def test_a_folder_with_a_result_gets_another_only_by_force(
    homeroom: Homeroom, tmp_path: Path, second: str
) -> None:
    small = ("--students", 3, "--dimensions", 1, "--out", tmp_path / "out")
    assert homeroom("teach", *small).code == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    ran = homeroom(second, *small)
    assert ran.code == 2
    assert "out already holds files: choose another folder for --out, or add --force" in ran.err
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    assert homeroom(second, *small, "--force").code == 0


def test_an_empty_folder_and_one_with_hidden_files_are_accepted(tmp_path: Path) -> None:
    (tmp_path / ".DS_Store").touch()
    write(tmp_path, force=False)
    assert (tmp_path / "a.txt").read_text() == "new"


def test_a_file_is_replaced_only_by_force(homeroom: Homeroom, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.svg"
    sheet.write_text("mine")
    command = ("write", "generate", "f", "-n", 1, "--out", sheet)
    ran = homeroom(*command)
    assert ran == (2, "", f"{sheet} exists already: choose another --out, or add --force.\n")
    assert sheet.read_text() == "mine"
    assert homeroom(*command, "--force").code == 0
    assert sheet.read_text().startswith("<svg")
