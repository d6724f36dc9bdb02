"""A child writes with a pen, and the robot writes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.conftest import Come, Person


COUNTS_FRAMES = """() => {
  window.drawn = 0;
  const draw = window.requestAnimationFrame;
  window.requestAnimationFrame = (paint) => {
    window.drawn += 1;
    return draw(paint);
  };
}"""


@pytest.fixture
def child(teacher: Person, person: Come) -> Person:
    code = teacher.makes_class("1a writes", "letter-o")
    one = person(viewport={"width": 820, "height": 1180}, has_touch=True)
    one.joins(code, "Kim")
    teacher.press("Start the lesson")
    one.sees("Now you!")
    return one


@pytest.mark.slow
def test_a_child_writes_and_the_robot_writes_back(child: Person, teacher: Person) -> None:
    box = child.page.get_by_role("img", name="Sheet to write on").bounding_box()
    assert box is not None
    assert box["height"] >= 300
    child.writes()
    with child.page.expect_request("**/api/ink") as sent:
        child.press("Show it to the robot")
    data = sent.value.post_data_json
    assert data is not None
    (stroke,) = data["strokes"]
    assert len(stroke) == 40
    assert all(0 <= point["p"] <= 1 for point in stroke)
    assert [point["t"] for point in stroke] == sorted(point["t"] for point in stroke)
    child.sees("Smooth line")
    child.press("Next letter")
    child.sees("Watch: the robot is writing")
    child.sees("Show the robot how to write")
    teacher.sees("try 1")
    assert child.offences() == []


def test_the_robot_does_not_move_with_reduced_motion(child: Person) -> None:
    child.page.emulate_media(reduced_motion="reduce")
    child.writes()
    child.press("Show it to the robot")
    child.page.evaluate(COUNTS_FRAMES)
    child.press("Next letter")
    child.sees("Show the robot how to write")
    assert child.page.evaluate("drawn") < 10  # with motion there are sixty a second


def test_plain_http_from_another_machine_is_enough(teacher: Person, person: Come) -> None:
    """Such a page is not a secure context, in which browsers lack some functions."""
    code = teacher.makes_class("1a writes", "letter-o")
    child = person()
    child.url = child.url.replace("127.0.0.1", "school.test")
    child.joins(code, "Kim")
    assert not child.page.evaluate("isSecureContext")
    assert not child.page.evaluate("'getCoalescedEvents' in PointerEvent.prototype")
    teacher.press("Start the lesson")
    child.sees("Now you!")
    child.writes()
    child.press("Show it to the robot")
    child.sees("Smooth line")


def test_a_letter_can_be_started_again_and_an_empty_sheet_is_not_sent(child: Person) -> None:
    child.press("Show it to the robot")
    child.sees("Write something first")
    child.writes()
    child.press("Start again")
    assert child.page.get_by_role("button", name="Start again").is_disabled()
