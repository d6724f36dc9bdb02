"""Fixtures for maps: simulated crowds whose truth is known, and a real one."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import ndtr

from homeroom.crowd import Answers

DUCKS = Path(__file__).parents[3] / "shared" / "data" / "ducks"


class Crowd(NamedTuple):
    """A crowd: its answers, and what they were drawn from."""

    answers: Answers
    items: npt.NDArray[np.float64]
    people: npt.NDArray[np.float64]
    thresholds: npt.NDArray[np.float64]


def simulate(
    items: int = 160,
    people: int = 67,
    *,
    seed: int = 0,
    share: float = 1.0,
    angles: float = 0.6,
    spread: float = 0.25,
) -> Crowd:
    """Draw two clouds of items, and annotators with weights in similar directions.

    ``angles`` and ``spread`` are the standard deviations of the people's directions and
    thresholds; each pair of a person and an item is answered with probability ``share``.
    """
    rng = np.random.default_rng(seed)
    places = (
        rng.standard_normal((items, 2)) + np.where(np.arange(items) < items // 2, 1, -1)[:, None]
    )
    turn = np.pi / 4 + angles * rng.standard_normal(people)
    weights = np.column_stack([np.cos(turn), np.sin(turn)])
    thresholds = spread * rng.standard_normal(people)
    person, item = np.divmod(np.arange(items * people), items)
    certain = (weights[person] * places[item]).sum(axis=1) - thresholds[person]
    yes = rng.random(len(certain)) < ndtr(certain)
    given = rng.random(len(certain)) < share
    answers = Answers(
        tuple(f"p{number}" for number in range(people)),
        tuple(f"i{number}" for number in range(items)),
        person[given],
        item[given],
        yes[given],
        np.where(places.sum(axis=1) > 0, 1.0, -1.0),
    )
    return Crowd(answers, places, weights, thresholds)


@pytest.fixture(scope="session")
def crowds() -> Callable[..., Crowd]:
    """Simulated crowds, by their settings."""
    return simulate


@pytest.fixture(scope="session")
def ducks() -> Answers:
    """The answers to 240 pictures: is it a duck? With the truth as expert's labels."""
    if not (DUCKS / "labels.txt").is_file():
        pytest.skip("the ducks are not here: ../shared/data/ducks/labels.txt")
    rows = np.loadtxt(DUCKS / "labels.txt", skiprows=1, dtype=np.int64)
    return Answers.from_arrays(
        rows[:, 1],
        rows[:, 0],
        rows[:, 2] == 1,
        labels={item: 1.0 if kind in (0, 2) else -1.0 for item, kind in enumerate(species())},
    )


def species() -> list[int]:
    """Return the species of each picture: 0 and 2 are ducks, 1 geese, 4 grebes, 3 no birds."""
    text = (DUCKS / "classes.yaml").read_text(encoding="utf-8")
    found = {int(item): int(kind) for item, kind in re.findall(r"(\d+): (\d)", text)}
    return [found[item] for item in range(len(found))]


@pytest.fixture(scope="session")
def kinds(ducks: Answers) -> npt.NDArray[np.int64]:
    """The species of each item, in the order of ``ducks.items``."""
    every = species()
    return np.array([every[int(item)] for item in ducks.items])
