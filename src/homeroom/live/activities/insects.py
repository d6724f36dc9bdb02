"""The built-in activity about insects of four species: is it a butterfly or a moth?"""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from homeroom.crowd import insects
from homeroom.crowd.insects.collection import places_of
from homeroom.crowd.insects.shapes import as_svg
from homeroom.crowd.insects.species import SPECIES
from homeroom.crowd.rule import expert_rule
from homeroom.live.activities.base import Activity, Item, Picture

ID = "insects"
EIGHT = "insects-8"
"""An activity of 0.2, kept as data for classes that have it; it is not offered to new classes."""

BECAUSE = {
    "butterfly": "a butterfly: its antennae end in clubs and its wings are broad",
    "moth": "a moth: its antennae are feathered and its wings are narrow",
}
"""The end of the explanation of each answer."""


@cache
def collection() -> insects.Insects:
    """Return the insects of four species, made with seed 0."""
    return insects.make(0)


@cache
def activity() -> Activity:
    """Return the activity with four species.

    Its items have the places they have on the map of homeroom's simulated annotators: the first
    axis is build (wings and antennae), the second pattern (eyespots and stripes).
    """
    made = collection()
    places = places_of(made.features)
    target = expert_rule(places, made.labels).target
    species = {one.short: one for one in SPECIES}
    items = tuple(
        Item(
            name,
            1 if label > 0 else -1,
            picture=True,
            explanation=f"This {species[short].name} is {BECAUSE[species[short].kind]}.",
            species=short,
        )
        for name, label, short in zip(made.names, made.labels, made.species, strict=True)
    )
    return Activity(
        ID,
        "Butterflies and moths",
        items,
        question="Is it a butterfly or a moth?",
        yes="butterfly",
        no="moth",
        places={
            name: tuple(place) for name, place in zip(made.names, places.tolist(), strict=True)
        },
        target=tuple(target.tolist()),
        built_in=True,
    )


@cache
def _stored_eight() -> dict[str, Any]:
    """Return the activity of eight species, the species and the drawing of each item."""
    packed = files(__package__).joinpath(f"{EIGHT}.json.xz").read_bytes()
    stored: dict[str, Any] = json.loads(lzma.decompress(packed))
    return stored


@cache
def eight_species() -> Activity:
    """Return the activity with eight species, in which no single feature decides."""
    stored = _stored_eight()
    activity = Activity.from_json(stored["activity"])
    items = (replace(item, species=stored["species"].get(item.id)) for item in activity.items)
    return replace(activity, items=tuple(items))


@cache
def picture_of_eight(item: str) -> Picture | None:
    """Return the drawing of one of the insects of eight species; ``None`` for an unknown item."""
    drawn = _stored_eight()["pictures"].get(item)
    return None if drawn is None else Picture("image/svg+xml", drawn.encode())


@cache
def picture(item: str) -> Picture | None:
    """Return the drawing of an insect of four species; ``None`` for an unknown item.

    The file does not name the species, which would give away the answer.
    """
    made = collection()
    if item not in made.names:
        return None
    drawn = as_svg(made.shapes(made.names.index(item)), name="part")
    return Picture("image/svg+xml", drawn.encode())
