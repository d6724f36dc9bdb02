"""The beliefs about all students, the *bank*: one Gaussian per student and learning rate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from scipy.special import logsumexp

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.observers.quizzing.answer_step import AnswerModel, scores, with_answer
from homeroom.observers.quizzing.item_memory import VARIANCE, ItemMemory
from homeroom.observers.quizzing.practice import Practice
from homeroom.observers.quizzing.teach_step import Recall, after_example, item_after_example

RATES: Floats = np.concatenate([[0.0], np.geomspace(0.05, 0.9, 8)])
"""The learning rates of a bank: zero for students who do not learn, the others log-spaced."""

RATE_ERROR = 0.3
"""The relative error of a rate of the bank, a little more than half the distance to the next one.

Without it beliefs become too narrow: after six rounds, regions of 90 % contained 86 % of the
students instead of 92 % (five dimensions, five answers per round, twelve classes).
"""

PIECE = 2**16
"""The number of floats of the bank that are computed at a time."""

UNIFORM: Floats = np.full(len(RATES), -np.log(len(RATES)))
"""The log-probabilities of ``RATES`` if all are equally likely."""


def log_prior_of_rates(mean: float, deviation: float) -> Floats:
    """Return log-probabilities of ``RATES`` with this mean and standard deviation.

    Of all such distributions, the one with the largest entropy: ``p ~ exp(a eta + b eta^2)``, by
    Newton's method.

    >>> p = np.exp(log_prior_of_rates(0.193, 0.257))
    >>> p.round(2).tolist()
    [0.21, 0.16, 0.15, 0.12, 0.1, 0.07, 0.05, 0.05, 0.08]
    """
    powers = np.stack([RATES, RATES**2])
    wanted = np.array([mean, deviation**2 + mean**2])
    slopes = np.zeros(2)
    for _ in range(100):
        found = slopes @ powers
        found = found - logsumexp(found)
        chance = np.exp(found)
        off = powers @ chance - wanted
        if np.abs(off).max() < 1e-12:
            return found
        apart = powers - (powers @ chance)[:, None]
        step = np.linalg.solve((chance * apart) @ apart.T + 1e-12 * np.eye(2), off)
        slopes = slopes - step / max(1.0, float(np.abs(step).max()) / 20.0)
    raise InputError(
        f"No learning rates from 0 to {RATES[-1]:g} have the mean {mean:g} and the standard "
        f"deviation {deviation:g}. Try (0.2, 0.25)."
    )


class Belief(NamedTuple):
    """One Gaussian per student.

    Shapes ``(students, dimensions)`` and ``(students, dimensions, dimensions)``.
    """

    means: Floats
    covariances: Floats

    def scores(self, xs: Floats) -> tuple[Floats, Floats]:
        """Return mean and variance of each score ``<w, x>``, shapes ``(students, items)``."""
        variances: Floats = ((self.covariances @ xs.T) * xs.T).sum(axis=1)
        return self.means @ xs.T, variances


@dataclass(frozen=True, eq=False)
class BeliefBank:
    """A Gaussian for each student and each rate, and how well it predicted the answers.

    Parameters
    ----------
    means
        Shape ``(students, rates, dimensions)``.
    covariances
        Shape ``(students, rates, dimensions, dimensions)``.
    evidence
        The log-probability of all answers so far, shape ``(students, rates)``.
    usual
        The logarithm of each rate's prior probability in this class, shape ``(rates,)``.
    rates
        The rates.
    memory
        What is remembered about single items; ``None`` if only the rule counts, which is the part
        of a score that follows from an item's features.
    practice
        How often each student was right and wrong on each skill; ``None`` if that does not count.
    """

    means: Floats
    covariances: Floats
    evidence: Floats
    usual: Floats
    rates: Floats = field(default_factory=lambda: RATES)
    memory: ItemMemory | None = None
    practice: Practice | None = None

    @property
    def least(self) -> int:
        """The smallest number of students in a piece of work, see ``PIECE``."""
        return 1

    @classmethod
    def of(
        cls, belief: Belief, evidence: Floats, usual: Floats = UNIFORM, rates: Floats = RATES
    ) -> Self:
        """Return the bank with the same belief and evidence at each rate."""
        count = len(rates)
        return cls(
            np.repeat(belief.means[:, None], count, axis=1),
            np.repeat(belief.covariances[:, None], count, axis=1),
            np.repeat(evidence[:, None], count, axis=1),
            usual,
            rates,
        )

    def heard(
        self,
        x: Floats,
        answers: Floats,
        model: AnswerModel,
        *,
        item: int | None = None,
        label: float = 1.0,
        at: float = 0.0,
        extra: float | Floats = 0.0,
    ) -> Self:
        """Return the bank after answers (+1, -1, or 0 for none) to an item.

        Parameters
        ----------
        x
            One item for all students, or one each, shape ``(students, dimensions)``.
        answers
            Shape ``(students,)``.
        model
            How states become answers.
        item, label, at
            The item's number, its right answer, and the seconds so far, if students remember items.
        extra
            A part of each score that is known: the item's difficulty, and practice. One number, or
            one per student.
        """
        known = np.broadcast_to(extra, answers.shape)[:, None]
        memory, recalled = self.memory, None
        if memory is not None and item is not None:
            items = np.where(answers != 0, item, -1)
            recalled, x = Recall(*memory.of_each(items, at)), memory.rule * x

        def piece(rows: slice) -> tuple[Floats, ...]:
            """Return new means, new covariances, and the effect of the answers of some students."""
            means, covariances, said = with_answer(
                self.means[rows],
                self.covariances[rows],
                _own(x, rows),
                answers[rows, None],
                model,
                more=_plus(known[rows], _more(recalled, memory, rows)),
            )
            return means, covariances, said.evidence, said.pull, said.shrink

        means, covariances, evidence, pull, shrink = self._in_pieces(piece)
        if memory is not None and recalled is not None:
            across = memory.own * recalled.variances
            memory = memory.stored(
                items,
                recalled.means + pull * across,
                recalled.variances - shrink * across * across,
                at,
                success=answers * label > 0,
            )
        return replace(
            self,
            means=means,
            covariances=covariances,
            evidence=self.evidence + evidence,
            memory=memory,
        )

    def shown(
        self,
        x: Floats,
        y: float | Floats,
        *,
        attention: float,
        drift: float,
        items: int | Ints | None = None,
        at: float = 0.0,
    ) -> Self:
        """Return the bank after one example for all students, or one each.

        The example is ``x`` with the label ``y``, shapes ``(dimensions,)`` and ``()``; or
        ``(students, dimensions)`` and ``(students,)``. ``attention`` is the probability that a
        student attends to it, ``drift`` the standard deviation of a random change of each
        coordinate. ``items`` and ``at`` are the item's number (or one per student, -1 for none) and
        the time in seconds, if students remember items.
        """
        memory, recalled = self.memory, None
        if memory is not None and items is not None:
            each: Ints = np.broadcast_to(np.asarray(items, dtype=np.int64), (len(self.means),))
            recalled, x = Recall(*memory.of_each(each, at)), memory.rule * x
        ys = y if np.ndim(y) == 0 else np.asarray(y)[:, None]

        def piece(rows: slice) -> tuple[Floats, ...]:
            """Return new means and covariances of some students."""
            return after_example(
                self.means[rows],
                self.covariances[rows],
                self.rates,
                _own(x, rows),
                ys if np.ndim(ys) == 0 else np.asarray(ys)[rows],
                attention=attention,
                drift=drift,
                rate_error=RATE_ERROR,
                more=_more(recalled, memory, rows),
            )

        means, covariances = self._in_pieces(piece)
        if memory is not None and recalled is not None:
            mean, variance, _ = scores(self.means, self.covariances, _own(x, slice(None)))
            more = _more(recalled, memory, slice(None))
            taught = item_after_example(
                recalled,
                Recall(mean + more[0], variance + more[1]),
                self.rates,
                ys,
                memory.own,
                attention=attention,
                rate_error=RATE_ERROR,
            )
            memory = memory.stored(each, *taught, at)
        return replace(self, means=means, covariances=covariances, memory=memory)

    def _in_pieces(self, work: Callable[[slice], tuple[Floats, ...]]) -> tuple[Floats, ...]:
        """Return the arrays that ``work`` computes, for a few students at a time.

        Temporary arrays then have ``PIECE`` floats and fit into the cache.
        """
        size = max(self.least, PIECE * len(self.means) // max(1, self.covariances.size))
        pieces = [slice(at, at + size) for at in range(0, len(self.means), size)]
        if len(pieces) == 1:
            return work(pieces[0])
        done = tuple(np.empty((len(self.means), *part.shape[1:])) for part in work(slice(1)))
        for rows in pieces:
            for whole, part in zip(done, work(rows), strict=True):
                whole[rows] = part
        return done

    def scores(self, xs: Floats, items: Ints | None, at: float) -> tuple[Floats, Floats]:
        """Return means and variances of the scores of items, ``(students, rates, items)``.

        ``items`` are their numbers; with ``None`` they are new to the students.

        Cost: O(students * rates * items * dimensions^2), as one matrix product.
        """
        rows, columns = np.triu_indices(xs.shape[1])
        twice = np.where(rows == columns, 1.0, 2.0)  # the covariances are symmetric
        outer = twice * xs[:, rows] * xs[:, columns]
        flat = self.covariances[..., rows, columns]
        means, variances = self.means @ xs.T, np.maximum(flat @ outer.T, 0.0)
        memory = self.memory
        if memory is None:
            return means, variances
        if items is None:
            own, spread = np.zeros(1), np.full(1, VARIANCE)
        else:
            own, spread = memory.of_items(items, at)
        rule, weight = memory.rule, memory.own
        return rule * means + weight * own, rule**2 * variances + weight**2 * spread

    def of_students(self, rows: Ints) -> Self:
        """Return the beliefs about some of the students."""
        return replace(
            self,
            means=self.means[rows],
            covariances=self.covariances[rows],
            evidence=self.evidence[rows],
            memory=None if self.memory is None else self.memory.of_students(rows),
            practice=None if self.practice is None else self.practice.of_students(rows),
        )

    def with_newcomers(self, belief: Belief) -> Self:
        """Return the beliefs with rows for new students, who have not answered anything."""
        new = BeliefBank.of(belief, np.zeros(len(belief.means)), self.usual, self.rates)
        more, practice = len(new.means), self.practice
        return replace(
            self,
            means=np.concatenate([self.means, new.means]),
            covariances=np.concatenate([self.covariances, new.covariances]),
            evidence=np.concatenate([self.evidence, new.evidence]),
            memory=None if self.memory is None else self.memory.with_newcomers(more),
            practice=None if practice is None else practice.with_newcomers(more),
        )

    @cached_property
    def weights(self) -> Floats:
        """The posterior probability of each student's rates, shape ``(students, rates)``."""
        joint = self.usual + self.evidence
        weights: Floats = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        return weights

    @property
    def total_evidence(self) -> Floats:
        """The log-probability of each student's answers, with the rate integrated out."""
        total: Floats = logsumexp(self.usual + self.evidence, axis=1)
        return total

    @cached_property
    def belief(self) -> Belief:
        """The belief about each student with the rate integrated out (mean and covariance)."""
        means = (self.weights[:, None, :] @ self.means)[:, 0]
        apart = self.means - means[:, None]
        between = np.swapaxes(self.weights[..., None] * apart, 1, 2) @ apart
        return Belief(means, between + self.mixed(self.weights))

    def mixed(self, weights: Floats) -> Floats:
        """Return each student's covariances, summed with weights for the rates."""
        students, dimensions = len(self.means), self.means.shape[-1]
        flat = self.covariances.reshape(students, len(self.rates), -1)
        return (weights[:, None, :] @ flat).reshape(students, dimensions, dimensions)

    def second_moment(self, target: Floats, weights: Floats) -> Floats:
        """Return ``sum over students and rates of weight (ee' + V)``.

        ``e`` is the gap to the target, ``V`` the covariance. ``weights``: ``(students, rates)``.
        Cost: O(students * rates * dimensions^2).
        """
        dimensions = len(target)
        gaps = (self.means - target).reshape(-1, dimensions)
        flat = weights.reshape(-1)
        spread = flat @ self.covariances.reshape(len(flat), -1)
        matrix: Floats = (flat[:, None] * gaps).T @ gaps + spread.reshape(dimensions, dimensions)
        return 0.5 * (matrix + matrix.T)

    def with_usual_rates(self, honesty: Floats, at_first: Floats = UNIFORM) -> Self:
        """Return the bank with the prior of the rates estimated from the class again (EM).

        ``honesty`` is the weight of each student. The log-prior ``at_first`` counts as much as one
        student per rate.
        """
        bank = self
        for _ in range(RATE_PASSES):
            counts = honesty @ bank.weights + len(at_first) * np.exp(at_first)
            bank = replace(bank, usual=np.log(counts / counts.sum()))
        return bank


RATE_PASSES = 5
"""The number of EM passes for the prior of the rates."""


def _more(
    recalled: Recall | None, memory: ItemMemory | None, rows: slice
) -> tuple[float | Floats, float | Floats]:
    """Return mean and variance of the part of the score that is remembered about the item."""
    if recalled is None or memory is None:
        return 0.0, 0.0
    return memory.own * recalled.means[rows], memory.own**2 * recalled.variances[rows]


def _plus(
    known: Floats, more: tuple[float | Floats, float | Floats]
) -> tuple[float | Floats, float | Floats]:
    """Return mean and variance of a further part of the score, plus a known number."""
    return known + more[0], more[1]


def _own(x: Floats, rows: slice) -> Floats:
    """Return one item for all students as it is, or the items of some, with an axis for rates."""
    return x if x.ndim == 1 else x[rows, None, :]
