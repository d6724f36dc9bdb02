"""Which items to ask a class: those with the most informative answers."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import entr, expit, ndtr, ndtri

from homeroom._arrays import Floats, Ints
from homeroom.observers.quizzing import choice_mastery
from homeroom.observers.quizzing.answer_step import AnswerModel, answer_effect, scores
from homeroom.observers.quizzing.beliefs import Belief
from homeroom.observers.quizzing.choice_step import contrasts

CANDIDATES = 400
"""If there are more items, this many are drawn at random and compared."""

STUDENTS = 500
"""If there are more students, items are compared on this many of them."""

RANDOM_EVERY = 3
"""Every third item is drawn at random: a safeguard, in case the beliefs are wrong."""


def entropy(chance: Floats) -> Floats:
    """Return the entropy of an answer that is a yes with this chance, in nats."""
    both: Floats = entr(chance) + entr(1.0 - chance)
    return both


def information(
    belief: Belief, xs: Floats, model: AnswerModel, extra: float | Floats = 0.0
) -> Floats:
    """Return the information in each student's answer to each item, ``(students, items)``.

    The mutual information of answer and state: the entropy of the answer now, minus the
    entropy it would have if the state were known (Houlsby et al. 2011). The latter goes from the
    entropy of a guess to that of a slip like ``Phi``, plus a bump that is almost Gaussian.
    ``extra`` is a part of each score that is known, shape ``(students, items)``.
    """
    means, variances = belief.scores(xs)
    means = means + extra
    knowing = 1.0 - model.guess - model.slip
    seen = ndtr(means / np.sqrt(model.sigma**2 + variances))
    now = entropy(model.guess + knowing * seen)
    low, high = entropy(np.array([model.guess, 1.0 - model.slip])).tolist()
    bump = _bump(model, low, high)
    wide = bump.width + variances / model.sigma**2
    apart = means / model.sigma - bump.middle
    between = bump.height * np.sqrt(bump.width / wide) * np.exp(-0.5 * apart**2 / wide)
    gain: Floats = now - (low + (high - low) * seen) - between
    return gain


class Bump(NamedTuple):
    """``height * exp(-(f - middle)^2 / (2 width))``, for scores ``f`` in units of sigma."""

    height: float
    middle: float
    width: float


def _bump(model: AnswerModel, low: float, high: float) -> Bump:
    """Return by how much an answer's entropy ``h(p)`` exceeds the line from ``low`` to ``high``.

    The chance of a yes is ``p = guess + knowing Phi(f)`` for a score ``f`` in units of sigma. The
    line has the slope ``(high - low) / knowing``; ``h'(p) = log((1 - p) / p)`` has it at the
    top, where ``h'' = -1 / (p (1 - p))`` gives the width of the bump.
    """
    knowing = 1.0 - model.guess - model.slip
    top = float(expit((low - high) / knowing))
    share = min(max((top - model.guess) / knowing, 1e-6), 1.0 - 1e-6)  # only rounding leaves that
    middle = float(ndtri(share))
    height = max(float(entropy(np.array(top))) - (low + (high - low) * share), 0.0)
    steep = knowing * math.exp(-0.5 * middle**2) / math.sqrt(2.0 * math.pi)
    return Bump(height, middle, height * top * (1.0 - top) / steep**2)


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
    options: int = 2,
    extra: Floats | None = None,
    keys: Ints | None = None,
) -> Ints:
    """Return the numbers of the items to ask all students next.

    Each is the most informative one for the class, given that those before it will be answered;
    every n-th one is drawn at random. No item is repeated before all have been asked.

    Cost: O(students * items * dimensions^2) for each, of at most ``STUDENTS`` and ``CANDIDATES``.

    Parameters
    ----------
    belief, honesty
        The belief about each student, and their weight (the probability that they read).
    xs
        All items, shape ``(items, dimensions)``.
    model
        How states become answers.
    count
        The number of items to choose.
    asked
        How often each item was asked before, shape ``(items,)``.
    rng
        Draws random numbers.
    random_every
        Every n-th item is drawn at random: 1 for all, 0 for none.
    options
        The number of answers.
    extra
        A part of each score that is known, shape ``(students, items)``.
    keys
        With several answers: the number of the right one to each item, whose score ``extra`` is.
    """
    chosen: list[int] = []
    rows = _some(len(honesty))
    belief, honesty = Belief(belief.means[rows], belief.covariances[rows]), honesty[rows]
    known = np.zeros((len(rows), len(xs))) if extra is None else extra[rows]
    often = asked.copy()

    def contrasts_of(items: Ints) -> Floats:
        """Return ``extra`` as a part of the contrasts, shape ``(students, items, K - 1)``."""
        assert keys is not None
        return known[:, items, None] * contrasts(options)[keys[items] - 1]

    def informs(belief: Belief, items: Ints) -> Floats:
        """Return the information in each answer, shape ``(students, items)``."""
        if keys is None:
            return information(belief, xs[items], model, known[:, items])
        more = None if extra is None else contrasts_of(items)
        return choice_mastery.information(belief, xs[items], model, options=options, known=more)

    def then(belief: Belief, item: int) -> Belief:
        """Return the belief expected after answers to an item."""
        if keys is None:
            return _when_answered(belief, xs[item], model, known[:, item])
        more = 0.0 if extra is None else contrasts_of(np.array([item]))[:, 0]
        return choice_mastery.when_answered(belief, xs[item], model, options=options, known=more)

    for _ in range(count):
        fresh = np.flatnonzero(often == often.min())
        if random_every and (int(often.sum()) + 1) % random_every == 0:
            item = int(rng.choice(fresh))
        else:
            if len(fresh) > CANDIDATES:
                fresh = rng.choice(fresh, CANDIDATES, replace=False)
            item = int(fresh[_first_best(honesty @ informs(belief, fresh))])
        chosen.append(item)
        often[item] += 1
        if len(chosen) < count:
            belief = then(belief, item)
    return np.array(chosen, dtype=np.int64)


def _some(students: int) -> Ints:
    """Return the positions of at most ``STUDENTS`` students, evenly spread over the class."""
    if students <= STUDENTS:
        return np.arange(students)
    rows: Ints = np.linspace(0, students - 1, STUDENTS).astype(np.int64)
    return rows


def _first_best(values: Floats) -> int:
    """Return the position of the first of the largest values, up to rounding."""
    return int((values >= values.max() - 1e-6 * abs(values.max())).argmax())


def _when_answered(belief: Belief, x: Floats, model: AnswerModel, extra: Floats) -> Belief:
    """Return the belief after an answer that is not known yet, with its expected covariance."""
    means, variances, across = scores(*belief, x)
    yes, no = (answer_effect(means + extra, variances, answer, model) for answer in (1.0, -1.0))
    shrink = np.exp(yes.evidence) * yes.shrink + np.exp(no.evidence) * no.shrink
    shrunk = (shrink[:, None] * across)[:, :, None] * across[:, None, :]
    return Belief(belief.means, belief.covariances - shrunk)
