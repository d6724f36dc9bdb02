"""Events, classes, tickets and retention, in both databases."""

from __future__ import annotations

import queue
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from homeroom.live.events import (
    Answered,
    Event,
    Joined,
    Left,
    Locked,
    Opened,
    Paused,
    PhaseBegan,
    Reseated,
)
from homeroom.live.refused import Refused
from homeroom.live.store import EventStore, Since, Stored, open_store
from homeroom.live.store.store import DAY, plain

OPENED = Opened("5b", "insects", "ABC234", retention_days=7)


def put(store: EventStore, class_id: str, event: Event) -> Stored:
    stored = store.append(class_id, event).result(60)
    assert stored is not None
    return stored


def test_the_first_event_of_a_class_is_opened(store: EventStore) -> None:
    class_id = store.create_class(OPENED)
    assert [(one.version, one.event) for one in store.events(class_id)] == [(1, OPENED)]
    row = store.find_class(class_id)
    assert row is not None
    assert (row.name, row.activity, row.code, row.version) == ("5b", "insects", "ABC234", 1)
    assert store.class_of_code("ABC234") == row
    assert store.classes() == [row]
    assert store.class_of_code("ZZZZZZ") is None
    assert store.find_class("nowhere") is None


def test_a_code_in_use_is_refused(store: EventStore) -> None:
    store.create_class(OPENED)
    with pytest.raises(Refused, match="The code ABC234 is in use: choose another one"):
        store.create_class(OPENED)
    assert len(store.classes()) == 1


def test_events_are_numbered_in_the_order_they_came(store: EventStore) -> None:
    class_id = store.create_class(OPENED)
    for event in (Paused(True), Paused(True), Left("s1")):
        put(store, class_id, event)
    assert [one.version for one in store.events(class_id)] == [1, 2, 3, 4]
    assert [one.event for one in store.events(class_id, after=2)] == [Paused(True), Left("s1")]
    assert store.version(class_id) == 4
    assert store.version("nowhere") == 0


def test_the_first_of_two_answers_counts(store: EventStore) -> None:
    class_id = store.create_class(OPENED)
    first = put(store, class_id, Answered("s1", 1, "moth", 1))
    again = put(store, class_id, Answered("s1", 1, "moth", -1))
    assert (first.new, again.new) == (True, False)
    assert again.event == Answered("s1", 1, "moth", 1)
    assert (again.version, again.at) == (first.version, first.at)
    assert store.version(class_id) == 2


def test_classes_do_not_share_events(store: EventStore) -> None:
    one = store.create_class(OPENED)
    other = store.create_class(Opened("5c", "insects", "XYZ234"))
    put(store, one, Answered("s1", 1, "moth", 1))
    assert put(store, other, Answered("s1", 1, "moth", 1)).new
    assert store.version(one) == store.version(other) == 2


def test_an_event_for_one_version_is_not_stored_at_another(store: EventStore) -> None:
    class_id = store.create_class(OPENED)
    assert store.append(class_id, Paused(True), if_version=0).result(60) is None
    assert store.append(class_id, Paused(True), if_version=1).result(60) is not None
    assert store.append(class_id, Paused(True), if_version=1).result(60) is None
    assert store.version(class_id) == 2


def test_an_event_of_an_unknown_class_is_refused_alone(
    store: EventStore,
) -> None:
    class_id = store.create_class(OPENED)
    futures = [
        store.append(class_id if number % 2 else "nowhere", Answered(f"s{number}", 1, "moth", 1))
        for number in range(6)
    ]
    for future in futures[::2]:
        with pytest.raises(Refused, match="There is no such class") as refused:
            future.result(60)
        assert refused.value.status == 404
    assert [future.result(60) is not None for future in futures[1::2]] == [True] * 3
    assert store.version(class_id) == 4


@pytest.mark.slow
def test_three_hundred_simultaneous_answers_are_stored_once_each(store: EventStore) -> None:
    class_id = store.create_class(OPENED)

    def answer(number: int) -> int:
        event = Answered(f"s{number % 300}", 1, "moth", 1)
        return put(store, class_id, event).version

    with ThreadPoolExecutor(16) as threads:
        versions = list(threads.map(answer, range(600)))  # each student twice
    assert versions[:300] == versions[300:] or sorted(set(versions)) == list(range(2, 302))
    stored = store.events(class_id, after=1)
    assert [one.version for one in stored] == list(range(2, 302))
    assert len({one.event for one in stored}) == 300


def test_listeners_are_called_for_every_class_that_changed(store: EventStore) -> None:
    heard: dict[str, int] = {}
    store.on_change(lambda class_id, version: heard.update({class_id: version}))
    class_id = store.create_class(OPENED)
    put(store, class_id, Paused(True))
    put(store, class_id, Answered("s1", 1, "moth", 1))
    put(store, class_id, Answered("s1", 1, "moth", 1))
    assert wait_for(lambda: heard == {class_id: 3}), heard
    store.delete_class(class_id)
    assert wait_for(lambda: heard == {class_id: 0}), heard


