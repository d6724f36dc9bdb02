"""Every page, light and dark, on a phone and on a desktop: no errors, and accessible."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.browser.conftest import LEFT, READ, album

if TYPE_CHECKING:
    from playwright.sync_api import StorageState

    from tests.browser.conftest import Come, Person, Served

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
LOOKS: dict[str, tuple[Any, Any, str]] = {
    f"{scheme}-{width}": (scheme, {"width": width, "height": height}, language)
    for scheme, language, width, height in (
        ("dark", "Deutsch", 320, 640),
        ("dark", "Deutsch", 1920, 1080),
        ("light", "English", 390, 844),
        ("light", "English", 768, 1024),
        ("light", "English", 1280, 900),
    )
}
"""German words are the longest, so German is checked on the smallest phone."""
STILL = {"reduced_motion": "reduce"}
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
TAPS_AGAIN = """() => {
  const asked = document.querySelector('.question');
  new MutationObserver((_changes, watch) => {
    const next = document.querySelector('.question');
    if (next === null || next === asked) return;
    watch.disconnect();
    const tap = new MouseEvent('click', {bubbles: true, detail: 1});
    next.querySelector('.options button').dispatchEvent(tap);
  }).observe(document.body, {childList: true, subtree: true});
}"""
"""The second tap of a double tap, when the next question appears."""


PRESSES = """() => {
  const named = (name) => [...document.querySelectorAll('button')].find(
    (one) => one.textContent.trim() === name);
  const timer = setInterval(() => {
    if (named('Show names') === undefined) return named('Hide names')?.click();
    clearInterval(timer);
    window.pressed = performance.now();
  }, 10);
}"""
"""Presses a button of the teacher's page as soon as it is there, and notes when it has answered."""


def look_at(one: Person, name: str) -> None:
    """Check a page in every theme, size and language, and save screenshots if wanted.

    The last language is English again, for the rest of the test.
    """
    for look, (scheme, size, language) in LOOKS.items():
        one.page.set_viewport_size(size)
        one.page.emulate_media(color_scheme=scheme)
        one.press(language)
        one.page.evaluate(DRAWN)
        assert one.offences() == [], f"{look}-{name}"
    album(one, name)


def test_the_teachers_pages_of_a_quiz(teacher: Person, person: Come) -> None:
    code = teacher.makes_class("4b, Tuesday", "insects")
    room = teacher.page.url
    teacher.go("/teacher")
    teacher.page.locator(".list").wait_for()
    look_at(teacher, "classes")
    teacher.page.goto(room)
    students = person(), person()
    for student, name in zip(students, ("Ada", "Ben"), strict=True):
        student.joins(code, name)
    teacher.page.locator(".big .people .chip").nth(1).wait_for()
    look_at(teacher, "lobby")
    teacher.press("Start the pre-test")
    students[0].page.locator(".question").wait_for()
    look_at(teacher, "pre-test")
    asked = [student.page.locator(".question img").get_attribute("src") for student in students]
    teacher.press("Start the lesson")
    for student, key, before in zip(students, "12", asked, strict=True):
        student.page.wait_for_function(LEFT, arg=before)
        student.answers_round(key)
    look_at(teacher, "students")
    teacher.press("Show details: groups and progress")
    teacher.page.locator(".map .student").nth(1).wait_for()
    look_at(teacher, "class")


@pytest.mark.slow
def test_the_students_pages_of_a_quiz(teacher: Person, person: Come) -> None:
    code = teacher.makes_class("4b, Tuesday", "insects")
    student, other = person(**STILL), person()
    student.go(f"/?code={code}")
    student.page.locator("form").wait_for()
    look_at(student, "join")
    student.joins(code, "Ada")
    look_at(student, "hello")
    other.joins(code, "Ben")
    teacher.press("Start the lesson")
    student.page.locator(".question").wait_for()
    look_at(student, "question")
    student.page.keyboard.press("1")
    student.page.locator(".options [aria-pressed=true]").wait_for()
    look_at(student, "answered")
    other.answers_round("2")
    student.page.locator(".stack > button.main").wait_for()
    look_at(student, "explained")
    teacher.press("End the lesson")
    student.page.locator(".calm").wait_for()
    look_at(student, "done")


def test_the_pages_of_a_class_that_writes(teacher: Person, person: Come) -> None:
    code = teacher.makes_class("1a writes", "letter-a")
    child = person(**STILL)
    child.joins(code, "Kim")
    teacher.press("Start the lesson")
    child.sees("Now you!")
    child.writes()
    look_at(child, "writing")
    child.press("Show it to the robot")
    child.sees("Smooth line")
    look_at(child, "praise")
    child.press("Next letter")
    child.sees("Show the robot how to write")
    look_at(child, "robot")
    teacher.sees("try 1")
    look_at(teacher, "letters")


