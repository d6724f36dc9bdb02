"""What each student knows: the expected share of right answers, and what an item would teach.

For a list of facts this is over all items; for a rule it is over items that are new to the student,
whatever they remember about single ones.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from homeroom._arrays import Floats, Ints
from homeroom.goals import Knows
from homeroom.observers.quizzing import choice_mastery
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.beliefs import BeliefBank
from homeroom.observers.quizzing.choice_bank import ChoiceBank
from homeroom.observers.quizzing.choice_mastery import DRAWS
from homeroom.observers.quizzing.item_memory import VARIANCE
from homeroom.observers.quizzing.replay import Assumed, Setup, known_scores
from homeroom.observers.quizzing.revision import STEP

ITEMS = 500
"""The largest number of items over which knowledge is averaged, evenly from unclear to clear."""

NOISE: Floats = STEP ** np.random.default_rng(1).permutation(np.linspace(-1.0, 1.0, DRAWS))
"""A factor of sigma, the noise of answers, for each draw.

Sigma is estimated in steps of the factor ``STEP``, so it is not known better than that. A draw has
the same factor for all students, so it does not average out over a large class.
"""

WORK = 1_200_000
"""About the largest number of chances that are computed. Beyond it, knowledge of a rule is averaged
over fewer items, at least 20. Facts are all counted, with fewer draws of each, at least 2."""

EXCUSED = 0.05
"""Lapses up to this do not count as not knowing; more would hide that a class does not know."""

_ROOT_2PI = math.sqrt(2.0 * math.pi)


def strict(assumed: Assumed, at_first: Assumed, lapse: float = 0.0) -> AnswerModel:
    """Return the answer model in which lapses beyond the first ``EXCUSED`` count as not knowing.

    ``assumed`` are the present assumptions, ``at_first`` those at the start. ``lapse`` is the share
    of lapses at first, which is a part of the guesses and slips.
    """
    model, base = assumed.model, at_first.model
    counted = max(0.0, lapse + 2.0 * (model.guess - base.guess) - EXCUSED)
    more = 0.5 * (counted - lapse)
    return AnswerModel(model.sigma, base.guess + more, base.slip + more)


def chances_right(
    bank: BeliefBank, setup: Setup, items: Ints, model: AnswerModel, at: float
) -> Floats:
    """Return each student's chance of a right answer now, shape ``(students, items)``.

    Cost: O(students * rates * items * dimensions^2).
    """
    means, variances = bank.scores(setup.xs[items], items, at)
    means = means + known_scores(bank.practice, setup, items)[:, None]
    signed = setup.labels[items] * means / np.sqrt(model.sigma**2 + variances)
    knows = (bank.weights[:, None, :] @ ndtr(signed))[:, 0]
    right: Floats = model.guess + (1.0 - model.guess - model.slip) * knows
    return right


def helps(
    bank: BeliefBank, setup: Setup, honesty: Floats, items: Ints, *, margin: float, at: float
) -> Floats:
    """Return how much showing each item would help the class, shape ``(items,)``.

    ``mean_j h_j sum_k p_jk eta_k (2 - eta_k |f|^2) E[(M - y s)_+^2]``. Student ``j`` has the weight
    ``h_j`` (``honesty``) and the rate ``eta_k`` with probability ``p_jk``. The item has the
    features ``f``, the label ``y`` and the score ``s``. Certainty beyond the margin ``M`` is no
    gap. Item difficulty and practice do not count, as an example moves only the state.

    Cost: O(students * rates * items * dimensions^2).
    """
    xs = setup.xs[items]
    means, variances = bank.scores(xs, items, at)
    mu, spread = margin - setup.labels[items] * means, np.sqrt(variances)
    z = mu / np.maximum(spread, 1e-300)
    gap = (mu * mu + variances) * ndtr(z) + mu * spread * np.exp(-0.5 * z * z) / _ROOT_2PI
    length = (xs * xs).sum(axis=1)
    if bank.memory is not None:
        length = bank.memory.rule**2 * length + bank.memory.own**2
    step = bank.rates[:, None] * (2.0 - bank.rates[:, None] * length)
    weights = honesty[:, None] * bank.weights / len(honesty)
    found: Floats = np.einsum("jk,ki,jki->i", weights, step, gap)
    return found


def knows(bank: BeliefBank, setup: Setup, model: AnswerModel, counted: Floats, at: float) -> Knows:
    """Return what each student knows, as draws from the beliefs about them.

    If the noise of answers is estimated, each draw of what is known of a rule has another noise.

    Parameters
    ----------
    bank, setup, model
        The beliefs, the settings and the answer model.
    counted
        Which students count in the class, 1 or 0, shape ``(students,)``.
    at
        The time in seconds.
    """
    students, dimensions = len(bank.means), len(setup.target)
    facts = bank.memory is not None and math.isinf(bank.memory.kappa)
    most = ITEMS if facts else max(20, min(ITEMS, WORK // (DRAWS * students)))
    spread = np.unique(np.linspace(0, len(setup.xs) - 1, most).astype(np.int64))
    noise = NOISE if setup.revise_every else np.ones(DRAWS)
    order = setup.keys if setup.chooses else setup.labels * (setup.xs @ setup.target)
    items = np.argsort(order, kind="stable")[spread]
    if facts:
        return Knows(
            choice_mastery.fact_shares(bank, setup, items, model, work=WORK // 2, at=at), counted
        )
    if isinstance(bank, ChoiceBank):
        shares = choice_mastery.drawn_shares(bank, setup, items, model, noise=noise)
        return Knows(shares, counted)
    rng = np.random.default_rng(0)
    labels, memory = setup.labels[items], bank.memory
    extra = np.broadcast_to(known_scores(bank.practice, setup, items), (students, len(items)))
    rule, own_noise = (1.0, 0.0) if memory is None else (memory.rule, memory.own)
    own_noise *= math.sqrt(VARIANCE)
    sigma = math.hypot(model.sigma, own_noise)
    clear = choice_mastery.clearness(model.sigma, own_noise, noise)
    values, vectors = np.linalg.eigh(bank.belief.covariances)
    root = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    xs = (rule / sigma * labels)[:, None] * setup.xs[items]
    drawn = rng.standard_normal((students, DRAWS, dimensions)) @ np.swapaxes(root, 1, 2)
    states = bank.belief.means[:, None] + drawn
    shares = np.empty((students, DRAWS))
    for student, own in enumerate(states):
        scores = own @ xs.T + labels * extra[student] / sigma
        shares[student] = ndtr(clear[:, None] * scores).mean(axis=1)
    shares = model.guess + (1.0 - model.guess - model.slip) * shares
    return Knows(shares, counted)