def wait_for(condition: object) -> bool:
    assert callable(condition)
    until = time.monotonic() + 60
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
    return bool(condition())


def test_a_failing_listener_does_not_stop_others(store: EventStore) -> None:
    def fails(class_id: str, version: int) -> None:
        raise RuntimeError("no ears")

    heard: list[int] = []
    store.on_change(fails)
    class_id = store.create_class(OPENED)
    put(store, class_id, Paused(True))
    store.on_change(lambda _, version: heard.append(version))
    put(store, class_id, Paused(False))
    put(store, class_id, Paused(True))
    assert store.version(class_id) == 4


def test_a_caller_who_stops_waiting_does_not_cancel_the_job(store: EventStore) -> None:
    class_id = store.create_class(OPENED)
    assert not store.append(class_id, Paused(True)).cancel()
    put(store, class_id, Paused(False))
    assert store.version(class_id) == 3


def test_a_student_is_found_by_the_hash_of_their_ticket(store: EventStore) -> None:
    class_id = store.create_class(OPENED)
    stored = store.add_student(class_id, Joined("s1", "Ada"), "hash of a ticket").result(60)
    assert stored is not None
    assert stored.event == Joined("s1", "Ada")
    assert store.student_of("hash of a ticket") == (class_id, "s1")
    assert store.student_of("another") is None


def test_another_ticket_of_a_student_adds_no_second_student(store: EventStore) -> None:
    class_id = store.create_class(OPENED)
    for ticket in ("one", "two"):
        store.add_student(class_id, Joined("s1", "Ada"), ticket).result(60)
    assert store.student_of("one") == store.student_of("two") == (class_id, "s1")
    assert store.version(class_id) == 2


def test_nothing_is_left_of_a_deleted_class(store: EventStore) -> None:
    class_id = store.create_class(OPENED)
    store.add_student(class_id, Joined("s1", "Ada"), "ticket").result(60)
    assert store.delete_class(class_id)
    assert not store.delete_class(class_id)
    assert store.classes() == []
    assert store.events(class_id) == []
    assert store.student_of("ticket") is None
    store.create_class(OPENED)  # its code is free again


def test_classes_are_purged_after_their_retention_time(store: EventStore) -> None:
    old = store.create_class(OPENED)
    kept = store.create_class(Opened("5c", "insects", "XYZ234", retention_days=30))
    now = time.time()
    assert [store.purge(now + days * DAY) for days in (5.9, 6.1, 6.9)] == [[], [], []]
    assert store.purge(now + 7.2 * DAY) == [old]
    assert [row.id for row in store.classes()] == [kept]
    assert store.delete_everything() == [kept]


def test_a_clock_that_is_wrong_for_less_than_a_day_deletes_nothing(store: EventStore) -> None:
    """A class must be found due twice, a day apart, by a clock that is not set back."""
    class_id, now = store.create_class(OPENED), time.time()
    a_year_on = now + 365 * DAY
    assert [store.purge(a_year_on + hours * DAY / 24) for hours in range(24)] == [[]] * 24
    assert store.purge(now + DAY) == []
    assert store.purge(a_year_on + 1.1 * DAY) == []  # the clock was right meanwhile
    put(store, class_id, Paused(True))
    assert store.purge(now + 2 * DAY) == []
    assert [row.id for row in store.classes()] == [class_id]


def test_after_months_without_a_check_a_class_is_deleted_at_the_second(
    store: EventStore,
) -> None:
    class_id, now = store.create_class(OPENED), time.time()
    assert store.purge(now + 60 * DAY) == []
    assert store.purge(now + 67 * DAY) == [class_id]


def test_a_class_that_is_kept_for_a_day_is_not_deleted_in_mid_lesson(store: EventStore) -> None:
    class_id = store.create_class(Opened("5c", "insects", "XYZ234", retention_days=1))
    now = time.time()
    assert store.purge(now + 0.01) == []
    later = EventStore(store._database, clock=lambda: now + 0.9 * DAY)
    put(later, class_id, Paused(True))
    assert store.purge(now + 365 * DAY) == []  # the clock jumps
    assert store.purge(now + DAY) == []
    assert store.purge(now + 2.1 * DAY) == [class_id]


def test_an_event_keeps_a_class_that_was_due(store: EventStore) -> None:
    class_id, now = store.create_class(OPENED), time.time()
    assert store.purge(now + 6.5 * DAY) == []
    later = EventStore(store._database, clock=lambda: now + 6.6 * DAY)
    put(later, class_id, Paused(True))
    assert store.purge(now + 8 * DAY) == []
    assert store.purge(now + 13 * DAY) == []
    assert store.purge(now + 14 * DAY) == [class_id]


def test_an_event_while_the_clock_is_behind_does_not_shorten_the_retention(
    store: EventStore,
) -> None:
    class_id, now = store.create_class(OPENED), time.time()
    behind = EventStore(store._database, clock=lambda: now - 60 * DAY)
    put(behind, class_id, Paused(True))
    assert behind.purge() == []
    assert [store.purge(now + days * DAY) for days in (0.1, 1.2, 6.5)] == [[]] * 3
    assert store.purge(now + 7.6 * DAY) == [class_id]


