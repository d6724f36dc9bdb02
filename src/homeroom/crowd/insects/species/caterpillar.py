"""The caterpillar moth: bark-brown, with faint wavy lines."""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats
from homeroom.crowd.insects.body import abdomen, antennae, head, thorax
from homeroom.crowd.insects.shapes import Shape, ellipse, shaded
from homeroom.crowd.insects.species.base import AbstractSpecies, Look
from homeroom.crowd.insects.wings import Wing

FORE = Wing.through(
    [(3, -14), (25, -24), (51, -34), (76, -41), (90, -39), (92, -30), (84, -17), (71, -4),
     (54, 5), (35, 2), (18, -2), (5, -5)],
    heart=(54, -18),
    tips=slice(3, 9),
)  # fmt: skip
HIND = Wing.through(
    [(4, -7), (24, -4), (46, 2), (60, 10), (63, 22), (55, 34), (41, 41), (26, 40), (12, 29),
     (5, 12)],
    heart=(36, 18),
    tips=slice(3, 8),
)  # fmt: skip
BARK, BONE = "#a98a63", "#e6d8bd"


class CaterpillarMoth(AbstractSpecies):
    """Narrow wings, feathered antennae, hardly a pattern."""

    name = "caterpillar moth"
    short = "cmoth"
    kind = "moth"
    typical = (0.25, 0.15, 0.10, 0.25)

    def fore(self, look: Look) -> list[Shape]:
        bark = shaded(BARK, look.tone)
        dark, pale = shaded(bark, -0.55), shaded(bark, 0.45)
        shade = FORE.across(0.5, waves=0.02, count=4)
        kidney = 0.7 + 3.0 * look.eyespots
        return [
            *FORE.ground(bark, shaded(bark, -0.15), shaded(bark, -0.55)),
            FORE.inside(shade, line=dark, width=9, opacity=0.22),
            *_lines(look.stripes, dark, pale),
            FORE.veins(dark, opacity=0.25),
            FORE.inside(ellipse(47, -22, 3.0 * kidney, 4.6 * kidney), fill=dark, opacity=0.7),
            FORE.inside(ellipse(47.5, -22, 1.5 * kidney, 3.0 * kidney), fill=pale, opacity=0.8),
            FORE.inside(*_dust(look.rng), fill=dark, opacity=0.3),
        ]

    def hind(self, look: Look) -> list[Shape]:
        bone, dark = shaded(BONE, look.tone - 0.12), shaded(BARK, -0.35)
        line = HIND.across(0.62, waves=0.015, count=4)
        return [
            *HIND.ground(bone, shaded(bone, 0.3), shaded(bone, -0.45)),
            HIND.inside(HIND.outline, line=dark, width=9, opacity=0.25),
            HIND.inside(line, line=dark, width=1.6, opacity=0.15 + 0.8 * look.stripes),
            HIND.veins(dark, opacity=0.35),
        ]

    def body(self, look: Look) -> list[Shape]:
        return [
            *antennae(look.antennae, "#7d6242"),
            *abdomen(7.4, 44.0, "#b59a73", "#8a6f4b"),
            *head(4.8, "#8a6d49", y=-29.5),
            *thorax(9.6, "#94764f", "#d8c29c", look.rng, hairs=180),
        ]


def _lines(stripes: float, dark: str, pale: str) -> list[Shape]:
    """Return the wavy lines across the forewing, dark beside pale, and a pale one at the edge."""
    width, opacity = 0.5 + 4.0 * stripes, min(1.0, 0.2 + 1.2 * stripes)
    shapes = []
    for part in (0.33, 0.67):
        line = FORE.across(part, waves=0.018)
        beside = FORE.across(part + 0.028, waves=0.018)
        shapes.append(FORE.inside(line, line=dark, width=width, opacity=opacity))
        shapes.append(FORE.inside(beside, line=pale, width=0.8 * width, opacity=0.8 * opacity))
    edge = FORE.across(0.87, waves=0.02, count=8)
    shapes.append(FORE.inside(edge, line=pale, width=0.7 * width, opacity=opacity))
    return shapes


def _dust(rng: np.random.Generator) -> tuple[Floats, ...]:
    places = rng.uniform((8, -42), (88, 4), (30, 2))
    return tuple(ellipse(x, y, 0.6) for x, y in places)
