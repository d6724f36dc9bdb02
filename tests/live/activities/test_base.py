"""An activity is plain data."""

from __future__ import annotations

import json

import pytest

from homeroom.live.activities.base import Activity, Item
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
    assert Activity("a", "A", question=question, yes="moth", no="bee").own_question == own
