"""A class is taught again: the same code and seats, shared tablets, its lessons, and a backup."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.test_pages import look_at

if TYPE_CHECKING:
    from tests.browser.conftest import Come, Person, Served


def test_a_class_is_taught_again(teacher: Person, person: Come) -> None:
    code = teacher.makes_class("4b, twice", "insects")
    room = teacher.page.url
    ada, ben = person(), person()
    ada.joins(code, "Ada")
    ben.joins(code, "Ben")
    teacher.press("Start the lesson")
    for student, key in ((ada, "1"), (ben, "2")):
        student.answers_round(key)
    teacher.press("End the lesson")
    teacher.sees("Teach this class again")
    look_at(teacher, "teach-again")
    teacher.page.get_by_label("Activity").select_option("letter-a")
    teacher.press("Begin the next lesson")
    teacher.sees("Change the activity")
    ada.sees("The robot is sharpening its pencil")  # on the page for letters, without joining again
    teacher.page.get_by_label("Activity").select_option("insects")
    teacher.page.get_by_role("button", name="Change the activity").click()
    ada.sees("Hello, Ada!")
    assert teacher.page.locator(".code").inner_text().replace(" ", "").endswith(code)

    ada.press("Sign out")  # a shared tablet: Cai is next
    ada.page.get_by_label("Code").wait_for()
    assert ada.page.get_by_role("button", name="Continue as Ada").count() == 0
    ada.joins(code, "Cai")
    third = person()
    third.joins(code, "Ada")
    third.sees("Hello, Ada!")
    teacher.press("Start the pre-test")
    third.answers_test()
    teacher.page.goto(room)
    teacher.page.get_by_role("row", name="Ada").wait_for()  # one of that name
    teacher.page.goto(f"{room}/history")
    teacher.page.get_by_role("row", name="Ada").wait_for()
    rows = teacher.page.get_by_role("table").first.locator("tbody tr")
    assert rows.count() == 3
    look_at(teacher, "history")
    rows.last.get_by_role("link", name="Report").click()
    teacher.sees("Examples, and why they were chosen")
    teacher.go("/teacher")
    teacher.sees("3 lessons")


def test_a_name_is_signed_out_on_the_first_page(teacher: Person, person: Come) -> None:
    code = teacher.makes_class("4b, tablet", "insects")
    tablet = person()
    tablet.joins(code, "Ada")
    tablet.sees("Hello, Ada!")
    tablet.go("/")
    tablet.press("Ada is not here: sign out on this device")
    tablet.page.get_by_role("button", name="Continue as Ada").wait_for(state="detached")
    assert tablet.page.get_by_label("First name or nickname").input_value() == ""
    other = person()
    other.joins(code, "Ada")
    other.sees("Hello, Ada!")


def test_the_teacher_signs_all_students_out(teacher: Person, person: Come) -> None:
    code = teacher.makes_class("4b, tablets", "insects")
    tablet = person()
    tablet.joins(code, "Ada")
    tablet.sees("Hello, Ada!")
    teacher.page.locator(".big .people .chip").first.wait_for()
    teacher.press("Sign all students out")
    teacher.sees("All students are signed out.")
    tablet.sees("You are not in a class at the moment.")
    tablet.forgive()  # the browser reports the refusal


def test_a_backup_is_restored_on_another_server(
    teacher: Person, person: Come, untouched: Served, tmp_path: Path
) -> None:
    teacher.makes_class("4b, elsewhere", "insects")
    teacher.go("/teacher")
    with teacher.page.expect_download() as downloading:
        teacher.page.get_by_role("link", name="Download a backup").click()
    backup = tmp_path / "backup.db"
    downloading.value.save_as(backup)
    assert downloading.value.suggested_filename.startswith("homeroom-")

    other = person(untouched)
    other.signs_in_first()
    other.sees("No classes yet")
    other.page.locator("input[type=file][accept='.db']").set_input_files(backup)
    other.sees("Students join with the code and their names.")
    other.sees("4b, elsewhere")
    look_at(other, "restored")
    wrong = tmp_path / "wrong.db"
    wrong.write_text("no backup")
    other.page.locator("input[type=file][accept='.db']").set_input_files(wrong)
    other.sees("The file is not a backup of homeroom.")
    other.forgive()
