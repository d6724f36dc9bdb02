"""One teacher, four students and a projector: a lesson with five answers, rest and review."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import album
from tests.browser.test_pages import look_at

if TYPE_CHECKING:
    from tests.browser.conftest import Come, Person

SMALL, WIDE = {"width": 320, "height": 640}, {"width": 1920, "height": 1080}
NAMES = ("Ada", "Ben", "Chioma", "Dilan")


class Taught:
    """A class that has joined, with its projector."""

    def __init__(self, teacher: Person, person: Come, activity: str) -> None:
        self.teacher, self.headers = teacher, {"origin": teacher.url}
        code = teacher.makes_class("4b, Tuesday", activity)
        self.path = teacher.page.url.replace("/teacher/classes", "/api/classes")
        self.students = [person(viewport=SMALL, reduced_motion="reduce") for _ in NAMES]
        for student, name in zip(self.students, NAMES, strict=True):
            student.joins(code, name)
        self.projector = person(viewport=WIDE)
        self.projector.go(f"/board/{self.path.rpartition('/')[2]}")

    @property
    def board(self) -> Any:
        """What the teacher's page shows, as data."""
        return self.teacher.page.request.get(self.path).json()

    def act(self, what: str, **said: Any) -> None:
        """Send a request of the teacher."""
        sent = self.teacher.page.request.post(
            f"{self.path}/{what}",
            data=json.dumps(said),
            headers={**self.headers, "content-type": "application/json"},
        )
        assert sent.ok, sent.text()


def test_a_lesson_with_five_answers(teacher: Person, person: Come) -> None:
    one = Taught(teacher, person, "leaves")
    ada = one.students[0]
    teacher.press("Start the lesson")
    ada.page.locator(".options button").nth(4).wait_for()
    look_at(ada, "leaf-question")
    look_at(one.projector, "leaf-projector")
    for student, key in zip(one.students, "1345", strict=True):
        student.answers_round(key)
    teacher.sees("Round 2")
    ada.page.locator(".stack > button.main").wait_for()
    look_at(ada, "leaf-explained")
    teacher.press("Show details: groups and progress")
    teacher.page.locator(".map .region").nth(4).wait_for()
    assert teacher.page.locator(".map .region").count() == 5
    look_at(teacher, "leaf-map")
    groups = teacher.page.get_by_role("region", name="Groups", exact=True)
    groups.get_by_label("Or choose the groups:").select_option("by-knowledge:k=2")
    groups.get_by_role("button", name="Split the class").click()
    teacher.sees("The class has new groups.")
    one.act("skip", round=one.board["round"])
    one.projector.sees("Group B")
    look_at(teacher, "leaf-groups")
    groups.get_by_role("button", name="All together").click()
    teacher.sees("All students are in one group.")


def test_students_who_are_done_pause_and_then_review(teacher: Person, person: Come) -> None:
    one = Taught(teacher, person, "insects")
    ada, ben, *_ = one.students
    teacher.press("Start the lesson")
    for student in one.students:
        student.page.locator(".options").wait_for()
    behind = [one["id"] for one in one.board["students"] if one["name"] in ("Chioma", "Dilan")]
    one.act("focus", students=behind)
    one.act("skip", round=one.board["round"])
    teacher.sees("2 students are taking a break.")
    ada.sees("You can take a break")
    look_at(teacher, "resting")
    teacher.press("Let them review")
    teacher.sees("Students who have finished review what they know.")
    one.act("skip", round=one.board["round"])
    ada.page.locator(".options").wait_for()
    teacher.sees("This group has reached the goal.")
    look_at(teacher, "reviewing")
    teacher.press("Let them take a break")
    one.act("skip", round=one.board["round"])
    ben.sees("You can take a break")


def test_one_student_does_not_hold_up_a_class(teacher: Person, person: Come) -> None:
    """In a class of four, one who is always wrong keeps the mean below the goal."""
    one = Taught(teacher, person, "insects")
    teacher.press("Start the lesson")
    offered = teacher.page.get_by_text("All students except one have probably reached the goal.")
    labels = ("butterfly", "moth")
    for done in range(40):
        teacher.sees(f"Round {done + 1}")
        right = labels.index(one.board["next"]["label"]) + 1
        for student, name in zip(one.students, NAMES, strict=True):
            student.answers_round(str(3 - right if name == "Dilan" else right))
        if offered.is_visible():
            break
    assert one.board["finished"] is None
    teacher.press("Continue with this student")
    teacher.sees("3 students are taking a break.")


@pytest.mark.slow
@pytest.mark.parametrize("activity", ["times-tables", "insects"])
def test_the_new_activities_on_a_small_phone(teacher: Person, person: Come, activity: str) -> None:
    one = Taught(teacher, person, activity)
    ada = one.students[0]
    teacher.press("Start the lesson")
    ada.page.locator(".options button").nth(1).wait_for()
    look_at(ada, f"{activity}-question")
    for student in one.students:
        student.answers_round("2")
    ada.page.locator(".stack > button.main").wait_for()
    look_at(ada, f"{activity}-explained")
    album(one.projector, f"{activity}-projector")
    assert one.projector.offences() == []
