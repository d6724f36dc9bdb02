"""The pages, and the WebSocket that keeps them up to date."""

import asyncio
import gzip
import time
from pathlib import Path
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

from homeroom.live.hub import MOST_PAGES, OpenPage
from homeroom.live.messages.views import StudentView
from homeroom.live.refused import Refused
from homeroom.live.routes.pages import BOARD_SECONDS, OVER, TOO_MANY_PAGES, UNKNOWN
from homeroom.live.settings import NOT_BUILT, Hashing, ServerSettings

PAGES = [
    "/",
    "/?code=ABC234",
    "/student",
    "/write",
    "/teacher",
    "/teacher/first?token=x",
    "/teacher/classes/0123456789abcdef",
    "/teacher/classes/0123456789abcdef/letters",
]


@pytest.fixture
def built(tmp_path: Path, opened: Any) -> Any:
    """A server with built pages."""
    static = tmp_path / "static"
    (static / "assets").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html><title>homeroom</title>")
    (static / "assets" / "main-1234.js").write_text("export {};")
    (static / "assets" / "long-5678.js").write_text("export {};" * 200)
    (tmp_path / "secret.txt").write_text("secret")
    return opened(ServerSettings(static=static, hashing=Hashing(1, 8, 1)))


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_the_same_file(built: Any, path: str) -> None:
    answer = built.teacher.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "<title>homeroom" in answer.text


def test_scripts_are_served_as_scripts(built: Any) -> None:
    answer = built.teacher.get("/assets/main-1234.js")
    assert answer.headers["content-type"].startswith("text/javascript")


def test_scripts_are_compressed_and_cached(built: Any) -> None:
    long = built.teacher.get("/assets/long-5678.js", headers={"accept-encoding": "gzip"})
    assert long.headers["content-encoding"] == "gzip"
    assert long.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert built.teacher.get("/").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "//etc/passwd",
        "/..%5csecret.txt",
    ],
)
def test_only_the_pages_are_served(built: Any, path: str) -> None:
    answer = built.teacher.get(path)
    assert answer.status_code in (400, 404)
    assert "secret" not in answer.text.replace("secret.txt", "")


def test_pages_that_were_not_built_are_reported(opened: Any, tmp_path: Path) -> None:
    live = opened(ServerSettings(static=tmp_path / "none", hashing=Hashing(1, 8, 1)))
    answer = live.teacher.get("/")
    assert (answer.status_code, answer.text) == (503, NOT_BUILT)
    assert "make web" in NOT_BUILT
    assert live.teacher.get("/assets/x.js").status_code == 404
    assert live.teacher.get("/api/teacher/me").status_code == 200


def test_all_pages_together_are_small() -> None:
    """Under 150 kB as they are sent."""
    static = ServerSettings().static
    if not (static / "index.html").is_file():
        pytest.skip("the pages are not built: make web")
    files = [path for path in static.rglob("*") if path.is_file()]
    assert len(files) > 3
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < 150_000


ADDRESS = "ws://localhost/api/live"


def test_a_student_gets_their_view_at_once_and_after_every_change(live: Any) -> None:
    class_id, code = live.make_class()
    ada = live.join(code)
    with ada.browser.websocket_connect(ADDRESS) as line:
        first = line.receive_json()
        StudentView.model_validate(first["view"])
        assert (first["view"]["phase"], first["version"]) == ("lobby", 2)
        live.act(class_id, "phase", phase="teach")
        while (message := line.receive_json())["view"]["item"] is None:
            pass
        StudentView.model_validate(message["view"])
        assert message["view"]["round"] == 1


def test_an_answer_updates_only_the_students_own_page_and_the_teachers(live: Any) -> None:
    class_id, code = live.make_class()
    ada, ben, _ = (live.join(code, name) for name in ("Ada", "Ben", "Cem"))
    live.act(class_id, "phase", phase="teach")
    with (
        ada.browser.websocket_connect(ADDRESS) as adas,
        ben.browser.websocket_connect(ADDRESS) as bens,
        live.teacher.websocket_connect(f"{ADDRESS}?class={class_id}") as teachers,
    ):
        for line in (adas, bens, teachers):
            line.receive_json()
        ada.answer(1)
        assert adas.receive_json()["view"]["answered"]
        while teachers.receive_json()["view"]["counts"]["answered"] != 1:
            pass
        bens.send_text("ping")
        assert bens.receive_json() == {"pong": True}  # and nothing before it


def test_the_teacher_gets_at_most_five_boards_per_second(live: Any) -> None:
    class_id, code = live.make_class()
    with live.teacher.websocket_connect(f"{ADDRESS}?class={class_id}") as line:
        assert line.receive_json()["view"]["class"] == class_id
        began = time.monotonic()
        for number in range(5):
            live.join(code, f"student {number}")
        seen = 1
        while len(line.receive_json()["view"]["students"]) < 5:
            seen += 1
        assert seen <= 2 + (time.monotonic() - began) / BOARD_SECONDS


