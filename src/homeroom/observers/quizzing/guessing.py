"""Which students answer the questions, and which answer without reading them."""

from __future__ import annotations

import numpy as np
from scipy.special import betaln, expit

from homeroom._arrays import Floats

CLICKERS = 0.05
"""The prior share of students who answer without reading."""


def clicking_evidence(answers: Floats) -> Floats:
    """Return the log-probability of each student's answers at a constant rate of yes.

    Parameters
    ----------
    answers
        +1, -1, or 0 for none, shape ``(students, items)``.
    """
    evidence: Floats = betaln(1.0 + (answers > 0).sum(axis=1), 1.0 + (answers < 0).sum(axis=1))
    return evidence


def honesty_of(evidence: Floats, answers: Floats) -> Floats:
    """Return the probability that each student answers the questions.

    The share of the others in the class is estimated too (EM).

    Parameters
    ----------
    evidence
        The log-probability of each student's answers if they do, shape ``(students,)``.
    answers
        The answers, shape ``(students, items)``.

    >>> always_yes, sensible = [1.0] * 12, [1.0, -1.0] * 6
    >>> honesty_of(np.array([-9.0, -3.0]), np.array([always_yes, sensible])).round(2)
    array([0.02, 1.  ])
    """
    better = evidence - clicking_evidence(answers)
    share = CLICKERS
    for _ in range(10):
        honest: Floats = expit(better + np.log((1.0 - share) / share))
        share = ((1.0 - honest).sum() + 20.0 * CLICKERS) / (len(honest) + 20.0)
    return honest


def class_evidence(evidence: Floats, answers: Floats) -> float:
    """Return the log-probability of the class's answers under either explanation."""
    clicking = clicking_evidence(answers) + np.log(CLICKERS)
    return float(np.logaddexp(evidence + np.log1p(-CLICKERS), clicking).sum())
