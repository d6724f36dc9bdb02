"""The beliefs about students who choose among several answers.

As for two answers, there is one Gaussian per student and learning rate. A student's state is the
matrix ``Z`` of :mod:`~homeroom.observers.quizzing.choice_step`, row after row. With ``K`` answers
and orthonormal contrasts ``B``, shape ``(K, K - 1)``, an item ``x`` has the scores ``B Z x``, and
their contrasts are ``Z x``. ``(x)`` is the Kronecker product.

An example moves each row of ``Z`` by a gradient step on the squared loss,
``Z <- Z - eta (Z x - y) x'``, where the label is ``y = B' onehot``: the scores ``onehot - 1 / K``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.beliefs import RATE_ERROR, Belief, BeliefBank
from homeroom.observers.quizzing.choice_posterior import ChosenAnswerEffect, choice_effect
from homeroom.observers.quizzing.choice_step import SHARP, answer_chances, contrasts
from homeroom.observers.quizzing.item_memory import ItemBelief, ItemMemory
from homeroom.observers.quizzing.pretest import ClassPrior

PASSES = 3
"""The number of EM passes over the answers to the pre-test."""

BUTTON = 0.5
"""The standard deviation of the preference for each answer, whatever the item, in logits."""

FARTHEST = 1e4
"""The largest number in a state. A learning rate that leads to a larger one is ruled out."""

LEAST_EVIDENCE = -87.0
"""The log-probability of an impossible event, in single precision."""

ABILITY = 1.0 / 9.0
"""The further variance of states along the target, as a fraction of their mean squared length.

Some students are better than others at everything.
"""


@dataclass(frozen=True, eq=False)
class ChoiceMemory(ItemMemory):
    """What students remember about items with several answers.

    For each student, rate and item there are the means ``u`` of ``K - 1`` contrasts, and ``K``
    numbers ``a`` such that ``B' diag(a) B`` is the covariance of the contrasts. In this class and
    below, these ``a`` are the "variances" of an item.

    Parameters
    ----------
    options
        The number of answers to each item, shape ``(items,)``.
    """

    options: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def variance(self) -> float:
        """The prior variance of each answer: a difference of two answers has twice as much."""
        return 0.5 * super().variance

    def prior(self, item: int) -> tuple[Floats, Floats]:
        shape, options = (self.students, self.rates), self.options_of(item)
        means = np.zeros((*shape, options - 1))
        if self.first is not None:
            means += self.toward_right(item, self.lead(item))
        return means, np.full((*shape, options), self.variance)

    def toward_right(self, item: int, lead: Floats) -> Floats:
        right: Floats = contrasts(self.options_of(item))[int(self.labels[item]) - 1]
        return lead[:, None, None] * right

    def options_of(self, item: int) -> int:
        return int(self.options[item])

    def heard(
        self,
        items: Ints,
        before: tuple[Floats, Floats],
        said: ChosenAnswerEffect,
        at: float,
        right: Ints,
    ) -> Self:
        """Return the memory after answers to an item.

        ``items`` has its number for students who answered, -1 for the others; ``before`` are means
        and variances, ``said`` is the effect of the answers, ``right`` is 1 for right ones, else 0.
        """
        means, covariance = before[0], covariance_of(before[1])
        across = self.own * covariance
        means = means + _times(across, said.pull)
        covariance = covariance - across @ said.shrink @ across
        return self.stored(items, means, diagonal_of(covariance), at, success=right > 0)

    def taught(
        self, item: int, who: Ints, found: tuple[Floats, Floats], at: float, *, attention: float
    ) -> Self:
        """Return the memory after some students, ``who``, were shown an item.

        ``found`` are means and variances if they attended to it, with probability ``attention``.
        """
        now, (means, variances) = self.now(item, at), found
        new_means, new_variances = now.means.copy(), now.variances.copy()
        moves = means - now.means[who]
        new_means[who] += attention * moves
        apart = attention * (1.0 - attention) * (moves @ contrasts(variances.shape[-1]).T) ** 2
        new_variances[who] += attention * (variances - now.variances[who]) + apart
        items = np.full(self.students, -1)
        items[who] = item
        return self.stored(items, new_means, new_variances, at)


def covariance_of(diagonal: Floats) -> Floats:
    """Return ``B' diag(a) B``, shape ``(..., K - 1, K - 1)``."""
    basis = contrasts(diagonal.shape[-1])
    covariance: Floats = diagonal @ _products(basis)
    return covariance.reshape(*diagonal.shape[:-1], *basis.T.shape[:1] * 2)


