"""The students of a class: seats that are given back, removed students, a locked class."""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import SCHEMES, album

if TYPE_CHECKING:
    from tests.browser.conftest import Come, Person

SIZES = {"phone": {"width": 320, "height": 640}, "desk": {"width": 1280, "height": 900}}


def look_at(one: Person, name: str) -> None:
    """Check a page, light and dark, on a phone and on a desktop."""
    for scheme in SCHEMES:
        for size, (width, height) in ((s, v.values()) for s, v in SIZES.items()):
            one.page.set_viewport_size({"width": width, "height": height})
            one.page.emulate_media(color_scheme=scheme)
            one.page.wait_for_timeout(300)
            assert one.offences() == [], f"{scheme}-{size}-{name}"
    album(one, name)


@pytest.fixture
def three(teacher: Person, person: Come) -> tuple[str, list[Person]]:
    """A class of three that is being taught, and its code."""
    code = teacher.makes_class("4b, Tuesday", "insects")
    students = [person(viewport=SIZES["phone"]) for _ in range(3)]
    for student, name in zip(students, ("Ada", "Ben", "Xx Silly xX"), strict=True):
        student.joins(code, name)
    teacher.press("Start the lesson")
    return code, students


def test_a_student_with_a_new_phone_gets_the_seat_back(
    teacher: Person, person: Come, three: tuple[str, list[Person]]
) -> None:
    _, (ada, *_) = three
    ada.answers_round("1")
    teacher.press("More: Ada")
    look_at(teacher, "menu")
    teacher.press("Give the seat back")
    teacher.sees("It works once, within 10 minutes.")
    look_at(teacher, "seat")
    code = (teacher.page.locator(".offer .heard").text_content() or "").replace(" ", "")
    teacher.press("Close")
    new = person(viewport=SIZES["phone"])
    new.go("/")
    new.page.get_by_label("Code").press_sequentially(code.lower())
    new.sees("This code takes you back to your own seat.")
    assert new.page.get_by_label("First name or nickname").count() == 0
    look_at(new, "seat-code")
    new.press("Back to my seat")
    new.sees("Your answer is saved.")
    new.sees("Ada")
    ada.sees("You are not in a class at the moment.")
    ada.forgive()  # the cookie is no longer valid
    again = person()
    again.go(f"/?code={code}")
    again.press("Back to my seat")
    again.sees("This code is not valid, or no longer valid")
    again.forgive()


def test_the_menu_of_a_student_fits_a_small_phone(
    teacher: Person, three: tuple[str, list[Person]]
) -> None:
    """The menu can be reached without scrolling sideways."""
    _, students = three
    for student in students:  # what they know is stated after the first round
        student.answers_round("1")
    teacher.press("Deutsch")
    teacher.page.set_viewport_size({"width": 320, "height": 640})
    for name in ("Ada", "Xx Silly xX"):
        button = teacher.page.get_by_role("button", name=f"Mehr: {name}", exact=True)
        button.scroll_into_view_if_needed()
        box = button.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 320
        assert min(box["width"], box["height"]) >= 40
    table = teacher.page.get_by_role("region", name="Lernende")
    assert table.evaluate("one => one.scrollWidth <= one.clientWidth")
    row = teacher.page.get_by_role("row", name="Ada")
    row.get_by_role("img", name=re.compile(r"\d+\s%, zwischen \d+\s% und \d+\s%")).wait_for()
    button.click()
    teacher.press("Platz zurückgeben")
    teacher.sees("Er gilt einmal, 10 Minuten lang.")


def test_the_focus_is_never_lost(teacher: Person, three: tuple[str, list[Person]]) -> None:
    """With the keyboard alone: the menu, a seat, several students, and back."""
    more = teacher.page.get_by_role("button", name="More: Ada", exact=True)
    for leave in ("Escape", "Enter"):
        more.focus()
        teacher.page.keyboard.press("Enter")
        teacher.page.get_by_role("button", name="Give the seat back").press("Enter")
        code = teacher.page.locator("dialog .code:focus")
        code.wait_for()
        assert len((code.locator(".heard").text_content() or "").split()) == 8
        if leave == "Enter":
            teacher.page.keyboard.press("Tab")
        teacher.page.keyboard.press(leave)
        teacher.page.locator("dialog[open]").wait_for(state="detached")
        assert more.evaluate("one => one === document.activeElement")
    teacher.page.get_by_role("button", name="Remove several").press("Enter")
    teacher.page.locator("button:focus").get_by_text("Select all who never answered").wait_for()
    teacher.page.get_by_role("button", name="Cancel").press("Enter")
    teacher.page.locator("h2:focus").get_by_text("Students").wait_for()
    more.press("Enter")
    teacher.page.get_by_role("button", name="Remove", exact=True).press("Enter")
    teacher.page.locator("h2:focus").get_by_text("Students").wait_for()
    three[1][0].sees("You are no longer in this class.")
    three[1][0].forgive()


