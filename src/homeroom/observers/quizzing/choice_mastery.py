"""What each student knows if there are several answers, what an item would teach, what to ask.

Everything is computed from the differences ``s_y - s_c`` between the score of the right answer
``y`` and that of each other answer ``c``, with means ``m_c`` and variances ``v_c``. The chance of a
right answer is close to ``1 / (1 + sum_c exp(-1.702 m_c / sqrt(sigma^2 + v_c)))``. With two
answers, this is within 0.01 of the probit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import entr, ndtr, ndtri

from homeroom._arrays import Floats, Ints
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.beliefs import Belief, BeliefBank
from homeroom.observers.quizzing.choice_bank import ChoiceBank, ChoiceMemory
from homeroom.observers.quizzing.choice_step import (
    SHARP,
    cholesky,
    contrasts,
    expected_shrink,
    normal_points,
    probabilities_at,
)
from homeroom.observers.quizzing.first_answers import even_points
from homeroom.observers.quizzing.item_memory import VARIANCE, ItemBelief
from homeroom.observers.quizzing.replay import Setup, known_scores

KEPT = 2**23
"""The largest number of normal draws that are kept for the next time: 32 MiB."""

BLOCK = 2**18
"""The number of differences of scores that are computed at a time: they stay in the cache."""

DRAWS = 200
"""The number of draws of each student's share of right answers; the seed is always the same."""

DRAWN = 500_000
"""The number of differences of scores that are drawn at a time."""

STUDENTS = 100
"""If there are more students, items to ask are compared on this many of them."""


class Ahead(NamedTuple):
    """By how much the right answer to some items is ahead of the others.

    ``places`` are the positions of these items in the argument ``items`` of :func:`ahead`;
    ``means`` and ``variances`` are those of the differences of scores, and have the shape
    ``(other answers, students, rates, items)``, or broadcast to it.
    """

    places: Ints
    means: npt.NDArray[np.floating[Any]]
    variances: npt.NDArray[np.floating[Any]]


