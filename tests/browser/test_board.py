"""The teacher's pages on the board, without names."""

from __future__ import annotations

import re
import sqlite3
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from homeroom.live.events import RoundBegan
from homeroom.live.store import EventStore
from tests.browser.test_pages import look_at

if TYPE_CHECKING:
    import pytest

    from tests.browser.conftest import Come, Person

NAMES = ("Zelda", "Yannick")
EVERY_WORD = """() => [document.documentElement.outerHTML,
  ...[...document.querySelectorAll('input, select')].map(one => one.value)].join(' ')"""


def names_shown(teacher: Person) -> set[str]:
    """Return the names that are anywhere on the page, for the eye or a screen reader."""
    text = teacher.page.evaluate(EVERY_WORD)
    return {name for name in NAMES if name in text}


def test_hidden_names_are_nowhere_on_the_page(teacher: Person, person: Come) -> None:
    """Hidden with the keyboard, in the lobby and in the lesson, until they are shown again."""
    code = teacher.makes_class("4b, Tuesday", "insects")
    students = person(), person()
    for student, name in zip(students, NAMES, strict=True):
        student.joins(code, name)
    teacher.sees("2 of 2 here")
    assert names_shown(teacher) == set(NAMES)
    button = teacher.page.get_by_role("button", name="Hide names", exact=True)
    button.press("Enter")
    teacher.page.locator("[role=status]").get_by_text("Names are hidden on this device").wait_for()
    assert teacher.page.locator(".chip").all_text_contents() == ["Student 1", "Student 2"]
    assert names_shown(teacher) == set()
    assert teacher.page.evaluate("document.activeElement.textContent") == "Show names"

    teacher.press("Start the lesson")
    for student, key in zip(students, "12", strict=True):
        student.answers_round(key)
    teacher.sees("Round 2")
    teacher.page.get_by_role("button", name="Student 2", exact=True).click()
    teacher.press("Show details: groups and progress")
    teacher.page.locator(".map text").get_by_text("Student 2").wait_for()
    row = teacher.page.get_by_role("row", name="Student 1")
    row.get_by_role("img", name=re.compile(r"\d+%, between")).wait_for()
    teacher.press("More: Student 1")
    teacher.page.get_by_role("heading", name="Student 1").wait_for()
    teacher.press("Close")
    assert names_shown(teacher) == set()
    look_at(teacher, "no-names")

    teacher.page.reload()
    teacher.page.get_by_role("row", name="Student 1").wait_for()
    assert names_shown(teacher) == set()
    teacher.press("Deutsch")
    teacher.sees("Auf diesem Gerät sind die Namen verborgen")
    teacher.page.get_by_role("row", name="Person 1").wait_for()
    teacher.press("Namen zeigen")
    teacher.page.get_by_role("row", name="Zelda").wait_for()
    assert names_shown(teacher) == set(NAMES)
    assert teacher.page.get_by_text("Auf diesem Gerät").count() == 0


def test_letters_are_shown_without_names(teacher: Person, person: Come) -> None:
    """A child has the same number on the page of the class and on that of the letters."""
    code = teacher.makes_class("1a writes", "letter-a")
    child, other = person(), person()
    child.joins(code, NAMES[0])
    other.joins(code, NAMES[1])
    teacher.press("Start the lesson")
    child.sees("Now you!")
    child.writes()
    child.press("Show it to the robot")
    teacher.page.get_by_role("heading", name=NAMES[0]).wait_for()
    teacher.press("Hide names")
    number = teacher.page.locator("h3").text_content() or ""
    assert number in ("Student 1", "Student 2")
    assert names_shown(teacher) == set()
    teacher.page.get_by_role("link", name="Letters on a separate page").click()
    teacher.page.get_by_role("heading", name=number).wait_for()
    assert names_shown(teacher) == set()
    teacher.press("Show names")
    teacher.page.get_by_role("heading", name=NAMES[0]).wait_for()


def test_the_teacher_sees_while_the_class_cannot_continue(
    teacher: Person, person: Come, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A banner that is read out, until the next example can be stored."""
    student = person()
    student.joins(teacher.makes_class("4c, Tuesday", "insects"), "Ada")
    append = EventStore.append

    def full(store: EventStore, class_id: str, event: Any, **how: Any) -> Future[Any]:
        if not isinstance(event, RoundBegan):
            return append(store, class_id, event, **how)
        failed: Future[Any] = Future()
        failed.set_exception(sqlite3.OperationalError("database or disk is full"))
        return failed

    with monkeypatch.context() as patch:
        patch.setattr(EventStore, "append", full)
        teacher.press("Start the lesson")
        banner = teacher.page.get_by_role("status").get_by_text("The class cannot continue")
        banner.wait_for()
        assert teacher.offences() == []
    teacher.sees("Round 1")
    banner.wait_for(state="detached")
    student.page.locator(".options").wait_for()
