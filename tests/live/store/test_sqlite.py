"""One file, one process: what was acknowledged is on the disk, whatever happens to the process."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

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
        said = [child.stdout.readline() for _ in range(200)]
        child.send_signal(signal.SIGKILL)
        said += child.stdout.readlines()
    assert child.returncode == -signal.SIGKILL
    whole = [line.split() for line in said if line.endswith("\n")]
    return [(int(number), int(version)) for number, version in whole]


@pytest.mark.slow
def test_every_acknowledged_answer_is_there_after_kill_9(tmp_path: Path) -> None:
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


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear school, " * 1000, encoding="utf-8")
    with pytest.raises(ValueError, match="cannot be opened as a database: file is not a database"):
        open_store(str(path))


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="cannot be written: File exists"):
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


def test_nobody_else_on_the_computer_can_read_the_files(tmp_path: Path) -> None:
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
