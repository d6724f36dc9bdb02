"""Crowds for maps: simulated ones whose truth is known, and a real one."""

from __future__ import annotations

import re
from collections.abc import Hashable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr, ndtr

from homeroom._arrays import Floats, Ints
from homeroom.crowd import Answers, Embedding
from homeroom.crowd.fitting.parameters import MapParameters, rotation_onto
from homeroom.crowd.fitting.posterior import Prior


class Crowd(NamedTuple):
    """Answers, and what they were drawn from."""

    answers: Answers
    items: Floats
    people: Floats
    thresholds: Floats


def simulate(
    items: int = 160,
    people: int = 67,
    *,
    seed: int = 0,
    answers: int | None = None,
    angles: float = 0.6,
    spread: float = 0.25,
) -> Crowd:
    """Draw two clouds of items, half around (1, 1) and half around (-1, -1), and annotators.

    Annotators have weights of length one at 45 degrees with a deviation ``angles``, and thresholds
    with deviation ``spread``; they answer everything, or ``answers`` pairs drawn at random.
    """
    rng = np.random.default_rng(seed)
    side = np.where(np.arange(items) < items // 2, 1.0, -1.0)
    places = rng.standard_normal((items, 2)) + side[:, None]
    turn = np.pi / 4 + angles * rng.standard_normal(people)
    weights = np.column_stack([np.cos(turn), np.sin(turn)])
    thresholds = spread * rng.standard_normal(people)
    pairs = np.arange(items * people)
    if answers is not None:
        pairs = rng.choice(items * people, answers, replace=False)
    return answered(places, weights, thresholds, np.divmod(pairs, items), rng)


class ClassCrowd(NamedTuple):
    """Answers with several classes, the map and the prior that they were drawn from."""

    answers: Answers
    truth: MapParameters
    prior: Prior


def simulate_classes(
    classes: int,
    dimensions: int,
    *,
    items: int = 200,
    people: int = 80,
    seed: int = 0,
    own: float = 0.7,
    crowd: float = 1.5,
) -> ClassCrowd:
    """Draw items around zero, and annotators with a row per class near the crowd's rows.

    ``own`` is how far an annotator's rows are from the crowd's, and ``crowd`` how long those are.
    """
    rng = np.random.default_rng([seed, classes, dimensions])
    prior = Prior(people=own, thresholds=0.5, crowd=crowd, crowd_thresholds=0.5)
    places = rng.standard_normal((items, dimensions))
    near = np.append(np.full(dimensions, crowd), 0.5) * rng.standard_normal(
        (classes, dimensions + 1)
    )
    widths = np.append(np.full(dimensions, own), 0.5)
    lines = near + widths * rng.standard_normal((people, classes, dimensions + 1))
    truth = MapParameters.of(places, lines - lines.mean(axis=1, keepdims=True))
    if classes == 2:  # one score: the difference, as a probit with the same slope in the middle
        truth = MapParameters.of(places, (lines[:, 1] - lines[:, 0]) / 1.6)
        size = 2**0.5 / 1.6
        prior = Prior(people=size * np.hypot(own, crowd), thresholds=size * np.hypot(0.5, 0.5))
    return ClassCrowd(class_answers(truth, seed=seed), truth, prior)


def class_answers(truth: MapParameters, *, seed: int = 0) -> Answers:
    """Draw the answers of all annotators to all items."""
    rng = np.random.default_rng(seed)
    people, items = len(truth.people), len(truth.items)
    person, item = np.divmod(np.arange(people * items), items)
    scores = truth.certainty(person, item)
    if truth.classes == 2:
        choices = (rng.random(len(item)) < ndtr(scores)).astype(np.int8)
    else:
        choices = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return Answers(
        tuple(f"p{number}" for number in range(people)),
        tuple(f"i{number}" for number in range(items)),
        person,
        item,
        choices=choices,
        classes=[f"c{number}" for number in range(truth.classes)],
    )


def answered(
    places: Floats,
    weights: Floats,
    thresholds: Floats,
    pairs: tuple[Ints, Ints],
    rng: np.random.Generator,
) -> Crowd:
    """Draw answers of annotators to items; the expert's label is the side of zero."""
    person, item = pairs
    certain = (weights[person] * places[item]).sum(axis=1) - thresholds[person]
    table = Answers(
        tuple(map(str, range(len(weights)))),
        tuple(map(str, range(len(places)))),
        person.astype(np.int32),
        item.astype(np.int32),
        rng.random(len(item)) < ndtr(certain),
        np.where(places.sum(axis=1) > 0, 1.0, -1.0),
    )
    return Crowd(table, places, weights, thresholds)


def informed(world: Crowd) -> Floats:
    """Return the posterior mean place of each item, given annotators and distribution.

    By sums over a fine grid. No method that must estimate these is better on average.
    """
    side = np.linspace(-6, 6, 121)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    certain = grid @ world.people.T - world.thresholds
    yes = np.zeros((len(world.people), len(world.items)))
    yes[world.answers.person, world.answers.item] = world.answers.yes
    score = log_ndtr(certain) @ yes + log_ndtr(-certain) @ (1 - yes)
    clouds = [-0.5 * ((grid - side) ** 2).sum(axis=1) for side in (1, -1)]
    score += np.logaddexp(*clouds)[:, None]
    weights = np.exp(score - score.max(axis=0))
    places: Floats = (weights / weights.sum(axis=0)).T @ grid
    return places


def coverage(world: Crowd) -> tuple[float, float, float, float]:
    """Return how many coordinates, weights and thresholds lie within intervals of nominal 95 %.

    And how many items lie within their ellipses, as the page of a map draws them.

    The truth is moved, turned and scaled onto the map first: neither is in the answers.
    """
    found = Embedding.fit(world.answers, dimensions=2, starts=1)
    centre, middle = world.items.mean(axis=0), found.items.mean(axis=0)
    mine = found.items - middle
    turn = rotation_onto(world.items - centre, mine)
    turned = (world.items - centre) @ turn
    scale = (turned * mine).sum() / (turned**2).sum()
    people = world.people @ turn / scale
    thresholds = world.thresholds - world.people @ centre + people @ middle
    sure = found.uncertainty
    deviations = np.sqrt(np.einsum("jaa->ja", sure.people))
    return (
        _inside(scale * turned - mine, np.sqrt(np.einsum("iaa->ia", sure.items))),
        _inside(people - found.people, deviations[:, :2]),
        _inside(thresholds - found.thresholds, deviations[:, 2]),
        _within_ellipses(scale * turned - mine, sure.items),
    )


def _inside(gaps: Floats, deviations: Floats) -> float:
    return float((np.abs(gaps) < 1.96 * deviations).mean())


def _within_ellipses(gaps: Floats, covariances: Floats) -> float:
    squares = np.einsum("ia,iab,ib->i", gaps, np.linalg.inv(covariances), gaps)
    return float((squares < -2 * np.log(0.05)).mean())


def ducks(folder: Path) -> Answers:
    """Return who called which of 240 pictures a duck; species 0 and 2 are ducks."""
    rows = np.loadtxt(folder / "labels.txt", skiprows=1, dtype=np.int64)
    text = (folder / "classes.yaml").read_text(encoding="utf-8")
    labels: dict[Hashable, float] = {
        int(item): 1.0 if kind in "02" else -1.0 for item, kind in re.findall(r"(\d+): (\d)", text)
    }
    return Answers.from_arrays(rows[:, 1], rows[:, 0], rows[:, 2] == 1, labels=labels)
