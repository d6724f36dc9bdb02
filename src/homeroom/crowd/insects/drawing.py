"""One insect, drawn: its species' wings, as broad as its own, around its body."""

from __future__ import annotations

import numpy as np

from homeroom.crowd.insects.shapes import Shape, both_sides, moved, pose
from homeroom.crowd.insects.species import AbstractSpecies, Look

FORE_ROOT, FORE_AXIS = (4.0, -12.0), -35.0
HIND_ROOT, HIND_AXIS = (4.0, -4.0), 40.0
BROADER = 0.5
"""How much broader wings get from one end of the feature to the other."""

DOWN = np.array([0.0, 9.0])
"""Down a little, so that the antennae do not pull the insect off the middle."""


def draw(species: AbstractSpecies, look: Look) -> list[Shape]:
    """Return the shapes of an insect, the lowest first, inside a square from -100 to 100."""
    broad = 1.0 + BROADER * (look.wings - species.typical[0])
    spread, lean = look.rng.normal(0.0, [3.0, 4.0])
    size = 0.98 - 0.12 * look.rng.random()
    fore = pose(FORE_ROOT, turn=spread, across=broad, axis=FORE_AXIS)
    hind = pose(HIND_ROOT, turn=spread, across=broad, axis=HIND_AXIS)
    shapes = [
        *both_sides(moved(species.hind(look), hind)),
        *both_sides(moved(species.fore(look), fore)),
        *species.body(look),
    ]
    place = pose((0.0, 0.0), turn=lean, along=size, across=size)
    place[:, 2] += place[:, :2] @ DOWN
    return moved(shapes, place)