def ahead(bank: ChoiceBank, setup: Setup, items: Ints, at: float) -> Iterator[Ahead]:
    """Yield the differences of scores for some items, about ``BLOCK`` at a time.

    Parameters
    ----------
    bank, setup
        The beliefs, and the settings with all items and the right answer to each.
    items
        The numbers of the items.
    at
        The time in seconds.
    """
    memory, xs, keys = bank.memory, setup.xs, setup.keys
    assert memory is None or isinstance(memory, ChoiceMemory)
    if not bank.means.shape[-1]:
        assert memory is not None
        yield from _facts(memory, keys, items, at)
        return
    own, rule = (0.0, 1.0) if memory is None else (memory.own, memory.rule)
    rows, columns = np.triu_indices(xs.shape[1])
    twice = np.where(rows == columns, 1.0, 2.0)  # the covariances are symmetric
    count = max(BLOCK // (bank.rows * bank.weights.size), 1)
    pairs = _pairs(bank, rows, columns)
    pairs *= twice.astype(np.float32)
    for key in np.unique(keys[items]).tolist():
        vectors, matrices = _along(bank, _apart(bank.options, key), pairs)
        same = np.flatnonzero(keys[items] == key)
        for start in range(0, len(same), count):
            places = same[start : start + count]
            some = (rule * xs[items[places]]).astype(np.float32)
            means = vectors @ some.T
            variances = matrices @ (some[:, rows] * some[:, columns]).T
            np.maximum(variances, np.float32(0.0), out=variances)
            variances += np.float32(own**2 * VARIANCE)
            for column, item in enumerate(items[places].tolist()):
                if memory is not None and item in memory.traces:
                    more, spread = _remembered(memory, key, item, at)
                    means[..., column] += own * more
                    changed = variances[..., column] + own**2 * (spread - VARIANCE)
                    variances[..., column] = np.maximum(changed, 0.0)
            yield Ahead(places, means, variances)


def _apart(options: int, key: int) -> Floats:
    """Return ``B_y - B_c`` for all other answers ``c``, shape ``(K - 1, K - 1)``.

    ``B`` are the contrasts, one row per answer; ``key`` is ``y``.
    """
    basis = contrasts(options)
    apart: Floats = basis[key - 1] - np.delete(basis, key - 1, axis=0)
    return apart


def _pairs(bank: ChoiceBank, rows: Ints, columns: Ints) -> npt.NDArray[np.float32]:
    """Return the elements ``(rows, columns)`` of the covariance of each two rows of a state.

    Shape ``(state rows, state rows, students, rates, elements)``.
    """
    shape, size = bank.means.shape[:2], bank.rows
    features = bank.means.shape[-1] // size
    blocks = bank.covariances.reshape(*shape, size, features, size, features)
    pairs = np.empty((size, size, *shape, len(rows)), dtype=np.float32)
    for one in range(size):
        for other in range(size):
            pairs[one, other] = blocks[:, :, one, rows, other, columns]
    return pairs


def _along(
    bank: ChoiceBank, apart: Floats, pairs: npt.NDArray[np.float32]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return mean and covariance of the state vectors along some contrasts.

    Shapes ``(contrasts, students, rates, features)``, and with the elements of ``pairs`` in place
    of the features.
    """
    shape, size = bank.means.shape[:2], bank.rows
    vectors = np.moveaxis(apart @ bank.means.reshape(*shape, size, -1), 2, 0)
    products = (apart[:, :, None] * apart[:, None]).reshape(len(apart), -1).astype(np.float32)
    flat = products @ pairs.reshape(size * size, -1)
    return vectors.astype(np.float32), flat.reshape(len(apart), *pairs.shape[2:])


def _remembered(memory: ChoiceMemory, key: int, item: int, at: float) -> tuple[Floats, Floats]:
    """Return mean and variance of what memory adds to the differences of scores.

    Shapes ``(other answers, students, rates)``.
    """
    now = memory.now(item, at)
    variances = now.variances[..., [key - 1]] + np.delete(now.variances, key - 1, axis=-1)
    means = now.means @ _apart(int(memory.options[item]), key).T
    return np.moveaxis(means, 2, 0), np.moveaxis(variances, 2, 0)


def _facts(memory: ChoiceMemory, keys: Ints, items: Ints, at: float) -> Iterator[Ahead]:
    """Yield the differences of scores for facts.

    Facts that were not asked or shown come first, by number of answers, then one by one the others.
    """
    known = np.array([item in memory.traces for item in items.tolist()], dtype=bool)
    for options in np.unique(memory.options[items[~known]]).tolist():
        places = np.flatnonzero(~known & (memory.options[items] == options))
        levels = np.zeros(1) if memory.first is None else memory.first.levels(options)
        shape = options - 1, len(levels), 1, len(places)
        means = np.broadcast_to(levels[None, :, None, None], shape)
        yield Ahead(places, means, np.full(shape, 2.0 * memory.variance))
    for place in np.flatnonzero(known).tolist():
        item = int(items[place])
        means, variances = _remembered(memory, int(keys[item]), item, at)
        yield Ahead(np.array([place]), means[..., None], variances[..., None])


class Outlook(NamedTuple):
    """What is expected of some items.

    ``right`` has each student's chance of a right answer now, shape ``(students, items)``, and
    ``helps`` how much showing each item would help the class, shape ``(items,)``.
    """

    right: Floats
    helps: Floats


def outlook(
    bank: ChoiceBank,
    setup: Setup,
    honesty: Floats,
    items: Ints,
    model: AnswerModel,
    *,
    margin: float,
    at: float,
) -> Outlook:
    """Return what is expected of some items, from the same differences of scores.

    Help is the mean over students and rates of ``eta (2 - eta |x|^2) gap``, with the rate ``eta``
    and the features ``x``, weighted by ``honesty``. The gap is the mean over the wrong answers
    ``c`` of ``E[(M - (s_y - s_c))_+^2]``, with the margin ``M``. Item difficulty and practice count
    in ``right`` alone.

    Cost: O(students * rates * items * answers * features^2). Items that no student remembers, and
    that have the same features and right answer, count as one.
    """
    different, place = _different(bank, setup, items)
    if len(different) < len(items):
        few = outlook(bank, setup, honesty, different, model, margin=margin, at=at)
        return Outlook(few.right[:, place], few.helps[place])
    found = Outlook(np.empty((len(bank.means), len(items))), np.empty(len(items)))
    memory, lapse = bank.memory, model.guess + model.slip
    length = (setup.xs[items] ** 2).sum(axis=1)
    if memory is not None:
        length = memory.rule**2 * length + memory.own**2
    learns = bank.rates > 0.0
    rates, weights = bank.rates[learns, None], bank.weights
    counted = honesty[:, None] * weights[:, learns] / len(honesty)
    known = known_scores(bank.practice, setup, items)[:, None].astype(np.float32)
    for places, means, variances in ahead(bank, setup, items, at):
        right = means + known[..., places] if setup.adds else means
        odds = right / np.sqrt(model.sigma**2 + variances)
        odds *= -SHARP
        np.exp(np.minimum(odds, 80.0, out=odds), out=odds)
        chance = 1.0 / (1.0 + odds.sum(axis=0))
        knows = np.einsum("jk,jki->ji", weights, _spread_to(chance, weights, places))
        found.right[:, places] = lapse / (len(means) + 1) + (1.0 - lapse) * knows
        some = learns if means.shape[2] > 1 else slice(None)  # new facts are the same at all rates
        gap = _gap(margin - means[:, :, some], variances[:, :, some]).mean(axis=0)
        gap = np.einsum("jk,jki->ki", counted, _spread_to(gap, counted, places))
        found.helps[places] = (rates * (2.0 - rates * length[places]) * gap).sum(axis=0)
    # Items that differ in single precision's last digits only are equal on every machine.
    size, power = np.frexp(found.helps)
    return found._replace(helps=np.ldexp(np.round(size, 5), power))


def _different(bank: ChoiceBank, setup: Setup, items: Ints) -> tuple[Ints, Ints]:
    """Return items whose expectations differ, and the position of each item among them."""
    remembered = () if bank.memory is None else bank.memory.traces
    own = [item if setup.adds or item in remembered else -1 for item in items.tolist()]
    rows = np.column_stack([own, setup.keys[items], setup.options[items], setup.xs[items]])
    _, first, place = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return items[first], place.reshape(-1)


def _gap(mu: npt.NDArray[Any], variances: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return ``E[x_+^2] = mu_+^2 + v k(mu / sqrt(v))`` of normal variables, within ``4e-5 v``.

    ``v`` are the variances; ``k`` is the function that :func:`_excess` tabulates.
    """
    least, step, values = _excess()
    place: npt.NDArray[Any] = mu / np.sqrt(np.maximum(variances, 1e-30))
    place -= least
    place *= 1.0 / step
    np.clip(place, 0.0, len(values) - 1.001, out=place)
    number = place.astype(np.int32)
    place -= number
    place *= np.diff(values).take(number)
    place += values.take(number)
    place *= variances
    above = np.maximum(mu, 0.0)
    place += np.square(above, out=above)
    return place


@cache
def _excess() -> tuple[float, float, npt.NDArray[np.float32]]:
    """Return a table of ``k(z) = (z^2 + 1) Phi(z) + z phi(z) - z_+^2``, from 0 to 1.

    Returns its first point, the distance between its points, and its values.
    """
    least, step = -6.0, 1.0 / 64.0
    z = np.arange(least, -least + step, step)
    density = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    values = (z * z + 1.0) * ndtr(z) + z * density - np.maximum(z, 0.0) ** 2
    return least, step, values.astype(np.float32)


def _spread_to(values: npt.NDArray[Any], weights: Floats, places: Ints) -> npt.NDArray[Any]:
    """Return values broadcast to the shape ``(students, rates, items)``."""
    return np.broadcast_to(values, (*weights.shape, len(places)))


def drawn_shares(
    bank: ChoiceBank, setup: Setup, items: Ints, model: AnswerModel, *, noise: Floats
) -> Floats:
    """Return draws of each student's share of right answers to new items like these.

    Shape ``(students, draws)``; ``noise`` has a factor of sigma for each draw. In single precision,
    as the error of the draws is larger.
    """
    lapse, draws = model.guess + model.slip, len(noise)
    shares = np.empty((len(bank.means), draws))
    rule, own = (1.0, 0.0) if bank.memory is None else (bank.memory.rule, bank.memory.own)
    own *= math.sqrt(VARIANCE)
    sigma = math.hypot(model.sigma, own)
    clear = clearness(model.sigma, own, noise)[:, None].astype(np.float32)
    same = np.column_stack([setup.keys[items], setup.xs[items]])
    if setup.adds:  # items with the same features may differ in difficulty and practice
        same = np.column_stack([same, items])
    kinds, places, counts = np.unique(same, axis=0, return_index=True, return_counts=True)
    numbers, rows = kinds[:, 0].astype(np.int64), rule / sigma * setup.xs[items[places]]
    known = known_scores(bank.practice, setup, items[places]) / sigma
    known = np.broadcast_to(np.exp(-SHARP * known), (len(shares), len(places)))
    apart = np.stack([_apart(bank.options, key) for key in numbers.tolist()])
    along = np.einsum("ick,id->cikd", apart, rows).reshape(-1, bank.means.shape[-1])
    belief, along = bank.belief, -SHARP * along
    roots = np.moveaxis(cholesky(np.moveaxis(belief.covariances, 0, 2)), 2, 0)
    spread = np.swapaxes(along @ roots, 1, 2).astype(np.float32)
    means, few = (belief.means @ along.T).astype(np.float32), DRAWN // (draws * len(along))
    share = (counts / counts.sum()).astype(np.float32)
    size, rng = spread.shape[1], np.random.default_rng(0)
    kept = _normal_draws(len(shares), draws, size) if shares.size * size <= KEPT else None
    for start in range(0, len(shares), max(1, few)):  # all draws at once would not fit
        some = slice(start, start + max(1, few))
        if kept is None:
            normal = rng.standard_normal((len(means[some]), draws, size), dtype=np.float32)
        else:
            normal = kept[some]
        # -1.702 times the lead of the right answer over each other one, in units of sigma.
        behind = normal @ spread[some]
        behind += means[some, None]
        behind *= clear
        np.exp(np.minimum(behind, 80.0, out=behind), out=behind)
        every = behind.reshape(*behind.shape[:2], bank.rows, -1).sum(axis=2)
        if setup.adds:
            every = every * known[some, None] ** clear
        shares[some] = 1.0 / (1.0 + every) @ share
    found: Floats = lapse / bank.options + (1.0 - lapse) * shares
    return found


@lru_cache(maxsize=2)
def _normal_draws(students: int, draws: int, size: int) -> npt.NDArray[np.float32]:
    """Return the same draws each time: for 300 students, drawing takes longest."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((students, draws, size), dtype=np.float32)


def clearness(sigma: float, own: float, noise: Floats) -> Floats:
    """Return by which factor the noise of scores shrinks if sigma is multiplied by ``noise``.

    ``hypot(sigma, own) / hypot(sigma * noise, own)``, where ``own`` is the standard deviation of
    what each item adds to its score. Above 1, answers are clearer.

    >>> clearness(0.3, 0.4, np.array([0.0, 1.0])).round(2)
    array([1.25, 1.  ])
    """
    clear: Floats = math.hypot(sigma, own) / np.hypot(sigma * noise, own)
    return clear


def drawn_rates(bank: BeliefBank, setup: Setup, draws: int) -> Ints:
    """Return draws of each student's rate, as places in ``bank.rates``, ``(students, draws)``.

    Before students are asked again about what they were shown, the rates of all are unknown in the
    same way: a draw is high for all of them, or low. Each rate that becomes known shows what rates
    the class has. So if ``n`` rates are known, this common part is ``1 / (1 + n)`` of the variance.
    A rate is known as far as its entropy has decreased.
    """
    rng, at_first = np.random.default_rng(3), float(entr(np.exp(setup.usual)).sum())
    left = entr(bank.weights).sum(axis=1) / max(at_first, 1e-9)
    common = 1.0 / (1.0 + float(np.maximum(1.0 - left, 0.0).sum()))
    evenly = ndtri((rng.permutation(draws) + 0.5) / draws)
    own = rng.standard_normal((len(left), draws))
    place = ndtr(math.sqrt(common) * evenly + math.sqrt(1.0 - common) * own)
    below = np.cumsum(bank.weights, axis=1)[:, :-1]
    rates: Ints = (place[:, :, None] > below[:, None, :]).sum(axis=2)
    return rates


def fact_shares(
    bank: BeliefBank, setup: Setup, items: Ints, model: AnswerModel, *, work: int, at: float
) -> Floats:
    """Return draws of each student's share of right answers to these facts.

    Shape ``(students, DRAWS)``. What all facts of a student have in common is drawn: the rate, and
    how much of the list they know. Otherwise the chances of facts are independent, and their sum is
    almost normal: its mean and variance come from a few draws of each fact, about ``work`` in all.
    Facts that no student has met are alike, and are drawn once.
    """
    memory = bank.memory
    assert memory is not None
    rng, (students, rates) = np.random.default_rng(0), bank.weights.shape
    options = np.array([memory.options_of(item) for item in items.tolist()])
    apart = [item in memory.traces or setup.adds for item in items.tolist()]
    kinds = np.where(apart, -1 - np.arange(len(items)), options)
    _, places, counts = np.unique(kinds, return_index=True, return_counts=True)
    draws = int(np.clip(work // (students * rates * len(places)), 2, DRAWS))
    half = int(np.clip(work // (16 * students), 16, DRAWS))
    mean, variance = np.zeros((2, students, rates))
    known = known_scores(bank.practice, setup, items)
    for place, count in zip(places.tolist(), counts.tolist(), strict=True):
        item = int(items[place])
        now = memory.now(item, at)
        if apart[place]:
            noise = rng.standard_normal((students, rates, draws, *now.variances.shape[2:]))
        else:  # it counts for many facts, and is the same at all rates: use evenly spread points
            now = now._replace(means=now.means[:, :1], variances=now.variances[:, :1])
            even = even_points(*now.variances.shape[2:] or (1,), half)
            noise = even.reshape(1, 1, 2 * half, *now.variances.shape[2:])
        chances = _fact_chances(now, noise, setup, item, model, known=known[:, place])
        mean += count / len(items) * chances.mean(axis=2)
        variance += count / len(items) ** 2 * chances.var(axis=2, ddof=1)
    row, rate = np.arange(students)[:, None], drawn_rates(bank, setup, DRAWS)
    shares = rng.standard_normal(rate.shape) * np.sqrt(variance)[row, rate] + mean[row, rate]
    if memory.first is not None and memory.first.class_share is not None:
        new = np.stack([memory.is_new(item) for item in items.tolist()], axis=1)
        uncertain = new @ memory.first.change_per_share(options) / len(items)
        shares += uncertain[:, None] * memory.first.drawn(DRAWS)
    return np.asarray(np.clip(shares, 0.0, 1.0))


def _fact_chances(
    now: ItemBelief, noise: Floats, setup: Setup, item: int, model: AnswerModel, *, known: Floats
) -> Floats:
    """Return draws of the chance of a right answer to a fact, ``(students, rates, draws)``.

    ``now`` is the belief about it. ``noise`` are standard normal draws of the score; with several
    answers, of the score of each, in a further axis. ``known`` is a known part of the score: one
    number, or one per student.
    """
    more = known[:, None, None]
    if not setup.chooses:
        scores = more + now.means[..., None] + noise * np.sqrt(now.variances)[..., None]
        right = ndtr(setup.labels[item] * scores / model.sigma)
        return np.asarray(model.guess + (1.0 - model.guess - model.slip) * right)
    options, key = noise.shape[-1], int(setup.keys[item]) - 1
    drawn = noise * np.sqrt(now.variances)[..., None, :]
    drawn += (now.means @ contrasts(options).T)[..., None, :]
    ahead = more[..., None] + drawn[..., [key]] - np.delete(drawn, key, axis=-1)
    odds = np.exp(np.minimum(-SHARP / model.sigma * ahead, 80.0)).sum(axis=-1)
    lapse = model.guess + model.slip
    return np.asarray(lapse / options + (1.0 - lapse) / (1.0 + odds))


def information(
    belief: Belief, xs: Floats, model: AnswerModel, *, options: int, known: Floats | None = None
) -> Floats:
    """Return the information in each student's answer to each item, ``(students, items)``.

    The entropy of the answer now, minus the entropy it would have if the state were known, both
    from fixed points. All students get the mean over at most ``STUDENTS`` of them. Facts are all
    equally informative. ``known`` is a part of the contrasts that is known, shape
    ``(students, items, K - 1)``.
    """
    if not belief.means.shape[-1]:
        return np.ones((len(belief.means), len(xs)))
    some = np.unique(np.linspace(0, len(belief.means) - 1, STUDENTS).astype(np.int64))
    kinds, kind = np.unique(xs, axis=0, return_inverse=True)
    if known is not None:
        kinds, kind = xs, np.arange(len(xs))
    found = np.empty((len(some), len(kinds)))
    size, rows = belief.means.shape[1], options - 1
    vectors = belief.means[some].reshape(-1, rows, size // rows)
    blocks = belief.covariances[some].reshape(-1, rows, size // rows, rows, size // rows)
    points = normal_points(rows)
    for number, x in enumerate(kinds):
        covariance = np.einsum("nkdle,d,e->nkl", blocks, x, x)
        mean = vectors @ x if known is None else vectors @ x + known[some, number]
        chances = probabilities_at(points, mean, covariance, model)
        lapse = model.guess + model.slip
        chances = lapse / options + (1.0 - lapse) * chances
        left = entr(chances).sum(axis=0).mean(axis=-1)
        found[:, number] = entr(chances.mean(axis=-1)).sum(axis=0) - left
    every = np.repeat(found.mean(axis=0)[None], len(belief.means), axis=0)
    return every[:, kind.reshape(-1)]


def when_answered(
    belief: Belief, x: Floats, model: AnswerModel, *, options: int, known: float | Floats = 0.0
) -> Belief:
    """Return the belief after an answer that is not known yet, with its expected covariance.

    ``known`` is a part of the contrasts that is known, shape ``(students, K - 1)``.
    """
    size, rows = belief.means.shape[1], options - 1
    if not size:
        return belief
    mean = belief.means.reshape(-1, rows, size // rows) @ x + known
    across = belief.covariances.reshape(-1, size, rows, size // rows) @ x
    covariance = x @ across.reshape(-1, rows, size // rows, rows)
    shrink = expected_shrink(mean, covariance, model)
    less = across @ shrink @ np.swapaxes(across, -1, -2)
    return Belief(belief.means, belief.covariances - less)
