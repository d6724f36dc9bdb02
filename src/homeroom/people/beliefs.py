"""What is known about a class: several learner laws at once, weighted by how well they foresee.

The class's offset is how far all laws are off together. It is followed by Kalman filters with
several spreads, weighted by how well each foresees the answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.people.laws import AbstractLaw, ClassAnswers

LAW_TRUST = 10.0
"""The class's evidence for a law counts as that of this many students: a wrong law is wrong for all
of them in the same way."""

FADE = 0.93
"""What is left of the evidence for a law after a round, so that another law can take over."""

STUDENT = 0.03
"""The standard deviation of single students around the laws."""

COHORTS = 4
"""The largest number of cohorts: students who joined at about the same time."""

JOINED = 3
"""Students who join within so many solutions of each other are one cohort."""

NUMBERS = 0.12
"""The relative standard deviation of the class around the laws, for numbers on a scale."""

NEGLIGIBLE = 0.01
"""Laws with a smaller weight do not count in the choice of an item."""

OFFSET_FADE = 0.85
"""What is left of the class's offset after a round."""

OFFSET_SPREADS = np.array([0.02, 0.055, 0.09])
"""Standard deviations of the offset, at a share of right answers of .5."""

OFFSET_PRIOR = np.array([0.25, 0.5, 0.25])
"""The prior of these."""

NINETY = 1.645
"""Half the width of a 90 % range, in standard deviations."""


class ClassKnowledge(NamedTuple):
    """The expected share of right answers over the list, with a 90 % range.

    For numbers on a scale, the expected root mean squared difference to the right numbers.

    Parameters
    ----------
    mean, low, high
        Of the class.
    students
        ``mean, low, high`` of each student, shape ``(students, 3)``.
    """

    mean: float
    low: float
    high: float
    students: Floats


class OffsetFilter:
    """How far all laws are off together: ``offset <- .85 offset + noise``, heard with each item.

    Parameters
    ----------
    item_spread
        The standard deviation of single items around the laws, at a share of .5.
    """

    def __init__(self, item_spread: float) -> None:
        self.item_spread = item_spread
        self.means = np.zeros(len(OFFSET_SPREADS))
        self.variances = OFFSET_SPREADS**2
        self.logs = np.log(OFFSET_PRIOR)

    @property
    def moments(self) -> tuple[float, float]:
        """The mean and the variance of the offset."""
        weights = np.exp(self.logs - self.logs.max())
        weights /= weights.sum()
        mean = float(weights @ self.means)
        return mean, float(weights @ (self.variances + (self.means - mean) ** 2))

    def hear(self, expected: float, share: float, answers: float) -> None:
        """Hear the share of right answers to an item, of which the laws expected another one."""
        scale = 4.0 * expected * (1.0 - expected)
        before = OFFSET_FADE * self.means
        added = (1.0 - OFFSET_FADE**2) * OFFSET_SPREADS**2 * scale
        variance = OFFSET_FADE**2 * self.variances + added
        total = variance + scale * (0.25 / answers + self.item_spread**2)
        surprise = share - expected - before
        self.logs = self.logs - 0.5 * (np.log(total) + surprise**2 / total)
        gain = variance / total
        self.means = before + gain * surprise
        self.variances = (1.0 - gain) * variance