@pytest.mark.parametrize("query", ["", "?class=0000000000000000", "?class="])
def test_strangers_get_no_websocket(live: Any, query: str) -> None:
    line = live.browser().websocket_connect(f"{ADDRESS}{query}")
    with pytest.raises(WebSocketDisconnect) as refused, line:
        pass
    assert refused.value.code == UNKNOWN


def test_a_student_gets_no_board(live: Any) -> None:
    class_id, code = live.make_class()
    line = live.join(code).browser.websocket_connect(f"{ADDRESS}?class={class_id}")
    with pytest.raises(WebSocketDisconnect) as refused, line:
        pass
    assert refused.value.code == UNKNOWN


def test_an_unknown_class_has_no_websocket(live: Any) -> None:
    line = live.teacher.websocket_connect(f"{ADDRESS}?class={'0' * 16}")
    with pytest.raises(WebSocketDisconnect) as refused, line:
        pass
    assert refused.value.code == OVER


def test_websockets_close_with_the_class_and_with_the_session(live: Any) -> None:
    first, code = live.make_class()
    second, _ = live.make_class()
    ada = live.join(code)
    with (
        ada.browser.websocket_connect(ADDRESS) as adas,
        live.teacher.websocket_connect(f"{ADDRESS}?class={second}") as teachers,
    ):
        adas.receive_json()
        teachers.receive_json()
        live.teacher.delete(f"/api/classes/{first}")
        with pytest.raises(WebSocketDisconnect) as ended:
            adas.receive_json()
        assert ended.value.code == UNKNOWN  # of no class
        live.teacher.post("/api/teacher/sign-out")
        with pytest.raises(WebSocketDisconnect) as ended:
            teachers.receive_json()
        assert ended.value.code == OVER


def test_the_number_of_open_pages_of_a_student_is_limited(live: Any) -> None:
    class_id, code = live.make_class()
    ada = live.join(code)
    for _ in range(MOST_PAGES):
        live.registry.hub.add(OpenPage(class_id, ada.id))
    with (
        pytest.raises(WebSocketDisconnect) as refused,
        ada.browser.websocket_connect(ADDRESS),
    ):
        pass
    assert refused.value.code == TOO_MANY_PAGES


def test_a_student_who_opens_the_page_again_is_back(live: Any) -> None:
    class_id, code = live.make_class()
    ada = live.join(code)
    ada.browser.post("/api/leave")
    assert live.board(class_id)["counts"]["here"] == 0
    with ada.browser.websocket_connect(ADDRESS) as line:
        assert line.receive_json()["view"]["here"]
    assert live.board(class_id)["counts"]["here"] == 1


def test_a_page_that_sends_something_unexpected_is_disconnected(live: Any) -> None:
    _, code = live.make_class()
    with live.join(code).browser.websocket_connect(ADDRESS) as line:
        line.receive_json()
        line.send_bytes(b"\x00")
    assert live.registry.hub.present(_) == frozenset()


