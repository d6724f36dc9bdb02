"""Simulated annotators of four types, who say of every insect whether it is a butterfly.

All look at the same two features: how much an insect is built like a butterfly (broad wings,
clubbed antennae), and how bold its pattern is (eyespots, stripes). Annotators weigh the two
differently, have different thresholds, and make random errors::

    yes  if  care * (<direction, place> - bar) + noise > 0,   noise ~ N(0, 1)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats

ANNOTATORS = 67
"""The number of annotators, as in the paper."""

CENTRE = np.array([1.025, 0.675])
HALF = np.array([0.6, 0.325])
"""They put the typical insects of the four species at the corners of a square from -1 to 1."""

ANGLE_SPREAD, BAR_SPREAD = 0.15, 0.12
CARE, CARE_SPREAD = 2.5, 0.2


@dataclass(frozen=True)
class AnnotatorType:
    """A type of annotators, who share a mistake.

    Parameters
    ----------
    name
        Its name in the paper.
    mistake
        What these annotators get wrong.
    angle
        The direction of butterflies on their map, in degrees: 0 is a butterfly's build, 90 a bold
        pattern.
    bar
        How far in that direction an insect must be to be called a butterfly.
    butterflies
        The species that they call butterflies, by the paper's names.
    """

    name: str
    mistake: str
    angle: float
    bar: float
    butterflies: tuple[str, ...]


ANNOTATOR_TYPES = (
    AnnotatorType("P1", "tiger moths are butterflies", 45.0, -0.72, ("tmoth", "rbfly", "pbfly")),
    AnnotatorType("P2", "ringlets are moths", 45.0, 0.75, ("pbfly",)),
    AnnotatorType("P3", "peacocks are moths", -45.0, 0.72, ("rbfly",)),
    AnnotatorType(
        "P4", "all moths are butterflies", 10.0, -1.6, ("cmoth", "tmoth", "rbfly", "pbfly")
    ),
)


def places_of(features: Floats) -> Floats:
    """Return the places of insects on the map of the annotators, shape ``(insects, 2)``.

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
) -> tuple[tuple[AnnotatorType, ...], npt.NDArray[np.bool_]]:
    """Return the types of the annotators, and their answers, ``(annotators, insects)``."""
    order = rng.permutation(ANNOTATORS)
    number_of_types = len(ANNOTATOR_TYPES)
    types = tuple(
        ANNOTATOR_TYPES[number * number_of_types // ANNOTATORS] for number in order.tolist()
    )
    angles = np.radians([one.angle for one in types])
    angles += ANGLE_SPREAD * rng.standard_normal(ANNOTATORS)
    bars = np.array([one.bar for one in types]) + BAR_SPREAD * rng.standard_normal(ANNOTATORS)
    care = CARE * np.exp(CARE_SPREAD * rng.standard_normal(ANNOTATORS))
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    margins = care[:, None] * (directions @ places_of(features).T - bars[:, None])
    yes: npt.NDArray[np.bool_] = margins + rng.standard_normal(margins.shape) > 0
    return types, yes
