"""A real server, a real Chromium, and one browser context per person."""

from __future__ import annotations

import asyncio
import math
import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import pytest

if TYPE_CHECKING:
    import uvicorn
    from playwright.sync_api import Browser, BrowserContext, Page, StorageState

    from homeroom.live.settings import ServerSettings

Come = Callable[..., "Person"]
Borrow = Callable[[], AbstractContextManager["Browser"]]

ROOT = Path(__file__).parents[2]
QUICK = {
    "test_a_child_writes_and_the_robot_writes_back",
    "test_a_lesson_from_joining_to_the_export",
    "test_a_question_its_answers_and_the_solution",
    "test_an_answer_waits_until_the_server_is_back",
    "test_the_students_pages_of_a_quiz",
}
"""One test of each flow. All other tests with a browser are slow, as Chromium takes long."""
INDEX = ROOT / "src" / "homeroom" / "live" / "static" / "index.html"
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUMS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/usr/bin/chromium",
)
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP school.test 127.0.0.1",
)
ROUND, STEM = 30, tuple(step / 9 for step in range(10))
"""Points of the round part of a written letter, and places on its stem from top to bottom."""
CLICKS = """() => {
  const asked = () => document.querySelector('.question img')?.getAttribute('src');
  let last = null;
  setInterval(() => {
    const option = document.querySelector('.options button:not([disabled])');
    if (option === null || asked() === last) return;
    last = asked();
    option.click();
  }, 20);
}"""
"""A script that gives the first answer to every question as soon as it appears."""
LEFT = "src => document.querySelector('.question img')?.getAttribute('src') !== src"
"""Whether a page shows another question than one whose picture has this address."""
READ = 350
"""Milliseconds before a question is answered: the page ignores earlier taps."""
PATIENCE = 60.0
"""Timeout in seconds, long enough for a busy machine."""
SETTLE = """document.getAnimations()
  .filter((one) => one.effect.getComputedTiming().iterations !== Infinity)
  .forEach((one) => one.finish())"""
"""Ends transitions and animations, in which contrast would be measured half-way."""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("dark", "light")
ALBUM = os.environ.get("HOMEROOM_SCREENSHOTS")
"""A folder for a picture of every page, to be looked at."""
TOKEN, PASSWORD = "the-link-that-was-printed", "a long password"


def missing(what: str) -> NoReturn:
    """Skip the test with a reason; in CI, fail."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests with a browser as slow, except one of each flow."""
    for item in items:
        if item.path.parent == Path(__file__).parent and item.name not in QUICK:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Borrow]:
    """Chromium, started once per process, to be borrowed for as long as a test needs it.

    Playwright leaves its event loop running in this thread until it is stopped, and other tests
    could start none of their own. So its loop counts as running only while it is borrowed.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright is not installed")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if found is None:
        missing("there is no Chromium: install it, or say where it is in CHROMIUM")
    if not INDEX.is_file() or not AXE.is_file():
        missing("the pages are not built: npm --prefix web ci && npm --prefix web run build")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found, args=list(FLAGS))
        loop = asyncio.get_running_loop()

        @contextmanager
        def borrow() -> Iterator[Browser]:
            asyncio._set_running_loop(loop)
            try:
                yield browser
            finally:
                asyncio._set_running_loop(None)

        asyncio._set_running_loop(None)
        yield borrow
        asyncio._set_running_loop(loop)
        browser.close()


@pytest.fixture
def browser(chromium: Borrow) -> Iterator[Browser]:
    """Chromium, while a test runs."""
    with chromium() as browser:
        yield browser


@dataclass
class Served:
    """A server in a thread, which can be stopped and started again at the same address."""

    settings: ServerSettings
    port: int
    server: uvicorn.Server | None = None
    thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        import uvicorn

        from homeroom.live.app import create_app

        config = uvicorn.Config(
            create_app(self.settings),
            host="127.0.0.1",
            port=self.port,
            log_level="error",
            timeout_graceful_shutdown=1,
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        deadline = time.monotonic() + PATIENCE
        while not self.server.started:
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.02)

    def stop(self) -> None:
        assert self.server is not None
        assert self.thread is not None
        self.server.should_exit = True
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive(), "the server did not stop"


def serve(folder: Path) -> Iterator[Served]:
    """Run a server with an empty database in a folder."""
    try:
        from homeroom.live.settings import Hashing, ServerSettings
    except ImportError:
        missing("the live classroom is not installed: pip install 'homeroom[live]'")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = ServerSettings(
        database=str(folder / "school.db"), setup_token=TOKEN, hashing=Hashing(1, 1024, 1)
    )
    server = Served(settings, port)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The server that the tests of a process share; each test creates its own classes."""
    yield from serve(tmp_path_factory.mktemp("school"))


