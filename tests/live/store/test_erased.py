"""Students who were removed: nothing of them is left, and the class is rebuilt the same."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from homeroom.live.activities import insects
from homeroom.live.backup import ID, back_up, restore
from homeroom.live.classbook.proposals import propose
from homeroom.live.classbook.rounds import Round
from homeroom.live.classbook.state import State
from homeroom.live.events import (
    Answered,
    Consented,
    Enrolled,
    Event,
    Focused,
    Joined,
    Left,
    MapDrawn,
    Opened,
    PhaseBegan,
    Regrouped,
    Removed,
    Reseated,
    Returned,
    RoundBegan,
    SignedOut,
    Wrote,
    key_of,
    students_of,
    to_json,
    without_identity,
)
from homeroom.live.ids import anonymous_id, new_id
from homeroom.live.live_class import LiveClass, rebuild
from homeroom.live.refused import Refused
from homeroom.live.settings import Hashing, ServerSettings
from homeroom.live.store import EventStore, open_store
from homeroom.live.store.store import ERASED
from tests.live.shown import board_of, view_of

NAME = "Persephone Zagreus"
INK = 0.123456789
GONE = "b" * 16
STAYS = ("a" * 16, "c" * 16)


def found_in(folder: Path, *texts: str) -> list[str]:
    """Return the files of a folder in which one of some texts is left."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    return [file.name for file in files if any(one.encode() in file.read_bytes() for one in texts)]


def append(store: EventStore, class_id: str, *events: Event) -> None:
    for event in events:
        store.append(class_id, event).result()


def answer(store: EventStore, live: LiveClass, students: tuple[str, ...], value: int) -> None:
    """Let students answer what they are asked, all their items of a test."""
    now = live.catch_up().now
    assert now is not None
    for student in students:
        for item in now.open_items(student):
            append(store, live.id, Answered(student, now.number, item, value, 2.5))
    live.catch_up()


def taught(store: EventStore) -> LiveClass:
    """Return a class with a test and a lesson in which each student did something."""
    class_id = store.create_class(Opened("5b", insects.ID, "ABC234", timer=0.0))
    live = LiveClass(class_id, insects.activity(), store, lambda *_: None)
    first, last = STAYS
    append(store, class_id, Enrolled(GONE, NAME), Joined(first, "Ada"), Joined(GONE, NAME))
    append(store, class_id, Joined(last, "Cem"), Left(GONE), Returned(GONE), Reseated(GONE))
    append(store, class_id, PhaseBegan("pretest"))
    answer(store, live, (first, GONE, last), 1)
    append(store, class_id, PhaseBegan("teach"))
    for value in (1, -1, 1):
        answer(store, live, (first, GONE, last), value)
    append(store, class_id, Regrouped("by-rate", {first: 0, GONE: 1, last: 0}))
    append(store, class_id, Focused((first, GONE)), SignedOut((GONE,)))
    append(store, class_id, Wrote(GONE, 1, (({"x": INK, "y": 0.0, "t": 0.0},),), {"shakiness": 1}))
    live.catch_up()
    return live


def shown(state: State) -> Any:
    """Return all that the pages show, the beliefs, and what the class does next."""
    proposed = propose(state)
    beliefs = state.beliefs_about_all
    return (
        board_of(state),
        [view_of(state, student) for student in STAYS],
        None if proposed is None else to_json(proposed),
        None if beliefs is None else beliefs.students,
        None if beliefs is None else beliefs.memory.belief.means.tobytes(),
        None if beliefs is None else beliefs.memory.belief.covariances.tobytes(),
        state.errors,
    )


def events_of(store: EventStore, class_id: str) -> list[Event]:
    return [one.event for one in store.events(class_id)]


def test_a_removed_student_is_erased_and_the_class_is_the_same(
    store: EventStore, tmp_path: Path
) -> None:
    live = taught(store)
    other = LiveClass(live.id, insects.activity(), store, lambda *_: None)
    other.catch_up()
    expected = shown(live.state.after(Removed((GONE,))))
    log = events_of(store, live.id)

    store.remove(live.id, Removed((GONE,))).result()
    store.erase_deleted()
    for one in (live, other):  # in memory, in this process and in another one
        assert shown(one.catch_up()) == expected
    again = LiveClass(live.id, insects.activity(), store, lambda *_: None)
    assert shown(again.catch_up()) == expected
    erased = events_of(store, live.id)
    removed = erased[len(log)]
    assert isinstance(removed, Removed)
    [anonymous] = removed.students
    assert [without_identity(event, {GONE: anonymous}) for event in log] == erased[: len(log)]
    assert not any(GONE in students_of(event) for event in erased)
    assert all(key_of(event) is None or GONE not in str(key_of(event)) for event in erased)

    back_up(store, tmp_path / "backup.db")
    rows = str(store._database.read("SELECT token, body FROM events"))
    assert not any(text in rows for text in (NAME, str(INK), GONE))
    assert found_in(tmp_path, NAME, str(INK), GONE) == []


def test_a_backup_that_is_being_written_does_not_keep_the_name(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "school.db")) as store, ThreadPoolExecutor() as pool:
        live = taught(store)
        with store.snapshot() as reading:
            reading.run("SELECT COUNT(*) FROM events")
            store.remove(live.id, Removed((GONE,))).result()
            erasing = pool.submit(store.erase_deleted)
            with pytest.raises(TimeoutError):
                erasing.result(0.5)
        erasing.result(20)
        assert found_in(tmp_path, NAME, str(INK), GONE) == []


