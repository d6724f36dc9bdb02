from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from homeroom.live.activities import insects
from homeroom.live.events import (
    Answered,
    Closed,
    CountdownBegan,
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
    TimerSet,
    Wrote,
)
from homeroom.live.exports import csv_of
from homeroom.live.live_class import LiveClass, rebuild, student_of
from homeroom.live.refused import Refused
from homeroom.live.store import EventStore, open_store
from tests.live.shown import board_of, view_of


@pytest.fixture
def store() -> Iterator[EventStore]:
    with open_store(":memory:") as opened:
        yield opened


class Notified:
    """Records the students who were notified."""

    def __init__(self) -> None:
        self.all: list[frozenset[str] | None] = []
        self.unseated: list[str] = []

    def __call__(
        self, _class_id: str, students: frozenset[str] | None, unseated: frozenset[str]
    ) -> None:
        self.all.append(students)
        self.unseated.extend(unseated)


def begun(store: EventStore, notified: Notified, code: str = "ABC234") -> LiveClass:
    class_id = store.create_class(Opened("5b", insects.ID, code))
    live = LiveClass(class_id, insects.activity(), store, notified)
    for event in (Joined("s1", "Ada"), Joined("s2", "Ben"), PhaseBegan("teach")):
        store.append(class_id, event).result()
    live.catch_up()
    return live


def test_a_class_reads_its_log_and_continues(store: EventStore) -> None:
    live = begun(store, Notified())
    now = live.state.now
    assert now is not None
    assert (now.number, store.version(live.id)) == (1, live.state.version)
    assert isinstance(store.events(live.id)[-1].event, RoundBegan)


def test_two_processes_reach_the_same_state(store: EventStore) -> None:
    one = begun(store, Notified())
    other = LiveClass(one.id, insects.activity(), store, Notified())
    other.catch_up()
    assert one.board() == other.board()
    assert len([s for s in store.events(one.id) if isinstance(s.event, RoundBegan)]) == 1


def test_codes_of_items_are_the_same_after_a_restart_and_different_in_every_class(
    store: EventStore,
) -> None:
    one, other = begun(store, Notified()), begun(store, Notified(), "XYZ234")
    again = LiveClass(one.id, insects.activity(), store, Notified())
    assert again.state.codes == one.state.codes
    assert not one.state.codes.item_of.keys() & other.state.codes.item_of.keys()


def test_answers_that_were_stored_under_the_ids_of_items_still_count(store: EventStore) -> None:
    """As version 0.1 wrote them, in a database that has no secret for codes yet."""
    class_id = store.create_class(Opened("5b", insects.ID, "ABC234"))
    events = (Joined("s1", "Ada"), PhaseBegan("teach"), RoundBegan(1, ("insect-130",)))
    for event in (*events, Answered("s1", 1, "insect-130", 1)):
        store.append(class_id, event).result()
    live = LiveClass(class_id, insects.activity(), store, Notified())
    live.catch_up()
    assert live.state.has_answer("s1", 1, "insect-130")
    view = view_of(live.state, "s1")
    assert view["progress"]["right"] == 1
    assert view["example"]["item"]["id"] == live.state.codes.code_of["insect-130"]
    stored = store.events(class_id)
    assert csv_of(live.state, stored).splitlines()[1].startswith("s1,Ada,teach,1,insect-130,")


