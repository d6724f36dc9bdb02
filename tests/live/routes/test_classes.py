"""The teacher's classes, and controlling a lesson."""

import io
import time
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from homeroom.live.messages.responses import SplitCosts
from homeroom.live.messages.views import Board


def test_a_class_is_created_with_a_code_and_listed(live: Any) -> None:
    class_id, code = live.make_class()
    [line] = live.teacher.get("/api/classes").json()["classes"]
    created, last = line.pop("created"), line.pop("last")
    assert created == last
    assert created.endswith("Z")
    assert line == {
        "class": class_id,
        "name": "5b",
        "activity": "insects",
        "activity_name": "Butterflies and moths",
        "kind": "quiz",
        "phase": "lobby",
        "students": 0,
        "code": code,
        "lessons": 1,
    }


@pytest.mark.parametrize(
    ("wish", "status"),
    [
        ({"name": "5b", "activity": "nothing"}, 404),
        ({"name": "", "activity": "insects"}, 422),
        ({"name": "  ", "activity": "insects"}, 422),
        ({"name": "x" * 81, "activity": "insects"}, 422),
        ({"name": "a\nb", "activity": "insects"}, 422),
        ({"name": "5b", "activity": "insects", "goal": 0}, 422),
        ({"name": "5b", "activity": "insects", "goal": "NaN"}, 422),
        ({"name": "5b", "activity": "insects", "code": "AAAAAA"}, 422),
        ({"name": "5b"}, 422),
    ],
)
def test_a_class_needs_a_name_and_an_activity(live: Any, wish: Any, status: int) -> None:
    refused = live.teacher.post("/api/classes", json=wish)
    assert refused.status_code == status
    assert isinstance(refused.json()["detail"], str)


def test_a_class_can_be_given_a_goal(live: Any) -> None:
    class_id, _ = live.make_class(goal=0.5)
    assert live.board(class_id)["goal"] == 0.5


def test_the_retention_time_of_a_class_is_shown(live: Any) -> None:
    class_id, _ = live.make_class(retention_days=7)
    assert live.board(class_id)["retention_days"] == 7
    refused = live.teacher.post(
        "/api/classes", json={"name": "5b", "activity": "insects", "retention_days": 0}
    )
    assert refused.status_code == 422


def test_all_classes_can_be_deleted_at_once(live: Any) -> None:
    _, code = live.make_class()
    live.make_class("letter-a")
    ada = live.join(code)
    assert ada.browser.delete("/api/classes").status_code == 401
    assert len(live.teacher.get("/api/classes").json()["classes"]) == 2
    assert live.teacher.delete("/api/classes").json() == {"ok": True}
    assert live.teacher.get("/api/classes").json() == {"classes": []}
    assert ada.browser.get("/api/me").status_code == 401
    assert live.teacher.delete("/api/classes").json() == {"ok": True}


def test_the_board_matches_its_declaration(live: Any) -> None:
    class_id, code = live.make_class()
    live.join(code)
    live.act(class_id, "phase", phase="teach")
    board = live.board(class_id)
    Board(class_=board.pop("class"), **board)
    assert board["next"]["why"]


def test_a_deleted_class_is_gone(live: Any) -> None:
    class_id, _ = live.make_class()
    assert live.teacher.delete(f"/api/classes/{class_id}").json() == {"ok": True}
    assert live.teacher.get(f"/api/classes/{class_id}").status_code == 404
    again = live.teacher.delete(f"/api/classes/{class_id}")
    assert (again.status_code, again.json()["detail"]) == (404, "There is no such class.")


def test_every_name_of_a_class_list_is_enrolled_once(live: Any) -> None:
    class_id, code = live.make_class()
    live.join(code, "Ada")
    post = live.teacher.post
    response = post(f"/api/classes/{class_id}/roster", content="name\nAda\nBen\nChloé\n".encode())
    assert response.json() == {"students": 3, "added": 2}
    again = post(f"/api/classes/{class_id}/roster", content="name\nAda\nBen\nChloé\n".encode())
    assert again.json() == {"students": 3, "added": 0}
    assert [one["name"] for one in live.board(class_id)["students"]] == ["Ada", "Ben", "Chloé"]


