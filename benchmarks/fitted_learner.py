"""The numbers of ``PeopleLearner``, fitted to the next answers of people (Shepard's tasks).

A belief about each person's state follows the learner: it takes the step towards the label and
drifts; the person's own answer updates it (probit with lapses). The numbers are those that predict
the next answers best. Losing a part of the state per example (``forget``) was tried as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_ndtr, ndtr

from benchmarks.people_data import Trials, read_shepard
from benchmarks.timing import Line
from homeroom._arrays import Floats
from homeroom.learners import PeopleLearner

DATA = Path(__file__).parents[2] / "shared" / "data" / "learners" / "shepard.csv"
START = np.array([-1.0, -4.0, -3.0, -1.5, 0.5, -5.0])


def lines() -> Iterator[Line]:
    """Measure: the fit on one half of the people, its log loss on the other, and controls."""
    if not DATA.is_file():
        print(f"The fitted learner is left out: there is no {DATA}.")
        return
    trials = read_shepard(DATA)
    halves = [trials.some(trials.person % 2 == part) for part in (0, 1)]
    search: Any = minimize  # typed so narrowly that a plain function does not fit
    found = search(
        lambda point: -log_chances(halves[0], point).sum() / np.abs(halves[0].said).sum(),
        START,
        method="Nelder-Mead",
        options={"maxfev": 240},
    ).x
    numbers = settings(found)
    print(", ".join(f"{name} {value:.4f}" for name, value in numbers.items()))
    held_out = per_person(halves[1], found)
    still = per_person(halves[1], np.where(np.arange(6) == 3, -30.0, found))
    off = (still - held_out).std(ddof=1) / np.sqrt(len(held_out))
    what = f"log loss of the next answer ({len(held_out)} people held out)"
    yield Line(
        what, held_out.mean(), f"without the step (+- {off:.4f})", still.mean(), 1.0, unit=""
    )
    learner = PeopleLearner()
    for name in ("margin", "lapse", "drift"):
        own = float(getattr(learner, name))
        yield Line(f"PeopleLearner, {name}", own, "fitted", numbers[name], unit="")


def settings(point: Floats) -> dict[str, float]:
    """Return the numbers that a point of the search stands for."""
    first, drift, lapse, step, margin, forget = np.clip(point, -30.0, 5.0)
    return {
        "first": float(np.exp(first)),
        "drift": float(np.exp(0.5 * drift)),
        "lapse": float(expit(lapse)),
        "step": float(np.exp(step)),
        "margin": float(np.exp(margin)),
        "forget": float(expit(forget)),
    }


def per_person(trials: Trials, point: Floats) -> Floats:
    """Return the log loss of each person."""
    chances = log_chances(trials, point)
    people = np.unique(trials.person)
    losses = [
        -chances[trials.person == one].sum() / np.abs(trials.said[trials.person == one]).sum()
        for one in people
    ]
    return np.array(losses)


def log_chances(trials: Trials, point: Floats) -> Floats:
    """Return the log probability of each answer, given the answers before it."""
    numbers = settings(point)
    count, length, width = trials.x.shape
    mean = np.zeros((count, width))
    spread = np.broadcast_to(numbers["first"] * np.eye(width), (count, width, width)).copy()
    noise, lapse, found = numbers["drift"] ** 2 * np.eye(width), numbers["lapse"], []
    for t in range(length):
        x, said = trials.x[:, t], trials.said[:, t]
        towards = (spread @ x[:, :, None])[:, :, 0]
        scale = np.sqrt(1.0 + (towards * x).sum(axis=1))
        z = said * (mean * x).sum(axis=1) / scale
        chance = 0.5 * lapse + (1.0 - lapse) * ndtr(z)
        found.append(np.where(said != 0, np.log(chance), 0.0))
        hazard = np.exp(-0.5 * z * z - log_ndtr(z)) / np.sqrt(2.0 * np.pi)
        honest = (1.0 - lapse) * ndtr(z) / chance
        gain = honest * hazard * said / scale
        less = honest * hazard * (hazard + z) - honest * (1.0 - honest) * hazard**2
        mean = mean + gain[:, None] * towards
        weight = np.where(said != 0, less, 0.0) / scale**2
        spread = spread - weight[:, None, None] * towards[:, :, None] * towards[:, None, :]
        step = np.where(said != 0, numbers["step"] * (1.0 - lapse), 0.0)
        off = (mean * x).sum(axis=1) - numbers["margin"] * trials.label[:, t]
        mean = (1.0 - numbers["forget"]) * mean - (step * off)[:, None] * x
        shrink = (1.0 - numbers["forget"]) * np.eye(width) - step[:, None, None] * (
            x[:, :, None] * x[:, None, :]
        )
        spread = shrink @ spread @ np.swapaxes(shrink, 1, 2) + noise
    return np.array(found).T
