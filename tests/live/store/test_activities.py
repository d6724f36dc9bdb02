"""Settings and activities, the same for both databases."""

from __future__ import annotations

import pytest

from homeroom.live.activities.base import Activity, Item, Picture
from homeroom.live.events import Opened
from homeroom.live.refused import Refused
from homeroom.live.store import EventStore


def test_settings_are_stored(store: EventStore) -> None:
    assert store.setting("secret") is None
    assert store.set_setting("secret", "one", only_if_new=True)
    assert not store.set_setting("secret", "two", only_if_new=True)
    assert store.setting("secret") == "one"
    assert store.set_setting("secret", "two")
    assert store.setting("secret") == "two"


ACTIVITY = Activity(
    "a1",
    "Birds",
    (Item("duck", 1, picture=True), Item("goose", -1, "a goose", explanation="It honks.")),
    places={"duck": (1.0, 0.5), "goose": (-1.0, 0.0)},
    target=(2.0, 0.0, 0.1),
)


def test_activities_are_stored_with_their_pictures(store: EventStore) -> None:
    picture = Picture("image/png", b"\x89PNG\x00\xff")
    store.save_activity(ACTIVITY, {"duck": picture})
    assert store.activity("a1") == ACTIVITY
    assert store.activities() == [ACTIVITY]
    assert store.picture("a1", "duck") == picture
    assert store.picture("a1", "goose") is None
    assert store.activity("a2") is None


def test_an_activity_is_deleted_only_when_no_class_uses_it(store: EventStore) -> None:
    store.save_activity(ACTIVITY, {"duck": Picture("image/png", b"x")})
    class_id = store.create_class(Opened("5b", "a1", "ABC234"))
    with pytest.raises(Refused, match="The class 5b uses this activity: delete the class first"):
        store.delete_activity("a1")
    store.delete_class(class_id)
    assert store.delete_activity("a1")
    assert not store.delete_activity("a1")
    assert store.picture("a1", "duck") is None
