"""A database that homeroom 0.1 wrote: opened, migrated and served with nothing lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from homeroom.live.activities import catalogue
from homeroom.live.classbook.state import State
from homeroom.live.events import Removed, from_json, to_json, without_identity
from homeroom.live.store import open_store
from homeroom.live.store.store import plain
from tests.live.shown import board_of

OLD = Path(__file__).parents[2] / "data" / "0.1"
WRITTEN: dict[str, Any] = json.loads((OLD / "classroom.json").read_text("utf-8"))


@pytest.fixture
def database(tmp_path: Path) -> str:
    """A copy of the database."""
    return str(shutil.copy(OLD / "classroom.db", tmp_path / "classroom.db"))


def test_every_class_and_event_is_kept(database: str) -> None:
    with open_store(database) as store:
        assert [row._asdict() for row in store.classes()] == [
            {**row, "lessons": 1} for row in WRITTEN["classes"]
        ]
        for class_id, events in WRITTEN["events"].items():
            read = json.loads(json.dumps([plain(one) for one in store.events(class_id)]))
            assert read == without_removed(events, read)


def without_removed(events: list[Any], read: list[Any]) -> list[Any]:
    """Return the events as they should be read: without the names and ids of removed students."""
    ids: dict[str, str] = {}
    for old, new in zip(events, read, strict=False):
        if old["kind"] == "removed":
            ids.update(zip(old["students"], new["students"], strict=True))
            assert not set(old["students"]) & set(new["students"])
    found = []
    for one in events:
        when = {"version": one["version"], "at": one["at"]}
        event = from_json({name: one[name] for name in one if name not in when})
        found.append({**when, **to_json(without_identity(event, ids))})
    return list(json.loads(json.dumps(found)))


def test_activities_tickets_and_settings_are_kept(database: str) -> None:
    with open_store(database) as store:
        activities = [one.to_json() for one in store.activities()]
        assert json.loads(json.dumps(activities)) == WRITTEN["activities"]
        [activity] = WRITTEN["activities"]
        picture = store.picture(activity["id"], "duck")
        assert picture is not None
        assert picture.media == "image/png"
        found = {ticket: store.student_of(ticket) for ticket in WRITTEN["tickets"]}
        removed = [ticket for ticket, seat in found.items() if seat is None]
        assert not removed
        [log] = [store.events(row.id) for row in store.classes() if row.name == "5b"]
        erased = [
            one for old in log if isinstance(old.event, Removed) for one in old.event.students
        ]
        kept = {ticket: seat[1] for ticket, seat in found.items() if seat}
        differ = {
            kept[ticket]
            for ticket, student in WRITTEN["tickets"].items()
            if kept[ticket] != student
        }
        assert differ == set(erased)
        for name, value in WRITTEN["settings"].items():
            assert store.setting(name) == value


def test_the_class_is_the_same_when_it_is_rebuilt(database: str) -> None:
    expected = WRITTEN["board"]
    with open_store(database) as store:
        [row] = [row for row in store.classes() if row.name == "5b"]
        activity = catalogue.find(store, row.activity)
        assert activity is not None
        events = [one.event for one in store.events(row.id)]
    board = board_of(State.begin(activity).after_all(events), row.id)
    for name in ("phase", "round", "version", "counts", "groups"):
        assert board[name] == expected[name]
    # The estimates come from the present model, one per round as before.
    assert len(board["errors"]) == len(expected["errors"])
    kept = ("id", "name", "joined", "answers", "group")
    students = [{name: one[name] for name in kept} for one in board["students"]]
    assert students == expected["students"]
