"""A class as JSON, from which it can be rebuilt."""

from __future__ import annotations

import json
from typing import Any

from homeroom.live.classbook import ClassBook
from homeroom.live.events import from_json
from homeroom.live.exports import json_of


def test_everything_is_there(taught: Any) -> None:
    said = json.loads(json_of(taught.book, taught.stored))
    assert said["name"] == "5b <i>"
    assert len(said["answers"]) == 30
    assert len(said["rounds"]) == len(taught.book.state.rounds)
    assert said["rounds"][1]["why"][0].startswith("About ")
    counted = {"answered": 10, "judged": 10, "right": 7, "rounds": 4}
    assert said["students"][0]["progress"] == counted
    assert said["errors"][-1]["total"] > 0


def test_the_class_can_be_rebuilt_from_it(taught: Any) -> None:
    said = json.loads(json_of(taught.book, taught.stored))
    events = [
        from_json({name: value for name, value in one.items() if name not in ("version", "at")})
        for one in said["log"]
    ]
    again = ClassBook.rebuilt(taught.book.state.activity, events)
    assert again.board("c") == taught.book.board("c")
