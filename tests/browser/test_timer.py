"""The time left for the last answers, and buttons that wait for the server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.browser.test_pages import look_at
from tests.browser.test_several_answers import Taught

if TYPE_CHECKING:
    from tests.browser.conftest import Come, Person


def test_the_class_does_not_wait_for_a_silent_student(teacher: Person, person: Come) -> None:
    one = Taught(teacher, person, "insects")
    *quick, silent = one.students
    teacher.press("Start the lesson")
    limit = teacher.page.get_by_label("Time for the last answers")
    limit.select_option("60")
    for student in quick:
        student.answers_round("1")
    for who in (silent, quick[0], one.projector, teacher):
        who.page.get_by_role("timer").get_by_text(re.compile("[345][0-9] seconds left")).wait_for()
        look_at(who, f"timer-{[silent, quick[0], one.projector, teacher].index(who)}")
    teacher.press("No limit in this round")
    silent.page.get_by_role("timer").wait_for(state="detached")
    teacher.press("Limit the time again")
    silent.page.get_by_role("timer").wait_for()
    limit.select_option("0")
    silent.page.get_by_role("timer").wait_for(state="detached")
    one.act("timer", seconds=1)
    teacher.page.get_by_text("Round 2").first.wait_for()
    silent.page.locator(".options button:not([disabled])").first.wait_for()


def test_a_double_click_ends_one_round(teacher: Person, person: Come) -> None:
    one = Taught(teacher, person, "insects")
    teacher.press("Start the lesson")
    skip = teacher.page.get_by_role("button", name="Skip this example")
    skip.wait_for()
    held: list[Any] = []
    teacher.page.route("**/skip", lambda route: held.append(route))  # noqa: PLW0108 - as Playwright needs
    with teacher.page.expect_request("**/skip"):
        skip.dblclick()
    teacher.page.locator(".acts button:disabled").first.wait_for()
    assert len(held) == 1
    assert held[0].request.post_data_json == {"round": 1}
    held[0].continue_()
    teacher.page.locator(".acts button:disabled").first.wait_for(state="detached")
    assert one.board["round"] == 2