def test_an_event_while_the_clock_was_ahead_is_not_kept_for_ever(store: EventStore) -> None:
    class_id, now = store.create_class(OPENED), time.time()
    ahead = EventStore(store._database, clock=lambda: now + 9000 * DAY)
    put(ahead, class_id, Paused(True))
    put(store, class_id, Paused(False))
    assert [store.purge(now + days * DAY) for days in (0.1, 0.5, 1.2, 7.3)] == [[]] * 4
    assert store.purge(now + 8.4 * DAY) == [class_id]


def test_a_conflicting_event_stored_meanwhile_prevents_joining(
    store: EventStore,
) -> None:
    class_id = store.create_class(OPENED)
    put(store, class_id, Paused(True))
    since = Since(1, lambda event: isinstance(event, Locked))
    ada, ben = Joined("s1", "Ada"), Joined("s2", "Ben")
    assert store.add_student(class_id, ada, "ada", since=since).result(60) is not None
    put(store, class_id, Locked(True))
    assert store.add_student(class_id, ben, "ben", since=since).result(60) is None
    assert store.student_of("ben") is None
    again = store.add_student(class_id, ada, "ada", since=since).result(60)
    assert again is not None  # the same once more, as the database went away
    assert (again.new, store.version(class_id)) == (False, 4)


def test_a_seat_is_given_back_once_and_older_tickets_become_invalid(store: EventStore) -> None:
    class_id = store.create_class(OPENED)
    for ticket in ("one", "two"):
        store.add_student(class_id, Joined("s1", "Ada"), ticket).result(60)
    store.add_student(class_id, Joined("s2", "Ben"), "ben").result(60)
    store.offer_seat(class_id, "s1", "old code", 600)
    store.offer_seat(class_id, "s1", "code", 600)
    assert store.seat_offered("old code") is None
    assert store.seat_offered("code") == (class_id, "s1")
    taken = store.take_seat(class_id, Reseated("s1"), "code", "three").result(60)
    assert taken is not None
    assert taken.event == Reseated("s1")
    found = [store.student_of(ticket) for ticket in ("one", "two", "three", "ben")]
    assert found == [None, None, (class_id, "s1"), (class_id, "s2")]
    assert store.seat_offered("code") is None
    with pytest.raises(Refused, match="This code is not valid, or no longer valid"):
        store.take_seat(class_id, Reseated("s1"), "code", "four").result(60)
    assert store.student_of("three") == (class_id, "s1")
    assert store.version(class_id) == taken.version  # what was refused is not in the log


def test_a_seat_code_expires(store: EventStore) -> None:
    class_id = store.create_class(OPENED)
    store.offer_seat(class_id, "s1", "code", -1.0)
    assert store.seat_offered("code") is None
    store.offer_seat("no such class", "s1", "code", 600)
    assert store.seat_offered("code") is None
    store.offer_seat(class_id, "s1", "code", 600)
    store.delete_class(class_id)
    assert store.seat_offered("code") is None


def test_a_broadcast_reaches_every_listener(store: EventStore) -> None:
    heard: queue.SimpleQueue[str] = queue.SimpleQueue()
    store.on_message(heard.put)
    store.on_message(heard.put)
    store.broadcast("x" * 7000)
    assert [heard.get(timeout=60) for _ in range(2)] == ["x" * 7000] * 2


def test_everything_is_kept_when_the_store_is_opened_again(place: str) -> None:
    with open_store(place) as store:
        class_id = store.create_class(OPENED)
        put(store, class_id, PhaseBegan("pretest"))
        before = store.events(class_id)
    with open_store(place) as store:
        assert store.events(class_id) == before


def test_a_closed_store_accepts_no_events(place: str) -> None:
    store = open_store(place)
    class_id = store.create_class(OPENED)
    store.close()
    with pytest.raises(RuntimeError, match="The store is closed"):
        store.append(class_id, Paused(True))


def test_a_stored_event_is_plain_json() -> None:
    values = plain(Stored(Paused(True), 7, 12.5))
    assert values == {"version": 7, "at": 12.5, "kind": "paused", "paused": True}


@pytest.mark.parametrize("before", ["", "sqlite:///"], ids=["path", "address"])
def test_a_file_is_created_at_the_given_path(tmp_path: Path, before: str) -> None:
    path = tmp_path / "folder" / "school.db"
    with open_store(f"{before}{path}") as store:
        store.create_class(Opened("5b", "insects", "ABC234"))
    assert path.is_file()


def test_a_relative_address_is_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    open_store("sqlite:///school.db").close()
    assert (tmp_path / "school.db").is_file()


def test_a_store_in_memory_is_not_kept() -> None:
    with open_store(":memory:") as store:
        store.create_class(Opened("5b", "insects", "ABC234"))
    with open_store(":memory:") as store:
        assert store.classes() == []


def test_other_databases_are_refused() -> None:
    with pytest.raises(ValueError, match=r"A database is a file, .* but not mysql://: omit"):
        open_store("mysql://localhost/school")
