"""The report of a class: in the page's language, on the screen and on paper."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import ALBUM, PATIENCE
from tests.browser.test_pages import look_at

if TYPE_CHECKING:
    from playwright.sync_api import APIRequestContext

    from tests.browser.conftest import Come, Person

NAMES = ("Ada", "Ben")
TOO_WIDE = """[...document.querySelectorAll("main .wide")]
  .filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)"""


class Client:
    """Sends the requests of a page, without a page."""

    def __init__(self, person: Person, place: str = "") -> None:
        self.asks: APIRequestContext = person.context.request
        self.url, self.place = person.url, place

    def send(self, path: str, body: Any = None) -> Any:
        answer = self.asks.post(
            f"{self.url}/api{self.place}/{path}", data=body or {}, headers={"origin": self.url}
        )
        assert answer.ok, answer.text()
        return answer.json()

    def sees(self) -> Any:
        return self.asks.get(f"{self.url}/api/me").json()

    def answers_test(self, value: int) -> None:
        while (view := self.sees())["item"] is not None:
            self.answers(view, value)

    def answers_round(self, number: int, value: int) -> None:
        """Answer in a round as soon as it has begun."""
        self.answers(self.waits_for(number), value)

    def waits_for(self, number: int) -> Any:
        """Look until a round has begun."""
        until = time.monotonic() + PATIENCE
        while (view := self.sees())["round"] != number or view["item"] is None:
            assert time.monotonic() < until, f"round {number} does not begin"
            time.sleep(0.02)
        return view

    def answers(self, view: Any, value: int) -> None:
        answer = {"round": view["round"], "item": view["item"]["id"], "answer": value}
        self.send("answers", answer)


@pytest.fixture
def report(teacher: Person, person: Come) -> str:
    """The address of the report of a class: with tests, and an item that the teacher chose."""
    made = Client(teacher).send("classes", {"name": "4b, Dienstag", "activity": "insects"})
    room = Client(teacher, f"/classes/{made['class']}")
    students = [Client(person()) for _ in NAMES]
    for student, name in zip(students, NAMES, strict=True):
        student.send("join", {"code": made["code"], "nickname": name})
    room.send("phase", {"phase": "pretest"})
    for student, value in zip(students, (1, -1), strict=True):
        student.answers_test(value)
    room.send("phase", {"phase": "teach"})
    for number in (1, 2, 3):
        for student, value in zip(students, (1, -1), strict=True):
            student.answers_round(number, value)
    students[0].waits_for(4)
    room.send("override", {"item": "insect-100"})
    for student in students:
        student.answers_round(5, 1)
    room.send("phase", {"phase": "posttest"})
    for student in students:
        student.answers_test(1)
    room.send("phase", {"phase": "done"})
    return f"/teacher/classes/{made['class']}/report"


def test_a_report_is_translated(teacher: Person, report: str) -> None:
    teacher.go(report)
    teacher.sees("right before the lesson")
    teacher.sees("Examples, and why they were chosen")
    teacher.page.get_by_text("You chose it.").wait_for()
    teacher.page.get_by_role("row", name="Ada").wait_for()
    table = teacher.page.get_by_role("table").nth(2)
    assert "butterfly" in table.inner_text()
    teacher.press("Deutsch")
    teacher.sees("richtig vor der Stunde")
    teacher.sees("Tagfalter und Nachtfalter")
    teacher.page.get_by_text("Sie haben es gewählt.").wait_for()
    text = teacher.page.locator("main").inner_text()
    for english in ("butterfly", "moth", "insect", "Goal", "would", "error"):
        assert english not in text
    drawn = teacher.page.locator("main svg").first
    assert "Ziel: 90\xa0%" in (drawn.text_content() or "")
    assert "Was die Klasse mindestens weiß, ändert" in (drawn.get_attribute("aria-label") or "")


def test_every_example_has_its_picture(teacher: Person, report: str) -> None:
    teacher.go(report)
    rows = teacher.page.get_by_role("table").nth(2).locator("tbody tr")
    rows.nth(4).wait_for()
    for place in range(rows.count()):
        picture = rows.nth(place).locator("img")
        assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    chosen = rows.filter(has_text="You chose it.")
    assert "insect-100" in (chosen.locator("img").get_attribute("src") or "")


def test_the_items_to_repeat_are_listed_with_the_worst_first(teacher: Person, report: str) -> None:
    teacher.go(report)
    pictures = teacher.page.locator(".again img")
    pictures.first.wait_for()
    listed = pictures.evaluate_all("images => images.map(image => image.src.split('/').at(-2))")
    place = report.removeprefix("/teacher")
    data = teacher.page.request.get(f"{teacher.url}/api{place}").json()
    assert listed == data["repeat"]["items"]


def test_a_report_during_a_test_counts_right_answers(teacher: Person, person: Come) -> None:
    made = Client(teacher).send("classes", {"name": "4b", "activity": "insects"})
    room, student = Client(teacher, f"/classes/{made['class']}"), Client(person())
    student.send("join", {"code": made["code"], "nickname": "Ada"})
    room.send("phase", {"phase": "pretest"})
    while (view := student.sees())["left"] > 1:  # nine of ten; half of all are butterflies
        student.answers(view, 1)
    data = teacher.page.request.get(f"{teacher.url}/api/classes/{made['class']}/report").json()
    right = data["students"][0]["right"]
    teacher.go(f"/teacher/classes/{made['class']}/report")
    ada = teacher.page.get_by_role("row", name="Ada")
    ada.wait_for()
    cells = ada.get_by_role("cell")
    assert 4 <= right <= 5
    assert cells.all_inner_texts()[:2] == [f"{right}/9", "–"]


def test_a_report_looks_right(teacher: Person, report: str) -> None:
    teacher.go(report)
    teacher.page.locator("main svg").first.wait_for()
    look_at(teacher, "report")


def test_on_a_phone_every_value_has_its_name(teacher: Person, report: str) -> None:
    """No table is wider than the narrowest phone, so that it need not be scrolled."""
    teacher.page.set_viewport_size({"width": 320, "height": 640})
    teacher.go(report)
    teacher.press("Deutsch")
    ada = teacher.page.get_by_role("row", name="Ada")
    ada.wait_for()
    assert teacher.page.evaluate(TOO_WIDE) == []
    named = "cell => getComputedStyle(cell, '::before').content"
    text = [cell.evaluate(named) for cell in ada.locator("td").all()]
    assert [text.split('"')[1].removesuffix(": ") for text in text] == [
        "Vorher",
        "Nachher",
        "Änderung",
        "Wissen",
        "Verwechselt noch",
    ]


def test_on_paper_no_column_is_cut_off(teacher: Person, report: str) -> None:
    """A4 with its margins is 680 pixels wide; the columns keep their heads there."""
    teacher.page.set_viewport_size({"width": 680, "height": 960})
    teacher.page.emulate_media(media="print")
    teacher.go(report)
    teacher.page.locator("main svg").first.wait_for()
    for language in ("de", "en"):
        teacher.page.evaluate(f"document.querySelector('footer [lang={language}]').click()")
        assert teacher.page.locator("thead").first.is_visible()
        ends = "nodes => Math.max(...nodes.map(node => node.getBoundingClientRect().right))"
        assert teacher.page.locator("td, th, main svg").evaluate_all(ends) <= 680


def test_only_the_report_is_printed(teacher: Person, report: str, tmp_path: Path) -> None:
    """Paper is light even if the screen is dark, and the file is named after the class."""
    teacher.page.emulate_media(color_scheme="dark")
    teacher.page.add_init_script("window.print = () => { window.printed = true }")
    teacher.go(report)
    teacher.press("Deutsch")
    teacher.press("Drucken")
    assert teacher.page.evaluate("window.printed")
    teacher.page.emulate_media(media="print", color_scheme="dark")
    for gone in ("#page > header", "#page > footer", "main button", "main a"):
        assert not any(one.is_visible() for one in teacher.page.locator(gone).all())
    ink = teacher.page.evaluate("getComputedStyle(document.querySelector('h1')).color")
    assert ink == "rgb(27, 31, 34)"
    teacher.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert teacher.page.title().startswith("4b, Dienstag, ")
    teacher.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert teacher.page.title() == "Bericht · homeroom"
    if ALBUM:
        teacher.page.set_viewport_size({"width": 680, "height": 960})
        teacher.page.screenshot(path=Path(ALBUM) / "report-on-paper.png", full_page=True)
    teacher.page.pdf(path=tmp_path / "report.pdf", prefer_css_page_size=True)
    assert (tmp_path / "report.pdf").stat().st_size > 10_000


def test_the_report_of_a_class_that_writes_has_friendly_words(
    teacher: Person, person: Come
) -> None:
    code = teacher.makes_class("1a writes", "letter-a")
    room = teacher.page.url
    child, other = person(reduced_motion="reduce"), person()
    child.joins(code, "Kim")
    other.joins(code, "Lou")
    teacher.press("Start the lesson")
    child.sees("Now you!")
    for _ in range(2):
        child.writes()
        child.press("Show it to the robot")
        child.sees("Smooth line")
        child.press("Next letter")
        child.sees("Show the robot how to write")
    teacher.page.goto(room)
    teacher.page.get_by_role("link", name="Printable report").click()
    teacher.sees("never a diagnosis")
    kim = teacher.page.get_by_role("row", name="Kim")
    assert kim.locator("svg").count() == 2
    assert "Smooth line" in kim.inner_text()
    text = teacher.page.locator("main").inner_text()
    for word in ("distortion", "rotation", "shakiness"):
        assert word not in text
    teacher.press("Deutsch")
    teacher.sees("Der Buchstabe a")
    teacher.sees("nie eine Diagnose")
    teacher.page.set_viewport_size({"width": 320, "height": 640})
    assert teacher.page.evaluate(TOO_WIDE) == []
    look_at(teacher, "report-letters")


def test_the_report_of_an_empty_class(teacher: Person) -> None:
    made = Client(teacher).send("classes", {"name": "empty", "activity": "insects"})
    teacher.go(f"/teacher/classes/{made['class']}/report")
    teacher.sees("No students have joined this class.")
    assert teacher.offences() == []


def test_there_is_no_report_of_a_deleted_class(teacher: Person) -> None:
    teacher.go("/teacher/classes/0123456789abcdef/report")
    teacher.press("Deutsch")
    teacher.sees("Diese Klasse gibt es nicht. Vielleicht wurde sie gelöscht.")
    teacher.forgive()  # the browser reports the refusal
