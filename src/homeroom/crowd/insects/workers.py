"""Simulated workers of four schools of thought, who say of every insect whether it is a butterfly.

All look at the same two things: how much of a butterfly's build an insect has (broad wings, clubbed
antennae), and how bold its pattern is (eyespots, stripes). A worker weighs the two in her own way
and sets her own bar, and her eye is not quite steady::

    yes  if  care * (<direction, place> - bar) + noise > 0,   noise ~ N(0, 1)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats

WORKERS = 67
"""How many there are, as in the paper."""

CENTRE = np.array([1.025, 0.675])
HALF = np.array([0.6, 0.325])
"""Where the four species' typical places lie: at the corners of a square from -1 to 1."""

ANGLE_SPREAD, BAR_SPREAD = 0.15, 0.12
CARE, CARE_SPREAD = 2.5, 0.2


@dataclass(frozen=True)
class School:
    """A school of thought: which way its workers look, and how much they ask for.

    Parameters
    ----------
    name
        What the paper calls it.
    mistake
        What they get wrong.
    angle
        The direction they look in on the map, in degrees: 0 is a butterfly's build, 90 a bold
        pattern.
    bar
        How far in that direction an insect must lie to be called a butterfly.
    butterflies
        Which species they call butterflies, by the paper's names.
    """

    name: str
    mistake: str
    angle: float
    bar: float
    butterflies: tuple[str, ...]


SCHOOLS = (
    School("P1", "tiger moths are butterflies", 45.0, -0.72, ("tmoth", "rbfly", "pbfly")),
    School("P2", "ringlets are moths", 45.0, 0.75, ("pbfly",)),
    School("P3", "peacocks are moths", -45.0, 0.72, ("rbfly",)),
    School("P4", "all moths are butterflies", 10.0, -1.6, ("cmoth", "tmoth", "rbfly", "pbfly")),
)


def places_of(features: Floats) -> Floats:
    """Return where insects lie on the map that workers have in mind, shape ``(insects, 2)``.

    Parameters
    ----------
    features
        Shape ``(insects, 4)``: wings, antennae, eyespots, stripes.
    """
    build, pattern = features[:, 0] + features[:, 1], features[:, 2] + features[:, 3]
    places: Floats = (np.column_stack([build, pattern]) - CENTRE) / HALF
    return places


def ask(
    features: Floats, rng: np.random.Generator
) -> tuple[tuple[School, ...], npt.NDArray[np.bool_]]:
    """Return the workers' schools, and what each says of each insect, ``(workers, insects)``."""
    order = rng.permutation(WORKERS)
    schools = tuple(SCHOOLS[number * len(SCHOOLS) // WORKERS] for number in order.tolist())
    angles = np.radians([school.angle for school in schools])
    angles += ANGLE_SPREAD * rng.standard_normal(WORKERS)
    bars = np.array([school.bar for school in schools]) + BAR_SPREAD * rng.standard_normal(WORKERS)
    care = CARE * np.exp(CARE_SPREAD * rng.standard_normal(WORKERS))
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    margins = care[:, None] * (directions @ places_of(features).T - bars[:, None])
    yes: npt.NDArray[np.bool_] = margins + rng.standard_normal(margins.shape) > 0
    return schools, yes
