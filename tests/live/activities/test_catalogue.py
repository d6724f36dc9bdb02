"""All activities, built-in and added."""

from __future__ import annotations

from homeroom.live.activities import Activity, Item, Picture
from homeroom.live.activities.catalogue import (
    LETTERS,
    built_in,
    find,
    letter_activity,
    listed,
    picture,
)
from homeroom.live.store import open_store


def test_built_in_and_uploaded_activities_are_found_by_their_ids() -> None:
    with open_store(":memory:") as store:
        own = Activity("a1", "Birds", (Item("duck", 1, picture=True),))
        store.save_activity(own, {"duck": Picture("image/png", b"x")})
        assert [one.id for one in built_in()][:3] == ["insects", "letter-a", "letter-b"]
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
