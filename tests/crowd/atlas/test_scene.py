from __future__ import annotations

from homeroom.crowd.atlas.scene import colour_of
from homeroom.plots import COLOURS


def test_groups_have_colours_of_their_own_as_long_as_there_are_any() -> None:
    first = [colour_of(group) for group in range(len(COLOURS))]
    assert len(set(first)) == len(COLOURS)
    assert colour_of(len(COLOURS)) == first[0]
