import asyncio
from typing import Any

import pytest

from homeroom.live.access import passwords
from homeroom.live.access.credentials import TEACHER
from homeroom.live.settings import Hashing, ServerSettings

SECURE = ServerSettings(hashing=Hashing(1, 8, 1), origin="https://localhost")


def limited(passwords: str) -> ServerSettings:
    """Settings that refuse guessed passwords soon and without a delay."""
    return ServerSettings(hashing=Hashing(1, 8, 1), wrong_passwords=passwords, refusal_seconds=0.0)


def first(live: Any, **instead: str) -> Any:
    body = {"password": "correct horse", "setup_token": live.settings.setup_token, **instead}
    return live.teacher.post("/api/teacher/first", json=body)


def test_the_first_password_signs_in(opened: Any, cheap: ServerSettings) -> None:
    live = opened(cheap)
    assert live.teacher.get("/api/teacher/me").json() == {"signed_in": False, "first": True}
    assert first(live).json() == {"ok": True}
    assert live.teacher.get("/api/teacher/me").json() == {
        "signed_in": True,
        "first": False,
        "local": True,  # no phone can reach localhost
    }
    assert live.browser().get("/api/teacher/me").json() == {"signed_in": False, "first": False}


def test_the_teacher_gets_the_address_for_phones(opened: Any) -> None:
    live = opened(ServerSettings(hashing=Hashing(1, 8, 1), phones="http://192.168.0.7:8000"))
    assert "address" not in live.teacher.get("/api/teacher/me").json()
    first(live)
    assert live.teacher.get("/api/teacher/me").json()["address"] == "http://192.168.0.7:8000"


def test_the_link_works_once(live: Any) -> None:
    again = live.browser().post(
        "/api/teacher/first",
        json={"password": "another one", "setup_token": live.settings.setup_token},
    )
    assert again.status_code == 409
    assert "already been chosen" in again.json()["detail"]


def test_a_guessed_token_chooses_nothing_and_is_counted(opened: Any) -> None:
    live = opened(limited("3/minute"))
    assert [first(live, setup_token="guess").status_code for _ in range(4)] == [403, 403, 403, 429]
    assert first(live).status_code == 429


def test_the_teacher_signs_in_with_the_password_only(live: Any) -> None:
    browser = live.browser()
    wrong = browser.post("/api/teacher/sign-in", json={"password": "wrong horse"})
    assert (wrong.status_code, wrong.json()["detail"]) == (401, "That is not the password.")
    assert wrong.json()["code"] == "wrong_password"
    assert browser.get("/api/classes").status_code == 401
    assert browser.post("/api/teacher/sign-in", json={"password": "correct horse"}).json()
    assert browser.get("/api/classes").status_code == 200


def test_the_number_of_wrong_passwords_is_limited(opened: Any) -> None:
    live = opened(limited("3/minute"))
    live.sign_in()
    browser = live.browser()
    for _ in range(3):
        browser.post("/api/teacher/sign-in", json={"password": "guess"})
    right = browser.post("/api/teacher/sign-in", json={"password": "correct horse"})
    assert right.status_code == 429
    assert right.headers["retry-after"] == "60"
    assert "Too many wrong passwords" in right.json()["detail"]


def test_guesses_do_not_lock_the_teacher_out_of_their_own_device(opened: Any) -> None:
    live = opened(limited("3/minute"))
    live.sign_in()
    live.teacher.post("/api/teacher/sign-out").raise_for_status()
    thief = live.browser()
    for _ in range(4):
        guessed = thief.post("/api/teacher/sign-in", json={"password": "guess"})
    assert guessed.status_code == 429
    again = live.teacher.post("/api/teacher/sign-in", json={"password": "correct horse"})
    assert again.status_code == 200


def test_a_refused_guess_is_answered_after_a_while(
    opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    sleep = asyncio.sleep

    async def noted(seconds: float) -> None:
        waited.append(seconds)
        await sleep(0.0 if seconds == 7.0 else seconds)

    live = opened(
        ServerSettings(hashing=Hashing(1, 8, 1), wrong_passwords="1/minute", refusal_seconds=7.0)
    )
    monkeypatch.setattr(asyncio, "sleep", noted)
    for _ in range(2):
        live.teacher.post("/api/teacher/sign-in", json={"password": "guess"})
    assert waited.count(7.0) == 1


def test_a_flood_of_passwords_is_refused_in_a_sentence(
    live: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "WAITING", 0)
    answer = live.browser().post("/api/teacher/sign-in", json={"password": "correct horse"})
    assert (answer.status_code, answer.json()["code"]) == (429, "passwords_busy")
    assert answer.headers["retry-after"] == "5"
    assert answer.json()["detail"].startswith("Too many passwords are being checked")
    own = live.teacher.post("/api/teacher/sign-in", json={"password": "correct horse"})
    assert own.status_code == 200


def test_signing_in_with_the_right_password_is_not_limited(opened: Any) -> None:
    live = opened(limited("2/minute"))
    live.sign_in()
    for _ in range(5):
        right = live.browser().post("/api/teacher/sign-in", json={"password": "correct horse"})
        assert right.status_code == 200


def test_signing_in_needs_a_chosen_password(opened: Any, cheap: ServerSettings) -> None:
    live = opened(cheap)
    for password in ("", "x"):
        answer = live.teacher.post("/api/teacher/sign-in", json={"password": password})
        assert answer.status_code == 401


def test_signing_out_ends_the_session_on_every_device(live: Any) -> None:
    thief = live.browser()
    thief.cookies.set(TEACHER, live.teacher.cookies[TEACHER], domain="localhost.local")
    assert thief.get("/api/classes").status_code == 200
    assert live.teacher.post("/api/teacher/sign-out").json() == {"ok": True}
    assert TEACHER not in live.teacher.cookies
    assert thief.get("/api/classes").status_code == 401


def test_signing_in_always_creates_a_new_session(live: Any) -> None:
    """Session fixation: a cookie planted by an attacker must not become a session."""
    browser = live.browser()
    planted = live.teacher.cookies[TEACHER]
    live.teacher.post("/api/teacher/sign-out")
    browser.cookies.set(TEACHER, planted, domain="localhost.local")
    browser.post("/api/teacher/sign-in", json={"password": "correct horse"}).raise_for_status()
    new = [one.value for one in browser.cookies.jar if one.name == TEACHER]
    assert any(value != planted for value in new)
    stranger = live.browser()
    stranger.cookies.set(TEACHER, planted, domain="localhost.local")
    assert stranger.get("/api/classes").status_code == 401


@pytest.mark.parametrize("settings", [ServerSettings(hashing=Hashing(1, 8, 1)), SECURE])
def test_the_cookie_is_for_this_server_only(opened: Any, settings: ServerSettings) -> None:
    live = opened(settings)
    [cookie, _] = first(live).headers.get_list("set-cookie")
    flags = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "samesite=lax", "path=/", "max-age=43200"} <= flags
    assert ("secure" in flags) == settings.secure
    assert not any(flag.startswith("domain") for flag in flags)
