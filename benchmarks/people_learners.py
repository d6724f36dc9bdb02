"""Simulated classes that learn in many ways: what ``python -m benchmarks people-orders`` teaches.

A task has a list of items to teach, and new items of the same sort to test (for lists without
features: the same items). A learner has, for each student, the chance of a right answer to all of
them, and changes when a solution is shown. The parameters are plausible, but not fitted to people.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtr

from homeroom._arrays import Floats, Ints
from homeroom.crowd import insects
from homeroom.crowd.insects.collection import places_of

STUDENTS = 30


class Task(NamedTuple):
    """What is taught; the first ``taught`` items are the list, the others are new ones.

    Parameters
    ----------
    places
        Features of all items, shape ``(items, dimensions)``; ``None`` for a list.
    labels
        The right answer of each item, counted from 0.
    kinds
        Items that students may learn together, which no order is told.
    options
        The number of answers.
    taught
        The number of items that are taught.
    """

    places: Floats | None
    labels: Ints
    kinds: Ints
    options: int
    taught: int

    @property
    def tested(self) -> slice:
        """The items that show what was taught."""
        return slice(0, None) if self.places is None else slice(self.taught, None)


def insect_task(seed: int) -> Task:
    """Return the built-in insects: butterfly or moth. The test is another collection."""
    both = [insects.make(0), insects.make(1 + seed % 7)]
    places = np.concatenate([np.asarray(places_of(made.features)) for made in both])
    labels = np.concatenate([(np.asarray(made.labels) > 0).astype(np.int64) for made in both])
    kinds = np.unique(np.concatenate([made.species for made in both]), return_inverse=True)[1]
    return Task(places, labels, kinds.astype(np.int64), 2, len(both[0].labels))


def plane_task(seed: int) -> Task:
    """Return 60 items in a plane with a straight border at a random angle; 300 to test."""
    rng = np.random.default_rng([seed, 1])
    angle = rng.uniform(0.0, 2.0 * np.pi)
    kinds = rng.integers(0, 4, 360)
    along = np.where(kinds < 2, -1.2, 1.2) + 0.6 * rng.standard_normal(360)
    across = np.where(kinds % 2, 1.0, -1.0) * (0.25 + np.abs(0.8 * rng.standard_normal(360)))
    turn = np.array([[-np.sin(angle), np.cos(angle)], [np.cos(angle), np.sin(angle)]])
    return Task(np.column_stack([along, across]) @ turn, kinds % 2, kinds, 2, 60)


def corner_task(seed: int) -> Task:
    """Return 60 items in four corners; opposite corners are one class, so no line divides them."""
    rng = np.random.default_rng([seed, 1])
    kinds = rng.integers(0, 4, 360)
    corners = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]])
    return Task(corners[kinds] + 0.45 * rng.standard_normal((360, 2)), kinds % 2, kinds, 2, 60)


def three_task(seed: int) -> Task:
    """Return 72 items of three classes with two kinds each, and four features, one irrelevant."""
    rng = np.random.default_rng([seed, 1])
    kinds = rng.integers(0, 6, 372)
    centres = rng.standard_normal((6, 4)) * np.array([1.3, 1.3, 1.3, 0.0])
    return Task(centres[kinds] + 0.6 * rng.standard_normal((372, 4)), kinds % 3, kinds, 3, 72)


def fact_task(seed: int, number: int = 24) -> Task:
    """Return 24 facts with four answers each, which have nothing in common."""
    labels = np.random.default_rng([seed, 1]).integers(0, 4, number)
    return Task(None, labels, np.arange(number), 4, number)


def long_fact_task(seed: int) -> Task:
    """Return 40 such facts."""
    return fact_task(seed, 40)


def topic_task(seed: int) -> Task:
    """Return 36 items of nine hidden topics, with three answers: what is learned transfers."""
    rng = np.random.default_rng([seed, 1])
    return Task(None, rng.integers(0, 3, 36), rng.permutation(np.arange(36) % 9), 3, 36)


class AbstractLearner(ABC):
    """A class of students with one law of learning."""

    def __init__(self, task: Task, seed: int) -> None:
        self.task, self.rng = task, np.random.default_rng([seed, 2])
        self.begin()  # draws what the students are like
        self.rng = np.random.default_rng([seed, 3])  # draws answers, and what is learned

    @property
    def places(self) -> Floats:
        """The features in standard deviations; only for tasks that have them."""
        assert self.task.places is not None
        places = self.task.places
        listed = places[: self.task.taught]
        return np.asarray((places - listed.mean(axis=0)) / listed.std(axis=0))

    @abstractmethod
    def begin(self) -> None:
        """Draw the students."""

    @abstractmethod
    def chances(self) -> Floats:
        """Return the chances of a right answer, shape ``(students, all items)``."""

    @abstractmethod
    def show(self, item: int) -> None:
        """Show the solution of an item."""

    def answer(self, item: int) -> Ints:
        """Return the answers of the class to an item."""
        label, options = self.task.labels[item], self.task.options
        right = self.rng.random(STUDENTS) < self.chances()[:, item]
        other = (label + self.rng.integers(1, options, STUDENTS)) % options
        return np.asarray(np.where(right, label, other))

    def share_of_list(self) -> Floats:
        """Return the truth of ``knows``: the share of right answers of each student, now."""
        return np.asarray(self.chances()[:, : self.task.taught].mean(axis=1))

    def share_of_test(self) -> float:
        """Return the share of right answers to new items."""
        return float(self.chances()[:, self.task.tested].mean())


class ExemplarLearner(AbstractLearner):
    """Stores examples and answers by similarity, with personal attention to features."""

    def begin(self) -> None:
        rng, dims = self.rng, self.places.shape[1]
        self.steepness = np.exp(rng.normal(np.log(3.0 / dims), 0.4, STUDENTS))
        self.attention = rng.dirichlet(np.full(dims, 2.0), STUDENTS) * dims
        self.stores = rng.beta(6, 2, STUDENTS)
        bias = 0.05 + 0.05 * rng.random((STUDENTS, 1, self.task.options))
        self.votes = np.repeat(bias, len(self.task.labels), axis=1)

    def show(self, item: int) -> None:
        stored = self.rng.random(STUDENTS) < self.stores
        distance = self.attention @ np.abs(self.places - self.places[item]).T
        near = stored[:, None] * np.exp(-self.steepness[:, None] * distance)
        self.votes[:, :, self.task.labels[item]] += near

    def chances(self) -> Floats:
        strength = self.votes**1.5
        labels = self.task.labels
        right = strength[:, np.arange(len(labels)), labels]
        return np.asarray(right / strength.sum(axis=2))


class GradientLearner(AbstractLearner):
    """A linear rule that makes a gradient step per solution; the largest noisy score answers."""

    def begin(self) -> None:
        rows = np.column_stack([self.places, np.ones(len(self.task.labels))])
        self.rows = rows / np.sqrt((rows**2).sum(axis=1).mean())
        shape = STUDENTS, self.rows.shape[1], self.task.options
        self.states = 0.5 * self.rng.standard_normal(shape)
        self.rates = self.rng.uniform(0.05, 0.5, STUDENTS)

    def show(self, item: int) -> None:
        aim = 2.0 * (np.arange(self.task.options) == self.task.labels[item]) - 1.0
        gap = self.rates[:, None] * (aim - np.einsum("jdk,d->jk", self.states, self.rows[item]))
        self.states += gap[:, None] * self.rows[item][None, :, None]

    def chances(self) -> Floats:
        scores = np.einsum("jdk,id->jik", self.states, self.rows) / 0.5
        right = scores[:, np.arange(len(self.rows)), self.task.labels]
        if self.task.options == 2:
            return np.asarray(ndtr(2.0 * right - scores.sum(axis=2)))
        return np.asarray(1.0 / np.exp(1.6 * (scores - right[:, :, None])).sum(axis=2))


class AllOrNoneLearner(AbstractLearner):
    """Learns a kind (a species, a fact, a topic) at once, and guesses until then.

    One kind in five is a misconception: worse than guessing until it is learned.
    """

    def begin(self) -> None:
        shape = STUDENTS, int(self.task.kinds.max()) + 1
        level = self.rng.beta(0.7, 0.7, shape[1]) if self.task.places is None else 0.15
        self.known = self.rng.random(shape) < level
        self.rates = self.rng.beta(2, 3, STUDENTS)
        wrong = self.rng.random(shape) < 0.2
        self.unknown = np.where(wrong, 0.4, 1.0) / self.task.options

    def show(self, item: int) -> None:
        self.known[:, self.task.kinds[item]] |= self.rng.random(STUDENTS) < self.rates

    def chances(self) -> Floats:
        return np.asarray(np.where(self.known, 0.97, self.unknown)[:, self.task.kinds])


class ForgettingLearner(AbstractLearner):
    """Lists: each showing adds a trace that fades as a power of time. Old knowledge stays."""

    def begin(self) -> None:
        shape = STUDENTS, len(self.task.labels)
        self.decay = self.rng.uniform(0.3, 0.6, STUDENTS)
        self.threshold = self.rng.normal(-0.9, 0.4, STUDENTS)
        had = self.rng.random(shape) < self.rng.beta(0.7, 0.9, shape[1])
        self.old = np.where(had, self.rng.exponential(1.5, shape), 0.0)
        self.shown = list[int]()

    def show(self, item: int) -> None:
        self.shown.append(item)

    def chances(self) -> Floats:
        trace = self.old.copy()
        for when, item in enumerate(self.shown):
            trace[:, item] += (len(self.shown) - when - 0.5) ** -self.decay
        recall = 0.98 * expit((np.log(trace + 1e-9) - self.threshold[:, None]) / 0.35)
        return np.asarray(recall + (1.0 - recall) / self.task.options)


class ConstantLearner(AbstractLearner):
    """Never learns: each answer is right with the same chance."""

    share = 0.7

    def begin(self) -> None:
        """All students are alike."""

    def show(self, item: int) -> None:
        """Nothing is learned."""

    def chances(self) -> Floats:
        return np.full((STUDENTS, len(self.task.labels)), self.share)


class BetterConstantLearner(ConstantLearner):
    """Never learns, but knows more."""

    share = 0.85


class PrototypeLearner(AbstractLearner):
    """Compares with the mean of the examples of each class; lapses in a tenth of the answers.

    Not among the models: no example is stored, and one far off shifts the mean.
    """

    def begin(self) -> None:
        shape = STUDENTS, self.task.options, self.places.shape[1]
        self.means, self.counts = self.rng.standard_normal(shape), np.full(self.task.options, 0.3)
        self.sharp = np.exp(self.rng.normal(np.log(2.0), 0.4, STUDENTS))
        self.lapse = self.rng.beta(1.0, 9.0, STUDENTS)

    def show(self, item: int) -> None:
        label = self.task.labels[item]
        self.counts[label] += 1.0
        noisy = self.places[item] + 0.3 * self.rng.standard_normal(self.means[:, 0].shape)
        self.means[:, label] += (noisy - self.means[:, label]) / self.counts[label]

    def chances(self) -> Floats:
        gaps = self.places[None, :, None] - self.means[:, None]
        scores = -self.sharp[:, None, None] * np.sqrt((gaps**2).mean(axis=3))
        right = scores[:, np.arange(len(self.places)), self.task.labels]
        chance = 1.0 / np.exp(scores - right[:, :, None]).sum(axis=2)
        lapse = self.lapse[:, None]
        return np.asarray((1.0 - lapse) * chance + lapse / self.task.options)


class HypothesisLearner(AbstractLearner):
    """Tries rules, and keeps one until it fails: then the best of five others on the last examples.

    A rule assigns classes to the two sides of a line. Not among the models: learning is by jumps,
    and depends on the examples shown last.
    """

    def begin(self) -> None:
        self.recent = list[int]()
        self.rules = self._draw(STUDENTS)
        self.lapse = self.rng.beta(1.0, 12.0, STUDENTS)

    def _draw(self, *shape: int) -> Floats:
        """Return rules: linear scores of the classes, shape ``(..., dimensions + 1, classes)``."""
        dims = self.places.shape[1]
        rules = self.rng.standard_normal((*shape, dims + 1, self.task.options))
        simple = self.rng.random(shape) < 0.6  # only one feature counts
        mask = np.eye(dims)[self.rng.integers(0, dims, shape)]
        rules[..., :dims, :] *= np.where(simple[..., None], mask, 1.0)[..., None]
        rules[..., dims, :] *= 0.5
        return np.asarray(rules)

    def _choices(self, rules: Floats, items: Ints | slice) -> Ints:
        places = self.places[items]
        rows = np.column_stack([places, np.ones(len(places))])
        return np.asarray((rows @ rules).argmax(axis=-1))

    def show(self, item: int) -> None:
        self.recent = [*self.recent[-5:], item]
        memory = np.array(self.recent)
        labels = self.task.labels
        failed = self._choices(self.rules, np.array([item]))[:, 0] != labels[item]
        tried = np.concatenate([self.rules[:, None], self._draw(STUDENTS, 5)], axis=1)
        fits = (self._choices(tried, memory) == labels[memory]).mean(axis=2)
        best = tried[np.arange(STUDENTS), fits.argmax(axis=1)]
        self.rules = np.where(failed[:, None, None], best, self.rules)

    def chances(self) -> Floats:
        right = self._choices(self.rules, slice(None)) == self.task.labels
        lapse = self.lapse[:, None]
        return np.asarray(np.where(right, 0.97 - 0.97 * lapse, 0.03) + lapse / self.task.options)


class NearestLearner(AbstractLearner):
    """Answers as the nearest of the last nine examples; each student misses some of them.

    Not among the models: old examples are lost, and only the nearest one counts.
    """

    def begin(self) -> None:
        self.kept = list[tuple[int, Floats]]()
        dims = self.places.shape[1]
        self.attention = self.rng.dirichlet(np.full(dims, 2.0), STUDENTS) * dims
        self.sure = self.rng.uniform(0.8, 0.98, STUDENTS)
        self.misses = self.rng.beta(2, 8, STUDENTS)

    def show(self, item: int) -> None:
        missed = self.rng.random(STUDENTS) < self.misses
        self.kept = [*self.kept[-8:], (item, np.where(missed, np.inf, 0.0))]

    def chances(self) -> Floats:
        guess = 1.0 / self.task.options
        if not self.kept:
            return np.full((STUDENTS, len(self.places)), guess)
        items = np.array([item for item, _ in self.kept])
        missed = np.array([one for _, one in self.kept]).T
        gaps = np.abs(self.places[:, None] - self.places[items])  # (items, kept, dimensions)
        distance = np.einsum("jd,ikd->jik", self.attention, gaps) + missed[:, None]
        right = self.task.labels[items][distance.argmin(axis=2)] == self.task.labels
        sure = self.sure[:, None]
        chance = np.where(right, sure, (1.0 - sure) / max(1, self.task.options - 1))
        return np.asarray(np.where(np.isinf(distance.min(axis=2)), guess, chance))


class PracticeLearner(AbstractLearner):
    """Practice of an answer (on lists: of an item) raises the odds, less and less; items differ.

    Not among the models: growth with the logarithm of practice, and items of unequal difficulty.
    """

    def begin(self) -> None:
        number = len(self.task.labels)
        self.unit = self.task.kinds if self.task.places is None else self.task.labels
        ability = self.rng.normal(-0.3, 0.7, STUDENTS)
        difficulty = self.rng.normal(0.0, 0.7, number)
        self.start = ability[:, None] - difficulty
        self.gain = self.rng.gamma(3.0, 0.35, STUDENTS)
        self.counts = np.zeros(int(self.unit.max()) + 1)

    def show(self, item: int) -> None:
        self.counts[self.unit[item]] += 1.0

    def chances(self) -> Floats:
        practice = np.log1p(self.counts)[self.unit] + 0.15 * np.log1p(self.counts.sum())
        guess = 1.0 / self.task.options
        known = expit(self.start + self.gain[:, None] * practice)
        return np.asarray(guess + (0.97 - guess) * known)


class MixedLearner(AbstractLearner):
    """Half of the class is of one law and half of another; some lapse often."""

    def begin(self) -> None:
        seed = int(self.rng.integers(2**31))
        first = ForgettingLearner if self.task.places is None else ExemplarLearner
        self.parts = [first(self.task, seed), AllOrNoneLearner(self.task, seed + 1)]
        self.half = self.rng.permutation(STUDENTS) < STUDENTS // 2
        self.lapse = np.where(self.rng.random(STUDENTS) < 0.25, 0.25, 0.02)[:, None]

    def show(self, item: int) -> None:
        for part in self.parts:
            part.show(item)

    def chances(self) -> Floats:
        first, second = (part.chances() for part in self.parts)
        chance = np.where(self.half[:, None], first, second)
        return np.asarray((1.0 - self.lapse) * chance + self.lapse / self.task.options)


class InterferenceLearner(AbstractLearner):
    """Lists: a fact is learned with chance .7, and may push out another one of the same answer.

    Not among the models: what is shown makes other items worse.
    """

    def begin(self) -> None:
        shape = STUDENTS, len(self.task.labels)
        self.known = self.rng.random(shape) < self.rng.beta(1.0, 1.0, shape[1])
        self.push = self.rng.beta(1.5, 4.0, STUDENTS)

    def show(self, item: int) -> None:
        labels = self.task.labels
        rivals = np.flatnonzero((labels == labels[item]) & (np.arange(len(labels)) != item))
        learned = ~self.known[:, item] & (self.rng.random(STUDENTS) < 0.7)
        self.known[learned, item] = True
        if len(rivals):
            lost = np.flatnonzero(learned & (self.rng.random(STUDENTS) < self.push))
            self.known[lost, self.rng.choice(rivals, len(lost))] = False

    def chances(self) -> Floats:
        return np.asarray(np.where(self.known, 0.95, 1.0 / self.task.options))


Learners = dict[str, Callable[[Task, int], AbstractLearner]]

MAPS = {
    "insects": insect_task,
    "plane": plane_task,
    "corners": corner_task,
    "three": three_task,
}
LISTS = {"24 facts": fact_task, "40 facts": long_fact_task, "topics": topic_task}
TASKS: dict[str, Callable[[int], Task]] = {**MAPS, **LISTS}

MAP_LEARNERS: Learners = {
    "exemplar": ExemplarLearner,
    "gradient": GradientLearner,
    "all-or-none": AllOrNoneLearner,
    "constant": ConstantLearner,
    "prototype": PrototypeLearner,
    "hypotheses": HypothesisLearner,
    "nearest": NearestLearner,
    "practice": PracticeLearner,
    "mixed": MixedLearner,
}
LIST_LEARNERS: Learners = {
    "all-or-none": AllOrNoneLearner,
    "forgetting": ForgettingLearner,
    "constant": ConstantLearner,
    "practice": PracticeLearner,
    "interference": InterferenceLearner,
    "mixed": MixedLearner,
}


def learners_of(task: str) -> Learners:
    """Return the learners of a task by name."""
    return MAP_LEARNERS if task in MAPS else LIST_LEARNERS