@pytest.fixture
def untouched(tmp_path: Path) -> Iterator[Served]:
    """A server whose teacher has not chosen a password yet."""
    yield from serve(tmp_path)


@dataclass
class Person:
    """A person with a browser context, and the errors that the browser reported."""

    context: BrowserContext
    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        self.page.goto(self.url + path)

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def sees(self, text: str, seconds: float = PATIENCE) -> None:
        self.page.get_by_text(text).first.wait_for(timeout=1000 * seconds)

    def forgive(self) -> None:
        """Discard errors that the test expects, such as a refusal or a lost connection."""
        self.page.wait_for_timeout(200)  # the browser may report one after the page has shown it
        self.complaints.clear()

    def offences(self) -> list[str]:
        """Return serious findings of axe-core, and whether the page is wider than the window."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text("utf-8"))
        self.page.evaluate(SETTLE)
        found: dict[str, Any] = self.page.evaluate("axe.run({resultTypes: ['violations']})")
        serious = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
        listed = [f"{one['id']}: {one['nodes'][0]['html']}" for one in serious]
        wide = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        return listed + ([f"the page is {wide} pixels too wide"] if wide > 0 else [])

    def signs_in_first(self) -> None:
        """Choose the teacher's first password with the link that was printed."""
        self.go(f"/teacher/first?token={TOKEN}")
        password = self.page.locator("input[type=password]")
        password.nth(1).wait_for()
        for place in range(2):
            password.nth(place).fill(PASSWORD)
        self.page.locator("form button").click()
        self.page.locator(".columns").wait_for()

    def makes_class(
        self,
        name: str,
        activity: str,
        *,
        goal: str = "",
        kept: str = "",
        discussion: str = "none: continue at once",
    ) -> str:
        """Create a class on the teacher's page, and return its code."""
        self.go("/teacher")
        self.page.get_by_label("Name of the class").fill(name)
        self.page.get_by_role("combobox", name="Activity", exact=True).select_option(activity)
        if goal:
            self.page.get_by_label("When is the class done?").select_option(goal)
        if discussion and not activity.startswith("letter"):
            self.page.get_by_label("Time to discuss it").select_option(discussion)
        if kept:
            self.page.get_by_label("How long data is kept").select_option(kept)
        self.press("Create the class")
        self.sees("No students have joined yet")
        found = self.page.locator(".code .heard").text_content() or ""
        return found.partition(":")[2].replace(" ", "")

    def joins(self, code: str, name: str) -> None:
        """Join with the link of the QR code."""
        self.go(f"/?code={code}")
        self.page.get_by_label("First name or nickname").fill(name)
        self.press("Join")
        self.sees(f"Hello, {name}!")

    def answers_test(self) -> None:
        """Answer all questions of a test."""
        done = self.page.get_by_text("That was the last question")
        option = self.page.locator(".options button:not([disabled]):not([aria-pressed=true])")
        for _ in range(100):
            done.or_(option.first).first.wait_for()
            if done.is_visible():
                return
            asked = self.page.locator(".question img").get_attribute("src")
            self.page.wait_for_timeout(READ)
            option.first.click()
            self.page.wait_for_function(LEFT, arg=asked)
        raise AssertionError("the test has no end")

    def clicks_through_test(self) -> None:
        """Start answering all questions of a test, in the background."""
        self.page.evaluate(CLICKS)

    def answers_round(self, key: str) -> None:
        """Continue to the present question, and answer it with a key."""
        onward = self.page.get_by_role("button", name="Next question")
        fresh = self.page.locator(".options:not(:has([aria-pressed=true]))")
        onward.or_(fresh).first.wait_for()
        if onward.is_visible():
            onward.click()
        fresh.wait_for()
        self.page.keyboard.press(key)
        self.page.locator(".options [aria-pressed=true]").wait_for()

    def picture_of(self, item: str) -> bytes:
        """Return an insect's picture, by its id, as the teacher."""
        picture = self.page.request.get(f"{self.url}/api/activities/insects/items/{item}/picture")
        return picture.body()

    def sees_picture(self, picture: bytes) -> None:
        """Wait until a question shows a picture: students do not know the id of its item."""
        for _ in range(100):
            shown = self.page.locator(".question img").get_attribute("src")
            if self.page.request.get(f"{self.url}{shown}").body() == picture:
                return
            self.page.wait_for_timeout(1000 * PATIENCE / 100)
        raise AssertionError("the picture does not come")

    def writes(self) -> None:
        """Draw an a with a pen: counter-clockwise around, then down."""
        sheet = self.page.get_by_role("img", name="Sheet to write on").bounding_box()
        assert sheet is not None
        session = self.context.new_cdp_session(self.page)
        x, y = sheet["x"] + sheet["width"] / 2, sheet["y"] + sheet["height"] / 2
        size = min(sheet["width"], sheet["height"]) / 5
        angles = [0.6 + 2 * math.pi * step / ROUND for step in range(ROUND)]
        points = [(math.cos(angle), -math.sin(angle)) for angle in angles]
        points += [(0.95 + 0.1 * down, 1.6 * down - 0.6) for down in STEM]
        for step, (across, up) in enumerate(points):
            kind = "mousePressed" if step == 0 else "mouseMoved"
            place = (x + size * across, y + size * up)
            session.send("Input.dispatchMouseEvent", pen(kind, *place))
        session.send("Input.dispatchMouseEvent", pen("mouseReleased", *place))