def _products(basis: Floats) -> Floats:
    """Return the products of each answer's contrasts, shape ``(K, (K - 1)^2)``."""
    products: Floats = (basis[:, :, None] * basis[:, None]).reshape(len(basis), -1)
    return products


def _times(matrices: Floats, vectors: Floats) -> Floats:
    """Return the product of each matrix with its vector."""
    products: Floats = (matrices @ vectors[..., None])[..., 0]
    return products


def diagonal_of(covariance: Floats) -> Floats:
    """Return ``a`` such that the scores ``B u`` have the same variances under ``B' diag(a) B``.

    With ``P = I - 1/K``, the variances are ``diag(P diag(a) P) = a (1 - 2/K) + sum(a) / K^2``.

    >>> diagonal_of(covariance_of(np.array([0.1, 0.2, 0.4]))).round(6)
    array([0.1, 0.2, 0.4])
    """
    options = covariance.shape[-1] + 1
    basis = contrasts(options)
    variances = covariance.reshape(*covariance.shape[:-2], -1) @ _products(basis).T
    total = variances.sum(axis=-1, keepdims=True) / (1.0 - 1.0 / options)
    if options == 2:
        return np.repeat(0.5 * np.maximum(total, 0.0), 2, axis=-1)
    apart: Floats = (variances - total / options**2) / (1.0 - 2.0 / options)
    return np.maximum(apart, 1e-9)


