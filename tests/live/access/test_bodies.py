from collections.abc import Iterator
from typing import Any

from homeroom.live.access.bodies import MOST, MOST_UPLOAD


def test_a_call_that_says_it_is_too_large_is_not_read(live: Any) -> None:
    head = {"content-length": str(MOST + 1)}
    answer = live.browser().post("/api/join", content=iter([b"{"]), headers=head)
    assert answer.status_code == 413
    assert answer.json()["detail"] == "That is too large: this call takes up to 1 MB."


def test_a_call_that_goes_on_and_on_is_cut_off(live: Any) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(40):
            sent += 100_000
            yield b" " * 100_000

    answer = live.browser().post("/api/join", content=endless())
    assert answer.status_code == 413


def test_rosters_are_small(live: Any) -> None:
    class_id, _ = live.make_class()
    answer = live.teacher.post(f"/api/classes/{class_id}/roster", content=b"x" * (MOST + 1))
    assert answer.status_code == 413


def test_activities_may_be_larger_but_not_endless(live: Any) -> None:
    head = {"content-length": str(MOST_UPLOAD + 1), "content-type": "multipart/form-data"}
    answer = live.teacher.post("/api/activities", content=iter([b"x"]), headers=head)
    assert answer.status_code == 413
    assert "up to 50 MB" in answer.json()["detail"]


def test_a_strange_length_is_no_length(live: Any) -> None:
    head = {"content-length": "-5"}
    answer = live.browser().post("/api/leave", headers=head)
    assert answer.status_code == 401
