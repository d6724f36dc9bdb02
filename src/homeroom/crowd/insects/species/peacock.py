"""The peacock butterfly: rust-red, with an eye on every wing."""

from __future__ import annotations

from homeroom.crowd.insects.body import abdomen, antennae, head, thorax
from homeroom.crowd.insects.shapes import Shape, ellipse, shaded, smooth
from homeroom.crowd.insects.species.base import AbstractSpecies, Look
from homeroom.crowd.insects.wings import Wing, rings

FORE = Wing.through(
    [(3, -16), (20, -35), (44, -57), (66, -70), (80, -69), (86, -60), (80, -46), (77, -29),
     (75, -13), (66, -1), (46, -3), (23, -3), (5, -5)],
    heart=(52, -34),
    tips=slice(3, 10),
)  # fmt: skip
HIND = Wing.through(
    [(4, -7), (26, -6), (50, -2), (66, 5), (73, 19), (69, 34), (63, 45), (60, 54), (50, 57),
     (36, 63), (23, 60), (12, 46), (6, 26)],
    heart=(40, 26),
    tips=slice(3, 11),
)  # fmt: skip
RUST, EARTH, SOOT = "#a63c1f", "#6d4a36", "#2b1712"
CREAM, GOLD, SKY, WINE = "#ecd9b0", "#e3ab45", "#5f86c9", "#7d2417"
WHITE = "#ffffff"


class PeacockButterfly(AbstractSpecies):
    """Broad wings, clubbed antennae, four large eyespots."""

    name = "peacock butterfly"
    short = "pbfly"
    kind = "butterfly"
    typical = (0.80, 0.85, 0.80, 0.20)

    def fore(self, look: Look) -> list[Shape]:
        shapes = FORE.ground(shaded(RUST, look.tone), shaded(EARTH, -0.2), SOOT)
        shapes.append(FORE.inside(FORE.outline, line=EARTH, width=11, opacity=0.75))
        shapes.append(FORE.veins(SOOT, opacity=0.35))
        return [*shapes, *_bars(look.stripes), *_fore_eye(66.0, -52.0, _size(look))]

    def hind(self, look: Look) -> list[Shape]:
        shapes = HIND.ground(shaded(RUST, look.tone - 0.12), shaded(EARTH, -0.3), SOOT)
        shapes.append(HIND.inside(HIND.outline, line=EARTH, width=13, opacity=0.8))
        shapes.append(HIND.veins(SOOT, opacity=0.35))
        return [*shapes, *_hind_eye(50.0, 18.0, _size(look))]

    def body(self, look: Look) -> list[Shape]:
        return [
            *antennae(look.antennae, "#3a2a22"),
            *abdomen(4.6, 44.0, "#4b2d20", "#2a1710"),
            *head(4.0, "#3d281f", y=-27.0),
            *thorax(6.2, "#4a2e22", "#a5694a", look.rng, hairs=80),
        ]


def _size(look: Look) -> float:
    return 0.45 + 0.8 * look.eyespots


def _bars(stripes: float) -> list[Shape]:
    """Return the dark bars at the fore edge, with a golden one between."""
    edge = smooth([(14, -30), (36, -52), (58, -68), (72, -72)], closed=False)
    wide = 0.6 + 2.0 * stripes
    return [
        FORE.inside(edge, line=SOOT, width=6),
        FORE.inside(ellipse(30, -39, 7 * wide, 8), ellipse(49, -54, 6 * wide, 8.5), fill=SOOT),
        FORE.inside(ellipse(39.5, -48, 3.4 * wide, 6), fill=GOLD),
    ]


def _fore_eye(x: float, y: float, size: float) -> list[Shape]:
    discs = [(1.0, CREAM), (0.9, GOLD), (0.78, SOOT), (0.62, WINE)]
    dots = tuple(ellipse(69 - i, -34 + 8.5 * i, 1.5) for i in range(3))
    return [
        FORE.inside(*dots, fill="#dfe6f5"),
        *rings(FORE, (x, y), 13 * size, discs),
        FORE.inside(ellipse(x + 3 * size, y - 2 * size, 5.2 * size, 6.4 * size), fill=SKY),
        FORE.inside(ellipse(x - 0.5 * size, y, 4.6 * size, 5.6 * size), fill="#4a160f"),
        FORE.inside(ellipse(x + 5.4 * size, y - 5 * size, 1.3 * size), fill=WHITE),
    ]


def _hind_eye(x: float, y: float, size: float) -> list[Shape]:
    return [
        *rings(HIND, (x, y), 14.5 * size, [(1.0, "#cdbd9d"), (0.8, SOOT)]),
        HIND.inside(ellipse(x + 1, y - 1, 6.8 * size, 7.6 * size), fill=SKY),
        HIND.inside(ellipse(x - 1.8 * size, y + 0.8, 4.0 * size, 5.2 * size), fill=SOOT),
        HIND.inside(ellipse(x + 3.2 * size, y - 3.6 * size, 1.5 * size), fill=WHITE),
    ]
