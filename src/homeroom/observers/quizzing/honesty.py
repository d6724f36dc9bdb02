"""Who answers, and who only clicks."""

from __future__ import annotations

import numpy as np
from scipy.special import betaln, expit

from homeroom._arrays import Floats

CLICKERS = 0.05
"""How many of a class only click, as long as nothing is known."""


def clicking_evidence(answers: Floats) -> Floats:
    """Return the log-probability of each student's answers if she says yes at a constant rate.

    Parameters
    ----------
    answers
        +1, -1, or 0 for none, shape ``(students, items)``.
    """
    evidence: Floats = betaln(1.0 + (answers > 0).sum(axis=1), 1.0 + (answers < 0).sum(axis=1))
    return evidence


def honesty_of(evidence: Floats, answers: Floats) -> Floats:
    """Return how likely it is that each student means what she says.

    The share of clickers in the class is found along the way (EM).

    Parameters
    ----------
    evidence
        The log-probability of each student's answers if she does, shape ``(students,)``.
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
    """Return the log-probability of everybody's answers, be they answers or clicks."""
    clicking = clicking_evidence(answers) + np.log(CLICKERS)
    return float(np.logaddexp(evidence + np.log1p(-CLICKERS), clicking).sum())
