"""Backups: written while a server runs, restored on another machine, where the class continues."""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from homeroom._checks import InputError
from homeroom.live.backup import back_up, restore
from homeroom.live.events import Enrolled, Event, Joined, Opened, PhaseBegan, Removed
from homeroom.live.live_class import rebuild
from homeroom.live.refused import Refused
from homeroom.live.settings import Hashing, ServerSettings
from homeroom.live.store import EventStore, open_store
from homeroom.live.store.store import plain
from tests.live.conftest import Live, Open
from tests.live.store.test_written_by_0_1 import without_removed
from tests.live.test_kept_classes import wait_for

OLD = Path(__file__).parents[2] / "data" / "0.1"


def filled(store: EventStore) -> str:
    """Add a class with two students to a store; return its id."""
    class_id = store.create_class(Opened("5b", "insects", "ABC234"))
    events: list[Event] = [
        Joined("a" * 16, "Ada"),
        Enrolled("b" * 16, "Ben"),
        Joined("c" * 16, "Cai"),
    ]
    events += [Removed(("c" * 16,)), PhaseBegan("pretest")]
    for event in events:
        store.append(class_id, event).result()
    store.set_setting("password", "secret hash")
    return class_id


def test_a_backup_of_either_database_is_restored_into_either(place: str, tmp_path: Path) -> None:
    with open_store(place) as store:
        class_id = filled(store)
        logged = [plain(one) for one in store.events(class_id)]
        assert back_up(store, tmp_path / "backup.db").classes == 1
        assert restore(store, tmp_path / "backup.db") == (0, 0, 1)
        store.delete_class(class_id)
        assert restore(store, tmp_path / "backup.db") == (1, 0, 0)
        read = [plain(one) for one in store.events(class_id)]
        assert read[:-1] == logged
        assert read[-1]["kind"] == "signedout"
        assert read[-1]["students"] == ["a" * 16]
    with open_store(":memory:") as other:
        assert restore(other, tmp_path / "backup.db").classes == 1
        state = rebuild(other, class_id, [one.event for one in other.events(class_id)])
        assert state.find_seat("ada") == "a" * 16
        assert other.setting("password") is None


def test_a_backup_contains_no_secret_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    out = tmp_path / "backup.db"
    with open_store(str(tmp_path / "classroom.db")) as store:
        filled(store)
        back_up(store, out)
    assert b"secret hash" not in out.read_bytes()
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


def test_a_database_in_use_is_backed_up_by_another_process(tmp_path: Path) -> None:
    place = str(tmp_path / "classroom.db")
    with open_store(place) as store:
        class_id = filled(store)
        back_up(place, tmp_path / "one.db")
        store.append(class_id, PhaseBegan("teach")).result()
        back_up(f"sqlite:///{place}", tmp_path / "two.db")
    counts = []
    for name in ("one.db", "two.db"):
        with open_store(":memory:") as other:
            restore(other, tmp_path / name)
            counts.append(other.version(class_id))
    assert counts == [7, 8]


def test_a_database_of_0_1_is_backed_up_unchanged_and_restored(tmp_path: Path) -> None:
    old = shutil.copy(OLD / "classroom.db", tmp_path / "classroom.db")
    before = Path(old).read_bytes()
    written = json.loads((OLD / "classroom.json").read_text("utf-8"))
    back_up(str(old), tmp_path / "backup.db")
    assert Path(old).read_bytes() == before
    for file in ("backup.db", "classroom.db"):  # a plain copy of a database is a backup too
        with open_store(":memory:") as store:
            counts = restore(store, tmp_path / file)
            assert counts == (len(written["classes"]), len(written["activities"]), 0)
            for class_id, events in written["events"].items():
                read = json.loads(json.dumps([plain(one) for one in store.events(class_id)]))
                assert read[: len(events)] == without_removed(events, read)
                assert len(read) <= len(events) + 1
            [activity] = written["activities"]
            assert store.picture(activity["id"], "duck") is not None


TRIGGER = "CREATE TRIGGER t AFTER INSERT ON classes BEGIN DELETE FROM events; END"
VIEW = "CREATE VIEW tickets AS SELECT 1 AS hash, 2 AS class_id, 3 AS student"
EXPLODED = json.dumps({"kind": "exploded"})
BUILT_IN = json.dumps({"id": "insects", "name": "x", "items": []})