def test_the_teacher_signs_in(untouched: Served, person: Come) -> None:
    """The first password is chosen once, and is then needed to sign in."""
    one = person(untouched, **STILL)
    one.go("/teacher/first?token=the-link-that-was-printed")
    one.page.locator("input[type=password]").nth(1).wait_for()
    look_at(one, "first")
    one.signs_in_first()
    one.sees("No classes yet")
    one.press("Sign out")
    one.page.get_by_label("Password").wait_for()
    look_at(one, "sign-in")
    one.page.get_by_label("Password").fill("a wrong password")
    one.press("Sign in")
    one.sees("That is not the password")
    one.page.get_by_label("Password").fill("a long password")
    one.press("Sign in")
    one.sees("No classes yet")
    one.forgive()  # the browser reports the refusal


def test_the_first_page_loads_quickly_and_only_from_the_server(person: Come) -> None:
    """The page is usable within a second, and all requests go to the server itself."""
    visitor = person()
    asked: list[str] = []
    visitor.page.on("request", lambda request: asked.append(request.url))
    took: list[float] = []
    while len(took) < 3 or (min(took) >= 1000 and len(took) < 20):  # more on a busy machine
        visitor.go("/")
        visitor.page.locator("form").wait_for()
        took.append(visitor.page.evaluate("performance.now()"))
    assert min(took) < 1000
    assert all(url.startswith(visitor.url) for url in asked)


@contextmanager
def busy_cores(count: int = 2) -> Iterator[None]:
    """Keep some cores busy."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def test_the_teachers_page_answers_within_two_seconds_on_busy_cores(
    teacher: Person, person: Come, signed_in: StorageState
) -> None:
    """Measured from the start of the navigation, in a browser that has none of the files."""
    code = teacher.makes_class("4b, Tuesday", "insects")
    request = person().context.request
    for number in range(28):
        wish = {"code": code, "nickname": f"Student {number}"}
        request.post(f"{teacher.url}/api/join", data=wish, headers={"origin": teacher.url})
    teacher.sees("28 of 28 here")
    teacher.press("Start the lesson")
    teacher.sees("Round 1")
    took: list[float] = []
    with busy_cores():
        while len(took) < 3 or (min(took) >= 2.0 and len(took) < 10):  # more beside other tests
            again = person(viewport=DESK, storage_state=signed_in)
            again.context.add_init_script(f"({PRESSES})()")
            again.page.goto(teacher.page.url)
            again.page.wait_for_function("() => window.pressed !== undefined")
            took.append(again.page.evaluate("window.pressed") / 1000)
            again.page.close()
    logging.getLogger(__name__).info("interactive after %s s", np.round(took, 2).tolist())
    assert min(took) < 2.0


def test_a_whole_class_joins(teacher: Person, person: Come) -> None:
    """The list of names scrolls, on a small phone too."""
    code = teacher.makes_class("4b, Tuesday", "insects")
    request = person().context.request
    for number in range(28):
        wish = {"code": code, "nickname": f"Maximilian-Alexander {number}"}
        joined = request.post(f"{teacher.url}/api/join", data=wish, headers={"origin": teacher.url})
        assert joined.ok
    teacher.page.locator(".big .people .chip").nth(27).wait_for()
    look_at(teacher, "lobby-full")


def test_two_quick_clicks_are_one(teacher: Person, person: Come) -> None:
    """The button of the next phase, and the next question, appear in the same place."""
    code = teacher.makes_class("4b, Tuesday", "insects")
    student = person(viewport=PHONE, **STILL)
    student.joins(code, "Ada")
    teacher.page.get_by_role("button", name="Start the pre-test").dblclick(delay=60)
    student.sees("10 questions left")
    student.page.wait_for_timeout(READ)
    student.page.evaluate(TAPS_AGAIN)
    student.page.locator(".options button").first.click()
    student.sees("9 questions left")
    student.page.wait_for_timeout(READ)
    assert student.page.get_by_text("9 questions left").count() > 0
    assert teacher.page.locator("[aria-current=step]").text_content() == "Pre-test"


def hover(one: Person, selector: str) -> None:
    """Let the first element hover, as after a tap."""
    session = one.context.new_cdp_session(one.page)
    for part in ("DOM", "CSS"):
        session.send(f"{part}.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    found = session.send("DOM.querySelector", {"nodeId": root, "selector": selector})
    session.send("CSS.forcePseudoState", {**found, "forcedPseudoClasses": ["hover"]})


def test_on_a_touch_screen_no_answer_looks_selected(teacher: Person, person: Come) -> None:
    """The next question's answers are where the last one was tapped, and phones hover there."""
    code = teacher.makes_class("4b, Tuesday", "insects")
    student = person(viewport=PHONE, has_touch=True, is_mobile=True, **STILL)
    student.joins(code, "Ada")
    teacher.press("Start the pre-test")
    student.sees("10 questions left")
    assert student.page.evaluate("matchMedia('(hover: none)').matches")
    looks = """nodes => nodes.map(node => {
      const { backgroundColor, borderColor, outlineStyle } = getComputedStyle(node);
      return [backgroundColor, borderColor, outlineStyle].join(" ");
    })"""
    options = student.page.locator(".options button")
    fresh = options.evaluate_all(looks)
    for left in (9, 8):
        student.page.wait_for_timeout(READ)
        options.first.tap()
        student.sees(f"{left} questions left")
        hover(student, ".options button")
        assert options.evaluate_all(looks) == fresh
        assert len(set(fresh)) == 1
    album(student, "touch-next-question")


