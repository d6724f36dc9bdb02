"""What students do: join, look, answer, write, leave."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

from homeroom.live import events
from homeroom.live.access.credentials import DEVICE, STUDENT, hash_of
from homeroom.live.access.passwords import AttemptLimit
from homeroom.live.events import Answered
from homeroom.live.messages.responses import LetterResult
from homeroom.live.messages.views import ClassLetters, StudentView
from homeroom.live.routes.pages import UNKNOWN
from homeroom.live.settings import Hashing, ServerSettings

SCRIPT = "<script>alert(1)</script>"


def join(browser: Any, code: str, name: str = "Ada") -> Any:
    return browser.post("/api/join", json={"code": code, "nickname": name})


def answers_in(live: Any, class_id: str) -> list[Answered]:
    stored = live.registry.store.events(class_id)
    return [one.event for one in stored if isinstance(one.event, Answered)]


def test_a_student_joins_with_the_code_however_it_is_typed(live: Any) -> None:
    class_id, code = live.make_class()
    response = join(live.browser(), f" {code[:3].lower()} {code[3:].lower()} ").json()
    assert response == {"student": response["student"], "nickname": "Ada", "kind": "quiz"}
    assert [one["name"] for one in live.board(class_id)["students"]] == ["Ada"]


def test_the_cookie_is_for_this_server_only(live: Any) -> None:
    _, code = live.make_class()
    cookies = join(live.browser(), code).headers.get_list("set-cookie")
    assert [cookie.partition("=")[0] for cookie in cookies] == [STUDENT, DEVICE]
    for cookie in cookies:
        flags = {part.strip().lower() for part in cookie.split(";")[1:]}
        assert {"httponly", "samesite=lax", "path=/", "max-age=2592000"} == flags


def test_behind_https_the_cookie_is_for_https_only(opened: Any) -> None:
    live = opened(ServerSettings(origin="https://school.example", hashing=Hashing(1, 8, 1)))
    made = live.teacher.portal.call(live.registry.create, "5b", "insects")
    browser = live.browser()
    browser.base_url, browser.headers["origin"] = "https://school.example", "https://school.example"
    joined = join(browser, made[1]).headers.get_list("set-cookie")
    left = browser.post("/api/sign-out").raise_for_status().headers.get_list("set-cookie")
    assert [cookie.partition("=")[0] for cookie in joined + left] == [STUDENT, DEVICE, STUDENT]
    for cookie in joined + left:
        flags = {part.strip().lower() for part in cookie.split(";")[1:]}
        assert {"secure", "httponly", "samesite=lax", "path=/"} <= flags


def test_only_the_hash_of_a_ticket_is_stored(opened: Any, tmp_path: Any) -> None:
    place = tmp_path / "class.db"
    live = opened(ServerSettings(database=str(place), hashing=Hashing(1, 8, 1)))
    live.sign_in()
    _, code = live.make_class()
    ticket = live.join(code).browser.cookies[STUDENT]
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"Ada" in kept
    assert ticket.encode() not in kept


def test_codes_that_are_sent_all_at_once_are_not_all_checked(opened: Any) -> None:
    live = opened(
        ServerSettings(hashing=Hashing(1, 8, 1), wrong_codes="5/minute", refusal_seconds=0.0)
    )
    browser = live.browser()
    with ThreadPoolExecutor(40) as hands:
        tried = list(hands.map(lambda n: join(browser, f"ABC{n:03}").status_code, range(40)))
    assert Counter(tried) == {404: 5, 429: 35}


def test_leaving_repeatedly_does_not_fill_the_log(live: Any) -> None:
    class_id, code = live.make_class()
    ada = live.join(code)
    assert ada.browser.post("/api/leave").json() == {"ok": True}
    version = live.board(class_id)["version"]
    assert ada.browser.post("/api/leave").json() == {"ok": True}
    assert live.act(class_id, f"students/{ada.id}/leave").json()["version"] == version
    assert live.board(class_id)["version"] == version


def test_codes_cannot_be_enumerated(opened: Any) -> None:
    """After some wrong codes not even the right one opens the class, from the same address."""
    live = opened(
        ServerSettings(hashing=Hashing(1, 8, 1), wrong_codes="5/minute", refusal_seconds=0.0)
    )
    live.sign_in()
    _, code = live.make_class()
    wrong = ["AAAAAA", "BBBBBB", "", "x" * 40, "22222"]
    answers = [join(live.browser(), guess) for guess in wrong]
    assert [answer.status_code for answer in answers] == [404] * 5
    assert {answer.json()["detail"] for answer in answers} == {
        "No class has this code: check it again."
    }
    late = join(live.browser(), code)
    assert late.status_code == 429
    assert "Too many wrong codes" in late.json()["detail"]


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False])
def test_a_school_is_not_locked_out_by_the_wrong_codes_of_a_script(
    opened: Any, tmp_path: Any, known: bool
) -> None:
    """A browser that has opened the page, or joined before, is distinguished from the script."""
    (tmp_path / "index.html").touch()
    limits = ServerSettings(
        hashing=Hashing(1, 8, 1), wrong_codes="5/minute", refusal_seconds=0.0, static=tmp_path
    )
    live = opened(limits)
    live.sign_in()
    _, code = live.make_class()
    browser = live.browser()
    if known:
        join(browser, code, "Ada").raise_for_status()
        browser.cookies.delete(STUDENT)
    else:
        browser.get("/").raise_for_status()
    script = live.browser()
    guesses = [join(script, "AAAAAA").status_code for _ in range(6)]
    assert guesses == [404] * 5 + [429]
    assert join(script, code, "Eve").status_code == 429
    join(browser, code, "Ben").raise_for_status()


def test_a_class_that_has_ended_admits_no_newcomers(live: Any) -> None:
    class_id, code = live.make_class()
    live.teacher.post(f"/api/classes/{class_id}/roster", content=b"name\nBen\n")
    ada = live.join(code, "Ada")
    live.act(class_id, "phase", phase="done").raise_for_status()
    for name in ("Cleo", "Ben"):
        late = join(live.browser(), code, name)
        assert (late.status_code, late.json()["code"]) == (409, "class_ended")
    assert join(ada.browser, code, "Ada").json()["student"] == ada.id
    live.act(class_id, "phase", phase="teach").raise_for_status()
    live.join(code, "Cleo")


def test_a_whole_school_behind_one_address_can_join(opened: Any) -> None:
    live = opened(ServerSettings(hashing=Hashing(1, 8, 1), wrong_codes="2/minute"))
    live.sign_in()
    _, code = live.make_class()
    for number in range(10):
        live.join(code, f"student {number}")


def test_an_address_cannot_be_forged(opened: Any) -> None:
    live = opened(
        ServerSettings(hashing=Hashing(1, 8, 1), wrong_codes="1/minute", refusal_seconds=0.0)
    )
    body = {"code": "AAAAAA", "nickname": "Ada"}
    statuses = [
        live.browser()
        .post("/api/join", json=body, headers={"x-forwarded-for": f"192.0.2.{number}"})
        .status_code
        for number in range(2)
    ]
    assert statuses == [404, 429]


def test_joining_always_creates_a_new_ticket(live: Any) -> None:
    """Session fixation: an attacker who plants a cookie must not share the seat afterwards."""
    _, code = live.make_class()
    browser = live.browser()
    browser.cookies.set(STUDENT, "planted", domain="localhost.local")
    join(browser, code).raise_for_status()
    thief = live.browser()
    thief.cookies.set(STUDENT, "planted", domain="localhost.local")
    assert thief.get("/api/me").status_code == 401
    assert "planted" not in browser.cookies[STUDENT]


def test_a_name_belongs_to_one_student(live: Any) -> None:
    _, code = live.make_class()
    live.join(code, "Ada")
    again = join(live.browser(), code, " aDA ")
    assert again.status_code == 409
    assert "already called aDA: choose another name" in again.json()["detail"]
    assert (again.json()["code"], again.json()["values"]) == ("name_taken", {"name": "aDA"})


def test_a_full_class_and_a_name_that_is_taken_have_different_codes(
    live: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MOST_STUDENTS", 1)
    _, code = live.make_class()
    live.join(code, "Ada")
    late = join(live.browser(), code, "Ben")
    assert (late.status_code, late.json()["code"]) == (409, "class_full")


def test_a_student_who_joins_again_from_the_same_browser_keeps_the_seat(live: Any) -> None:
    class_id, code = live.make_class()
    ada = live.join(code, "Ada")
    ada.browser.post("/api/leave").raise_for_status()
    assert live.board(class_id)["counts"]["here"] == 0
    again = join(ada.browser, code, "Ada").json()
    assert again["student"] == ada.id
    assert (
        live.board(class_id)["counts"] | {"here": 1, "students": 1}
        == live.board(class_id)["counts"]
    )


def test_a_student_on_the_class_list_gets_their_seat(live: Any) -> None:
    class_id, code = live.make_class()
    live.teacher.post(f"/api/classes/{class_id}/roster", content=b"name\nAda\nBen\n")
    ada = live.join(code, "ada")
    assert ada.view["nickname"] == "Ada"
    assert len(live.board(class_id)["students"]) == 2


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 41, "\u202e\u0000"])
def test_names_must_be_one_short_line(live: Any, name: str) -> None:
    _, code = live.make_class()
    answer = join(live.browser(), code, name)
    if name == "a\nb":  # blanks of any kind are one blank
        assert answer.json()["nickname"] == "a b"
    else:
        assert answer.status_code == 422


def test_a_script_in_a_name_is_only_a_name(live: Any) -> None:
    """It is sent as JSON and as a cell of a table, never as HTML."""
    class_id, code = live.make_class()
    ada = live.join(code, SCRIPT)
    assert ada.view["nickname"] == SCRIPT
    for what in ("", "/report"):
        response = live.teacher.get(f"/api/classes/{class_id}{what}")
        assert response.headers["content-type"] == "application/json"
        assert response.json()["students"][0]["name"] == SCRIPT


def test_an_answer_is_acknowledged_when_it_is_stored(live: Any) -> None:
    class_id, code = live.make_class()
    ada = live.join(code)
    live.act(class_id, "phase", phase="teach").raise_for_status()
    view = ada.answer(1).json()
    assert view["answered"] or view["round"] == 2  # the new view, with no second request
    assert view["version"] > 4
    [stored] = answers_in(live, class_id)
    assert (stored.student, stored.round, stored.answer) == (ada.id, 1, 1)


def test_the_time_that_an_answer_took_is_stored_if_the_page_sends_it(live: Any) -> None:
    class_id, code = live.make_class()
    ada = live.join(code)
    live.act(class_id, "phase", phase="teach")
    item = ada.view["item"]["id"]
    body = {"round": 1, "item": item, "answer": 1, "seconds": 2.5}
    assert ada.browser.post("/api/answers", json=body).json()["version"]
    [stored] = answers_in(live, class_id)
    assert stored.seconds == 2.5


def test_an_answer_that_is_sent_twice_counts_once_and_is_acknowledged_twice(live: Any) -> None:
    class_id, code = live.make_class()
    ada, ben = live.join(code, "Ada"), live.join(code, "Ben")
    live.act(class_id, "phase", phase="teach")
    item = ada.view["item"]["id"]
    for value in (1, 1, -1):
        body = {"round": 1, "item": item, "answer": value}
        assert ada.browser.post("/api/answers", json=body).json()["answered"]
    ben.answer(1)  # the round is over
    late = ada.browser.post("/api/answers", json={"round": 1, "item": item, "answer": -1})
    assert late.status_code == 200
    assert [one.answer for one in answers_in(live, class_id) if one.student == ada.id] == [1]


@pytest.mark.parametrize(
    ("instead", "status"),
    [
        ({"round": 7}, 409),
        ({"item": "another"}, 404),
        ({"answer": 0}, 422),
        ({"answer": 2}, 422),
        ({"round": -1}, 422),
        ({"round": 10**30}, 422),
        ({"item": "x" * 300}, 422),
        ({"student": "another"}, 422),
        ({"seconds": -1.0}, 422),
        ({"seconds": 1e9}, 422),
    ],
)
def test_only_the_present_question_can_be_answered(
    live: Any, instead: dict[str, Any], status: int
) -> None:
    class_id, code = live.make_class()
    ada = live.join(code)
    live.act(class_id, "phase", phase="teach")
    refused = ada.answer(1, **instead)
    assert refused.status_code == status
    assert refused.json()["detail"]
    assert answers_in(live, class_id) == []


def test_a_student_sees_nothing_about_others(live: Any) -> None:
    class_id, code = live.make_class()
    ada, ben = live.join(code, "Ada Unmistakable"), live.join(code, "Ben")
    live.act(class_id, "phase", phase="teach")
    ada.answer(1)
    for path in ("/api/me", "/api/live"):
        if path == "/api/me":
            seen = ben.browser.get(path).text
        else:
            with ben.browser.websocket_connect(f"ws://localhost{path}") as line:
                seen = line.receive_text()
        assert "Unmistakable" not in seen
        assert ada.id not in seen
        assert ben.id in seen


def test_a_student_sees_only_their_own_class(live: Any) -> None:
    first, code = live.make_class()
    second, other = live.make_class()
    ada, _ = live.join(code, "Ada"), live.join(other, "Ben")
    live.act(first, "phase", phase="teach")
    live.act(second, "phase", phase="teach")
    item = ada.view["item"]["id"]
    ada.browser.post("/api/answers", json={"round": 1, "item": item, "answer": 1})
    assert answers_in(live, second) == []
    assert live.board(second)["counts"]["answers"] == 0


def test_labels_are_shown_when_all_have_answered_and_not_before(live: Any) -> None:
    class_id, code = live.make_class(discussion=600)
    ada, ben = live.join(code, "Ada"), live.join(code, "Ben")
    live.act(class_id, "phase", phase="teach")
    assert not ada.view["feedback"]
    ada.answer(1)
    assert not ada.view["feedback"]  # Ben has not answered yet
    assert ada.view["answered"]
    ben.answer(-1)
    assert ada.view["feedback"]["label"] in ("butterfly", "moth")


def test_a_student_who_left_is_not_waited_for(live: Any) -> None:
    class_id, code = live.make_class()
    ada, ben = live.join(code, "Ada"), live.join(code, "Ben")
    live.act(class_id, "phase", phase="teach")
    ada.answer(1)
    assert live.board(class_id)["round"] == 1
    assert ben.browser.post("/api/leave").json() == {"ok": True}
    assert live.board(class_id)["round"] == 2


def test_the_students_of_a_deleted_class_are_strangers(live: Any) -> None:
    class_id, code = live.make_class()
    ada = live.join(code)
    live.teacher.delete(f"/api/classes/{class_id}").raise_for_status()
    assert ada.browser.get("/api/me").status_code in (401, 404)
    assert join(live.browser(), code).status_code == 404


def seat_code(live: Any, class_id: str, student: Any) -> dict[str, Any]:
    return dict(live.act(class_id, f"students/{student.id}/seat").raise_for_status().json())


def hung_up(line: Any) -> bool:
    """Return whether the server closes a page as unknown, after pending messages."""
    try:
        for _ in range(10):
            line.receive_json()
    except WebSocketDisconnect as ended:
        return ended.code == UNKNOWN
    return False


def take(browser: Any, code: str) -> Any:
    return browser.post("/api/seat", json={"code": code})


def test_a_student_who_lost_the_cookie_gets_the_seat_back_with_a_code(live: Any) -> None:
    class_id, code = live.make_class()
    ada, ben = live.join(code, "Ada"), live.join(code, "Ben")
    live.act(class_id, "phase", phase="teach").raise_for_status()
    ada.answer(1).raise_for_status()
    offered = seat_code(live, class_id, ada)
    assert offered["minutes"] == 10
    assert offered["link"] == f"http://localhost/?code={offered['code']}"
    assert offered["qr"] == []  # no other device can open this link
    new_phone = live.browser()
    response = take(new_phone, offered["code"].lower() + " ").raise_for_status().json()
    assert response == {"student": ada.id, "nickname": "Ada", "kind": "quiz"}
    assert new_phone.get("/api/me").json()["answered"] is True
    assert ada.browser.get("/api/me").status_code == 401  # the old phone has no seat
    assert ada.answer_raw().status_code == 401
    assert ben.view["nickname"] == "Ben"
    again = take(live.browser(), offered["code"])
    assert again.status_code == 404
    assert again.json()["code"] == "seat_code"


def test_a_page_that_is_open_on_the_old_phone_is_closed(live: Any) -> None:
    class_id, code = live.make_class()
    ada = live.join(code, "Ada")
    with ada.browser.websocket_connect("ws://localhost/api/live") as line:
        line.receive_json()
        take(live.browser(), seat_code(live, class_id, ada)["code"]).raise_for_status()
        assert hung_up(line)


@pytest.mark.slow
def test_seat_codes_cannot_be_guessed(opened: Any) -> None:
    """They are counted together with the codes of classes."""
    live = opened(ServerSettings(hashing=Hashing(1, 8, 1), wrong_codes="4/minute"))
    live.sign_in()
    class_id, code = live.make_class()
    offered = seat_code(live, class_id, live.join(code))
    tried = [take(live.browser(), guess).status_code for guess in ("AAAAAAAA", "", code)]
    assert tried == [404] * 3
    assert join(live.browser(), offered["code"], "Ben").status_code == 404
    assert take(live.browser(), offered["code"]).status_code == 429


def test_only_the_hash_of_a_seat_code_is_stored(opened: Any, tmp_path: Any) -> None:
    live = opened(ServerSettings(database=str(tmp_path / "class.db"), hashing=Hashing(1, 8, 1)))
    live.sign_in()
    class_id, code = live.make_class()
    offered = seat_code(live, class_id, live.join(code))
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert hash_of(offered["code"]).encode() in kept
    assert offered["code"].encode() not in kept


def test_a_removed_student_is_informed_and_may_join_again(live: Any) -> None:
    class_id, code = live.make_class()
    ada, silly = live.join(code, "Ada"), live.join(code, "Silly")
    live.act(class_id, "phase", phase="teach").raise_for_status()
    silly.answer(1).raise_for_status()
    offered = seat_code(live, class_id, silly)
    live.act(class_id, "remove", students=[silly.id]).raise_for_status()
    calls = [
        silly.browser.get("/api/me"),
        silly.answer_raw(),
        silly.browser.post("/api/leave"),
        take(live.browser(), offered["code"]),
    ]
    assert [call.status_code for call in calls] == [410] * 4
    assert {call.json()["code"] for call in calls} == {"removed"}
    picture = ada.view["item"]["picture"]
    assert ada.browser.get(picture).status_code == 200
    assert silly.browser.get(picture).status_code == 404
    assert [one["name"] for one in live.board(class_id)["students"]] == ["Ada"]
    assert live.board(class_id)["counts"]["answers"] == 0
    again = join(silly.browser, code, "Silly").raise_for_status().json()
    assert again["student"] != silly.id
    assert silly.view["nickname"] == "Silly"


def test_a_removed_students_open_page_is_closed(live: Any) -> None:
    class_id, code = live.make_class()
    ada = live.join(code, "Ada")
    with ada.browser.websocket_connect("ws://localhost/api/live") as line:
        line.receive_json()
        live.act(class_id, "remove", students=[ada.id]).raise_for_status()
        assert hung_up(line)
    with (
        pytest.raises(WebSocketDisconnect),
        ada.browser.websocket_connect("ws://localhost/api/live"),
    ):
        pass


def test_a_locked_class_refuses_new_students_with_a_reason(live: Any) -> None:
    class_id, code = live.make_class()
    ada = live.join(code, "Ada")
    live.act(class_id, "lock", locked=True).raise_for_status()
    assert live.board(class_id)["locked"] is True
    late = join(live.browser(), code, "Ben")
    assert (late.status_code, late.json()["code"]) == (409, "door_closed")
    assert join(ada.browser, code, "Ada").status_code == 200  # Ada has joined already
    live.act(class_id, "lock", locked=False).raise_for_status()
    assert join(live.browser(), code, "Ben").status_code == 200


def test_the_number_of_joins_per_address_is_limited(opened: Any) -> None:
    live = opened(ServerSettings(hashing=Hashing(1, 8, 1), joins="5/minute"))
    live.sign_in()
    class_id, code = live.make_class()
    with ThreadPoolExecutor(10) as hands:
        came = list(hands.map(lambda n: join(live.browser(), code, f"x{n}").status_code, range(20)))
    assert Counter(came) == {200: 5, 429: 15}
    assert len(live.board(class_id)["students"]) == 5


def test_three_hundred_students_at_one_address_can_join_within_a_minute() -> None:
    joins = AttemptLimit("joins", ServerSettings().joins)
    for _ in range(300):
        joins.check_and_count("192.0.2.1")


@pytest.fixture
def writing(live: Any) -> tuple[str, Any]:
    """A class of one that writes."""
    class_id, code = live.make_class("letter-l")
    ada = live.join(code)
    live.act(class_id, "phase", phase="teach").raise_for_status()
    return class_id, ada


def test_a_child_writes_and_the_robot_writes_back(live: Any, writing: Any) -> None:
    class_id, ada = writing
    view = ada.view
    StudentView.model_validate(view)
    assert (view["kind"], view["round"], view["writing"]["robot"]) == ("writing", 1, None)
    model = view["writing"]["model"]
    response = ada.browser.post("/api/ink", json={"round": 1, "strokes": model}).json()
    LetterResult.model_validate(response)
    assert max(response["scores"].values()) < 0.1  # the model itself
    assert response["form"].startswith("cursive")
    assert response["next"]["strokes"]
    assert ada.view["round"] == 2
    again = ada.browser.post("/api/ink", json={"round": 1, "strokes": model})
    assert again.status_code == 200  # sent again: counted once
    letters = live.teacher.get(f"/api/classes/{class_id}/letters").json()
    ClassLetters.model_validate(letters)
    assert [len(one["tries"]) for one in letters["students"]] == [1]
    assert letters["students"][0]["form"] == response["form"]


def test_the_teacher_sets_the_form_of_a_letter_and_changes_it_before_the_lesson(live: Any) -> None:
    class_id, code = live.make_class("letter-l", form="print")
    assert live.board(class_id)["form"] == "print"
    ada = live.join(code)
    live.act(class_id, "lessons", activity="letter-l", form="cursive").raise_for_status()
    assert live.board(class_id)["form"] == "cursive"
    live.act(class_id, "lessons", activity="letter-l").raise_for_status()
    assert live.board(class_id)["form"] == "cursive"  # what is left out stays as it is
    live.act(class_id, "phase", phase="teach").raise_for_status()
    model = ada.view["writing"]["model"]
    response = ada.browser.post("/api/ink", json={"round": 1, "strokes": model}).json()
    assert response["form"].startswith("cursive")
    wish = {"name": "5b", "activity": "letter-l", "form": "runes"}
    assert live.teacher.post("/api/classes", json=wish).status_code == 422


@pytest.mark.parametrize(
    "strokes",
    [
        [],
        [[]],
        [[{"x": 0, "y": 0}]],
        [[{"x": "NaN", "y": 0, "t": 0}]],
        [[{"x": 1e300, "y": 0, "t": 0}]],
        [[{"x": 0, "y": 0, "t": 0}]],
        [[{"x": 0, "y": 0, "t": 1}, {"x": 1, "y": 0, "t": 0}]],
        [[{"x": 0, "y": 0, "t": 0}]] * 51,
        "ink",
    ],
)
def test_invalid_ink_is_refused(writing: Any, strokes: Any) -> None:
    _, ada = writing
    refused = ada.browser.post("/api/ink", json={"round": 1, "strokes": strokes})
    assert refused.status_code == 422
    assert isinstance(refused.json()["detail"], str)


def test_letters_are_refused_in_a_quiz(live: Any) -> None:
    _, code = live.make_class()
    stroke = [[{"x": 0, "y": 0, "t": 0}, {"x": 1, "y": 1, "t": 1}]]
    refused = live.join(code).browser.post("/api/ink", json={"round": 1, "strokes": stroke})
    assert refused.status_code == 404
    assert "does not write letters" in refused.json()["detail"]


def test_students_choose_whether_they_take_part_in_an_experiment(live: Any) -> None:
    class_id, code = live.make_class(experiment={"arms": ["homeroom", "easy-first"], "rounds": 2})
    ada, ben = live.join(code, "Ada"), live.join(code, "Ben")
    assert ada.view["experiment"] == {"agrees": None, "begun": False}
    for student, agrees in ((ada, True), (ben, False)):
        body = {"agrees": agrees}
        student.browser.post("/api/consent", json=body).raise_for_status()
        assert student.view["experiment"]["agrees"] is agrees
    shown = live.board(class_id)["experiment"]
    assert (shown["agreed"], shown["declined"], shown["undecided"]) == (1, 1, 0)
    assert [one["arm"] for one in shown["arms"]] == ["homeroom", "easy-first"]
    log = live.teacher.get(f"/api/classes/{class_id}/export.experiment.jsonl")
    assert log.json()["arms"] == ["homeroom", "easy-first"]
    assert live.teacher.get(f"/api/classes/{class_id}/report").json()["experiment"] is not None


def test_a_lesson_that_compares_nothing_has_no_consent_and_no_log(live: Any) -> None:
    class_id, code = live.make_class()
    ada = live.join(code)
    assert ada.view["experiment"] is None
    refused = ada.browser.post("/api/consent", json={"agrees": True})
    assert (refused.status_code, refused.json()["code"]) == (409, "no_experiment")
    log = live.teacher.get(f"/api/classes/{class_id}/export.experiment.jsonl")
    assert (log.status_code, log.json()["code"]) == (409, "no_experiment")
    assert live.teacher.get(f"/api/classes/{class_id}/report").json()["experiment"] is None


def test_the_next_lesson_is_an_experiment_only_if_the_teacher_says_so(live: Any) -> None:
    class_id, _ = live.make_class(experiment={})
    seeds = [live.registry.store.events(class_id)[-1].event.experiment["seed"]]
    place = f"/api/classes/{class_id}/lessons"
    live.teacher.post(place, json={"activity": "insects", "experiment": {}}).raise_for_status()
    seeds.append(live.registry.store.events(class_id)[-1].event.experiment["seed"])
    assert len(set(seeds)) == 2  # drawn again, and logged
    live.teacher.post(place, json={"activity": "insects"}).raise_for_status()
    assert live.board(class_id)["experiment"] is None


def test_ways_that_cannot_be_compared_are_refused(live: Any) -> None:
    wish = {"name": "5b", "activity": "insects", "experiment": {"arms": ["homeroom", "best"]}}
    refused = live.teacher.post("/api/classes", json=wish)
    assert (refused.status_code, refused.json()["code"]) == (422, "experiment_arm")
    wish["experiment"] = {"arms": ["homeroom"]}
    assert live.teacher.post("/api/classes", json=wish).status_code == 422