def test_a_process_that_lost_a_race_accepts_the_choice_of_the_other(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process begins the round between reading the log and proposing one."""
    live = begun(store, Notified())
    for student in ("s1", "s2"):
        item = str(live.state.rounds[-1].items[0])
        store.append(live.id, Answered(student, 1, item, 1)).result()
    append, rival = store.append, RoundBegan(2, (str(insects.activity().items[0].id),), (None,))

    def raced(class_id: str, event: Event, **when: Any) -> object:
        monkeypatch.setattr(store, "append", append)
        append(class_id, rival, **when).result()
        return append(class_id, event, **when)

    monkeypatch.setattr(store, "append", raced)
    live.catch_up()
    now = live.state.now
    assert now is not None
    assert now.items == rival.items


def test_only_the_student_ofs_are_notified(store: EventStore) -> None:
    notified = Notified()
    live = begun(store, notified)
    assert notified.all == [None, None]  # the phase; the round
    item = str(live.state.rounds[-1].items[0])
    store.append(live.id, TimerSet(0.0)).result()
    live.catch_up()
    assert notified.all.pop() is None  # the timer
    store.append(live.id, Answered("s1", 1, item, 1)).result()
    live.catch_up()
    assert notified.all[2:] == [frozenset({"s1"})]
    live.catch_up()
    assert len(notified.all) == 3


def test_the_countdown_survives_a_restart_and_ends_the_round_once(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = begun(store, Notified())
    item = str(one.state.rounds[-1].items[0])
    store.append(one.id, Answered("s1", 1, item, 1)).result()
    one.catch_up()
    began = store.events(one.id)[-1]
    assert began.event == CountdownBegan(1, 20.0)
    other = LiveClass(one.id, insects.activity(), store, Notified())  # restarted, or a second one
    other.catch_up()
    for seconds, left in ((0.0, 20.0), (19.5, 0.5), (-100.0, 20.0)):
        monkeypatch.setattr("homeroom.live.live_class.time.time", lambda s=seconds: began.at + s)
        assert one.countdown_seconds_left() == pytest.approx(left)
        assert other.countdown_seconds_left() == pytest.approx(left)
    assert json.loads(one.projector())["seconds_left"] == 20
    assert one.catch_up().last_round == 1
    monkeypatch.setattr("homeroom.live.live_class.time.time", lambda: began.at + 20.1)
    append = store.append

    def raced(class_id: str, event: Event, **when: Any) -> object:
        monkeypatch.setattr(store, "append", append)
        other.catch_up()  # closes the round first
        return append(class_id, event, **when)

    monkeypatch.setattr(store, "append", raced)
    assert one.catch_up().last_round == 2
    assert other.catch_up().last_round == 2
    kinds = [type(stored.event) for stored in store.events(one.id)]
    assert kinds[-3:] == [CountdownBegan, Closed, RoundBegan]
    log = [stored.event for stored in store.events(one.id)]
    assert board_of(rebuild(store, one.id, log), one.id) == board_of(one.state, one.id)


def all_answer(live: LiveClass, store: EventStore) -> None:
    now = live.state.rounds[-1]
    for student in ("s1", "s2"):
        store.append(live.id, Answered(student, now.number, str(now.items[0]), 1)).result()


def test_the_solution_is_shown_together_with_the_next_item(store: EventStore) -> None:
    notified = Notified()
    live = begun(store, notified)
    all_answer(live, store)
    live.catch_up()
    assert notified.all[2:] == [frozenset({"s1", "s2"}), None]
    assert live.state.last_round == 2


def test_the_solution_is_shown_if_no_item_follows(store: EventStore) -> None:
    notified = Notified()
    live = begun(store, notified)
    all_answer(live, store)
    store.append(live.id, Paused(True)).result()
    live.catch_up()
    assert notified.all[2:] == [None]  # pausing is for all
    all_answer(again := begun(store, notified, "ABC235"), store)
    del notified.all[:]
    again.read()
    assert notified.all == [frozenset({"s1", "s2"})]
    store.delete_class(again.id)
    again.catch_up()
    assert notified.all[1:] == [None]


def test_the_solution_does_not_wait_long_for_the_next_item(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homeroom.live.live_class.SOLUTION_DELAY", 0.01)
    notified = Notified()
    live = begun(store, notified)
    all_answer(live, store)
    live.read()
    waiting = live._waiting
    assert waiting is not None
    waiting.join(60)
    assert notified.all[2:] == [frozenset({"s1", "s2"}), None]


def test_the_time_to_discuss_continues_after_a_restart(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    class_id = store.create_class(Opened("5b", insects.ID, "ABC234", reveal="all", discussion=60.0))
    live = LiveClass(class_id, insects.activity(), store, Notified())
    for event in (Joined("s1", "Ada"), PhaseBegan("teach")):
        store.append(class_id, event).result()
    live.catch_up()
    item = str(live.state.rounds[-1].items[0])
    shown = store.append(class_id, Answered("s1", 1, item, 1)).result()
    assert shown is not None
    for seconds, left in ((20.0, 40.0), (50.0, 10.0)):
        monkeypatch.setattr("homeroom.live.live_class.time.time", lambda s=seconds: shown.at + s)
        live.catch_up()
        again = LiveClass(class_id, insects.activity(), store, Notified())
        again.catch_up()
        assert live.discussion_seconds_left() == pytest.approx(left)
        assert again.discussion_seconds_left() == pytest.approx(left)
        assert again.state.last_round == 1
    monkeypatch.setattr("homeroom.live.live_class.time.time", lambda: shown.at + 60.5)
    again.catch_up()
    assert again.state.last_round == 2
    assert again.discussion_seconds_left() == 0.0


def test_a_deleted_class_does_not_change(store: EventStore) -> None:
    live = begun(store, Notified())
    before = live.state.version
    item = str(live.state.rounds[-1].items[0])
    for student in ("s1", "s2"):
        store.append(live.id, Answered(student, 1, item, 1)).result()
    live.read()
    store.delete_class(live.id)
    assert live.catch_up().version == before + 2


def test_a_class_that_was_just_deleted_is_not_rebuild(store: EventStore) -> None:
    with pytest.raises(Refused, match="There is no such class"):
        rebuild(store, "gone", [])


def test_a_board_is_computed_once_per_version(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = begun(store, Notified())
    first = live.board()
    assert json.loads(first)["version"] == live.state.version
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
def test_the_student_whom_an_event_affects(event: Event, student: str | None) -> None:
    assert student_of(event) == student


def test_students_with_revoked_tickets_are_reported(store: EventStore) -> None:
    notified = Notified()
    live = begun(store, notified)
    for event in (Reseated("s1"), Removed(("s2",))):
        store.append(live.id, event).result()
        live.catch_up()
    assert notified.unseated[0] == "s1"
    assert "s2" in notified.unseated[1:]  # and the id that the log has now
    assert notified.all[-2:] == [frozenset({"s1"}), None]
