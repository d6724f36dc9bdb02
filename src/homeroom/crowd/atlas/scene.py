"""What is on a map, before anything is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from homeroom._arrays import Floats, Ints
from homeroom.plots import COLOURS

INK = "#1c1c1c"
UNKNOWN = "#8a8a8a"


@dataclass(frozen=True, eq=False)
class Scene:
    """What is on a map.

    Parameters
    ----------
    items
        Where the items are, shape ``(items, d)``.
    people, thresholds
        Each says yes to an item ``x`` if ``<w, x> > tau``: shapes ``(people, d)``, ``(people,)``.
    groups
        The group of each person, counted from 0.
    labels
        The expert's: +1, -1 or nan, for each item.
    item_words, person_words
        What is said of each when the pointer rests on it; the items' begin with the name.
    target
        The rule to be learnt, ``(w, -tau)``, shape ``(d + 1,)``, if there is one.
    pictures
        The picture of an item, by its place, as an address that holds the picture itself.
    covariances
        How unsure the place of each item is, shape ``(items, d, d)``, if that is to be drawn.
    """

    items: Floats
    people: Floats
    thresholds: Floats
    groups: Ints
    labels: Floats
    item_words: Sequence[str]
    person_words: Sequence[str]
    target: Floats | None = None
    pictures: Mapping[int, str] = field(default_factory=dict)
    covariances: Floats | None = None


def colour_of(group: int) -> str:
    """Return the colour of a group, the same wherever it is shown."""
    return COLOURS[group % len(COLOURS)]