def album(one: Person, name: str) -> None:
    """Keep pictures of a page in every size, theme and language, if there is a folder for them.

    A dialog is taken in the language that the page has: the switch cannot be pressed behind it.
    """
    if not ALBUM:
        return
    size, dialog = one.page.viewport_size, one.page.locator("dialog[open]").count()
    for language, scheme, width in product(
        ("now",) if dialog else ("Deutsch", "English"), SCHEMES, (320, 768, 1280, 1920)
    ):
        if not dialog:
            one.press(language)
        one.page.emulate_media(color_scheme=scheme)
        one.page.set_viewport_size({"width": width, "height": 640 if width == 320 else 1000})
        one.page.wait_for_timeout(200)  # pictures come in
        path = Path(ALBUM) / f"{name}-{width}-{scheme}-{language[:2].lower()}.png"
        one.page.screenshot(path=path, full_page=not dialog)
    if size:
        one.page.set_viewport_size(size)


def pen(kind: str, x: float, y: float) -> dict[str, Any]:
    """Return a pen event for Chromium."""
    return {
        "type": kind,
        "x": x,
        "y": y,
        "button": "left",
        "buttons": 0 if kind == "mouseReleased" else 1,
        "pointerType": "pen",
        "force": 0.5,
        "clickCount": 1,
    }


@pytest.fixture
def person(browser: Browser, served: Served) -> Iterator[Come]:
    people: list[Person] = []

    def come(server: Served = served, **how: Any) -> Person:
        context = browser.new_context(**{"locale": "en-GB", **how})
        context.set_default_timeout(1000 * PATIENCE)
        one = Person(context, context.new_page(), server.url)
        one.page.on("pageerror", lambda error: one.complaints.append(str(error)))
        one.page.on(
            "console",
            lambda found: one.complaints.append(found.text) if found.type == "error" else None,
        )
        one.page.on("dialog", lambda dialog: dialog.accept())
        people.append(one)
        return one

    yield come
    complaints = [found for one in people for found in one.complaints]
    for one in people:
        one.context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def signed_in(chromium: Borrow, served: Served) -> StorageState:
    """The cookies of a teacher who has chosen the first password."""
    with chromium() as browser:
        context = browser.new_context()
        context.set_default_timeout(1000 * PATIENCE)
        Person(context, context.new_page(), served.url).signs_in_first()
        cookies = context.storage_state()
        context.close()
    return cookies


@pytest.fixture
def teacher(person: Come, signed_in: StorageState) -> Person:
    """A teacher who is signed in."""
    one = person(viewport={"width": 1280, "height": 900}, storage_state=signed_in)
    one.go("/teacher")
    return one
