"""Take the docs' pictures of a live class: ``python -m tests.browser.pictures docs/images``."""

from __future__ import annotations

import io
import re
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from homeroom.live.settings import Hashing, ServerSettings
from tests.browser.conftest import CHROMIUMS, FLAGS, READ, TOKEN, Person, Served

ALL, PORT = 24, 8765
LONG = 240
"""Timeout in seconds, long enough for a busy machine."""

SIZES = {"live-teacher": (1240, 800), "live-student": (390, 844), "live-projector": (1240, 800)}


def save(one: Person, name: str, part: str = "") -> None:
    """Save the visible part of a page, or a part of the page, in few colours."""
    one.page.evaluate("document.activeElement.blur()")
    taken = one.page.locator(part).screenshot() if part else one.page.screenshot()
    seen = Image.open(io.BytesIO(taken)).convert("RGB")
    small = seen.resize((seen.width // 2, seen.height // 2), Image.Resampling.LANCZOS)
    few = small.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=8, dither=Image.Dither.NONE)
    few.save(Path(sys.argv[1]) / f"{name}.png", optimize=True)


def teach(teacher: Person) -> str:
    """Take the demo class to the middle of a round, in two groups; return its code."""
    teacher.signs_in_first()
    teacher.page.get_by_role("link", name="Demo class").click()
    teacher.sees(f"{ALL} of {ALL} here")
    teacher.press("Start the pre-test")
    teacher.sees(f"{ALL} of {ALL} have finished", LONG)
    teacher.press("Start the lesson")
    teacher.sees("Round 2", LONG)
    path = teacher.page.url.replace("/teacher", "/api") + "/regroup"
    how, headers = {"groups": "by-knowledge:k=2"}, {"origin": teacher.url}
    assert teacher.page.request.post(path, data=how, headers=headers).ok
    teacher.sees("Round 4", LONG)
    teacher.page.get_by_text(re.compile(r"1\d of 24 have answered")).wait_for(timeout=1000 * LONG)
    teacher.page.evaluate("scrollTo(0, document.querySelector('.back').offsetTop - 20)")
    text = teacher.page.locator(".code .heard").text_content() or ""
    return text.partition(":")[2].replace(" ", "")


def look_closer(teacher: Person) -> None:
    """Open the map, with some ellipses on it."""
    teacher.press("Show details: groups and progress")
    teacher.page.locator(".map .student").nth(ALL - 1).wait_for()


def err(student: Person, code: str) -> None:
    """Join, and answer until something is wrong."""
    student.go(f"/?code={code}")
    student.page.get_by_label("First name or nickname").fill("Zoe")
    student.press("Join")
    wrong, right = (student.page.get_by_text(text) for text in ("Not quite.", "That is right!"))
    while not wrong.is_visible():
        student.answers_round("1")
        wrong.or_(right).first.wait_for(timeout=1000 * LONG)  # when the others have answered, too
    student.page.wait_for_timeout(READ)
    student.page.evaluate("scrollTo(0, 0)")


if __name__ == "__main__":
    quick = Hashing(1, 1024, 1)
    settings = ServerSettings(database=":memory:", setup_token=TOKEN, demo=ALL, hashing=quick)
    server = Served(settings, PORT)
    server.start()
    with sync_playwright() as started:
        found = next(filter(None, map(shutil.which, CHROMIUMS)))
        chromium = started.chromium.launch(executable_path=found, args=list(FLAGS))
        people = []
        for width, height in SIZES.values():
            context = chromium.new_context(
                viewport={"width": width, "height": height},
                device_scale_factor=2,
                locale="en-GB",
                color_scheme="light",
            )
            context.set_default_timeout(1000 * LONG)
            people.append(Person(context, context.new_page(), server.url))
            people[-1].page.on("dialog", lambda dialog: dialog.accept())
        code = teach(people[0])
        save(people[0], "live-teacher")
        people[2].go(
            people[0].page.url.replace(people[0].url, "").replace("teacher/classes", "board")
        )
        people[2].page.locator(".why").first.wait_for(timeout=1000 * LONG)
        save(people[2], "live-projector")
        look_closer(people[0])
        save(people[0], "live-map", "section[aria-labelledby=map-title]")
        err(people[1], code)
        save(people[1], "live-student")
        chromium.close()
    server.stop()
