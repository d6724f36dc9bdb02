"""The built-in activities about insects of four or eight species: is it a butterfly or a moth?"""

from __future__ import annotations

from functools import cache

import numpy as np

from homeroom.crowd import insects
from homeroom.crowd.insects.collection import places_of
from homeroom.crowd.insects.more_species import Insect, make_eight
from homeroom.crowd.insects.shapes import as_svg
from homeroom.crowd.insects.species import SPECIES
from homeroom.crowd.rule import expert_rule
from homeroom.live.activities import leaves
from homeroom.live.activities.base import Activity, Item, Picture

ID = "insects"
EIGHT = "insects-8"

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
def _eight() -> dict[str, Insect]:
    """Return the insects of eight species, by the ids of their items."""
    return {f"insect-{number:03}": insect for number, insect in enumerate(make_eight(), 1)}


@cache
def eight_species() -> Activity:
    """Return the activity with eight species, in which no single feature decides.

    Its map has three axes. The first is the rule itself, which combines wings, antennae and body;
    the others are orthogonal to it.
    """
    found = _eight()
    features = np.array([insect.features for insect in found.values()])
    labels = np.array([1.0 if one.species.kind == "butterfly" else -1.0 for one in found.values()])
    places = (features - features.mean(axis=0)) / features.std(axis=0)
    normal = np.linalg.lstsq(places, labels, rcond=None)[0]
    axes = np.linalg.qr(np.column_stack([normal, np.eye(3)[:, :2]]))[0]
    axes[:, 0] *= np.sign(axes[:, 0] @ normal)
    places = places @ axes
    items = tuple(
        Item(
            name,
            1 if label > 0 else -1,
            picture=True,
            explanation=f"This {one.species.name} is {one.why}.",
        )
        for (name, one), label in zip(found.items(), labels, strict=True)
    )
    return Activity(
        EIGHT,
        "Butterflies and moths, eight species",
        items,
        question="Is it a butterfly or a moth?",
        yes="butterfly",
        no="moth",
        places=dict(zip(found, map(tuple, places.tolist()), strict=True)),
        target=tuple(expert_rule(places, labels).target.tolist()),
        built_in=True,
    )


@cache
def picture_of_eight(item: str) -> Picture | None:
    """Return the drawing of one of the insects of eight species; ``None`` for an unknown item.

    The file does not name the species, which would give away the answer.
    """
    insect = _eight().get(item)
    if insect is None:
        return None
    return Picture("image/svg+xml", as_svg(insect.shapes, name="part").encode())


def species_of(activity: Activity, item: str) -> str | None:
    """Return a short code for what an item shows: an insect's species, or a leaf's tree.

    The pages translate it. ``None`` for other activities and unknown items.

    >>> species_of(activity(), "insect-001")
    'cmoth'
    """
    if activity.id == leaves.ID:
        leaf = leaves.collection().get(item)
        return None if leaf is None else leaf.tree
    if activity.id == EIGHT:
        insect = _eight().get(item)
        return None if insect is None else insect.species.short
    return _species().get(item) if activity.id == ID else None


@cache
def _species() -> dict[str, str]:
    """Return the code of the species of each insect of four species, by item."""
    made = collection()
    return dict(zip(made.names, made.species, strict=True))


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
