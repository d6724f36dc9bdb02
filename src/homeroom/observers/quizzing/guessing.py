"""Which students answer the questions, and which answer without reading them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, expit, logsumexp

from homeroom._arrays import Floats, Ints

ODDS = 50.0
"""A student is reported if pressing one button explains their answers this many times better."""

ANSWERS = 12
"""The number of answers before a student may be reported."""

FAST = 0.2
"""An answer is hasty if it takes less than this fraction of the class's median time."""

CLICKERS = 0.05
"""The prior share of students who answer without reading."""


def clicking_evidence(answers: Floats, options: Ints | None = None) -> Floats:
    """Return the log-probability of each student's answers if they do not read the questions.

    Such a student says yes with a constant probability, whatever the item, with a uniform prior.
    With more than two answers, they press a preferred button with a constant probability, and the
    others are equally likely. If an item does not have that button, all its buttons are equally
    likely. At first, each button is equally likely to be the preferred one.

    Parameters
    ----------
    answers
        +1, -1, or 0 for none, shape ``(students, items)``; or the numbers of answers.
    options
        The number of answers to each item, if there are more than two, shape ``(items,)``.
    """
    if options is not None:
        others, every = -np.log(np.maximum(options - 1.0, 1.0)), -np.log(options)
        buttons = []
        for button in range(1, int(options.max(initial=2)) + 1):
            there = options >= button
            hit, miss = answers == button, (answers != button) & (answers != 0)
            rate = betaln(1.0 + hit.sum(axis=1), 1.0 + (miss & there).sum(axis=1))
            buttons.append(rate + miss @ np.where(there, others, every))
        total: Floats = logsumexp(buttons, axis=0) - np.log(len(buttons))
        return total
    evidence: Floats = betaln(1.0 + (answers > 0).sum(axis=1), 1.0 + (answers < 0).sum(axis=1))
    return evidence


def honesty_of(evidence: Floats, answers: Floats, options: Ints | None = None) -> Floats:
    """Return the probability that each student reads the questions, shape ``(students,)``.

    The share of students who do not is estimated from the class too (EM).

    Parameters
    ----------
    evidence
        The log-probability of each student's answers if they read, shape ``(students,)``.
    answers, options
        The answers, shape ``(students, items)``, and as for :func:`clicking_evidence`.

    >>> always_yes, sensible = [1.0] * 12, [1.0, -1.0] * 6
    >>> honesty_of(np.array([-9.0, -3.0]), np.array([always_yes, sensible])).round(2)
    array([0.02, 1.  ])
    """
    better = evidence - clicking_evidence(answers, options)
    share = CLICKERS
    for _ in range(10):
        honest: Floats = expit(better + np.log((1.0 - share) / share))
        share = ((1.0 - honest).sum() + 20.0 * CLICKERS) / (len(honest) + 20.0)
    return honest


def class_evidence(evidence: Floats, answers: Floats, options: Ints | None = None) -> float:
    """Return the log-probability of all answers, if a share ``CLICKERS`` does not read.

    ``evidence`` is the log-probability of each student's answers if they read.
    """
    clicking = clicking_evidence(answers, options) + np.log(CLICKERS)
    return float(np.logaddexp(evidence + np.log1p(-CLICKERS), clicking).sum())


def coin_evidence(answers: Floats, options: Ints | None = None) -> Floats:
    """Return the log-probability of each student's answers if all were drawn at random."""
    several = np.full(answers.shape[1], 2) if options is None else options
    evidence: Floats = -((answers != 0) @ np.log(several))
    return evidence


def class_like_evidence(answers: Floats, options: Ints | None = None) -> Floats:
    """Return the log-probability of each student's answers, predicted from the other students.

    The chance of an answer is its share among the others, with one of each answer added.
    """
    several = np.full(answers.shape[1], 2) if options is None else options
    given = answers != 0
    total = np.log(several + given.sum(axis=0) - given)
    evidence = np.zeros(len(answers))
    for button in (1, -1) if options is None else range(1, int(several.max(initial=2)) + 1):
        chose = answers == button
        others = np.log(1.0 + chose.sum(axis=0) - chose)
        evidence += np.where(chose, others - total, 0.0).sum(axis=1)
    return evidence


def pressing_odds(evidence: Floats, answers: Floats, options: Ints | None = None) -> Floats:
    """Return the log-odds that each student presses one button with a constant probability.

    Such a student is compared with one who reads the questions: who answers as their state
    predicts, or as the other students do, or at random because they know nothing yet. So a beginner
    who guesses is not suspected.

    Parameters
    ----------
    evidence
        The log-probability of each student's answers as their state predicts them, without a
        preference for one button, shape ``(students,)``.
    answers, options
        The answers, shape ``(students, answers)``, and as for :func:`clicking_evidence`.
    """
    honest = np.stack(
        [evidence, class_like_evidence(answers, options), coin_evidence(answers, options)]
    )
    pressing = clicking_evidence(answers, options)
    odds: Floats = pressing - (logsumexp(honest, axis=0) - np.log(len(honest)))
    return odds


def flagged(odds: Floats, answers: Floats) -> npt.NDArray[np.bool_]:
    """Return which students' answers look unrelated to the questions, shape ``(students,)``.

    ``odds`` are those of :func:`pressing_odds`.

    >>> always_yes, sensible = [1.0] * 16, [1.0, -1.0] * 8
    >>> answers = np.array([always_yes, sensible, sensible])
    >>> flagged(pressing_odds(np.full(3, -11.0), answers), answers)
    array([ True, False, False])
    """
    enough = (answers != 0).sum(axis=1) >= ANSWERS
    return np.asarray((odds >= np.log(ODDS)) & enough)


def reading_odds(evidence: Floats, answers: Floats, options: Ints | None = None) -> Floats:
    """Return the log-odds that each student reads the questions instead of answering at random.

    A student who reads answers as their state predicts, or as the other students do. The parameters
    are those of :func:`pressing_odds`.
    """
    reads = np.logaddexp(evidence, class_like_evidence(answers, options)) - np.log(2.0)
    odds: Floats = reads - coin_evidence(answers, options)
    return odds


def hasty(seconds: Floats) -> Ints:
    """Return how many of each student's answers came faster than they can be read.

    0 for students of whom at most half of the answers came so fast, or with few answers.

    Parameters
    ----------
    seconds
        The time that each answer took, NaN for none, shape ``(students, answers)``.

    >>> hasty(np.array([[9.0, 8.0, 12.0] * 4, [0.7, 1.0, 9.0] * 4, [7.0, 1.0, 6.0] * 4]))
    array([0, 8, 0])
    """
    given = ~np.isnan(seconds)
    usual = float(np.median(seconds[given])) if given.any() else 0.0
    fast = (given & (np.nan_to_num(seconds, nan=np.inf) < FAST * usual)).sum(axis=1)
    count = given.sum(axis=1)
    return np.where((fast > 0.5 * count) & (count >= ANSWERS), fast, 0)
