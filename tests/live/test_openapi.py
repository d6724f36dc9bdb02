"""Any request gets a response that OpenAPI declares, and never a server error."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from homeroom.live.app import create_app
from homeroom.live.settings import Hashing, ServerSettings

CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
PATIENCE = 60.0
SETTINGS = ServerSettings(
    hashing=Hashing(1, 8, 1), wrong_codes="100000/second", wrong_passwords="100000/second"
)

config = schemathesis.Config.from_dict(
    {"phases": {"coverage": {"enabled": False}}, "generation": {"mode": "all"}}
)
schema = schemathesis.openapi.from_dict(create_app(SETTINGS).openapi(), config=config)


class Browsers:
    """A server with a class that is being taught, and the browsers of teacher and student."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.teacher, self.student = (
            httpx.Client(base_url=base, headers={"origin": base}, timeout=PATIENCE)
            for _ in range(2)
        )
        body = {"password": "correct horse", "setup_token": SETTINGS.setup_token}
        self.teacher.post("/api/teacher/first", json=body).raise_for_status()
        self.class_id = self.fresh_class()

    def fresh_class(self) -> str:
        """Create a class with one student, who has a question to answer."""
        made = self.teacher.post("/api/classes", json={"name": "5b", "activity": "insects"}).json()
        self.student.cookies.clear()
        self.student.post("/api/join", json={"code": made["code"], "nickname": "Ada"})
        self.teacher.post(f"/api/classes/{made['class']}/phase", json={"phase": "teach"})
        return str(made["class"])


@pytest.fixture(scope="module")
def browsers() -> Iterator[Browsers]:
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(create_app(SETTINGS), log_level="critical", ws="websockets-sansio")
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    browsers = Browsers(f"http://127.0.0.1:{bound.getsockname()[1]}")
    yield browsers
    browsers.teacher.close()
    browsers.student.close()
    server.should_exit = True
    thread.join()


bounded = settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.slow
@schema.parametrize()
@bounded
def test_a_stranger_gets_only_declared_responses(case: Any, browsers: Browsers) -> None:
    case.call_and_validate(
        base_url=browsers.base,
        headers={"origin": browsers.base},
        checks=CHECKS,
        timeout=PATIENCE,
    )


@pytest.mark.slow
@schema.exclude(path="/api/teacher/sign-out").parametrize()
@bounded
def test_teacher_and_student_get_only_declared_responses(case: Any, browsers: Browsers) -> None:
    ids = case.path_parameters or {}
    if ids.get("class_id"):  # a random id is almost never that of a class
        ids["class_id"] = browsers.class_id
    if ids.get("activity_id") and case.method != "DELETE":
        ids["activity_id"] = "insects"
    cookies = {**browsers.teacher.cookies, **browsers.student.cookies}
    case.call_and_validate(
        base_url=browsers.base,
        headers={"origin": browsers.base},
        cookies=cookies,
        checks=CHECKS,
        timeout=PATIENCE,
    )
    if case.method == "DELETE":
        browsers.class_id = browsers.fresh_class()
