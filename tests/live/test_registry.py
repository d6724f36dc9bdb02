"""Classes that are open in a process, and their summaries."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import closing
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from homeroom.live import events, hub
from homeroom.live import registry as registry_module
from homeroom.live.activities import insects
from homeroom.live.classbook.state import State
from homeroom.live.events import (
    Answered,
    Enrolled,
    Event,
    Finished,
    Joined,
    Left,
    Locked,
    Opened,
    Paused,
    PhaseBegan,
    Removed,
    RoundBegan,
)
from homeroom.live.hub import OpenPage, Seat
from homeroom.live.live_class import LiveClass
from homeroom.live.refused import Refused
from homeroom.live.registry import ClassRegistry, ClassSummary
from homeroom.live.store import ClassRow, open_store

Lesson = Callable[[ClassRegistry], Awaitable[None]]


def in_registry(lesson: Lesson, database: str = ":memory:") -> None:
    """Run a lesson in a registry, and close it."""

    async def run() -> None:
        with open_store(database) as store:
            registry = ClassRegistry(store)
            try:
                await asyncio.wait_for(lesson(registry), 120)
            finally:
                await registry.close()

    asyncio.run(run())


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let registries receive no changes: they know only what they read."""
    monkeypatch.setattr(ClassRegistry, "_on_change", lambda *_: None)


def test_a_class_continues_when_all_have_answered() -> None:
    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        seats = [(await registry.join(class_id, name)).seat for name in ("Ada", "Ben")]
        await registry.act(class_id, PhaseBegan("teach"))
        live = await registry.find(class_id)
        item = str(live.state.rounds[-1].items[0])
        for seat in seats:
            await registry.answer(seat, 1, item, 1)
        while live.state.last_round == 1:  # by itself
            await asyncio.sleep(0.01)

    in_registry(lesson)


def test_the_next_round_is_prepared_once_while_students_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prepared: list[int] = []

    def prepare(state: State) -> None:
        prepared.append(state.last_round)
        raise ArithmeticError("not now")  # the class continues all the same

    monkeypatch.setattr(State, "prepare", prepare)

    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        seats = [(await registry.join(class_id, name)).seat for name in ("Ada", "Ben")]
        await registry.act(class_id, PhaseBegan("teach"))
        live = await registry.find(class_id)
        for number in (1, 2):
            item = str(live.state.rounds[-1].items[0])
            for seat in seats:
                await registry.answer(seat, number, item, 1)
            while live.state.last_round == number:
                await asyncio.sleep(0.01)

    in_registry(lesson)
    assert prepared[:2] == [1, 2]
    assert len(prepared) == len(set(prepared))


def test_a_class_is_opened_once_for_many_callers() -> None:
    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        found = await asyncio.gather(*(registry.find(class_id) for _ in range(10)))
        assert len({id(live) for live in found}) == 1

    in_registry(lesson)


def test_an_unknown_class_is_not_found() -> None:
    async def lesson(registry: ClassRegistry) -> None:
        for _ in range(2):
            with pytest.raises(Refused, match="There is no such class"):
                await registry.find("0" * 16)
        with pytest.raises(Refused, match="There is no such activity"):
            await registry.create("5b", "nothing")

    in_registry(lesson)


def test_a_code_in_use_is_not_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = iter(["AAAAAA", "AAAAAA", "BBBBBB"])
    monkeypatch.setattr(registry_module, "new_code", lambda: next(codes))

    async def lesson(registry: ClassRegistry) -> None:
        assert (await registry.create("5b", insects.ID))[1] == "AAAAAA"
        assert (await registry.create("6a", insects.ID))[1] == "BBBBBB"

    in_registry(lesson)


def test_only_one_of_several_simultaneous_students_gets_a_name() -> None:
    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        came = await asyncio.gather(
            *(registry.join(class_id, "Ada") for _ in range(5)), return_exceptions=True
        )
        refused = [one for one in came if isinstance(one, Refused)]
        assert len(refused) == 4
        assert "already called Ada" in str(refused[0])

    in_registry(lesson)


