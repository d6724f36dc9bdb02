"""What students remember about single items, beyond the rule that the items share.

Item ``i`` has the features ``[x_i ; kappa onehot_i] / sqrt(1 + kappa^2)``. So a student's score is

    s = rule <w, x_i> + own u_i,      rule = 1 / sqrt(1 + kappa^2),  own = kappa rule

where ``u_i`` is what they remember about the item itself, with prior variance 1. ``kappa = 0`` is a
rule without memory, ``kappa = inf`` a list of facts that share no rule. The beliefs about ``u`` are
independent Gaussians, so an answer or an example changes two numbers per student and rate: the mean
and the variance ``v``, which is ``v0`` at first.

Memory fades by a power law. ``D`` seconds after an item was last asked or shown, with stability
``S``, ``rho = (1 + D / S)^-c``: the distance of the mean from the prior mean is multiplied by
``rho``, and the variance becomes ``rho^2 v + (1 - rho^2) v0``. Power laws do not compose, so this
is stored only when the item is asked or shown; everything else reads the belief as it is now.

Facts that a student has not met have a prior mean that follows from the student's first answers to
other facts: :mod:`~homeroom.observers.quizzing.first_answers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom.learners.item_memory import GAP, Forgetting, weights_of
from homeroom.observers.quizzing.answer_step import AnswerEffect
from homeroom.observers.quizzing.first_answers import FirstAnswers

VARIANCE = 1.0
"""The prior variance of what a student remembers about an item."""


class ItemBelief(NamedTuple):
    """The beliefs about one item: means and variances, ``(students, rates)``.

    ``last`` is the time at which each student was last asked or shown it (NaN: never),
    ``stability`` how slowly they forget it, and ``lead`` the lead of the right answer that was
    expected of new facts when this was stored, shape ``(students,)`` each.
    """

    means: Floats
    variances: Floats
    last: Floats
    stability: Floats
    lead: Floats


@dataclass(frozen=True, eq=False)
class ItemMemory:
    """The beliefs about what each student remembers about each item.

    Parameters
    ----------
    kappa
        The weight of memory relative to the rule; ``inf`` for facts.
    students, rates
        The number of students and of rates.
    traces
        The items that were asked or shown, by number; all others are as before the lesson.
    forgetting
        How memory fades.
    labels
        The right answer to each item, for facts: +1 or -1, or its number, shape ``(items,)``.
    first
        The first answers to facts; ``None`` if the items share a rule.
    """

    kappa: float
    students: int
    rates: int
    traces: Mapping[int, ItemBelief] = field(default_factory=dict)
    forgetting: Forgetting = Forgetting()
    labels: Floats = field(default_factory=lambda: np.zeros(0))
    first: FirstAnswers | None = None

    @property
    def rule(self) -> float:
        """The weight of the rule in a score."""
        return weights_of(self.kappa)[0]

    @property
    def own(self) -> float:
        """The weight of an item's own memory in a score."""
        return weights_of(self.kappa)[1]

    def trace(self, item: int) -> ItemBelief:
        """Return the beliefs about an item as they were stored last; the prior if never.

        First answers to other facts change what is expected of a fact, as far as it is uncertain.
        """
        if item not in self.traces:
            return ItemBelief(
                *self.prior(item),
                np.full(self.students, np.nan),
                np.full(self.students, self.forgetting.stability),
                self.lead(item),
            )
        trace = self.traces[item]
        if self.first is None:
            return trace
        lead, new = self.lead(item), np.isnan(trace.last)
        uncertain, variances = _uncertain(trace, self.variance), trace.variances
        means = trace.means + uncertain * self.toward_right(item, lead - trace.lead)
        if new.any():
            means = np.where(_column(new, means), self.toward_right(item, lead), means)
            variances = np.where(_column(new, variances), self.variance, variances)
        return trace._replace(means=means, variances=variances, lead=lead)

    def lead(self, item: int) -> Floats:
        """Return the expected lead of the right answer if a fact is new, shape ``(students,)``."""
        if self.first is None:
            return np.zeros(self.students)
        return self.first.levels(self.options_of(item))

    def toward_right(self, item: int, lead: Floats) -> Floats:
        """Return means in which the right answer to an item has this lead, ``(students, 1)``."""
        means: Floats = (self.labels[item] * lead)[:, None]
        return means

    def is_new(self, item: int) -> npt.NDArray[np.bool_]:
        """Return who was never asked or shown an item, shape ``(students,)``."""
        if item not in self.traces:
            return np.ones(self.students, dtype=bool)
        return np.isnan(self.traces[item].last)

    def heard_first(self, items: Ints, marks: Floats) -> Self:
        """Return the memory after answers to facts: +1 for right, -1 for wrong, 0 for none.

        ``marks`` has the shape ``(students, items)``. Call it before the answers are stored: only
        those of students to whom a fact is new count.
        """
        if self.first is None:
            return self
        new = np.stack([self.is_new(item) for item in items.tolist()], axis=1)
        options = np.array([self.options_of(item) for item in items.tolist()])
        first = self.first.after(items, np.where(new, marks, 0.0), options)
        return replace(self, first=first)

    def options_of(self, _item: int) -> int:
        """Return the number of answers to an item."""
        return 2

    @property
    def variance(self) -> float:
        """The prior variance of what is remembered."""
        return VARIANCE if self.first is None else self.first.variance

    def prior(self, item: int) -> tuple[Floats, Floats]:
        """Return means and variances of an item that was never asked or shown."""
        shape = self.students, self.rates
        means = np.zeros(shape)
        if self.first is not None:
            means += self.toward_right(item, self.lead(item))
        return means, np.full(shape, self.variance)

    def now(self, item: int, at: float) -> ItemBelief:
        """Return the beliefs about an item, faded until the time ``at``, in seconds."""
        trace = self.trace(item)
        since = np.where(np.isnan(trace.last), 0.0, np.maximum(at - trace.last, 0.0))
        rho = _column(self.forgetting.kept(since, trace.stability), trace.means)
        variances = self.variance + rho * rho * (trace.variances - self.variance)
        if self.first is None:
            return trace._replace(means=rho * trace.means, variances=variances)
        prior = self.toward_right(item, trace.lead)
        return trace._replace(means=prior + rho * (trace.means - prior), variances=variances)

    def of_items(self, items: Ints, at: float) -> tuple[Floats, Floats]:
        """Return means and variances for some items now, ``(students, rates, items)``.

        Cost: O(students * rates * items).
        """
        means = np.zeros((self.students, self.rates, len(items)))
        variances = np.full(means.shape, self.variance)
        for place, item in enumerate(items.tolist()):
            if item in self.traces or self.first is not None:
                trace = self.now(item, at)
                means[..., place], variances[..., place] = trace.means, trace.variances
        return means, variances

    def of_each(self, items: Ints, at: float) -> tuple[Floats, Floats]:
        """Return means and variances of one item per student (-1: none), ``(students, rates)``.

        All of them have the same number of answers.
        """
        first = int(items[0]) if len(items) else -1
        if first >= 0 and (items == first).all():
            trace = self.now(first, at)
            return trace.means, trace.variances
        means, variances = self.prior(int(items.max(initial=0)))
        for item in np.unique(items[items >= 0]).tolist():
            rows, trace = items == item, self.now(item, at)
            means[rows], variances[rows] = trace.means[rows], trace.variances[rows]
        return means, variances

    def stored(
        self,
        items: Ints,
        means: Floats,
        variances: Floats,
        at: float,
        success: npt.NDArray[np.bool_] | None = None,
    ) -> Self:
        """Return the memory with new beliefs about one item per student (-1: none).

        Where ``success`` holds and some time has passed, the stability is doubled.
        """
        traces = dict(self.traces)
        for item in np.unique(items[items >= 0]).tolist():
            rows, old = items == item, self.trace(item)
            stability = old.stability
            if success is not None:
                spaced = rows & success & (at - old.last > GAP * stability)  # NaN: not spaced
                stability = np.where(spaced, 2.0 * stability, stability)
            if rows.all():
                last = np.full(len(rows), at)
                traces[item] = ItemBelief(means, variances, last, stability, old.lead)
                continue
            traces[item] = ItemBelief(
                np.where(_column(rows, means), means, old.means),
                np.where(_column(rows, variances), variances, old.variances),
                np.where(rows, at, old.last),
                stability,
                old.lead,
            )
        return replace(self, traces=traces)

    def after_pretest(self, items: Ints, effect: AnswerEffect, answers: Floats) -> Self:
        """Return the memory after answers before the first example.

        ``effect`` is the effect of each answer on the belief, given all other answers.
        ``effect`` and ``answers`` have shape ``(students, items)``; all times are zero.
        """
        memory = self
        for place, item in enumerate(items.tolist()):
            before = memory.trace(item)
            across = memory.own * before.variances
            asked = np.where(answers[:, place] != 0, item, -1)
            means = before.means + effect.pull[:, [place]] * across
            variances = before.variances - effect.shrink[:, [place]] * across**2
            memory = memory.stored(asked, means, variances, 0.0)
        return memory

    def of_students(self, rows: Ints) -> Self:
        """Return the memory of some of the students."""
        traces = {
            item: ItemBelief(*(values[rows] for values in trace))
            for item, trace in self.traces.items()
        }
        first = None if self.first is None else self.first.of_students(rows)
        return replace(self, students=len(rows), traces=traces, first=first)

    def with_newcomers(self, count: int) -> Self:
        """Return the memory with rows for students who have seen nothing yet."""
        new = replace(self, students=count, traces={}, first=None)
        traces = {
            item: ItemBelief(
                *(np.concatenate(pair) for pair in zip(trace, new.trace(item), strict=True))
            )
            for item, trace in self.traces.items()
        }
        first = None if self.first is None else self.first.with_newcomers(count)
        return replace(self, students=self.students + count, traces=traces, first=first)


def _column(values: npt.NDArray[Any], like: Floats) -> npt.NDArray[Any]:
    """Return a number per student, shape ``(students, 1, ...)``, to broadcast with ``like``."""
    return values.reshape(-1, *(1,) * (like.ndim - 1))


def _uncertain(trace: ItemBelief, variance: float) -> Floats:
    """Return how uncertain an item still is, as a fraction of the prior's ``variance``, at most 1.

    Shape ``(students, rates)``, or with a last axis of length 1 if there are several answers.
    """
    left = trace.variances
    if left.ndim > 2:
        left = left.mean(axis=-1, keepdims=True)
    return np.asarray(np.clip(left / variance, 0.0, 1.0))