def test_class_lists_do_not_exceed_the_size_of_a_class(
    live: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homeroom.live.routes.classes.MOST", 3)
    class_id, code = live.make_class()
    live.join(code, "Ada")
    post = live.teacher.post
    refused = post(f"/api/classes/{class_id}/roster", content=b"name\nBen\nCy\nDora\n")
    assert refused.status_code == 422
    assert "up to 3 students, but this would make 4" in refused.json()["detail"]
    response = post(f"/api/classes/{class_id}/roster", content=b"name\nAda\nBen\nCy\n")
    assert response.json() == {"students": 3, "added": 2}


def test_a_roster_without_names_is_refused(live: Any) -> None:
    class_id, _ = live.make_class()
    refused = live.teacher.post(f"/api/classes/{class_id}/roster", content=b"")
    assert refused.status_code == 422
    assert "The file has no names" in refused.json()["detail"]


def test_a_roster_bomb_is_refused(live: Any) -> None:
    class_id, _ = live.make_class()
    many = "\n".join(f"student {number}" for number in range(5000)).encode()
    refused = live.teacher.post(f"/api/classes/{class_id}/roster", content=many)
    assert refused.status_code == 422
    assert "5000 names" in refused.json()["detail"]


def test_the_cost_of_groups_is_known_once_the_lesson_has_begun(live: Any) -> None:
    class_id, code = live.make_class()
    path = f"/api/classes/{class_id}/frontier?lam=1"
    assert live.teacher.get(path).status_code == 409
    students = [live.join(code, name) for name in ("Ada", "Ben", "Chloé")]
    live.act(class_id, "phase", phase="teach")
    for student in students:
        student.answer(1)
    ways = live.teacher.get(path).json()
    SplitCosts.model_validate(ways)
    assert ways["lam"] == 1
    assert ways["ways"]


@pytest.mark.parametrize("lam", ["-1", "NaN", "inf", "x"])
def test_lambda_is_a_number(live: Any, lam: str) -> None:
    class_id, _ = live.make_class()
    assert live.teacher.get(f"/api/classes/{class_id}/frontier?lam={lam}").status_code == 422


def test_a_quiz_has_no_letters(live: Any) -> None:
    class_id, _ = live.make_class()
    refused = live.teacher.get(f"/api/classes/{class_id}/letters")
    assert refused.status_code == 404
    assert "does not write letters" in refused.json()["detail"]


def test_an_export_of_one_roster_enrols_its_students(live: Any) -> None:
    class_id, _ = live.make_class()
    users = b"sourcedId,givenName,familyName,userMasterIdentifier\ns1,Ada,L,\nt1,Tess,T,\n"
    roles = b"sourcedId,userSourcedId,role\nr1,s1,student\nr2,t1,teacher\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("users.csv", users)
        archive.writestr("roles.csv", roles)
    path, post = f"/api/classes/{class_id}/roster", live.teacher.post
    assert post(path, content=packed.getvalue()).json() == {"students": 1, "added": 1}
    parts = [("files", (name, data)) for name, data in (("users.csv", users), ("roles.csv", roles))]
    assert post(path, files=parts).json() == {"students": 1, "added": 0}
    assert post(path, files=parts[:1]).json()["code"] == "roster_roles"
    assert post(path, files=parts[1:]).json()["code"] == "no_names"
    assert post(path, files=[*parts, parts[0]]).json()["code"] == "file_twice"
    assert [one["name"] for one in live.board(class_id)["students"]] == ["Ada L."]


SCHOOL = {
    "users.csv": b"sourcedId,role,givenName\ns1,student,Ada\ns2,student,Ben\ns3,student,Cy\n",
    "classes.csv": b"sourcedId,title\n7 a/b&c,7b\nc2,7c\n",
    "enrollments.csv": b"classSourcedId,userSourcedId,role\n7 a/b&c,s1,student\nc2,s2,student\n",
}


def test_no_student_is_enrolled_before_a_class_is_chosen(live: Any) -> None:
    class_id, _ = live.make_class()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in SCHOOL.items():
            archive.writestr(name, data)
    path, post = f"/api/classes/{class_id}/roster", live.teacher.post
    parts = [("files", (name, data)) for name, data in SCHOOL.items()]
    for sent in ({"content": packed.getvalue()}, {"files": parts}):
        refused = post(path, **sent)
        assert refused.status_code == 409
        assert refused.json() == {
            "detail": "The export has 2 classes: choose one of them.",
            "code": "roster_classes",
            "values": {"classes": 2},
            "classes": [
                {"id": "7 a/b&c", "title": "7b", "students": 1},
                {"id": "c2", "title": "7c", "students": 1},
            ],
        }
        assert live.board(class_id)["students"] == []
    response = post(path, params={"class": "7 a/b&c"}, content=packed.getvalue())
    assert response.json() == {"students": 1, "added": 1}
    assert post(path, params={"class": "c2"}, files=parts).json() == {"students": 1, "added": 1}
    assert [one["name"] for one in live.board(class_id)["students"]] == ["Ada", "Ben"]


def test_a_school_without_enrolled_students_is_refused(live: Any) -> None:
    class_id, _ = live.make_class()
    for name, data, code in (
        ("users.csv", b"name\nAda\n", "roster_columns"),
        ("classes.csv", b"sourcedId,status\nc1,inactive\nc2,tobedeleted\n", "roster_all_gone"),
        ("enrollments.csv", b"classSourcedId,userSourcedId,role\n", "roster_nobody"),
    ):
        parts = [("files", one) for one in ({**SCHOOL, name: data}).items()]
        refused = live.teacher.post(f"/api/classes/{class_id}/roster", files=parts)
        assert (refused.status_code, refused.json()["code"]) == (422, code)
    assert live.board(class_id)["students"] == []


def test_two_students_with_the_same_name_have_one_seat_each(live: Any) -> None:
    class_id, code = live.make_class()
    users = b"sourcedId,role,givenName,familyName\ns1,student,Ada,Lee\ns2,student,Ada,Lee\n"
    for added in (2, 0):
        response = live.teacher.post(f"/api/classes/{class_id}/roster", content=users)
        assert response.json() == {"students": 2, "added": added}
    live.join(code, "Ada Lee (2)")
    seats = {one["name"]: one["joined"] for one in live.board(class_id)["students"]}
    assert seats == {"Ada Lee": False, "Ada Lee (2)": True}


@pytest.mark.parametrize(
    ("chosen", "code"),
    [("c9", "roster_no_class"), ("", "not_understood"), ("x" * 256, "not_understood")],
)
def test_an_unknown_class_cannot_be_chosen(live: Any, chosen: str, code: str) -> None:
    class_id, _ = live.make_class()
    parts = [("files", (name, data)) for name, data in SCHOOL.items()]
    params = {"class": chosen}
    refused = live.teacher.post(f"/api/classes/{class_id}/roster", params=params, files=parts)
    assert refused.status_code == 422
    assert refused.json()["code"] == code
    assert live.board(class_id)["students"] == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"files": [("files", ("x.txt", b"a")), ("files", ("y.txt", b"b"))]}, 422),
        ({"files": [("files", (f"{n}.csv", b"a")) for n in range(21)]}, 400),
        ({"data": {"files": "no file"}, "files": [("other", ("x.csv", b"a"))]}, 422),
        ({"content": b"--x", "headers": {"content-type": "multipart/form-data"}}, 400),
        ({"content": b"PK\x03\x04", "headers": {"content-type": "application/zip"}}, 422),
    ],
)
def test_a_body_that_is_not_a_class_list_is_refused(live: Any, body: Any, status: int) -> None:
    class_id, _ = live.make_class()
    refused = live.teacher.post(f"/api/classes/{class_id}/roster", **body)
    assert refused.status_code == status
    assert refused.json()["detail"].endswith(".")


