"""The tiger moth: cream stripes on brown above, orange with ink-blue spots below."""

from __future__ import annotations

from homeroom.crowd.insects.body import abdomen, antennae, head, thorax
from homeroom.crowd.insects.shapes import Shape, ellipse, shaded, smooth
from homeroom.crowd.insects.species.base import AbstractSpecies, Look
from homeroom.crowd.insects.wings import Wing

FORE = Wing.through(
    [(3, -15), (25, -27), (50, -39), (74, -49), (87, -49), (91, -40), (86, -25), (76, -10),
     (61, 2), (41, 0), (20, -2), (5, -5)],
    heart=(54, -23),
    tips=slice(3, 9),
)  # fmt: skip
HIND = Wing.through(
    [(4, -7), (23, -5), (44, -1), (58, 6), (65, 18), (61, 32), (49, 43), (34, 47), (19, 42),
     (9, 28), (5, 12)],
    heart=(36, 19),
    tips=slice(3, 9),
)  # fmt: skip
UMBER, IVORY, FLAME, NAVY = "#57311d", "#f6ead0", "#e2662b", "#1c2140"
BANDS = (
    ((22, -32), (25, -18), (20, 2)),
    ((42, -42), (40, -24), (46, -10), (40, 4)),
    ((62, -52), (60, -36), (50, -22), (46, -10)),
    ((84, -54), (78, -38), (70, -22), (60, -10), (46, -10)),
    ((60, -36), (70, -30), (78, -18), (80, -4)),
)
SPOTS = ((46, 7, 5.5), (52, 22, 6.2), (38, 32, 5.6), (28, 14, 4.8), (22, 34, 3.6), (58, 33, 3.4))
"""Where the spots of the hindwing are, and their radius."""


class TigerMoth(AbstractSpecies):
    """Narrow wings, feathered antennae, bold stripes."""

    name = "tiger moth"
    short = "tmoth"
    kind = "moth"
    typical = (0.30, 0.15, 0.20, 0.80)

    def fore(self, look: Look) -> list[Shape]:
        umber = shaded(UMBER, look.tone)
        bands = tuple(smooth(points, closed=False) for points in BANDS)
        return [
            *FORE.ground(umber, shaded(umber, -0.2), shaded(umber, -0.6)),
            FORE.inside(
                *bands,
                line=IVORY,
                width=0.8 + 6.5 * look.stripes,
                opacity=0.35 + 0.65 * look.stripes,
            ),
            FORE.veins(shaded(umber, -0.6), opacity=0.35),
        ]

    def hind(self, look: Look) -> list[Shape]:
        flame = shaded(FLAME, look.tone)
        shapes = HIND.ground(flame, shaded(flame, 0.35), shaded(flame, -0.5))
        shapes.append(HIND.veins(shaded(flame, -0.5), opacity=0.4))
        size = 0.65 + 1.5 * look.eyespots
        for (x, y, radius), (right, down) in zip(
            SPOTS, look.rng.normal(0, 0.8, (6, 2)), strict=True
        ):
            shapes += _spot(x + right, y + down, size * radius, shaded(flame, -0.45))
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


def _spot(x: float, y: float, radius: float, rim: str) -> list[Shape]:
    return [
        HIND.inside(ellipse(x, y, radius + 1.0), fill=rim),
        HIND.inside(ellipse(x, y, radius), fill=NAVY),
        HIND.inside(ellipse(x - 1, y - 1, 0.5 * radius), fill="#3a4a86", opacity=0.7),
    ]
