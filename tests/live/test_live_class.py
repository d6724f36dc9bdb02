from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from homeroom.live.activities import insects
from homeroom.live.events import (
    Answered,
    Enrolled,
    Event,
    Joined,
    Left,
    Opened,
    Paused,
    PhaseBegan,
    Removed,
    Reseated,
    Returned,
    RoundBegan,
    Wrote,
)
from homeroom.live.exports import csv_of
from homeroom.live.live_class import LiveClass, affected_student
from homeroom.live.store import EventStore, open_store


@pytest.fixture
def store() -> Iterator[EventStore]:
    with open_store(":memory:") as opened:
        yield opened


class Told:
    """Remembers who was told."""

    def __init__(self) -> None:
        self.all: list[frozenset[str] | None] = []
        self.unseated: list[str] = []

    def __call__(
        self, _class_id: str, students: frozenset[str] | None, unseated: frozenset[str]
    ) -> None:
        self.all.append(students)
        self.unseated.extend(unseated)


def begun(store: EventStore, told: Told, code: str = "ABC234") -> LiveClass:
    class_id = store.create_class(Opened("5b", insects.ID, code))
    live = LiveClass(class_id, insects.activity(), store, told)
    for event in (Joined("s1", "Ada"), Joined("s2", "Ben"), PhaseBegan("teach")):
        store.append(class_id, event).result()
    live.catch_up()
    return live


def test_a_class_takes_in_its_log_and_goes_on(store: EventStore) -> None:
    live = begun(store, Told())
    now = live.book.state.now
    assert now is not None
    assert (now.number, store.version(live.id)) == (1, live.book.version)
    assert isinstance(store.events(live.id)[-1].event, RoundBegan)


def test_two_processes_come_to_the_same(store: EventStore) -> None:
    one = begun(store, Told())
    other = LiveClass(one.id, insects.activity(), store, Told())
    other.catch_up()
    assert one.board() == other.board()
    assert len([s for s in store.events(one.id) if isinstance(s.event, RoundBegan)]) == 1


def test_codes_of_items_are_the_same_after_a_restart_and_different_in_every_class(
    store: EventStore,
) -> None:
    one, other = begun(store, Told()), begun(store, Told(), "XYZ234")
    again = LiveClass(one.id, insects.activity(), store, Told())
    assert again.book.state.codes == one.book.state.codes
    assert not one.book.state.codes.item_of.keys() & other.book.state.codes.item_of.keys()


def test_answers_that_were_stored_under_the_ids_of_items_still_count(store: EventStore) -> None:
    """As version 0.1 wrote them, in a database that has no secret for codes yet."""
    class_id = store.create_class(Opened("5b", insects.ID, "ABC234"))
    events = (Joined("s1", "Ada"), PhaseBegan("teach"), RoundBegan(1, ("insect-130",)))
    for event in (*events, Answered("s1", 1, "insect-130", 1)):
        store.append(class_id, event).result()
    live = LiveClass(class_id, insects.activity(), store, Told())
    live.catch_up()
    assert live.book.heard("s1", 1, "insect-130")
    view = live.book.view("s1")
    assert view["progress"]["right"] == 1
    assert view["example"]["item"]["id"] == live.book.state.codes.code_of["insect-130"]
    stored = store.events(class_id)
    assert csv_of(live.book, stored).splitlines()[1].startswith("s1,Ada,teach,1,insect-130,")


def test_who_lost_a_race_takes_what_the_other_chose(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process begins the round between our look and our proposal."""
    live = begun(store, Told())
    for student in ("s1", "s2"):
        item = str(live.book.state.rounds[-1].items[0])
        store.append(live.id, Answered(student, 1, item, 1)).result()
    append, rival = store.append, RoundBegan(2, (str(insects.activity().items[0].id),), (None,))

    def raced(class_id: str, event: Event, *, if_version: int | None = None) -> object:
        monkeypatch.setattr(store, "append", append)
        append(class_id, rival, if_version=if_version).result()
        return append(class_id, event, if_version=if_version)

    monkeypatch.setattr(store, "append", raced)
    live.catch_up()
    now = live.book.state.now
    assert now is not None
    assert now.items == rival.items


def test_only_those_concerned_are_told(store: EventStore) -> None:
    told = Told()
    live = begun(store, told)
    assert told.all == [None, None]  # the phase; the round
    item = str(live.book.state.rounds[-1].items[0])
    store.append(live.id, Answered("s1", 1, item, 1)).result()
    live.catch_up()
    assert told.all[2:] == [frozenset({"s1"})]
    live.catch_up()
    assert len(told.all) == 3


def test_a_class_that_was_deleted_stands_still(store: EventStore) -> None:
    live = begun(store, Told())
    before = live.book.version
    item = str(live.book.state.rounds[-1].items[0])
    for student in ("s1", "s2"):
        store.append(live.id, Answered(student, 1, item, 1)).result()
    live.read()
    store.delete_class(live.id)
    assert live.catch_up().version == before + 2


def test_a_board_is_drawn_once_for_each_version(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = begun(store, Told())
    first = live.board()
    assert json.loads(first)["version"] == live.book.version
    assert live.board() is first
    store.append(live.id, Paused(True)).result()
    live.catch_up()
    assert json.loads(live.board())["paused"]


@pytest.mark.parametrize(
    ("event", "student"),
    [
        (Answered("s1", 1, "x", 1), "s1"),
        (Enrolled("s1", "Ada"), "s1"),
        (Joined("s1", "Ada"), "s1"),
        (Left("s1"), "s1"),
        (Returned("s1"), "s1"),
        (Wrote("s1", 1, (), {}), "s1"),
        (PhaseBegan("teach"), None),
        (RoundBegan(1, ("x",)), None),
    ],
)
def test_whom_an_event_concerns(event: Event, student: str | None) -> None:
    assert affected_student(event) == student


def test_whose_pages_do_not_count_any_more_is_told(store: EventStore) -> None:
    told = Told()
    live = begun(store, told)
    for event in (Reseated("s1"), Removed(("s2",))):
        store.append(live.id, event).result()
        live.catch_up()
    assert told.unseated == ["s1", "s2"]
    assert told.all[-2:] == [frozenset({"s1"}), None]