SPOILED = {
    "a trigger": ([TRIGGER], "not a backup"),
    "a view": (["DROP TABLE tickets", VIEW], "not a backup"),
    "no table": (["DROP TABLE events"], "not a backup"),
    "a newer version": (["INSERT INTO schema_version VALUES (99)"], "has version 99"),
    "a path as an id": (
        ["UPDATE classes SET id = '../etc'", "UPDATE events SET class_id = '../etc'"],
        "damaged",
    ),
    "a missing event": (["DELETE FROM events WHERE version = 3"], "damaged"),
    "an unknown event": ([f"UPDATE events SET body = '{EXPLODED}' WHERE version = 4"], "damaged"),
    "an odd event": (["UPDATE events SET body = '[1]' WHERE version = 4"], "damaged"),
    "a number for text": (["UPDATE events SET body = 7 WHERE version = 1"], "damaged"),
    "a built-in activity": (
        [f"INSERT INTO activities VALUES ('insects', 'x', 0, '{BUILT_IN}', 0)"],
        "damaged",
    ),
}
"""What is done to a backup, and the reason for which it is refused."""


@pytest.mark.parametrize("kind", SPOILED)
def test_a_spoiled_backup_adds_nothing(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "backup.db"
    statements, why = SPOILED[kind]
    with open_store(":memory:") as store:
        filled(store)
        back_up(store, file)
    with closing(sqlite3.connect(file)) as broken:
        for statement in statements:
            broken.execute(statement)
        broken.commit()
    refuses(file, why)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 0.9])
def test_a_part_of_a_backup_adds_nothing(share: float, tmp_path: Path) -> None:
    file = tmp_path / "backup.db"
    with open_store(":memory:") as store:
        filled(store)
        back_up(store, file)
    data = file.read_bytes()
    file.write_bytes(data[: int(share * len(data))])
    refuses(file, "damaged|not a backup")


def test_another_file_adds_nothing(tmp_path: Path) -> None:
    file = tmp_path / "names.csv"
    file.write_text("name\nAda\n")
    refuses(file, "not a backup")


def refuses(file: Path, why: str) -> None:
    """Check that a file is refused, and nothing of it is stored."""
    with open_store(":memory:") as store:
        with pytest.raises(Refused, match=why):
            restore(store, file)
        assert store.classes() == []
        assert store.activities(hidden=True) == []


def test_a_code_that_another_class_uses_is_refused(tmp_path: Path) -> None:
    with open_store(":memory:") as store:
        class_id = filled(store)
        back_up(store, tmp_path / "backup.db")
        store.delete_class(class_id)
        store.create_class(Opened("6a", "insects", "ABC234"))
        with pytest.raises(
            Refused, match="'5b' of the backup has the code ABC234, which the class '6a'"
        ):
            restore(store, tmp_path / "backup.db")


def test_a_backup_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "backup.db").write_text("important")
    with open_store(":memory:") as store, pytest.raises(InputError, match="exists: choose another"):
        back_up(store, tmp_path / "backup.db")
    with pytest.raises(InputError, match="There is no database"):
        back_up(str(tmp_path / "missing.db"), tmp_path / "other.db")
    assert not (tmp_path / "other.db").exists()


@pytest.mark.slow
def test_a_class_continues_on_another_machine(opened: Open, live: Live) -> None:
    """The backup is downloaded on one page and restored on another; students keep their answers."""
    class_id, code = live.make_class()
    ada = live.join(code, "Ada")
    live.act(class_id, "phase", phase="teach").raise_for_status()
    ada.answer().raise_for_status()
    wait_for(ada, 2)
    before = live.board(class_id)
    answer = live.teacher.get("/api/backup").raise_for_status()
    assert answer.headers["content-disposition"].startswith('attachment; filename="homeroom-')

    other = opened(ServerSettings(hashing=Hashing(1, 8, 1)))
    assert other.teacher.get("/api/backup").status_code == 401
    assert other.teacher.post("/api/restore", content=answer.content).status_code == 401
    other.sign_in()
    restored = other.teacher.post("/api/restore", content=answer.content).raise_for_status()
    assert restored.json() == {"classes": 1, "activities": 0, "present": 0}
    again = other.teacher.post("/api/restore", content=answer.content).raise_for_status()
    assert again.json() == {"classes": 0, "activities": 0, "present": 1}
    back = other.join(code, "Ada")
    assert back.id == ada.id
    assert back.view["progress"]["answered"] == 1
    after = other.board(class_id)
    assert after["round"] == before["round"]
    back.answer().raise_for_status()
    assert other.board(class_id)["counts"]["answers"] == 2
    refused = other.teacher.post("/api/restore", content=b"not a database")
    assert (refused.status_code, refused.json()["code"]) == (422, "backup_unreadable")


def test_a_student_with_a_cookie_continues_after_a_restore(live: Live) -> None:
    """The same machine after a mistake: the page of the student still works."""
    class_id, code = live.make_class()
    ada = live.join(code, "Ada")
    backup = live.teacher.get("/api/backup").content
    live.teacher.delete(f"/api/classes/{class_id}").raise_for_status()
    assert ada.browser.get("/api/me").status_code in (401, 404)
    live.teacher.post("/api/restore", content=backup).raise_for_status()
    assert ada.view["nickname"] == "Ada"
