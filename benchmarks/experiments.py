"""Simulated experiments with a known difference: how often the intervals contain it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from benchmarks.timing import Line
from homeroom._arrays import Floats
from homeroom.studies.arm_comparison import compare_gains
from homeroom.studies.choices import ALL, choice_effects
from homeroom.studies.experiment_log import ExperimentAnswer, ExperimentChoice, ExperimentLesson

ARMS = ("homeroom", "random")
STUDIES = 2000
OFF_POLICY_STUDIES = 400
FEW_CLASS_STUDIES = 1000


@dataclass(frozen=True)
class Study:
    """A simulated study: classes that are split into two arms, with a pre-test and a post-test.

    Parameters
    ----------
    sizes
        The number of students of each class.
    difference
        The mean difference of the gains of the two arms.
    between
        The standard deviation of the difference between classes.
    arm_noise
        The standard deviation of what all students of one arm of a class have in common, as they
        see the same items.
    spread
        The standard deviation of a student's gain.
    tails
        The degrees of freedom of the t distribution of all three; infinite for the normal one.
    skewed
        The standard deviation of an exponential part of the effect: a few classes gain much more.
    items
        The number of questions of each test, with shares between 0 and 1 and a ceiling; without
        it, gains are continuous.
    """

    sizes: tuple[int, ...] = (24,) * 8
    difference: float = 0.08
    between: float = 0.04
    arm_noise: float = 0.04
    spread: float = 0.2
    tails: float = math.inf
    skewed: float = 0.0
    items: int | None = None

    def gains(self, rng: np.random.Generator) -> list[tuple[str, dict[str, Floats]]]:
        """Return the gains of the students of each class, by arm."""
        return [(f"class {place}", self._class(size, rng)) for place, size in enumerate(self.sizes)]

    def _noise(self, rng: np.random.Generator, count: int) -> Floats:
        if math.isinf(self.tails):
            return rng.standard_normal(count)
        drawn: Floats = rng.standard_t(self.tails, count)
        return drawn / math.sqrt(self.tails / (self.tails - 2.0))

    def _class(self, size: int, rng: np.random.Generator) -> dict[str, Floats]:
        effect = self.difference + self.between * self._noise(rng, 1)[0]
        level = 0.2 + 0.1 * self._noise(rng, 1)[0]
        if self.skewed:
            effect += self.skewed * (rng.exponential() - 1.0)
        ours = (size + 1) // 2
        return {
            arm: self._arm(count, level + shift, rng)
            for arm, count, shift in (("homeroom", ours, effect), ("random", size - ours, 0.0))
        }

    def _arm(self, count: int, level: float, rng: np.random.Generator) -> Floats:
        shift = level + self.arm_noise * self._noise(rng, 1)[0]
        if self.items is None:
            return np.asarray(shift + self.spread * self._noise(rng, count))
        before = np.clip(0.6 + self.spread * self._noise(rng, count), 0.02, 0.98)
        after = np.clip(before + shift, 0.02, 0.98)
        right = rng.binomial(self.items, after) - rng.binomial(self.items, before)
        return np.asarray(right / self.items)

    def truth(self) -> float:
        """Return the expected difference; by simulation where scores have a ceiling."""
        if self.items is None:
            return self.difference
        rng = np.random.default_rng(1)
        large = replace(self, sizes=(200,) * 4000)
        means = [gains["homeroom"].mean() - gains["random"].mean() for _, gains in large.gains(rng)]
        return float(np.mean(means))


def weighted_coverage(study: Study, studies: int, seed: int) -> float:
    """Return how often a mean with weights by size has the truth in its interval.

    The weights are the precisions that follow from the numbers of students, the variance is that
    of Hartung and Knapp.
    """
    rng, inside = np.random.default_rng(seed), 0
    limit = stdtrit(len(study.sizes) - 1, 0.975)
    for _ in range(studies):
        arms = [tuple(gains.values()) for _, gains in study.gains(rng)]
        found = np.array([ours.mean() - theirs.mean() for ours, theirs in arms])
        weights = np.array([1.0 / (1.0 / len(ours) + 1.0 / len(theirs)) for ours, theirs in arms])
        weights /= weights.sum()
        mean = weights @ found
        error = math.sqrt(weights @ (found - mean) ** 2 / (len(found) - 1))
        inside += bool(abs(mean - study.difference) <= limit * error)
    return inside / studies


def coverage(study: Study, studies: int, seed: int) -> tuple[float, float]:
    """Return how often the interval contains the truth, and how often it excludes zero.

    Studies without an interval, as the differences of all classes are equal, do not count.
    """
    rng, truth = np.random.default_rng(seed), study.truth()
    contains = excludes = without = 0
    for _ in range(studies):
        found = compare_gains(study.gains(rng), *ARMS)
        assert found is not None
        if math.isnan(found.low):
            without += 1
            continue
        contains += found.low <= truth <= found.high
        excludes += not found.low <= 0.0 <= found.high
    return contains / (studies - without), excludes / (studies - without)


VARIED = {
    "8 classes of 24": Study(),
    "8 classes of 6": Study(sizes=(6,) * 8),
    "8 classes of 30, no other differences between classes": Study(
        sizes=(30,) * 8, between=0.0, arm_noise=0.0
    ),
    "8 classes, students of an arm strongly correlated": Study(arm_noise=0.15),
    "8 classes, tests of 10 questions with a ceiling": Study(items=10),
    "8 classes, tests of one question": Study(items=1),
    "8 classes, heavier tails (t with 3 degrees of freedom)": Study(tails=3.0),
    "classes of 6 to 120": Study(sizes=(6, 8, 10, 12, 20, 30, 60, 120)),
    "seven classes of 6 and one of 200": Study(sizes=(*(6,) * 7, 200)),
    "3 classes of 24": Study(sizes=(24,) * 3),
    "20 classes of 24": Study(sizes=(24,) * 20),
}
"""What is varied."""

FEW = {
    "2 classes of 24": Study(sizes=(24,) * 2),
    "2 classes of 24, tests of 10 questions": Study(sizes=(24,) * 2, items=10),
    "2 classes of 6, tests of one question": Study(sizes=(6,) * 2, items=1),
    "3 classes of 6, tests of one question": Study(sizes=(6,) * 3, items=1),
}
"""Few classes: with coarse tests, intervals are too wide rather than too narrow."""

SKEWED = Study(skewed=0.5)
"""Where intervals contain the truth too seldom."""


@dataclass(frozen=True)
class ChoiceStudy:
    """Simulated lessons in which single choices have a known effect on the next answers.

    A student's chance of a right answer is the sum of a class's, a group's and a student's part,
    minus the difficulty of the item, plus ``effect`` if the last choice was the rule's.
    The difficulties are such that the rule's items are as difficult as others on average.

    Parameters
    ----------
    classes, students, rounds
        Their numbers; students in each arm.
    allowed
        The number of items that may be chosen.
    explore
        The share of choices at random in the arm that follows the rule.
    effect
        The effect of following the rule on the next answers.
    between
        The standard deviation of the effect between classes.
    learner
        Whether the log has what a fitted learner expects.
    lasts
        The number of next answers that a choice has an effect on.
    """

    classes: int = 10
    students: int = 8
    rounds: int = 20
    allowed: int = 12
    explore: float = 0.5
    effect: float = 0.06
    between: float = 0.02
    learner: bool = True
    lasts: int = 1

    def truth(self, ahead: int) -> float:
        """Return the effect of following the rule, not a random choice, on the next answers."""
        return self.effect * (1.0 - 1.0 / self.allowed) * min(self.lasts, ahead) / ahead

    def lessons(self, rng: np.random.Generator) -> list[ExperimentLesson]:
        """Return the lessons of all classes."""
        hard = 0.08 * rng.standard_normal(self.allowed)
        return [self._lesson(f"class {place}", hard, rng) for place in range(self.classes)]

    def _lesson(self, name: str, hard: Floats, rng: np.random.Generator) -> ExperimentLesson:
        effect = self.effect + self.between * rng.standard_normal()
        level = 0.5 + 0.06 * rng.standard_normal()
        choices, answers = [], []
        for arm, explore in zip(ARMS, (self.explore, 1.0), strict=True):
            own = level + 0.04 * rng.standard_normal() + 0.08 * rng.standard_normal(self.students)
            followed: list[bool] = []
            for number in range(1, self.rounds + 1):
                wanted = int(rng.integers(self.allowed))
                draw = rng.random() < explore
                item = int(rng.integers(self.allowed)) if draw else wanted
                probability = explore / self.allowed + (1.0 - explore) * (item == wanted)
                expected = {"before": level, "item": 0.0, "random": 0.0, "homeroom": 0.0}
                if self.learner:
                    gains = rng.normal(0.03, 0.02), rng.normal(0.0, 0.02)
                    mine = gains[0] if item == wanted else gains[1]
                    expected |= {"item": mine, "homeroom": gains[0], "random": 0.0}
                choices.append(
                    ExperimentChoice(
                        arm,
                        number,
                        f"{item}",
                        self.allowed,
                        probability,
                        {"homeroom": f"{wanted}"},
                        expected,
                    )
                )
                gained = effect * sum(followed[-self.lasts :])
                chance = np.clip(own - hard[item] + gained + 0.002 * number, 0.0, 1.0)
                right = rng.random(self.students) < chance
                answers += [
                    ExperimentAnswer(arm, f"{arm} {s}", "lesson", number, f"{item}", 1, bool(r))
                    for s, r in enumerate(right)
                ]
                followed.append(item == wanted)
        return ExperimentLesson(name, 1, ARMS, self.explore, choices, answers)


def choice_coverage(
    study: ChoiceStudy, studies: int, seed: int, arm: str = "homeroom", ahead: int = 1
) -> dict[str, float]:
    """Return the mean effective number of choices, and how often each interval has the truth."""
    rng, truth = np.random.default_rng(seed), study.truth(ahead)
    found = []
    for _ in range(studies):
        effects = choice_effects(study.lessons(rng), ahead=ahead)
        one = next(each for each in effects if each.taught_by == arm)
        if one.weighted is None or one.doubly_robust is None:
            continue
        both = (one.weighted, one.doubly_robust)
        found.append(
            [
                one.effective,
                *(each.low <= truth <= each.high for each in both),
                *(each.value - truth for each in both),
                *(each.error for each in both),
            ]
        )
    means = np.mean(np.array(found, dtype=np.float64), axis=0).tolist()
    names = ("effective", "weighted", "robust", "bias", "robust_bias", "error", "robust_error")
    return {**dict(zip(names, means, strict=True)), "studies": float(len(found))}


CHOICES = {
    "10 classes, half of the choices at random": ChoiceStudy(rounds=25),
    "8 classes, 30 % at random": ChoiceStudy(classes=8, explore=0.3, rounds=60),
    "4 classes": ChoiceStudy(classes=4, rounds=60),
    "20 classes, no learner in the log": ChoiceStudy(classes=20, learner=False),
    "20 classes of 3 students, effects that differ": ChoiceStudy(
        classes=20, students=3, between=0.06
    ),
    "40 classes, 20 % at random, 30 items": ChoiceStudy(classes=40, explore=0.2, allowed=30),
}
"""Lessons whose effective number of choices is 100 or more, in the arm that follows the rule."""

FEW_ITEMS = ChoiceStudy(classes=8, rounds=60, allowed=4)
OTHER_CHOICES = {
    "3 classes": (ChoiceStudy(classes=3, rounds=80), "homeroom"),
    "3 classes, effects that differ": (ChoiceStudy(classes=3, rounds=80, between=0.06), "homeroom"),
    "3 classes, all arms": (replace(FEW_ITEMS, classes=3, rounds=80), ALL),
    "8 classes, all arms": (replace(FEW_ITEMS, rounds=30), ALL),
    "3 classes, the random arm": (replace(FEW_ITEMS, classes=3, rounds=150), "random"),
    "8 classes, the random arm": (FEW_ITEMS, "random"),
    "2 classes": (ChoiceStudy(classes=2, rounds=120), "homeroom"),
    "2 classes, all arms": (replace(FEW_ITEMS, classes=2, rounds=120), ALL),
}
"""The same for few classes, and for the lessons of the other arm or of both."""

LASTING = ChoiceStudy(rounds=30, lasts=2)
"""A choice has an effect on the next two answers, for outcomes of more than one answer."""


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    for seed, (name, study) in enumerate({**VARIED, **FEW}.items()):
        inside, _ = coverage(study, STUDIES, seed)
        most = 0.965 if name in VARIED else 1.0
        yield Line(f"{name}: intervals with the truth", inside, "limit", most, 1.0, unit="")
        yield Line(f"{name}: intervals without it", 1.0 - inside, "limit", 0.065, 1.0, unit="")
        _, alarms = coverage(replace(study, difference=0.0), STUDIES, 100 + seed)
        yield Line(f"{name}: false alarms", alarms, "limit", 0.065, 1.0, unit="")
    name = "seven classes of 6 and one of 200"
    inside = weighted_coverage(VARIED[name], STUDIES, 50)
    yield Line(
        f"{name}, weights by size (not used): with the truth", inside, "nominal", 0.95, unit=""
    )
    for seed, (name, choice) in enumerate(CHOICES.items()):
        yield from _choice_lines(name, choice_coverage(choice, OFF_POLICY_STUDIES, seed))
    for seed, (name, (choice, arm)) in enumerate(OTHER_CHOICES.items(), start=300):
        yield from _choice_lines(name, choice_coverage(choice, FEW_CLASS_STUDIES, seed, arm))
    for ahead in (2, 3):
        found = choice_coverage(LASTING, OFF_POLICY_STUDIES, 20 + ahead, ahead=ahead)
        yield from _choice_lines(f"next {ahead} answers", found)


def _choice_lines(name: str, found: dict[str, float]) -> Iterator[Line]:
    what = f"one choice, {name} ({found['effective']:.0f} effective choices)"
    for kind in ("weighted", "robust"):
        missed = 1.0 - found[kind]
        yield Line(f"{what}, {kind}: without the truth", missed, "limit", 0.08, 1.0, unit="")