def test_a_list_that_is_sent_twice_at_once_is_enrolled_once(live: Any) -> None:
    class_id, _ = live.make_class()

    def send(_: int) -> int:
        sent = live.teacher.post(f"/api/classes/{class_id}/roster", content=b"Ada\nBen\n")
        return int(sent.raise_for_status().json()["added"])

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(send, range(4))) == [0, 0, 0, 2]
    assert [one["name"] for one in live.board(class_id)["students"]] == ["Ada", "Ben"]


@pytest.fixture
def lesson(live: Any) -> tuple[str, list[Any]]:
    """A class of three that is being taught."""
    class_id, code = live.make_class()
    students = [live.join(code, name) for name in ("Ada", "Ben", "Chloé")]
    live.act(class_id, "phase", phase="teach").raise_for_status()
    return class_id, students


@pytest.mark.slow
def test_a_lesson_from_the_pre_test_to_the_end(live: Any) -> None:
    class_id, code = live.make_class()
    ada = live.join(code)
    live.act(class_id, "phase", phase="pretest").raise_for_status()
    asked = ada.view["left"]
    for _ in range(asked):
        ada.answer(1).raise_for_status()
    assert asked == live.board(class_id)["counts"]["answers"] > 5
    for phase in ("teach", "posttest", "done"):
        version = live.act(class_id, "phase", phase=phase).json()["version"]
        assert live.board(class_id)["phase"] == phase
        assert live.board(class_id)["version"] >= version
        if phase != "done":
            ada.answer(-1).raise_for_status()


