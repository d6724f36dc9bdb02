"""A student whose page is open twice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.conftest import Come, Person

Tabs = tuple["Person", "Person", "Person"]
LATE = "Your last answer came too late and does not count."


@pytest.fixture
def lesson(teacher: Person, person: Come) -> Tabs:
    """Return Ada, Ada's second tab, and Ben, in a lesson that has just started."""
    code = teacher.makes_class("4b, Tuesday", "insects")
    ada, ben = person(), person()
    ada.joins(code, "Ada")
    ben.joins(code, "Ben")
    second = type(ada)(ada.context, ada.context.new_page(), ada.url)
    second.go("/student")
    second.sees("Hello, Ada!")
    return ada, second, ben


def deafen(one: Person) -> None:
    """Let a page receive nothing, as on a suspended connection that looks open."""
    one.page.route_web_socket(re.compile("/api/live"), lambda _line: None)
    one.page.reload()


def test_a_tab_follows_the_other(teacher: Person, lesson: Tabs) -> None:
    """A question answered in one tab is neither asked nor shown in the other."""
    ada, second, ben = lesson
    teacher.press("Start the lesson")
    for one in (ada, ben):
        one.answers_round("1")
    ada.page.get_by_role("button", name="Next question").wait_for()
    second.answers_round("2")
    ada.sees("Your answer is saved.")
    ada.sees("Round 2")
    assert ada.page.get_by_role("button", name="Next question").count() == 0
    ben.answers_round("2")
    ada.sees("Round 3")
    ada.answers_round("1")
    ben.answers_round("1")
    second.sees("Round 4")
    teacher.sees("Round 4")
    assert second.page.get_by_text(LATE).count() == 0


def test_an_answer_that_comes_too_late_is_reported(teacher: Person, lesson: Tabs) -> None:
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
    ada.page.locator(".options [aria-pressed=true]").wait_for()
    assert ada.page.get_by_text(LATE).count() == 0


def test_the_first_of_two_answers_counts_and_the_page_shows_it(
    teacher: Person, lesson: Tabs
) -> None:
    ada, second, ben = lesson
    teacher.press("Start the lesson")
    teacher.sees("Round 1")
    deafen(ada)
    ada.page.locator(".options").wait_for()
    second.answers_round("1")
    ben.answers_round("1")
    teacher.sees("Round 2")
    ada.page.keyboard.press("2")
    ada.sees("You had already answered this question on another page. That answer counts.")
    ada.page.get_by_role("button", name="Next question").click()
    ada.sees("Round 2")
    assert ada.page.get_by_text("on another page").count() == 0


def test_a_page_that_becomes_visible_loads_its_view(teacher: Person, lesson: Tabs) -> None:
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
