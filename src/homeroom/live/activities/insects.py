"""The built-in activity: is it a butterfly or a moth?"""

from __future__ import annotations

from functools import cache

from homeroom.crowd import insects
from homeroom.crowd.insects.annotators import places_of
from homeroom.crowd.insects.shapes import as_svg
from homeroom.crowd.insects.species import SPECIES
from homeroom.crowd.rule import expert_rule
from homeroom.live.activities.base import Activity, Item, Picture

ID = "insects"

BECAUSE = {
    "butterfly": "a butterfly: its antennae end in clubs and its wings are broad",
    "moth": "a moth: its antennae are feathered and its wings are narrow",
}


@cache
def collection() -> insects.Insects:
    """Return the collection of insects with seed 0."""
    return insects.make(0)


@cache
def activity() -> Activity:
    """Return the activity, with the map of the simulated annotators: build and pattern."""
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


def species_of(activity: Activity, item: str) -> str | None:
    """Return the code of an insect's species, which pages translate into an explanation.

    >>> species_of(activity(), "insect-001")
    'cmoth'
    """
    return _species().get(item) if activity.id == ID else None


@cache
def _species() -> dict[str, str]:
    made = collection()
    return dict(zip(made.names, made.species, strict=True))


@cache
def picture(item: str) -> Picture | None:
    """Return the drawing of an insect; unlike a saved one it does not contain the insect's name."""
    made = collection()
    if item not in made.names:
        return None
    drawn = as_svg(made.shapes(made.names.index(item)), name="part")
    return Picture("image/svg+xml", drawn.encode())
