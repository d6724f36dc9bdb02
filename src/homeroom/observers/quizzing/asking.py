"""Which items to ask the class: those whose answers tell most about it."""

from __future__ import annotations

import numpy as np
from scipy.special import entr, ndtr

from homeroom._arrays import Floats, Ints
from homeroom.observers.quizzing.answer_step import AnswerModel, hint, scores
from homeroom.observers.quizzing.bank import Belief

CANDIDATES = 400
"""Of more items than this, so many are drawn and weighed."""

STUDENTS = 500
"""Of more students, so many are looked at: the best item for them is as good as any other."""

RANDOM_EVERY = 3
"""Every third item is drawn at random: a safeguard, should the beliefs that choose be wrong."""

_WIDTH = 0.5 * np.pi * np.log(2.0)
"""``h(Phi(f))``, the entropy of an answer, is nearly ``h(1/2) exp(-f^2 / (2 width))``."""


def entropy(chance: Floats) -> Floats:
    """Return the entropy of a yes that has this chance."""
    both: Floats = entr(chance) + entr(1.0 - chance)
    return both


def information(belief: Belief, xs: Floats, model: AnswerModel) -> Floats:
    """Return how much each student's answer to each item would tell, ``(students, items)``.

    The mutual information of answer and state: the entropy of the answer as seen now, less what
    it would have if the state were known (Houlsby et al. 2011, with floors).
    """
    means, variances = belief.scores(xs)
    knowing = 1.0 - model.guess - model.slip
    seen = ndtr(means / np.sqrt(model.sigma**2 + variances))
    now = entropy(model.guess + knowing * seen)
    low, high = entropy(np.array(model.guess)), entropy(np.array(1.0 - model.slip))
    edge = low + (high - low) * seen
    wide = _WIDTH + variances / model.sigma**2
    close = np.sqrt(_WIDTH / wide) * np.exp(-0.5 * (means / model.sigma) ** 2 / wide)
    middle = float(entropy(np.array(model.guess + 0.5 * knowing)))
    told: Floats = now - edge - (middle - edge) * close
    return told


def choose_items(
    belief: Belief,
    honesty: Floats,
    xs: Floats,
    model: AnswerModel,
    *,
    count: int,
    asked: Ints,
    rng: np.random.Generator,
    random_every: int = RANDOM_EVERY,
) -> Ints:
    """Return the numbers of items to ask everybody next.

    Each is the most informative for the class, given that those before it will be answered; but
    every so often one is drawn at random. No item comes again before all have been asked.

    Cost: O(students * items * dimensions^2) for each, of at most ``STUDENTS`` and ``CANDIDATES``.

    Parameters
    ----------
    belief, honesty
        What is believed of each student, and how much she counts.
    xs
        All items, shape ``(items, dimensions)``.
    model
        How states become answers.
    count
        How many to choose.
    asked
        How often each item was asked before, shape ``(items,)``.
    rng
        Where chance comes from.
    random_every
        Every how manyth item is drawn at random: 1 for all, 0 for none.
    """
    chosen: list[int] = []
    belief, honesty = _some(belief, honesty)
    often = asked.copy()
    for _ in range(count):
        fresh = np.flatnonzero(often == often.min())
        if random_every and (int(often.sum()) + 1) % random_every == 0:
            item = int(rng.choice(fresh))
        else:
            if len(fresh) > CANDIDATES:
                fresh = rng.choice(fresh, CANDIDATES, replace=False)
            item = int(fresh[_first_best(honesty @ information(belief, xs[fresh], model))])
        chosen.append(item)
        often[item] += 1
        if len(chosen) < count:
            belief = _when_answered(belief, xs[item], model)
    return np.array(chosen, dtype=np.int64)


def _some(belief: Belief, honesty: Floats) -> tuple[Belief, Floats]:
    """Return at most ``STUDENTS`` of the students, evenly spread over the class."""
    if len(honesty) <= STUDENTS:
        return belief, honesty
    rows = np.linspace(0, len(honesty) - 1, STUDENTS).astype(np.int64)
    return Belief(belief.means[rows], belief.covariances[rows]), honesty[rows]


def _first_best(told: Floats) -> int:
    """Return the first of those that are best up to rounding: at the start many items are alike."""
    return int((told >= told.max() - 1e-6 * abs(told.max())).argmax())


def _when_answered(belief: Belief, x: Floats, model: AnswerModel) -> Belief:
    """Return how much will be known after an answer, whatever it will be."""
    means, variances, across = scores(*belief, x)
    yes, no = (hint(means, variances, answer, model) for answer in (1.0, -1.0))
    shrink = np.exp(yes.evidence) * yes.shrink + np.exp(no.evidence) * no.shrink
    shrunk = (shrink[:, None] * across)[:, :, None] * across[:, None, :]
    return Belief(belief.means, belief.covariances - shrunk)
