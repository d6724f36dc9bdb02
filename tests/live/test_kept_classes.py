"""A class that is kept for many lessons: students, code, history, and shared devices."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest

from homeroom.live.activities import insects
from homeroom.live.classbook.proposals import propose
from homeroom.live.classbook.state import State
from homeroom.live.events import (
    Answered,
    Enrolled,
    Event,
    Joined,
    Opened,
    PhaseBegan,
    Removed,
    RoundBegan,
    SignedOut,
)
from homeroom.live.refused import Refused
from homeroom.live.store import EventStore, open_store
from tests.live.conftest import Live, Student
from tests.live.shown import board_of, view_of


def teach(live: Live, class_id: str, students: list[Student], rounds: int = 2) -> None:
    """Let a class be taught for some rounds, without tests, and end the lesson."""
    live.act(class_id, "phase", phase="teach").raise_for_status()
    for number in range(1, rounds + 1):
        for student in students:
            wait_for(student, number)
            student.answer().raise_for_status()
    live.act(class_id, "phase", phase="done").raise_for_status()


def wait_for(student: Student, number: int) -> None:
    """Look until a round has begun."""
    until = time.monotonic() + 30
    while student.view["round"] != number or student.view["item"] is None:
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.fixture
def taught(live: Live) -> tuple[str, str, list[Student]]:
    """A class of two students after its first lesson: its id, its code, its students."""
    class_id, code = live.make_class()
    students = [live.join(code, name) for name in ("Ada", "Ben")]
    teach(live, class_id, students)
    return class_id, code, students


@pytest.mark.slow
def test_the_next_lesson_has_the_same_students_and_code(
    live: Live, taught: tuple[str, str, list[Student]]
) -> None:
    class_id, code, students = taught
    live.act(class_id, "lessons", activity="insects").raise_for_status()
    board = live.board(class_id)
    assert (board["lesson"], board["phase"], board["code"]) == (2, "lobby", code)
    assert [one["name"] for one in board["students"]] == ["Ada", "Ben"]
    assert [one["answers"] for one in board["students"]] == [0, 0]
    assert [student.view["lesson"] for student in students] == [2, 2]
    teach(live, class_id, students, rounds=3)
    assert [one["answers"] for one in live.board(class_id)["students"]] == [3, 3]


def test_a_class_that_has_ended_can_be_joined_in_its_next_lesson(
    live: Live, taught: tuple[str, str, list[Student]]
) -> None:
    class_id, code, _ = taught
    body = {"code": code, "nickname": "Cai"}
    assert live.browser().post("/api/join", json=body).json()["code"] == "class_ended"
    live.act(class_id, "lessons", activity="letter-a").raise_for_status()
    assert live.browser().post("/api/join", json=body).json()["kind"] == "writing"


def test_a_lesson_begins_only_when_no_other_is_under_way(live: Live) -> None:
    class_id, code = live.make_class()
    live.join(code, "Ada")
    live.act(class_id, "lessons", activity="letter-b").raise_for_status()  # from the lobby
    wish = {"goal": 0.05, "reveal": "teacher", "discussion": 20.0}
    live.act(class_id, "lessons", activity="letter-b", **wish).raise_for_status()
    board = live.board(class_id)
    assert {name: board[name] for name in wish} == wish
    assert live.board(class_id)["activity"] == "letter-b"
    live.act(class_id, "phase", phase="teach").raise_for_status()
    refused = live.act(class_id, "lessons", activity="insects")
    assert (refused.status_code, refused.json()["code"]) == (409, "lesson_not_over")
    missing = live.act(class_id, "lessons", activity="nothing")
    assert missing.json()["code"] == "no_activity"


def test_an_answer_of_the_last_lesson_is_none_in_the_next(
    live: Live, taught: tuple[str, str, list[Student]]
) -> None:
    """A phone that was offline resends its answer a day later, to the same item and round."""
    class_id, _, [ada, ben] = taught
    live.act(class_id, "lessons", activity="insects").raise_for_status()
    live.act(class_id, "phase", phase="pretest").raise_for_status()
    item = ada.view["item"]["id"]
    codes = live.registry._classes[class_id].state.codes
    stale = replace(codes, lesson=1).code_of[codes.item_of[item]]
    assert ada.answer(item=stale).json()["code"] == "not_asked"
    assert ada.answer(item=item).status_code == 200
    assert ben.answer().status_code == 200


def test_the_same_round_and_item_count_again_in_the_next_lesson() -> None:
    event = Answered("s1", 1, "insect-001", 1)
    with open_store(":memory:") as store:
        class_id = store.create_class(Opened("5b", "insects", "ABC234"))
        first = store.append(class_id, event).result()
        opened = Opened("5b", "insects", "ABC234", goal=0.3)
        store.begin_lesson(class_id, opened, if_version=2).result()
        second = store.append(class_id, event, lesson=2).result()
        again = store.append(class_id, event, lesson=2).result()
    assert first is not None
    assert second is not None
    assert again is not None
    assert (first.version, second.version, again.version) == (2, 4, 4)


def lesson(*answers: int) -> list[Any]:
    """Return the events of a short lesson of one student."""
    items = [item.id for item in insects.activity().items]
    rounds = [
        event
        for number, answer in enumerate(answers, 1)
        for event in (
            RoundBegan(number, (items[number],), (None,)),
            Answered("s1", number, items[number], answer),
        )
    ]
    return [PhaseBegan("teach"), *rounds, PhaseBegan("done")]


def test_earlier_lessons_change_nothing_but_the_students() -> None:
    """Skipping their answers gives the same class as taking in every event, one by one."""
    opened = Opened("5b", "insects", "ABC234")
    log = [opened, Enrolled("s2", "Ben"), Joined("s1", "Ada"), Joined("s3", "Cai"), *lesson(1, -1)]
    log += [Removed(("s3",)), opened, *lesson(-1, 1, 1), opened, *lesson(1)[:-1]]
    find = {"insects": insects.activity()}.get
    quick = State.begin(insects.activity(), find=find).after_all(log)
    slow = State.begin(insects.activity(), find=find)
    for event in log:
        slow = slow.after(event)
    assert quick.version == slow.version == len(log)
    assert board_of(quick) == board_of(slow)
    assert view_of(quick, "s1") == view_of(slow, "s1")
    assert quick.lesson == 3


def test_a_lesson_whose_activity_is_gone_is_refused() -> None:
    state = State.begin(insects.activity()).after(Opened("5b", "insects", "ABC234"))
    with pytest.raises(Refused, match="activity of this class has been deleted"):
        state.after(Opened("5b", "birds", "ABC234"))


def test_an_activity_of_an_earlier_lesson_cannot_be_deleted(live: Live) -> None:
    table = b"item,label\nduck,bird\nhen,bird\nbat,other\nbee,other\n"
    files = {"files": ("birds.csv", table, "text/csv")}
    made = live.teacher.post("/api/activities", data={"name": "Birds"}, files=files)
    birds = made.raise_for_status().json()["id"]
    class_id, _ = live.make_class(birds)
    live.act(class_id, "lessons", activity="insects").raise_for_status()
    refused = live.teacher.delete(f"/api/activities/{birds}")
    assert refused.json()["code"] == "activity_in_use"


@pytest.mark.slow
def test_the_history_has_every_lesson_student_and_item(
    live: Live, taught: tuple[str, str, list[Student]]
) -> None:
    class_id, _, [ada, ben] = taught
    live.act(class_id, "lessons", activity="insects").raise_for_status()
    live.act(class_id, "phase", phase="pretest").raise_for_status()
    while ada.view["item"] is not None:
        ada.answer().raise_for_status()
    found = live.teacher.get(f"/api/classes/{class_id}/history").raise_for_status().json()
    assert [(one["lesson"], one["students"]) for one in found["lessons"]] == [(1, 2), (2, 1)]
    first, second = found["lessons"]
    assert (first["before"], first["during"]["answers"], first["after"]) == (None, 4, None)
    asked = second["before"]["answers"]
    assert second["during"] is None
    students = {
        one["name"]: [part["lesson"] for part in one["lessons"]] for one in found["students"]
    }
    assert students == {"Ada": [1, 2], "Ben": [1]}
    assert (
        sum(part["during"]["answers"] for one in found["students"] for part in one["lessons"][:1])
        == 4
    )
    per_item = [part for one in found["items"] for part in one["lessons"]]
    assert sum(part["before"]["answers"] for part in per_item if part["before"]) == asked
    assert sum(part["during"]["answers"] for part in per_item if part["during"]) == 4
    labels = insects.activity().labels
    right = sum(
        labels[one["item"]] == 1
        for one in found["items"]
        for part in one["lessons"]
        if part["before"]
    )
    assert second["before"]["right"] == right
    live.act(class_id, "remove", students=[ben.id]).raise_for_status()
    later = live.teacher.get(f"/api/classes/{class_id}/history").json()
    assert [one["name"] for one in later["students"]] == ["Ada"]
    assert later["lessons"][0]["during"]["answers"] == 2


def test_the_history_continues_after_students_were_left_to_rest(
    live: Live, taught: tuple[str, str, list[Student]]
) -> None:
    """It replays the log without the map, and the round that was cut short must end there, too."""
    class_id, _, [ada, ben] = taught
    live.act(class_id, "lessons", activity="insects").raise_for_status()
    live.act(class_id, "phase", phase="teach").raise_for_status()
    ada.answer().raise_for_status()
    live.act(class_id, "focus", students=[ben.id]).raise_for_status()
    assert ada.id in live.board(class_id)["resting"]
    ben.answer().raise_for_status()
    live.act(class_id, "phase", phase="posttest").raise_for_status()
    while ada.view["item"] is not None:
        ada.answer().raise_for_status()
    found = live.teacher.get(f"/api/classes/{class_id}/history").raise_for_status().json()
    second = found["lessons"][1]
    assert (second["during"]["answers"], second["students"]) == (2, 2)
    assert second["after"]["answers"] == 10


@pytest.mark.slow
def test_an_earlier_lesson_keeps_its_report_and_its_table(
    live: Live, taught: tuple[str, str, list[Student]]
) -> None:
    class_id, _, students = taught
    path = f"/api/classes/{class_id}"
    report = live.teacher.get(f"{path}/report").json()
    table = live.teacher.get(f"{path}/export.csv").text
    live.act(class_id, "lessons", activity="insects").raise_for_status()
    teach(live, class_id, students, rounds=3)
    assert live.teacher.get(f"{path}/report?lesson=1").json() == report
    assert live.teacher.get(f"{path}/export.csv?lesson=1").text == table
    assert live.teacher.get(f"{path}/export.csv").text.count("\n") == 1 + 6
    assert live.teacher.get(f"{path}/report?lesson=2").json()["counts"]["examples"] == 3
    missing = live.teacher.get(f"{path}/report?lesson=3")
    assert (missing.status_code, missing.json()["code"]) == (404, "no_lesson")


def test_the_list_of_classes_has_days_and_lessons_and_the_newest_lesson_first(
    live: Live, taught: tuple[str, str, list[Student]]
) -> None:
    class_id, _, _ = taught
    other, _ = live.make_class("letter-a")
    lines = live.teacher.get("/api/classes").json()["classes"]
    assert [one["class"] for one in lines] == [other, class_id]
    live.act(class_id, "lessons", activity="letter-b").raise_for_status()
    lines = live.teacher.get("/api/classes").json()["classes"]
    assert [(one["class"], one["lessons"]) for one in lines] == [(class_id, 2), (other, 1)]
    assert lines[0]["activity"] == "letter-b"
    assert lines[0]["phase"] == "lobby"
    assert lines[0]["created"] < lines[0]["last"]


def test_a_student_who_signs_out_gets_the_seat_back_with_their_name(
    live: Live, taught: tuple[str, str, list[Student]]
) -> None:
    class_id, code, [ada, ben] = taught
    live.act(class_id, "lessons", activity="insects").raise_for_status()
    tablet = ada.browser
    body = {"code": code, "nickname": "Ada"}
    assert live.browser().post("/api/join", json=body).json()["code"] == "name_taken"
    tablet.post("/api/sign-out").raise_for_status()
    assert tablet.get("/api/me").status_code == 401
    assert [one["signed_out"] for one in live.board(class_id)["students"]] == [True, False]
    joined = tablet.post("/api/join", json={"code": code, "nickname": "Cai"}).json()
    assert joined["student"] not in (ada.id, ben.id)
    back = live.join(code, "ada")
    assert back.id == ada.id
    assert [one["signed_out"] for one in live.board(class_id)["students"]] == [False, False, False]
    assert live.browser().post("/api/join", json=body).json()["code"] == "name_taken"


@pytest.mark.slow
def test_the_teacher_signs_all_students_out(
    live: Live, taught: tuple[str, str, list[Student]]
) -> None:
    class_id, code, students = taught
    live.act(class_id, "sign-out", students=[one.id for one in students]).raise_for_status()
    assert [one.browser.get("/api/me").status_code for one in students] == [401, 401]
    live.act(class_id, "lock", locked=True).raise_for_status()
    assert live.join(code, "Ben").id == students[1].id  # those with a seat may return
    unknown = live.act(class_id, "sign-out", students=["0" * 16])
    assert unknown.json()["code"] == "no_student"


def test_signing_out_takes_a_student_out_of_the_present_round() -> None:
    log: list[Event] = [Opened("5b", "insects", "ABC234"), Joined("s1", "Ada"), Joined("s2", "Ben")]
    state = State.begin(insects.activity()).after_all([*log, PhaseBegan("teach")])
    state = state.after(propose(state) or PhaseBegan("done"))
    item = str(state.rounds[-1].items[0])
    state = state.after(Answered("s1", 1, item, 1)).after(SignedOut(("s2", "unknown")))
    assert state.rounds[-1].over
    assert state.here == ("s1",)


def test_the_days_of_a_class_are_counted_from_its_last_lesson() -> None:
    now = [1_000_000.0]
    with open_store(":memory:") as opened:
        store = EventStore(opened._database, clock=lambda: now[0])
        class_id = store.create_class(Opened("5b", "insects", "ABC234", retention_days=30))
        now[0] += 29 * 86_400
        again = Opened("5b again", "letter-a", "ABC234", retention_days=60)
        store.begin_lesson(class_id, again, if_version=1).result()
        now[0] += 59 * 86_400
        assert store.purge() == []
        row = store.find_class(class_id)
    assert row is not None
    assert (row.name, row.activity, row.retention_days, row.lessons) == (
        "5b again",
        "letter-a",
        60,
        2,
    )