def test_an_unknown_phase_is_refused(live: Any) -> None:
    class_id, _ = live.make_class()
    refused = live.act(class_id, "phase", phase="lunch")
    assert refused.status_code == 422
    assert "phase" in refused.json()["detail"]


def test_a_paused_class_accepts_no_answers(live: Any, lesson: Any) -> None:
    class_id, (ada, *_) = lesson
    item = ada.view["item"]["id"]
    live.act(class_id, "pause", paused=True).raise_for_status()
    refused = ada.answer(1, item=item)
    assert refused.status_code == 409
    assert "paused: wait until it continues" in refused.json()["detail"]
    live.act(class_id, "pause", paused=False)
    assert ada.answer(1).status_code == 200


def test_skipping_shows_another_item(live: Any, lesson: Any) -> None:
    class_id, _ = lesson
    before = live.board(class_id)
    live.act(class_id, "skip", round=1).raise_for_status()
    after = live.board(class_id)
    assert after["round"] == before["round"] + 1


def test_a_round_can_be_closed_without_the_missing_answers(live: Any, lesson: Any) -> None:
    class_id, (ada, *_) = lesson
    ada.answer(1)
    assert live.board(class_id)["round"] == 1
    live.act(class_id, "close-round", round=1).raise_for_status()
    assert live.board(class_id)["round"] == 2


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("what", ["skip", "close-round"])
def test_a_round_that_is_ended_twice_ends_once(live: Any, lesson: Any, what: str) -> None:
    class_id, _ = lesson
    live.act(class_id, what, round=1).raise_for_status()
    again = live.act(class_id, what, round=1)
    assert (again.status_code, again.json()["code"]) == (409, "round_over")
    assert live.board(class_id)["round"] == 2
    assert live.act(class_id, what).status_code == 422  # the round must be named


def test_a_solution_that_is_shown_twice_stays_and_is_left_once(live: Any) -> None:
    class_id, code = live.make_class(reveal="teacher")
    live.join(code, "Ada")
    live.act(class_id, "phase", phase="teach").raise_for_status()
    live.act(class_id, "close-round", round=1).raise_for_status()
    assert live.act(class_id, "close-round", round=1).json()["code"] == "round_over"
    assert live.board(class_id)["revealed"]
    live.act(class_id, "continue", round=1).raise_for_status()
    assert live.act(class_id, "continue", round=1).json()["code"] == "no_discussion"
    live.act(class_id, "close-round", round=2).raise_for_status()
    assert live.act(class_id, "continue", round=1).json()["code"] == "round_over"
    board = live.board(class_id)
    assert (board["round"], board["revealed"]) == (2, True)


def test_the_teacher_sets_pauses_and_switches_off_the_timer(live: Any, lesson: Any) -> None:
    class_id, (ada, ben, *_) = lesson
    assert live.board(class_id)["timer"] == 20
    for student in (ada, ben):
        student.answer(1)
    wait_until(lambda: live.board(class_id)["seconds_left"] is not None)
    assert 15 <= live.board(class_id)["seconds_left"] <= 20
    projector = live.browser().get(f"/api/board/{class_id}").json()
    assert 15 <= ada.view["seconds_left"] <= 20
    assert 15 <= projector["seconds_left"] <= 20
    live.act(class_id, "timer", seconds=60).raise_for_status()
    assert 55 <= live.board(class_id)["seconds_left"] <= 60
    live.act(class_id, "pause-timer", round=1, paused=True).raise_for_status()
    board = live.board(class_id)
    assert (board["seconds_left"], board["timer_paused"]) == (None, True)
    live.act(class_id, "pause-timer", round=1, paused=False).raise_for_status()
    assert live.board(class_id)["seconds_left"] is not None
    live.act(class_id, "timer", seconds=0).raise_for_status()
    assert (live.board(class_id)["seconds_left"], ada.view["seconds_left"]) == (None, None)
    assert live.act(class_id, "timer", seconds=601).status_code == 422
    assert live.act(class_id, "pause-timer", round=7, paused=True).json()["code"] == "round_over"