def test_students_who_join_at_the_same_moment_do_not_exceed_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(events, "MOST_STUDENTS", 3)

    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        came = await asyncio.gather(
            *(registry.join(class_id, f"Ada {number}") for number in range(6)),
            return_exceptions=True,
        )
        assert sum(isinstance(one, Refused) for one in came) == 3
        assert len((await registry.find(class_id)).state.people) == 3

    in_registry(lesson)


@pytest.mark.parametrize(
    ("elsewhere", "match"),
    [
        (Locked(True), "class is locked"),
        (Joined("s9", "ADA"), "A student of this class is already called Ada"),
        (Joined("r1", "Ada"), "A student of this class is already called Ada"),
    ],
)
def test_joining_respects_events_of_another_process(
    deaf: None, elsewhere: Event, match: str
) -> None:
    """This process has not received it yet: it is noticed when the student is stored."""

    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        if elsewhere == Joined("r1", "Ada"):
            await registry.act(class_id, Enrolled("r1", "Ada"))
        live = await registry.find(class_id)
        registry.store.append(class_id, elsewhere).result()
        before = registry.store.version(class_id)
        with pytest.raises(Refused, match=match):
            await registry.join(class_id, "Ada")
        assert registry.store.version(class_id) == live.state.version == before
        seat = (await registry.join(class_id, "Ada 2")).seat if elsewhere != Locked(True) else None
        assert seat is None or seat.student in live.state.people

    in_registry(lesson)


def test_a_student_enrolled_by_another_process_gets_that_seat(deaf: None) -> None:
    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        await registry.find(class_id)
        registry.store.append(class_id, Enrolled("r1", "Ada")).result()
        assert (await registry.join(class_id, "ada")).seat.student == "r1"

    in_registry(lesson)


def test_an_answer_to_a_round_of_another_process_is_accepted(deaf: None) -> None:
    """This process has not received the round yet: it reads the log before it refuses."""

    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        seat = (await registry.join(class_id, "Ada")).seat
        live = await registry.find(class_id)
        elsewhere = LiveClass(class_id, insects.activity(), registry.store, lambda *_: None)
        elsewhere.catch_up()
        registry.store.append(class_id, PhaseBegan("teach")).result()
        item = str(elsewhere.catch_up().rounds[-1].items[0])
        assert live.state.phase == "lobby"
        assert await registry.answer(seat, 1, item, 1) == 5

    in_registry(lesson)


def test_an_event_that_the_rules_forbid_is_refused() -> None:
    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        seat = (await registry.join(class_id, "Ada")).seat
        with pytest.raises(Refused, match="Round 3 is over"):
            await registry.answer(seat, 3, "x", 1)
        assert not any(isinstance(one.event, Answered) for one in registry.store.events(class_id))

    in_registry(lesson)


def failing(
    registry: ClassRegistry, kind: type[Event], times: float, error: type[Exception]
) -> Callable[..., object]:
    """Return a method ``append`` of which storing a kind of event fails some times."""
    append, left = registry.store.append, [times]

    def fails(class_id: str, event: Event, **how: Any) -> object:
        if isinstance(event, kind) and left[0] > 0:
            left[0] -= 1
            failed: Future[None] = Future()
            failed.set_exception(error("database or disk is full"))
            return failed
        return append(class_id, event, **how)

    return fails


@pytest.mark.parametrize("kind", [RoundBegan, Finished])
def test_a_class_continues_after_storing_its_next_event_failed_once(
    monkeypatch: pytest.MonkeyPatch, kind: type[Event]
) -> None:
    """No other event comes afterwards that would let the class continue."""

    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create(
            "5b", insects.ID, goal=0.1 if kind is RoundBegan else 10.0
        )
        await registry.join(class_id, "Ada")
        monkeypatch.setattr(registry.store, "append", failing(registry, kind, 1, sqlite3.Error))
        await registry.act(class_id, PhaseBegan("teach"))
        live = await registry.find(class_id)
        while not (live.state.rounds if kind is RoundBegan else live.state.finished):
            await asyncio.sleep(0.01)
        assert live.trouble is None

    in_registry(lesson)


