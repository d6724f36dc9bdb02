"""Learner laws for items with features: similarity to examples, and a linear rule."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.people.laws import LEAST, MOST, AbstractLaw, ClassAnswers

LAPSES = (0.0, 0.0, 0.0, 0.0, 0.2)
"""Shares of answers that are given without thinking; each hypothesis draws one of them."""

SAMPLE = 60
"""The number of items over which the effect of an example is judged."""

COVERED = 200
"""The number of items over which coverage is judged."""

BUDGET = 2**22
"""The largest number of scores that one choice computes per law."""


class StudentRules(NamedTuple):
    """Where on a map students expect the first of two answers, under the law of a linear rule.

    Parameters
    ----------
    means
        The expected rule of each student, in the units of the features and relative to the length
        of the best rule: the direction of the first answer, shape ``(students, dimensions)``.
    covariances
        How uncertain they are, shape ``(students, dimensions, dimensions)``.
    best
        The best rule, of length 1, shape ``(dimensions,)``.
    """

    means: Floats
    covariances: Floats
    best: Floats


class ItemMap:
    """Items with features: their distances, and fixed samples of the list.

    The distance is the mean, over features, of the absolute difference in standard deviations.

    Parameters
    ----------
    features
        Shape ``(items, dimensions)``.
    labels
        The class of each item, counted from 0; all 0 for numbers on a scale.
    options
        The number of answers of each item.
    seed
        Of the samples.
    """

    def __init__(self, features: Floats, labels: Ints, options: Ints, seed: int) -> None:
        spread = features.std(axis=0)
        differs = spread > 1e-9 * np.abs(features).max(axis=0, initial=0.0)
        centred = features[:, differs] - features[:, differs].mean(axis=0)
        self.scaled: Floats = centred / spread[differs]
        self.differs, self.spread = differs, spread
        self.labels, self.options, self.classes = labels, options, int(options.max())
        order = np.random.default_rng([seed, 3]).permutation(len(labels))
        self.sample: Ints = np.sort(order[:SAMPLE])
        self.covered: Ints = np.sort(order[:COVERED])
        self.possible = np.arange(self.classes) < options[:, None]

    def distances(self, items: Ints, others: Ints) -> Floats:
        """Return the distances between items, shape ``(items, others)``."""
        found: Floats = np.zeros((len(items), len(others)))
        for feature in self.scaled.T:
            found += np.abs(feature[items, None] - feature[others])
        return np.asarray(found / max(1, self.scaled.shape[1]))

    def distances_from(self, item: int) -> Floats:
        """Return the distance of an item to all items, shape ``(items,)``."""
        return np.asarray(self.distances(np.array([item]), np.arange(len(self.labels)))[0])

    def similarities(self, items: Ints) -> Floats:
        """Return how well items represent those of :attr:`covered`; 0 for other classes.

        ``exp(-2 distance)``, shape ``(covered, items)``.
        """
        same = self.labels[self.covered][:, None] == self.labels[items]
        return np.asarray(np.exp(-2.0 * self.distances(self.covered, items)) * same)

    def find_kinds(self) -> Ints:
        """Return two kinds inside each class, by k-means from an item far off and its opposite."""
        kinds = 2 * self.labels
        for label in np.unique(self.labels):
            members = np.flatnonzero(self.labels == label)
            kinds[members] += _split_in_two(self.scaled[members])
        return np.unique(kinds, return_inverse=True)[1].astype(np.int64)


def _split_in_two(places: Floats) -> Ints:
    """Return 0 or 1 for each place: ten rounds of k-means with two centres."""
    first = int(np.abs(places - places.mean(axis=0)).sum(axis=1).argmax())
    second = int(np.abs(places - places[first]).sum(axis=1).argmax())
    centres = places[[first, second]]
    part = np.zeros(len(places), dtype=np.int64)
    for _ in range(10):
        part = ((places[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        for number in (0, 1):
            if (part == number).any():
                centres[number] = places[part == number].mean(axis=0)
    return part


class AbstractMapLaw(AbstractLaw):
    """A law in which every hypothesis has a state for each item and class.

    Students who lapse answer at random; every hypothesis has a share of lapses.
    """

    def __init__(
        self, students: int, hypotheses: int, item_map: ItemMap, rng: np.random.Generator
    ) -> None:
        super().__init__(students, np.ones(hypotheses))
        self.map = item_map
        self.lapse = rng.choice(LAPSES, hypotheses)

    @abstractmethod
    def answer_chances(self, cohort: int, items: Ints) -> Floats:
        """Return the chance of each answer, without lapses: ``(hypotheses, items, classes)``."""

    @abstractmethod
    def look_ahead(self, cohort: int, kept: Ints) -> Callable[[int], Floats]:
        """Return a function of an item: the chances to be right on the sample, once it is shown.

        They have shape ``(kept hypotheses, sample)`` and are without lapses.
        """

    def _lapse_at(self, chances: Floats, items: Ints, kept: Ints) -> Floats:
        guess = 1.0 / self.map.options[items]
        return np.clip(chances + self.lapse[kept, None] * (guess - chances), LEAST, MOST)

    def _right(self, items: Ints) -> Floats:
        """Return the chances of right answers, shape ``(cohorts, hypotheses, items)``."""
        labels, every = self.map.labels[items], np.arange(len(self.prior))
        each = [self.answer_chances(cohort, items) for cohort in range(self.cohort_count)]
        right = [one[:, np.arange(len(items)), labels] for one in each]
        return np.stack([self._lapse_at(one, items, every) for one in right])

    def expect_rows(self, item: int) -> Floats:
        return np.asarray(self._right(np.array([item]))[:, :, 0])

    def expect_all(self) -> Floats:
        each = self._right(self.map.sample).mean(axis=2)
        return np.asarray(each[self.cohorts] if len(self.cohorts) else each[-1:])

    def log_likelihoods(self, item: int, answers: ClassAnswers) -> Floats:
        """Return the likelihoods; which wrong answer was given counts, at least as a quarter."""
        likely = super().log_likelihoods(item, answers)
        others, label = int(self.map.options[item]) - 1, self.map.labels[item]
        if others < 2:
            return likely
        cohorts = range(self.cohort_count)
        each = np.stack([self.answer_chances(one, np.array([item]))[:, 0] for one in cohorts])
        wrong = each / np.maximum(1.0 - each[:, :, [label]], 1e-9)
        wrong = np.log(0.75 * wrong + 0.25 / others)
        wrong[:, :, label] = 0.0
        given = np.where(answers.heard, answers.given, label).astype(np.int64)
        return np.asarray(likely + wrong.transpose(0, 2, 1)[self.cohorts, given])

    def gain(self, candidates: Ints) -> Floats:
        """Cost: O(candidates * hypotheses * sample * classes), within :data:`BUDGET`."""
        if not len(self.weights):
            return self._gain_cohort(self.cohort_count - 1, self.prior, candidates)
        parts = [self.cohorts == cohort for cohort in range(self.cohort_count)]
        gains = [
            part.mean() * self._gain_cohort(cohort, self.weights[part].mean(axis=0), candidates)
            for cohort, part in enumerate(parts)
            if part.any()
        ]
        return np.asarray(np.sum(gains, axis=0))

    def _gain_cohort(self, cohort: int, weights: Floats, candidates: Ints) -> Floats:
        kept = np.flatnonzero(weights > 0.2 / len(weights))
        budget = BUDGET // self.cohort_count
        most = max(20, budget // (len(candidates) * len(self.map.sample) * self.map.classes))
        if len(kept) > most:
            kept = np.sort(np.argsort(-weights, kind="stable")[:most])
        once_shown = self.look_ahead(cohort, kept)
        share = [
            weights[kept] @ self._lapse_at(once_shown(item), self.map.sample, kept).mean(axis=1)
            for item in candidates.tolist()
        ]
        return np.asarray(np.array(share) / weights[kept].sum())


class ExampleLaw(AbstractMapLaw):
    """Students answer by similarity to examples that they remember.

    ``P(k | x) ~ (b + sum over shown i of class k of exp(-c |x - x_i|)) ^ gamma``. Some hypotheses
    begin with up to three examples of before the lesson, a quarter of them with a random label.
    """

    def __init__(self, students: int, item_map: ItemMap, seed: int) -> None:
        steepness, bias, power = (1.0, 2.5, 6.0), (0.03, 0.12, 0.5), (1.0, 1.8, 4.0)
        grid = np.array(list(product(steepness, bias, power, (0, 0, 1, 3))))
        rng = np.random.default_rng([seed, 1])
        super().__init__(students, len(grid), item_map, rng)
        self.steepness, self.power = grid[:, 0], grid[:, 2]
        votes = np.tile(grid[:, 1, None, None], (1, len(item_map.labels), item_map.classes))
        for number, examples in enumerate(grid[:, 3].astype(int)):
            for item in rng.integers(0, len(item_map.labels), examples).tolist():
                known = rng.random() < 0.75
                label = item_map.labels[item] if known else rng.integers(item_map.classes)
                near = np.exp(-self.steepness[number] * item_map.distances_from(item))
                votes[number, :, label] += near * rng.random()
        self.start_votes, self.votes = votes, votes[None].copy()

    def add_cohort(self) -> None:
        super().add_cohort()
        self.votes = np.concatenate([self.votes, self.start_votes[None]])

    def answer_chances(self, cohort: int, items: Ints) -> Floats:
        strength = self._strengths(self.votes[cohort][:, items], self.power, items)
        return np.asarray(strength / strength.sum(axis=2, keepdims=True))

    def _strengths(self, votes: Floats, power: Floats, items: Ints) -> Floats:
        return np.asarray(votes ** power[:, None, None] * self.map.possible[items])

    def show(self, item: int, rounds: float) -> None:
        near = np.exp(-self.steepness[:, None] * self.map.distances_from(item))
        self.votes[:, :, :, self.map.labels[item]] += near

    def look_ahead(self, cohort: int, kept: Ints) -> Callable[[int], Floats]:
        sample, labels = self.map.sample, self.map.labels
        power, steepness = self.power[kept], self.steepness[kept, None]
        votes = self.votes[cohort][np.ix_(kept, sample)]
        strength = self._strengths(votes, power, sample)
        right = strength[:, np.arange(len(sample)), labels[sample]]
        total = strength.sum(axis=2)

        def once_shown(item: int) -> Floats:
            label = labels[item]
            near = np.exp(-steepness * self.map.distances(np.array([item]), sample))
            more = (votes[:, :, label] + near) ** power[:, None]
            more = more * self.map.possible[sample, label]
            mine = np.where(labels[sample] == label, more, right)
            return np.asarray(mine / (total - strength[:, :, label] + more))

        return once_shown


class RuleLaw(AbstractMapLaw):
    """Students follow a linear rule, which moves towards each label shown.

    ``s_k(x) += eta (T_k - s_k(x_i)) <f_i, f(x)>`` with ``T = 4 (onehot - 1/K)``; answers are a
    softmax of ``s``, or of ``2 s``. ``f`` are the scaled features and a constant, of mean squared
    length 1.
    """

    def __init__(self, students: int, item_map: ItemMap, seed: int) -> None:
        rates, spreads, known = (0.04, 0.15, 0.45), (0.5, 3.0), (0.0, 0.4)
        grid = np.array(list(product(rates, spreads, known, range(20))))
        rng = np.random.default_rng([seed, 2])
        super().__init__(students, len(grid), item_map, rng)
        rows = np.column_stack([item_map.scaled, np.ones(len(item_map.labels))])
        self.rows: Floats = rows / np.sqrt((rows**2).sum(axis=1).mean())
        self.rates = grid[:, 0]
        self.sharpness = np.where(grid[:, 3] % 2, 2.0, 1.0)
        one_hot = np.eye(item_map.classes)[item_map.labels]
        self.aims: Floats = 4.0 * (one_hot - 1.0 / item_map.classes)
        shape = len(grid), self.rows.shape[1], item_map.classes
        start = rng.standard_normal(shape) * grid[:, 1, None, None] * np.sqrt(0.5)
        start -= start.mean(axis=2, keepdims=True)
        start += grid[:, 2, None, None] * self._best_rule()
        self.start_scores: Floats = self.rows @ start
        self.scores = self.start_scores[None].copy()

    def add_cohort(self) -> None:
        super().add_cohort()
        self.scores = np.concatenate([self.scores, self.start_scores[None]])

    def _best_rule(self) -> Floats:
        """Return the ridge regression of the aims on the features."""
        ridge = 0.01 * len(self.rows) * np.eye(self.rows.shape[1])
        return np.asarray(
            np.linalg.solve(self.rows.T @ self.rows + ridge, self.rows.T @ self.aims),
            dtype=np.float64,
        )

    def estimate_rules(self) -> StudentRules:
        """Return the rules of the students, if there are two classes."""
        apart = (self.scores[..., 0] - self.scores[..., 1]).reshape(-1, len(self.rows)).T
        best = self._best_rule()
        rules = np.column_stack([np.linalg.pinv(self.rows) @ apart, best[:, 0] - best[:, 1]]).T
        found = np.zeros((len(rules), len(self.map.spread)))
        found[:, self.map.differs] = rules[:, :-1] / self.map.spread[self.map.differs]
        found /= max(float(np.linalg.norm(found[-1])), 1e-12)
        each = found[:-1]  # of all hypotheses of the first cohort, of the second, ...
        in_cohort = np.arange(self.cohort_count) == self.cohorts[:, None]
        weights = (in_cohort[:, :, None] * self.weights[:, None]).reshape(-1, len(each))
        means = weights @ each
        squares = weights @ (each[:, :, None] * each[:, None]).reshape(len(each), -1)
        shape = len(means), each.shape[1], each.shape[1]
        spread = squares.reshape(shape) - means[:, :, None] * means[:, None]
        return StudentRules(means, spread, found[-1])

    def answer_chances(self, cohort: int, items: Ints) -> Floats:
        scores = self.sharpness[:, None, None] * self.scores[cohort][:, items]
        scores = np.where(self.map.possible[items], scores, -np.inf)
        chances = np.exp(scores - scores.max(axis=2, keepdims=True))
        return np.asarray(chances / chances.sum(axis=2, keepdims=True))

    def show(self, item: int, rounds: float) -> None:
        steps = self.rates[:, None] * (self.aims[item] - self.scores[:, :, item])
        near = self.rows @ self.rows[item]
        self.scores += steps[:, :, None] * near[:, None]

    def look_ahead(self, cohort: int, kept: Ints) -> Callable[[int], Floats]:
        sample, labels = self.map.sample, self.map.labels
        near = self.rows @ self.rows[sample].T
        rivals = self._rivals()
        sharpness = self.sharpness[kept, None]
        scores, rates = self.scores[cohort][np.ix_(kept, sample)], self.rates[kept, None]
        right = scores[:, np.arange(len(sample)), labels[sample]]
        behind = [
            np.take_along_axis(scores, rival[None, :, None], axis=2)[:, :, 0] - right
            for rival in rivals
        ]

        def once_shown(item: int) -> Floats:
            steps = rates * (self.aims[item] - self.scores[cohort, kept, item])
            odds = np.ones(right.shape)
            for rival, gap in zip(rivals, behind, strict=True):
                change = (steps[:, rival] - steps[:, labels[sample]]) * near[item]
                odds += (
                    np.exp(np.minimum(sharpness * (gap + change), 30.0))
                    * self.map.possible[sample, rival]
                )
            return np.asarray(1.0 / odds)

        return once_shown

    def _rivals(self) -> list[Ints]:
        """Return the other classes of each item of the sample, one array per place."""
        right = self.map.labels[self.map.sample]
        return [(right + shift) % self.map.classes for shift in range(1, self.map.classes)]
