"""An activity from a map that a crowd's answers made."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

import numpy as np

from homeroom.crowd import Embedding
from homeroom.live.activities.base import Activity, Item, Picture
from homeroom.live.activities.reading import Upload
from homeroom.live.events import new_id
from homeroom.live.refused import Refused


def from_embedding(
    found: Embedding | str | PathLike[str],
    *,
    name: str = "Map",
    question: str = "Yes or no?",
    yes: str = "yes",
    no: str = "no",
    pictures: Mapping[str, Picture] | None = None,
) -> Upload:
    """Return an activity with the items of a map, to teach the expert's rule.

    Parameters
    ----------
    found
        The map, or the ``.npz`` file that it was saved to.
    name, question, yes, no
        What teachers and students read.
    pictures
        The picture of each item, by its name; the others are shown by their names.
    """
    try:
        crowd = found if isinstance(found, Embedding) else Embedding.load(found)
        target = crowd.target()
    except ValueError as why:
        raise Refused("map_unreadable", why=str(why)) from None
    shown = dict(pictures or {})
    items = tuple(
        Item(
            item,
            int(label) if np.isfinite(label) else None,
            None if item in shown else item,
            item in shown,
        )
        for item, label in zip(crowd.item_names, crowd.labels.tolist(), strict=True)
    )
    places = zip(crowd.item_names, crowd.items.tolist(), strict=True)
    activity = Activity(
        new_id(),
        name,
        items,
        question,
        yes,
        no,
        places={item: tuple(place) for item, place in places},
        target=tuple(target.tolist()),
    )
    return Upload(activity, {item: shown[item] for item in crowd.item_names if item in shown})