@pytest.mark.parametrize(
    ("error", "trouble"), [(sqlite3.OperationalError, "store"), (ZeroDivisionError, "failed")]
)
def test_the_teacher_sees_that_a_class_cannot_continue_until_it_does(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception], trouble: str
) -> None:
    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        await registry.join(class_id, "Ada")
        live = await registry.find(class_id)
        listener = registry.hub.add(OpenPage(class_id, session="teacher"))
        await listener.wait()
        with monkeypatch.context() as patch:
            patch.setattr(registry.store, "append", failing(registry, RoundBegan, inf, error))
            await registry.act(class_id, PhaseBegan("teach"))
            while json.loads(live.board())["trouble"] != trouble:
                await listener.wait()
        while json.loads(live.board())["trouble"] is not None:
            await listener.wait()
        assert live.state.last_round == 1

    in_registry(lesson)


def test_the_teacher_sees_that_answers_cannot_be_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        seat = (await registry.join(class_id, "Ada")).seat
        await registry.act(class_id, PhaseBegan("teach"))
        live = await registry.find(class_id)
        item = str(live.state.rounds[-1].items[0])
        full = failing(registry, Answered, 3, sqlite3.OperationalError)
        monkeypatch.setattr(registry.store, "append", full)
        for _ in range(3):
            assert live.trouble is None
            with pytest.raises(sqlite3.OperationalError, match="disk is full"):
                await registry.answer(seat, 1, item, 1)
        assert live.trouble == "store"
        await registry.answer(seat, 1, item, 1)
        while live.trouble is not None:
            await asyncio.sleep(0.01)

    in_registry(lesson)


