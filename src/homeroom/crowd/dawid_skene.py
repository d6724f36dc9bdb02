"""Labels from a crowd by Dawid and Skene (1979): one truth, and each annotator's confusions.

Every item has one true class, and annotator ``j`` says ``c`` to an item of class ``t`` with
probability ``pi_j(t, c)``. EM estimates both. An annotator's row ``pi_j(t, .)`` is shrunk towards
the crowd's row, by the weight of a few answers: so annotators with few answers are like the crowd.

A map explains why annotators differ, and this model does not. But with few answers per item it may
predict better, and it gives labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from homeroom._arrays import Floats, Ints
from homeroom.crowd.answers import Answers
from homeroom.crowd.fitting.answer_table import AnswerTable

WEIGHT = 5.0
"""The weight of the crowd's row in each row of an annotator, as a number of answers."""

STEPS, CONVERGED = 100, 1e-4
"""The most steps of EM, and the change of all probabilities at which they end."""

MAX_CELLS = 50_000_000
"""How many probabilities of annotators there may be (400 MB)."""


@dataclass(frozen=True, eq=False)
class ConsensusLabels:
    """What a crowd's answers say about the class of each item.

    Parameters
    ----------
    classes
        The names of the classes.
    chances
        How probable each class is for each item, shape ``(items, classes)``.
    confusions
        How probable each annotator says ``c`` to an item of class ``t``, shape
        ``(people, classes, classes)``: the true class first.
    """

    classes: tuple[str, ...]
    chances: Floats
    confusions: Floats

    @property
    def labels(self) -> Ints:
        """The most probable class of each item, as a position in ``classes``."""
        return np.asarray(self.chances.argmax(axis=1), dtype=np.int64)

    def log_losses(
        self,
        person: npt.NDArray[np.integer],
        item: npt.NDArray[np.integer],
        choice: npt.NDArray[np.integer],
    ) -> Floats:
        """Return ``-log P`` of other answers of the same annotators to the same items.

        ``person``, ``item`` and ``choice`` are positions, shape ``(answers,)``, as is the result.
        """
        said = self.confusions[person, :, choice]
        losses: Floats = -np.log((self.chances[item] * said).sum(axis=1))
        return losses


def dawid_skene(answers: Answers) -> ConsensusLabels:
    """Return the most probable class of each item, and each annotator's confusions.

    Start from shares of answers, and iterate EM. Cost per step: O(answers * classes).

    Examples
    --------
    >>> said = ["owl", "owl", "kite", "kite", "kite", "owl", "gull", "gull", "kite"]
    >>> answers = Answers.from_arrays(list("ABCABCABC"), list("iiijjjkkk"), said)
    >>> found = dawid_skene(answers)
    >>> [found.classes[label] for label in found.labels]
    ['owl', 'kite', 'gull']
    """
    table = AnswerTable.of(answers)
    return ConsensusLabels(answers.classes, *expectation_maximization(table))


def feasible(answers: Answers) -> bool:
    """Return whether the confusions of all annotators fit into memory."""
    return len(answers.people) * len(answers.classes) ** 2 <= MAX_CELLS


def expectation_maximization(table: AnswerTable) -> tuple[Floats, Floats]:
    """Return the chances of items ``(items, K)`` and the confusions ``(people, K, K)``."""
    classes = table.classes
    chances = 0.1 + _totals(table.item, np.eye(classes)[table.choice], table.items)
    chances /= chances.sum(axis=1, keepdims=True)
    for _ in range(STEPS):
        confusions = _confusions(table, chances)
        shares = 1.0 + chances.sum(axis=0)
        said = np.log(confusions)[table.person, :, table.choice]
        scores = np.log(shares) + _totals(table.item, said, table.items)
        last, chances = chances, np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        if np.abs(chances - last).max(initial=0.0) < CONVERGED:
            break
    return chances, _confusions(table, chances)


def _confusions(table: AnswerTable, chances: Floats) -> Floats:
    """Return each annotator's shares of answers by true class, shrunk towards the crowd's."""
    classes = table.classes
    cells = table.person.astype(np.int64) * classes + table.choice
    counts = _totals(cells, chances[table.item], table.people * classes)
    counts = counts.reshape(table.people, classes, classes).transpose(0, 2, 1)
    crowd = 0.1 + counts.sum(axis=0)
    counts = counts + WEIGHT * crowd / crowd.sum(axis=1, keepdims=True)
    shares: Floats = counts / counts.sum(axis=2, keepdims=True)
    return shares


def _totals(rows: npt.NDArray[np.integer], values: Floats, number: int) -> Floats:
    """Return sums of values ``(answers, K)``, shape ``(number, K)``.

    ``rows`` is the row of the result that each answer is added to.
    """
    return np.column_stack([np.bincount(rows, column, minlength=number) for column in values.T])
