"""The beliefs about a class, computed from what happened in its lesson."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.learners.item_memory import SECONDS, weights_of
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.beliefs import RATES, UNIFORM, Belief, BeliefBank
from homeroom.observers.quizzing.choice_bank import (
    ChoiceBank,
    ChoiceMemory,
    before_lesson,
    choice_prior,
    without_preferred_answer,
)
from homeroom.observers.quizzing.first_answers import FirstAnswers
from homeroom.observers.quizzing.item_memory import VARIANCE, ItemMemory
from homeroom.observers.quizzing.log import Asked, Event, Shown
from homeroom.observers.quizzing.practice import Practice
from homeroom.observers.quizzing.pretest import ClassPrior, Pretest
from homeroom.people_order import Coverage

Bank = TypeVar("Bank", bound=BeliefBank)
Memory = TypeVar("Memory", bound=ItemMemory)

FEW: Floats = np.array([0.0, 0.1, 0.4])
"""The learning rates for predicting the answers of students who read the questions."""


@dataclass(frozen=True)
class Assumed:
    """Assumptions that are estimated again from the class's answers during a lesson.

    Parameters
    ----------
    model
        The probability of an answer given a state.
    radius
        The largest length of the states, as a root mean square over the class.
    kappa
        The weight of item memory relative to the rule; ``inf`` for facts.
    """

    model: AnswerModel
    radius: float
    kappa: float = 0.0


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
        The target, shape ``(dimensions,)``; with ``K`` answers that of a state, which has ``K - 1``
        vectors one after the other.
    at_first
        The assumptions at the start.
    attention, drift
        The probability that a student attends to an example, and the standard deviation by which
        each coordinate of a state drifts per round.
    guard
        Whether to look for students who guess: ``False``, ``True`` (any constant rate of yes), or
        ``"buttons"`` (one button, most of the time).
    revise_every
        The number of rounds after which the assumptions are estimated again; 0 for never.
    random_every
        Every n-th item is drawn at random; 0 for none.
    margin
        The score beyond which a student is certain enough; 2.17 ``sigma`` by default, 1 for facts.
    keys, options
        For more than two answers: the number of the right answer to each item, counted from 1, and
        the number of answers to each, shape ``(items,)``; empty if the answers are yes and no.
    easy
        How much easier each item is than its features say, in units of a score, shape ``(items,)``.
    skills, practice
        The skill of each item, counted from 0, empty for none, and how much a score grows with
        ``log(1 + n)`` for ``n`` right and for ``n`` wrong answers to items of the skill.
    usual
        The logarithm of each rate's prior probability at first.
    lapse
        The share of random answers at first, which ``at_first`` includes.
    on_map
        Whether the features place items on a map; otherwise they name the right answer.
    people
        Whether the answers come from people, who may learn otherwise than the quiz assumes.
    """

    xs: Floats
    signs: Floats
    target: Floats
    at_first: Assumed
    attention: float = 1.0
    drift: float = 0.0
    guard: bool | str = True
    revise_every: int = 5
    random_every: int = 3
    margin: float | None = None
    keys: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    options: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    easy: Floats = field(default_factory=lambda: np.zeros(0))
    skills: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    practice: tuple[float, float] = (0.0, 0.0)
    usual: Floats = field(default_factory=lambda: UNIFORM)
    lapse: float = 0.0
    on_map: bool = True
    people: bool = False

    @property
    def adds(self) -> bool:
        """Whether scores have known parts: item difficulty or practice."""
        return len(self.easy) > 0 or len(self.skills) > 0

    @cached_property
    def coverage(self) -> Coverage | None:
        """How similar the items are; ``None`` for facts, and for items that are not on a map."""
        if not self.on_map or math.isinf(self.at_first.kappa):
            return None
        return Coverage.of(self.xs * self.signs[:, None], self.labels * self.signs)

    @property
    def chooses(self) -> bool:
        """Whether students choose among several answers, instead of yes and no."""
        return len(self.keys) > 0

    @property
    def most_options(self) -> int:
        """The largest number of answers to an item."""
        return int(self.options.max(initial=2))

    @cached_property
    def labels(self) -> Floats:
        """The right answer to each item of ``xs``, shape ``(items,)``.

        +1 or -1, the sign of the target's score; or the number of the answer.
        """
        if self.chooses:
            return self.keys.astype(np.float64)
        labels: Floats = np.where(self.xs @ self.target >= 0, 1.0, -1.0)
        return labels

    def marks(self, item: int, answers: Floats) -> Floats:
        """Return +1 for each right answer to an item, -1 for each wrong one; 0 for none."""
        if self.chooses:
            return np.asarray(np.sign(answers) * np.where(answers == self.keys[item], 1.0, -1.0))
        return float(self.labels[item]) * answers

    @cached_property
    def constant(self) -> Ints:
        """The coordinates of a state that belong to features that are the same for all items.

        Such a coordinate is a preference for one answer, whatever the item.
        """
        plain = self.xs * self.signs[:, None]
        small = 1e-9 * np.abs(plain).max(initial=0.0)
        constant: Ints = np.flatnonzero(np.ptp(plain, axis=0) <= small)
        features, rows = plain.shape[1], self.most_options - 1 if self.chooses else 1
        every: Ints = np.add.outer(features * np.arange(rows), constant).ravel()
        return every


