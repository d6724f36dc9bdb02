"""A teacher adds an activity and a class list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.test_pages import look_at

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload

    from tests.browser.conftest import Come, Person

TABLE = "item,label,text,explanation\n" + "".join(
    f"q{n},{'even' if n % 2 == 0 else 'odd'},Is {n} even or odd?,{n} is what it is.\n"
    for n in range(1, 25)
)


def file(name: str, text: str) -> FilePayload:
    return {"name": name, "mimeType": "text/csv", "buffer": text.encode()}


def test_an_activity_is_added_used_and_deleted(teacher: Person, person: Come) -> None:
    teacher.page.get_by_label("Name of the activity").fill("Even or odd")
    teacher.page.get_by_label("Files").set_input_files(file("table.csv", TABLE))
    teacher.press("Add it")
    teacher.sees("Even or odd was added")
    teacher.page.get_by_role("combobox", name="Activity", exact=True).select_option(
        label="Even or odd"
    )
    teacher.page.get_by_label("Name of the class").fill("5c")
    teacher.press("Create the class")
    teacher.sees("No students have joined yet")
    student = person()
    student.joins((teacher.page.locator(".code").text_content() or "")[-7:], "Ada")
    teacher.press("Start the pre-test")
    student.sees(" even or odd?")
    teacher.press("Delete this class and all its data")
    teacher.press("Delete for good")
    teacher.sees("Create a class")
    teacher.press("Delete: Even or odd")
    teacher.page.get_by_text("Quiz, 24 items").wait_for(state="detached")
    student.forgive()  # the class is deleted


def test_a_table_without_labels_is_refused_with_a_sentence(teacher: Person) -> None:
    teacher.page.get_by_label("Name of the activity").fill("Nothing")
    teacher.page.get_by_label("Files").set_input_files(file("table.csv", "item\na\n"))
    teacher.press("Add it")
    teacher.sees("must have the columns item and label, or question and answer")
    teacher.forgive()


def test_names_of_a_class_list_wait_for_students_to_join(teacher: Person, person: Come) -> None:
    code = teacher.makes_class("5c", "insects")
    teacher.page.get_by_text("Import a class list").click()
    teacher.page.locator("input[type=file]").set_input_files(file("names.csv", "name\nAda\nBen\n"))
    teacher.sees("2 names imported")
    teacher.sees("0 of 2 here")
    person().joins(code, "Ada")
    teacher.sees("1 of 2 here")


def test_an_activity_is_pasted_previewed_saved_and_edited(teacher: Person) -> None:
    teacher.go("/teacher")
    teacher.page.get_by_role("link", name="Make an activity").click()
    teacher.page.get_by_label("Name of the activity").first.fill("Capital cities")
    teacher.page.get_by_text("Paste a table").click()
    rows = "France\tParis\tLyon|Nice\nItaly\tRome\tMilan|Turin\n"
    rows += "Spain\tMadrid\tSeville|Malaga\nPeru\tLima\tCusco|Ica\n"
    teacher.page.locator("textarea").fill(f"question\tanswer\toptions\n{rows}")
    teacher.press("Use these rows")
    teacher.page.get_by_role("button", name="Preview").first.click()
    teacher.page.locator(".preview .options").wait_for()
    look_at(teacher, "editor")
    for action in ("Edit", "Copy"):
        teacher.press("Save the activity")
        teacher.page.get_by_role("link", name=f"{action}: Capital cities", exact=True).click()
        teacher.page.get_by_label("Question or text").nth(3).wait_for()
