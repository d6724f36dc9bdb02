"""One teacher, four students and a projector: the question, the reveal, the discussion."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.browser.conftest import Come, Person, album

NAMES = ("Ada", "Ben", "Chioma", "Davi")
TABLE = """item,label,options,question,explanation
fr,Paris,Lyon|Nice|Paris|Lille|Nantes,The capital of France?,Since 987.
es,Madrid,Seville|Madrid|Bilbao,The capital of Spain?,
it,Rome,Rome|Milan|Turin|Naples,The capital of Italy?,
pe,Lima,Cusco|Ica|Puno|Lima,The capital of Peru?,
"""


class Taught:
    """A class of four with options per item, and its projector."""

    def __init__(self, teacher: Person, person: Come, **settings: object) -> None:
        files = {"name": "capitals.csv", "mimeType": "text/csv", "buffer": TABLE.encode()}
        form: dict[str, Any] = {"name": "Capitals", "files": files}
        self.teacher, origin = teacher, {"origin": teacher.url}
        added = teacher.page.request.post(
            f"{teacher.url}/api/activities", multipart=form, headers=origin
        )
        wish = {"name": "4b, Tuesday", "activity": added.json()["id"], **settings}
        made = teacher.page.request.post(
            f"{teacher.url}/api/classes", data=wish, headers=origin
        ).json()
        teacher.go(f"/teacher/classes/{made['class']}")
        self.projector = person(viewport={"width": 1920, "height": 1080})
        self.projector.go(f"/board/{made['class']}")
        self.students = [person(viewport={"width": 390, "height": 780}) for _ in NAMES]
        for student, name in zip(self.students, NAMES, strict=True):
            student.joins(made["code"], name)
        self.projector.sees("4 students are here")

    def all_answer(self, keys: str) -> None:
        """Let each student press a key."""
        for student, key in zip(self.students, keys, strict=True):
            student.answers_round(key)


@pytest.mark.slow
def test_a_question_its_answers_and_the_solution(teacher: Person, person: Come) -> None:
    one = Taught(teacher, person, discussion=600)
    one.students[0].sees("4b, Tuesday")
    one.students[0].sees("Capitals")
    one.projector.sees("listens on this machine only")
    one.teacher.sees("listens on this machine only")
    assert one.teacher.page.locator("img[alt^=QR]").count() == 0
    assert one.projector.offences() == []
    one.teacher.press("Start the lesson")
    one.projector.page.get_by_role("heading", name="The capital of France?").wait_for()
    shown = one.projector.page.locator("main")
    for student, key in zip(one.students[:3], "335", strict=True):
        student.answers_round(key)
    one.projector.sees("3 of 4 have answered")
    one.students[0].sees("The solution comes soon")
    for private in (*NAMES, "Since 987", "right answer"):
        assert private not in shown.inner_text()
    assert one.students[0].page.locator(".result").count() == 0
    assert "right" not in one.students[0].page.locator("main").inner_text()

    one.students[3].answers_round("1")
    one.projector.sees("Since 987.")
    bars = one.projector.page.locator(".bars li")
    counts = [bars.nth(place).locator(".count [aria-hidden]").inner_text() for place in range(5)]
    assert counts == ["1", "0", "2", "0", "1"]
    assert "right" in (bars.nth(2).get_attribute("class") or "")
    for student in one.students:
        student.page.locator(".result").get_by_text("Paris").wait_for()
    row = one.teacher.page.get_by_role("row", name="Chioma")
    row.get_by_text("Nantes, wrong").wait_for()
    for page, name in ((one.projector, "revealed"), (one.teacher, "chose")):
        assert page.offences() == []
        album(page, f"projector-{name}")

    one.students[0].page.reload()
    one.students[0].page.locator(".result").get_by_text("Paris").wait_for()
    one.students[0].sees("The next question comes in a moment.")
    assert "The solution comes soon" not in one.students[0].page.locator("main").inner_text()

    one.teacher.press("Next question")
    one.projector.page.get_by_role("heading", name="The capital of France?").wait_for(
        state="hidden"
    )


def test_the_teacher_shows_the_solution(teacher: Person, person: Come) -> None:
    one = Taught(teacher, person, reveal="teacher")
    one.teacher.press("Start the lesson")
    one.all_answer("1212")
    one.teacher.sees("4 of 4 have answered")
    assert one.projector.page.locator(".why").count() == 0
    one.teacher.press("Show the solution")
    one.projector.page.locator(".why").wait_for()
    one.students[1].page.locator(".result").wait_for()
    one.teacher.press("Next question")
    one.teacher.sees("Round 2")


def test_a_step_that_was_begun_by_mistake_is_undone(teacher: Person, person: Come) -> None:
    one = Taught(teacher, person, discussion=600)
    one.teacher.press("Start the lesson")
    one.students[0].answers_round("1")
    one.teacher.sees("1 of 4 have answered")
    one.teacher.press("Start the post-test")
    one.projector.sees("Post-test")
    one.teacher.page.get_by_text("0 of 4", exact=True).first.wait_for()  # progress per student
    one.teacher.press("Undo: back to “Lesson”")
    one.teacher.sees("1 of 4 have answered")
    one.projector.page.get_by_role("heading", name="The capital of France?").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_the_projector_fits(teacher: Person, person: Come, scheme: str, width: int) -> None:
    """In both languages, and with a picture."""
    made = teacher.page.request.post(
        f"{teacher.url}/api/classes",
        data=json.dumps({"name": "4b", "activity": "insects", "discussion": 600}),
        headers={"origin": teacher.url, "content-type": "application/json"},
    ).json()
    projector = person(
        viewport={"width": width, "height": 720}, color_scheme=scheme, locale="de-DE"
    )
    student = person()
    student.joins(made["code"], "Ada")
    teacher.go(f"/teacher/classes/{made['class']}")
    projector.go(f"/board/{made['class']}")
    projector.sees("1 ist da")
    assert projector.offences() == []
    teacher.press("Start the lesson")
    projector.page.locator(".item img").wait_for()
    assert projector.offences() == []
    student.answers_round("1")
    projector.page.locator(".why").get_by_text(re.compile("falter")).wait_for()
    assert projector.offences() == []
    album(projector, f"projector-{scheme}-{width}")
