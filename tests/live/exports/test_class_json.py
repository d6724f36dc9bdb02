"""A class as JSON, from which it can be rebuilt."""

from __future__ import annotations

import json
from typing import Any

from homeroom.live.activities.catalogue import letter_activity
from homeroom.live.classbook.state import State
from homeroom.live.events import (
    Enrolled,
    Event,
    Joined,
    Opened,
    PhaseBegan,
    Removed,
    Wrote,
    from_json,
)
from homeroom.live.exports import json_of
from homeroom.live.store import Stored
from tests.live.shown import board_of


def test_everything_is_there(taught: Any) -> None:
    values = json.loads(json_of(taught.state, taught.stored))
    assert values["name"] == "5b <i>"
    assert len(values["answers"]) == 30
    assert len(values["rounds"]) == len(taught.state.rounds)
    assert "would get it wrong" in values["rounds"][1]["why"][0]
    counted = {"answered": 10, "judged": 10, "right": 7, "rounds": 4}
    assert values["students"][0]["progress"] == counted
    assert values["errors"][-1]["total"] > 0


def test_the_name_of_a_removed_student_is_not_in_it(taught: Any) -> None:
    taught.add(Removed(("s0",)))
    text = json_of(taught.state, taught.stored)
    assert "Ada" not in text
    assert_rebuilt(taught, text)


def test_the_letters_of_a_removed_student_are_not_in_it() -> None:
    made = letter_activity("f")
    assert made is not None
    wrote = Wrote("s1", 1, (({"x": 0.123, "y": 0.0, "t": 0.0},),), {"distortion": 0.1})
    events: list[Event] = [Opened("2a", "letter-f", "A"), Enrolled("s1", "Ada")]
    events += [Joined("s1", "Ada"), PhaseBegan("teach"), wrote]
    stored = [Stored(event, number + 1, 0.0) for number, event in enumerate(events)]
    kept = json_of(State.begin(made).after_all(events), stored)
    assert "Ada" in kept
    assert "0.123" in kept
    events.append(Removed(("s1",)))
    stored.append(Stored(events[-1], len(events), 0.0))
    text = json_of(State.begin(made).after_all(events), stored)
    assert "Ada" not in text
    assert "0.123" not in text


def test_the_class_can_be_rebuilt_from_it(taught: Any) -> None:
    assert_rebuilt(taught, json_of(taught.state, taught.stored))


def assert_rebuilt(taught: Any, text: str) -> None:
    values = json.loads(text)
    events = [
        from_json({name: value for name, value in one.items() if name not in ("version", "at")})
        for one in values["log"]
    ]
    again = State.begin(taught.state.activity).after_all(events)
    assert board_of(again, "c") == board_of(taught.state, "c")