def test_the_focus_follows_the_lesson(teacher: Person, person: Come) -> None:
    """After an answer with Tab and Enter, the focus is on the next question."""
    code = teacher.makes_class("4b, Tuesday", "insects")
    student, other = person(), person()
    student.joins(code, "Ada")
    other.joins(code, "Ben")
    teacher.press("Start the pre-test")
    student.sees("10 questions left")
    student.page.locator(".options button").first.focus()
    student.page.keyboard.press("Enter")
    student.sees("9 questions left")
    student.page.locator("h1:focus").wait_for()
    student.page.keyboard.press("Tab")
    student.page.keyboard.press("Enter")
    student.sees("8 questions left")
    teacher.press("Start the lesson")
    for one in (student, other):
        one.sees("Round 1")
    student.answers_round("1")
    announced = teacher.page.locator(".controls [role=status]")
    teacher.sees("1 of 2 have answered")
    assert announced.text_content() == "Round 1"  # not every single answer
    other.answers_round("1")
    student.page.locator("[aria-live]").get_by_text("Next question").wait_for(state="attached")
    student.page.get_by_role("button", name="Next question").press("Enter")
    student.page.locator("h1:focus").wait_for()
    teacher.press("Start the post-test")
    student.sees("Final questions: what do you know now?")


def test_a_refusal_is_translated_when_the_language_changes(person: Come) -> None:
    visitor = person()
    visitor.go("/")
    visitor.page.get_by_label("Code").fill("zzzzzz")
    visitor.page.get_by_label("First name or nickname").fill("Eve")
    visitor.press("Join")
    visitor.sees("No class has this code")
    visitor.press("Deutsch")
    visitor.sees("Keine Klasse hat diesen Code.")
    visitor.forgive()  # the browser reports the refusal


def test_the_language_is_the_browsers_and_can_be_changed(person: Come) -> None:
    visitor = person(locale="de-AT")
    visitor.go("/")
    visitor.sees("Komm in deine Klasse")
    visitor.press("English")
    visitor.sees("Join your class")
    assert visitor.page.locator("html").get_attribute("lang") == "en"
    visitor.page.reload()
    visitor.sees("Join your class")


def test_refusals_and_built_in_activities_are_translated(teacher: Person, person: Come) -> None:
    code = teacher.makes_class("4b", "insects")
    person().joins(code, "Ada")
    late = person(locale="de-DE")
    late.go(f"/?code={code}")
    late.page.get_by_label("Vorname oder Spitzname").fill("Ada")
    late.press("Mitmachen")
    late.sees("Hier heißt schon jemand Ada. Bitte versuch einen anderen Namen.")
    late.forgive()  # the browser reports the refusal
    late.page.get_by_label("Vorname oder Spitzname").fill("Ben")
    late.press("Mitmachen")
    late.sees("Hallo, Ben!")
    teacher.press("Start the lesson")
    late.sees("Ist es ein Tagfalter oder ein Nachtfalter?")
    late.page.keyboard.press("1")
    late.page.locator(".options [aria-pressed=true]").wait_for()
    teacher.press("Show the solution")
    late.page.get_by_text("Seine Fühler").wait_for()
    assert "its antennae" not in late.page.locator("main").inner_text()
    teacher.press("Deutsch")
    teacher.page.get_by_text("Stattdessen ein anderes zeigen").click()
    teacher.page.get_by_label("Beispiel wählen").select_option(label="Augenfalter 100 (Tagfalter)")
    teacher.page.locator("img.wish[src*=insect-100]").wait_for()
