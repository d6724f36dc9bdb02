"""The projector's page needs no password, and gets only what the class may see."""

from __future__ import annotations

import time
from typing import Any

from homeroom.live.settings import Hashing, ServerSettings


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
    codes = (live.teacher.portal.call(live.registry.find, class_id)).book.state.codes
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
    assert live.act(class_id, "continue").json()["code"] == "no_discussion"
    ada.answer(1)
    live.act(class_id, "phase", phase="done").raise_for_status()
    assert live.board(class_id)["undo"] == "teach"
    live.act(class_id, "undo-phase").raise_for_status()
    live.act(class_id, "close-round").raise_for_status()
    board = live.board(class_id)
    assert (board["phase"], board["revealed"]) == ("teach", True)
    [student] = board["students"]
    assert student["choice"] == "butterfly"
    live.act(class_id, "continue").raise_for_status()
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
