"""Real people who learn to distinguish classes: will the next answer be right?

Every model is fitted to four fifths of the learners and predicts each answer of the others from the
answers before it. All are fitted with the same weights (test trials count five times), as what is
reported is the log loss on test trials. How much items differ in difficulty is chosen among those
four fifths too, by answers left out one at a time.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit, log_expit, log_softmax, logsumexp, ndtr, ndtri
from scipy.stats import rankdata

from homeroom._arrays import Floats, Ints
from homeroom.observers.quizzing.answer_step import AnswerModel, after_answer, scores
from homeroom.observers.quizzing.teach_step import after_example

Mask = npt.NDArray[np.bool_]
TEST_WEIGHT = 5.0
RATES = np.array([0.0, 0.05, 0.13, 0.35])
SPREADS = (0.1, 0.2, 0.3, 0.4, 0.6, 0.9)
"""Candidate spreads of item difficulty; the training learners choose one."""


class Learners(NamedTuple):
    """Who answered what; all arrays have shape ``(learners, trials)``.

    ``right`` is 1 or 0, ``kind`` the true class, ``item`` the picture, and ``taught`` whether the
    right class was shown afterwards.
    """

    right: Floats
    kind: Ints
    item: Ints
    taught: Mask

    @property
    def kinds(self) -> int:
        """How many classes there are."""
        return int(self.kind.max()) + 1

    @property
    def items(self) -> int:
        """How many pictures there are."""
        return int(self.item.max()) + 1

    def some(self, who: Mask) -> Learners:
        """Return some of the learners."""
        return Learners(self.right[who], self.kind[who], self.item[who], self.taught[who])


Model = Callable[[Learners, Mask], Floats]
"""Given all learners and who of them may be looked at: the chance that each answer is right."""


def read(path: Path) -> Learners:
    """Read a table of learners, each with the same number of trials."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = sorted(
            csv.DictReader(file), key=lambda row: (int(row["learner"]), int(row["trial"]))
        )
    learners = len({row["learner"] for row in rows})
    _, item = np.unique([row["item"] for row in rows], return_inverse=True)
    shape = learners, -1
    return Learners(
        np.array([float(row["truth"] == row["answer"]) for row in rows]).reshape(shape),
        np.array([int(row["truth"]) for row in rows]).reshape(shape),
        item.reshape(shape),
        np.array([row["phase"] == "teach" for row in rows]).reshape(shape),
    )


class Score(NamedTuple):
    """How well a model predicted answers on test trials; ``each`` has each learner's loss."""

    loss: float
    auc: float
    each: Floats

    def ahead_of(self, other: Score) -> tuple[float, float]:
        """Return by how much the loss is lower, and the standard error of that over learners."""
        gains = other.each - self.each
        return float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(len(gains)))


def held_out(data: Learners, model: Model, seed: int = 0) -> Score:
    """Return how well a model predicts answers on test trials, five-fold by learner."""
    fold = np.random.default_rng(seed).permutation(len(data.right)) % 5
    chance = np.zeros(data.right.shape)
    for number in range(5):
        chance[fold == number] = model(data, fold != number)[fold == number]
    test, losses = ~data.taught, _losses(chance, data.right)
    each = (losses * test).sum(axis=1) / test.sum(axis=1)
    return Score(float(losses[test].mean()), auc(chance[test], data.right[test]), each)


def auc(chance: Floats, right: Floats) -> float:
    """Return how often a right answer had the higher chance than a wrong one."""
    ones, zeros = float(right.sum()), float((1 - right).sum())
    above = float(rankdata(chance)[right == 1].sum()) - ones * (ones + 1) / 2
    return above / (ones * zeros)


def _losses(chance: Floats, right: Floats) -> Floats:
    chance = np.clip(chance, 1e-6, 1 - 1e-6)
    losses: Floats = -(right * np.log(chance) + (1 - right) * np.log(1 - chance))
    return losses


def _weights(data: Learners) -> Floats:
    weights: Floats = np.where(data.taught, 1.0, TEST_WEIGHT)
    return weights / float(weights.mean())


def _fit(loss: Callable[[Floats], float], start: Floats, steps: int, ridge: float) -> Floats:
    """Return what lowers a loss from a start, drawn to the start by a ridge."""

    def drawn(theta: Floats) -> float:
        return loss(theta) + ridge * float(((theta - start) ** 2).sum())

    found: Floats = minimize(drawn, start, method="L-BFGS-B", options={"maxiter": steps}).x
    return found


# --- How hard each item is -----------------------------------------------------------------------


def difficulty(
    slopes: Floats, bends: Floats, item: Ints, items: int, spread: float
) -> tuple[Floats, Floats]:
    """Return how much easier each item is than expected, and the same for each answer without it.

    One Newton step from residuals, shrunk to zero by a normal prior of this spread.
    """
    slope = np.bincount(item.ravel(), slopes.ravel(), items)
    bend = np.bincount(item.ravel(), bends.ravel(), items)
    prior = 1.0 / spread**2
    return slope / (bend + prior), (slope[item] - slopes) / (bend[item] - bends + prior)


