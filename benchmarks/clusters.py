"""Clusters of annotators: how often the right number is found, by answers per annotator."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks.crowds import answered
from benchmarks.timing import Line, in_processes
from homeroom.crowd import Answers, Embedding

ITEMS, PEOPLE, CROWDS, FIRST = 160, 67, 20, 1000
ANSWERS = (5, 10, 20, 40, 160)


class Kind(NamedTuple):
    """The clusters of a simulated crowd, and how much their annotators differ.

    Parameters
    ----------
    angles, thresholds
        The middle of each cluster, in degrees and in units of the length.
    turn, spread
        Standard deviations of angles, in radians, and of thresholds, in units of the length.
    length
        The length of the weights of all annotators.
    """

    angles: tuple[float, ...]
    thresholds: tuple[float, ...]
    turn: float = 0.15
    spread: float = 0.12
    length: float = 2.0


KINDS = {
    "one, wide": Kind((45.0,), (0.0,), turn=0.6, spread=0.25, length=1.0),
    "one, narrow": Kind((45.0,), (0.0,)),
    "two, by angle": Kind((0.0, 90.0), (0.0, 0.0)),
    "two, by threshold": Kind((45.0, 45.0), (-1.0, 1.0)),
    "three": Kind((45.0, 45.0, -45.0), (-1.0, 1.0, 0.0)),
}


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    found = {name: [_found(kind, answers) for answers in ANSWERS] for name, kind in KINDS.items()}
    print(_table(found), end="\n\n")
    for name, shares in found.items():
        clusters = len(KINDS[name].angles)
        for answers, share in zip(ANSWERS, shares, strict=True):
            if clusters == 1 or answers >= 40:
                allowed = 0.25 if name == "one, wide" else 0.1
                said = f"clusters: {name}; {answers} answers each: miscounted"
                yield Line(said, 1.0 - share, "allowed", allowed, 1.0, unit="")


def _found(kind: Kind, answers: int) -> float:
    """Return the share of crowds in which the right number of clusters is found."""
    found = in_processes(partial(_clusters, kind, answers), range(FIRST, FIRST + CROWDS))
    return float(np.mean(np.array(found) == len(kind.angles)))


def _clusters(kind: Kind, answers: int, seed: int) -> int:
    crowd = _crowd(kind, answers, seed)
    return int(Embedding.fit(crowd, dimensions=2).groups().max()) + 1


def _crowd(kind: Kind, answers: int, seed: int) -> Answers:
    """Draw two clouds of items, and annotators of each cluster who answer some of them."""
    rng = np.random.default_rng(seed)
    side = np.where(np.arange(ITEMS) < ITEMS // 2, 1.0, -1.0)
    places = rng.standard_normal((ITEMS, 2)) + side[:, None]
    cluster = np.arange(PEOPLE) * len(kind.angles) // PEOPLE
    turn = np.radians(np.array(kind.angles))[cluster] + kind.turn * rng.standard_normal(PEOPLE)
    weights = kind.length * np.column_stack([np.cos(turn), np.sin(turn)])
    thresholds = np.array(kind.thresholds)[cluster] + kind.spread * rng.standard_normal(PEOPLE)
    thresholds *= kind.length
    item = rng.permuted(np.tile(np.arange(ITEMS), (PEOPLE, 1)), axis=1)[:, :answers].ravel()
    person = np.repeat(np.arange(PEOPLE), answers)
    return answered(places, weights, thresholds, (person, item), rng).answers


def _table(found: dict[str, list[float]]) -> str:
    """Return the shares of crowds with the right number of clusters."""
    rows = [["clusters", *(f"{answers} answers each" for answers in ANSWERS)], ["---"] * 6]
    rows += [[name, *(f"{share:.0%}" for share in shares)] for name, shares in found.items()]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)
