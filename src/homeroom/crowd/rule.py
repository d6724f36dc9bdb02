"""The rule to be taught: the straight line that tells the expert's yes from no best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom._words import counted
from homeroom.crowd.fitting.people import people_on
from homeroom.crowd.fitting.posterior import Prior
from homeroom.crowd.fitting.table import Table

FREER = 2.0 ** np.array([0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 15])
"""How much freer than other people the expert may be, tried in this order until a rule fits: the
freer, the narrower the gap between yes and no that it still finds."""


@dataclass(frozen=True, eq=False)
class Rule:
    """A person who answers like the expert: yes where ``<w, x> > tau``.

    Parameters
    ----------
    weights, threshold
        ``w``, shape ``(d,)``, and ``tau``.
    labelled
        How many items have the expert's label.
    contradicting
        The items, as places, that lie on the wrong side: no straight line suits them all.
    """

    weights: Floats
    threshold: float
    labelled: int
    contradicting: Ints

    @property
    def target(self) -> Floats:
        """The rule as a state to be taught, ``(w, -tau)``, shape ``(d + 1,)``."""
        return np.append(self.weights, -self.threshold)


def expert_rule(items: Floats, labels: Floats, prior: Prior = Prior()) -> Rule:
    """Return the best straight rule for the expert's labels.

    The expert is put on the map like anybody who answered these items. Somebody who never errs
    may be more certain than people usually are, so freer priors are tried as well, and the rule
    that contradicts the fewest labels is taken (of equals the one nearest to other people's). It
    keeps the length of the first, as certain as a person of that many answers: a longer state would
    be the same rule, but farther away from everybody.

    >>> rule = expert_rule(np.array([[1.0], [2.0], [-1.0]]), np.array([1.0, 1.0, -1.0]))
    >>> rule.target.round(3), len(rule.contradicting)
    (array([0.423, 0.141]), 0)
    """
    refuse_unlabelled(labels)
    known = np.flatnonzero(np.isfinite(labels))
    zeros = np.zeros(len(known), dtype=np.int32)
    table = Table.sort(1, len(items), zeros, known.astype(np.int32), labels[known] > 0)
    first = best = _answering(items, table, prior, FREER[0])
    missed = _missed(items, labels, best)
    for free in FREER[1:]:
        if not len(missed):
            break
        line = _answering(items, table, prior, free)
        fewer = _missed(items, labels, line)
        if len(fewer) < len(missed):
            best, missed = line, fewer
    best = best * (np.linalg.norm(first) / np.linalg.norm(best))
    return Rule(best[:-1], float(best[-1]), len(known), missed)


def refuse_unlabelled(labels: Floats) -> None:
    """Refuse labels of which none is known."""
    if not np.isfinite(labels).any():
        raise InputError(
            "No item has an expert's label, so that there is no target. Give the answers a column "
            "or a file of labels (labels={...}, --labels FILE): the crowd's consensus is not it."
        )


def _answering(items: Floats, table: Table, prior: Prior, free: float) -> Floats:
    freer = Prior(prior.items, prior.people * free, prior.thresholds * free)
    line: Floats = people_on(items, table, freer)[0][0]
    return line


def _missed(items: Floats, labels: Floats, line: Floats) -> Ints:
    side = items @ line[:-1] - line[-1]
    return np.flatnonzero(np.isfinite(labels) & (side * labels <= 0))


def contradiction(rule: Rule) -> str | None:
    """Return a sentence on the labels that the rule cannot fit, if there are any."""
    number = len(rule.contradicting)
    if not number:
        return None
    return (
        f"No straight rule fits the expert's labels: {counted(number, 'item')} of {rule.labelled} "
        f"{'contradicts' if number == 1 else 'contradict'} the most probable one."
    )