class Beliefs(NamedTuple):
    """The beliefs about a class, its prior, and beliefs without a preference for yes.

    ``honest`` is a small bank in which the constant features are known: it gives the probability of
    a student's answers if they read the questions. ``None`` if that is not needed.
    """

    bank: BeliefBank
    prior: ClassPrior
    honest: BeliefBank | None = None


def time_of(event: Event, rounds: int) -> float:
    """Return the time of an event in seconds; if it has none, ``SECONDS`` per round so far."""
    return rounds * SECONDS if event.at is None else event.at


def heard(
    bank: Bank,
    event: Asked,
    setup: Setup,
    model: AnswerModel,
    rounds: int = 0,
    *,
    rule: float = 1.0,
) -> Bank:
    """Return the beliefs after answers during the lesson, ``rounds`` examples into it.

    ``rule`` is the weight of the features in a score.
    """
    at = time_of(event, rounds)
    if bank.memory is not None and bank.memory.first is not None and len(event.items):
        memory = bank.memory.heard_first(event.items, _marks(event, setup))
        bank = replace(bank, memory=memory)
    for item, answers in zip(event.items.tolist(), event.answers.T, strict=True):
        label, extra = float(setup.labels[item]), known_scores(bank.practice, setup, [item])[:, 0]
        x = rule * setup.xs[item]
        bank = bank.heard(x, answers, model, item=item, label=label, at=at, extra=extra)
        if bank.practice is not None:
            practice = bank.practice.after(int(setup.skills[item]), setup.marks(item, answers))
            bank = replace(bank, practice=practice)
    return bank


def known_scores(practice: Practice | None, setup: Setup, items: Sequence[int] | Ints) -> Floats:
    """Return the part of scores that is known: item difficulty and practice.

    It is positive where a yes to ``setup.xs`` is more likely. Shape ``(students, items)``, or
    ``(1, items)`` without practice. With several answers, it is a part of the score of the right
    one.
    """
    numbers = np.asarray(items, dtype=np.int64)
    known = setup.easy[numbers] if len(setup.easy) else np.zeros(len(numbers))
    signs = 1.0 if setup.chooses else setup.labels[numbers]
    if practice is None:
        return np.atleast_2d(signs * known)
    known = known + practice.scores(setup.skills[numbers], *setup.practice)
    return np.asarray(signs * known)


def shown(bank: Bank, event: Shown, setup: Setup, rounds: int = 0) -> Bank:
    """Return the beliefs after an example, which comes after ``rounds`` others."""
    return bank.shown(
        event.x,
        event.y,
        attention=setup.attention,
        drift=setup.drift,
        items=event.items,
        at=time_of(event, rounds),
    )


