from typing import Any

import pytest


@pytest.fixture
def lesson(live: Any) -> tuple[str, list[Any]]:
    """A class of three that is being taught."""
    class_id, code = live.make_class()
    students = [live.join(code, name) for name in ("Ada", "Ben", "Chloé")]
    live.act(class_id, "phase", phase="teach").raise_for_status()
    return class_id, students


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


def test_a_phase_that_is_none_is_refused(live: Any) -> None:
    class_id, _ = live.make_class()
    refused = live.act(class_id, "phase", phase="lunch")
    assert refused.status_code == 422
    assert "phase" in refused.json()["detail"]


def test_a_paused_class_takes_no_answers(live: Any, lesson: Any) -> None:
    class_id, (ada, *_) = lesson
    item = ada.view["item"]["id"]
    live.act(class_id, "pause", paused=True).raise_for_status()
    refused = ada.answer(1, item=item)
    assert refused.status_code == 409
    assert "paused: wait until it goes on" in refused.json()["detail"]
    live.act(class_id, "pause", paused=False)
    assert ada.answer(1).status_code == 200


def test_skipping_shows_another_item(live: Any, lesson: Any) -> None:
    class_id, _ = lesson
    before = live.board(class_id)
    live.act(class_id, "skip").raise_for_status()
    after = live.board(class_id)
    assert after["round"] == before["round"] + 1


def test_a_round_can_be_closed_without_the_missing_answers(live: Any, lesson: Any) -> None:
    class_id, (ada, *_) = lesson
    ada.answer(1)
    assert live.board(class_id)["round"] == 1
    live.act(class_id, "close-round").raise_for_status()
    assert live.board(class_id)["round"] == 2


def test_there_is_nothing_to_skip_before_the_lesson(live: Any) -> None:
    class_id, _ = live.make_class()
    for what in ("skip", "close-round"):
        refused = live.act(class_id, what)
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


def test_a_class_can_be_split_and_brought_together(live: Any, lesson: Any) -> None:
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


@pytest.mark.parametrize("said", [{"lam": -1}, {"groups": "nonsense"}, {"groups": "best:lam=x"}])
def test_groups_that_are_none_are_refused(live: Any, lesson: Any, said: Any) -> None:
    refused = live.act(lesson[0], "regroup", **said)
    assert refused.status_code == 422
    assert refused.json()["detail"]


def test_the_teacher_can_stop_waiting_for_somebody(live: Any, lesson: Any) -> None:
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
    assert board["round"] == 2  # nobody is waited for any more
    refused = live.act(class_id, "remove", students=silent)
    assert (refused.status_code, refused.json()["code"]) == (404, "no_student")
    [line] = live.teacher.get("/api/classes").json()["classes"]
    assert line["students"] == 1


@pytest.mark.parametrize("students", [[], ["x"], ["0" * 16] * 1001])
def test_who_is_removed_is_said_by_ids(live: Any, lesson: Any, students: list[str]) -> None:
    assert live.act(lesson[0], "remove", students=students).status_code == 422


def test_nobody_gets_the_seat_of_who_is_not_there(live: Any, lesson: Any) -> None:
    refused = live.act(lesson[0], f"students/{'0' * 16}/seat")
    assert (refused.status_code, refused.json()["code"]) == (404, "no_student")
