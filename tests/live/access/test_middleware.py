"""Limits on request bodies, the origin check, and security headers."""

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.requests import ClientDisconnect
from starlette.websockets import WebSocketDisconnect

from homeroom.live.access import middleware
from homeroom.live.access.middleware import (
    BODY_BYTES,
    INK_BYTES,
    POLICY,
    REFUSAL_SECONDS,
    ROSTER_BYTES,
    SECURITY_HEADERS,
    TEACHER_BYTES,
    UPLOAD_BYTES,
    BodySizeLimit,
    SecurityHeaders,
    body_limit,
    origin_host,
)
from homeroom.live.settings import Hashing, ServerSettings


def test_a_request_that_declares_too_large_a_body_is_not_read(live: Any) -> None:
    head = {"content-length": str(BODY_BYTES + 1)}
    answer = live.browser().post("/api/join", content=iter([b"{"]), headers=head)
    assert answer.status_code == 413
    assert answer.json()["code"] == "too_large"
    assert answer.json()["values"] == {"most": 0.016}


def test_an_endless_request_body_is_cut_off(live: Any) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(40):
            sent += 100_000
            yield b" " * 100_000

    answer = live.browser().post("/api/join", content=endless())
    assert answer.status_code == 413


def test_the_class_list_of_a_large_school_is_accepted_but_not_an_endless_one(live: Any) -> None:
    class_id, _ = live.make_class()
    path = f"/api/classes/{class_id}/roster"
    large = b"name,about\n" + (b"Ada," + b"x" * 100 + b"\n") * 10_000
    assert len(large) > BODY_BYTES
    assert live.teacher.post(path, content=large).json()["students"] == 1
    head = {"content-length": str(ROSTER_BYTES + 1)}
    answer = live.teacher.post(path, content=iter([b"x"]), headers=head)
    assert answer.status_code == 413
    assert "up to 20 MB" in answer.json()["detail"]


def test_a_class_list_over_the_limit_is_refused_while_it_arrives(live: Any) -> None:
    """Without a declared length: the route reads the body itself, and sees a lost connection."""
    class_id, _ = live.make_class()
    many = (b"x" * 1_000_000 for _ in range(ROSTER_BYTES // 1_000_000 + 2))
    answer = live.teacher.post(f"/api/classes/{class_id}/roster", content=many)
    assert answer.status_code == 413
    assert "up to 20 MB" in answer.json()["detail"]


def test_a_response_that_began_before_the_limit_is_completed() -> None:
    async def answer_early(_scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})
        await receive()
        await send({"type": "http.response.body", "body": b"done"})

    assert [message["type"] for message in _exchange(BodySizeLimit(answer_early))] == [
        "http.response.start",
        "http.response.body",
    ]


def test_a_lost_connection_within_the_limit_is_reported_to_the_server() -> None:
    async def read(_scope: Any, _receive: Any, _send: Any) -> None:
        raise ClientDisconnect

    with pytest.raises(ClientDisconnect):
        _exchange(BodySizeLimit(read))


def test_a_response_without_headers_gets_the_security_headers() -> None:
    async def answer(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})

    [start] = _exchange(SecurityHeaders(answer))
    assert (b"x-frame-options", b"DENY") in start["headers"]


def _exchange(app: Any) -> list[dict[str, Any]]:
    """Return what an application sends for a body that is one byte too large."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"x" * (BODY_BYTES + 1)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app({"type": "http", "path": "/", "headers": []}, receive, send))
    return sent


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("/api/join", 16_000),
        ("/api/seat", 16_000),
        ("/api/answers", 16_000),
        ("/api/consent", 16_000),
        ("/api/teacher/sign-in", 16_000),
        ("/api/teacher/first", 16_000),
        ("/roster", 16_000),
        ("/api/ink", INK_BYTES),
        ("/api/classes", TEACHER_BYTES),
        ("/api/classes/5b/phase", TEACHER_BYTES),
        ("/api/classes/5b/roster/", TEACHER_BYTES),
        ("/api/classes/a/b/roster", TEACHER_BYTES),
        ("/api/classes/5b/roster", ROSTER_BYTES),
    ],
)
def test_only_requests_of_teachers_and_letters_may_be_large(path: str, most: int) -> None:
    assert body_limit(path) == most


@pytest.mark.parametrize("path", ["/api/classes", "/api/classes/0123456789abcdef/phase"])
def test_a_large_request_of_a_stranger_is_refused_before_it_is_read(live: Any, path: str) -> None:
    answer = live.browser().post(path, content=b"{" + b" " * (TEACHER_BYTES - 1))
    assert answer.status_code == 401


def test_activities_may_be_larger_but_not_endless(live: Any) -> None:
    head = {"content-length": str(UPLOAD_BYTES + 1), "content-type": "multipart/form-data"}
    answer = live.teacher.post("/api/activities", content=iter([b"x"]), headers=head)
    assert answer.status_code == 413
    assert "up to 50 MB" in answer.json()["detail"]


def test_an_invalid_content_length_is_ignored(live: Any) -> None:
    head = {"content-length": "-5"}
    answer = live.browser().post("/api/leave", headers=head)
    assert answer.status_code == 401


def test_a_content_length_of_thousands_of_digits_is_too_large(live: Any) -> None:
    answer = live.browser().post("/api/leave", headers={"content-length": "9" * 5000})
    assert answer.status_code == 413


OTHERS = [
    "http://evil.example",
    "https://localhost.evil.example",
    "http://localhost:9999",
    "http://localhost@evil.example",
    "null",
    "",
    "localhost",
    "file://",
    "http://[",
]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse without a delay."""
    monkeypatch.setattr(middleware, "REFUSAL_SECONDS", 0.0)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("origin", OTHERS)