def beliefs_after(
    log: Sequence[Event],
    setup: Setup,
    assumed: Assumed,
    usual: Floats,
    *,
    students: int,
    rates: Floats = RATES,
) -> Beliefs:
    """Return the beliefs after a lesson, computed from its beginning.

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
    if setup.chooses:
        beliefs = _before_choices(before, setup, assumed, usual, students=students, rates=rates)
        return _through(log[first:], beliefs, setup, assumed)
    prior = ClassPrior.round(len(setup.target), assumed.radius)
    belief, evidence = prior.belief(students), np.zeros(students)
    memory = None
    if assumed.kappa:
        memory = ItemMemory(assumed.kappa, students, len(rates), labels=setup.labels)
        memory = _with_first_answers(memory, before, setup, assumed)
    test, practice = None, _no_practice(setup, students)
    if before:
        items = np.concatenate([event.items for event in before])
        answers = np.concatenate([event.answers for event in before], axis=1)
        rule, model = setup.xs[items], assumed.model
        if memory is not None:
            rule, model = memory.rule * rule, model.widened(memory.own**2 * memory.variance)
        extra, practice = _known_before(items, answers, setup, practice)
        if memory is not None and memory.first is not None:
            expected = np.stack([memory.prior(item)[0][:, 0] for item in items.tolist()], axis=1)
            extra = expected if extra is None else extra + expected
        test = Pretest(rule, answers, setup.signs[items], extra)
        belief, evidence, prior, effects = test.posterior(model, prior, guard=setup.guard is True)
        if memory is not None:
            memory = memory.after_pretest(items, effects, answers)
    bank = BeliefBank.of(belief, evidence, usual, rates)
    beliefs = Beliefs(replace(bank, memory=memory, practice=practice), prior)
    if setup.guard == "buttons":
        honest = replace(_honest(setup, assumed, prior, belief, test), practice=practice)
        beliefs = beliefs._replace(honest=honest)
    return _through(log[first:], beliefs, setup, assumed)


def _with_first_answers(
    memory: Memory, before: Sequence[Asked], setup: Setup, assumed: Assumed
) -> Memory:
    """Return the memory with the first answers to facts, which come before the first example.

    It is the same if the items share a rule.
    """
    if not math.isinf(assumed.kappa):
        return memory
    memory = replace(memory, first=FirstAnswers.none(assumed.model, VARIANCE, memory.students))
    for event in before:
        memory = memory.heard_first(event.items, _marks(event, setup))
    return memory


def _marks(event: Asked, setup: Setup) -> Floats:
    """Return +1 for each right answer of an event, -1 for each wrong one; 0 for none."""
    pairs = zip(event.items.tolist(), event.answers.T, strict=True)
    return np.stack([setup.marks(item, answers) for item, answers in pairs], axis=1)


def _no_practice(setup: Setup, students: int) -> Practice | None:
    """Return the counts of answers per skill at the start; ``None`` if items have no skills."""
    if not len(setup.skills):
        return None
    return Practice.none(students, int(setup.skills.max()) + 1)


def _known_before(
    items: Ints, answers: Floats, setup: Setup, practice: Practice | None
) -> tuple[Floats | None, Practice | None]:
    """Return the known part of scores before the first example, and the practice afterwards.

    Each answer is practice for those that follow. Shape ``(students, items)``, like ``answers``.
    """
    if practice is None:
        if not len(setup.easy):
            return None, None
        return np.broadcast_to(known_scores(None, setup, items), answers.shape), None
    extra = np.empty(answers.shape)
    for place, item in enumerate(items.tolist()):
        extra[:, place] = known_scores(practice, setup, [item])[:, 0]
        marks = setup.marks(item, answers[:, place])
        practice = practice.after(int(setup.skills[item]), marks)
    return extra, practice


def _through(log: Sequence[Event], beliefs: Beliefs, setup: Setup, assumed: Assumed) -> Beliefs:
    """Return the beliefs after the events from the first example on."""
    rounds = 0
    for event in log:
        beliefs = after_event(beliefs, event, setup, assumed, rounds)
        rounds += isinstance(event, Shown)
    return beliefs


def after_event(
    beliefs: Beliefs, event: Event, setup: Setup, assumed: Assumed, rounds: int
) -> Beliefs:
    """Return the beliefs after one event of the lesson, ``rounds`` examples into it."""
    honest, rule = beliefs.honest, weights_of(assumed.kappa)[0]
    if isinstance(event, Asked):
        bank = heard(beliefs.bank, event, setup, assumed.model, rounds)
        if honest is not None:
            honest = heard(honest, event, setup, _wide(assumed), rounds, rule=rule)
    else:
        bank = shown(beliefs.bank, event, setup, rounds)
        if honest is not None:
            honest = shown(honest, replace(event, x=rule * event.x), setup, rounds)
    return beliefs._replace(bank=bank, honest=honest)


def _wide(assumed: Assumed) -> AnswerModel:
    """Return the answer model in which memory of single items counts as noise."""
    return assumed.model.widened(weights_of(assumed.kappa)[1] ** 2 * VARIANCE)


def _honest(
    setup: Setup, assumed: Assumed, prior: ClassPrior, belief: Belief, test: Pretest | None
) -> BeliefBank:
    """Return the bank of students without a preference for yes, for :class:`Beliefs`.

    It starts from the prior of the other students, and hears the answers to the pre-test ``test``.
    """
    start = _of_others(prior, belief, setup)
    evidence = np.zeros(len(belief.means))
    if test is not None:
        start, evidence = test.one_by_one(_wide(assumed), start)
    return BeliefBank.of(start, evidence, np.full(len(FEW), -np.log(len(FEW))), FEW)


def _of_others(prior: ClassPrior, belief: Belief, setup: Setup) -> Belief:
    """Return the prior of each student without their own answers and preferences."""
    students = len(belief.means)
    means = (prior.mean * (students + 1.0) - belief.means) / students
    means[:, setup.constant] = prior.mean[setup.constant]
    spread = prior.belief(students).covariances
    return without_preference(Belief(means, spread), setup, prior)


def without_preference(belief: Belief, setup: Setup, prior: ClassPrior) -> Belief:
    """Return beliefs without uncertainty along constant features, and about preferred answers."""
    if setup.chooses:
        belief = without_preferred_answer(belief, setup.xs, prior.mean)
    covariances = belief.covariances.copy()
    covariances[:, setup.constant, :] = covariances[:, :, setup.constant] = 0.0
    return Belief(belief.means, covariances)


def _before_choices(
    before: Sequence[Asked],
    setup: Setup,
    assumed: Assumed,
    usual: Floats,
    *,
    students: int,
    rates: Floats,
) -> Beliefs:
    """Return the beliefs before the first example about students who choose among answers."""
    most, model = setup.most_options, assumed.model
    memory = None
    if assumed.kappa:
        memory = ChoiceMemory(
            assumed.kappa, students, len(rates), labels=setup.labels, options=setup.options
        )
        memory = _with_first_answers(memory, before, setup, assumed)
    prior = choice_prior(setup.target, setup.constant, assumed.radius)
    start = ChoiceBank.starting(prior.belief(students), usual, rates, most, memory)
    asked = [(event.items, event.answers) for event in before]
    practice = first = _no_practice(setup, students)
    extra = None
    if before:
        items = np.concatenate([event.items for event in before])
        answers = np.concatenate([event.answers for event in before], axis=1)
        extra, practice = _known_before(items, answers, setup, first)
    bank, prior = before_lesson(
        setup.xs, setup.keys, start, asked, prior=prior, model=model, extra=extra
    )
    bank, honest = replace(bank, practice=practice), None
    if setup.guard == "buttons" and len(setup.target):
        found = Belief(bank.means[:, 0], bank.covariances[:, 0])
        others = _of_others(prior, found, setup)
        few = np.full(len(FEW), -np.log(len(FEW)))
        honest = replace(ChoiceBank.starting(others, few, FEW, most, None), practice=first)
        rule = weights_of(assumed.kappa)[0]
        for event in before:
            honest = heard(honest, event, setup, _wide(assumed), rule=rule)
    return Beliefs(bank, prior, honest)
