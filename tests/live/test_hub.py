import asyncio
import time

import pytest

from homeroom.live.hub import MOST_PAGES, PER_MESSAGE, Hub, OpenPage, Presence, Seat


def woken(*listeners: OpenPage) -> list[bool]:
    return [listener.news.is_set() for listener in listeners]


def test_a_page_is_notified_at_once_and_then_of_every_change() -> None:
    hub = Hub()
    teacher, ada, ben, other = (
        hub.add(one)
        for one in (
            OpenPage("5b", session="s"),
            OpenPage("5b", "ada"),
            OpenPage("5b", "ben"),
            OpenPage("6a", "ada"),
        )
    )
    pages = (teacher, ada, ben, other)
    assert woken(*pages) == [True] * 4
    for one in pages:
        one.news.clear()
    hub.notify("5b", frozenset({"ada"}))
    assert woken(*pages) == [True, True, False, False]
    hub.notify("5b")
    assert woken(*pages) == [True, True, True, False]
    hub.notify("7c")
    hub.notify("5b", frozenset({"unknown"}))
    assert not other.news.is_set()


def test_a_closed_page_is_removed() -> None:
    hub = Hub()
    first, second = hub.add(OpenPage("5b", "ada")), hub.add(OpenPage("5b", "ada"))
    teacher = hub.add(OpenPage("5b"))
    hub.remove(first)
    assert hub.present("5b") == {"ada"}
    hub.remove(second)
    hub.remove(teacher)
    assert hub.present("5b") == frozenset()
    assert list(hub) == []


def test_the_number_of_pages_of_a_student_is_limited() -> None:
    hub = Hub()
    ada = OpenPage("5b", "ada")
    assert not hub.is_full(ada)
    pages = [hub.add(OpenPage("5b", "ada")) for _ in range(MOST_PAGES)]
    assert hub.is_full(ada)
    assert not hub.is_full(OpenPage("5b", "ben"))
    assert not hub.is_full(OpenPage("5b"))
    hub.remove(pages[0])
    assert not hub.is_full(ada)


def test_waiting_ends_with_a_change_or_when_the_page_is_closed() -> None:
    async def waited() -> list[bool]:
        hub = Hub()
        ada = hub.add(OpenPage("5b", "ada"))
        answers = [await ada.wait()]
        hub.close_pages(class_id="5b")
        return [*answers, await ada.wait()]

    assert asyncio.run(waited()) == [True, False]


def test_only_the_pages_of_a_session_are_closed() -> None:
    hub = Hub()
    one, other, ada = (
        hub.add(OpenPage("5b", session="s")),
        hub.add(OpenPage("5b", session="t")),
        hub.add(OpenPage("5b", "ada")),
    )
    hub.close_pages(session="s")
    assert [page.closed for page in (one, other, ada)] == [True, False, False]


def test_many_changes_notify_a_slow_page_once() -> None:
    hub = Hub()
    ada = hub.add(OpenPage("5b", "ada"))

    async def waits() -> None:
        for _ in range(100):
            hub.notify("5b")
        assert await ada.wait()
        assert not ada.news.is_set()

    asyncio.run(waits())


def test_only_the_pages_of_the_given_students_are_closed() -> None:
    hub = Hub()
    ada, ben, teacher = (hub.add(OpenPage("c1", one)) for one in ("ada", "ben", None))
    elsewhere = hub.add(OpenPage("c2", "ada"))
    hub.close_students("c1", ["ada", "unknown"])
    assert [one.closed for one in (ada, ben, teacher, elsewhere)] == [True, False, False, False]


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
