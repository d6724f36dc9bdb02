"""Models that predict the next answer of a person from the answers before it.

Each is fitted to some of the people and predicts the answers of the others. `ours` is the quiz
observer of the library; the rest is what others use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit, log_softmax, ndtri

from benchmarks.people_data import Mask, Trials
from homeroom._arrays import Floats, Ints
from homeroom.learners.item_memory import GAP, Forgetting
from homeroom.observers.quizzing.answer_step import AnswerModel, scores, with_answer
from homeroom.observers.quizzing.item_memory import VARIANCE, ItemMemory
from homeroom.observers.quizzing.practice import Difficulty, Practice, item_difficulty
from homeroom.observers.quizzing.teach_step import Recall, after_example, item_after_example

Model = Callable[[Trials, Mask], Floats]
"""Given all sequences and which may be looked at: the chance that each answer is right."""

SPREADS = (0.2, 0.3, 0.45, 0.7, 1.0)
"""Candidate spreads of item difficulty; the training people choose one."""

NEWTON = 3
MARKED_RATES = (0.0, 0.05, 0.13, 0.35)
RULE_RATES = (0.0, 0.1, 0.3, 0.7)


def losses_of(chance: Floats, data: Trials) -> Floats:
    """Return minus the log-probability of each mark, 0 where there is none."""
    chance = np.clip(chance, 1e-6, 1 - 1e-6)
    marks = data.marks
    losses: Floats = -np.where(marks > 0, np.log(chance), np.log1p(-chance)) * (marks != 0)
    return losses


def fitted(loss: Callable[[Floats], float], start: Floats, steps: int, ridge: float) -> Floats:
    """Return what lowers a loss from a start, drawn to the start by a ridge."""

    def drawn(theta: Floats) -> float:
        return loss(theta) + ridge * float(((theta - start) ** 2).sum())

    found: Floats = minimize(drawn, start, method="L-BFGS-B", options={"maxiter": steps}).x
    return found


# --- Ours ----------------------------------------------------------------------------------------


class Variant(NamedTuple):
    """A version of the quiz observer, with parts left out or replaced.

    Parameters
    ----------
    step
        The effect of an example: ``"gradient"``; ``"label"`` (a step towards the label that does
        not depend on what the person would answer); or ``"none"``.
    rule, memory
        Whether there is a rule that items share, and memory of single objects or skills.
    difficulty, practice
        Whether items differ in difficulty, and whether practice on a skill counts.
    listen
        Whether answers are used.
    drift
        Whether states drift.
    """

    step: str = "gradient"
    rule: bool = True
    memory: bool = False
    difficulty: bool = False
    practice: bool = False
    listen: bool = True
    drift: bool = True


class Plan(NamedTuple):
    """All numbers of the observer."""

    mean: Floats
    covariance: Floats
    model: AnswerModel
    rates: Floats
    usual: Floats
    margin: float
    attention: float
    drift: float
    common: float
    kappa: float
    stability: float
    right: float
    wrong: float


Values = dict[str, float]


def parameters(data: Trials, variant: Variant) -> Values:
    """Return the parameters of a variant that are fitted, with their start."""
    found: Values = {}
    width = data.x.shape[-1]
    if data.marked:
        for place in range(width):
            known = (data.x[..., place] > 0) & (data.said != 0)
            known[:, 10:] = False
            share = (data.said[known] > 0).mean() if known.any() else 0.5
            found[f"mean{place}"] = float(ndtri(np.clip(share, 0.1, 0.9)))
        found |= {"together": np.log(0.5), "guess": -1.0, "slip": -3.0}
        if width > 1:
            found["apart"] = np.log(0.5)
    elif variant.rule:
        found |= {"constant": 0.0, "apart": 0.0}
    if not data.marked:
        found |= {"sigma": np.log(0.7), "lapse": -3.0}
    if variant.drift:
        found["drift"] = np.log(0.1)
    if variant.step != "none":
        found |= {"margin": 0.0 if data.marked else 0.3}
        found |= {f"rate{number}": 0.0 for number in range(1, len(_rates(data)))}
        if data.marked:
            found |= {"common": np.log(0.1), "attention": 1.5}
    if variant.memory:
        found["stability"] = np.log(100.0)
        if variant.rule:
            found["kappa"] = 0.0
        if data.marked:
            found["sigma"] = 0.0
    if variant.practice:
        found |= {"right": 0.1, "wrong": 0.0}
    return found


def _rates(data: Trials) -> tuple[float, ...]:
    return MARKED_RATES if data.marked else RULE_RATES


def plan(values: Values, data: Trials, variant: Variant) -> Plan:
    """Return the numbers of the observer for parameters."""
    width, get = data.x.shape[-1], values.get

    def size(name: str, missing: float = 0.0) -> float:
        return float(np.exp(np.clip(values[name], -12, 6))) if name in values else missing

    own = np.eye(width)
    if data.marked:
        mean = np.array([values[f"mean{place}"] for place in range(width)])
        covariance = size("together") ** 2 * np.ones((width, width)) + size("apart") ** 2 * own
        guess, slip = 0.6 * float(expit(values["guess"])), 0.3 * float(expit(values["slip"]))
    else:
        mean = np.zeros(width)
        covariance = size("apart") ** 2 * own
        covariance[0, 0] = size("constant") ** 2
        guess = slip = 0.5 * float(expit(values["lapse"]))
    usual = np.zeros(1)
    rates = np.zeros(1)
    if variant.step != "none":
        rates = np.array(_rates(data))
        usual = log_softmax([0.0, *(values[f"rate{n}"] for n in range(1, len(rates)))])
    kappa = 0.0
    if variant.memory:
        kappa = size("kappa") if variant.rule else np.inf
    return Plan(
        mean,
        covariance,
        AnswerModel(size("sigma", 1.0), guess, slip),
        rates,
        usual,
        size("margin"),
        float(expit(get("attention", 40.0))),
        size("drift"),
        size("common"),
        kappa,
        size("stability", np.inf),
        get("right", 0.0),
        get("wrong", 0.0),
    )


class Followed(NamedTuple):
    """Chances of a right answer, and how each would change with the item's difficulty."""

    chance: Floats
    slopes: Floats
    bends: Floats