class LawBank:
    """The beliefs about a class under several laws.

    Parameters
    ----------
    laws
        The laws by name.
    students
        How many there are.
    numbers
        Whether the answers are numbers on a scale.
    item_spread
        See :class:`OffsetFilter`.
    """

    def __init__(
        self,
        laws: Mapping[str, AbstractLaw],
        students: int,
        *,
        numbers: bool = False,
        item_spread: float = 0.12,
    ) -> None:
        self.laws = dict(laws)
        self.numbers = numbers
        self.log_evidence = np.zeros(len(self.laws))
        self.offset = OffsetFilter(item_spread)
        self.cohorts, self.shown_to_last = 1, 0  # solutions shown to the last cohort

    @property
    def law_weights(self) -> Floats:
        """The weights of the laws, in their order."""
        weights = np.exp(self.log_evidence - self.log_evidence.max())
        return np.asarray(weights / weights.sum())

    def expect(self, item: int) -> Floats:
        """Return the chance of each student to answer an item correctly.

        For numbers on a scale, the expected squared difference.
        """
        return np.asarray(
            self.law_weights @ np.array([law.expect(item) for law in self.laws.values()])
        )

    def hear(self, item: int, answers: ClassAnswers) -> None:
        """Hear the class's answers to one item."""
        heard = int(answers.heard.sum())
        if heard:
            self._follow_offset(float(self.expect(item)[answers.heard].mean()), answers, heard)
        trust = min(1.0, LAW_TRUST / max(heard, 1))
        found = np.array([law.evidence(item, answers) for law in self.laws.values()])
        self.log_evidence = FADE * self.log_evidence + trust * found
        for law in self.laws.values():
            law.hear(item, answers)

    def _follow_offset(self, expected: float, answers: ClassAnswers, heard: int) -> None:
        """Compare the answers with what the laws expected of them.

        For numbers on a scale, the offset is that of the logarithm of the root mean squared
        difference, whose variance is that of twice as few shares of .5.
        """
        if not self.numbers:
            self.offset.hear(expected, float(answers.right[answers.heard].mean()), heard)
            return
        found = float((answers.off[answers.heard] ** 2).mean())
        ratio = 0.5 * np.log(max(found, 1e-4 * expected) / expected)
        self.offset.hear(0.5, 0.5 + float(np.clip(ratio, -1.0, 1.0)), 0.5 * heard)

    def snapshot(self) -> dict[str, Floats]:
        """Return what does not follow from the answers without much computation."""
        names = [f"{law}.{name}" for law, each in self.laws.items() for name in each.kept]
        values = [getattr(each, name) for each in self.laws.values() for name in each.kept]
        offset = np.stack([self.offset.means, self.offset.variances, self.offset.logs])
        return dict(zip(names, values, strict=True)) | {
            "evidence": self.log_evidence,
            "offset": offset,
        }

    def prepare(self, kept: Mapping[str, Floats]) -> None:
        """Prepare to :meth:`follow` the answers before a snapshot; then :meth:`load` it."""
        for name, law in self.laws.items():
            law.prepare({each: kept[f"{name}.{each}"] for each in law.kept})

    def follow(self, item: int, answers: ClassAnswers) -> None:
        """Do what is left to do for answers that were heard before a snapshot."""
        for law in self.laws.values():
            law.follow(item, answers)

    def load(self, kept: Mapping[str, Floats]) -> None:
        """Load what :meth:`snapshot` returned."""
        for name, law in self.laws.items():
            law.load({each: kept[f"{name}.{each}"] for each in law.kept})
        self.log_evidence = kept["evidence"]
        self.offset.means, self.offset.variances, self.offset.logs = kept["offset"]

    def show(self, item: int, rounds: float) -> None:
        """Show the solution of an item to all students."""
        self.shown_to_last += 1
        for law in self.laws.values():
            law.show(item, rounds)

    def gain(self, candidates: Ints) -> Floats:
        """Return the expected share of right answers once each candidate is shown.

        For numbers: how much smaller the squared difference is. Both up to a constant.
        """
        total = np.zeros(len(candidates))
        for weight, law in zip(self.law_weights, self.laws.values(), strict=True):
            if weight > NEGLIGIBLE:
                total += weight * law.gain(candidates)
        return total

    def add_student(self) -> None:
        """Add a student who was not there before."""
        late = self.shown_to_last >= (JOINED if self.cohorts > 1 else 1)
        if late and self.cohorts < COHORTS:
            for law in self.laws.values():
                law.add_cohort()
            self.cohorts, self.shown_to_last = self.cohorts + 1, 0
        for law in self.laws.values():
            law.add_student()

    def keep_students(self, rows: Ints) -> None:
        """Keep some of the students, in this order."""
        for law in self.laws.values():
            law.keep_students(rows)

    @property
    def knows(self) -> ClassKnowledge:
        """What the class knows, from the mixture of laws: where they disagree, ranges are wide."""
        weights = self.law_weights
        moments = [law.moments() for law in self.laws.values()]
        means = np.array([part.mean for part in moments])  # (laws, students)
        variances = np.array([part.variance for part in moments])
        shared = np.array([part.shared for part in moments])
        by_law = np.array([part.class_mean for part in moments])
        each, middle = weights @ means, float(weights @ by_law)
        students = max(1, len(each))
        own = variances.sum(axis=1) / students**2
        variance = float(weights @ ((by_law - middle) ** 2 + shared + own))
        each_variance = weights @ (variances + (means - each) ** 2)
        offset, offset_variance = self.offset.moments
        if self.numbers:
            found = _describe_differences(
                np.append(middle, each), np.append(variance, each_variance)
            )
            return _collect(found * np.exp(offset))
        each_variance = each_variance + STUDENT**2 + offset_variance
        ranges = _ranges(
            np.append(middle, each), np.append(variance + offset_variance, each_variance), offset
        )
        return _collect(ranges)


def _ranges(means: Floats, variances: Floats, offset: float) -> Floats:
    """Return (mean, low, high) of shares of right answers, shape ``(n, 3)``."""
    middle = np.clip(means + offset, 0.02, 0.985)
    half = NINETY * np.sqrt(variances)
    return np.column_stack([middle, np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)])


def _describe_differences(squares: Floats, variances: Floats) -> Floats:
    """Return (mean, low, high) of root mean squared differences, from moments of squared ones."""
    spread = np.sqrt(variances + (2.0 * NUMBERS * squares) ** 2)
    roots = np.sqrt(squares)
    half = NINETY * spread / (2.0 * roots)  # the derivative of the root
    return np.column_stack([roots, np.maximum(roots - half, 0.0), roots + half])


def _collect(ranges: Floats) -> ClassKnowledge:
    mean, low, high = ranges[0].tolist()
    return ClassKnowledge(mean, low, high, ranges[1:])
