"""The rule to be taught: the straight lines that best separate the expert's classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError, counted
from homeroom.crowd.answer_arrays import label_codes
from homeroom.crowd.fitting.answer_table import AnswerTable
from homeroom.crowd.fitting.posterior import Prior
from homeroom.crowd.fitting.search import fit_lines

WIDER = 2.0 ** np.array([0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 15])
"""By how much the expert's prior is wider than that of annotators, tried in this order until a rule
fits. A wider prior can find a narrower gap between yes and no."""


@dataclass(frozen=True, eq=False)
class ExpertRule:
    """An annotator who answers like the expert: yes where ``<w, x> > tau``.

    With K > 2 classes, the answer is the class with the largest ``<w_c, x> - tau_c``.

    Parameters
    ----------
    weights, threshold
        ``w``, shape ``(d,)``, and ``tau``; or shapes ``(K, d)`` and ``(K,)``.
    labelled
        How many items have an expert's label.
    contradicting
        The positions of the labelled items that are on the wrong side of the line.
    """

    weights: Floats
    threshold: float | Floats
    labelled: int
    contradicting: Ints

    @property
    def target(self) -> Floats:
        """The rule as a state to be taught, ``(w, -tau)``, shape ``(d + 1,)``.

        With K > 2 classes, the states of all classes concatenated, shape ``(K (d + 1),)``.
        """
        return np.column_stack(
            [np.atleast_2d(self.weights), -np.atleast_1d(self.threshold)]
        ).ravel()


def expert_rule(
    items: Floats, labels: Floats, prior: Prior = Prior(), *, classes: int = 2
) -> ExpertRule:
    """Return the best straight rule for the expert's labels.

    The expert is placed on the map like an annotator. As an expert makes no mistakes, they may be
    more certain than annotators usually are. So wider priors are tried as well, and the rule that
    contradicts the fewest labels is taken (of equals, that with the narrowest prior). It is scaled
    to the length of the rule with the narrowest prior, so it is as certain as an annotator with
    that many answers: a longer state would be the same rule, but farther from all annotators.

    ``items`` are their places, shape ``(items, d)``. ``labels`` has shape ``(items,)``: +1, -1 or
    nan, or with more classes a class counted from 0, or nan.

    >>> rule = expert_rule(np.array([[1.0], [2.0], [-1.0]]), np.array([1.0, 1.0, -1.0]))
    >>> rule.target.round(3), len(rule.contradicting)
    (array([0.423, 0.141]), 0)
    """
    check_labelled(labels)
    codes = label_codes(labels, classes)
    known = np.flatnonzero(codes >= 0)
    zeros = np.zeros(len(known), dtype=np.int32)
    table = AnswerTable.sort(
        1, len(items), zeros, known.astype(np.int32), codes[known], classes=classes
    )
    first = best = _fit_line(items, table, prior.alone, WIDER[0])
    missed = _missed(items, codes, best)
    for factor in WIDER[1:]:
        if not len(missed):
            break
        line = _fit_line(items, table, prior.alone, factor)
        fewer = _missed(items, codes, line)
        if len(fewer) < len(missed):
            best, missed = line, fewer
    best = best * (np.linalg.norm(first) / np.linalg.norm(best))
    threshold = float(best[-1]) if classes == 2 else best[:, -1]
    return ExpertRule(best[..., :-1], threshold, len(known), missed)


def check_labelled(labels: Floats) -> None:
    """Raise an error if no label is known."""
    if not np.isfinite(labels).any():
        raise InputError(
            "No item has an expert's label, so there is no target. Give the answers a column or a "
            "file of labels (labels={...}, --labels FILE): the crowd's consensus is not a target."
        )


def _fit_line(items: Floats, table: AnswerTable, prior: Prior, factor: float) -> Floats:
    """Return the expert's ``(w, tau)`` under a prior that is ``factor`` times as wide."""
    wider = Prior(prior.items, prior.people * factor, prior.thresholds * factor)
    line: Floats = fit_lines(items, table, wider)[0][0]
    return line


def _missed(items: Floats, codes: Ints, line: Floats) -> Ints:
    """Return the positions of the labelled items to which the rule does not give their label.

    ``codes`` are the labels as classes counted from 0, -1 where there is none.
    """
    scores = items @ line[..., :-1].T - line[..., -1]
    if line.ndim == 1:
        return np.flatnonzero((codes >= 0) & (scores * (2 * codes - 1) <= 0))
    return np.flatnonzero((codes >= 0) & (scores.argmax(axis=1) != codes))


def contradiction(rule: ExpertRule) -> str | None:
    """Return a sentence on the labels that the rule does not fit, if there are any."""
    number = len(rule.contradicting)
    if not number:
        return None
    return (
        f"No straight rule fits the expert's labels: {counted(number, 'item')} of {rule.labelled} "
        f"{'contradicts' if number == 1 else 'contradict'} the most probable one."
    )