def test_a_student_is_removed_and_informed(
    teacher: Person, three: tuple[str, list[Person]]
) -> None:
    code, (ada, ben, silly) = three
    for student in (ada, silly):
        student.answers_round("1")
    teacher.press("More: Xx Silly xX")
    teacher.press("Remove")
    silly.sees("You are no longer in this class.")
    look_at(silly, "removed")
    silly.forgive()
    teacher.sees("1 of 2 have answered")
    ben.answers_round("1")
    teacher.sees("Round 2")
    silly.go(f"/?code={code}")
    silly.page.get_by_label("First name or nickname").fill("Cem")
    silly.press("Join")
    silly.page.locator(".question img").wait_for()
    silly.forgive()


def test_all_who_never_answered_are_removed_at_once(
    teacher: Person, three: tuple[str, list[Person]]
) -> None:
    _, (ada, ben, silly) = three
    ada.answers_round("1")
    teacher.sees("1 of 3 have answered")
    teacher.press("Remove several")
    teacher.sees("Remove 2 students")
    look_at(teacher, "several")
    teacher.page.get_by_label("Remove: Ben").uncheck()
    teacher.press("Remove 1 student")
    silly.sees("You are no longer in this class.")
    ben.answers_round("1")
    teacher.sees("Round 2")
    silly.forgive()


def test_a_class_is_locked_and_unlocked(
    teacher: Person, person: Come, three: tuple[str, list[Person]]
) -> None:
    code, _ = three
    teacher.press("Lock the class")
    teacher.sees("The class is locked: no new students can join.")
    look_at(teacher, "locked")
    late = person(viewport=SIZES["phone"])
    late.go(f"/?code={code}")
    late.page.get_by_label("First name or nickname").fill("Dora")
    late.press("Join")
    late.sees("The class is locked: no new students can join.")
    late.forgive()
    teacher.press("Unlock the class")
    teacher.page.get_by_role("button", name="Lock the class", exact=True).wait_for()
    late.press("Join")
    late.page.locator(".question img").wait_for()