def test_a_process_that_missed_answers_rebuilds_the_class(store: EventStore) -> None:
    """Another process stored answers of the student, and then the removal."""
    live = taught(store)
    behind = LiveClass(live.id, insects.activity(), store, lambda *_: None)
    behind.catch_up()
    append(store, live.id, Returned(GONE), Focused((*STAYS, GONE)))
    answer(store, live, (*STAYS, GONE), 1)
    store.remove(live.id, Removed((GONE,))).result()
    assert shown(behind.catch_up()) == shown(live.catch_up())
    assert shown(rebuild(store, live.id, events_of(store, live.id))) == shown(live.state)


def test_nothing_of_a_removed_student_is_stored_afterwards(store: EventStore) -> None:
    live = taught(store)
    item = str(live.state.rounds[-1].items[0])
    late = Answered(GONE, live.state.last_round, item, 1)
    store.remove(live.id, Removed((GONE,))).result()
    with pytest.raises(Refused) as refused:
        store.append(live.id, late, student=GONE).result()
    assert refused.value.code == "removed"
    store.offer_seat(live.id, GONE, "code", 60.0)
    with pytest.raises(Refused):
        store.take_seat(live.id, Reseated(GONE), "code", "ticket").result()
    assert not any(GONE in students_of(event) for event in events_of(store, live.id))


def as_0_2(store: EventStore) -> str:
    """Remove a student as version 0.2 did; return the class."""
    live = taught(store)
    store._append(live.id, Removed((GONE,))).result()
    store._database.write(
        lambda cursor: cursor.run("DELETE FROM settings WHERE name = ?", (ERASED,))
    ).result()
    return live.id


def test_students_whom_0_2_removed_are_erased_when_the_database_is_opened(
    place: str, tmp_path: Path
) -> None:
    with open_store(place) as store:
        class_id = as_0_2(store)
        expected = shown(rebuild(store, class_id, events_of(store, class_id)))
        assert any(GONE in students_of(event) for event in events_of(store, class_id))
    for _ in range(2):
        with open_store(place) as store:
            log = events_of(store, class_id)
            assert not any(GONE in students_of(event) for event in log)
            assert shown(rebuild(store, class_id, log)) == expected
            assert found_in(tmp_path, NAME, str(INK), GONE) == []
    assert log == events_of_closed(place, class_id)  # they are erased once


def events_of_closed(place: str, class_id: str) -> list[Event]:
    with open_store(place) as store:
        return events_of(store, class_id)


def test_a_backup_of_a_database_of_0_2_has_no_removed_student(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    place = str(old / "school.db")
    with open_store(place) as store:
        class_id = as_0_2(store)
        expected = shown(rebuild(store, class_id, events_of(store, class_id)))
    assert found_in(old, NAME) == ["school.db"]
    back_up(place, new / "backup.db")
    assert found_in(old, NAME) == ["school.db"]  # unchanged
    assert found_in(new, NAME, str(INK), GONE) == []
    shutil.copy(place, tmp_path / "older.db")
    for file in (new / "backup.db", tmp_path / "older.db"):
        with open_store(":memory:") as store:
            restore(store, file)
            log = events_of(store, class_id)[:-1]  # without the signing out
            assert not any(GONE in students_of(event) for event in log)
            board, *_ = shown(rebuild(store, class_id, log))
            assert board == expected[0]


def test_the_new_id_has_the_same_items_in_a_test() -> None:
    items = tuple(f"item {number}" for number in range(41))
    for _ in range(50):
        old = new_id()
        new = anonymous_id(old)
        asked = [
            Round(0, "pretest", items, members={one: 0}, each=7).items_of(one) for one in (old, new)
        ]
        assert asked[0] == asked[1]
        assert new != old
        assert ID.fullmatch(new)


@pytest.mark.parametrize(
    "event",
    [
        Opened("5b", "insects", "A"),
        Consented("s2", True),
        RoundBegan(1, ("x",)),
        MapDrawn({"x": (0.0,)}, (1.0, 0.0)),
    ],
    ids=lambda event: type(event).__name__,
)
def test_events_of_others_stay(event: Event) -> None:
    assert without_identity(event, {"s1": "s9"}) is event


def test_the_server_erases_whom_the_teacher_removes(opened: Any, tmp_path: Path) -> None:
    place = tmp_path / "school.db"
    live = opened(ServerSettings(database=str(place), hashing=Hashing(1, 8, 1)))
    live.sign_in()
    class_id, code = live.make_class("letter-f")
    stays, goes = live.join(code, "Ada"), live.join(code, NAME)
    live.act(class_id, "phase", phase="teach").raise_for_status()
    for student in (stays, goes):
        strokes = student.view["writing"]["model"]
        for stroke in strokes:
            stroke[0]["y"] += INK if student is goes else 0.0
        ink = str(strokes[0][0]["y"])
        body = {"round": 1, "strokes": strokes}
        student.browser.post("/api/ink", json=body).raise_for_status()
    assert found_in(tmp_path, NAME)
    assert found_in(tmp_path, ink)
    live.teacher.get("/api/classes")  # the list remembers how many students there are
    live.act(class_id, "remove", students=[goes.id]).raise_for_status()
    assert found_in(tmp_path, NAME, ink, goes.id) == []
    assert goes.browser.get("/api/me").json()["code"] == "removed"
    [line] = live.teacher.get("/api/classes").json()["classes"]
    assert line["students"] == 1
    for what in ("export.csv", "export.json", "export.inkml", "export.xapi.jsonl", "history"):
        text = live.teacher.get(f"/api/classes/{class_id}/{what}").raise_for_status().text
        assert not any(one in text for one in (NAME, ink, goes.id))
    backup = live.teacher.get("/api/backup").raise_for_status().content
    assert not any(one.encode() in backup for one in (NAME, ink, goes.id))
    again = live.join(code, NAME)  # the name is free
    assert again.id != goes.id
    assert stays.view["nickname"] == "Ada"
