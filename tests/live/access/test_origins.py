from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

from homeroom.live.access.origins import origin_host
from homeroom.live.settings import Hashing, Settings

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


@pytest.mark.parametrize("origin", OTHERS)
def test_another_sites_page_changes_nothing(live: Any, origin: str) -> None:
    """A page elsewhere can make the teacher's browser call us, with her cookie."""
    class_id, _ = live.make_class()
    for method, path in (
        ("POST", "/api/teacher/sign-out"),
        ("DELETE", f"/api/classes/{class_id}"),
        ("POST", f"/api/classes/{class_id}/skip"),
        ("POST", "/api/classes"),
    ):
        refused = live.teacher.request(method, path, headers={"origin": origin})
        assert refused.status_code == 403
        assert refused.json()["detail"].startswith("This call came from another site's page")
        assert refused.json()["code"] == "foreign_page"
    assert live.board(class_id)["version"] == 1


def test_a_call_without_an_origin_changes_nothing(live: Any) -> None:
    class_id, _ = live.make_class()
    bare = live.browser()
    del bare.headers["origin"]
    bare.cookies = live.teacher.cookies
    assert bare.post(f"/api/classes/{class_id}/skip").status_code == 403
    assert bare.get(f"/api/classes/{class_id}").status_code == 200


@pytest.mark.parametrize("origin", OTHERS)
def test_another_sites_page_gets_no_line(live: Any, origin: str) -> None:
    class_id, _ = live.make_class()
    line = live.teacher.websocket_connect(
        f"ws://localhost/api/live?class={class_id}", headers={"origin": origin}
    )
    with pytest.raises(WebSocketDisconnect), line:
        pass


def test_behind_a_proxy_the_public_address_counts(opened: Any) -> None:
    settings = Settings(origin="https://school.example", hashing=Hashing(1, 8, 1))
    live = opened(settings)
    said = {"password": "correct horse", "setup_token": settings.setup_token}
    head = {"origin": "https://school.example"}
    assert live.teacher.post("/api/teacher/first", json=said, headers=head).status_code == 200
    head = {"origin": "https://other.example"}
    assert live.teacher.post("/api/teacher/sign-out", headers=head).status_code == 403


def test_a_page_on_any_name_of_this_server_may_call_it(live: Any) -> None:
    head = {"origin": "http://schule.local:8000", "host": "Schule.local:8000"}
    assert live.teacher.post("/api/teacher/sign-out", headers=head).status_code == 200


def test_hosts_are_compared_with_their_ports() -> None:
    assert origin_host("HTTP://Example.org:81") == "example.org:81"
    assert origin_host("ftp://example.org") is None
