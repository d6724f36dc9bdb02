"""The built-in activity with five answers: which tree does the leaf come from?

Leaves are drawn like the insects. Colour, size and angle vary in the same way for all trees: only
the shape shows which one it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from homeroom._arrays import Floats
from homeroom.crowd.insects.shapes import Shape, as_svg, moved, pose, shaded, smooth
from homeroom.live.activities.base import Activity, Item, Picture

ID = "leaves"
OF_EACH = 20
"""The number of leaves per tree."""

COLOURS = ("#5f8f3a", "#7a9c3e", "#4c7a3d", "#b58a2e", "#c4692c", "#9a4a2c")
"""From summer to autumn; each tree has all of them."""

TREES: dict[str, str] = {
    "beech": "its edge is smooth or wavy and its sides are rounded, with straight veins",
    "birch": "it is a triangle with a long tip, and its edge has fine teeth",
    "maple": "it has five pointed lobes that spread from one point",
    "oak": "it has rounded lobes on both sides of one long vein",
    "willow": "it is many times longer than wide, with fine teeth",
}
"""The trees, in the order of the answers, and how to know each."""


@dataclass(frozen=True)
class Leaf:
    """One leaf.

    Parameters
    ----------
    tree
        The tree that it comes from.
    width
        Its width as a fraction of what is typical of the tree.
    depth
        How deep its lobes or teeth are, as a fraction of what is typical.
    lobes
        The number of lobes or waves on each side, or half the number of teeth there. A maple always
        has five lobes.
    colour, turn, size
        How it looks, whatever the tree: its colour, its angle in degrees, its size.
    """

    tree: str
    width: float
    depth: float
    lobes: int
    colour: str
    turn: float
    size: float


Half = Callable[[Leaf, Floats], Floats]
"""Returns half the width of a leaf at places ``t`` from 0 (stem) to 1 (tip), in the units of the
drawing. The functions below do, for one tree each."""


def _beech(leaf: Leaf, t: Floats) -> Floats:
    body = 41.0 * np.sin(math.pi * t**0.9) ** 0.75
    return body * (1.0 + 0.022 * leaf.depth * np.sin(2 * math.pi * leaf.lobes * t))


def _birch(leaf: Leaf, t: Floats) -> Floats:
    low = np.sin(0.5 * math.pi * np.minimum(t / 0.28, 1.0)) ** 0.6
    body = 50.0 * low * np.minimum(1.0, (1.0 - t) / 0.72) ** 1.25
    return body * (1.0 - 0.11 * leaf.depth * _teeth(2 * leaf.lobes * t))


def _oak(leaf: Leaf, t: Floats) -> Floats:
    body = 44.0 * np.sin(math.pi * t**1.25) ** 0.7
    waves = 0.5 - 0.5 * np.cos(2 * math.pi * leaf.lobes * t)
    return body * (1.0 - 0.52 * leaf.depth * (1.0 - waves))


def _willow(leaf: Leaf, t: Floats) -> Floats:
    body = 13.5 * np.sin(math.pi * t**0.85) ** 0.9
    return body * (1.0 - 0.13 * leaf.depth * _teeth(2 * leaf.lobes * t))


def _teeth(turns: Floats) -> Floats:
    """Return the height of saw teeth, from 0 to 1: one tooth per unit of ``turns``."""
    return turns - np.floor(turns)


HALVES: dict[str, Half] = {"beech": _beech, "birch": _birch, "oak": _oak, "willow": _willow}
TYPICAL_LOBES = {"beech": 7, "birch": 9, "maple": 5, "oak": 5, "willow": 14}
LOBE_ANGLES = (-118.0, -62.0, 0.0, 62.0, 118.0)
"""The directions of a maple's lobes, clockwise from its tip, in degrees."""


def shapes_of(leaf: Leaf) -> list[Shape]:
    """Return the drawing of a leaf, from back to front, in a square from -100 to 100."""
    outline, veins = _maple(leaf) if leaf.tree == "maple" else _along_one_vein(leaf)
    dark, light = shaded(leaf.colour, -0.45), shaded(leaf.colour, 0.25)
    stem = smooth([(0.0, 58.0), (1.5, 72.0), (-2.0, 88.0)], closed=False)
    shapes = [
        Shape((stem,), line=shaded(leaf.colour, -0.3), width=3.2),
        Shape((outline,), fill=leaf.colour, line=dark, width=1.2),
        Shape((outline * [0.86, 0.9],), fill=light, opacity=0.25, within=outline),
        Shape(veins[:1], line=shaded(leaf.colour, 0.45), width=2.2, within=outline),
        Shape(veins[1:], line=shaded(leaf.colour, 0.4), width=1.1, opacity=0.8, within=outline),
    ]
    place = pose((0.0, 0.0), turn=leaf.turn, along=leaf.size, across=leaf.size)
    return moved(shapes, place)


TOP, BOTTOM = -80.0, 60.0
"""Where the tip of a leaf is, and where its stem begins."""


