import time
from typing import Any

import pytest
from fastapi.testclient import TestClient

from homeroom.live.app import create_app
from homeroom.live.settings import Hashing, ServerSettings


def test_the_openapi_description_lists_every_route() -> None:
    paths = create_app().openapi()["paths"]
    assert len(paths) >= 28
    for wanted in ("/api/join", "/api/answers", "/api/ink", "/api/classes/{class_id}/frontier"):
        assert wanted in paths


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"{", 422),
        (b"[" * 100_000, 413),  # longer than an anonymous caller may send
        (b"[" * 10_000, 400),
        (b'{"code": ' + b"9" * 10_000 + b"}", 400),
        (b"\xff\xfe", 422),
        (b'{"code": "\\ud800", "nickname": "x"}', 422),
        (b"null", 422),
        (b"", 422),
    ],
)
def test_an_unreadable_request_is_a_client_error(live: Any, content: bytes, status: int) -> None:
    head = {"content-type": "application/json"}
    answer = live.browser().post("/api/join", content=content, headers=head)
    assert answer.status_code == status
    assert isinstance(answer.json()["detail"], str)


def test_a_validation_error_does_not_repeat_the_input(live: Any) -> None:
    body = {"round": "<script>", "item": "x", "answer": 1}
    _, code = live.make_class()
    answer = live.join(code).browser.post("/api/answers", json=body)
    assert answer.status_code == 422
    assert answer.json()["code"] == "not_understood"
    assert "script" not in answer.text
    extra = live.browser().post("/api/join", json={"code": "A", "nickname": "B", "<script>": 1})
    assert (extra.status_code, extra.json()["code"]) == (422, "not_understood")
    assert "script" not in extra.text


def test_unknown_routes_are_not_found(live: Any) -> None:
    problem = live.teacher.get("/api/nothing").json()
    assert (problem["detail"], problem["code"]) == ("Not Found", "no_such_call")
    assert live.teacher.put("/api/join").status_code == 405


def test_a_server_error_reveals_no_details(
    cheap: ServerSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(cheap)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as browser:
        passwords = app.state.server.passwords

        def broken(_name: str) -> str:
            raise ZeroDivisionError("secret path")

        monkeypatch.setattr(passwords._store, "setting", broken)
        answer = browser.get("/api/teacher/me")
    assert answer.status_code == 503
    assert answer.json()["detail"] == "The server failed: try again."
    assert answer.json()["code"] == "failed"


def test_expired_classes_are_deleted_at_the_start(tmp_path: Any) -> None:
    from homeroom.live.events import Opened
    from homeroom.live.store.sqlite import SqliteDatabase
    from homeroom.live.store.store import EventStore

    place = tmp_path / "old.db"
    with EventStore(SqliteDatabase(place), clock=lambda: time.time() - 31.5 * 86_400) as store:
        store.create_class(Opened("old", "insects", "ABC234"))
        store.purge(time.time() - 1.1 * 86_400)  # the last hour of an earlier run
    app = create_app(ServerSettings(database=str(place), hashing=Hashing(1, 8, 1)))
    with TestClient(app, base_url="http://localhost"):
        store = app.state.server.registry.store
        until = time.monotonic() + 60
        while store.classes() and time.monotonic() < until:
            time.sleep(0.01)
        assert store.classes() == []


def test_a_disconnected_phone_is_not_waited_for(opened: Any) -> None:
    live = opened(ServerSettings(hashing=Hashing(1, 8, 1), away_after=1.0))
    live.sign_in()
    class_id, code = live.make_class()
    ada = live.join(code, "Ada")
    live.join(code, "Ben")
    with ada.browser.websocket_connect("ws://localhost/api/live") as line:
        while line.receive_json()["view"]["phase"] != "teach":
            live.act(class_id, "phase", phase="teach")
        ada.answer(1).raise_for_status()
        while line.receive_json()["view"]["round"] < 2:  # Ben has gone
            pass
    here = {one["name"]: one["here"] for one in live.board(class_id)["students"]}
    assert here["Ben"] is False


@pytest.mark.slow
def test_the_demo_has_a_class_of_students_who_answer(opened: Any) -> None:
    live = opened(ServerSettings(hashing=Hashing(1, 8, 1), demo=3))
    live.sign_in()
    [line] = live.teacher.get("/api/classes").json()["classes"]
    assert line["name"] == "Demo class"
    assert line["code"] == live.teacher.app.state.demo_code
    until = time.monotonic() + 60
    while live.board(line["class"])["counts"]["here"] < 3 and time.monotonic() < until:
        time.sleep(0.05)
    live.act(line["class"], "phase", phase="teach").raise_for_status()
    while live.board(line["class"])["round"] < 2 and time.monotonic() < until:
        time.sleep(0.1)
    board = live.board(line["class"])
    assert board["round"] >= 2
    assert board["counts"]["answers"] >= 3