# --- What others do ------------------------------------------------------------------------------


def item_mean(data: Learners, train: Mask) -> Floats:
    """How often others got the item right, shrunk to its class."""
    past = data.some(train)
    total, right = np.zeros(data.items), np.zeros(data.items)
    np.add.at(total, past.item, 1.0)
    np.add.at(right, past.item, past.right)
    usual = np.zeros((2, data.kinds))
    for phase in (0, 1):
        for kind in range(data.kinds):
            usual[phase, kind] = past.right[(past.kind == kind) & (past.taught == phase)].mean()
    expected = usual[data.taught.astype(int), data.kind]
    chance: Floats = (right[data.item] + 5 * expected) / (total[data.item] + 5)
    return chance


def tracing(data: Learners, train: Mask) -> Floats:
    """Bayesian knowledge tracing, with its four numbers for each class."""
    past, kinds = data.some(train), data.kinds

    def loss(theta: Floats) -> float:
        return float((_weights(past) * _losses(_traced(theta, past), past.right)).mean())

    start = np.repeat([-0.5, -1.5, 0.0, -1.0], kinds)
    return _traced(_fit(loss, start, 60, 1e-5), data)


def _traced(theta: Floats, data: Learners) -> Floats:
    kinds = len(theta) // 4
    known, learn = expit(theta[:kinds]), expit(theta[kinds : 2 * kinds])
    guess, slip = 0.5 * expit(theta[2 * kinds : 3 * kinds]), 0.5 * expit(theta[3 * kinds :])
    knows = np.tile(known, (len(data.right), 1))
    who, chance = np.arange(len(knows)), np.zeros(data.right.shape)
    for trial in range(data.right.shape[1]):
        kind, right = data.kind[:, trial], data.right[:, trial]
        now = knows[who, kind]
        yes = now * (1 - slip[kind]) + (1 - now) * guess[kind]
        chance[:, trial] = yes
        then = np.where(right > 0, now * (1 - slip[kind]) / yes, now * slip[kind] / (1 - yes))
        knows[who, kind] = then + (1 - then) * learn[kind] * data.taught[:, trial]
    return chance


def logistic(data: Learners, train: Mask) -> Floats:
    """Logistic regression on practice counts, running accuracy and item difficulty."""
    told, past = _practice(data), data.some(train)
    xs, right, weights = told[train], past.right, _weights(past)
    plain = expit(xs @ _regress(xs, right, weights))
    best, chance = np.inf, np.zeros(data.right.shape)
    for spread in SPREADS:
        easy, others = difficulty(right - plain, plain * (1 - plain), past.item, data.items, spread)
        known = np.dstack([xs, others])
        theta = _regress(known, right, weights)
        loss = float((weights * _losses(expit(known @ theta), right)).mean())
        if loss < best:
            best, chance = loss, expit(np.dstack([told, easy[data.item]]) @ theta)
    return chance


def _regress(xs: Floats, right: Floats, weights: Floats) -> Floats:
    rows, sign, each = xs.reshape(-1, xs.shape[-1]), 2 * right.ravel() - 1, weights.ravel()

    def loss(theta: Floats) -> tuple[float, Floats]:
        margin = sign * (rows @ theta)
        pull = rows.T @ (each * sign * expit(-margin))
        return float(-(each * log_expit(margin)).sum() + 0.5 * theta @ theta), theta - pull

    found: Floats = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B").x
    return found


def _practice(data: Learners) -> Floats:
    """Return what is known before each answer; the test phase has separate weights."""
    learners, trials = data.right.shape
    who, eye = np.arange(learners), np.eye(data.kinds)
    seen, won, shown = np.zeros((3, learners, data.kinds))
    lately = np.full((learners, data.kinds + 1), 0.5)
    rows = []
    for trial in range(trials):
        kind, right = data.kind[:, trial], data.right[:, trial]
        mine, own = seen[who, kind], won[who, kind]
        counts = [np.log1p(count) for count in (shown[who, kind], own, mine - own)]
        overall = (won.sum(axis=1) + 1) / (seen.sum(axis=1) + 2)
        running = [overall, (own + 1) / (mine + 2), lately[who, kind], lately[:, -1]]
        rows.append(np.column_stack([eye[kind], *counts, *running]))
        seen[who, kind] += 1
        won[who, kind] += right
        shown[who, kind] += data.taught[:, trial]
        lately[who, kind] += 0.3 * (right - lately[who, kind])
        lately[:, -1] += 0.1 * (right - lately[:, -1])
    told = np.stack(rows, axis=1)
    return np.dstack([told, told * ~data.taught[..., None]])


# --- What ours do --------------------------------------------------------------------------------


class Followed(NamedTuple):
    """Chances of a right answer, and how each would change with the item's difficulty."""

    chance: Floats
    slopes: Floats
    bends: Floats


