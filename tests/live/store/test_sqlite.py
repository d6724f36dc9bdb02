"""One file and one process: acknowledged events are on the disk, even if the process is killed."""

from __future__ import annotations

import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from homeroom._checks import InputError
from homeroom.live.events import Answered, Opened
from homeroom.live.store import open_store
from homeroom.live.store.sqlite import SqliteDatabase

LOAD = """
import sys
from homeroom.live.events import Answered
from homeroom.live.store import open_store
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

store, lock = open_store(sys.argv[1]), Lock()
class_id, first = sys.argv[2], int(sys.argv[3])

def answer(number):
    stored = store.append(class_id, Answered(f"s{number}", 1, "moth", 1)).result()
    with lock:
        print(number, stored.version, flush=True)

with ThreadPoolExecutor(32) as threads:
    list(threads.map(answer, range(first, first + 100_000)))
"""


def killed_in_mid_load(path: Path, class_id: str, first: int) -> list[tuple[int, int]]:
    """Return what a process acknowledged before it was killed without warning."""
    command = [sys.executable, "-c", LOAD, str(path), class_id, str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(200)]
        child.send_signal(signal.SIGKILL)
        lines += child.stdout.readlines()
    assert child.returncode == -signal.SIGKILL
    whole = [line.split() for line in lines if line.endswith("\n")]
    return [(int(number), int(version)) for number, version in whole]


@pytest.mark.slow
def test_no_acknowledged_answer_is_lost_after_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "school.db"
    with open_store(str(path)) as store:
        class_id = store.create_class(Opened("5b", "insects", "ABC234"))
    acknowledged: list[tuple[int, int]] = []
    for life in range(3):
        acknowledged += killed_in_mid_load(path, class_id, first=100_000 * life)
    with open_store(str(path)) as store:
        stored = {one.version: one.event for one in store.events(class_id)}
    assert len(acknowledged) >= 600
    for number, version in acknowledged:
        assert stored[version] == Answered(f"s{number}", 1, "moth", 1)
    assert sorted(stored) == list(range(1, len(stored) + 1))


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "school.db")
    with open_store(path), pytest.raises(ValueError, match=r"in use by another homeroom: stop"):
        open_store(path)
    open_store(path).close()


def test_a_link_to_the_file_of_another_process_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "school.db")
    (tmp_path / "elsewhere").symlink_to(tmp_path)
    with open_store(str(tmp_path / "school.db")):
        for path in (tmp_path / "link.db", tmp_path / "elsewhere" / "school.db"):
            with pytest.raises(InputError, match="in use by another homeroom"):
                open_store(str(path))


OPEN = "import sys; from homeroom.live.store import open_store; open_store(sys.argv[1])"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse hard links")
@pytest.mark.parametrize("linked_first", [True, False])
def test_a_hard_link_to_the_file_of_another_process_is_refused(
    tmp_path: Path, linked_first: bool
) -> None:
    """SQLite's own files are beside the database by name: two names would be two logs."""
    path, other = tmp_path / "school.db", tmp_path / "elsewhere" / "other.db"
    other.parent.mkdir()
    open_store(str(path)).close()
    if linked_first:
        os.link(path, other)
    with open_store(str(path)) as store:
        if not linked_first:
            os.link(path, other)
        second = subprocess.run(
            [sys.executable, "-c", OPEN, str(other)], capture_output=True, text=True, check=False
        )
        assert second.returncode == 1
        assert "InputError" in second.stderr
        store.create_class(Opened("5b", "insects", "ABC234"))
    with open_store(str(other)) as store:
        assert [row.name for row in store.classes()] == ["5b"]


@pytest.mark.skipif(sys.platform != "linux", reason="replaces the lock of Linux")
def test_a_file_with_two_names_is_refused_where_it_cannot_be_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_lock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.fcntl", no_lock)
    path = tmp_path / "school.db"
    open_store(str(path)).close()
    os.link(path, tmp_path / "other.db")
    for name in ("school.db", "other.db"):
        with pytest.raises(InputError, match="--database"):
            open_store(str(tmp_path / name))
    (tmp_path / "other.db").unlink()
    open_store(str(path)).close()


def test_only_one_process_opens_the_file_without_fcntl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows."""
    monkeypatch.setitem(sys.modules, "fcntl", None)
    path = str(tmp_path / "school.db")
    with open_store(path) as store:
        store.create_class(Opened("5b", "insects", "ABC234"))
        with pytest.raises(InputError, match="in use by another homeroom"):
            open_store(path)
    with open_store(path) as store:
        assert [row.name for row in store.classes()] == ["5b"]


@pytest.mark.slow
def test_a_process_that_was_killed_leaves_no_lock(tmp_path: Path) -> None:
    path = str(tmp_path / "school.db")
    code = "import sys, os; from homeroom.live.store import open_store; open_store(sys.argv[1])"
    ended = f"{code}; os._exit(1)"
    subprocess.run([sys.executable, "-c", ended, path], check=False)
    open_store(path).close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "school.db"
    open_store(str(path)).close()
    path.chmod(0o400)
    with pytest.raises(InputError, match="cannot be used as a database"):
        open_store(str(path))


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "school.db"
    open_store(str(path)).close()
    data = bytearray(path.read_bytes())
    data[100:4000] = bytes(3900)
    path.write_bytes(data)
    with pytest.raises(InputError, match="cannot be used as a database"):
        open_store(str(path))


def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear school, " * 1000, encoding="utf-8")
    with pytest.raises(ValueError, match="cannot be used as a database: file is not a database"):
        open_store(str(path))
    assert list(tmp_path.iterdir()) == [path]
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(ValueError, match="cannot be used as a database: it is not a file"):
        open_store(str(path))


def test_a_folder_that_cannot_be_created_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="cannot be used as a database: File exists"):
        open_store(str(tmp_path / "file" / "school.db"))


def test_every_commit_waits_for_the_disk(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "school.db")
    try:
        assert database.read("PRAGMA journal_mode") == [("wal",)]
        assert database.write(lambda cursor: cursor.run("PRAGMA synchronous")).result() == [(2,)]
    finally:
        database.close()


def test_deleted_names_are_not_left_in_the_files(tmp_path: Path) -> None:
    path = tmp_path / "school.db"
    name = "Persephone-of-the-fifth-form"
    with open_store(str(path)) as store:
        class_id = store.create_class(Opened(name, "insects", "ABC234"))
        store.delete_class(class_id)
        left = [file for file in tmp_path.iterdir() if name.encode() in file.read_bytes()]
        assert left == []


def test_other_users_of_the_computer_cannot_read_the_files(tmp_path: Path) -> None:
    path = tmp_path / "school.db"
    with open_store(str(path)) as store:
        store.create_class(Opened("5b", "insects", "ABC234"))
        for file in tmp_path.glob("school.db*"):
            if not file.name.endswith(".lock"):
                assert file.stat().st_mode & 0o077 == 0, file


def test_the_file_can_be_read_with_any_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "school.db"
    with open_store(str(path)) as store:
        store.create_class(Opened("5b", "insects", "ABC234"))
    with sqlite3.connect(path) as connection:
        (body,) = connection.execute("SELECT body FROM events").fetchone()
    connection.close()
    assert json.loads(body)["name"] == "5b"
