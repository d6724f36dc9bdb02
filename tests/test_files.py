"""Files are read within limits, and written completely or not at all."""

import errno
import os
import stat
from functools import partial
from pathlib import Path

import pytest

from homeroom import InputError
from homeroom._files import (
    MissingError,
    reading,
    replacing,
)
from tests.bad_input import refuse


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def write(path: Path, text: str, stop: BaseException | None = None) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
        if stop is not None:
            raise stop


def test_a_file_takes_its_place_only_when_all_went_well(tmp_path: Path) -> None:
    path = tmp_path / "class.CSV"
    with replacing(path) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".csv"
        temporary.write_text("whole")
        assert not path.exists()
    assert path.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_left_and_nothing_changed_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_text("old")
    with pytest.raises(KeyError, match="stop"):
        write(path, "half", stop=KeyError("stop"))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    plain, ours = tmp_path / "plain", tmp_path / "ours.csv"
    plain.touch()
    with replacing(ours):
        pass
    assert mode(ours) == mode(plain)


def test_a_private_file_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.touch(mode=0o600)
    with replacing(path) as temporary:
        temporary.write_text("new")
    assert mode(path) == 0o600
    assert path.read_text() == "new"


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    real, link = tmp_path / "store" / "real.csv", tmp_path / "link.csv"
    link.symlink_to(real)
    with replacing(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert real.read_text() == "new"


@pytest.mark.parametrize("name", ["missing/class.csv", "file/class.csv", "folder.csv"])
def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.csv").mkdir()
    before = sorted(tmp_path.rglob("*"))
    refuse(lambda: write(tmp_path / name, "text"), "written")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_link_that_leads_to_itself_is_replaced_or_refused_but_nothing_is_left(
    tmp_path: Path,
) -> None:
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    write(loop, "text")
    assert loop.read_text() == "text"
    assert list(tmp_path.iterdir()) == [loop]


def test_a_full_disk_is_reported_and_leaves_no_file(tmp_path: Path) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    refuse(lambda: write(tmp_path / "class.csv", "half", stop=full), "class.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    refuse(lambda: write(tmp_path / "class.csv", "text"), "Permission")


def test_text_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    refuse(lambda: write(tmp_path / "class.csv", "\ud800"), "class.csv")
    assert not list(tmp_path.iterdir())


def read(path: Path, stop: BaseException | None = None) -> str:
    with reading(path):
        if stop is not None:
            raise stop
        return path.read_text(encoding="utf-8")


def test_an_error_while_reading_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    for kind in (MissingError, InputError, FileNotFoundError):
        with pytest.raises(kind):
            read(path)
    path.write_text("whole")
    assert read(path) == "whole"
    for stop, named in (
        (OSError("bad page"), "bad page"),
        (PermissionError(errno.EACCES, "Permission denied"), "Permission denied"),
        (MemoryError(), "memory"),
    ):
        refuse(partial(read, path, stop), "class.csv", named)