@dataclass(frozen=True, eq=False)
class ChoiceBank(BeliefBank):
    """A Gaussian for each student and each rate, for students who choose among several answers.

    Parameters
    ----------
    means, covariances
        As for two answers; a state has ``(options - 1) * features`` numbers, none for facts.
    options
        The number of answers of the rule.
    """

    options: int = 2

    @property
    def least(self) -> int:
        """The smallest number of students at a time: each step has many small operations."""
        return 100

    @property
    def rows(self) -> int:
        """The number of state vectors per student: contrasts of answers."""
        return self.options - 1

    @classmethod
    def starting(
        cls, belief: Belief, usual: Floats, rates: Floats, options: int, memory: ItemMemory | None
    ) -> ChoiceBank:
        """Return the bank of students who have not answered yet."""
        evidence = np.zeros(len(belief.means))
        bank = super().of(belief, evidence, usual, rates)
        return replace(bank, options=options, memory=memory)

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
        """Return the bank after answers (1, 2, ..., or 0 for none) to an item.

        ``label`` is the number of the right answer, ``extra`` a known part of its score.
        """
        who = np.flatnonzero(answers)
        if 2 * len(who) < len(answers):
            known = np.broadcast_to(extra, answers.shape)
            return self._heard_by(
                who, x, answers, model, item=item, label=label, at=at, extra=known
            )
        known = np.broadcast_to(extra, answers.shape)[:, None, None]
        memory, recalled = self.memory, None
        assert memory is None or isinstance(memory, ChoiceMemory)
        if memory is not None and item is not None:
            items = np.where(answers != 0, item, -1)
            now = memory.now(item, at)
            recalled, x = (now.means, now.variances), memory.rule * x
        given = answers.astype(np.int64)[:, None]

        def piece(rows: slice) -> tuple[Floats, ...]:
            """Return new means, new covariances, and the effect of the answers of some students."""
            mean, covariance, across = self._contrasts(x, rows, item)
            mean = mean + known[rows] * contrasts(mean.shape[-1] + 1)[int(label) - 1]
            if recalled is not None and memory is not None:
                mean = mean + memory.own * recalled[0][rows]
                covariance = covariance + memory.own**2 * covariance_of(recalled[1][rows])
            said = choice_effect(mean, covariance, given[rows], model)
            shrunk = across @ said.shrink @ np.swapaxes(across, -1, -2)
            return (
                self.means[rows] + _times(across, said.pull),
                np.subtract(self.covariances[rows], shrunk, out=shrunk),
                said.evidence,
                said.pull,
                said.shrink,
            )

        means, covariances, evidence, pull, shrink = self._in_pieces(piece)
        if memory is not None and recalled is not None:
            said = ChosenAnswerEffect(pull, shrink, evidence)
            memory = memory.heard(items, recalled, said, at, (answers == label).astype(np.int64))
        return replace(
            self,
            means=means,
            covariances=covariances,
            evidence=self.evidence + evidence,
            memory=memory,
        )

    def _heard_by(
        self,
        who: Ints,
        x: Floats,
        answers: Floats,
        model: AnswerModel,
        *,
        item: int | None,
        label: float,
        at: float,
        extra: Floats,
    ) -> Self:
        """Return the bank after the answers of few students: the others are not computed."""
        if not len(who):
            return self
        memory = self.memory
        if memory is not None and item is not None:
            memory = replace(memory, traces={item: memory.trace(item)})
        part = replace(self, memory=memory).of_students(who)
        part = part.heard(x, answers[who], model, item=item, label=label, at=at, extra=extra[who])
        found = [array.copy() for array in (self.means, self.covariances, self.evidence)]
        new = part.means, part.covariances, part.evidence
        for whole, some in zip(found, new, strict=True):
            whole[who] = some
        if self.memory is not None and memory is not None and item is not None:
            assert part.memory is not None
            trace = [array.copy() for array in memory.traces[item]]
            for whole, some in zip(trace, part.memory.traces[item], strict=True):
                whole[who] = some
            traces = {**self.memory.traces, item: ItemBelief(*trace)}
            memory = replace(self.memory, traces=traces)
        means, covariances, evidence = found
        return replace(self, means=means, covariances=covariances, evidence=evidence, memory=memory)

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
        """Return the bank after an item was shown with its right answer, or one to each student.

        ``y`` is the number of the right answer, 1, 2, ..., or 0 for a student who was shown none;
        or the scores of all answers that are taught, in a further axis.
        """
        students, memory = len(self.means), self.memory
        assert memory is None or isinstance(memory, ChoiceMemory)
        numbers: Ints = np.full(students, -1)
        if memory is not None and items is not None:
            seen = np.any(y, axis=-1) if np.ndim(y) == x.ndim else np.not_equal(y, 0)
            numbers[:] = np.where(seen, np.asarray(items, dtype=np.int64), -1)
            x = memory.rule * x
        bank, found = self, memory
        if self.means.shape[-1]:
            wanted = _wanted(y, x, students, self.options)
            bank = self._rule_shown(x, wanted, numbers, at, attention=attention, drift=drift)
        for item in np.unique(numbers[numbers >= 0]).tolist():
            assert memory is not None
            assert found is not None
            who = np.flatnonzero(numbers == item)
            wanted = _wanted(y, x, students, int(memory.options[item]))
            new = self._item_shown(memory, x, wanted, item, who, at=at)
            found = found.taught(item, who, new, at, attention=attention)
        return replace(bank, memory=found)

    def answer_chances(
        self,
        x: Floats,
        model: AnswerModel,
        item: int,
        at: float,
        *,
        label: int = 1,
        extra: float | Floats = 0.0,
    ) -> Floats:
        """Return each student's chance of each answer to an item, shape ``(students, answers)``.

        ``extra`` is a known part of the score of the right answer, whose number is ``label``.
        """
        mean, covariance = self._item_contrasts(x, item, at, label, extra)
        chances = answer_chances(mean, covariance, model)
        return np.asarray(np.einsum("jk,jkc->jc", self.weights, chances))

    def chances_right(
        self,
        x: Floats,
        model: AnswerModel,
        item: int,
        at: float,
        *,
        label: int,
        extra: float | Floats = 0.0,
    ) -> Floats:
        """Return each student's chance of a right answer to an item, shape ``(students,)``.

        Within about 0.01 of :meth:`answer_chances`, and quicker. With the mean ``m_c`` and the
        variance ``v_c`` of the lead of the right answer over answer ``c``, it is
        ``1 / (1 + sum_c exp(-1.702 m_c / sqrt(sigma^2 + v_c)))``.
        """
        mean, covariance = self._item_contrasts(x, item, at, label, extra)
        options, lapse = mean.shape[-1] + 1, model.guess + model.slip
        basis = contrasts(options)
        apart = basis[label - 1] - np.delete(basis, label - 1, axis=0)
        variances = ((apart @ covariance) * apart).sum(axis=-1)
        leads = mean @ apart.T / np.sqrt(model.sigma**2 + variances)
        right = 1.0 / (1.0 + np.exp(np.minimum(-SHARP * leads, 80.0)).sum(axis=-1))
        return np.asarray(lapse / options + (1.0 - lapse) * np.vecdot(self.weights, right))

    def _item_contrasts(
        self, x: Floats, item: int, at: float, label: int, extra: float | Floats
    ) -> tuple[Floats, Floats]:
        """Return mean and covariance of an item's contrasts, with memory of the item itself.

        Shapes ``(students, rates, K - 1)`` and ``(..., K - 1, K - 1)``; the arguments are those of
        :meth:`answer_chances`.
        """
        memory = self.memory
        mean, covariance, _ = self._contrasts(
            x if memory is None else memory.rule * x, slice(None), item
        )
        if memory is not None:
            now = memory.now(item, at)
            mean = mean + memory.own * now.means
            covariance = covariance + memory.own**2 * covariance_of(now.variances)
        known = np.broadcast_to(extra, mean.shape[:1])[:, None, None]
        return mean + known * contrasts(mean.shape[-1] + 1)[label - 1], covariance

    def _rule_shown(
        self, x: Floats, wanted: Floats, items: Ints, at: float, *, attention: float, drift: float
    ) -> Self:
        """Return the bank with the beliefs about the rule ``Z`` updated by the example.

        ``wanted`` are the contrasts that the label teaches, shape ``(students, K - 1)``; ``items``
        is the number of each student's item, -1 for none.
        """
        memory, recalled = self.memory, None
        if memory is not None and (items >= 0).any():
            recalled = memory.of_each(items, at)
        eta = self.rates[:, None]

        def piece(rows: slice) -> tuple[Floats, ...]:
            """Return new means and covariances of some students."""
            mean, covariance, across = self._contrasts(x, rows)
            if recalled is not None and memory is not None:
                mean = mean + memory.own * recalled[0][rows]
                covariance = covariance + memory.own**2 * covariance_of(recalled[1][rows])
            missing, features = wanted[rows, None] - mean, _features(x, rows)
            # AVA' = V - U(I (x) x)' - (I (x) x)U' with U = eta Q - eta^2 (I (x) x) C / 2
            along = 0.5 * (eta * eta)[..., None] * _spread(missing, covariance)
            lifted = along[..., :, None, :] * features[..., None, :, None]
            u = eta[..., None] * across - lifted.reshape(across.shape)
            before = self.covariances[rows]
            change = (u[..., None] * features[..., None, None, :]).reshape(before.shape)
            taught = before - (change + np.swapaxes(change, -1, -2))
            moves = (eta * missing)[..., None] * features[..., None, :]
            moves = moves.reshape(self.means[rows].shape)
            if attention < 1.0:
                apart = (attention * (1.0 - attention) * moves)[..., None] * moves[..., None, :]
                taught = (1.0 - attention) * before + attention * taught + apart
            if drift > 0.0:
                taught = taught + drift * drift * np.eye(taught.shape[-1])
            return self.means[rows] + attention * moves, taught

        means, covariances = self._in_pieces(piece)
        evidence = self.evidence
        lost = ~(np.abs(means).max(axis=-1, initial=0.0) < FARTHEST)
        if lost.any():  # examples were too long for this rate: no student has it
            means[lost], covariances[lost] = 0.0, np.eye(means.shape[-1])
            evidence = np.where(lost, evidence + LEAST_EVIDENCE, evidence)
        return replace(self, means=means, covariances=covariances, evidence=evidence)

    def _item_shown(
        self, memory: ChoiceMemory, x: Floats, wanted: Floats, item: int, who: Ints, *, at: float
    ) -> tuple[Floats, Floats]:
        """Return means and variances of what some students, ``who``, remember about an item.

        It was just shown, and they attended to it; ``wanted`` as for ``_rule_shown``.
        """
        now = memory.now(item, at)
        means, covariance = now.means[who], covariance_of(now.variances[who])
        some = self if len(who) == len(self.means) else self.of_students(who)
        rule, spread, _ = some._contrasts(x if x.ndim == 1 else x[who], slice(None), item)
        missing = wanted[who, None] - rule - memory.own * means
        spread = _spread(missing, spread + memory.own**2 * covariance)
        eta = self.rates[:, None]
        step = eta[..., None]
        taught = covariance + memory.own**2 * step * (step * spread - 2.0 * covariance)
        return means + eta * memory.own * missing, diagonal_of(taught)

    def _contrasts(
        self, x: Floats, rows: slice, item: int | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Return mean and covariance of ``Z x`` for some students, and ``V (I (x) x)``.

        Shapes ``(students, rates, K - 1)``, ``(..., K - 1, K - 1)`` and ``(..., size, K - 1)``. The
        covariance of a state is ``V``; its number of coordinates is ``size``.
        """
        means, covariances = self.means[rows], self.covariances[rows]
        shape, size = means.shape[:-1], means.shape[-1]
        if not size:  # facts: no rule, and each item may have its own number of answers
            assert isinstance(self.memory, ChoiceMemory)
            count = self.options if item is None else int(self.memory.options[item])
            count -= 1
            return (
                np.zeros((*shape, count)),
                np.zeros((*shape, count, count)),
                np.zeros((*shape, 0, count)),
            )
        if x.ndim == 1:  # one product with a large matrix, not many with small ones
            across = (covariances.reshape(-1, len(x)) @ x).reshape(*shape, size, self.rows)
            mean = (means.reshape(-1, len(x)) @ x).reshape(*shape, self.rows)
            return mean, np.kron(np.eye(self.rows), x) @ across, across
        blocks, features = covariances.reshape(*shape, size, self.rows, -1), _features(x, rows)
        vectors = means.reshape(*shape, self.rows, -1)
        across = np.vecdot(blocks, features[..., None, None, :])
        inner = across.reshape(*vectors.shape, self.rows) * features[..., None, :, None]
        return np.vecdot(vectors, features[..., None, :]), inner.sum(axis=-2), across

    def second_moment(self, target: Floats, weights: Floats) -> Floats:
        """Return the second moment as for two answers, summed over the rows of a state.

        Shape ``(features, features)``.
        """
        whole = super().second_moment(target, weights)
        features = len(target) // self.rows
        blocks = whole.reshape(self.rows, features, self.rows, features)
        total: Floats = np.einsum("kdke->de", blocks)
        return total


def _features(x: Floats, rows: slice) -> Floats:
    """Return one item for all students as it is, or the items of some, with an axis for rates."""
    return x if x.ndim == 1 else x[rows, None, :]


def _wanted(y: float | Floats, x: Floats, students: int, options: int) -> Floats:
    """Return the contrasts of the scores that labels teach, shape ``(students, K - 1)``.

    These are ``onehot - 1 / K`` for the number of an answer, zero for none.
    """
    if np.ndim(y) == x.ndim:  # the scores themselves
        return np.broadcast_to(y @ contrasts(options), (students, options - 1))
    labels = np.broadcast_to(np.asarray(y, dtype=np.int64), (students,))
    return np.concatenate([np.zeros((1, options - 1)), contrasts(options)])[labels]


def _spread(missing: Floats, covariance: Floats) -> Floats:
    """Return ``C + b^2 (C + rr')``, as a rate has the relative error ``b``.

    ``C`` is the covariance and ``r`` is what is ``missing``: label minus mean score.
    """
    off = missing[..., :, None] * missing[..., None, :]
    spread: Floats = covariance + RATE_ERROR**2 * (covariance + off)
    return spread


def choice_target(xs: Floats, keys: Ints, options: int) -> Floats:
    """Return the state that gives scores ``onehot - 1 / K``, as far as the features allow it.

    Its rows follow each other, as in a bank. Least squares with a small ridge.
    """
    wanted = contrasts(options)[keys - 1]
    gram = xs.T @ xs
    ridge = 1e-6 * max(float(gram.trace()), 1e-12) * np.eye(len(gram))
    target = np.linalg.solve(gram + ridge, xs.T @ wanted)
    return np.asarray(target.T.ravel(), dtype=np.float64)


def choice_prior(target: Floats, constant: Ints, radius: float) -> ClassPrior:
    """Return the prior of a class that chooses among answers.

    States have the length ``radius``, as a root mean square. Besides, some students are better than
    others at everything: along the target, there is further variance. Both are small in a class of
    beginners. ``constant`` are the coordinates of constant features. They are a preference for an
    answer, with unit variance: :func:`button_feature` scales it.
    """
    size = max(len(target), 1)
    spread = np.full(len(target), radius**2 / size)
    spread[constant] = 1.0
    length = max(float(target @ target), 1e-300)
    covariance = np.diag(spread) + ABILITY * radius**2 / length * np.outer(target, target)
    limit = max(float(np.sqrt(covariance.trace())), radius)
    return ClassPrior(np.zeros(len(target)), covariance, limit, covariance)


def button_feature(sigma: float) -> float:
    """Return the value of the constant feature, which stands for a preference for one answer.

    If a state has unit variance along it, logits have the standard deviation ``BUTTON``. The value
    is small, so that examples barely change the preference.
    """
    return BUTTON * sigma / SHARP


def without_preferred_answer(belief: Belief, xs: Floats, like: Floats) -> Belief:
    """Return beliefs in which the mean score of each answer over all items is known.

    It is that of the state ``like``. So no student prefers an answer whatever the item.
    """
    size, features = belief.means.shape[1], xs.shape[1]
    average = np.kron(np.eye(size // features), xs.mean(axis=0)).T  # I (x) x, shape (size, K - 1)
    across = belief.covariances @ average
    inner = np.swapaxes(across, 1, 2) @ average
    inner += 1e-12 * np.trace(inner, axis1=1, axis2=2)[:, None, None] * np.eye(inner.shape[1])
    gain = np.swapaxes(np.linalg.solve(inner, np.swapaxes(across, 1, 2)), 1, 2)
    missing = (like - belief.means) @ average
    means = belief.means + (gain @ missing[:, :, None])[..., 0]
    return Belief(means, belief.covariances - gain @ np.swapaxes(across, 1, 2))


def before_lesson(
    xs: Floats,
    keys: Ints,
    start: ChoiceBank,
    asked: Sequence[tuple[Ints, Floats]],
    *,
    prior: ClassPrior,
    model: AnswerModel,
    extra: Floats | None = None,
) -> tuple[ChoiceBank, ClassPrior]:
    """Return the beliefs after answers before the first example, and the prior of the class (EM).

    Parameters
    ----------
    xs, keys
        All items, and the number of the right answer to each.
    start
        The bank before any answer; no student has learned yet, so one of its rates is enough.
    asked
        Items and the answers to them, in order.
    prior, model
        The prior of the class at first, and the answer model.
    extra
        A known part of the score of the right answers, one column per question, in order.
    """
    students = len(start.means)
    questions = sum(len(items) for items, _ in asked)
    known = np.zeros((questions, students)) if extra is None else extra.T
    one = _at_rates(start, np.zeros(1, dtype=np.int64))
    passes = PASSES if start.means.shape[-1] else 1
    for number in range(passes):
        belief = prior.belief(students)
        bank = replace(one, means=belief.means[:, None], covariances=belief.covariances[:, None])
        rows = iter(known)
        for items, answers in asked:
            for item, given in zip(items.tolist(), answers.T, strict=True):
                label, more = float(keys[item]), next(rows)
                bank = bank.heard(xs[item], given, model, item=item, label=label, extra=more)
        if number < passes - 1:
            found = Belief(bank.means[:, 0], bank.covariances[:, 0])
            prior = prior.refitted(found, np.ones(students))
    spread = _at_rates(bank, np.zeros(len(start.rates), dtype=np.int64))
    return replace(spread, rates=start.rates, usual=start.usual), prior


def _at_rates(bank: ChoiceBank, columns: Ints) -> ChoiceBank:
    """Return the bank with some of its rates, in the given order."""
    memory = bank.memory
    if memory is not None:
        traces = {
            item: ItemBelief(one.means[:, columns], one.variances[:, columns], *one[2:])
            for item, one in memory.traces.items()
        }
        memory = replace(memory, rates=len(columns), traces=traces)
    return replace(
        bank,
        means=bank.means[:, columns],
        covariances=bank.covariances[:, columns],
        evidence=bank.evidence[:, columns],
        usual=bank.usual[columns],
        rates=bank.rates[columns],
        memory=memory,
    )