def observer(data: Learners, train: Mask) -> Floats:
    """The quiz observer: answers, examples, drift, guessing and item difficulty."""
    return _ours(data, train, listen=True)


def gradient_alone(data: Learners, train: Mask) -> Floats:
    """The gradient learner without answers; item difficulty as for the others."""
    return _ours(data, train, listen=False)


def _ours(data: Learners, train: Mask, *, listen: bool) -> Floats:
    past, theta = data.some(train), _start(data.some(train))
    weights, ridge = _weights(past), 0.125 / past.right.size
    easy, others = np.zeros(data.items), np.zeros(past.right.shape)

    def loss(theta: Floats) -> float:
        chance = _follow(theta, past, others, listen=listen).chance
        return float((weights * _losses(chance, past.right)).mean())

    for steps in (15, 5):
        theta = _fit(loss, theta, steps, ridge)
        easy, others = _difficulties(theta, past, data.items, listen=listen)
    theta = _fit(loss, theta, 5, ridge)
    return _follow(theta, data, easy[data.item], listen=listen).chance


def _difficulties(
    theta: Floats, past: Learners, items: int, *, listen: bool
) -> tuple[Floats, Floats]:
    """Return how easy items are, with the spread that predicts left-out answers best."""
    plain = _follow(theta, past, np.zeros(past.right.shape), listen=listen)
    found = [difficulty(plain.slopes, plain.bends, past.item, items, spread) for spread in SPREADS]

    def loss(others: Floats) -> float:
        chance = _follow(theta, past, others, listen=listen).chance
        return float((_weights(past) * _losses(chance, past.right)).mean())

    return min(found, key=lambda pair: loss(pair[1]))


def _start(past: Learners) -> Floats:
    early = past.right[:, :10], past.kind[:, :10]
    means = [np.clip(early[0][early[1] == kind].mean(), 0.1, 0.9) for kind in range(past.kinds)]
    others = [np.log(0.5), np.log(0.5), 0.0, -1.0, -3.0, np.log(0.1), np.log(0.1), 1.5]
    return np.concatenate([ndtri(means), others, np.zeros(len(RATES) - 1)])


def _follow(theta: Floats, data: Learners, easy: Floats, *, listen: bool) -> Followed:
    """Follow all learners: a state has one coordinate per class, and one that is always 1."""
    kinds, learners = data.kinds, len(data.right)
    together, apart, gain, guess, slip, drift, common, attention = theta[kinds : kinds + 8]
    model = AnswerModel(1.0, 0.6 * float(expit(guess)), 0.3 * float(expit(slip)))
    usual = log_softmax(np.append(0.0, theta[kinds + 8 :]))
    centre = np.append(theta[:kinds], 1.0)
    goals = centre + np.exp(gain)
    alive = np.append(np.ones(kinds), 0.0)
    own, all_ = np.diag(alive), np.outer(alive, alive)
    spread = np.exp(2 * together) * all_ + np.exp(2 * apart) * own
    means = np.tile(centre, (learners, len(RATES), 1))
    covariances = np.tile(spread, (learners, len(RATES), 1, 1))
    evidence = np.zeros((learners, len(RATES)))
    found = Followed(*np.zeros((3, *data.right.shape)))
    unit = np.eye(kinds + 1)
    for trial in range(data.right.shape[1]):
        kind, right = data.kind[:, trial], data.right[:, trial]
        x = unit[kind] + easy[:, trial, None] * unit[-1]
        weights = np.exp(usual + evidence - logsumexp(usual + evidence, axis=1, keepdims=True))
        mean, variance, _ = scores(means, covariances, x[:, None])
        chance, steep = _chance(mean, variance, weights, model)
        found.chance[:, trial] = chance
        found.slopes[:, trial] = (right - chance) * steep / (chance * (1 - chance))
        found.bends[:, trial] = steep**2 / (chance * (1 - chance))
        if listen:
            answers = 2 * right[:, None] - 1
            means, covariances, told = after_answer(means, covariances, x[:, None], answers, model)
            evidence = evidence + told
        covariances = covariances + np.exp(2 * drift) * own
        taught = data.taught[:, trial].astype(float)
        if taught.any():
            means, covariances = after_example(
                means,
                covariances,
                RATES,
                (taught[:, None] * unit[kind])[:, None],
                (taught * goals[kind])[:, None],
                attention=float(expit(attention)),
            )
            covariances = covariances + (taught * np.exp(2 * common))[:, None, None, None] * all_
    return found


def _chance(
    mean: Floats, variance: Floats, weights: Floats, model: AnswerModel
) -> tuple[Floats, Floats]:
    """Return the chance of a right answer, and how it grows with the score."""
    wide, knowing = np.sqrt(1.0 + variance), 1.0 - model.guess - model.slip
    z = mean / wide
    density = np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
    chance = np.vecdot(weights, model.guess + knowing * ndtr(z))
    return chance, np.vecdot(weights, knowing * density / wide)
