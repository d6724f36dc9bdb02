"""What one choice does: its effect on the next answers, from choices with known probabilities."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from homeroom._arrays import Floats, Ints
from homeroom.studies.experiment_log import ExperimentChoice, ExperimentLesson

FEWEST = 30
"""The smallest effective number of choices from which an effect is estimated."""

AHEAD = 3
"""The number of next items whose answers are counted, by default."""

SHRUNKEN = 5.0
"""The weight of the mean over all items in the usual share of one item, as a number of answers."""

ALL = "all arms"
"""The value of ``taught_by`` for the choices of all arms together."""


@dataclass(frozen=True)
class ChoiceEffect:
    """The effect of following a rule in one choice, compared with an allowed item at random.

    Afterwards the lesson continues as it was taught. The outcome is the share of right answers to
    the next items, above what is usual for those items in the other classes.

    Parameters
    ----------
    rule
        The rule, an arm of the experiment.
    taught_by
        The arm whose lessons the choices are from, or ``"all arms"``.
    classes, choices
        The number of classes, and of choices with enough answers after them.
    effective
        The effective number of choices, the smaller one of the rule's and of the random choice's.
    weighted, doubly_robust
        The two estimates; ``None`` if they are refused.
    refused
        Why there are no estimates.
    """

    rule: str
    taught_by: str
    classes: int
    choices: int
    effective: float
    weighted: EffectEstimate | None = None
    doubly_robust: EffectEstimate | None = None
    refused: str = ""


class EffectEstimate(NamedTuple):
    """An estimate with its standard error and confidence interval."""

    value: float
    error: float
    low: float
    high: float


def choice_effects(
    lessons: Sequence[ExperimentLesson], *, ahead: int = AHEAD, level: float = 0.95
) -> list[ChoiceEffect]:
    """Return the effect of one choice for each rule, in the lessons of each arm and in all.

    Two estimates: the self-normalised inverse-propensity mean, and the doubly robust one, whose
    outcome model is a regression on what the fitted learner expected and on the answers before,
    estimated from the other classes. The probabilities of the choices are known, so both are valid
    where the model is wrong.

    The unit is the class: the students of one group see the same items, the choices of one group
    follow each other, and the groups of one class have a teacher in common. The standard errors are
    those of the jackknife over classes, the intervals use the t distribution with one degree of
    freedom less than classes. Cost: O(answers + choices * columns^2).

    Parameters
    ----------
    lessons
        The lessons.
    ahead
        The number of next items whose answers are counted.
    level
        The confidence level of the intervals.
    """
    table = _Choices.of(lessons, ahead)
    found = []
    arms = dict.fromkeys(arm for lesson in lessons for arm in lesson.arms)
    for rule in table.rules:
        for arm in (ALL, *arms):
            rows = np.flatnonzero((table.arm == arm) | (arm == ALL))
            if len(rows):
                found.append(_effect(table.only(rows), rule, arm, level))
    return found


class _Followed(NamedTuple):
    """A rule in each choice: whether it was followed, and what it would gain.

    ``known`` is 1 where the rule's item was recorded, ``followed`` is 1 where it was the item
    chosen, and ``gain`` is the expected gain of the rule's item. All have shape ``(choices,)``.
    """

    known: Floats
    followed: Floats
    gain: Floats

    @classmethod
    def of(cls, choices: Sequence[ExperimentChoice], rule: str) -> _Followed:
        """Return in which choices a rule was followed, and what its item would gain."""
        wanted = [one.choices.get(rule) for one in choices]
        return cls(
            np.array([float(item is not None) for item in wanted]),
            np.array([float(one.item == item) for one, item in zip(choices, wanted, strict=True)]),
            np.array([one.expected.get(rule, one.expected.get("random", 0.0)) for one in choices]),
        )


@dataclass(frozen=True)
class _Choices:
    """The choices that are followed by enough answers, one row each.

    A *surplus* is a share of right answers above what is usual for the items.

    Parameters
    ----------
    outcome
        The mean surplus of the next items.
    classroom, arm
        The number of the class, and the arm.
    probability, uniform
        The probability with which the item was chosen, and that of a uniform draw.
    before
        What is known before the choice, as columns of a regression: a constant, the mean surplus of
        the items before, the expected share of right answers, and the round divided by ten.
    gain, random_gain
        The gain that the fitted learner expects of the item, and of an allowed item at random.
    rules
        For each rule, in which choices it was followed.
    """

    outcome: Floats
    classroom: Ints
    arm: npt.NDArray[np.str_]
    probability: Floats
    uniform: Floats
    before: Floats
    gain: Floats
    random_gain: Floats
    rules: Mapping[str, _Followed]

    @classmethod
    def of(cls, lessons: Sequence[ExperimentLesson], ahead: int) -> _Choices:
        """Return the choices after which ``ahead`` more items were answered."""
        usual = _Usual(lessons)
        kept: list[tuple[ExperimentChoice, int, float, float]] = []
        for lesson in lessons:
            number = usual.number[lesson.classroom]
            surplus = usual.surplus_of(lesson)
            for arm in lesson.arms:
                own = (one for one in lesson.choices if one.arm == arm)
                line = sorted(own, key=attrgetter("round"))
                for place, choice in enumerate(line):
                    after = [surplus.get((arm, one.round)) for one in line[place + 1 :][:ahead]]
                    given = [one for one in after if one is not None]
                    if choice.probability is None or len(given) < ahead:
                        continue
                    earlier = [surplus.get((arm, one.round)) for one in line[:place][-ahead:]]
                    past = [surplus[arm, -1], *(one for one in earlier if one is not None)]
                    kept.append((choice, number, _mean(given), _mean(past)))
        choices = [one[0] for one in kept]
        names = ("before", "item", "random")
        expected = np.array([[one.expected.get(name, 0.0) for name in names] for one in choices])
        expected = expected.reshape(len(kept), 3)
        rounds = np.array([one.round for one in choices], dtype=np.float64)
        before = np.column_stack(
            [np.ones(len(kept)), [one[3] for one in kept], expected[:, 0], rounds / 10.0]
        )
        rules = dict.fromkeys(rule for one in choices for rule in one.choices)
        return cls(
            np.array([one[2] for one in kept]),
            np.array([one[1] for one in kept], dtype=np.int64),
            np.array([one.arm for one in choices], dtype=np.str_),
            np.array([one.probability for one in choices], dtype=np.float64),
            np.array([1.0 / one.allowed for one in choices]),
            before,
            expected[:, 1],
            expected[:, 2],
            {rule: _Followed.of(choices, rule) for rule in rules if rule != "random"},
        )

    def only(self, rows: Ints) -> _Choices:
        """Return some of the rows."""
        arrays = {name: part[rows] for name, part in vars(self).items() if name != "rules"}
        rules = {rule: _Followed(*(part[rows] for part in own)) for rule, own in self.rules.items()}
        return _Choices(**arrays, rules=rules)


def _mean(values: Sequence[float]) -> float:
    """Return the mean, 0 of no values."""
    return sum(values) / len(values) if values else 0.0


class _Usual:
    """How often each item is answered right in the lessons of the other classes."""

    def __init__(self, lessons: Sequence[ExperimentLesson]) -> None:
        names = dict.fromkeys(lesson.classroom for lesson in lessons)
        self.number = {name: number for number, name in enumerate(names)}
        given = (
            (lesson.classroom, one.item, one.right)
            for lesson in lessons
            for one in lesson.answers
            if one.right is not None and one.phase == "lesson"
        )
        self._own = Counter(given)
        self._all: Counter[tuple[str, bool]] = Counter()
        for (_, item, right), count in self._own.items():
            self._all[item, right] += count
        rights = sum(count for (_, right), count in self._all.items() if right)
        self._mean = rights / max(1, self._all.total())

    def share(self, classroom: str, item: str) -> float:
        """Return the share of right answers to an item in all classes but this one.

        It is shrunken towards the mean over items.
        """
        right, wrong = (
            self._all[item, kind] - self._own[classroom, item, kind] for kind in (True, False)
        )
        return (right + SHRUNKEN * self._mean) / (right + wrong + SHRUNKEN)

    def surplus_of(self, lesson: ExperimentLesson) -> dict[tuple[str, int], float]:
        """Return the share of right answers above the usual one, by arm and round.

        The round of the pre-test is -1.
        """
        found: dict[tuple[str, int], list[float]] = defaultdict(list)
        share: dict[str, float] = {}
        for one in lesson.answers:
            if one.right is None or one.phase == "posttest":
                continue
            if one.item not in share:
                share[one.item] = self.share(lesson.classroom, one.item)
            number = one.round if one.phase == "lesson" else -1
            found[one.arm, number].append(one.right - share[one.item])
        means = {key: _mean(values) for key, values in found.items()}
        return {**dict.fromkeys(((arm, -1) for arm in lesson.arms), 0.0), **means}


def _effect(table: _Choices, rule: str, taught_by: str, level: float) -> ChoiceEffect:
    """Return the effect of following one rule, or why it is not estimated."""
    rows = np.flatnonzero(table.rules[rule].known)
    table = table.only(rows)
    followed = table.rules[rule]
    classes = len(np.unique(table.classroom))
    by_rule = followed.followed / table.probability
    at_random = table.uniform / table.probability
    effective = min(_effective(by_rule), _effective(at_random))
    found = ChoiceEffect(rule, taught_by, classes, len(rows), effective)
    if effective < FEWEST:
        why = (
            f"the effective number of choices is {effective:.0f}, and {FEWEST} are needed: add "
            "classes, or draw a larger share of items at random"
        )
        return replace(found, refused=why)
    if classes < 2:
        why = "the choices are from one class, and two are needed: add classes"
        return replace(found, refused=why)
    totals = _sums(table.classroom, by_rule, by_rule * table.outcome)
    others = _sums(table.classroom, at_random, at_random * table.outcome)
    weighted = _jackknife([totals, others], level)
    robust = _jackknife([_robust(table, followed, by_rule, at_random)], level)
    if weighted is None or robust is None:
        return replace(found, refused="almost all of their weight is in one class")
    return replace(found, weighted=weighted, doubly_robust=robust)


def _effective(weights: Floats) -> float:
    """Return Kish's effective sample size, ``(sum w)^2 / sum w^2``."""
    squares = float((weights * weights).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


def _sums(classroom: Ints, below: Floats, above: Floats) -> Floats:
    """Return the sums of two columns for each class, shape ``(classes, 2)``."""
    _, place = np.unique(classroom, return_inverse=True)
    return np.column_stack([np.bincount(place, below), np.bincount(place, above)])


def _jackknife(parts: Sequence[Floats], level: float) -> EffectEstimate | None:
    """Return a ratio of sums over classes with its interval; of two parts, their difference.

    Each part has the denominator and the numerator of each class, shape ``(classes, 2)``. ``None``
    if a denominator is zero without one of the classes.
    """
    values = [part.sum(axis=0) for part in parts]
    without = [whole - part for whole, part in zip(values, parts, strict=True)]
    if any((rest[:, 0] <= 0).any() for rest in without):
        return None
    signs = (1.0, -1.0)[: len(parts)]
    value = sum(sign * whole[1] / whole[0] for sign, whole in zip(signs, values, strict=True))
    left = sum(sign * rest[:, 1] / rest[:, 0] for sign, rest in zip(signs, without, strict=True))
    left = np.asarray(left)
    classes = len(left)
    error = math.sqrt((classes - 1) / classes * float(((left - left.mean()) ** 2).sum()))
    half = float(stdtrit(classes - 1, 0.5 + level / 2)) * error
    return EffectEstimate(float(value), error, float(value) - half, float(value) + half)


def _robust(table: _Choices, followed: _Followed, by_rule: Floats, at_random: Floats) -> Floats:
    """Return the number and the sum of the doubly robust scores of each class.

    With the outcome model Q, a score is

        Q(rule) - mean of Q over the allowed items + (w_rule - w_random) (outcome - Q(item))

    with the inverse-propensity weights ``w_rule`` (``by_rule``) and ``w_random`` (``at_random``).
    Q is linear: in the answers and the learner's estimate before, the round, whether the rule was
    followed, and the gain that the learner expects of the item.
    """
    # The first columns do not depend on the item; the last two are the item's.
    seen = np.column_stack([table.before, followed.followed, table.gain])
    chosen = np.column_stack([table.before, np.ones(len(seen)), followed.gain])
    drawn = np.column_stack([table.before, table.uniform, table.random_gain])
    _, place = np.unique(table.classroom, return_inverse=True)
    counts = np.bincount(place)
    scores = np.zeros(len(seen))
    whole, right = seen.T @ seen, seen.T @ table.outcome
    ridge = 1e-3 * np.trace(whole) / len(whole) * np.eye(len(whole))
    for number in range(len(counts)):
        rows = place == number
        part = seen[rows]
        model = np.linalg.solve(whole - part.T @ part + ridge, right - part.T @ table.outcome[rows])
        weight = (by_rule - at_random)[rows]
        off = table.outcome[rows] - part @ model
        scores[rows] = (chosen[rows] - drawn[rows]) @ model + weight * off
    return np.column_stack([counts.astype(np.float64), np.bincount(place, scores)])
