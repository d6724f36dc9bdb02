"""All activities, built-in and added."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from homeroom.live.activities import Activity, Item, Picture, insects, leaves
from homeroom.live.activities.catalogue import (
    LETTERS,
    built_in,
    find,
    letter_activity,
    listed,
    picture,
    times_tables,
)
from homeroom.live.store import open_store


def test_built_in_and_uploaded_activities_are_found_by_their_ids() -> None:
    with open_store(":memory:") as store:
        own = Activity("a1", "Birds", (Item("duck", 1, picture=True),))
        store.save_activity(own, {"duck": Picture("image/png", b"x")})
        assert [one.id for one in built_in()][:4] == [
            "insects",
            "leaves",
            "times-tables",
            "letter-a",
        ]
        assert listed(store)[-1] == own
        for one in listed(store):
            assert find(store, one.id) == one
        assert find(store, "nothing") is None
        assert find(store, "letter-?") is None
        drawn = picture(store, "insects", "insect-001")
        assert drawn is not None
        assert drawn.media == "image/svg+xml"
        assert picture(store, "a1", "duck") == Picture("image/png", b"x")
        assert picture(store, "a1", "goose") is None


def test_every_letter_has_an_activity() -> None:
    ids = [one.id for letter in LETTERS if (one := letter_activity(letter)) is not None]
    assert ids[:2] == ["letter-a", "letter-b"]
    assert len(ids) == 26
    made = letter_activity("f")
    assert made is not None
    assert (made.kind, made.letter, made.built_in) == ("writing", "f", True)
    assert letter_activity("<") is None


@pytest.mark.parametrize(
    ("activity", "drawing"),
    [
        ("insects", insects.picture),
        ("insects-8", insects.picture_of_eight),
        ("leaves", leaves.picture),
    ],
)
def test_unknown_items_are_not_kept_in_memory(activity: str, drawing: Any) -> None:
    before = drawing.cache_info().currsize
    with open_store(":memory:") as store:
        assert picture(store, activity, "unknown") is None
        assert picture(store, "times-tables", "unknown") is None
    assert drawing.cache_info().currsize == before


def test_times_tables_have_one_right_answer_in_every_place() -> None:
    activity = times_tables()
    places = Counter(item.label for item in activity.items)
    assert max(places.values()) - min(places.values()) <= 1
    for item in activity.items:
        a, b = (int(part) for part in item.id.split("x"))
        assert activity.right_word(item.id) == str(a * b)
        assert len(set(item.options)) == len(item.options) == 4
        assert all(int(option) > 0 for option in item.options)
