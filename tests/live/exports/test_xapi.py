"""A class as xAPI statements."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from homeroom.handwriting import Child
from homeroom.live.activities.catalogue import letter_activity as activity
from homeroom.live.classbook.state import State
from homeroom.live.classbook.writing import write_letter
from homeroom.live.events import Event, Joined, Opened, PhaseBegan
from homeroom.live.exports import xapi_of
from homeroom.live.store import Stored
from tests.live.shown import strokes_sent


def test_every_answer_is_a_statement(taught: Any) -> None:
    text = xapi_of(taught.state, taught.stored, home="http://school.test/", class_id="c1")
    lines = text.splitlines()
    assert len(lines) == 30
    assert text.endswith("\n")
    for line in lines:
        statement = json.loads(line)
        UUID(statement["id"])
        assert statement["verb"]["id"] == "http://adlnet.gov/expapi/verbs/answered"
        assert statement["actor"]["account"]["homePage"] == "http://school.test"
        assert statement["object"]["id"].startswith(
            "http://school.test/api/activities/insects/items/insect-"
        )
        assert statement["result"]["response"] in ("butterfly", "moth")
        assert isinstance(statement["result"]["success"], bool)
        assert statement["timestamp"].endswith("Z")


def test_a_statement_is_the_same_when_it_is_exported_again(taught: Any) -> None:
    first = xapi_of(taught.state, taught.stored, class_id="c1")
    assert first == xapi_of(taught.state, taught.stored, class_id="c1")
    ids = [json.loads(line)["id"] for line in first.splitlines()]
    assert len(set(ids)) == 30
    other = xapi_of(taught.state, taught.stored, class_id="c2")
    assert json.loads(other.splitlines()[0])["id"] != ids[0]


def test_a_letter_is_a_statement_too() -> None:
    made = activity("f")
    assert made is not None
    state = State.begin(made)
    stored: list[Stored] = []

    def add(event: Event) -> None:
        nonlocal state
        state = state.after(event)
        stored.append(Stored(event, state.version, 0.0))

    for event in (Opened("2a", "letter-f", "A"), Joined("s1", "Ada"), PhaseBegan("teach")):
        add(event)
    ink = strokes_sent(Child.of("shaky+rotated", seed=1).write("f", tries=1)[0])
    add(write_letter(state, "s1", ink))
    [statement] = map(json.loads, xapi_of(state, stored, home="http://school.test").splitlines())
    assert statement["actor"]["name"] == "Ada"
    assert statement["object"]["id"] == "http://school.test/api/activities/letter-f/letter"
    assert statement["object"]["definition"]["name"] == {"en": "the letter f"}
    scores = state.wrote[0].scores
    assert statement["result"]["extensions"] == {
        f"http://school.test/xapi/{name}": value for name, value in scores.items()
    }
