from collections.abc import Iterator
from typing import Any

from homeroom.live.access.bodies import MOST, MOST_ROSTER, MOST_UPLOAD, allowed


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


def test_the_list_of_a_large_school_is_taken_but_no_endless_one(live: Any) -> None:
    class_id, _ = live.make_class()
    path = f"/api/classes/{class_id}/roster"
    large = b"name,about\n" + (b"Ada," + b"x" * 100 + b"\n") * 10_000
    assert len(large) > MOST
    assert live.teacher.post(path, content=large).json()["students"] == 1
    head = {"content-length": str(MOST_ROSTER + 1)}
    answer = live.teacher.post(path, content=iter([b"x"]), headers=head)
    assert answer.status_code == 413
    assert "up to 20 MB" in answer.json()["detail"]


def test_only_the_calls_of_teachers_may_be_large() -> None:
    assert allowed("/api/classes/5b/roster") == MOST_ROSTER
    for path in ("/api/classes/5b/roster/", "/api/classes/a/b/roster", "/api/answers", "/roster"):
        assert allowed(path) == MOST


def test_activities_may_be_larger_but_not_endless(live: Any) -> None:
    head = {"content-length": str(MOST_UPLOAD + 1), "content-type": "multipart/form-data"}
    answer = live.teacher.post("/api/activities", content=iter([b"x"]), headers=head)
    assert answer.status_code == 413
    assert "up to 50 MB" in answer.json()["detail"]


def test_a_strange_length_is_no_length(live: Any) -> None:
    head = {"content-length": "-5"}
    answer = live.browser().post("/api/leave", headers=head)
    assert answer.status_code == 401
