"""A class is taught in real browsers, from the first password to the export."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.conftest import Come, Person, Served

from tests.browser.conftest import album
from tests.browser.test_pages import look_at

NAMES = ("Ada", "Ben", "Chioma")


@pytest.fixture
def new_class(teacher: Person, person: Come) -> tuple[Person, list[Person]]:
    """A class of three that has just joined."""
    code = teacher.makes_class("4b, Tuesday", "insects")
    assert re.fullmatch(r"[A-Z0-9]{6}", code)
    students = [person(viewport={"width": 390, "height": 844}) for _ in NAMES]
    for student, name in zip(students, NAMES, strict=True):
        student.joins(code, name)
    teacher.sees("3 of 3 here")
    return teacher, students


def test_a_lesson_from_joining_to_the_export(new_class: tuple[Person, list[Person]]) -> None:
    teacher, students = new_class
    teacher.press("Start the pre-test")
    all_answer(students, "First, some questions")
    teacher.sees("3 of 3 have finished")
    teacher.press("Start the lesson")
    teacher.sees("Round 1")
    for _ in range(2):
        for student, key in zip(students, "121", strict=True):
            student.answers_round(key)
    teacher.sees("Round 3")
    teacher.press("Show details: groups and progress")
    teacher.page.locator(".map .student").nth(2).wait_for()
    teacher.page.locator("polyline.total").first.wait_for()

    teacher.press("Pause")
    for student in students:
        onward = student.page.get_by_role("button", name="Next question")
        paused = student.page.get_by_text("Your teacher has paused the lesson")
        onward.or_(paused).first.wait_for()
        if onward.is_visible():
            onward.click()
        paused.wait_for()
    teacher.press("Resume")
    students[0].page.locator(".question").wait_for()

    slider = teacher.page.get_by_label("Whose time counts more?")
    slider.wait_for()
    slider.fill("1")
    teacher.press("Regroup like this")
    teacher.page.get_by_role("columnheader", name="Group").wait_for()
    students[0].page.get_by_text(re.compile("Group [A-Z]")).wait_for()
    teacher.press("All together")

    teacher.press("Start the post-test")
    all_answer(students, "Final questions")
    teacher.press("End the lesson")
    for student in students:
        student.sees("Well done!")
    with teacher.page.expect_download() as download:
        teacher.page.get_by_role("link", name="Answers as CSV").click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text("utf-8"))))
    assert {name for row in rows for name in NAMES if name in row.values()} == set(NAMES)
    assert teacher.offences() == []


def all_answer(students: list[Person], begins: str) -> None:
    """Let one student answer a test with the mouse, and the others as fast as they can."""
    first, *others = students
    for one in others:
        one.sees(begins)
        one.clicks_through_test()
    first.answers_test()
    for one in others:
        one.sees("That was the last question")
        one.page.reload()  # which ends the clicking


def test_the_lesson_ends_by_itself_at_the_goal(
    teacher: Person, person: Come, served: Served
) -> None:
    made = teacher.page.request.post(
        f"{served.url}/api/classes",
        data={"name": "easy", "activity": "insects", "goal": 10},
        headers={"origin": served.url},
    ).json()
    student = person()
    student.joins(made["code"], "Ada")
    teacher.go(f"/teacher/classes/{made['class']}")
    teacher.press("Start the pre-test")
    student.clicks_through_test()
    student.sees("That was the last question")
    teacher.press("Start the lesson")
    student.sees("The lesson is over")
    teacher.sees("The class has reached its goal.")
    look_at(teacher, "goal")


def test_the_last_answer_is_judged_and_explained(
    teacher: Person, person: Come, served: Served
) -> None:
    """For the student and for the teacher, with a note that the lesson is over."""
    made = teacher.page.request.post(
        f"{served.url}/api/classes",
        data={"name": "soon", "activity": "insects", "goal": 0.75},
        headers={"origin": served.url},
    ).json()
    student = person(viewport={"width": 390, "height": 844})
    student.joins(made["code"], "Ada")
    teacher.go(f"/teacher/classes/{made['class']}")
    teacher.press("Start the lesson")
    over = student.page.get_by_text("The lesson is over")
    for _ in range(40):
        student.answers_round("1")
        onward = student.page.get_by_role("button", name="Next question")
        onward.or_(over).first.wait_for()
        if over.is_visible():
            break
    judged = student.page.locator(".result:not(.short)")
    text = judged.inner_text()
    assert re.search("That is right!|Not quite.", text)
    assert "its antennae" in text
    assert student.page.locator(".question img").is_visible()
    album(student, "last-answer-student")
    last = teacher.page.get_by_role("list", name="Last example")
    last.get_by_text(re.compile("[01] of 1 right")).wait_for()
    last.get_by_text("its antennae").wait_for()
    teacher.sees("The lesson is over: there is no next example.")
    teacher.sees("1 of 1 have answered")
    assert teacher.offences() == []
    album(teacher, "last-answer-teacher")
    student.page.reload()
    assert judged.inner_text() == text
    assert judged.locator("img").is_visible()
    assert student.offences() == []
    album(student, "last-answer-reloaded")
    teacher.press("End the lesson")
    student.sees("Well done!")
    assert judged.inner_text() == text
    album(student, "last-answer-done")


def test_the_teacher_skips_chooses_and_continues(new_class: tuple[Person, list[Person]]) -> None:
    teacher, (ada, ben, chioma) = new_class
    teacher.press("Start the lesson")
    ada.page.locator(".question img").wait_for()
    teacher.press("Skip this example")
    teacher.sees("Round 2")
    teacher.page.get_by_text("Show another item instead").click()
    teacher.page.get_by_label("Choose an item").select_option("insect-100")
    teacher.press("Show it")
    chosen = teacher.picture_of("insect-100")
    for student in (ada, ben, chioma):
        student.sees_picture(chosen)
    ada.answers_round("1")
    teacher.sees("1 of 3 have answered")
    teacher.press("Show the solution")
    teacher.sees("Round 4")
    ben.sees("The last one was:")
    teacher.press("More: Chioma")
    teacher.press("Do not wait")
    teacher.sees("2 of 3 here")


@pytest.mark.slow
def test_an_answer_waits_until_the_server_is_back(
    new_class: tuple[Person, list[Person]], served: Served
) -> None:
    teacher, (ada, ben, chioma) = new_class
    teacher.press("Start the lesson")
    for student in (ben, chioma):
        student.answers_round("1")
    teacher.sees("2 of 3 have answered")
    ada.page.locator(".options").wait_for()
    served.stop()
    ada.page.keyboard.press("2")
    ada.sees("Sending your answer")
    ada.sees("No connection. Your answers are saved")
    ada.sees("1 answer is waiting to be sent")
    served.start()
    teacher.sees("Round 2")
    ada.page.get_by_role("button", name="Next question").click()
    for one in (teacher, ada, ben, chioma):
        one.forgive()  # browsers report every attempt that fails


def test_an_unacknowledged_answer_survives_a_reload(
    new_class: tuple[Person, list[Person]],
) -> None:
    teacher, (ada, ben, chioma) = new_class
    teacher.press("Start the lesson")
    for student in (ben, chioma):
        student.answers_round("1")
    ada.page.locator(".options").wait_for()
    ada.context.route("**/api/answers", lambda route: route.abort())
    ada.page.keyboard.press("2")
    ada.sees("Sending your answer")
    ada.page.reload()
    ada.page.locator(".question").wait_for()
    ada.context.unroute("**/api/answers")
    teacher.sees("Round 2")
    ada.forgive()


def test_a_wrong_code_is_refused(person: Come, served: Served) -> None:
    student = person()
    student.go("/")
    student.page.get_by_label("Code").fill("zzzzzz")
    student.page.get_by_label("First name or nickname").fill("Eve")
    student.press("Join")
    student.sees("No class has this code")
    student.forgive()


def test_a_class_is_deleted_with_all_its_data(new_class: tuple[Person, list[Person]]) -> None:
    teacher, (ada, *others) = new_class
    teacher.press("Delete this class and all its data")
    teacher.press("Delete for good")
    teacher.sees("Create a class")
    ada.sees("You are not in a class at the moment")
    for one in (ada, *others):
        one.forgive()  # the browsers report that the cookies are no longer valid


def test_all_classes_are_deleted_with_all_their_data(teacher: Person, person: Come) -> None:
    code = teacher.makes_class("one", "insects")
    child = person()
    child.joins(code, "Kim")
    teacher.makes_class("another", "letter-a")
    teacher.go("/teacher")
    teacher.press("Delete all classes and all their data")
    teacher.press("Cancel")
    teacher.page.get_by_role("link", name="another").wait_for()
    teacher.press("Delete all classes and all their data")
    teacher.press("Delete for good")
    teacher.sees("No classes yet")
    child.sees("You are not in a class at the moment")
    child.forgive()  # the browser reports that the cookie is no longer valid


def test_the_goal_and_the_retention_time_can_be_chosen(teacher: Person) -> None:
    goal, kept = "when it knows 80 %", "7 days"
    teacher.makes_class("4b", "insects", goal=goal, kept=kept)
    teacher.sees("Kept on this server for 7 days")
    address = teacher.page.url.replace("/teacher/classes", "/api/classes")
    assert teacher.page.request.get(address).json()["goal"] == 0.2


def test_a_script_in_a_name_is_only_a_name(teacher: Person, person: Come) -> None:
    name = "<img src=x onerror=alert(1)>"
    code = teacher.makes_class(name, "insects")
    student = person()
    student.joins(code, name)
    teacher.sees("1 of 1 here")
    teacher.page.get_by_role("heading", name=name).wait_for()
    assert teacher.page.locator("img[src=x]").count() == 0
    assert student.page.locator("img[src=x]").count() == 0
