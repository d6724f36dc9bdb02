"""The viewer in a browser: maps, lessons, letters and reports, from files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from homeroom.cli import run
from tests.browser.conftest import AXE, SCHEMES
from tests.pages import parts_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

COMMANDS = {
    "map": "crowd map answers.csv --labels experts.csv --dimensions 2 --k 3 --out map.html",
    "classes": "crowd map answers5.csv --labels experts5.csv --dimensions 2 --k 2 --out five.html",
    "lesson": "crowd teach answers.csv --labels experts.csv --dimensions 2 --k 2 --out lesson",
    "letters": "write lesson ada.inkml ben.inkml cleo.inkml --pool 100 --out letters.html",
    "report": "teach students.csv --groups by-rate --out report",
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One page of each kind, written by commands."""
    folder = tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run(["sample", ".", "--json"]) == 0
        for command in COMMANDS.values():
            assert run([*command.split(), "--json"]) == 0
    places = {name: folder / command.split()[-1] for name, command in COMMANDS.items()}
    return {
        name: place / "report.html" if place.is_dir() else place for name, place in places.items()
    }


def open_page(browser: Browser, path: Path, hash_: str = "", **options: Any) -> Page:
    """Return a page that is shown, whose script must not be stopped by the page's own policy."""
    page = browser.new_context(**options).new_page()
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.on("console", lambda said: pytest.fail(said.text) if said.type == "error" else None)
    page.goto(path.as_uri() + hash_)
    page.wait_for_selector("main")
    return page


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_is_accessible_and_never_too_wide(
    browser: Browser, pages: dict[str, Path], name: str, width: int
) -> None:
    for scheme in SCHEMES:
        shown = open_page(
            browser,
            pages[name],
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            bypass_csp=True,  # for axe
        )
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        shown.evaluate(AXE.read_text(encoding="utf-8"))
        found = shown.evaluate("axe.run()")["violations"]
        assert found == [], json.dumps(found, indent=1)[:2000]
        shown.context.close()


def test_groups_and_ellipses_can_be_shown_and_hidden(
    browser: Browser, pages: dict[str, Path]
) -> None:
    page = open_page(browser, pages["map"])
    (data,) = parts_of(pages["map"], "map")
    assert page.locator("g.item").count() == len(data["items"])
    assert page.locator("path.person").count() == len(data["people"])
    words = page.locator("g.item title").all_text_contents()
    assert words == [item["words"] for item in data["items"]]
    names = page.locator("g.arrow text").all_text_contents()
    assert names == ["1", "2", "3", "target"]
    own = sum(person["group"] == 1 for person in data["people"])
    page.get_by_label("group 2").uncheck()
    assert page.locator("path.person").count() == len(data["people"]) - own
    assert page.locator("ellipse").count() == 0
    page.get_by_label("uncertainty of places").check()
    assert page.locator("ellipse").count() == len(data["items"])


def test_classes_have_regions_marks_and_names(browser: Browser, pages: dict[str, Path]) -> None:
    page = open_page(browser, pages["classes"])
    (data,) = parts_of(pages["classes"], "map")
    assert page.locator("polygon.region").count() == len(data["classes"]) == 5
    assert sorted(page.locator("g.arrow text").all_text_contents()) == sorted(data["classes"])
    marks = page.locator("g.item path.mark")
    assert len({marks.nth(at).get_attribute("d") for at in range(marks.count())}) == 5


def test_a_report_has_its_numbers_tables_and_pictures(
    browser: Browser, pages: dict[str, Path]
) -> None:
    page = open_page(browser, pages["report"])
    (gallery, _) = parts_of(pages["report"], "gallery")
    assert page.get_by_alt_text(gallery["pictures"][0]["alternative"]).is_visible()
    (numbers,) = parts_of(pages["report"], "numbers")
    assert page.locator("dd").all_text_contents() == [value for _, value in numbers["named"]]
    rows = sum(len(table["rows"]) for table in parts_of(pages["report"], "table"))
    assert page.locator("tbody tr").count() == rows


def strokes_of(letter: dict[str, Any]) -> int:
    """Return how many curves a whole letter has."""
    return sum(len(stroke["p"]) - 1 for stroke in letter["strokes"])


def drawn(page: Page) -> int:
    """Return how many curves of the letter are drawn now."""
    paths = page.locator(".stage path.ink").all()
    return sum((path.get_attribute("d") or "").count("C") for path in paths)


def test_the_letters_are_written_one_after_the_other(
    browser: Browser, pages: dict[str, Path]
) -> None:
    page = open_page(browser, pages["letters"], "#go")
    page.wait_for_function(
        "document.querySelector('.stage path.ink')?.getAttribute('d').length > 60"
    )
    letters = parts_of(pages["letters"], "letters")[0]["lessons"][0]["letters"]
    assert drawn(page) < strokes_of(letters[0])
    assert page.get_by_role("button", name="Pause").is_visible()
    page.get_by_text(f"Letter 2 of {len(letters)}").wait_for()


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
@pytest.mark.parametrize("key", ["Home", "End"])
def test_writing_again_writes_one_letter_and_stops(
    browser: Browser, pages: dict[str, Path], key: str, motion: str
) -> None:
    page = open_page(browser, pages["letters"], reduced_motion=motion)
    letters = parts_of(pages["letters"], "letters")[0]["lessons"][0]["letters"]
    number = 1 if key == "Home" else len(letters)
    page.keyboard.press(key)
    page.keyboard.press("r")
    page.get_by_role("button", name="Play").wait_for()
    assert page.get_by_text(f"Letter {number} of {len(letters)}", exact=True).is_visible()
    assert drawn(page) == strokes_of(letters[number - 1])


def test_the_answer_can_be_hidden_until_the_child_has_decided(
    browser: Browser, pages: dict[str, Path]
) -> None:
    page = open_page(browser, pages["letters"])
    assert page.locator(".verdict").is_visible()
    page.get_by_label("Show which letters are good").uncheck()
    assert not page.locator(".verdict").is_visible()
    assert ", " not in page.locator("[aria-live]").inner_text()


def test_tabs_are_chosen_with_the_arrow_keys(browser: Browser, pages: dict[str, Path]) -> None:
    page = open_page(browser, pages["letters"])
    lessons = parts_of(pages["letters"], "letters")[0]["lessons"]
    page.get_by_role("tab").first.focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("tab", selected=True).inner_text().startswith(lessons[1]["name"])
    assert page.locator(".strip li:visible").count() == len(lessons[1]["letters"])
