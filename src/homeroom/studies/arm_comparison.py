"""The difference of gains between two arms: within one class, and pooled over classes."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import nctdtr, stdtr, stdtrit

from homeroom._arrays import Floats
from homeroom.studies.experiment_log import ExperimentLesson

Gains: TypeAlias = Sequence[float] | Floats
"""The gains of some students: the share of right answers in the post-test minus the pre-test."""

MOST_CLASSES = 10_000
"""From this number of classes on, the number needed is no longer counted."""

EQUAL = 1e-9
"""Differences that vary by less than this are equal up to rounding."""

FLIPS = 1 << 12
"""The number of sign flips that are drawn where there are more."""


class ClassDifference(NamedTuple):
    """The difference of the mean gains of two arms in one class.

    ``students`` and ``other_students`` are those who took both tests; ``error`` is the standard
    error of ``difference`` that follows from the spread of their gains.
    """

    classroom: str
    students: int
    other_students: int
    gain: float
    other_gain: float
    error: float

    @property
    def difference(self) -> float:
        """The mean gain of the arm minus that of the other one."""
        return self.gain - self.other_gain


@dataclass(frozen=True)
class ArmComparison:
    """The difference of gains between two arms.

    The unit is the class. Students of one arm see the same items, so they are not independent: with
    one class, the interval is for its students only, and ``over`` is ``"students"``. With
    several, every class gives one difference, and the interval is the t interval of their mean;
    ``over`` is ``"classes"``. All classes count the same: weights by size would give intervals that
    are too short where the effect differs between classes (``docs/experiments.md``).

    Parameters
    ----------
    arm, other
        The arms.
    classes
        The classes in which students of both arms took both tests.
    difference
        The mean difference, ``arm`` minus ``other``.
    low, high
        The ends of the interval; ``nan`` if there are too few students for one, or if the
        differences of all classes (with one class, the gains of each arm) are equal: then nothing
        is known about how much they vary.
    level
        The confidence level of the interval.
    over
        ``"classes"`` or ``"students"``.
    p
        The two-sided p value of no difference, from the t distribution; ``nan`` without an
        interval.
    p_sign_flips
        The same without the t distribution: how often the mean is as large if the sign of each
        class's difference is drawn at random, as if the arms were swapped. ``nan`` with one class.
    spread
        The standard deviation of the difference between classes; with one class, at least this.
    """

    arm: str
    other: str
    classes: tuple[ClassDifference, ...]
    difference: float
    low: float
    high: float
    level: float
    over: str
    p: float
    p_sign_flips: float
    spread: float

    def needed(self, difference: float | None = None) -> int | None:
        """Return how many classes are needed to show a difference with power 0.8.

        By default it is the difference seen. ``None`` above 10,000 classes, as for a difference of
        zero.
        """
        return classes_needed(self.difference if difference is None else difference, self.spread)


def compare_arms(
    lessons: Sequence[ExperimentLesson], arm: str, other: str, *, level: float = 0.95, seed: int = 0
) -> ArmComparison | None:
    """Return the difference of gains between two arms, or ``None`` where no class has both.

    If a class has several lessons with these arms, their differences are averaged first: a class
    counts once.

    >>> from homeroom.studies.experiment_log import ExperimentAnswer
    >>> def tests(arm, student, before, after):
    ...     both = zip(("pretest", "posttest"), (before, after))
    ...     return [
    ...         ExperimentAnswer(arm, student, phase, 0, f"item {n}", 1, n < right)
    ...         for phase, right in both
    ...         for n in range(10)
    ...     ]
    >>> answers = [
    ...     *(tests("homeroom", "a", 4, 9) + tests("homeroom", "b", 5, 8)),
    ...     *(tests("random", "c", 4, 7) + tests("random", "d", 6, 8)),
    ... ]
    >>> lesson = ExperimentLesson("5b", 1, ("homeroom", "random"), answers=answers)
    >>> found = compare_arms([lesson], "homeroom", "random")
    >>> f"{found.difference:.2f}, {found.over}"
    '0.15, students'
    """
    gains = [(lesson.classroom, lesson.gains) for lesson in lessons]
    return compare_gains(gains, arm, other, level=level, seed=seed)


def compare_gains(
    lessons: Iterable[tuple[str, Mapping[str, Gains]]],
    arm: str,
    other: str,
    *,
    level: float = 0.95,
    seed: int = 0,
) -> ArmComparison | None:
    """Return the same from the class of each lesson and the gains of its students by arm.

    ``seed`` draws the sign flips where there are more than twelve classes.
    """
    found: dict[str, list[ClassDifference]] = defaultdict(list)
    for classroom, gains in lessons:
        one = _difference(classroom, gains, arm, other)
        if one is not None:
            found[classroom].append(one)
    if not found:
        return None
    classes = tuple(_together(each) for each in found.values())
    if len(classes) == 1:
        return _of_students(classes[0], arm, other, level)
    differences = np.array([one.difference for one in classes])
    spread = float(differences.std(ddof=1))
    error = spread / math.sqrt(len(classes))
    return _comparison(
        classes,
        arm,
        other,
        level=level,
        degrees=len(classes) - 1,
        error=error,
        spread=spread,
        flips=_sign_flips(differences, seed),
    )


def _difference(
    classroom: str, gains: Mapping[str, Gains], arm: str, other: str
) -> ClassDifference | None:
    """Return the difference of gains in one class; ``None`` if an arm has no students."""
    ours, theirs = np.array(gains.get(arm, ())), np.array(gains.get(other, ()))
    if not len(ours) or not len(theirs):
        return None
    error = math.inf
    if min(len(ours), len(theirs)) > 1:
        error = math.sqrt(ours.var(ddof=1) / len(ours) + theirs.var(ddof=1) / len(theirs))
    return ClassDifference(
        classroom, len(ours), len(theirs), float(ours.mean()), float(theirs.mean()), error
    )


def _together(lessons: Sequence[ClassDifference]) -> ClassDifference:
    """Return the mean of the lessons of one class."""
    if len(lessons) == 1:
        return lessons[0]
    gain, other, error = np.array([(one.gain, one.other_gain, one.error) for one in lessons]).T
    return ClassDifference(
        lessons[0].classroom,
        max(one.students for one in lessons),
        max(one.other_students for one in lessons),
        float(gain.mean()),
        float(other.mean()),
        float(np.hypot.reduce(error) / len(lessons)),
    )


def _of_students(one: ClassDifference, arm: str, other: str, level: float) -> ArmComparison:
    """Return the comparison of one class, with Welch's interval over its students.

    The degrees of freedom are those of the smaller arm, at most what Welch's formula gives. They
    need no variances, and the interval is rather too wide than too narrow.
    """
    degrees = min(one.students, one.other_students) - 1
    return _comparison(
        (one,), arm, other, level=level, degrees=degrees, error=one.error, spread=one.error
    )


def _comparison(
    classes: tuple[ClassDifference, ...],
    arm: str,
    other: str,
    *,
    level: float,
    degrees: int,
    error: float,
    spread: float,
    flips: float = math.nan,
) -> ArmComparison:
    """Return the comparison of two arms, with a t interval.

    ``error`` is the standard error of the mean difference, ``degrees`` are its degrees of freedom,
    and ``flips`` is ``p_sign_flips``.
    """
    difference = float(np.mean([one.difference for one in classes]))
    over = "classes" if len(classes) > 1 else "students"
    low = high = p = math.nan
    if degrees > 0 and EQUAL < error < math.inf:
        half = float(stdtrit(degrees, 0.5 + level / 2)) * error
        low, high = difference - half, difference + half
        p = 2.0 * float(stdtr(degrees, -abs(difference) / error))
    spread = spread if EQUAL < spread < math.inf else math.nan
    return ArmComparison(arm, other, classes, difference, low, high, level, over, p, flips, spread)


def _sign_flips(differences: Floats, seed: int) -> float:
    """Return how often the mean is at least as large with other signs of the differences.

    All combinations of signs are tried for up to twelve classes, otherwise ``FLIPS`` random ones.
    """
    count = len(differences)
    if count <= 12:
        signs = 1.0 - 2.0 * ((np.arange(1 << count)[:, None] >> np.arange(count)) & 1)
        as_large = np.abs(signs @ differences) >= abs(differences.sum()) * (1.0 - 1e-12)
        return float(as_large.mean())
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(FLIPS, count))
    as_large = np.abs(signs @ differences) >= abs(differences.sum()) * (1.0 - 1e-12)
    return (1.0 + float(as_large.sum())) / (1.0 + FLIPS)  # the signs seen are one of the draws


def classes_needed(
    difference: float, spread: float, *, power: float = 0.8, level: float = 0.95
) -> int | None:
    """Return the smallest number of classes whose t test shows a difference with this power.

    Parameters
    ----------
    difference
        The mean difference to be shown.
    spread
        The standard deviation of the difference between classes.
    power, level
        The probability of showing it, and the confidence level.

    Returns
    -------
    int or None
        At least 2; ``None`` above 10,000 classes, or if the spread is not known.

    >>> classes_needed(0.1, 0.1), classes_needed(0.05, 0.1), classes_needed(0.0, 0.1)
    (10, 34, None)
    """
    effect = abs(difference) / spread if spread > 0 else (math.inf if difference else 0.0)
    if not math.isfinite(spread) or not _power(MOST_CLASSES, effect, level) >= power:
        return None
    low, high = 2, MOST_CLASSES
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(middle, effect, level) >= power else (middle + 1, high)
    return low


def _power(classes: int, effect: float, level: float) -> float:
    """Return the power of the two-sided t test; ``effect`` is in standard deviations."""
    degrees, shift = classes - 1, effect * math.sqrt(classes)
    limit = float(stdtrit(degrees, 0.5 + level / 2))
    if shift > 30.0 + limit:
        return 1.0
    below = float(nctdtr(degrees, shift, -limit)) if shift < 5.0 else 0.0  # else below 1e-10
    return 1.0 - float(nctdtr(degrees, shift, limit)) + below
