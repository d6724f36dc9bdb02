from typing import Any

import pytest

from homeroom.live.access.headers import HEADERS, POLICY

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
def test_every_answer_carries_the_headers(live: Any, path: str) -> None:
    answer = live.browser().get(path)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value


def test_refusals_carry_them_too(live: Any) -> None:
    foreign = live.browser().post("/api/join", json={}, headers={"origin": "http://evil.example"})
    large = live.browser().post("/api/join", content=b"x" * 2_000_000)
    assert (foreign.status_code, large.status_code) == (403, 413)
    for answer in (foreign, large):
        assert answer.headers["content-security-policy"] == POLICY


def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere() -> None:
    assert "unsafe" not in POLICY
    assert "default-src 'none'" in POLICY
    assert "frame-ancestors 'none'" in POLICY
    sources = {word for part in POLICY.split(";") for word in part.split()[1:]}
    assert sources == {"'none'", "'self'"}


def test_what_the_api_says_is_not_kept(live: Any) -> None:
    assert live.teacher.get("/api/teacher/me").headers["cache-control"] == "no-store"
    assert live.teacher.get("/").headers["cache-control"] == "no-cache"


def test_the_server_does_not_allow_other_origins(live: Any) -> None:
    asked = {"origin": "http://evil.example", "access-control-request-method": "POST"}
    for answer in (
        live.teacher.get("/api/teacher/me", headers=asked),
        live.teacher.options("/api/join", headers=asked),
    ):
        assert "access-control-allow-origin" not in answer.headers
