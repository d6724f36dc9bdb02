"""Two servers on one PostgreSQL, which is restarted in mid-lesson."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from homeroom.live.access.credentials import STUDENT
from homeroom.live.events import Answered, Closed, CountdownBegan
from homeroom.live.settings import Hashing, ServerSettings
from homeroom.live.store.postgres import PATIENCE
from tests.live.postgres import own_postgres

pytestmark = pytest.mark.slow


@pytest.fixture
def postgres() -> Iterator[Any]:
    """A PostgreSQL that can be stopped and started."""
    with own_postgres() as server:
        yield server


@pytest.fixture
def two(opened: Any, postgres: Any) -> tuple[Any, Any]:
    """Two servers, and the teacher signed in at both."""
    settings = ServerSettings(database=postgres.get_uri(), hashing=Hashing(1, 8, 1))
    one, other = opened(settings), opened(settings)
    one.sign_in()
    other.teacher.cookies = one.teacher.cookies
    return one, other


def until(true: Any) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_one_of_two_servers_ends_the_round_without_a_silent_student(two: tuple[Any, Any]) -> None:
    one, other = two
    class_id, code = one.make_class(timer=1)
    ada, ben = one.join(code, "Ada"), other.join(code, "Ben")
    one.act(class_id, "phase", phase="teach").raise_for_status()
    answer(ada, 1)
    for server in two:  # both follow the class, and both wait for the time to be over
        until(lambda server=server: server.board(class_id)["round"] == 2)
    assert ben.view["round"] == 2
    log = [stored.event for stored in one.registry.store.events(class_id)]
    assert log.count(Closed(1)) == 1
    assert sum(isinstance(event, CountdownBegan) and event.round == 1 for event in log) == 1


def test_a_student_who_is_removed_at_one_server_is_erased_at_both(two: tuple[Any, Any]) -> None:
    one, other = two
    class_id, code = one.make_class()
    ada, ben = one.join(code, "Ada"), other.join(code, "Persephone")
    one.act(class_id, "phase", phase="teach").raise_for_status()
    for student in (ada, ben):
        answer(student, 1)
    one.act(class_id, "remove", students=[ben.id]).raise_for_status()
    until(lambda: len(other.board(class_id)["students"]) == 1)
    boards = [{**server.board(class_id), "seconds_left": None} for server in two]
    assert boards[0] == boards[1]
    assert ben.browser.get("/api/me").json()["code"] == "removed"
    rows = str(one.registry.store._database.read("SELECT token, body FROM events"))
    assert "Persephone" not in rows
    assert ben.id not in rows


def answer(student: Any, number: int) -> None:
    until(lambda: student.view["round"] == number and student.view["item"] is not None)
    assert student.answer(1).json()["version"]


def test_a_class_continues_at_two_servers_while_the_database_is_restarted(
    two: tuple[Any, Any], postgres: Any
) -> None:
    one, other = two
    class_id, code = one.make_class(goal=1e-4)
    students = [one.join(code, "Ada"), other.join(code, "Ben")]
    moved = other.browser()  # the same phone, which meets the other server
    moved.cookies.set(STUDENT, students[0].browser.cookies[STUDENT])
    assert moved.get("/api/me").json()["nickname"] == "Ada"

    one.act(class_id, "phase", phase="teach").raise_for_status()
    for number in (1, 2):
        for student in students:
            answer(student, number)
    postgres.stop()
    late = [threading.Thread(target=answer, args=(student, 3)) for student in students]
    for thread in late:
        thread.start()
    time.sleep(0.3)
    postgres.start()
    for thread in late:
        thread.join(120)
        assert not thread.is_alive()
    until(lambda: one.board(class_id)["round"] == other.board(class_id)["round"] == 4)
    stored = [one.event for one in one.registry.store.events(class_id)]
    answers = [event for event in stored if isinstance(event, Answered)]
    assert len(answers) == len({(e.student, e.round) for e in answers}) == 6
    assert one.board(class_id) == other.board(class_id)


def test_no_old_message_is_sent_when_the_database_is_back(
    two: tuple[Any, Any], postgres: Any
) -> None:
    """So a server can be stopped meanwhile."""
    one, other = two
    heard: list[str] = []
    other.registry.store.on_message(heard.append)
    postgres.stop()
    start = time.monotonic()
    one.registry.store.broadcast("too late")
    assert time.monotonic() - start < PATIENCE / 2
    postgres.start()

    def hears() -> bool:
        one.registry.store.broadcast("hello")
        return "hello" in heard

    until(hears)
    assert "too late" not in heard


def test_events_of_one_server_are_seen_at_the_other(two: tuple[Any, Any]) -> None:
    one, other = two
    class_id, code = one.make_class()
    with other.teacher.websocket_connect(f"ws://localhost/api/live?class={class_id}") as line:
        assert line.receive_json()["view"]["students"] == []
        one.join(code, "Ada")
        while not line.receive_json()["view"]["students"]:
            pass
    one.teacher.post("/api/teacher/sign-out")
    assert other.teacher.get("/api/classes").status_code == 401


def test_a_student_connected_to_no_server_is_not_waited_for(opened: Any, postgres: Any) -> None:
    """Each server reports its students to the other: no other student becomes absent."""
    settings = ServerSettings(database=postgres.get_uri(), hashing=Hashing(1, 8, 1), away_after=3.0)
    one, other = opened(settings), opened(settings)
    one.sign_in()
    other.teacher.cookies = one.teacher.cookies
    class_id, code = one.make_class()
    ada, ben = one.join(code, "Ada"), other.join(code, "Ben")
    one.join(code, "Chloé")

    def here(at: Any) -> set[str]:
        return {student["name"] for student in at.board(class_id)["students"] if student["here"]}

    with (
        ada.browser.websocket_connect("ws://localhost/api/live"),
        ben.browser.websocket_connect("ws://localhost/api/live") as bens,
    ):
        until(lambda: here(one) == here(other) == {"Ada", "Ben"})
        end = time.monotonic() + 6
        while time.monotonic() < end:
            assert here(one) == here(other) == {"Ada", "Ben"}
            time.sleep(0.05)
        bens.close()
        until(lambda: here(one) == here(other) == {"Ada"})


def test_a_seat_given_back_at_one_server_closes_the_page_at_the_other(
    two: tuple[Any, Any],
) -> None:
    one, other = two
    class_id, code = one.make_class()
    ada = other.join(code, "Ada")
    assert ada.view["nickname"] == "Ada"
    offered = one.act(class_id, f"students/{ada.id}/seat").json()["code"]
    new = one.browser()
    new.post("/api/seat", json={"code": offered}).raise_for_status()
    until(lambda: ada.browser.get("/api/me").status_code == 401)
    assert new.get("/api/me").json()["nickname"] == "Ada"
    one.act(class_id, "remove", students=[ada.id]).raise_for_status()
    moved = other.browser()
    moved.cookies.set(STUDENT, new.cookies[STUDENT])
    until(lambda: moved.get("/api/me").status_code == 410)
