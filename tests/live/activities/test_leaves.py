from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from homeroom.crowd.insects.shapes import as_pixels
from homeroom.live.activities import leaves


def test_every_tree_has_as_many_leaves_in_a_mixed_order() -> None:
    activity = leaves.activity()
    labels = [item.label for item in activity.items]
    assert Counter(labels) == dict.fromkeys(range(1, 6), leaves.OF_EACH)
    assert labels != sorted(labels, key=lambda one: one or 0)
    assert activity.options == ("beech", "birch", "maple", "oak", "willow")


def test_colour_size_and_angle_do_not_give_the_tree_away() -> None:
    """The mean of each is about the same for all trees, compared with its spread."""
    for name in ("turn", "size"):
        by_tree = [
            [getattr(leaf, name) for leaf in leaves.collection().values() if leaf.tree == tree]
            for tree in leaves.TREES
        ]
        spread = np.std(np.concatenate(by_tree))
        assert np.ptp([np.mean(some) for some in by_tree]) < spread
    brown = [
        sum(
            int(leaf.colour[1:3], 16) > 0xA0
            for leaf in leaves.collection().values()
            if leaf.tree == t
        )
        for t in leaves.TREES
    ]
    assert max(brown) - min(brown) <= 4


@pytest.mark.slow
def test_leaves_are_drawn_inside_the_picture_without_their_name() -> None:
    for name, leaf in leaves.collection().items():
        picture = leaves.picture(name)
        assert picture is not None
        assert leaf.tree.encode() not in picture.data
        pixels = as_pixels(leaves.shapes_of(leaf), 60)[..., 3]
        assert pixels[[0, -1]].max() == 0
        assert pixels[:, [0, -1]].max() == 0
        assert (pixels > 0).mean() > 0.02
    assert leaves.picture("leaf-999") is None