class Examples(NamedTuple):
    """What was shown after each answer: features, label and object of each trial."""

    x: Floats
    label: Floats
    skill: Ints


def follow(  # noqa: PLR0915 - the loop of the observer, in one place
    numbers: Plan,
    data: Trials,
    easy: Floats,
    variant: Variant,
    shown: Examples | None = None,
) -> Followed:
    """Follow all people with the library's updates, one trial of all sequences at a time.

    Memory of objects is dense here, ``(sequences, rates, skills)``, as each person has another
    object at each trial; otherwise this is :class:`BeliefBank` of the library.
    """
    rows, trials = data.said.shape
    rates = numbers.rates
    examples = shown or Examples(data.x, data.label, data.skill)
    means = np.tile(numbers.mean, (rows, len(rates), 1))
    covariances = np.tile(numbers.covariance, (rows, len(rates), 1, 1))
    weight = ItemMemory(numbers.kappa, 0, 0)
    rule, own = (weight.rule, weight.own) if numbers.kappa else (1.0, 0.0)
    memory = _Memory.none(rows, len(rates), data.skills, numbers.stability) if own else None
    evidence = np.zeros((rows, len(rates)))
    practice = Practice.none(rows, data.skills) if variant.practice else None
    found = Followed(*np.zeros((3, rows, trials)))
    marks, model, width = data.marks, numbers.model, data.x.shape[-1]
    sign = data.label
    for trial in range(trials):
        said, label, skill = data.said[:, trial], sign[:, trial], data.skill[:, trial]
        x = (rule * data.x[:, trial])[:, None]
        extra = easy[:, trial]
        if practice is not None:
            extra = extra + practice.score(skill, numbers.right, numbers.wrong)
            practice = practice.after(skill, marks[:, trial])
        more: tuple[float | Floats, float | Floats] = (label * extra)[:, None], 0.0
        recalled = None
        if memory is not None:
            recalled = memory.of(skill, trial)
            more = more[0] + own * recalled.means, own**2 * recalled.variances
        kept, kept_covariances, effect = with_answer(
            means, covariances, x, said[:, None], model, more=more
        )
        joint = np.exp(numbers.usual + evidence - evidence.max(axis=1, keepdims=True))
        joint = joint / joint.sum(axis=1, keepdims=True) * np.exp(effect.evidence)
        given = joint.sum(axis=1)  # the chance of the answer that was given
        heard, mark = said != 0, marks[:, trial]
        found.chance[:, trial] = np.where(mark > 0, given, 1.0 - given)
        found.slopes[:, trial] = label * np.vecdot(joint, effect.pull) / given
        found.bends[:, trial] = found.slopes[:, trial] ** 2 * given / np.maximum(1.0 - given, 1e-9)
        if variant.listen:
            means, covariances = kept, kept_covariances
            evidence = evidence + effect.evidence
            if memory is not None and recalled is not None:
                across = own * recalled.variances
                recalled = Recall(
                    recalled.means + effect.pull * across,
                    recalled.variances - effect.shrink * across * across,
                )
                memory.store(skill, recalled, trial, heard, mark > 0)
        if numbers.drift:
            covariances = covariances + numbers.drift**2 * np.eye(width)
        taught = data.taught[:, trial]
        if variant.step == "none" or not taught.any():
            continue
        object_, y = examples.skill[:, trial], examples.label[:, trial]
        x = (taught[:, None] * rule * examples.x[:, trial])[:, None]
        goal = (taught * (y * numbers.margin + examples.x[:, trial] @ numbers.mean))[:, None]
        more = 0.0, 0.0
        if memory is not None:
            recalled = memory.of(object_, trial)
            more = taught[:, None] * own * recalled.means, own**2 * recalled.variances
        if variant.step == "label":
            goal = (taught * y * numbers.margin)[:, None]
            means = means + (rates * goal)[..., None] * x
            if memory is not None and recalled is not None:
                recalled = Recall(recalled.means + rates * own * goal, recalled.variances)
                memory.store(object_, recalled, trial, taught)
            continue
        if memory is not None and recalled is not None:
            mean, variance, _ = scores(means, covariances, x)
            score = Recall(mean + more[0], variance + more[1])
            moved = item_after_example(
                recalled, score, rates, goal, own, attention=numbers.attention
            )
            memory.store(object_, moved, trial, taught)
        means, covariances = after_example(
            means, covariances, rates, x, goal, attention=numbers.attention, more=more
        )
        if numbers.common:
            jointly = numbers.common**2 * np.ones((width, width))
            covariances = covariances + taught[:, None, None, None] * jointly
    return found


