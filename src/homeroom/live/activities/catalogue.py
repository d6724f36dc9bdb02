"""Every activity there is: those that come with homeroom, and those that were uploaded."""

from __future__ import annotations

from homeroom.live.activities import insects, writing
from homeroom.live.activities.base import Activity, Picture
from homeroom.live.store.store import Store


def built_in() -> list[Activity]:
    """Return what comes with homeroom: the insects, and a letter each."""
    letters = [writing.activity(letter) for letter in writing.LETTERS]
    return [insects.activity(), *(one for one in letters if one is not None)]


def find(store: Store, activity_id: str) -> Activity | None:
    """Return an activity by its id."""
    if activity_id == insects.ID:
        return insects.activity()
    if activity_id.startswith(writing.PREFIX):
        return writing.activity(activity_id.removeprefix(writing.PREFIX))
    return store.activity(activity_id)


def listed(store: Store) -> list[Activity]:
    """Return all activities, the uploaded ones last."""
    return [*built_in(), *store.activities()]


def picture(store: Store, activity_id: str, item: str) -> Picture | None:
    """Return the picture of an item."""
    return insects.picture(item) if activity_id == insects.ID else store.picture(activity_id, item)
