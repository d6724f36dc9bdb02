"""Access to the routes, and the declared refusals of the API."""

import json
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI

from homeroom.live.access.credentials import STUDENT, TEACHER
from homeroom.live.app import create_app
from homeroom.live.routes import dependencies
from homeroom.live.routes.dependencies import OF_CHANGES, refusals

SCHEMA = create_app().openapi()
GUARDED = [
    (method.upper(), path)
    for path, calls in SCHEMA["paths"].items()
    for method, call in calls.items()
    if any("teacher" in scheme for scheme in call.get("security", ()))
    and path not in ("/api/teacher/me", "/api/teacher/sign-out")
]


def filled(path: str, class_id: str) -> str:
    names = {"class_id": class_id, "student_id": "0" * 16, "activity_id": "insects", "item": "x"}
    return path.format(**names)


def test_all_routes_of_the_teacher_are_checked() -> None:
    theirs = [
        (method.upper(), path)
        for path, calls in SCHEMA["paths"].items()
        for method in calls
        if path.startswith(("/api/classes", "/api/activities", "/api/backup", "/api/restore"))
    ]
    assert len(theirs) >= 20
    assert theirs == GUARDED


@pytest.mark.parametrize(("method", "path"), GUARDED)
def test_students_and_strangers_cannot_use_the_routes_of_the_teacher(
    live: Any, method: str, path: str
) -> None:
    class_id, code = live.make_class()
    student = live.join(code)
    before = live.registry.store.version(class_id)
    for browser in (student.browser, live.browser()):
        answer = browser.request(method, filled(path, class_id), json={"phase": "teach"})
        if path.endswith("/picture"):  # students see the pictures of their class
            assert answer.status_code in (401, 404)
        else:
            assert answer.status_code == 401
            assert answer.json()["detail"] == "Sign in as the teacher first."
            assert answer.json()["code"] == "sign_in_first"
    assert live.registry.store.version(class_id) == before


def test_a_students_ticket_is_not_a_teachers_session(live: Any) -> None:
    _, code = live.make_class()
    ticket = live.join(code).browser.cookies[STUDENT]
    browser = live.browser()
    browser.cookies.set(TEACHER, ticket)
    assert browser.get("/api/classes").status_code == 401


def test_a_teachers_session_is_not_a_students_ticket(live: Any) -> None:
    browser = live.browser()
    browser.cookies.set(STUDENT, live.teacher.cookies[TEACHER])
    assert browser.get("/api/me").status_code == 401


@pytest.mark.parametrize("ticket", ["", "x", "' OR 1=1 --", "%00", "x" * 4000])
def test_a_guessed_ticket_is_refused(live: Any, ticket: str) -> None:
    browser = live.browser()
    browser.cookies.set(STUDENT, ticket)
    answer = browser.get("/api/me")
    assert (answer.status_code, answer.json()["detail"]) == (401, "Join a class first.")
    assert answer.json()["code"] == "join_first"


@pytest.mark.parametrize("class_id", ["x", "../../etc/passwd", "0" * 17, "' OR 1=1"])
def test_invalid_ids_are_refused(live: Any, class_id: str) -> None:
    assert live.teacher.get(f"/api/classes/{class_id}").status_code in (404, 422)


def test_every_route_declares_its_responses() -> None:
    for path, calls in create_app().openapi()["paths"].items():
        for method, call in calls.items():
            declared = {int(status) for status in call["responses"]}
            assert declared & {200, 201}, path
            assert 503 in declared, path
            if method != "get":
                assert 403 in declared, path
            if call.get("requestBody"):
                assert set(OF_CHANGES) <= declared, path


def test_all_refusals_have_the_same_declaration() -> None:
    app = FastAPI()
    app.get("/", responses=refusals(404, 409))(lambda: None)
    declared = app.openapi()["paths"]["/"]["get"]["responses"]
    bodies = [declared[status]["content"] for status in ("404", "409", "503")]
    problem = {"schema": {"$ref": "#/components/schemas/Problem"}}
    assert bodies == [{"application/json": problem}] * 3
    assert "Problem" in app.openapi()["components"]["schemas"]


def test_a_large_request_of_a_teacher_is_not_parsed_in_the_event_loop(
    live: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []

    def parsed(text: bytes) -> Any:
        threads.append(threading.current_thread().name)
        return json.loads(text)

    monkeypatch.setattr(dependencies, "json", SimpleNamespace(loads=parsed))
    wish = {"name": "5b", "activity": "insects"}
    large = json.dumps(wish).encode() + b" " * 100_000
    head = {"content-type": "application/json"}
    assert live.teacher.post("/api/classes", content=large, headers=head).status_code == 201
    assert live.teacher.post("/api/classes", json=wish).status_code == 201
    assert len(threads) == 1  # only the large one
    assert threads[0].startswith("asyncio_")


def test_the_body_of_a_letter_is_read_only_from_students(live: Any) -> None:
    answer = live.browser().post("/api/ink", content=b"not JSON")
    assert answer.status_code == 401