@dataclass(eq=False)
class _Memory:
    """What is remembered about each object: ``(sequences, rates, objects)``."""

    means: Floats
    variances: Floats
    last: Floats
    stability: Floats

    @classmethod
    def none(cls, rows: int, rates: int, objects: int, stability: float) -> _Memory:
        shape, each = (rows, rates, objects), (rows, objects)
        return cls(
            np.zeros(shape),
            np.full(shape, VARIANCE),
            np.full(each, np.nan),
            np.full(each, stability),
        )

    def of(self, skill: Ints, trial: int) -> Recall:
        each = np.arange(len(skill))
        since = np.nan_to_num(trial - self.last[each, skill])
        rho = Forgetting().kept(since, self.stability[each, skill])[:, None]
        means, variances = self.means[each, :, skill], self.variances[each, :, skill]
        return Recall(rho * means, VARIANCE + rho * rho * (variances - VARIANCE))

    def store(
        self, skill: Ints, now: Recall, trial: int, which: Mask, success: Mask | None = None
    ) -> None:
        rows = np.flatnonzero(which)
        at = skill[rows]
        self.means[rows, :, at], self.variances[rows, :, at] = now.means[rows], now.variances[rows]
        if success is not None:
            old = self.stability[rows, at]
            spaced = success[rows] & (trial - self.last[rows, at] > GAP * old)  # NaN: not spaced
            self.stability[rows, at] = np.where(spaced, 2.0 * old, old)
        self.last[rows, at] = trial


