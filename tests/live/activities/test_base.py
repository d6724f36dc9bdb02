"""An activity is plain data."""

from __future__ import annotations

import json

import pytest

from homeroom.live.activities.base import WHICH, Activity, Item
from homeroom.live.activities.insects import activity


def test_an_activity_survives_a_round_trip_through_json() -> None:
    for one in (activity(), Activity("a", "A", (Item("x", None, "?"),), kind="writing")):
        assert Activity.from_json(json.loads(json.dumps(one.to_json()))) == one


def test_only_items_with_a_label_are_in_labels() -> None:
    one = Activity("a", "A", (Item("x", None), Item("y", -1)), yes="moth", no="bee")
    assert one.labels == {"y": -1}
    assert one.item_of["x"].label is None
    assert (one.word(1), one.word(-1)) == ("moth", "bee")
    assert one.space is None


@pytest.mark.parametrize(
    ("question", "own"),
    [("moth or bee?", None), ("Moth or bee?", None), ("Is it a moth?", "Is it a moth?")],
)
def test_a_question_that_only_names_the_answers_is_left_to_the_page(
    question: str, own: str | None
) -> None:
    one = Activity("a", "A", (Item("x", 1),), question=question, yes="moth", no="bee")
    assert one.question_of("x") == own


def test_an_item_may_have_a_question_and_options_of_its_own() -> None:
    items = (Item("x", 3), Item("y", -1, question="Or a bush?", options=("tree", "bush")))
    one = Activity("a", "A", items, question=WHICH, options=("beech", "elm", "oak"))
    assert (one.question_of("x"), one.question_of("y")) == (None, "Or a bush?")
    assert (one.values("x"), one.values("y")) == ((1, 2, 3), (1, -1))
    assert (one.label_of("x"), one.label_of("y")) == ("oak", "bush")
    assert not one.has_rule
    assert Activity.from_json(json.loads(json.dumps(one.to_json()))) == one


def test_an_activity_with_two_answers_is_stored_as_by_0_1() -> None:
    stored = Activity("a", "A", (Item("x", 1),)).to_json()
    assert not {"options", "facts"} & stored.keys()
    assert list(stored["items"][0]) == ["id", "label", "text", "picture", "explanation"]
