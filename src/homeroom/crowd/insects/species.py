"""The four species: what is typical of each, and how each is drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats
from homeroom.crowd.insects.anatomy import Wing, abdomen, antennae, head, rings, thorax
from homeroom.crowd.insects.shapes import Shape, both_sides, ellipse, moved, pose, shaded, smooth

FEATURES = ("wings", "antennae", "eyespots", "stripes")
"""How insects differ, each from 0 to 1: wings narrow to broad, antennae feathered to clubbed,
eyespots small to large, stripes faint to strong."""

KINDS = ("moth", "butterfly")


@dataclass(frozen=True, eq=False)
class Look:
    """The appearance of one insect.

    Parameters
    ----------
    wings, antennae, eyespots, stripes
        Its features, from 0 to 1; see :data:`FEATURES`.
    tone
        How much lighter (above zero) or darker its colours are.
    rng
        For random details: the fur, the places of spots.
    """

    wings: float
    antennae: float
    eyespots: float
    stripes: float
    tone: float
    rng: np.random.Generator


class AbstractSpecies(ABC):
    """A species of insect."""

    name: str
    """Its name."""

    short: str
    """Its name in the paper."""

    kind: str
    """Moth or butterfly."""

    typical: tuple[float, float, float, float]
    """Its features on average, in the order of :data:`FEATURES`."""

    @abstractmethod
    def fore(self, look: Look) -> list[Shape]:
        """Return the right forewing, from back to front."""

    @abstractmethod
    def hind(self, look: Look) -> list[Shape]:
        """Return the right hindwing."""

    @abstractmethod
    def body(self, look: Look) -> list[Shape]:
        """Return body, head and antennae."""


CATERPILLAR_FORE = Wing.through(
    [(3, -14), (25, -24), (51, -34), (76, -41), (90, -39), (92, -30), (84, -17), (71, -4),
     (54, 5), (35, 2), (18, -2), (5, -5)],
    heart=(54, -18),
    tips=slice(3, 9),
)  # fmt: skip
CATERPILLAR_HIND = Wing.through(
    [(4, -7), (24, -4), (46, 2), (60, 10), (63, 22), (55, 34), (41, 41), (26, 40), (12, 29),
     (5, 12)],
    heart=(36, 18),
    tips=slice(3, 8),
)  # fmt: skip
BARK, BONE = "#a98a63", "#e6d8bd"


class CaterpillarMoth(AbstractSpecies):
    """Bark-brown, with narrow wings, feathered antennae and faint wavy lines."""

    name = "caterpillar moth"
    short = "cmoth"
    kind = "moth"
    typical = (0.25, 0.15, 0.10, 0.25)

    def fore(self, look: Look) -> list[Shape]:
        bark = shaded(BARK, look.tone)
        dark, pale = shaded(bark, -0.55), shaded(bark, 0.45)
        shade = CATERPILLAR_FORE.across(0.5, waves=0.02, count=4)
        kidney = 0.7 + 3.0 * look.eyespots
        return [
            *CATERPILLAR_FORE.ground(bark, shaded(bark, -0.15), shaded(bark, -0.55)),
            CATERPILLAR_FORE.inside(shade, line=dark, width=9, opacity=0.22),
            *_wavy_lines(look.stripes, dark, pale),
            CATERPILLAR_FORE.veins(dark, opacity=0.25),
            CATERPILLAR_FORE.inside(
                ellipse(47, -22, 3.0 * kidney, 4.6 * kidney), fill=dark, opacity=0.7
            ),
            CATERPILLAR_FORE.inside(
                ellipse(47.5, -22, 1.5 * kidney, 3.0 * kidney), fill=pale, opacity=0.8
            ),
            CATERPILLAR_FORE.inside(*_bark_dust(look.rng), fill=dark, opacity=0.3),
        ]

    def hind(self, look: Look) -> list[Shape]:
        bone, dark = shaded(BONE, look.tone - 0.12), shaded(BARK, -0.35)
        line = CATERPILLAR_HIND.across(0.62, waves=0.015, count=4)
        return [
            *CATERPILLAR_HIND.ground(bone, shaded(bone, 0.3), shaded(bone, -0.45)),
            CATERPILLAR_HIND.inside(CATERPILLAR_HIND.outline, line=dark, width=9, opacity=0.25),
            CATERPILLAR_HIND.inside(line, line=dark, width=1.6, opacity=0.15 + 0.8 * look.stripes),
            CATERPILLAR_HIND.veins(dark, opacity=0.35),
        ]

    def body(self, look: Look) -> list[Shape]:
        return [
            *antennae(look.antennae, "#7d6242"),
            *abdomen(7.4, 44.0, "#b59a73", "#8a6f4b"),
            *head(4.8, "#8a6d49", y=-29.5),
            *thorax(9.6, "#94764f", "#d8c29c", look.rng, hairs=180),
        ]


def _wavy_lines(stripes: float, dark: str, pale: str) -> list[Shape]:
    """Return the wavy lines across the forewing, dark next to pale, and a pale one at the edge."""
    width, opacity = 0.5 + 4.0 * stripes, min(1.0, 0.2 + 1.2 * stripes)
    shapes = []
    for part in (0.33, 0.67):
        line = CATERPILLAR_FORE.across(part, waves=0.018)
        beside = CATERPILLAR_FORE.across(part + 0.028, waves=0.018)
        shapes.append(CATERPILLAR_FORE.inside(line, line=dark, width=width, opacity=opacity))
        shapes.append(
            CATERPILLAR_FORE.inside(beside, line=pale, width=0.8 * width, opacity=0.8 * opacity)
        )
    edge = CATERPILLAR_FORE.across(0.87, waves=0.02, count=8)
    shapes.append(CATERPILLAR_FORE.inside(edge, line=pale, width=0.7 * width, opacity=opacity))
    return shapes


def _bark_dust(rng: np.random.Generator) -> tuple[Floats, ...]:
    """Return thirty small dots at random places on the forewing."""
    places = rng.uniform((8, -42), (88, 4), (30, 2))
    return tuple(ellipse(x, y, 0.6) for x, y in places)


TIGER_FORE = Wing.through(
    [(3, -15), (25, -27), (50, -39), (74, -49), (87, -49), (91, -40), (86, -25), (76, -10),
     (61, 2), (41, 0), (20, -2), (5, -5)],
    heart=(54, -23),
    tips=slice(3, 9),
)  # fmt: skip
TIGER_HIND = Wing.through(
    [(4, -7), (23, -5), (44, -1), (58, 6), (65, 18), (61, 32), (49, 43), (34, 47), (19, 42),
     (9, 28), (5, 12)],
    heart=(36, 19),
    tips=slice(3, 9),
)  # fmt: skip
UMBER, IVORY, FLAME, NAVY = "#57311d", "#f6ead0", "#e2662b", "#1c2140"
TIGER_BANDS = (
    ((22, -32), (25, -18), (20, 2)),
    ((42, -42), (40, -24), (46, -10), (40, 4)),
    ((62, -52), (60, -36), (50, -22), (46, -10)),
    ((84, -54), (78, -38), (70, -22), (60, -10), (46, -10)),
    ((60, -36), (70, -30), (78, -18), (80, -4)),
)
"""The points on the stripes of the forewing."""
TIGER_SPOTS = (
    (46, 7, 5.5),
    (52, 22, 6.2),
    (38, 32, 5.6),
    (28, 14, 4.8),
    (22, 34, 3.6),
    (58, 33, 3.4),
)
"""The places of the spots on the hindwing, and their radii."""


class TigerMoth(AbstractSpecies):
    """Narrow wings, feathered antennae; cream stripes on brown, and orange hindwings with spots."""

    name = "tiger moth"
    short = "tmoth"
    kind = "moth"
    typical = (0.30, 0.15, 0.20, 0.80)

    def fore(self, look: Look) -> list[Shape]:
        umber = shaded(UMBER, look.tone)
        bands = tuple(smooth(points, closed=False) for points in TIGER_BANDS)
        return [
            *TIGER_FORE.ground(umber, shaded(umber, -0.2), shaded(umber, -0.6)),
            TIGER_FORE.inside(
                *bands,
                line=IVORY,
                width=0.8 + 6.5 * look.stripes,
                opacity=0.35 + 0.65 * look.stripes,
            ),
            TIGER_FORE.veins(shaded(umber, -0.6), opacity=0.35),
        ]

    def hind(self, look: Look) -> list[Shape]:
        flame = shaded(FLAME, look.tone)
        shapes = TIGER_HIND.ground(flame, shaded(flame, 0.35), shaded(flame, -0.5))
        shapes.append(TIGER_HIND.veins(shaded(flame, -0.5), opacity=0.4))
        size = 0.65 + 1.5 * look.eyespots
        for (x, y, radius), (right, down) in zip(
            TIGER_SPOTS, look.rng.normal(0, 0.8, (6, 2)), strict=True
        ):
            shapes += _tiger_spot(x + right, y + down, size * radius, shaded(flame, -0.45))
        return shapes

    def body(self, look: Look) -> list[Shape]:
        collar = smooth([(-8, -26), (0, -23.5), (8, -26)], closed=False)
        return [
            *antennae(look.antennae, "#8d6a48"),
            *abdomen(8.0, 46.0, "#d9622c", "#2a1a16", rows=5),
            *head(5.2, "#6b3d25", y=-30.5),
            *thorax(10.5, "#5b3420", "#b0764c", look.rng, hairs=180),
            Shape((collar,), line="#c33b22", width=1.8),
        ]


def _tiger_spot(x: float, y: float, radius: float, rim: str) -> list[Shape]:
    """Return a spot of the hindwing; ``rim`` is the colour of its edge."""
    return [
        TIGER_HIND.inside(ellipse(x, y, radius + 1.0), fill=rim),
        TIGER_HIND.inside(ellipse(x, y, radius), fill=NAVY),
        TIGER_HIND.inside(ellipse(x - 1, y - 1, 0.5 * radius), fill="#3a4a86", opacity=0.7),
    ]


RINGLET_FORE = Wing.through(
    [(3, -16), (19, -34), (40, -52), (60, -62), (74, -60), (82, -48), (82, -31), (76, -14),
     (64, -3), (43, -3), (21, -4), (5, -6)],
    heart=(50, -30),
    tips=slice(3, 9),
)  # fmt: skip
RINGLET_HIND = Wing.through(
    [(4, -7), (26, -7), (50, -4), (65, 7), (70, 23), (65, 40), (53, 54), (36, 60), (21, 55),
     (10, 39), (5, 17)],
    heart=(38, 24),
    tips=slice(3, 9),
)  # fmt: skip
BROWN, FRINGE = "#6b4a33", "#efe6d3"
RINGLET_RING = ((1.0, "#e2b659"), (0.74, "#1d1410"), (0.22, "#ffffff"))
RINGS_ON_FORE = ((66, -42, 1.0), (66, -29, 0.85), (60, -17, 0.6))
RINGS_ON_HIND = ((56, 14, 0.75), (57, 27, 1.0), (49, 39, 0.9), (37, 46, 0.65))
"""The places of the ringed spots, and their relative sizes."""


class RingletButterfly(AbstractSpecies):
    """Velvet brown, with broad round wings, clubbed antennae and small ringed spots."""

    name = "ringlet butterfly"
    short = "rbfly"
    kind = "butterfly"
    typical = (0.75, 0.85, 0.25, 0.10)

    def fore(self, look: Look) -> list[Shape]:
        return _ringlet_wing(RINGLET_FORE, RINGS_ON_FORE, look, look.tone)

    def hind(self, look: Look) -> list[Shape]:
        return _ringlet_wing(RINGLET_HIND, RINGS_ON_HIND, look, look.tone - 0.06)

    def body(self, look: Look) -> list[Shape]:
        return [
            *antennae(look.antennae, "#4a382c"),
            *abdomen(4.0, 42.0, "#6a4c38", "#4a3325"),
            *head(3.7, "#4d382b", y=-26.0),
            *thorax(5.6, "#5a4031", "#a98a6d", look.rng, hairs=70),
        ]


def _ringlet_wing(
    wing: Wing, spots: tuple[tuple[float, float, float], ...], look: Look, tone: float
) -> list[Shape]:
    """Return a wing with a pale band and ringed spots, given as ``(x, y, relative size)``."""
    brown = shaded(BROWN, tone)
    band, pale = wing.across(0.7), shaded(brown, 0.6)
    width, opacity = 4 + 20 * look.stripes, min(0.9, 0.05 + 1.6 * look.stripes)
    shapes = wing.ground(brown, FRINGE, shaded(FRINGE, -0.45))
    shapes.append(wing.veins(shaded(brown, -0.5), opacity=0.45))
    shapes.append(wing.inside(band, line=pale, width=width, opacity=opacity))
    for x, y, part in spots:
        shapes += rings(wing, (x, y), (2.4 + 8.0 * look.eyespots) * part, RINGLET_RING)
    return shapes


PEACOCK_FORE = Wing.through(
    [(3, -16), (20, -35), (44, -57), (66, -70), (80, -69), (86, -60), (80, -46), (77, -29),
     (75, -13), (66, -1), (46, -3), (23, -3), (5, -5)],
    heart=(52, -34),
    tips=slice(3, 10),
)  # fmt: skip
PEACOCK_HIND = Wing.through(
    [(4, -7), (26, -6), (50, -2), (66, 5), (73, 19), (69, 34), (63, 45), (60, 54), (50, 57),
     (36, 63), (23, 60), (12, 46), (6, 26)],
    heart=(40, 26),
    tips=slice(3, 11),
)  # fmt: skip
RUST, EARTH, SOOT = "#a63c1f", "#6d4a36", "#2b1712"
CREAM, GOLD, SKY, WINE = "#ecd9b0", "#e3ab45", "#5f86c9", "#7d2417"
WHITE = "#ffffff"


class PeacockButterfly(AbstractSpecies):
    """Rust-red, with broad wings, clubbed antennae and four large eyespots."""

    name = "peacock butterfly"
    short = "pbfly"
    kind = "butterfly"
    typical = (0.80, 0.85, 0.80, 0.20)

    def fore(self, look: Look) -> list[Shape]:
        shapes = PEACOCK_FORE.ground(shaded(RUST, look.tone), shaded(EARTH, -0.2), SOOT)
        shapes.append(PEACOCK_FORE.inside(PEACOCK_FORE.outline, line=EARTH, width=11, opacity=0.75))
        shapes.append(PEACOCK_FORE.veins(SOOT, opacity=0.35))
        return [*shapes, *_fore_bars(look.stripes), *_fore_eye(66.0, -52.0, _eye_size(look))]

    def hind(self, look: Look) -> list[Shape]:
        shapes = PEACOCK_HIND.ground(shaded(RUST, look.tone - 0.12), shaded(EARTH, -0.3), SOOT)
        shapes.append(PEACOCK_HIND.inside(PEACOCK_HIND.outline, line=EARTH, width=13, opacity=0.8))
        shapes.append(PEACOCK_HIND.veins(SOOT, opacity=0.35))
        return [*shapes, *_hind_eye(50.0, 18.0, _eye_size(look))]

    def body(self, look: Look) -> list[Shape]:
        return [
            *antennae(look.antennae, "#3a2a22"),
            *abdomen(4.6, 44.0, "#4b2d20", "#2a1710"),
            *head(4.0, "#3d281f", y=-27.0),
            *thorax(6.2, "#4a2e22", "#a5694a", look.rng, hairs=80),
        ]


def _eye_size(look: Look) -> float:
    return 0.45 + 0.8 * look.eyespots


def _fore_bars(stripes: float) -> list[Shape]:
    """Return the dark bars at the fore edge, with a golden one between."""
    edge = smooth([(14, -30), (36, -52), (58, -68), (72, -72)], closed=False)
    wide = 0.6 + 2.0 * stripes
    return [
        PEACOCK_FORE.inside(edge, line=SOOT, width=6),
        PEACOCK_FORE.inside(
            ellipse(30, -39, 7 * wide, 8), ellipse(49, -54, 6 * wide, 8.5), fill=SOOT
        ),
        PEACOCK_FORE.inside(ellipse(39.5, -48, 3.4 * wide, 6), fill=GOLD),
    ]


def _fore_eye(x: float, y: float, size: float) -> list[Shape]:
    """Return the eyespot of the forewing, and the three dots beside it."""
    discs = [(1.0, CREAM), (0.9, GOLD), (0.78, SOOT), (0.62, WINE)]
    dots = tuple(ellipse(69 - i, -34 + 8.5 * i, 1.5) for i in range(3))
    return [
        PEACOCK_FORE.inside(*dots, fill="#dfe6f5"),
        *rings(PEACOCK_FORE, (x, y), 13 * size, discs),
        PEACOCK_FORE.inside(ellipse(x + 3 * size, y - 2 * size, 5.2 * size, 6.4 * size), fill=SKY),
        PEACOCK_FORE.inside(ellipse(x - 0.5 * size, y, 4.6 * size, 5.6 * size), fill="#4a160f"),
        PEACOCK_FORE.inside(ellipse(x + 5.4 * size, y - 5 * size, 1.3 * size), fill=WHITE),
    ]


def _hind_eye(x: float, y: float, size: float) -> list[Shape]:
    """Return the eyespot of the hindwing."""
    return [
        *rings(PEACOCK_HIND, (x, y), 14.5 * size, [(1.0, "#cdbd9d"), (0.8, SOOT)]),
        PEACOCK_HIND.inside(ellipse(x + 1, y - 1, 6.8 * size, 7.6 * size), fill=SKY),
        PEACOCK_HIND.inside(ellipse(x - 1.8 * size, y + 0.8, 4.0 * size, 5.2 * size), fill=SOOT),
        PEACOCK_HIND.inside(ellipse(x + 3.2 * size, y - 3.6 * size, 1.5 * size), fill=WHITE),
    ]


FORE_ROOT, FORE_AXIS = (4.0, -12.0), -35.0
HIND_ROOT, HIND_AXIS = (4.0, -4.0), 40.0
"""Where wings join the body, and their directions in degrees clockwise from the right."""
BROADER = 0.5
"""How much broader wings are at the upper end of the feature than at the lower."""

DOWN = np.array([0.0, 9.0])
"""A small shift down, so that the insect with its antennae is centred."""


def draw(species: AbstractSpecies, look: Look) -> list[Shape]:
    """Return the shapes of an insect, from back to front, in a square from -100 to 100."""
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


SPECIES: tuple[AbstractSpecies, ...] = (
    CaterpillarMoth(),
    TigerMoth(),
    RingletButterfly(),
    PeacockButterfly(),
)
"""In the paper's order: cmoth, tmoth, rbfly, pbfly."""
