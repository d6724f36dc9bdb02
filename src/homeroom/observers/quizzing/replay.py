"""The beliefs about a class, computed from what happened in its lesson."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.beliefs import RATES, BeliefBank
from homeroom.observers.quizzing.log import Asked, Event, Shown
from homeroom.observers.quizzing.pretest import ClassPrior, Pretest


@dataclass(frozen=True)
class Assumed:
    """Assumptions that are estimated again from the class's answers during a lesson.

    Parameters
    ----------
    model
        The probability of an answer given a state.
    radius
        The largest length of the states, as a root mean square over the class.
    """

    model: AnswerModel
    radius: float


@dataclass(frozen=True, eq=False)
class Setup:
    """The settings of a quiz that do not change during a lesson.

    Parameters
    ----------
    xs
        The items, multiplied by their signs, shape ``(items, dimensions)``.
    signs
        +1; or -1 for an item whose right answer is no, if answers are right or wrong.
    target
        The target, shape ``(dimensions,)``.
    at_first
        The assumptions at the start.
    attention, drift
        As for the update by an example.
    guard
        Whether to look for students who guess.
    revise_every
        The number of rounds after which the assumptions are estimated again; 0 for never.
    random_every
        Every n-th item is drawn at random; 0 for none.
    """

    xs: Floats
    signs: Floats
    target: Floats
    at_first: Assumed
    attention: float = 1.0
    drift: float = 0.0
    guard: bool = True
    revise_every: int = 5
    random_every: int = 3


def heard(bank: BeliefBank, event: Asked, setup: Setup, model: AnswerModel) -> BeliefBank:
    """Return the beliefs after answers during the lesson."""
    for item, answers in zip(event.items, event.answers.T, strict=True):
        bank = bank.heard(setup.xs[item], answers, model)
    return bank


def shown(bank: BeliefBank, event: Shown, setup: Setup) -> BeliefBank:
    """Return the beliefs after an example."""
    return bank.shown(event.x, event.y, attention=setup.attention, drift=setup.drift)


def beliefs_after(
    log: Sequence[Event],
    setup: Setup,
    assumed: Assumed,
    usual: Floats,
    *,
    students: int,
    rates: Floats = RATES,
) -> tuple[BeliefBank, ClassPrior]:
    """Return the beliefs after a lesson, computed from its beginning, and the class's prior.

    Parameters
    ----------
    log
        The log of the lesson.
    setup, assumed
        The settings and the assumptions.
    usual
        The logarithm of each rate's prior probability.
    students
        The number of students.
    rates
        The rates of the bank.
    """
    first = next((n for n, event in enumerate(log) if isinstance(event, Shown)), len(log))
    before = [event for event in log[:first] if isinstance(event, Asked) and len(event.items)]
    prior = ClassPrior.round(len(setup.target), assumed.radius)
    belief, evidence = prior.belief(students), np.zeros(students)
    if before:
        items = np.concatenate([event.items for event in before])
        answers = np.concatenate([event.answers for event in before], axis=1)
        test = Pretest(setup.xs[items], answers, setup.signs[items])
        belief, evidence, prior = test.posterior(assumed.model, prior, guard=setup.guard)
    bank = BeliefBank.of(belief, evidence, usual, rates)
    for event in log[first:]:
        if isinstance(event, Asked):
            bank = heard(bank, event, setup, assumed.model)
        else:
            bank = shown(bank, event, setup)
    return bank, prior
