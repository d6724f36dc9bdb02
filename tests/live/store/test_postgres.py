"""Several processes and hosts on one database, which may be down for a while."""

from __future__ import annotations

import builtins
import queue
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from homeroom.live.events import Answered, Joined, Opened, Reseated, RoundBegan
from homeroom.live.refused import Refused
from homeroom.live.store import EventStore, open_store
from homeroom.live.store.postgres import CHANGES, MESSAGES, PostgresDatabase
from homeroom.live.store.store import DAY
from tests.live.postgres import own_postgres


def answers(store: EventStore, class_id: str, numbers: range) -> list[int]:
    futures = [store.append(class_id, Answered(f"s{one}", 1, "moth", 1)) for one in numbers]
    stored = [future.result(120) for future in futures]
    return [one.version for one in stored if one is not None]


@pytest.mark.slow
def test_two_processes_share_a_class(new_database: str) -> None:
    with open_store(new_database) as one, open_store(new_database) as other:
        heard: list[tuple[str, int]] = []
        other.on_change(lambda class_id, version: heard.append((class_id, version)))
        class_id = one.create_class(Opened("5b", "insects", "ABC234"))
        with ThreadPoolExecutor(2) as threads:
            both = list(
                threads.map(lambda store: answers(store, class_id, range(50)), (one, other))
            )
        assert sorted({*both[0], *both[1]}) == list(range(2, 52))
        assert one.events(class_id) == other.events(class_id)
        until = time.monotonic() + 60
        while (class_id, 51) not in heard and time.monotonic() < until:
            time.sleep(0.01)
        assert (class_id, 51) in heard


def test_only_one_of_two_processes_begins_the_round(new_database: str) -> None:
    with open_store(new_database) as one, open_store(new_database) as other:
        class_id = one.create_class(Opened("5b", "insects", "ABC234"))
        begun = [
            store.append(class_id, RoundBegan(1, (item,)), if_version=1)
            for store, item in ((one, "moth"), (other, "wasp"))
        ]
        won = [future.result(60) for future in begun]
        assert sorted(stored is None for stored in won) == [False, True]
        assert len(one.events(class_id)) == 2


def test_unknown_messages_do_not_stop_a_listener(
    new_database: str, caplog: pytest.LogCaptureFixture
) -> None:
    import psycopg

    heard: queue.SimpleQueue[tuple[str, int]] = queue.SimpleQueue()
    with open_store(new_database) as store, psycopg.connect(new_database) as stranger:
        store.on_change(lambda class_id, version: heard.put((class_id, version)))
        for channel in (CHANGES, MESSAGES):
            for message in ("", "hello", "c1 x", "c1 " + "9" * 5000):
                stranger.execute("SELECT pg_notify(%s, %s)", (channel, message))
        stranger.commit()
        class_id = store.create_class(Opened("5b", "insects", "ABC234"))
        assert heard.get(timeout=60) == (class_id, 1)
    assert "A listener failed" in caplog.text


def test_of_two_processes_only_one_gives_a_seat_back(new_database: str) -> None:
    with open_store(new_database) as one, open_store(new_database) as other:
        class_id = one.create_class(Opened("5b", "insects", "ABC234"))
        one.add_student(class_id, Joined("s1", "Ada"), "lost").result(60)
        one.offer_seat(class_id, "s1", "code", 600)
        taken = [
            store.take_seat(class_id, Reseated("s1"), "code", ticket)
            for store, ticket in ((one, "first"), (other, "second"))
        ]
        refused = [future.exception(60) for future in taken]
        assert [type(why) for why in refused if why is not None] == [Refused]
        found = [other.student_of(ticket) for ticket in ("lost", "first", "second")]
        assert sorted(found, key=str) == [(class_id, "s1"), None, None]
        assert one.version(class_id) == 3


def test_two_processes_can_purge_at_once(new_database: str) -> None:
    with open_store(new_database) as one, open_store(new_database) as other:
        ids = [one.create_class(Opened("5b", "insects", f"ABC{n}")) for n in range(20)]
        now = time.time()
        with ThreadPoolExecutor(2) as threads:
            for days, due in ((29.5, []), (30.6, ids)):
                at = now + days * DAY
                gone = list(threads.map(lambda store, at=at: store.purge(at), (one, other)))
                assert sorted(gone[0] + gone[1]) == sorted(due)


@pytest.mark.slow
def test_a_restart_under_load_loses_no_acknowledged_answer() -> None:
    with own_postgres() as server:
        _restart_in_mid_load(server)


def _restart_in_mid_load(server: Any) -> None:
    heard: dict[str, int] = {}
    with open_store(server.get_uri()) as store:
        store.on_change(lambda class_id, version: heard.update({class_id: version}))
        class_id = store.create_class(Opened("5b", "insects", "ABC234"))
        with ThreadPoolExecutor(1) as thread:
            load = thread.submit(answers, store, class_id, range(400))
            time.sleep(0.1)
            server.stop()
            server.start()
            versions = load.result(180)
        assert sorted(versions) == list(range(2, 402))
        assert [one.version for one in store.events(class_id)] == list(range(1, 402))
        until = time.monotonic() + 60
        while heard.get(class_id) != 401 and time.monotonic() < until:
            time.sleep(0.05)
        assert heard[class_id] == 401


def test_a_newer_database_is_refused_and_its_connection_closed(
    new_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = PostgresDatabase(new_database)
    database.write(lambda cursor: cursor.run("INSERT INTO schema_version VALUES (99)")).result(60)
    database.close()
    made: list[Any] = []
    connect = PostgresDatabase._connect

    def noted(self: PostgresDatabase) -> Any:
        made.append(connect(self))
        return made[-1]

    monkeypatch.setattr(PostgresDatabase, "_connect", noted)
    with pytest.raises(ValueError, match="has version 99, but this homeroom knows up to"):
        PostgresDatabase(new_database)
    assert [connection.closed for connection in made] == [True]


def test_a_missing_database_is_refused() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(ValueError, match=r"The database cannot be opened: .+\."):
        PostgresDatabase("postgresql://missing@127.0.0.1:1/nothing")


def test_a_missing_psycopg_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    really = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name == "psycopg":
            raise ImportError(name)
        return really(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ValueError, match=r"pip install 'homeroom\[live,postgres\]'"):
        open_store("postgresql://localhost/homeroom")
