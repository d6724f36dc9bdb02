from __future__ import annotations

import asyncio
import time

import pytest

from homeroom.live.presence import PER_MESSAGE, Presence, Seat

ADA, BEN = Seat("c1", "ada"), Seat("c1", "ben")


def connected(count: int) -> list[Presence]:
    """Return processes that receive each other's messages."""
    processes: list[Presence] = []

    def say(message: str) -> None:
        assert len(message) < 8000
        for process in processes:
            process.receive(message)

    processes.extend(Presence(say) for _ in range(count))
    return processes


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stops until it is set."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def beat(process: Presence, *here: Seat) -> None:
    pages: dict[str, list[str]] = {}
    for seat in here:
        pages.setdefault(seat.class_id, []).append(seat.student)
    asyncio.run(process.announce(pages))


def look(process: Presence, clock: list[float], seconds: float, *here: Seat) -> None:
    """Let time pass; a process checks for absent students now and then, and finds none."""
    for _ in range(10):
        clock[0] += seconds / 10
        beat(process)
        assert process.absent(here, 90) == {}


def test_a_student_who_is_seen_nowhere_becomes_absent(clock: list[float]) -> None:
    one, other = connected(2)
    for _ in range(10):
        beat(one)
        beat(other, ADA)
        assert one.absent([ADA, BEN], 90) == {}
        clock[0] += 9.5
    beat(one)
    beat(other, ADA)
    assert one.absent([ADA, BEN], 90) == {BEN: 1000.0}


def test_a_request_without_an_open_page_is_announced(clock: list[float]) -> None:
    one, other = connected(2)
    beat(one)
    one.absent([ADA], 90)
    look(one, clock, 89, ADA)
    clock[0] += 2
    other.seen(ADA)
    beat(other)
    beat(one)
    assert one.absent([ADA], 90) == {}


def test_a_process_without_its_echo_reports_no_absence(clock: list[float]) -> None:
    """The connection is dead, so messages of others do not arrive either."""
    one, _ = connected(2)
    beat(one)
    one.absent([ADA], 90)
    one._broadcast = lambda _: None
    for _ in range(10):
        beat(one)
        clock[0] += 30
        beat(one)
        assert one.absent([ADA], 90) == {}


def test_a_process_that_could_not_announce_starts_counting_again(clock: list[float]) -> None:
    """The database was down for a minute, and no message came."""
    (one,) = connected(1)
    beat(one)
    one.absent([ADA], 90)
    look(one, clock, 80, ADA)
    before = one._broadcast

    def slow(message: str) -> None:
        clock[0] += 50
        before(message)

    one._broadcast = slow
    beat(one)
    assert one.absent([ADA], 90) == {}
    one._broadcast = before
    look(one, clock, 89, ADA)
    clock[0] += 2
    beat(one)
    assert list(one.absent([ADA], 90)) == [ADA]


def test_a_process_that_was_suspended_starts_counting_again(clock: list[float]) -> None:
    """The machine was suspended, and the messages of the others have not been read yet."""
    one, other = connected(2)
    beat(one)
    beat(other, ADA)
    assert one.absent([ADA], 90) == {}
    clock[0] += 100
    beat(one)
    assert one.absent([ADA], 90) == {}
    look(one, clock, 89, ADA)
    clock[0] += 2
    beat(one)
    assert list(one.absent([ADA], 90)) == [ADA]


def test_messages_are_bounded_for_a_class_of_any_size(clock: list[float]) -> None:
    one, other = connected(2)
    seats = [Seat("c" * 16, f"{number:016x}") for number in range(2 * PER_MESSAGE + 1)]
    other.absent(seats, 90)
    look(other, clock, 89, *seats)
    clock[0] += 2
    beat(one, *seats)
    beat(other)
    assert other.absent(seats, 90) == {}


def test_unknown_messages_are_ignored() -> None:
    (one,) = connected(1)
    for message in ("", "a", "a b", "a b c", "a b c d e"):
        one.receive(message)
    assert one.last(ADA) is None
