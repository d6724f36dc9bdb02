"""The rule to be taught: the straight line that best separates the expert's yes from no."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError, counted
from homeroom.crowd.fitting.answer_table import AnswerTable
from homeroom.crowd.fitting.posterior import Prior
from homeroom.crowd.fitting.search import fit_lines

WIDER = 2.0 ** np.array([0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 15])
"""By how much the expert's prior is wider than that of annotators, tried in this order until a rule
fits: the wider, the narrower the gap between yes and no that it can find."""


@dataclass(frozen=True, eq=False)
class ExpertRule:
    """An annotator who answers like the expert: yes where ``<w, x> > tau``.

    Parameters
    ----------
    weights, threshold
        ``w``, shape ``(d,)``, and ``tau``.
    labelled
        How many items have an expert's label.
    contradicting
        The positions of the labelled items that are on the wrong side of the line.
    """

    weights: Floats
    threshold: float
    labelled: int
    contradicting: Ints

    @property
    def target(self) -> Floats:
        """The rule as a state to be taught, ``(w, -tau)``, shape ``(d + 1,)``."""
        return np.append(self.weights, -self.threshold)


def expert_rule(items: Floats, labels: Floats, prior: Prior = Prior()) -> ExpertRule:
    """Return the best straight rule for the expert's labels.

    The expert is placed on the map like an annotator. As an expert makes no mistakes, they may be
    more certain than annotators usually are. So wider priors are tried as well, and the rule that
    contradicts the fewest labels is taken (of equals, that with the narrowest prior). It keeps the
    length of the first, as certain as an annotator with that many answers: a longer state would be
    the same rule, but farther from all annotators.

    >>> rule = expert_rule(np.array([[1.0], [2.0], [-1.0]]), np.array([1.0, 1.0, -1.0]))
    >>> rule.target.round(3), len(rule.contradicting)
    (array([0.423, 0.141]), 0)
    """
    check_labelled(labels)
    known = np.flatnonzero(np.isfinite(labels))
    zeros = np.zeros(len(known), dtype=np.int32)
    table = AnswerTable.sort(1, len(items), zeros, known.astype(np.int32), labels[known] > 0)
    first = best = _fit_line(items, table, prior, WIDER[0])
    missed = _missed(items, labels, best)
    for factor in WIDER[1:]:
        if not len(missed):
            break
        line = _fit_line(items, table, prior, factor)
        fewer = _missed(items, labels, line)
        if len(fewer) < len(missed):
            best, missed = line, fewer
    best = best * (np.linalg.norm(first) / np.linalg.norm(best))
    return ExpertRule(best[:-1], float(best[-1]), len(known), missed)


def check_labelled(labels: Floats) -> None:
    """Refuse labels of which none is known."""
    if not np.isfinite(labels).any():
        raise InputError(
            "No item has an expert's label, so there is no target. Give the answers a column or a "
            "file of labels (labels={...}, --labels FILE): the crowd's consensus is not a target."
        )


def _fit_line(items: Floats, table: AnswerTable, prior: Prior, factor: float) -> Floats:
    wider = Prior(prior.items, prior.people * factor, prior.thresholds * factor)
    line: Floats = fit_lines(items, table, wider)[0][0]
    return line


def _missed(items: Floats, labels: Floats, line: Floats) -> Ints:
    side = items @ line[:-1] - line[-1]
    return np.flatnonzero(np.isfinite(labels) & (side * labels <= 0))


def contradiction(rule: ExpertRule) -> str | None:
    """Return a sentence on the labels that the rule does not fit, if there are any."""
    number = len(rule.contradicting)
    if not number:
        return None
    return (
        f"No straight rule fits the expert's labels: {counted(number, 'item')} of {rule.labelled} "
        f"{'contradicts' if number == 1 else 'contradict'} the most probable one."
    )