class Fit(NamedTuple):
    """A fitted observer: its parameters, how easy items are, and its loss on the people fitted."""

    values: Values
    easy: Floats
    loss: float


def fit_observer(past: Trials, variant: Variant, items: int, steps: tuple[int, ...]) -> Fit:
    """Fit the observer to people, in stages between which item difficulty is estimated."""
    start = parameters(past, variant)
    names, theta = list(start), np.array(list(start.values()))
    weights, ridge = past.weights, 0.125 / float((past.said != 0).sum())
    easy = Difficulty(np.zeros(items), np.zeros(past.said.shape))

    def loss(theta: Floats) -> float:
        numbers = plan(dict(zip(names, theta, strict=True)), past, variant)
        chance = follow(numbers, past, easy.others, variant).chance
        return float((weights * losses_of(chance, past)).sum())

    for number, most in enumerate(steps):
        theta = fitted(loss, theta, most, ridge)
        if variant.difficulty and number < len(steps) - 1:
            numbers = plan(dict(zip(names, theta, strict=True)), past, variant)
            easy = _difficulties(numbers, past, variant, items)
    return Fit(dict(zip(names, theta.tolist(), strict=True)), easy.easy, loss(theta))


def _difficulties(numbers: Plan, past: Trials, variant: Variant, items: int) -> Difficulty:
    """Return how easy items are, with the spread that predicts left-out answers best.

    Where one ability is assumed for all skills, items differ from the mean of their skill.
    """
    centre = np.zeros(items)
    if past.x.shape[-1] == 1 and past.skills > 1:
        easy = np.zeros(past.skills)
        for _ in range(2):
            at = follow(numbers, past, easy[past.skill], variant)
            easy = item_difficulty(at.slopes, at.bends, past.skill, 1.0, easy).easy
        centre[past.item] = easy[past.skill]
    best, found = np.inf, Difficulty(centre, centre[past.item])
    for spread in SPREADS:
        now = Difficulty(np.zeros(items), np.zeros(past.said.shape))
        for _ in range(NEWTON):
            at = follow(numbers, past, (centre + now.easy)[past.item], variant)
            now = item_difficulty(at.slopes, at.bends, past.item, spread, now.easy)
        others = centre[past.item] + now.others
        chance = follow(numbers, past, others, variant).chance
        loss = float((past.weights * losses_of(chance, past)).sum())
        if loss > best:
            break  # larger spreads are worse still
        best, found = loss, Difficulty(centre + now.easy, others)
    return found


def ours(variant: Variant, steps: tuple[int, ...] = (15, 5, 5)) -> Model:
    """Return the quiz observer as a model."""

    def model(data: Trials, train: Mask) -> Floats:
        fit = fit_observer(data.some(train), variant, data.items, steps)
        return follow(plan(fit.values, data, variant), data, fit.easy[data.item], variant).chance

    return model


# --- Others --------------------------------------------------------------------------------------


def base_rate(data: Trials, train: Mask) -> Floats:
    """How often others are right."""
    past = data.some(train)
    return np.full(data.said.shape, float((past.weights * (past.marks > 0)).sum()))


