"""From what happened in a lesson to what is believed of its students."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.bank import RATES, Bank
from homeroom.observers.quizzing.class_prior import ClassPrior
from homeroom.observers.quizzing.log import Asked, Event, Shown
from homeroom.observers.quizzing.pretest import Pretest
from homeroom.observers.quizzing.setup import Assumed, Setup


def heard(bank: Bank, event: Asked, setup: Setup, model: AnswerModel) -> Bank:
    """Return the bank after answers during the lesson."""
    for item, answers in zip(event.items, event.answers.T, strict=True):
        bank = bank.heard(setup.xs[item], answers, model)
    return bank


def shown(bank: Bank, event: Shown, setup: Setup) -> Bank:
    """Return the bank after an example."""
    return bank.shown(event.x, event.y, attention=setup.attention, drift=setup.drift)


def told(
    log: Sequence[Event],
    setup: Setup,
    assumed: Assumed,
    usual: Floats,
    *,
    students: int,
    rates: Floats = RATES,
) -> tuple[Bank, ClassPrior]:
    """Return what is believed after a lesson, worked out from its beginning.

    Parameters
    ----------
    log
        What happened.
    setup, assumed
        What is fixed, and what is assumed.
    usual
        The logarithm of how usual each rate is.
    students
        How many students there are.
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
        belief, evidence, prior = test.learnt(assumed.model, prior, guard=setup.guard)
    bank = Bank.of(belief, evidence, usual, rates)
    for event in log[first:]:
        if isinstance(event, Asked):
            bank = heard(bank, event, setup, assumed.model)
        else:
            bank = shown(bank, event, setup)
    return bank, prior


def of_some(log: Sequence[Event], students: Ints) -> list[Event]:
    """Return a log with only these students in it."""
    return [
        Asked(event.items, event.answers[students])
        if isinstance(event, Asked)
        else _own(event, students)
        for event in log
    ]


def _own(event: Shown, students: Ints) -> Shown:
    """Return what these students were shown."""
    if event.x.ndim == 1:
        return event
    return Shown(event.x[students], np.asarray(event.y)[students])