@pytest.mark.parametrize("discussion", [0.0, 0.5], ids=["an answer waits", "the class waits"])
def test_the_teacher_sees_within_three_seconds_that_the_database_is_locked(
    tmp_path: Path, discussion: float
) -> None:
    """The answer is stored as soon as the database is free: nothing has failed."""

    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID, discussion=discussion)
        seat = (await registry.join(class_id, "Ada")).seat
        await registry.act(class_id, PhaseBegan("teach"))
        live = await registry.find(class_id)
        item = str(live.state.rounds[-1].items[0])
        listener = registry.hub.add(OpenPage(class_id, session="teacher"))
        if discussion:  # after it, the class stores the next round
            await registry.answer(seat, 1, item, 1)
        with closing(sqlite3.connect(tmp_path / "school.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            began = time.monotonic()
            storing = asyncio.create_task(registry.answer(seat, 1, item, 1))
            while json.loads(live.board())["trouble"] != "store":
                await asyncio.wait_for(listener.wait(), 3.0)
            assert time.monotonic() - began < discussion + 3.0
            other.execute("ROLLBACK")
            await storing
        while json.loads(live.board())["trouble"] is not None or live.state.last_round < 2:
            await listener.wait()

    in_registry(lesson, str(tmp_path / "school.db"))


def test_the_teacher_sees_that_storing_works_again_without_another_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The class itself, another process or a class list may be what is stored next."""

    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        live = await registry.find(class_id)
        full = failing(registry, Paused, 3, sqlite3.OperationalError)
        monkeypatch.setattr(registry.store, "append", full)
        for _ in range(3):
            with pytest.raises(sqlite3.OperationalError, match="disk is full"):
                await registry.act(class_id, Paused(True))
        assert live.trouble == "store"
        await asyncio.to_thread(registry.store.append(class_id, Locked(True)).result)
        while live.trouble is not None:
            await asyncio.sleep(0.01)

    in_registry(lesson)


def test_a_class_can_be_opened_while_nothing_can_be_stored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        registry.store.append(class_id, Joined("s1", "Ada")).result()
        registry.store.append(class_id, PhaseBegan("teach")).result()
        with monkeypatch.context() as patch:
            patch.setattr(
                registry.store, "append", failing(registry, RoundBegan, inf, sqlite3.Error)
            )
            live = await registry.find(class_id)
            assert live.state.phase == "teach"
        while live.state.last_round == 0:
            await asyncio.sleep(0.01)

    in_registry(lesson)


def test_a_ticket_belongs_to_its_seat_until_the_class_is_deleted() -> None:
    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        seat, ticket = await registry.join(class_id, "Ada")
        assert await registry.seat_of(ticket) == seat
        assert await registry.seat_of(ticket + "x") is None
        registry.store.delete_class(class_id)
        while await registry.seat_of(ticket) is not None:
            await asyncio.sleep(0.01)

    in_registry(lesson)


def test_a_student_without_an_open_page_counts_as_absent_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1000.0]
    monkeypatch.setattr(hub, "time", SimpleNamespace(monotonic=lambda: now[0]))

    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        ada, ben, chloe = [
            (await registry.join(class_id, name)).seat for name in ("Ada", "Ben", "Chloé")
        ]
        registry.hub.add(OpenPage(*ada))
        live = await registry.find(class_id)
        await registry.sweep(after=90)
        present = live.state.here
        for now[0] in (1030.0, 1060.0, 1090.0):
            await registry.sweep(after=90)
        assert live.state.here == present
        now[0] += 1.0
        registry.presence.seen(chloe)
        await registry.sweep(after=90)
        assert present == (ada.student, ben.student, chloe.student)
        assert set(live.state.here) == {ada.student, chloe.student}
        assert [
            one.event for one in registry.store.events(class_id) if isinstance(one.event, Left)
        ] == [Left(ben.student)]
        await registry.welcome(ben)
        await registry.welcome(ben)
        assert set(live.state.here) == set(present)

    in_registry(lesson)


def test_a_student_who_is_seen_during_the_sweep_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        seats = [(await registry.join(class_id, name)).seat for name in ("Ada", "Ben", "Chloé")]
        absent: list[Seat] = []

        async def leave(seat: Seat) -> int:
            absent.append(seat)
            for other in set(seats) - {seat}:
                registry.presence.seen(other)
            return 0

        monkeypatch.setattr(registry, "leave", leave)
        await registry.sweep(after=-1.0)
        assert len(absent) == 1

    in_registry(lesson)


def test_a_class_that_is_deleted_while_it_is_opened_is_not_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        opened = registry._open

        def late(class_id: str) -> LiveClass:
            live = opened(class_id)
            registry.store.delete_class(class_id)
            return live

        monkeypatch.setattr(registry, "_open", late)
        for _ in range(2):
            with pytest.raises(Refused, match="There is no such class"):
                await registry.find(class_id)

    in_registry(lesson)


def test_a_class_deleted_right_after_it_was_found_is_not_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was found at the second check, and its deletion is reported before the answer."""

    async def lesson(registry: ClassRegistry) -> None:
        class_id, _ = await registry.create("5b", insects.ID)
        looked = registry.store.find_class

        def then_gone(class_id: str) -> ClassRow | None:
            found = looked(class_id)
            if class_id in registry._classes:
                registry.store.delete_class(class_id)
                while class_id in registry._classes:
                    time.sleep(0.01)
            return found

        monkeypatch.setattr(registry.store, "find_class", then_gone)
        with pytest.raises(Refused, match="There is no such class"):
            await registry.find(class_id)

    in_registry(lesson)


EVENTS: list[Event] = [
    Opened("5b", "insects", "ABC234"),
    Enrolled("s1", "Ada"),
    Joined("s1", "Ada"),
    Joined("s2", "Ben"),
    PhaseBegan("pretest"),
    Left("s2"),
    Paused(True),
]


def test_a_summary_agrees_with_the_class_book() -> None:
    summary, state = ClassSummary(), State.begin(insects.activity())
    for event in EVENTS:
        summary, state = summary.after(event), state.after(event)
        assert summary.version == state.version
        assert summary.phase == state.phase
        assert summary.students == set(state.people)


def test_removed_students_are_not_counted() -> None:
    summary = ClassSummary().after(Joined("s1", "Ada")).after(Joined("s2", "Ben"))
    assert summary.after(Removed(("s1",))).students == {"s2"}