def test_the_round_ends_without_a_silent_student(live: Any, lesson: Any) -> None:
    class_id, (ada, ben, cem) = lesson
    live.act(class_id, "timer", seconds=0.3).raise_for_status()
    ada.answer(1)
    time.sleep(0.6)
    assert live.board(class_id)["round"] == 1  # two students are missing
    ben.answer(1)
    wait_until(lambda: live.board(class_id)["round"] == 2)
    board = live.board(class_id)
    assert (board["round"], board["seconds_left"]) == (2, None)
    assert cem.view["example"]["right"] is None  # they saw the solution


def test_there_is_nothing_to_skip_before_the_lesson(live: Any) -> None:
    class_id, _ = live.make_class()
    for what in ("skip", "close-round"):
        refused = live.act(class_id, what, round=0)
        assert refused.status_code == 409
        assert "No example is being shown" in refused.json()["detail"]


def test_the_teacher_can_choose_the_item(live: Any, lesson: Any) -> None:
    class_id, (ada, *_) = lesson
    board = live.board(class_id)
    wish = next(
        one["id"] for one in board["items"] if one["usable"] and one["id"] != board["next"]["item"]
    )
    live.act(class_id, "override", item=wish).raise_for_status()
    assert live.board(class_id)["next"]["item"] == wish
    drawn = live.teacher.get(f"/api/activities/insects/items/{wish}/picture")
    assert ada.browser.get(ada.view["item"]["picture"]).content == drawn.content
    refused = live.act(class_id, "override", item="<script>")
    assert refused.status_code == 404


def test_a_class_can_be_split_and_merged(live: Any, lesson: Any) -> None:
    class_id, students = lesson
    for student in students:
        student.answer(1)
    live.act(class_id, "regroup", groups="individuals").raise_for_status()
    assert len(live.board(class_id)["groups"]) == 3
    live.act(class_id, "regroup", groups="whole").raise_for_status()
    assert len(live.board(class_id)["groups"]) == 1
    live.act(class_id, "regroup", lam=1.0).raise_for_status()
    assert live.board(class_id)["how"] == "best:lam=1"
    live.act(class_id, "regroup").raise_for_status()
    assert live.board(class_id)["how"] == "whole"


@pytest.mark.parametrize("body", [{"lam": -1}, {"groups": "nonsense"}, {"groups": "best:lam=x"}])
def test_invalid_groups_are_refused(live: Any, lesson: Any, body: Any) -> None:
    refused = live.act(lesson[0], "regroup", **body)
    assert refused.status_code == 422
    assert refused.json()["detail"]


def test_the_teacher_can_stop_waiting_for_a_student(live: Any, lesson: Any) -> None:
    class_id, (ada, ben, chloe) = lesson
    ada.answer(1)
    ben.answer(1)
    live.act(class_id, f"students/{chloe.id}/leave").raise_for_status()
    assert live.board(class_id)["round"] == 2
    assert live.act(class_id, f"students/{'0' * 16}/leave").status_code == 404


def test_several_students_are_removed_at_once(live: Any, lesson: Any) -> None:
    class_id, (ada, ben, chloe) = lesson
    ada.answer(1).raise_for_status()
    silent = [one["id"] for one in live.board(class_id)["students"] if one["answers"] == 0]
    assert set(silent) == {ben.id, chloe.id}
    live.act(class_id, "remove", students=silent).raise_for_status()
    board = live.board(class_id)
    assert [one["name"] for one in board["students"]] == ["Ada"]
    assert board["round"] == 2  # no student is missing any more
    refused = live.act(class_id, "remove", students=silent)
    assert (refused.status_code, refused.json()["code"]) == (404, "no_student")
    [line] = live.teacher.get("/api/classes").json()["classes"]
    assert line["students"] == 1


@pytest.mark.parametrize("students", [[], ["x"], ["0" * 16] * 1001])
def test_removed_students_are_given_by_ids(live: Any, lesson: Any, students: list[str]) -> None:
    assert live.act(lesson[0], "remove", students=students).status_code == 422


@pytest.mark.slow
def test_there_is_no_seat_code_for_an_unknown_student(live: Any, lesson: Any) -> None:
    refused = live.act(lesson[0], f"students/{'0' * 16}/seat")
    assert (refused.status_code, refused.json()["code"]) == (404, "no_student")