def test_an_export_of_one_roster_is_imported(teacher: Person) -> None:
    teacher.makes_class("4b, Tuesday", "insects")
    users = "sourcedId,givenName,familyName,userMasterIdentifier\ns1,Ada,L,\nt1,Tess,T,\n"
    roles = "sourcedId,userSourcedId,role\nr1,s1,student\nr2,t1,teacher\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("users.csv", users)
        archive.writestr("roles.csv", roles)
    teacher.page.get_by_text("Import a class list").click()
    several: Any = [
        {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
        for name, text in (("users.csv", users), ("roles.csv", roles))
    ]
    one: Any = {"name": "a.zip", "mimeType": "application/zip", "buffer": packed.getvalue()}
    for files in (several, one):
        teacher.page.locator("input[type=file]").set_input_files(files)
        teacher.sees("1 name imported.")
    teacher.page.locator("input[type=file]").set_input_files(several[:1])
    teacher.sees("roles.csv")
    teacher.page.locator(".trouble").wait_for()
    teacher.forgive()
    teacher.page.locator(".people .chip").get_by_text("Ada L.").wait_for()


def test_one_class_of_a_school_is_chosen_with_the_keyboard(teacher: Person) -> None:
    teacher.makes_class("4b, Tuesday", "insects")
    files = {
        "users.csv": "sourcedId,role,givenName\ns1,student,Ada\ns2,student,Ben\ns3,student,Cy\n",
        "classes.csv": "sourcedId,title\nc10,Maths 10a\nc&7,Maths 7b\nc0,Zoology\n",
        "enrollments.csv": "classSourcedId,userSourcedId,role\n"
        "c10,s1,student\nc&7,s2,student\nc&7,s3,student\n",
    }
    sent: Any = [
        {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
        for name, text in files.items()
    ]
    page = teacher.page
    page.get_by_text("Import a class list").click()
    page.locator("input[type=file]").set_input_files(sent)
    teacher.sees("The export has 3 classes: choose one of them.")
    teacher.forgive()  # the browser reports every refusal
    assert page.locator(".people .chip").count() == 0
    offered = page.get_by_role("combobox", name="Class", exact=True)
    assert offered.locator("option").all_text_contents() == [
        "Choose a class",
        "Maths 7b (2 students)",
        "Maths 10a (1 student)",
        "Zoology (0 students)",
    ]
    imports = page.get_by_role("button", name="Import this class")
    assert imports.is_disabled()
    look_at(teacher, "one-roster")
    page.locator("input[type=file]").focus()
    for key in ("Tab", "ArrowDown", "Tab", "Enter"):
        page.keyboard.press(key)
    teacher.sees("2 names imported.")
    page.locator(".people .chip").get_by_text("Cy").wait_for()
    assert page.locator(".people .chip").all_text_contents() == ["Ben", "Cy"]
    assert not offered.count()
    page.wait_for_function("document.activeElement.type === 'file'")


def test_another_file_replaces_the_classes(teacher: Person) -> None:
    teacher.makes_class("4b, Tuesday", "insects")
    page = teacher.page
    offered = page.get_by_role("combobox", name="Class", exact=True)
    files = {
        "users.csv": "sourcedId,role,givenName\ns1,student,Ada\n",
        "classes.csv": "sourcedId,title\nc1,7a\nc2,7b\n",
        "enrollments.csv": "classSourcedId,userSourcedId,role\nc1,s1,student\n",
    }
    sent: Any = [
        {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
        for name, text in files.items()
    ]
    page.get_by_text("Import a class list").click()
    page.locator("input[type=file]").set_input_files(sent)
    offered.select_option("c1")
    page.route("**/roster?class=c1", lambda route: route.abort())
    teacher.press("Import this class")
    teacher.sees("The server cannot be reached.")
    page.unroute("**/roster?class=c1")
    assert offered.input_value() == "c1"  # to try again
    teacher.forgive()
    one: Any = {"name": "a.csv", "mimeType": "text/csv", "buffer": b"Zoe\n"}
    page.locator("input[type=file]").set_input_files(one)
    teacher.sees("1 name imported.")
    assert not offered.count()
    assert not page.locator(".trouble").count()


def test_a_late_response_to_another_file_changes_nothing(teacher: Person) -> None:
    teacher.makes_class("4b, Tuesday", "insects")
    page = teacher.page
    files = {
        "users.csv": "sourcedId,role,givenName\ns1,student,Ada\n",
        "classes.csv": "sourcedId,title\nc1,7a\nc2,7b\n",
        "enrollments.csv": "classSourcedId,userSourcedId,role\nc1,s1,student\n",
    }
    slow: Any = [
        {"name": name, "mimeType": "text/csv", "buffer": text.replace("7", "6").encode()}
        for name, text in files.items()
    ]
    quick: Any = [
        {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
        for name, text in files.items()
    ]
    held: list[Any] = []

    def hold_the_first(route: Any) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    page.get_by_text("Import a class list").click()
    page.route("**/roster", hold_the_first)
    page.locator("input[type=file]").set_input_files(slow)
    teacher.sees("Sending …")
    page.locator("input[type=file]").set_input_files(quick)
    offered = page.get_by_role("combobox", name="Class", exact=True)
    offered.select_option("c1")
    assert not page.get_by_text("Sending …").count()
    with page.expect_response("**/roster"):
        held[0].continue_()
    page.wait_for_timeout(200)
    assert offered.locator("option").all_text_contents()[1:] == [
        "7a (1 student)",
        "7b (0 students)",
    ]
    assert offered.input_value() == "c1"
    teacher.press("Import this class")
    teacher.sees("1 name imported.")
    teacher.forgive()


def test_a_child_leaves_the_class_that_writes(teacher: Person, person: Come) -> None:
    code = teacher.makes_class("1a writes", "letter-o")
    child = person(viewport={"width": 820, "height": 1180})
    child.joins(code, "Kim")
    teacher.press("Start the lesson")
    child.sees("Now you!")
    look_at(child, "write")
    child.press("Leave the class")
    child.sees("Join your class")
    teacher.page.get_by_text("away:").wait_for(state="attached")
