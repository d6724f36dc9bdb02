"""The ringlet butterfly: velvet brown with a pale fringe and small ringed spots."""

from __future__ import annotations

from homeroom.crowd.insects.body import abdomen, antennae, head, thorax
from homeroom.crowd.insects.shapes import Shape, shaded
from homeroom.crowd.insects.species.base import AbstractSpecies, Look
from homeroom.crowd.insects.wings import Wing, rings

FORE = Wing.through(
    [(3, -16), (19, -34), (40, -52), (60, -62), (74, -60), (82, -48), (82, -31), (76, -14),
     (64, -3), (43, -3), (21, -4), (5, -6)],
    heart=(50, -30),
    tips=slice(3, 9),
)  # fmt: skip
HIND = Wing.through(
    [(4, -7), (26, -7), (50, -4), (65, 7), (70, 23), (65, 40), (53, 54), (36, 60), (21, 55),
     (10, 39), (5, 17)],
    heart=(38, 24),
    tips=slice(3, 9),
)  # fmt: skip
BROWN, FRINGE = "#6b4a33", "#efe6d3"
RING = ((1.0, "#e2b659"), (0.74, "#1d1410"), (0.22, "#ffffff"))
ON_FORE = ((66, -42, 1.0), (66, -29, 0.85), (60, -17, 0.6))
ON_HIND = ((56, 14, 0.75), (57, 27, 1.0), (49, 39, 0.9), (37, 46, 0.65))
"""Where the ringed spots are, and how large they are beside each other."""


class RingletButterfly(AbstractSpecies):
    """Broad round wings, clubbed antennae, small ringed spots."""

    name = "ringlet butterfly"
    short = "rbfly"
    kind = "butterfly"
    typical = (0.75, 0.85, 0.25, 0.10)

    def fore(self, look: Look) -> list[Shape]:
        return _wing(FORE, ON_FORE, look, look.tone)

    def hind(self, look: Look) -> list[Shape]:
        return _wing(HIND, ON_HIND, look, look.tone - 0.06)

    def body(self, look: Look) -> list[Shape]:
        return [
            *antennae(look.antennae, "#4a382c"),
            *abdomen(4.0, 42.0, "#6a4c38", "#4a3325"),
            *head(3.7, "#4d382b", y=-26.0),
            *thorax(5.6, "#5a4031", "#a98a6d", look.rng, hairs=70),
        ]


def _wing(
    wing: Wing, spots: tuple[tuple[float, float, float], ...], look: Look, tone: float
) -> list[Shape]:
    brown = shaded(BROWN, tone)
    band, pale = wing.across(0.7), shaded(brown, 0.6)
    width, opacity = 4 + 20 * look.stripes, min(0.9, 0.05 + 1.6 * look.stripes)
    shapes = wing.ground(brown, FRINGE, shaded(FRINGE, -0.45))
    shapes.append(wing.veins(shaded(brown, -0.5), opacity=0.45))
    shapes.append(wing.inside(band, line=pale, width=width, opacity=opacity))
    for x, y, part in spots:
        shapes += rings(wing, (x, y), (2.4 + 8.0 * look.eyespots) * part, RING)
    return shapes
