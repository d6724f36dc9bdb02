from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from homeroom.live import presence
from homeroom.live import school as school_module
from homeroom.live.activities import insects
from homeroom.live.events import (
    Answered,
    Enrolled,
    Event,
    Finished,
    Joined,
    Left,
    Locked,
    PhaseBegan,
    RoundBegan,
)
from homeroom.live.hub import Listener
from homeroom.live.live_class import LiveClass
from homeroom.live.presence import Seat
from homeroom.live.refused import Refused
from homeroom.live.school import School
from homeroom.live.store import ClassRow, open_store

Lesson = Callable[[School], Awaitable[None]]


def in_school(lesson: Lesson) -> None:
    """Do something in a school that is gone afterwards."""

    async def run() -> None:
        with open_store(":memory:") as store:
            school = School(store)
            try:
                await asyncio.wait_for(lesson(school), 120)
            finally:
                await school.close()

    asyncio.run(run())


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let schools hear nothing of what is stored: they know only what they look for."""
    monkeypatch.setattr(School, "_stir", lambda *_: None)


def test_a_class_goes_on_when_the_last_one_has_answered() -> None:
    async def lesson(school: School) -> None:
        class_id, _ = await school.make("5b", insects.ID)
        seats = [(await school.join(class_id, name)).seat for name in ("Ada", "Ben")]
        await school.act(class_id, PhaseBegan("teach"))
        live = await school.find(class_id)
        item = str(live.book.state.rounds[-1].items[0])
        for seat in seats:
            await school.answer(seat, 1, item, 1)
        while live.book.state.last_round == 1:  # by itself
            await asyncio.sleep(0.01)

    in_school(lesson)


def test_a_class_is_opened_once_however_many_ask() -> None:
    async def lesson(school: School) -> None:
        class_id, _ = await school.make("5b", insects.ID)
        found = await asyncio.gather(*(school.find(class_id) for _ in range(10)))
        assert len({id(live) for live in found}) == 1

    in_school(lesson)


def test_a_class_that_is_not_there_is_not_found() -> None:
    async def lesson(school: School) -> None:
        for _ in range(2):
            with pytest.raises(Refused, match="There is no such class"):
                await school.find("0" * 16)
        with pytest.raises(Refused, match="There is no such activity"):
            await school.make("5b", "nothing")

    in_school(lesson)


def test_a_code_that_is_in_use_is_not_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = iter(["AAAAAA", "AAAAAA", "BBBBBB"])
    monkeypatch.setattr(school_module, "new_code", lambda: next(codes))

    async def lesson(school: School) -> None:
        assert (await school.make("5b", insects.ID))[1] == "AAAAAA"
        assert (await school.make("6a", insects.ID))[1] == "BBBBBB"

    in_school(lesson)


def test_of_two_who_come_with_the_same_name_at_once_one_gets_it() -> None:
    async def lesson(school: School) -> None:
        class_id, _ = await school.make("5b", insects.ID)
        came = await asyncio.gather(
            *(school.join(class_id, "Ada") for _ in range(5)), return_exceptions=True
        )
        refused = [one for one in came if isinstance(one, Refused)]
        assert len(refused) == 4
        assert "called Ada already" in str(refused[0])

    in_school(lesson)


@pytest.mark.parametrize(
    ("elsewhere", "match"),
    [
        (Locked(True), "The door of this class is closed"),
        (Joined("s9", "ADA"), "Somebody here is called Ada already"),
        (Joined("r1", "Ada"), "Somebody here is called Ada already"),
    ],
)
def test_nobody_comes_in_past_what_another_process_knows(
    deaf: None, elsewhere: Event, match: str
) -> None:
    """This process has not heard of it yet: it is noticed when she is put into the log."""

    async def lesson(school: School) -> None:
        class_id, _ = await school.make("5b", insects.ID)
        if elsewhere == Joined("r1", "Ada"):
            await school.act(class_id, Enrolled("r1", "Ada"))
        live = await school.find(class_id)
        school.store.append(class_id, elsewhere).result()
        before = school.store.version(class_id)
        with pytest.raises(Refused, match=match):
            await school.join(class_id, "Ada")
        assert school.store.version(class_id) == live.book.version == before
        seat = (await school.join(class_id, "Ada 2")).seat if elsewhere != Locked(True) else None
        assert seat is None or seat.student in live.book.state.people

    in_school(lesson)


def test_who_was_put_on_the_list_elsewhere_gets_that_seat(deaf: None) -> None:
    async def lesson(school: School) -> None:
        class_id, _ = await school.make("5b", insects.ID)
        await school.find(class_id)
        school.store.append(class_id, Enrolled("r1", "Ada")).result()
        assert (await school.join(class_id, "ada")).seat.student == "r1"

    in_school(lesson)


def test_an_answer_for_a_round_that_another_process_began_is_taken(deaf: None) -> None:
    """This process has not heard of the round yet: it looks into the log before it refuses."""

    async def lesson(school: School) -> None:
        class_id, _ = await school.make("5b", insects.ID)
        seat = (await school.join(class_id, "Ada")).seat
        live = await school.find(class_id)
        elsewhere = LiveClass(class_id, insects.activity(), school.store, lambda *_: None)
        elsewhere.catch_up()
        school.store.append(class_id, PhaseBegan("teach")).result()
        item = str(elsewhere.catch_up().state.rounds[-1].items[0])
        assert live.book.state.phase == "lobby"
        assert await school.answer(seat, 1, item, 1) == 5

    in_school(lesson)


def test_what_cannot_be_now_is_refused() -> None:
    async def lesson(school: School) -> None:
        class_id, _ = await school.make("5b", insects.ID)
        seat = (await school.join(class_id, "Ada")).seat
        with pytest.raises(Refused, match="Round 3 is over"):
            await school.answer(seat, 3, "x", 1)
        assert not any(isinstance(one.event, Answered) for one in school.store.events(class_id))

    in_school(lesson)


def failing(
    school: School, kind: type[Event], times: float, error: type[Exception]
) -> Callable[..., object]:
    """Return a method ``append`` of which storing a kind of event fails some times."""
    append, left = school.store.append, [times]

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
    """No other event comes afterwards that would set the class going again."""

    async def lesson(school: School) -> None:
        class_id, _ = await school.make("5b", insects.ID, goal=0.1 if kind is RoundBegan else 10.0)
        await school.join(class_id, "Ada")
        monkeypatch.setattr(school.store, "append", failing(school, kind, 1, sqlite3.Error))
        await school.act(class_id, PhaseBegan("teach"))
        live = await school.find(class_id)
        while not (live.book.state.rounds if kind is RoundBegan else live.book.state.finished):
            await asyncio.sleep(0.01)
        assert live.trouble is None

    in_school(lesson)


@pytest.mark.parametrize(
    ("error", "trouble"), [(sqlite3.OperationalError, "store"), (ZeroDivisionError, "failed")]
)
def test_the_teacher_sees_that_a_class_cannot_continue_until_it_does(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception], trouble: str
) -> None:
    async def lesson(school: School) -> None:
        class_id, _ = await school.make("5b", insects.ID)
        await school.join(class_id, "Ada")
        live = await school.find(class_id)
        listener = school.hub.add(Listener(class_id, session="teacher"))
        await listener.wait()
        with monkeypatch.context() as patch:
            patch.setattr(school.store, "append", failing(school, RoundBegan, inf, error))
            await school.act(class_id, PhaseBegan("teach"))
            while json.loads(live.board())["trouble"] != trouble:
                await listener.wait()
        while json.loads(live.board())["trouble"] is not None:
            await listener.wait()
        assert live.book.state.last_round == 1

    in_school(lesson)


def test_the_teacher_sees_that_answers_cannot_be_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    async def lesson(school: School) -> None:
        class_id, _ = await school.make("5b", insects.ID)
        seat = (await school.join(class_id, "Ada")).seat
        await school.act(class_id, PhaseBegan("teach"))
        live = await school.find(class_id)
        item = str(live.book.state.rounds[-1].items[0])
        full = failing(school, Answered, 3, sqlite3.OperationalError)
        monkeypatch.setattr(school.store, "append", full)
        for _ in range(3):
            assert live.trouble is None
            with pytest.raises(sqlite3.OperationalError, match="disk is full"):
                await school.answer(seat, 1, item, 1)
        assert live.trouble == "store"
        await school.answer(seat, 1, item, 1)
        assert live.trouble is None

    in_school(lesson)


def test_a_class_can_be_opened_while_nothing_can_be_stored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def lesson(school: School) -> None:
        class_id, _ = await school.make("5b", insects.ID)
        school.store.append(class_id, Joined("s1", "Ada")).result()
        school.store.append(class_id, PhaseBegan("teach")).result()
        with monkeypatch.context() as patch:
            patch.setattr(school.store, "append", failing(school, RoundBegan, inf, sqlite3.Error))
            live = await school.find(class_id)
            assert live.book.state.phase == "teach"
        while live.book.state.last_round == 0:
            await asyncio.sleep(0.01)

    in_school(lesson)


def test_a_ticket_leads_to_its_seat_until_the_class_is_gone() -> None:
    async def lesson(school: School) -> None:
        class_id, _ = await school.make("5b", insects.ID)
        seat, ticket = await school.join(class_id, "Ada")
        assert await school.seat_of(ticket) == seat
        assert await school.seat_of(ticket + "x") is None
        school.store.delete_class(class_id)
        while await school.seat_of(ticket) is not None:
            await asyncio.sleep(0.01)

    in_school(lesson)


def test_who_has_no_page_open_for_long_is_taken_to_have_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1000.0]
    monkeypatch.setattr(presence, "time", SimpleNamespace(monotonic=lambda: now[0]))

    async def lesson(school: School) -> None:
        class_id, _ = await school.make("5b", insects.ID)
        ada, ben, chloe = [
            (await school.join(class_id, name)).seat for name in ("Ada", "Ben", "Chloé")
        ]
        school.hub.add(Listener(*ada))
        live = await school.find(class_id)
        await school.sweep(after=90)
        everybody = live.book.state.here
        for now[0] in (1030.0, 1060.0, 1090.0):
            await school.sweep(after=90)
        assert live.book.state.here == everybody
        now[0] += 1.0
        school.seen(chloe)
        await school.sweep(after=90)
        assert everybody == (ada.student, ben.student, chloe.student)
        assert set(live.book.state.here) == {ada.student, chloe.student}
        assert [
            one.event for one in school.store.events(class_id) if isinstance(one.event, Left)
        ] == [Left(ben.student)]
        await school.welcome(ben)
        await school.welcome(ben)
        assert set(live.book.state.here) == set(everybody)

    in_school(lesson)


def test_who_is_heard_of_while_others_are_counted_as_gone_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def lesson(school: School) -> None:
        class_id, _ = await school.make("5b", insects.ID)
        seats = [(await school.join(class_id, name)).seat for name in ("Ada", "Ben", "Chloé")]
        gone: list[Seat] = []

        async def leave(seat: Seat) -> int:
            gone.append(seat)
            for other in set(seats) - {seat}:
                school.seen(other)
            return 0

        monkeypatch.setattr(school, "leave", leave)
        await school.sweep(after=-1.0)
        assert len(gone) == 1

    in_school(lesson)


def test_a_class_that_is_deleted_while_it_is_opened_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def lesson(school: School) -> None:
        class_id, _ = await school.make("5b", insects.ID)
        opened = school._open

        def late(class_id: str) -> LiveClass:
            live = opened(class_id)
            school.store.delete_class(class_id)
            return live

        monkeypatch.setattr(school, "_open", late)
        for _ in range(2):
            with pytest.raises(Refused, match="There is no such class"):
                await school.find(class_id)

    in_school(lesson)


def test_a_class_that_is_deleted_as_it_was_found_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was there at the second look, and the news that it is not comes before the answer."""

    async def lesson(school: School) -> None:
        class_id, _ = await school.make("5b", insects.ID)
        looked = school.store.find_class

        def then_gone(class_id: str) -> ClassRow | None:
            found = looked(class_id)
            if class_id in school._classes:
                school.store.delete_class(class_id)
                while class_id in school._classes:
                    time.sleep(0.01)
            return found

        monkeypatch.setattr(school.store, "find_class", then_gone)
        with pytest.raises(Refused, match="There is no such class"):
            await school.find(class_id)

    in_school(lesson)
