"""Two ways of teaching are compared in real browsers: tick box, consent, opt-out, arms, report."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.conftest import Come, Person

from homeroom.studies.experiment_log import read_logs
from tests.browser.test_pages import look_at

NAMES = ("Ada", "Ben", "Chioma", "Dan")
PHONE = {"width": 390, "height": 844}


def begins(teacher: Person) -> str:
    """Create a class that compares two ways of teaching, and return its code."""
    teacher.go("/teacher")
    teacher.page.get_by_label("Name of the class").fill("5b, comparing")
    teacher.page.get_by_label("Time to discuss it").select_option(index=0)
    teacher.page.get_by_label("Compare two ways of teaching").check()
    teacher.page.get_by_label("Compare homeroom with").select_option("easy items first")
    teacher.page.get_by_label("Items per student").select_option("5")
    teacher.page.get_by_label("Items drawn at random").select_option("50%")
    look_at(teacher, "experiment-new")
    teacher.press("Create the class")
    teacher.sees("No students have joined yet")
    found = teacher.page.locator(".code .heard").text_content() or ""
    return found.partition(":")[2].replace(" ", "")


def joins(one: Person, code: str, name: str, *, label: str, button: str) -> None:
    one.go(f"/?code={code}")
    one.page.get_by_label(label).fill(name)
    one.press(button)


def test_two_ways_of_teaching_are_compared(teacher: Person, person: Come, tmp_path: Path) -> None:
    code = begins(teacher)
    students = [person(viewport=PHONE) for _ in NAMES]
    for student, name in zip(students, NAMES, strict=True):
        joins(student, code, name, label="First name or nickname", button="Join")
        student.sees("Will you take part?")
    look_at(students[0], "experiment-consent")
    for student in students:
        student.press("I take part")
        student.sees("You take part in the comparison.")
        student.sees("Hello")
    declines = person(viewport=PHONE, locale="de-DE")
    joins(declines, code, "Eva", label="Vorname oder Spitzname", button="Mitmachen")
    declines.sees("Machst du mit?")
    declines.press("Ich mache nicht mit")
    declines.sees("Du machst beim Vergleich nicht mit.")
    teacher.sees("do not take part")
    teacher.sees("Begin with the pre-test")

    teacher.press("Start the pre-test")
    all_answer([*students, declines])
    teacher.press("Start the lesson")
    teacher.sees("Group A: homeroom, 2 students")
    teacher.sees("Group B: easy items first, 2 students")
    for student in students:
        student.answers_round("1")
    assert not students[0].page.get_by_text("Group").is_visible()  # nothing says which arm
    declines.page.locator(".question").wait_for()  # they are taught as well
    declines.page.keyboard.press("1")
    teacher.sees("Round 2")
    look_at(teacher, "experiment-lesson")
    students[3].press("Stop taking part")
    students[3].sees("You do not take part in the comparison.")

    teacher.press("Start the post-test")
    all_answer([*students, declines])
    teacher.press("End the lesson")
    teacher.page.get_by_role("link", name="Report").click()
    teacher.sees("Comparing ways of teaching")
    teacher.sees("2 students do not take part.")
    teacher.sees("In this class, students gained as much")  # each pressed the first button
    look_at(teacher, "experiment-report")
    with teacher.page.expect_download() as download:
        teacher.page.get_by_role("link", name="Download the log of the experiment").click()
    path = tmp_path / "log.jsonl"
    path.write_bytes(download.value.path().read_bytes())
    (lesson,) = read_logs([path])
    assert lesson.arms == ("homeroom", "easy-first")
    assert len({one.student for one in lesson.answers}) == 3
    assert not any(name in path.read_text() for name in (*NAMES, "Eva"))
    assert json.loads(path.read_text().splitlines()[0])["explore"] == 0.5


def all_answer(students: list[Person]) -> None:
    """Let all students answer a test as fast as they can, with the first button."""
    for one in students:
        one.page.locator(".question").wait_for()
        one.clicks_through_test()
    for one in students:
        done = re.compile("That was the last question|Das war die letzte Frage")
        one.page.get_by_text(done).wait_for()
        one.page.reload()  # which ends the clicking