def tracing(per: str, *, tied: bool) -> Model:
    """Bayesian knowledge tracing of each skill (``"skill"``) or of the whole task (``"all"``).

    Five numbers: known at first, learned, guess, slip, forgotten; per skill unless ``tied``.
    """

    def model(data: Trials, train: Mask) -> Floats:
        if per == "all":
            data = data._replace(skill=np.zeros_like(data.skill))
        past, count = data.some(train), 1 if tied else data.skills

        def loss(theta: Floats) -> float:
            return float((past.weights * losses_of(_traced(theta, past, data.skills), past)).sum())

        start = np.repeat([-0.5, -1.5, 0.0, -1.0, -6.0], count)
        return _traced(fitted(loss, start, 60, 1e-5), data, data.skills)

    return model


def _traced(theta: Floats, data: Trials, skills: int) -> Floats:
    known, learn, guess, slip, forget = (
        np.broadcast_to(expit(theta.reshape(5, -1)), (5, max(skills, len(theta) // 5)))
        * np.array([1.0, 1.0, 0.8, 0.5, 1.0])[:, None]
    )
    knows = np.tile(known, (len(data.said), 1))
    who, chance, marks = np.arange(len(knows)), np.zeros(data.said.shape), data.marks
    for trial in range(data.said.shape[1]):
        kind, mark = data.skill[:, trial], marks[:, trial]
        now = knows[who, kind]
        yes = now * (1 - slip[kind]) + (1 - now) * guess[kind]
        chance[:, trial] = yes
        then = np.where(mark > 0, now * (1 - slip[kind]) / yes, now * slip[kind] / (1 - yes))
        then = then + (1 - then) * learn[kind] * data.taught[:, trial]
        knows[who, kind] = np.where(mark != 0, then, now)
        knows = knows * (1 - forget)
    return chance


def logistic(kind: str) -> Model:
    """Logistic regression: ``"pfa"``, or ``"das3h"`` with items, windows and running accuracy."""

    def model(data: Trials, train: Mask) -> Floats:
        told = _practice(data, kind)
        past, xs = data.some(train), told[train]
        theta = _regress(xs, past)
        if kind == "pfa":
            return expit(told @ theta)
        best, chance = np.inf, np.zeros(data.said.shape)
        score, heard, theta = xs @ theta, past.said != 0, np.append(theta, 1.0)
        for spread in SPREADS:
            now = Difficulty(np.zeros(data.items), np.zeros(score.shape))
            for _ in range(NEWTON):
                at = expit(score + now.easy[past.item])
                slopes, bends = heard * ((past.marks > 0) - at), heard * at * (1 - at)
                now = item_difficulty(slopes, bends, past.item, spread, now.easy)
            known = np.dstack([xs, now.others])
            theta = _regress(known, past, theta)
            loss = float((past.weights * losses_of(expit(known @ theta), past)).sum())
            if loss < best:
                best, chance = loss, expit(np.dstack([told, now.easy[data.item]]) @ theta)
        return chance

    return model


def _regress(xs: Floats, past: Trials, start: Floats | None = None) -> Floats:
    heard = past.said.ravel() != 0
    rows, sign = xs.reshape(-1, xs.shape[-1])[heard], past.marks.ravel()[heard]
    each = past.weights.ravel()[heard] * heard.sum()

    def loss(theta: Floats) -> tuple[float, Floats]:
        margin = sign * (rows @ theta)
        pull = rows.T @ (each * sign * expit(-margin))
        return float(-(each * log_expit(margin)).sum() + 0.5 * theta @ theta), theta - pull

    first = np.zeros(rows.shape[1]) if start is None else start
    found: Floats = minimize(loss, first, jac=True, method="L-BFGS-B", options={"maxiter": 60}).x
    return found


def _practice(data: Trials, kind: str) -> Floats:
    """Return what is known before each answer; a test phase has separate weights."""
    rows, trials = data.said.shape
    who, eye = np.arange(rows), np.eye(data.skills)
    practice = Practice.none(rows, data.skills)
    shown = np.zeros((rows, data.skills))
    lately = np.full((rows, data.skills + 1), 0.5)
    told = []
    for trial in range(trials):
        skill, mark = data.skill[:, trial], data.marks[:, trial]
        counts = practice.counts(skill)
        columns = [eye[skill], *counts]
        if kind != "pfa":
            mine = practice.right[who, skill], practice.wrong[who, skill]
            right, wrong = practice.right.sum(axis=1), practice.wrong.sum(axis=1)
            columns += [
                np.log1p(shown[who, skill]),
                (right + 1) / (right + wrong + 2),
                (mine[0] + 1) / (sum(mine) + 2),
                lately[who, skill],
                lately[:, -1],
            ]
            if not data.marked:
                columns += [data.label[:, [trial]] * data.x[:, trial], data.x[:, trial] ** 2]
        told.append(np.column_stack(columns))
        practice = practice.after(skill, mark)
        shown[who, skill] += data.taught[:, trial]
        right_now = np.where(mark > 0, 1.0, 0.0)
        lately[who, skill] += 0.3 * (mark != 0) * (right_now - lately[who, skill])
        lately[:, -1] += 0.1 * (mark != 0) * (right_now - lately[:, -1])
    known = np.stack(told, axis=1)
    if data.taught.all() or (data.taught == (data.said != 0)).all():
        return known
    return np.dstack([known, known * ~data.taught[..., None]])


# --- Learners fitted to people -------------------------------------------------------------------


class Estimate(NamedTuple):
    """A number and its standard error over people."""

    value: float
    error: float


def fit_people(data: Trials, variant: Variant, steps: int) -> dict[str, Estimate]:
    """Return the learner that fits all people best, with standard errors.

    The errors are robust ("sandwich"): ``H^-1 S'S H^-1``, where ``S`` has the gradient of each
    person's log-likelihood, and ``H`` is the second derivative of the sum. Lengths are in units of
    sigma, times in trials.
    """
    fit = fit_observer(data, variant, data.items, (steps,))
    names, theta = list(fit.values), np.array(list(fit.values.values()))
    people, count, step = int(data.person.max()) + 1, len(theta), 1e-2

    def losses(at: Floats) -> Floats:
        numbers = plan(dict(zip(names, at, strict=True)), data, variant)
        each = losses_of(follow(numbers, data, np.zeros(data.said.shape), variant).chance, data)
        total: Floats = np.bincount(data.person, each.sum(axis=1), people).astype(np.float64)
        return total

    shifts = step * np.eye(count)
    centre, ahead = losses(theta), [losses(theta + shift) for shift in shifts]
    slopes = np.stack([(one - centre) / step for one in ahead], axis=1)
    bends = np.zeros((count, count))
    for i in range(count):
        for j in range(i + 1):
            both = losses(theta + shifts[i] + shifts[j]).sum()
            bend = (both - ahead[i].sum() - ahead[j].sum() + centre.sum()) / step**2
            bends[i, j] = bends[j, i] = bend
    slopes = slopes - slopes.mean(axis=0)
    values, vectors = np.linalg.eigh(bends)
    inverse = (vectors / np.maximum(values, 1.0)) @ vectors.T  # flat directions keep their ridge
    covariance = inverse @ (slopes.T @ slopes) @ inverse

    def described(at: Floats) -> Floats:
        numbers = plan(dict(zip(names, at, strict=True)), data, variant)
        sigma, weights = numbers.model.sigma, np.exp(numbers.usual)
        rate = float(weights @ numbers.rates)
        spread = float(np.sqrt(weights @ numbers.rates**2 - rate**2))
        lapse = numbers.model.guess + numbers.model.slip
        return np.array(
            [rate, spread, numbers.margin / sigma, lapse, numbers.kappa, numbers.stability]
        )

    here = described(theta)
    slope = np.stack([(described(theta + shift) - here) / step for shift in shifts], axis=1)
    errors = np.sqrt(np.maximum(np.diag(slope @ covariance @ slope.T), 0.0))
    labels = ("step", "spread of steps", "margin", "lapse", "item memory", "stability")
    return {
        label: Estimate(float(value), float(error))
        for label, value, error in zip(labels, here, errors, strict=True)
    }
