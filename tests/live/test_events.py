"""The events of a class as JSON, and their keys."""

from __future__ import annotations

import json

import pytest

from homeroom.live.events import (
    KINDS,
    Answered,
    CountdownBegan,
    Enrolled,
    Event,
    Joined,
    Locked,
    MapDrawn,
    Opened,
    Paused,
    Regrouped,
    Removed,
    Reseated,
    ReviewSet,
    RoundBegan,
    TimerPaused,
    TimerSet,
    Wrote,
    from_json,
    key_of,
    to_json,
)
from homeroom.live.ids import new_id

EVENTS: list[Event] = [
    Opened("5b", "insects", "ABC234", goal=0.2, pretest=4, timer=0.0),
    Joined("s1", "Zoë <b>"),
    RoundBegan(2, ("moth", None), ({"wrong": 3, "of": 5}, None)),
    Regrouped("by-rate", {"s1": 0, "s2": 1}),
    MapDrawn({"moth": (0.5, -1.0)}, (1.0, 2.0, 0.25)),
    Wrote("s1", 1, (({"x": 0.0, "y": 1.0, "t": 0.0},),), {"shakiness": 0.5}),
    Paused(True),
    Removed(("s1", "s2")),
    Reseated("s1"),
    ReviewSet(True),
    Locked(True),
    TimerSet(0.0),
    TimerPaused(3, True),
    CountdownBegan(3, 20.0),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_survives_a_round_trip_through_json(event: Event) -> None:
    assert from_json(json.loads(json.dumps(to_json(event)))) == event


def test_every_kind_has_its_own_name() -> None:
    assert len(KINDS) == 28
    assert KINDS["roundbegan"] is RoundBegan


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="There is no event of the kind 'exploded': was the log"):
        from_json({"kind": "exploded"})


def test_a_damaged_event_is_refused() -> None:
    with pytest.raises(ValueError, match=r"An event cannot be read: .*'answer'"):
        from_json({"kind": "answered", "student": "s1", "round": 1, "item": "moth"})


def test_an_answer_may_have_a_time_and_those_of_old_logs_have_none() -> None:
    timed = Answered("s1", 3, "moth", 1, 2.5)
    assert from_json(to_json(timed)) == timed
    old = {"kind": "answered", "student": "s1", "round": 3, "item": "moth", "answer": 1}
    assert from_json(old) == Answered("s1", 3, "moth", 1)
    assert to_json(Answered("s1", 3, "moth", 1)) == old


def test_answers_with_the_same_student_round_and_item_share_a_key() -> None:
    first = Answered("s1", 3, "moth", 1)
    assert key_of(first) == key_of(Answered("s1", 3, "moth", -1))
    others = [
        Answered("s2", 3, "moth", 1),
        Answered("s1", 4, "moth", 1),
        Answered("s1", 3, "wasp", 1),
    ]
    assert key_of(first) not in [key_of(other) for other in others]


def test_joining_and_being_enrolled_have_different_keys() -> None:
    assert key_of(Joined("s1", "Ada")) != key_of(Enrolled("s1", "Ada"))
    assert key_of(Paused(True)) is None


def test_ids_differ() -> None:
    assert len({new_id() for _ in range(100)}) == 100
    assert len(new_id()) == 16
