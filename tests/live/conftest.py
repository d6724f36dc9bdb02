"""A live classroom without a network: the teacher's browser, and one for each student."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from fastapi.testclient import TestClient

from homeroom.live.app import create_app
from homeroom.live.registry import ClassRegistry
from homeroom.live.settings import Hashing, ServerSettings

BASE = "http://localhost"
PASSWORD = "correct horse"


@dataclass
class Student:
    """A student's browser."""

    browser: TestClient
    id: str
    name: str

    @property
    def view(self) -> dict[str, Any]:
        """What the student's page shows."""
        view: dict[str, Any] = self.browser.get("/api/me").raise_for_status().json()
        return view

    def answer_raw(self) -> Any:
        """Send an answer without loading the view."""
        body = {"round": 1, "item": "insect-001", "answer": 1}
        return self.browser.post("/api/answers", json=body)

    def answer(self, value: int = 1, **instead: Any) -> Any:
        """Answer the present question."""
        view = self.view
        item = view["item"] or {"id": "none"}
        body = {"round": view["round"], "item": item["id"], "answer": value, **instead}
        return self.browser.post("/api/answers", json=body)


@dataclass
class Live:
    """A server, and the browsers of its users."""

    teacher: TestClient
    settings: ServerSettings
    made: list[TestClient] = field(default_factory=list)

    @property
    def registry(self) -> ClassRegistry:
        """The classes of the server."""
        registry: ClassRegistry = self.teacher.app.state.server.registry  # type: ignore[attr-defined]
        return registry

    def browser(self) -> TestClient:
        """Open a new browser without cookies."""
        new = TestClient(self.teacher.app, base_url=BASE, headers={"origin": BASE})
        new.portal = self.teacher.portal  # one server for all
        return new

    def sign_in(self) -> None:
        """Let the teacher choose the password, and sign in."""
        body = {"password": PASSWORD, "setup_token": self.settings.setup_token}
        self.teacher.post("/api/teacher/first", json=body).raise_for_status()

    def make_class(self, activity: str = "insects", **more: Any) -> tuple[str, str]:
        """Create a class; return its id and its code."""
        wish = {"name": "5b", "activity": activity, **more}
        made = self.teacher.post("/api/classes", json=wish).raise_for_status().json()
        return made["class"], made["code"]

    def join(self, code: str, name: str = "Ada") -> Student:
        """Let a student join."""
        browser = self.browser()
        joined = browser.post("/api/join", json={"code": code, "nickname": name})
        return Student(browser, joined.raise_for_status().json()["student"], name)

    def board(self, class_id: str) -> dict[str, Any]:
        """What the teacher's page shows."""
        board = self.teacher.get(f"/api/classes/{class_id}").raise_for_status().json()
        return dict(board)

    def act(self, class_id: str, what: str, **body: Any) -> Any:
        """Send a request of the teacher that changes a class."""
        return self.teacher.post(f"/api/classes/{class_id}/{what}", json=body)


Open = Callable[[ServerSettings], Live]


@pytest.fixture
def opened() -> Iterator[Open]:
    """Open live classrooms with their own settings."""
    running: list[TestClient] = []

    def open_one(settings: ServerSettings) -> Live:
        teacher = TestClient(create_app(settings), base_url=BASE, headers={"origin": BASE})
        teacher.__enter__()
        running.append(teacher)
        return Live(teacher, settings)

    yield open_one
    for one in running:
        one.__exit__(None, None, None)


@pytest.fixture
def cheap() -> ServerSettings:
    """Settings with which checking a password takes no time."""
    return ServerSettings(hashing=Hashing(1, 8, 1))


@pytest.fixture
def live(opened: Open, cheap: ServerSettings) -> Live:
    """A live classroom with a teacher who is signed in."""
    live = opened(cheap)
    live.sign_in()
    return live
