"""A student who has her page open twice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.conftest import Come, Person

Room = tuple["Person", "Person", "Person"]
LATE = "Your last answer came too late and does not count."


@pytest.fixture
def lesson(teacher: Person, person: Come) -> Room:
    """Return Ada, her second tab, and Ben, in a lesson that has just begun."""
    code = teacher.makes_class("4b, Tuesday", "insects")
    ada, ben = person(), person()
    ada.joins(code, "Ada")
    ben.joins(code, "Ben")
    second = type(ada)(ada.context, ada.context.new_page(), ada.url)
    second.go("/student")
    second.sees("Hello, Ada!")
    return ada, second, ben


def deafen(one: Person) -> None:
    """Leave a page without news, as of a line that sleeps: it looks open, and is silent."""
    one.page.route_web_socket(re.compile("/api/live"), lambda _line: None)
    one.page.reload()


def test_a_tab_goes_on_with_the_other(teacher: Person, lesson: Room) -> None:
    """What was answered in one is not asked, nor kept on the screen, in the other."""
    ada, second, ben = lesson
    teacher.press("Start the lesson")
    for one in (ada, ben):
        one.answers_round("1")
    ada.page.get_by_role("button", name="Next question").wait_for()
    second.answers_round("2")
    ada.sees("Waiting for the others.")
    ada.sees("Round 2")
    assert ada.page.get_by_role("button", name="Next question").count() == 0
    ben.answers_round("2")
    ada.sees("Round 3")
    ada.answers_round("1")
    ben.answers_round("1")
    second.sees("Round 4")
    teacher.sees("Round 4")
    assert second.page.get_by_text(LATE).count() == 0


def test_an_answer_that_comes_too_late_is_told(teacher: Person, lesson: Room) -> None:
    ada, second, _ = lesson
    second.page.close()
    deafen(ada)
    teacher.press("Start the lesson")
    teacher.sees("Round 1")
    ada.page.reload()
    ada.sees("Round 1")
    teacher.press("Skip this example")
    teacher.sees("Round 2")
    ada.page.locator(".options").wait_for()
    ada.page.keyboard.press("1")
    ada.page.get_by_role("alert").get_by_text(LATE).wait_for()
    ada.sees("Round 2")
    ada.forgive()  # the browser reports the refusal
    ada.page.keyboard.press("1")
    ada.page.locator(".result:not(.short)").wait_for()
    assert ada.page.get_by_text(LATE).count() == 0


def test_of_two_answers_the_first_counts_and_that_is_told(teacher: Person, lesson: Room) -> None:
    ada, second, ben = lesson
    teacher.press("Start the lesson")
    teacher.sees("Round 1")
    deafen(ada)
    ada.page.locator(".options").wait_for()
    second.answers_round("1")
    ben.answers_round("1")
    teacher.sees("Round 2")
    ada.page.keyboard.press("2")
    ada.sees("You had answered this one already, on another page. That answer counts.")
    ada.page.get_by_role("button", name="Next question").click()
    ada.sees("Round 2")
    assert ada.page.get_by_text("already, on another page").count() == 0


def test_a_page_that_is_looked_at_again_asks_what_is_new(teacher: Person, lesson: Room) -> None:
    ada, second, ben = lesson
    teacher.press("Start the lesson")
    teacher.sees("Round 1")
    deafen(ada)
    ada.page.locator(".options").wait_for()
    second.answers_round("1")
    ben.answers_round("1")
    teacher.sees("Round 2")
    ada.sees("Round 1")
    ada.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    ada.sees("Round 2")
