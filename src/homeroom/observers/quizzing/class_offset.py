"""How far what a class knows may differ from what the law of learning foresees.

People do not learn as the quiz assumes, and the law is wrong for all students of a class in the
same way. So the uncertainty about the class does not shrink with the number of students. It has
three parts, all of which are drawn once for the whole class:

- an offset ``b`` of the class's score, ``Phi^-1(share) + b``. It is estimated from the difference
  between the share of right answers that was foreseen for an item and the share that was observed.
  It varies as an AR(1) process, one step per example.
- what the examples taught about other items. The item that is asked is a new one, so the answers do
  not show this for some rounds; on average, students learn more than the law foresees, and
  sometimes a whole kind of items from one example.
- lapses of students who know a rule, as far as the answers leave room for them.

A range of less than 5 points to each side is not stated in the first ten rounds, whatever the parts
add up to. The constants were set on simulated classes with other laws of learning, see
``benchmarks/RESULTS.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from homeroom._arrays import Floats

KEPT = 0.8
"""The part of an offset that is left after the next example."""

SPREAD, SPREAD_OF_FACTS = 0.4, 0.1
"""The standard deviation of the offset without answers. A fact that is shown teaches only itself,
so the law is less important."""

AT_FIRST = 0.15
"""The standard deviation of the offset before the first example: no law of learning counts yet."""

ITEM = 0.3
"""The standard deviation of what a single item adds to the offset."""

TRANSFER, TRANSFER_OF_FACTS = 1.0, 0.3
"""The mean of what examples teach beyond what is foreseen, as an offset of a class that knows
nothing; it is proportional to what the class does not know. Its distribution is exponential: mostly
little, and sometimes much."""

BUILDS, FADES = 0.5, 0.97
"""Each example adds half of the transfer that is missing. Later it fades: answers show it."""

LAPSES = 0.05
"""The largest share of lapses of students who know a rule. What is known of facts is estimated from
answers to the facts themselves, which include lapses."""

LEAST, LEAST_UNTIL = 0.05, 10
"""The smallest half-width of the 90 % range of the class, until this round; later, it falls with
the number of rounds."""

STEEP = 0.08
"""The smallest slope of a share with respect to the offset that is used to estimate it."""

_ROOT_2PI = math.sqrt(2.0 * math.pi)


@dataclass(frozen=True)
class ClassOffset:
    """The estimate of the offset of a class.

    Parameters
    ----------
    mean, variance
        Of the offset.
    wrong
        The share of wrong answers lately.
    facts
        Whether the items share no rule.
    """

    mean: float = 0.0
    variance: float = AT_FIRST**2
    wrong: float = 1.0
    facts: bool = False

    def after_answers(
        self, foreseen: float, observed: float, *, answers: int, items: int
    ) -> ClassOffset:
        """Return the estimate after answers: a Kalman step.

        Parameters
        ----------
        foreseen, observed
            The share of right answers that was foreseen, and the share of them.
        answers, items
            The number of answers, and of different items.

        Examples
        --------
        >>> after = ClassOffset().after_answers(0.5, 0.8, answers=30, items=1)
        >>> after.mean > 0.1, after.variance < AT_FIRST**2
        (True, True)
        """
        score = float(ndtri(min(max(foreseen, 0.01), 0.99))) + self.mean
        expected = float(ndtr(score))
        slope = max(math.exp(-0.5 * score * score) / _ROOT_2PI, STEEP)
        noise = max(expected * (1.0 - expected), 0.01) / answers + (ITEM * slope) ** 2 / items
        gain = self.variance * slope / (slope**2 * self.variance + noise)
        return ClassOffset(
            self.mean + gain * (observed - expected),
            (1.0 - gain * slope) * self.variance,
            KEPT * self.wrong + (1.0 - KEPT) * (1.0 - observed),
            self.facts,
        )

    def after_example(self) -> ClassOffset:
        """Return the estimate after an example: less is known about the offset."""
        spread = SPREAD_OF_FACTS if self.facts else SPREAD
        variance = KEPT**2 * self.variance + (1.0 - KEPT**2) * spread**2
        return ClassOffset(KEPT * self.mean, variance, self.wrong, self.facts)

    def apply(self, shares: Floats, counted: Floats, rounds: int) -> Floats:
        """Return draws of the students' shares of right answers with the offset and lapses.

        Parameters
        ----------
        shares
            Draws from the beliefs about the students, shape ``(students, draws)``.
        counted
            The students who count in the class: 1 or 0, shape ``(students,)``.
        rounds
            The number of examples shown.
        """
        unknown = 1.0 - float(counted @ shares.mean(axis=1) / counted.sum())
        transfer = TRANSFER_OF_FACTS if self.facts else TRANSFER
        transfer *= unknown * (1.0 - BUILDS**rounds) * FADES**rounds
        evenly = (np.arange(shares.shape[1]) + 0.5) / shares.shape[1]
        rng = np.random.default_rng(5)
        offset = self.mean + math.sqrt(self.variance) * rng.permutation(ndtri(evenly))
        offset -= transfer * rng.permutation(np.log(evenly))  # exponentially distributed
        most = 0.0 if self.facts else min(LAPSES, self.wrong)
        lapses = most * rng.permutation(evenly)
        scores = ndtri(np.clip(shares, 0.005, 0.995))
        # With scores of variance v, the share is Phi(mean / sqrt(1 + v)): shift them by more.
        offset *= math.sqrt(1.0 + float(scores[counted > 0].var(axis=0).mean()))
        found: Floats = (1.0 - lapses) * ndtr(scores + offset)
        return widen(found, counted, LEAST * min(1.0, LEAST_UNTIL / max(rounds, 1)))


def widen(shares: Floats, counted: Floats, least: float) -> Floats:
    """Return the draws, spread so that the class's 90 % range has at least a certain half-width.

    Both ends are at least so far from the mean of the draws, or at 0 or 1. In each draw, the mean
    of the class is moved, and each student's share in proportion to its distance to 0 or 1.

    Parameters
    ----------
    shares, counted
        As for :meth:`ClassOffset.apply`.
    least
        The half-width.

    Examples
    --------
    >>> shares = np.linspace(0.79, 0.81, 200)[None]
    >>> np.quantile(widen(shares, np.ones(1), 0.05), [0.05, 0.5, 0.95]).round(3)
    array([0.75, 0.8 , 0.85])
    """
    mean = counted @ shares / counted.sum()
    middle = mean.mean()
    low, high = np.quantile(mean, [0.05, 0.95])
    below, above = (max(1.0, least / max(side, 1e-9)) for side in (middle - low, high - middle))
    moved = np.clip(middle + np.where(mean < middle, below, above) * (mean - middle), 0.0, 1.0)
    fewer = shares * (moved / np.maximum(mean, 1e-12))
    more = 1.0 - (1.0 - shares) * ((1.0 - moved) / np.maximum(1.0 - mean, 1e-12))
    found: Floats = np.where(moved < mean, fewer, more)
    return found