def test_a_class_that_is_deleted_while_a_student_returns_is_over(
    live: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def welcome(_seat: Any) -> None:
        raise Refused("no_class")

    _, code = live.make_class()
    ada = live.join(code)
    monkeypatch.setattr(live.registry, "welcome", welcome)
    with pytest.raises(WebSocketDisconnect) as caught, ada.browser.websocket_connect(ADDRESS):
        pass
    assert caught.value.code == OVER


def test_an_old_phone_gets_no_websocket_while_the_seat_is_taken(
    live: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The seat is taken between the check of the cookie and the first view."""
    class_id, code = live.make_class()
    ada = live.join(code)
    offered = live.act(class_id, f"students/{ada.id}/seat").json()["code"]
    welcome = live.registry.welcome
    came: list[Any] = []

    async def slowly(seat: Any) -> None:
        await welcome(seat)
        if not came:
            came.append(await live.registry.take_seat(seat, offered))
            await asyncio.sleep(0.05)  # the old pages have been closed by now

    monkeypatch.setattr(live.registry, "welcome", slowly)
    with ada.browser.websocket_connect(ADDRESS) as line:
        with pytest.raises(WebSocketDisconnect) as caught:
            line.receive_json()
        assert caught.value.code == UNKNOWN


def test_the_projector_needs_no_password_and_gets_no_names(live: Any) -> None:
    class_id, code = live.make_class(discussion=600)
    ada = live.join(code, "Ada")
    live.act(class_id, "phase", phase="teach")
    anyone = live.browser()
    board = anyone.get(f"/api/board/{class_id}").raise_for_status()
    assert "Ada" not in board.text
    assert ada.id not in board.text
    [item] = board.json()["items"]
    assert item["result"] is None
    picture = anyone.get(item["picture"]).raise_for_status()
    assert picture.headers["content-type"].startswith("image/svg+xml")
    ada.answer(1)
    [item] = anyone.get(f"/api/board/{class_id}").json()["items"]
    assert item["result"]["counts"] == [1, 0]


def test_the_projector_gets_only_the_picture_that_it_shows(live: Any) -> None:
    class_id, code = live.make_class()
    live.join(code, "Ada")
    live.act(class_id, "phase", phase="teach")
    codes = (live.teacher.portal.call(live.registry.find, class_id)).state.codes
    anyone = live.browser()
    shown = anyone.get(f"/api/board/{class_id}").json()["items"][0]["id"]
    other = next(code for code in codes.item_of if code != shown)
    for hidden in (other, codes.item_of[shown], "nothing"):
        answer = anyone.get(f"/api/board/{class_id}/items/{hidden}/picture")
        assert (answer.status_code, answer.json()["code"]) == (404, "no_picture")
    assert anyone.get("/api/board/0123456789abcdef").status_code == 404


def test_a_server_that_only_this_machine_reaches_offers_no_qr_code(live: Any, opened: Any) -> None:
    class_id, code = live.make_class()
    found = live.browser().get(f"/api/board/{class_id}/join").json()
    assert (found["local"], found["qr"], found["code"]) == (True, [], code)
    phones = opened(ServerSettings(hashing=Hashing(1, 8, 1), phones="http://192.168.0.7:8000"))
    phones.sign_in()
    class_id, _ = phones.make_class()
    found = phones.browser().get(f"/api/board/{class_id}/join").json()
    assert (found["local"], found["address"]) == (False, "http://192.168.0.7:8000")
    assert len(found["qr"]) == len(found["qr"][0]) > 20
    ada = phones.join(found["code"], "Ada")
    drawn = phones.act(class_id, f"students/{ada.id}/seat").json()["qr"]
    assert {len(row) for row in drawn} == {len(drawn)}
    assert len(drawn) > 20


def test_the_projector_is_kept_up_to_date(live: Any) -> None:
    class_id, code = live.make_class()
    with live.browser().websocket_connect(f"ws://localhost/api/live?board={class_id}") as socket:
        assert socket.receive_json()["view"]["here"] == 0
        live.join(code, "Ada")
        assert socket.receive_json()["view"]["here"] == 1


def test_a_phase_is_undone_and_a_discussion_ended(live: Any) -> None:
    class_id, code = live.make_class(reveal="teacher")
    ada = live.join(code, "Ada")
    live.act(class_id, "phase", phase="teach").raise_for_status()
    assert live.act(class_id, "continue", round=1).json()["code"] == "no_discussion"
    ada.answer(1)
    live.act(class_id, "phase", phase="done").raise_for_status()
    assert live.board(class_id)["undo"] == "teach"
    live.act(class_id, "undo-phase").raise_for_status()
    live.act(class_id, "close-round", round=1).raise_for_status()
    board = live.board(class_id)
    assert (board["phase"], board["revealed"]) == ("teach", True)
    [student] = board["students"]
    assert student["choice"] == "butterfly"
    live.act(class_id, "continue", round=1).raise_for_status()
    assert live.board(class_id)["round"] == 2
    assert live.act(class_id, "undo-phase").json()["code"] == "no_undo"


def test_the_next_question_comes_by_itself_after_the_time_to_discuss(live: Any) -> None:
    class_id, code = live.make_class(discussion=0.3)
    ada = live.join(code, "Ada")
    live.act(class_id, "phase", phase="teach").raise_for_status()
    ada.answer(1)
    assert live.board(class_id)["revealed"]
    end = time.monotonic() + 10.0
    while live.board(class_id)["round"] < 2 and time.monotonic() < end:
        time.sleep(0.05)
    assert live.board(class_id)["round"] == 2


def test_a_lesson_continues_with_some_students(live: Any) -> None:
    class_id, code = live.make_class()
    ada, ben = live.join(code, "Ada"), live.join(code, "Ben")
    live.act(class_id, "phase", phase="teach")
    live.act(class_id, "focus", students=[ben.id]).raise_for_status()
    ada.answer(1)
    ben.answer(1)
    assert live.board(class_id)["resting"] == [ada.id]
    assert ada.view["resting"]
    assert ada.view["item"] is None
    end = time.monotonic() + 10.0  # the next item is chosen beside the answers
    while ben.view["item"] is None and time.monotonic() < end:
        time.sleep(0.05)
    assert ben.view["item"] is not None
