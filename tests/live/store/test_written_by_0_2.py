"""A database that homeroom 0.2 wrote, with a class on an activity that is no longer offered."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from homeroom.live.activities import catalogue
from homeroom.live.classbook.proposals import choose
from homeroom.live.classbook.state import State
from homeroom.live.live_class import LiveClass
from homeroom.live.store import EventStore, open_store
from homeroom.live.store.store import plain
from tests.live.shown import board_of, view_of

OLD = Path(__file__).parents[2] / "data" / "0.2"
WRITTEN: dict[str, Any] = json.loads((OLD / "classroom.json").read_text("utf-8"))
ESTIMATES = {"reason", "knows", "low", "high"}
"""What comes from the present model of the class, not from the log."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    """A copy of the database."""
    with open_store(str(shutil.copy(OLD / "classroom.db", tmp_path / "classroom.db"))) as opened:
        yield opened


@pytest.fixture
def state(store: EventStore) -> State:
    """The class on eight species of insects, rebuilt from its log."""
    [row] = store.classes()
    activity = catalogue.find(store, row.activity)
    assert activity is not None
    live = LiveClass(row.id, activity, store, lambda *_: None)
    live.read()
    return live.state


def recorded(value: Any) -> Any:
    """Return JSON values without estimates."""
    if isinstance(value, dict):
        return {name: recorded(part) for name, part in value.items() if name not in ESTIMATES}
    return [recorded(part) for part in value] if isinstance(value, list | tuple) else value


def test_every_event_is_kept(store: EventStore) -> None:
    [row] = store.classes()
    assert json.loads(json.dumps([plain(one) for one in store.events(row.id)])) == WRITTEN["events"]


def test_the_teacher_and_the_student_see_the_same_items(state: State) -> None:
    board = json.loads(json.dumps(board_of(state)))
    for name in ("activity_name", "phase", "round", "version", "counts", "items", "last"):
        assert recorded(board[name]) == recorded(WRITTEN["board"][name])
    seen = [(one["name"], one["answers"]) for one in board["students"]]
    assert seen == [(one["name"], one["answers"]) for one in WRITTEN["board"]["students"]]
    view = json.loads(json.dumps(view_of(state, "s1")))
    for name in ("item", "example", "feedback", "answered", "left"):
        assert view[name] == WRITTEN["view"][name]


def test_the_lesson_continues_with_items_of_the_old_activity(state: State) -> None:
    assert choose(state, 0).item in state.activity.item_of


def test_every_item_has_its_picture_which_does_not_name_the_species(store: EventStore) -> None:
    for item in WRITTEN["board"]["items"]:
        drawn = catalogue.picture(store, "insects-8", item["id"])
        assert drawn is not None
        assert drawn.media == "image/svg+xml"
        assert b"moth" not in drawn.data
        assert b"fly" not in drawn.data
    assert catalogue.picture(store, "insects-8", "insect-999") is None


def test_the_activity_is_not_offered_to_new_classes(store: EventStore) -> None:
    assert "insects-8" not in {one.id for one in catalogue.listed(store)}