def test_a_page_of_another_site_can_change_nothing(live: Any, origin: str) -> None:
    """A page elsewhere can make the teacher's browser send a request with their cookie."""
    class_id, _ = live.make_class()
    for method, path in (
        ("POST", "/api/teacher/sign-out"),
        ("DELETE", f"/api/classes/{class_id}"),
        ("POST", f"/api/classes/{class_id}/skip"),
        ("POST", "/api/classes"),
    ):
        refused = live.teacher.request(method, path, headers={"origin": origin})
        assert refused.status_code == 403
        assert refused.json()["detail"].startswith("This request came from a page of another site")
        assert refused.json()["code"] == "foreign_page"
    assert live.board(class_id)["version"] == 1


def test_a_request_without_an_origin_changes_nothing(live: Any) -> None:
    class_id, _ = live.make_class()
    bare = live.browser()
    del bare.headers["origin"]
    bare.cookies = live.teacher.cookies
    assert bare.post(f"/api/classes/{class_id}/skip").status_code == 403
    assert bare.get(f"/api/classes/{class_id}").status_code == 200


@pytest.mark.parametrize("chunked", [False, True])
def test_large_bodies_that_are_invalid_are_refused_slowly(live: Any, chunked: bool) -> None:
    body = json.dumps(dict.fromkeys(map(str, range(1000)), 1)).encode()
    began = time.monotonic()
    answer = live.browser().post("/api/join", content=iter([body]) if chunked else body)
    assert answer.status_code == 422
    assert time.monotonic() - began >= REFUSAL_SECONDS


def test_requests_without_an_origin_are_refused_slowly(live: Any) -> None:
    """A client that sends one after another must not occupy the server."""
    bare = live.browser()
    del bare.headers["origin"]
    began = time.monotonic()
    assert bare.post("/api/join", json={"code": "none", "nickname": "none"}).status_code == 403
    assert time.monotonic() - began >= REFUSAL_SECONDS


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("origin", OTHERS)
def test_a_page_of_another_site_gets_no_websocket(live: Any, origin: str) -> None:
    class_id, _ = live.make_class()
    line = live.teacher.websocket_connect(
        f"ws://localhost/api/live?class={class_id}", headers={"origin": origin}
    )
    with pytest.raises(WebSocketDisconnect), line:
        pass


def test_behind_a_proxy_the_public_address_counts(opened: Any) -> None:
    settings = ServerSettings(origin="https://school.example", hashing=Hashing(1, 8, 1))
    live = opened(settings)
    body = {"password": "correct horse", "setup_token": settings.setup_token}
    head = {"origin": "https://school.example"}
    assert live.teacher.post("/api/teacher/first", json=body, headers=head).status_code == 200
    head = {"origin": "https://other.example"}
    assert live.teacher.post("/api/teacher/sign-out", headers=head).status_code == 403


def test_a_page_may_call_the_server_by_any_of_its_names(live: Any) -> None:
    head = {"origin": "http://schule.local:8000", "host": "Schule.local:8000"}
    assert live.teacher.post("/api/teacher/sign-out", headers=head).status_code == 200


def test_hosts_are_compared_with_their_ports() -> None:
    assert origin_host("HTTP://Example.org:81") == "example.org:81"
    assert origin_host("ftp://example.org") is None


EVERYWHERE = [
    "/",
    "/teacher/first?token=x",
    "/student",
    "/icon.svg",
    "/nothing-here",
    "/api/teacher/me",
    "/api/classes",
    "/api/openapi.json",
    "/api/nothing-here",
]


@pytest.mark.parametrize("path", EVERYWHERE)
def test_every_response_has_the_security_headers(live: Any, path: str) -> None:
    answer = live.browser().get(path)
    for name, value in SECURITY_HEADERS.items():
        assert answer.headers[name] == value


def test_refusals_have_the_security_headers(live: Any) -> None:
    foreign = live.browser().post("/api/join", json={}, headers={"origin": "http://evil.example"})
    large = live.browser().post("/api/join", content=b"x" * 2_000_000)
    assert (foreign.status_code, large.status_code) == (403, 413)
    for answer in (foreign, large):
        assert answer.headers["content-security-policy"] == POLICY


def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere() -> None:
    assert "unsafe" not in POLICY
    assert "default-src 'none'" in POLICY
    assert "frame-ancestors 'none'" in POLICY
    allowed = {name: set(sources) for name, *sources in map(str.split, POLICY.split(";"))}
    assert allowed.pop("img-src") == {"'self'", "blob:"}  # a photo that was just chosen
    assert set().union(*allowed.values()) == {"'none'", "'self'"}


def test_responses_of_the_api_are_not_cached(live: Any) -> None:
    assert live.teacher.get("/api/teacher/me").headers["cache-control"] == "no-store"
    assert live.teacher.get("/").headers["cache-control"] == "no-cache"


def test_the_server_does_not_allow_other_origins(live: Any) -> None:
    asked = {"origin": "http://evil.example", "access-control-request-method": "POST"}
    for answer in (
        live.teacher.get("/api/teacher/me", headers=asked),
        live.teacher.options("/api/join", headers=asked),
    ):
        assert "access-control-allow-origin" not in answer.headers
