"""Estimating the assumptions again: noise of answers, lapses, length of states.

A wrong answer model costs more than a small number of answers. So from time to time the lesson is
replayed under neighbouring assumptions, and those with the largest likelihood are kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import TypeAlias

import numpy as np

from homeroom._arrays import Floats
from homeroom.observers.quizzing.beliefs import RATES
from homeroom.observers.quizzing.guessing import class_evidence
from homeroom.observers.quizzing.log import Asked, Event, of_students
from homeroom.observers.quizzing.replay import Assumed, Setup, beliefs_after

STUDENTS = 30
"""If there are more students, the evidence of this many is used."""

STEP = math.sqrt(2.0)
"""The factor by which a scale changes in one step."""

REACH = 6.0
"""The largest factor between the assumed and the estimated length of states."""

STEPS = 2
"""The largest number of steps of each kind in one revision."""

LENGTH_STEPS = 5
"""The same for the length of states with several answers. It may be far from the one assumed, as
beginners guess."""

GAIN = 1.5
"""The gain in log-likelihood that a change needs."""

KAPPAS = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
"""The weights of item memory that are tried, if there is any and not only that."""

Neighbours: TypeAlias = Callable[[Assumed, Assumed], Iterable[Assumed]]
"""Yields assumptions near the present ones (first argument), given those at the start (second)."""

LAPSES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4)
"""The shares of random answers that are tried, beyond those assumed at first."""


def revised(log: Sequence[Event], setup: Setup, assumed: Assumed, usual: Floats) -> Assumed:
    """Return the assumptions estimated again from a lesson so far.

    ``assumed`` are the present ones, ``usual`` is the logarithm of each rate's prior probability.

    The length of the states comes first: while it is wrong, noise or lapses would compensate for
    it. Beginners who guess have short states, for instance; if these were assumed to be long, the
    guesses would count as noise, also of the answers that follow when the students have learned.
    Answers determine the *ratio* of length and noise best, so both also change together.

    With several answers, the computation per answer takes ten times as long. Then it is done for
    one learning rate alone, the mean of the prior.

    Cost: the lesson is replayed about nine times, for at most ``STUDENTS`` students.
    """
    students = len(next(event.answers for event in log if isinstance(event, Asked)))
    some = np.unique(np.linspace(0, students - 1, min(students, STUDENTS)).astype(np.int64))
    part = of_students(log, some)
    asked = [event for event in part if isinstance(event, Asked)]
    said = np.concatenate([event.answers * setup.signs[event.items] for event in asked], axis=1)

    unguarded = replace(setup, guard=setup.guard is True)
    options, rates = None, RATES
    if setup.chooses:
        options = np.concatenate([setup.options[event.items] for event in asked])
        rates, usual = np.array([float(np.exp(usual) @ RATES)]), np.zeros(1)

    @cache
    def score(candidate: Assumed) -> float:
        """Return the log-posterior of assumptions, up to a constant."""
        bank = beliefs_after(
            part, unguarded, candidate, usual, students=len(some), rates=rates
        ).bank
        evidence = class_evidence(bank.total_evidence, said, options)
        return evidence + plausible(candidate, setup.at_first)

    steps = LENGTH_STEPS if setup.chooses else STEPS
    found = _climbed((assumed, score(assumed)), scales, score, setup.at_first, steps)
    for neighbours in (sizes, sigmas, lapses, kappas):
        found = _climbed(found, neighbours, score, setup.at_first)
    return found[0]


def _climbed(
    found: tuple[Assumed, float],
    neighbours: Neighbours,
    score: Callable[[Assumed], float],
    at_first: Assumed,
    steps: int = STEPS,
) -> tuple[Assumed, float]:
    """Return better assumptions, at most ``steps`` steps to neighbours away, and their score.

    ``found`` are the assumptions so far and their score. A step must gain at least ``GAIN``.
    """
    for _ in range(steps):
        scored = ((candidate, score(candidate)) for candidate in neighbours(found[0], at_first))
        better = next((pair for pair in scored if pair[1] > found[1] + GAIN), None)
        if better is None:
            return found
        found = better
    return found


def plausible(candidate: Assumed, at_first: Assumed) -> float:
    """Return the log-prior of assumptions, up to a constant."""
    noise = math.log(candidate.model.sigma / at_first.model.sigma)
    extra = candidate.model.guess + candidate.model.slip
    extra -= at_first.model.guess + at_first.model.slip
    if at_first.kappa and not math.isinf(at_first.kappa):
        memory = math.log((candidate.kappa + KAPPAS[1]) / (at_first.kappa + KAPPAS[1]))
        noise = math.hypot(noise, memory)
    return -0.5 * (noise / 0.7) ** 2 - abs(extra) / 0.1


def sigmas(now: Assumed, _: Assumed) -> Iterator[Assumed]:
    """Yield a larger and a smaller sigma."""
    for factor in (STEP, 1.0 / STEP):
        yield replace(now, model=replace(now.model, sigma=now.model.sigma * factor))


def lapses(now: Assumed, at_first: Assumed) -> Iterator[Assumed]:
    """Yield more and fewer lapses, beyond the guesses and slips assumed at first."""
    base = at_first.model
    place = int(np.abs(np.array(LAPSES) - 2.0 * (now.model.guess - base.guess)).argmin())
    for other in (place + 1, place - 1):
        if 0 <= other < len(LAPSES) and base.guess + base.slip + LAPSES[other] < 0.9:
            floor = 0.5 * LAPSES[other]
            yield replace(
                now, model=replace(now.model, guess=base.guess + floor, slip=base.slip + floor)
            )


def scales(now: Assumed, at_first: Assumed) -> Iterator[Assumed]:
    """Yield shorter and longer states, within ``REACH`` of the first assumption."""
    for factor in (1.0 / STEP, STEP):
        radius = now.radius * factor
        if 1.0 / REACH < radius / at_first.radius < REACH:
            yield replace(now, radius=radius)


def sizes(now: Assumed, at_first: Assumed) -> Iterator[Assumed]:
    """Yield states and sigma multiplied by the same factor."""
    for scaled in scales(now, at_first):
        sigma = now.model.sigma * scaled.radius / now.radius
        yield replace(scaled, model=replace(now.model, sigma=sigma))


def kappas(now: Assumed, at_first: Assumed) -> Iterator[Assumed]:
    """Yield more and less item memory."""
    if not at_first.kappa or math.isinf(at_first.kappa):
        return
    place = int(np.abs(np.array(KAPPAS) - now.kappa).argmin())
    for other in (place - 1, place + 1):
        if 0 <= other < len(KAPPAS):
            yield replace(now, kappa=KAPPAS[other])
