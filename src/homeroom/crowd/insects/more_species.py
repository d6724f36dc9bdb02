"""Four more species, with which no single feature tells butterflies from moths.

A burnet moth has clubs at its antennae, and an emperor moth has broad wings with eyespots; a
skipper butterfly has a stout body. Only wings, antennae and body together decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from homeroom._arrays import Floats
from homeroom.crowd.insects.anatomy import Wing, abdomen, antennae, head, rings, thorax
from homeroom.crowd.insects.shapes import Shape, ellipse, shaded
from homeroom.crowd.insects.species import (
    CATERPILLAR_FORE,
    CATERPILLAR_HIND,
    RINGLET_FORE,
    RINGLET_HIND,
    SPECIES,
    TIGER_FORE,
    TIGER_HIND,
    AbstractSpecies,
    Look,
    draw,
)

EYE = ((1.0, "#2b1712"), (0.8, "#e8c27a"), (0.55, "#16100d"), (0.25, "#7d93c9"))
"""The relative radii and colours of the rings of an eyespot."""
WHY = {
    "cmoth": "a moth: feathered antennae, narrow wings and a stout body",
    "tmoth": "a moth: feathered antennae, narrow wings and a stout body",
    "rbfly": "a butterfly: clubbed antennae, broad wings and a slender body",
    "pbfly": "a butterfly: clubbed antennae, broad wings and a slender body",
    "emoth": "a moth, in spite of its broad wings: feathered antennae and a stout body",
    "bmoth": "a moth, in spite of its clubbed antennae: narrow wings and a stout body",
    "skbfly": "a butterfly, in spite of its stout body: clubbed antennae and wider wings",
    "wbfly": "a butterfly: clubbed antennae, broad wings and a slender body",
}
"""Why each species is what it is."""

OF_EACH = 20
"""The number of insects per species."""

SPREADS = (0.07, 0.06, 0.08, 0.08)
"""The standard deviation of each feature within a species."""

BODIES = {
    "cmoth": 0.7,
    "tmoth": 0.75,
    "rbfly": 0.2,
    "pbfly": 0.25,
    "emoth": 0.7,
    "bmoth": 0.75,
    "skbfly": 0.72,
    "wbfly": 0.2,
}
"""How stout the body of each species is, from 0 to 1."""


@dataclass(frozen=True, eq=False)
class PatternedSpecies(AbstractSpecies):
    """A species that is described by its colours and its pattern.

    Parameters
    ----------
    name, short, kind, typical
        As for every species.
    wings
        Its right forewing and hindwing.
    colours
        Those of forewing, hindwing, body, and of the pattern.
    spots
        The places of spots on the forewing, with radii; eyespots have rings.
    stout
        How stout its body is, from 0 to 1.
    eyes
        Whether the spots are eyespots.
    tip
        Whether the tip of the forewing has the pattern's colour.
    """

    name: str
    short: str
    kind: str
    typical: tuple[float, float, float, float]
    wings: tuple[Wing, Wing]
    colours: tuple[str, str, str, str]
    spots: Sequence[tuple[float, float, float]]
    stout: float
    eyes: bool = False
    tip: bool = False

    def fore(self, look: Look) -> list[Shape]:
        shapes = self._wing(self.wings[0], self.colours[0], look)
        if self.tip:
            edge = self.wings[0].across(0.98)
            shapes.append(self.wings[0].inside(edge, line=self.colours[3], width=15, opacity=0.85))
        return [*shapes, *self._spots(self.wings[0], self.spots, look)]

    def hind(self, look: Look) -> list[Shape]:
        shapes = self._wing(self.wings[1], self.colours[1], look)
        x, y = self.wings[1].heart
        return shapes + (self._spots(self.wings[1], [(x + 8, y, 7.0)], look) if self.eyes else [])

    def body(self, look: Look) -> list[Shape]:
        width, dark = 3.6 + 5.2 * self.stout, shaded(self.colours[2], -0.4)
        hairs = int(60 + 140 * self.stout)
        return [
            *antennae(look.antennae, shaded(self.colours[2], -0.25)),
            *abdomen(width, 40.0 + 6.0 * self.stout, self.colours[2], dark),
            *head(3.4 + 1.8 * self.stout, dark, y=-25.5 - 4.5 * self.stout),
            *thorax(1.3 * width, self.colours[2], shaded(self.colours[2], 0.35), look.rng, hairs),
        ]

    def _wing(self, wing: Wing, colour: str, look: Look) -> list[Shape]:
        """Return a wing with its veins and two bands, without spots."""
        ground = shaded(colour, look.tone)
        dark = self.colours[3]
        shapes = wing.ground(ground, shaded(ground, 0.25), shaded(ground, -0.5))
        shapes.append(wing.veins(shaded(ground, -0.5), opacity=0.35))
        width, opacity = 0.6 + 5.0 * look.stripes, min(0.9, 0.1 + 0.9 * look.stripes)
        for part in (0.45, 0.72):
            band = wing.across(part, waves=0.012)
            shapes.append(wing.inside(band, line=dark, width=width, opacity=opacity))
        return shapes

    def _spots(
        self, wing: Wing, spots: Sequence[tuple[float, float, float]], look: Look
    ) -> list[Shape]:
        """Return spots, given as ``(x, y, radius)``, or eyespots."""
        size = 0.5 + 0.9 * look.eyespots
        if self.eyes:
            return [
                shape for x, y, r in spots for shape in rings(wing, (x, y), 1.5 * size * r, EYE)
            ]
        discs = tuple(ellipse(x, y, size * r) for x, y, r in spots)
        return [wing.inside(*discs, fill=self.colours[3])]


MORE: tuple[PatternedSpecies, ...] = (
    PatternedSpecies(
        "emperor moth",
        "emoth",
        "moth",
        (0.78, 0.08, 0.75, 0.45),
        (RINGLET_FORE, RINGLET_HIND),
        ("#a58f86", "#c59a5a", "#8b7164", "#5d4640"),
        [(54, -30, 8.0)],
        BODIES["emoth"],
        eyes=True,
    ),
    PatternedSpecies(
        "burnet moth",
        "bmoth",
        "moth",
        (0.15, 0.79, 0.30, 0.05),
        (CATERPILLAR_FORE, CATERPILLAR_HIND),
        ("#243b3a", "#b4262c", "#1d2b2e", "#c9262e"),
        [(22, -14, 5), (40, -24, 5.5), (38, -8, 5), (58, -28, 5.5), (58, -10, 5), (74, -30, 4.5)],
        BODIES["bmoth"],
    ),
    PatternedSpecies(
        "skipper butterfly",
        "skbfly",
        "butterfly",
        (0.52, 0.81, 0.15, 0.40),
        (TIGER_FORE, TIGER_HIND),
        ("#c07f32", "#b7762d", "#8d6232", "#5a3a1c"),
        [(62, -32, 3.0), (70, -24, 2.6)],
        BODIES["skbfly"],
    ),
    PatternedSpecies(
        "large white butterfly",
        "wbfly",
        "butterfly",
        (0.72, 0.85, 0.35, 0.05),
        (RINGLET_FORE, RINGLET_HIND),
        ("#f1efe4", "#efe9d2", "#6e6a62", "#33302e"),
        [(56, -36, 5.5), (58, -18, 5.0)],
        BODIES["wbfly"],
        tip=True,
    ),
)  # fmt: skip

ALL: tuple[AbstractSpecies, ...] = (*SPECIES, *MORE)
"""All eight species."""


@dataclass(frozen=True, eq=False)
class Insect:
    """One insect of the eight species.

    Parameters
    ----------
    species
        Its species.
    features
        How broad its wings are, how clubbed its antennae, how stout its body: from 0 to 1.
    look, seed
        How it is drawn, and the seed of random details.
    """

    species: AbstractSpecies
    features: tuple[float, float, float]
    look: Look
    seed: int

    @property
    def why(self) -> str:
        """Why it is a butterfly or a moth."""
        return WHY[self.species.short]

    @property
    def shapes(self) -> list[Shape]:
        """The drawing, from back to front."""
        rng = np.random.default_rng([self.seed, 7])
        return draw(self.species, replace(self.look, rng=rng))


def make_eight() -> list[Insect]:
    """Return twenty insects of each of the eight species, in a random order."""
    rng = np.random.default_rng([0, 6])
    every = [species for species in ALL for _ in range(OF_EACH)]
    typical = np.array([species.typical for species in every])
    looks: Floats = np.clip(typical + SPREADS * rng.standard_normal(typical.shape), 0.0, 1.0)
    tones = np.clip(0.06 * rng.standard_normal(len(every)), -0.15, 0.15)
    insects = [
        Insect(
            species,
            (look[0], look[1], BODIES[species.short]),
            Look(look[0], look[1], look[2], look[3], float(tone), rng),
            number,
        )
        for number, (species, look, tone) in enumerate(
            zip(every, looks.tolist(), tones, strict=True)
        )
    ]
    return [insects[number] for number in rng.permutation(len(insects))]