def _along_one_vein(leaf: Leaf) -> tuple[Floats, tuple[Floats, ...]]:
    """Return the outline and the veins of a leaf, the main vein first, as arrays of points."""
    t = np.linspace(0.0, 1.0, 12 * leaf.lobes + 1)
    half = leaf.width * HALVES[leaf.tree](leaf, t)
    y = BOTTOM + (TOP - BOTTOM) * t
    right = np.column_stack([half, y])
    left = np.column_stack([-half, y])[-2:0:-1]
    pairs = min(leaf.lobes, 9)
    starts = np.linspace(0.1, 0.82, pairs)
    veins = [smooth([(0.0, BOTTOM), (0.0, 0.0), (0.0, TOP)], closed=False)]
    for start in starts:
        from_y, to_y = (BOTTOM + (TOP - BOTTOM) * place for place in (start, start + 0.13))
        veins += [
            smooth([(0.0, from_y), (side * 24.0, (from_y + to_y) / 2), (side * 55.0, to_y - 12.0)],
                   closed=False)
            for side in (-1.0, 1.0)
        ]  # fmt: skip
    return smooth(np.vstack([right, left])), tuple(veins)


def _maple(leaf: Leaf) -> tuple[Floats, tuple[Floats, ...]]:
    """Return the outline and the veins of a maple leaf: five lobes around one point."""
    angles = np.radians(np.linspace(-160.0, 160.0, 129))
    lobes = np.radians(LOBE_ANGLES)
    lengths = np.array([0.62, 0.92, 1.05, 0.92, 0.62])
    from_lobe = np.abs(angles[:, None] - lobes)
    heights = lengths * np.exp(-((from_lobe / np.radians(19.0)) ** 1.15))
    radius = 18.0 + 68.0 * (1.0 - 0.25 * (1.0 - leaf.depth)) * heights.max(axis=1)
    radius = radius + 5.0 * leaf.depth * _teeth(angles / np.radians(13.0)) * (
        heights.max(axis=1) > 0.2
    )
    x, y = leaf.width * radius * np.sin(angles), 20.0 - radius * np.cos(angles)
    points = np.vstack([np.column_stack([x, y]), [(0.0, 56.0)]])
    ends = [(70 * length * math.sin(a), 20 - 70 * length * math.cos(a))
            for length, a in zip(lengths, lobes, strict=True)]  # fmt: skip
    order = (2, 0, 1, 3, 4)  # the vein of the middle lobe is the main one
    veins = [
        smooth(
            [(0.0, 56.0), (0.5 * ends[k][0], 36 + 0.5 * (ends[k][1] - 36)), ends[k]], closed=False
        )
        for k in order
    ]
    return smooth(points), tuple(veins)


@cache
def collection() -> dict[str, Leaf]:
    """Return all leaves by name, in an order that does not depend on the tree."""
    rng = np.random.default_rng([0, 5])
    leaves = [
        Leaf(
            tree,
            float(np.clip(rng.normal(1.0, 0.13), 0.7, 1.35)),
            float(np.clip(rng.normal(1.0, 0.22), 0.5, 1.5)),
            int(np.clip(round(rng.normal(TYPICAL_LOBES[tree], 0.8)), 4, 16)),
            shaded(COLOURS[number % len(COLOURS)], float(rng.uniform(-0.12, 0.12))),
            float(rng.normal(0.0, 14.0)),
            float(rng.uniform(0.78, 0.94)),
        )
        for tree in TREES
        for number in range(OF_EACH)
    ]
    order = rng.permutation(len(leaves))
    return {f"leaf-{place:03}": leaves[number] for place, number in enumerate(order, 1)}


FEATURES: dict[str, tuple[float, float, float, float]] = {
    "beech": (0.35, 0.0, 0.1, 0.45),
    "birch": (0.30, 0.0, 0.8, 0.90),
    "maple": (0.05, 1.0, 0.55, 0.60),
    "oak": (0.35, 0.75, 0.0, 0.20),
    "willow": (1.0, 0.0, 0.6, 0.40),
}
"""What is typical of each tree: slender, lobed, toothed, and widest near the stem; 0 to 1."""


def features_of(leaf: Leaf) -> tuple[float, float, float, float]:
    """Return the features of a leaf's shape, in the order of :data:`FEATURES`."""
    slender, lobed, toothed, low = FEATURES[leaf.tree]
    return slender / leaf.width, lobed * leaf.depth, toothed * leaf.depth, low


@cache
def activity() -> Activity:
    """Return the activity; the places on its map are the features of the leaves' shapes."""
    trees, leaves = tuple(TREES), collection()
    return Activity(
        ID,
        "Leaves of five trees",
        tuple(
            Item(
                name,
                1 + trees.index(leaf.tree),
                picture=True,
                explanation=f"This is a leaf of a {leaf.tree}: {TREES[leaf.tree]}.",
                species=leaf.tree,
            )
            for name, leaf in leaves.items()
        ),
        question="Which tree is this leaf from?",
        places={name: features_of(leaf) for name, leaf in leaves.items()},
        built_in=True,
        options=trees,
    )


@cache
def picture(item: str) -> Picture | None:
    """Return the drawing of a leaf as SVG; ``None`` if there is no such leaf."""
    leaf = collection().get(item)
    if leaf is None:
        return None
    return Picture("image/svg+xml", as_svg(shapes_of(leaf), name="part").encode())
