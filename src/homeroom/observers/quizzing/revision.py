"""Estimating anew what was only assumed: how answers are blurred, lapses, how long states are.

A wrong answer model costs more than few answers. So from time to time the lesson is gone through
again under assumptions a step away, and the ones under which the answers were most likely are kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from homeroom._arrays import Floats
from homeroom.observers.quizzing.course import of_some, told
from homeroom.observers.quizzing.honesty import class_evidence
from homeroom.observers.quizzing.log import Asked, Event
from homeroom.observers.quizzing.setup import Assumed, Setup

STUDENTS = 30
"""Of more students, so many are asked for their evidence."""

STEP = math.sqrt(2.0)
"""By how much a scale changes at a time."""

REACH = 6.0
"""How many times as long or as short as assumed at first states may be found to be."""

STEPS = 2
"""How often something may change in one revision."""

GAIN = 1.5
"""How much more likely, in logarithm, answers must be for something to change."""

LAPSES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4)


def revised(log: Sequence[Event], setup: Setup, assumed: Assumed, usual: Floats) -> Assumed:
    """Return what to assume after a lesson so far.

    The length of the states comes first: while that is wrong, more blur or lapses would do for it.
    Answers tell best how long states are *in terms of the blur*, so both also change together.

    Cost: the lesson worked out again about nine times, for at most ``STUDENTS`` students.
    """
    students = len(next(event.answers for event in log if isinstance(event, Asked)))
    some = np.unique(np.linspace(0, students - 1, min(students, STUDENTS)).astype(np.int64))
    part = of_some(log, some)
    asked = [event for event in part if isinstance(event, Asked)]
    said = np.concatenate([event.answers * setup.signs[event.items] for event in asked], axis=1)

    def score(candidate: Assumed) -> float:
        bank, _ = told(part, setup, candidate, usual, students=len(some))
        return class_evidence(bank.total_evidence, said) + plausible(candidate, setup.at_first)

    found = assumed, score(assumed)
    for neighbours in (scales, sizes, blurs, lapses):
        found = _climbed(found, neighbours, score, setup.at_first)
    return found[0]


def _climbed(
    found: tuple[Assumed, float],
    neighbours: Callable[[Assumed, Assumed], Iterable[Assumed]],
    score: Callable[[Assumed], float],
    at_first: Assumed,
) -> tuple[Assumed, float]:
    """Return the best assumption that is a few steps away in one respect, and its score."""
    for _ in range(STEPS):
        scored = ((candidate, score(candidate)) for candidate in neighbours(found[0], at_first))
        better = next((pair for pair in scored if pair[1] > found[1] + GAIN), None)
        if better is None:
            return found
        found = better
    return found


def plausible(candidate: Assumed, at_first: Assumed) -> float:
    """Return the logarithm of how plausible assumptions are before anybody has answered."""
    blur = math.log(candidate.model.sigma / at_first.model.sigma)
    extra = candidate.model.guess + candidate.model.slip
    extra -= at_first.model.guess + at_first.model.slip
    return -0.5 * (blur / 0.7) ** 2 - abs(extra) / 0.1


def blurs(now: Assumed, _: Assumed) -> Iterator[Assumed]:
    """Yield what a little more and a little less blur would be."""
    for factor in (STEP, 1.0 / STEP):
        yield replace(now, model=replace(now.model, sigma=now.model.sigma * factor))


def lapses(now: Assumed, at_first: Assumed) -> Iterator[Assumed]:
    """Yield what more and fewer lapses would be, beyond the floors assumed at first."""
    base = at_first.model
    place = int(np.abs(np.array(LAPSES) - 2.0 * (now.model.guess - base.guess)).argmin())
    for other in (place + 1, place - 1):
        if 0 <= other < len(LAPSES) and base.guess + base.slip + LAPSES[other] < 0.9:
            floor = 0.5 * LAPSES[other]
            yield replace(
                now, model=replace(now.model, guess=base.guess + floor, slip=base.slip + floor)
            )


def scales(now: Assumed, at_first: Assumed) -> Iterator[Assumed]:
    """Yield what shorter and longer states would be, within ``REACH`` of what was assumed."""
    for factor in (1.0 / STEP, STEP):
        radius = now.radius * factor
        if 1.0 / REACH < radius / at_first.radius < REACH:
            yield replace(now, radius=radius)


def sizes(now: Assumed, at_first: Assumed) -> Iterator[Assumed]:
    """Yield what is larger and smaller as a whole: states and blur by the same factor."""
    for scaled in scales(now, at_first):
        sigma = now.model.sigma * scaled.radius / now.radius
        yield replace(scaled, model=replace(now.model, sigma=sigma))
