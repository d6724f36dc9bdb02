"""Models that predict the next answer of a person from the answers before it.

Each is fitted to some of the people and predicts the answers of the others. `ours` is the quiz
observer of the library; the rest is what others use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit, log_softmax, ndtri, softmax

from benchmarks.people_data import Mask, Trials
from homeroom._arrays import Floats, Ints
from homeroom.learners.item_memory import GAP, Forgetting, weights_of
from homeroom.observers.quizzing.answer_step import AnswerModel, scores, with_answer
from homeroom.observers.quizzing.choice_posterior import choice_effect
from homeroom.observers.quizzing.choice_step import (
    SHARP,
    answer_chances,
    contrasts,
)
from homeroom.observers.quizzing.fitted_people import Estimate
from homeroom.observers.quizzing.item_memory import VARIANCE
from homeroom.observers.quizzing.practice import Difficulty, Practice, item_difficulty
from homeroom.observers.quizzing.teach_step import Recall, after_example, item_after_example

Model = Callable[[Trials, Mask], Floats]
"""Given all sequences and which may be looked at: the chance that each answer is right."""

SPREADS = (0.2, 0.3, 0.45, 0.7, 1.0)
"""Candidate spreads of item difficulty; the training people choose one."""

NEWTON = 3
DAY = 86_400.0
MARKED_RATES = (0.0, 0.05, 0.13, 0.35)
RULE_RATES = (0.0, 0.1, 0.3, 0.7)
GRADUAL = {
    **{f"rate{number}": -4.0 for number in range(1, len(MARKED_RATES))},
    "common": float(np.log(0.01)),
    "right": 0.0,
    "wrong": 0.0,
}
"""Where effects of examples and practice begin if they are added to a fit without them."""

STABILITIES = (3.0, 100.0)
"""Where the stability of memory begins, in answers: the lower loss on the people fitted counts."""


def losses_of(chance: Floats, data: Trials) -> Floats:
    """Return minus the log-probability of each mark, 0 where there is none."""
    chance = np.clip(chance, 1e-6, 1 - 1e-6)
    marks = data.marks
    losses: Floats = -np.where(marks > 0, np.log(chance), np.log1p(-chance)) * (marks != 0)
    return losses


def fitted(
    loss: Callable[[Floats], float], start: Floats, steps: int, ridge: float, apart: float = 1e-8
) -> Floats:
    """Return what lowers a loss from a start, drawn to the start by a ridge.

    Slopes are differences of the loss at parameters that are ``apart``.
    """

    def losses(points: Floats) -> Floats:
        return np.array([loss(point) for point in points])

    return fitted_together(losses, start, steps, ridge, apart)


def fitted_together(
    losses: Callable[[Floats], Floats], start: Floats, steps: int, ridge: float, apart: float = 1e-8
) -> Floats:
    """Return the same; ``losses`` are those of several points at once, one per row."""

    def drawn(theta: Floats) -> tuple[float, Floats]:
        points = np.vstack([theta, theta + apart * np.eye(len(theta))])
        found = losses(points) + ridge * ((points - start) ** 2).sum(axis=1)
        return float(found[0]), (found[1:] - found[0]) / apart

    found: Floats = minimize(
        drawn, start, jac=True, method="L-BFGS-B", options={"maxiter": steps}
    ).x
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
    common
        Whether people begin with a rule in common, the mean of the prior, if there are two answers.
    rates
        The learning rates of the bank, the first of them 0.
    forgetting
        Whether memory is forgotten: ``"fitted"``; ``"usual"`` (as in the library); or ``"none"``.
    gradual
        Whether the observer is fitted without the effects of examples and practice first.
    """

    step: str = "gradient"
    rule: bool = True
    memory: bool = False
    difficulty: bool = False
    practice: bool = False
    listen: bool = True
    drift: bool = True
    common: bool = False
    rates: tuple[float, ...] = RULE_RATES
    forgetting: str = "fitted"
    gradual: bool = False


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
    exponent: float
    right: float
    wrong: float


Values = dict[str, float]


def parameters(data: Trials, variant: Variant) -> Values:
    """Return the parameters of a variant that are fitted, with their start."""
    found = _marked_start(data) if data.marked else _start(data, variant)
    if variant.drift:
        found["drift"] = np.log(0.1)
    if variant.step != "none":
        found["margin"] = 0.0 if data.marked else 0.3
        found |= {f"rate{number}": 0.0 for number in range(1, len(_rates(data, variant)))}
        if data.marked:
            found |= {"common": np.log(0.1), "attention": 1.5}
    if variant.memory:
        if variant.forgetting == "fitted":
            found["stability"] = np.log(100.0)
            if data.when is not None:
                usual = Forgetting()
                found["stability"] = np.log(usual.stability / DAY)
                found["exponent"] = np.log(usual.exponent)
        if variant.rule:
            found["kappa"] = 0.0
        if data.marked:
            found["sigma"] = 0.0
    if variant.practice:
        found |= {"right": 0.1, "wrong": 0.0}
    return found


def _start(data: Trials, variant: Variant) -> Values:
    """Return the start of what is fitted where people choose between two answers."""
    found = {"sigma": float(np.log(0.7)), "lapse": -3.0}
    if variant.rule:
        found |= {"constant": 0.0, "apart": 0.0}
        if variant.common:
            found |= {f"mean{place}": 0.0 for place in range(1, data.x.shape[-1])}
    return found


def _marked_start(data: Trials) -> Values:
    """Return the start of what is fitted where answers are right or wrong."""
    found: Values = {}
    width = data.x.shape[-1]
    for place in range(width):
        known = (data.x[..., place] > 0) & (data.said != 0)
        known[:, 10:] = False
        share = (data.said[known] > 0).mean() if known.any() else 0.5
        found[f"mean{place}"] = float(ndtri(np.clip(share, 0.1, 0.9)))
    found |= {"together": float(np.log(0.5)), "guess": -1.0, "slip": -3.0}
    if width > 1:
        found["apart"] = float(np.log(0.5))
    return found


def _rates(data: Trials, variant: Variant) -> tuple[float, ...]:
    return MARKED_RATES if data.marked else variant.rates


def plan(values: Values, data: Trials, variant: Variant) -> Plan:
    """Return the numbers of the observer for parameters."""
    width, get = data.x.shape[-1], values.get

    def size(name: str, missing: float = 0.0) -> float:
        return float(np.exp(np.clip(values[name], -12, 6))) if name in values else missing

    own = np.eye(width)
    mean = np.array([get(f"mean{place}", 0.0) for place in range(width)])
    if data.marked:
        covariance = size("together") ** 2 * np.ones((width, width)) + size("apart") ** 2 * own
        guess, slip = 0.6 * float(expit(values["guess"])), 0.3 * float(expit(values["slip"]))
    else:
        covariance = size("apart") ** 2 * own
        covariance[0, 0] = size("constant") ** 2
        guess = slip = 0.5 * float(expit(values["lapse"]))
    usual = np.zeros(1)
    rates = np.zeros(1)
    if variant.step != "none":
        rates = np.array(_rates(data, variant))
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
        size(
            "stability", Forgetting().stability / DAY if variant.forgetting == "usual" else np.inf
        ),
        size("exponent", Forgetting().exponent),
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


@dataclass(frozen=True)
class _AnswerModels(AnswerModel):
    """Answer models of several plans: arrays of shape ``(plans, 1, 1)``."""

    has_lapses = True


class _Plans(NamedTuple):
    """Several plans: each array begins with an axis for them, and broadcasts over people."""

    mean: Floats
    covariance: Floats
    model: AnswerModel
    rates: Floats
    usual: Floats
    margin: Floats
    attention: Floats
    drift: Floats
    common: Floats
    weights: tuple[Floats, Floats]
    stability: Floats
    exponent: Floats
    right: Floats
    wrong: Floats

    @classmethod
    def of(cls, plans: Sequence[Plan]) -> _Plans:
        def column(values: Sequence[float], axes: int) -> Any:
            return np.reshape(values, (-1, *[1] * axes))

        models, weights = [one.model for one in plans], [weights_of(one.kappa) for one in plans]
        return cls(
            np.stack([one.mean for one in plans])[:, None, None],
            np.stack([one.covariance for one in plans])[:, None, None],
            _AnswerModels(
                column([one.sigma for one in models], 2),
                column([one.guess for one in models], 2),
                column([one.slip for one in models], 2),
            ),
            plans[0].rates,
            np.stack([one.usual for one in plans])[:, None],
            column([one.margin for one in plans], 1),
            column([one.attention for one in plans], 2),
            column([one.drift for one in plans], 4),
            column([one.common for one in plans], 4),
            (column([rule for rule, _ in weights], 2), column([own for _, own in weights], 2)),
            np.array([one.stability for one in plans]),
            np.array([one.exponent for one in plans]),
            column([one.right for one in plans], 1),
            column([one.wrong for one in plans], 1),
        )


def follow(
    numbers: Plan,
    data: Trials,
    easy: Floats,
    variant: Variant,
    shown: Examples | None = None,
) -> Followed:
    """Follow all people with the library's updates, one trial of all sequences at a time."""
    return Followed(*(part[0] for part in follow_plans([numbers], data, easy, variant, shown)))


def follow_plans(
    plans: Sequence[Plan],
    data: Trials,
    easy: Floats,
    variant: Variant,
    shown: Examples | None = None,
) -> Followed:
    """Follow all people with each of several plans at once; arrays begin with an axis for plans.

    Memory of objects is dense here, ``(plans x sequences, skills, rates)``, as each person has
    another object at each trial; otherwise this is :class:`BeliefBank` of the library.
    """
    examples, numbers = shown or Examples(data.x, data.label, data.skill), _Plans.of(plans)
    beliefs = _Beliefs.at_first(numbers, data, memory=any(one.kappa for one in plans))
    practice = Practice.none(len(data.said), data.skills) if variant.practice else None
    found = Followed(*np.zeros((3, len(plans), *data.said.shape)))
    drift = numbers.drift**2 * np.eye(data.x.shape[-1])
    jointly = numbers.common**2 * np.ones(numbers.covariance.shape[-2:])
    for trial in range(data.said.shape[1]):
        label, skill = data.label[:, trial], data.skill[:, trial]
        mark, extra = data.said[:, trial] * label, easy[None, :, trial]
        if practice is not None:
            won, lost = practice.counts(skill)
            extra = extra + numbers.right * won + numbers.wrong * lost
            practice = practice.after(skill, mark)
        joint, pull = beliefs.hear(data, trial, label * extra, keep=variant.listen)
        given = joint.sum(axis=-1)  # the chance of the answer that was given
        slope = label * np.vecdot(joint, pull) / given
        found.chance[..., trial] = np.where(mark > 0, given, 1.0 - given)
        found.slopes[..., trial] = slope
        found.bends[..., trial] = slope**2 * given / np.maximum(1.0 - given, 1e-9)
        beliefs.drift(drift)
        taught = data.taught[:, trial]
        if variant.step != "none" and taught.any():
            goal = examples.label[:, trial] * numbers.margin
            if data.marked and variant.step == "gradient":
                start = numbers.mean[:, 0, 0] @ examples.x[:, trial].T
                goal = goal + start  # better than at first
            residual = variant.step == "gradient"
            beliefs.show(examples, trial, data.at(trial), taught, goal, residual=residual)
            if jointly.any():
                beliefs.drift(taught[:, None, None, None] * jointly)
    return found


@dataclass(eq=False)
class _Beliefs:
    """A Gaussian per plan, sequence and rate, the evidence of each, and memory of objects."""

    numbers: _Plans
    means: Floats
    covariances: Floats
    evidence: Floats
    memory: _Memory | None

    @classmethod
    def at_first(cls, numbers: _Plans, data: Trials, *, memory: bool) -> _Beliefs:
        rows, rates = len(data.said), len(numbers.rates)
        return cls(
            numbers,
            np.tile(numbers.mean, (1, rows, rates, 1)),
            np.tile(numbers.covariance, (1, rows, rates, 1, 1)),
            np.zeros((len(numbers.mean), rows, rates)),
            _Memory.none(rows, rates, data.skills, numbers) if memory else None,
        )

    def hear(self, data: Trials, trial: int, extra: Floats, *, keep: bool) -> tuple[Floats, Floats]:
        """Update by the answers of a trial; return their chance per rate, and its slope."""
        (rule, own), memory, said = self.numbers.weights, self.memory, data.said[:, trial]
        x, skill = rule[..., None] * data.x[:, trial][:, None], data.skill[:, trial]
        more: tuple[Floats, float | Floats] = extra[..., None], 0.0
        now = data.at(trial)
        recalled = None if memory is None else memory.of(skill, now)
        if recalled is not None:
            more = more[0] + own * recalled.means, own**2 * recalled.variances
        means, covariances, effect = with_answer(
            self.means, self.covariances, x, said[:, None], self.numbers.model, more=more
        )
        joint = self.numbers.usual + self.evidence
        joint = np.exp(joint - joint.max(axis=-1, keepdims=True))
        joint = joint / joint.sum(axis=-1, keepdims=True) * np.exp(effect.evidence)
        if keep:
            self.means, self.covariances = means, covariances
            self.evidence = self.evidence + effect.evidence
            if memory is not None and recalled is not None:
                across = own * recalled.variances
                after = Recall(
                    recalled.means + effect.pull * across,
                    recalled.variances - effect.shrink * across * across,
                )
                memory.store(skill, after, now, said != 0, said * data.label[:, trial] > 0)
        return joint, effect.pull

    def show(
        self,
        examples: Examples,
        trial: int,
        now: Floats,
        taught: Mask,
        goal: Floats,
        *,
        residual: bool,
    ) -> None:
        """Update by the examples of a trial, with the step of a gradient learner or a plain one."""
        (rule, own), memory, rates = self.numbers.weights, self.memory, self.numbers.rates
        x = taught[:, None, None] * rule[..., None] * examples.x[:, trial][:, None]
        skill, y = examples.skill[:, trial], (taught * goal)[..., None]
        attention = self.numbers.attention
        more: tuple[float | Floats, float | Floats] = 0.0, 0.0
        if memory is not None:
            recalled = memory.of(skill, now)
            more = taught[:, None] * own * recalled.means, own**2 * recalled.variances
            after = Recall(recalled.means + rates * own * y, recalled.variances)
            if residual:
                mean, variance, _ = scores(self.means, self.covariances, x)
                score = Recall(mean + more[0], variance + more[1])
                after = item_after_example(
                    recalled,
                    score,
                    rates,
                    y,
                    own,
                    attention=attention,
                )
            memory.store(skill, after, now, taught)
        if residual:
            self._attend(*after_example(self.means, self.covariances, rates, x, y, more=more))
        else:
            self.means = self.means + (rates * y)[..., None] * x

    def _attend(self, means: Floats, covariances: Floats) -> None:
        """Mix with beliefs after an example, as far as people attend to it."""
        share = self.numbers.attention[..., None]
        moves, covered = means - self.means, share[..., None]
        apart = (share * (1.0 - share) * moves)[..., None] * moves[..., None, :]
        self.means = self.means + share * moves
        self.covariances = (1.0 - covered) * self.covariances + covered * covariances + apart

    def drift(self, more: Floats) -> None:
        """Add to the covariances."""
        self.covariances = self.covariances + more


@dataclass(eq=False)
class _Memory:
    """What is remembered about each object: ``(plans x sequences, objects, rates)``."""

    means: Floats
    variances: Floats
    last: Floats
    stability: Floats
    exponent: Floats
    plans: int

    @classmethod
    def none(cls, rows: int, rates: int, objects: int, numbers: _Plans) -> _Memory:
        plans = len(numbers.stability)
        shape, each = (plans * rows, objects, rates), (plans * rows, objects)
        return cls(
            np.zeros(shape),
            np.full(shape, VARIANCE),
            np.full(each, np.nan),
            np.broadcast_to(np.repeat(numbers.stability, rows)[:, None], each).copy(),
            np.repeat(numbers.exponent, rows),
            plans,
        )

    def of(self, skill: Ints, now: Floats) -> Recall:
        each, skill = np.arange(len(self.means)), np.tile(skill, self.plans)
        since = np.nan_to_num(np.tile(now, self.plans) - self.last[each, skill])
        law = Forgetting(exponent=self.exponent)  # type: ignore[arg-type]  # one per row
        rho = law.kept(since, self.stability[each, skill])[:, None]
        means, variances = self.means[each, skill], self.variances[each, skill]
        left = rho * means, VARIANCE + rho * rho * (variances - VARIANCE)
        return Recall(*(part.reshape(self.plans, -1, part.shape[-1]) for part in left))

    def store(
        self, skill: Ints, after: Recall, now: Floats, which: Mask, success: Mask | None = None
    ) -> None:
        rows = np.flatnonzero(np.tile(which, self.plans))
        at, time = np.tile(skill, self.plans)[rows], np.tile(now, self.plans)[rows]
        means, variances = (part.reshape(-1, part.shape[-1]) for part in after)
        self.means[rows, at], self.variances[rows, at] = means[rows], variances[rows]
        if success is not None:
            old, right = self.stability[rows, at], np.tile(success, self.plans)[rows]
            spaced = right & (time - self.last[rows, at] > GAP * old)  # NaN: not spaced
            self.stability[rows, at] = np.where(spaced, 2.0 * old, old)
        self.last[rows, at] = time


class Fit(NamedTuple):
    """A fitted observer: its parameters, how easy items are, and its loss on the people fitted."""

    values: Values
    easy: Difficulty
    loss: float


def fit_observer(
    past: Trials,
    variant: Variant,
    items: int,
    steps: tuple[int, ...],
    start: Values | None = None,
) -> Fit:
    """Fit the observer to people, in stages between which item difficulty is estimated.

    With ``gradual``, the effects of examples and of practice are added last, beginning with none,
    to the best of several fits without them. ``start`` has parameters that begin elsewhere.
    """
    start = parameters(past, variant) | (start or {})
    easy = Difficulty(np.zeros(items), np.zeros(past.said.shape))
    simple = variant._replace(step="none", practice=False, gradual=False)
    if variant.gradual and simple != variant._replace(gradual=False):
        fits = [
            fit_observer(past, simple, items, steps, {"stability": float(np.log(stability))})
            for stability in STABILITIES
        ]
        fit = min(fits, key=lambda one: one.loss)
        small = {name: GRADUAL[name] for name in start.keys() & GRADUAL.keys()}
        start, easy, steps = start | small | fit.values, fit.easy, steps[-1:]
    names, theta = list(start), np.array(list(start.values()))
    weights, ridge = past.weights, 0.125 / float((past.said != 0).sum())

    def losses(points: Floats) -> Floats:
        plans = [plan(dict(zip(names, point, strict=True)), past, variant) for point in points]
        chance = follow_plans(plans, past, easy.others, variant).chance
        found: Floats = (weights * losses_of(chance, past)).sum(axis=(1, 2))
        return found

    for number, most in enumerate(steps):
        theta = fitted_together(losses, theta, most, ridge)
        if variant.difficulty and number < len(steps) - 1:
            numbers = plan(dict(zip(names, theta, strict=True)), past, variant)
            easy = _difficulties(numbers, past, variant, items)
    return Fit(dict(zip(names, theta.tolist(), strict=True)), easy, float(losses(theta[None])[0]))


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
    return partial(_ours, variant, steps)


def _ours(variant: Variant, steps: tuple[int, ...], data: Trials, train: Mask) -> Floats:
    fit = fit_observer(data.some(train), variant, data.items, steps)
    return follow(plan(fit.values, data, variant), data, fit.easy.easy[data.item], variant).chance


# --- Others --------------------------------------------------------------------------------------


def base_rate(data: Trials, train: Mask) -> Floats:
    """How often others are right."""
    past = data.some(train)
    return np.full(data.said.shape, float((past.weights * (past.marks > 0)).sum()))


def tracing(per: str, *, tied: bool) -> Model:
    """Bayesian knowledge tracing of each skill (``"skill"``) or of the whole task (``"all"``).

    Five numbers: known at first, learned, guess, slip, forgotten; per skill unless ``tied``.
    """
    return partial(_tracing, per, tied)


def _tracing(per: str, tied: bool, data: Trials, train: Mask) -> Floats:
    if per == "all":
        data = data._replace(skill=np.zeros_like(data.skill))
    past, count = data.some(train), 1 if tied else data.skills

    def loss(theta: Floats) -> float:
        return float((past.weights * losses_of(_traced(theta, past, data.skills), past)).sum())

    start = np.repeat([-0.5, -1.5, 0.0, -1.0, -6.0], count)
    return _traced(fitted(loss, start, 60, 1e-5), data, data.skills)


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
    """Logistic regression: ``"pfa"``, or ``"das3h"`` with items and running accuracy.

    ``"place"`` also has products of features, and of features and progress: for a rule that is the
    same for all people.
    """
    return partial(_logistic, kind)


def _logistic(kind: str, data: Trials, train: Mask) -> Floats:
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
                place = data.label[:, [trial]] * data.x[:, trial]
                columns += [place, data.x[:, trial] ** 2]
                if kind == "place":
                    grown = np.log1p(trial), (right + 1) / (right + wrong + 2), lately[:, -1]
                    columns += [place * np.reshape(size, (-1, 1)) for size in grown]
                    columns += [place * one[:, None] for one in place.T]
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


# --- Which of several answers --------------------------------------------------------------------

CHOICE = {
    "mean": 0.8,
    "apart": -2.0,
    "ability": -1.5,
    "drift": -4.2,
    "ability drift": -2.7,
    "rate": -2.2,
    "margin": 0.5,
    "offset": 0.6,
    "strength": 3.2,
}
"""What is fitted, with its start.

The mean of the prior; logarithms of variances, of the step and of its margin; and the weight of
items, and the logarithm of how many answers to its class each is mixed with.
"""

BUTTON, LAPSE = 0.03, 0.02
"""The variance of the preference for an answer, and the share of lapses; they are not fitted."""


def choice_chances(
    values: Values,
    data: Trials,
    usual: Floats,
    *,
    step: bool,
    labels: Ints | None = None,
    shown: Ints | None = None,
) -> Floats:
    """Return the probability of each answer, shape ``(sequences, trials, answers)``.

    ``usual`` has the answers of others to each class. ``shown`` has the class of the picture that
    is shown as an example, if it is not the one asked about, and ``labels`` the class that it is
    called, if that is not its own. The feature of a picture is its true class. The belief is about
    the contrasts of :mod:`~homeroom.observers.quizzing.choice_step`, a column per class.
    """
    assert data.chosen is not None
    rows, trials, options = *data.said.shape, data.x.shape[-1]
    each, basis, size = np.arange(rows), contrasts(options), options - 1
    model = AnswerModel.with_lapses(SHARP, LAPSE)
    variance = {name: np.exp(np.clip(value, -9, 4)) for name, value in values.items()}
    able = basis.T.reshape(-1)  # the direction in which a person is right on all classes
    ability, own = np.outer(able, able), np.eye(len(able))
    button = np.kron(np.eye(size), np.ones((options, options)))
    start = variance["apart"] * own + BUTTON * button + variance["ability"] * ability
    drift = variance["drift"] * own + variance["ability drift"] * ability
    means = np.tile(values["mean"] * basis.T @ np.log(usual).T, (rows, 1, 1))
    covariances = np.tile(start, (rows, 1, 1))
    found = np.zeros((rows, trials, options))
    for trial in range(trials):
        kind, taught = data.skill[:, trial], data.taught[:, trial]
        across = covariances.reshape(rows, -1, size, options)[each, :, :, kind]
        mean, covariance = means[each, :, kind], across.reshape(rows, size, options, size)
        covariance = covariance[each, :, kind]
        found[:, trial] = answer_chances(mean, covariance, model)
        effect = choice_effect(mean, covariance, data.chosen[:, trial] + 1, model)
        means = means + (across @ effect.pull[..., None]).reshape(means.shape)
        covariances = covariances - across @ effect.shrink @ np.swapaxes(across, 1, 2)
        if step and taught.any():
            rate = variance["rate"] * taught
            place = kind if shown is None else shown[:, trial]
            label = place if labels is None else labels[:, trial]
            gap = variance["margin"] * basis[label] - means[each, :, place]
            means[each, :, place] += rate[:, None] * gap
            kept = np.tile(1.0 - rate[:, None] * np.eye(options)[place], size)
            covariances *= kept[:, :, None] * kept[:, None, :]
        covariances += drift
    return found


def item_offsets(past: Trials, data: Trials, strength: float, *, own: bool) -> Floats:
    """Return the log-odds of each answer to each picture beyond those of its class, shrunken.

    With ``own``, ``data`` is ``past``, and a person's own answer is left out.
    """
    assert past.chosen is not None
    assert data.chosen is not None
    options, given = data.x.shape[-1], past.chosen >= 0
    items = np.zeros((max(past.items, data.items), options))
    classes = np.ones((options, options))
    np.add.at(items, (past.item[given], past.chosen[given]), 1.0)
    np.add.at(classes, (past.skill[given], past.chosen[given]), 1.0)
    usual = (classes / classes.sum(axis=1, keepdims=True))[data.skill]
    counts = items[data.item]
    if own:
        counts = counts - np.eye(options)[data.chosen] * (data.chosen >= 0)[..., None]
    smooth = counts + strength * usual
    odds = np.log(smooth / smooth.sum(axis=-1, keepdims=True)) - np.log(usual)
    centred: Floats = odds - odds.mean(axis=-1, keepdims=True)
    return centred


def fit_choice(past: Trials, *, step: bool, steps: int = 6) -> Values:
    """Return the parameters with which the answers of people are predicted best."""
    start = {name: value for name, value in CHOICE.items() if step or name not in _STEP}
    names, followed = list(start), Followers()

    def loss(theta: Floats) -> float:
        values = dict(zip(names, theta, strict=True))
        key = tuple(theta[:-2])
        if key not in followed:  # what items add does not change what is known about people
            followed[key] = choice_chances(values, past, class_answers(past), step=step)
        losses = choice_losses(_with_items(followed[key], values, past, past), past)
        return float((past.weights * losses).sum())

    # losses are computed in single precision: smaller differences would be rounding
    found = fitted(loss, np.array(list(start.values())), steps, 1e-4, apart=1e-3)
    return dict(zip(names, found.tolist(), strict=True))


Followers = dict[tuple[float, ...], Floats]
_STEP = ("rate", "margin")


def predict_choice(
    values: Values,
    past: Trials,
    data: Trials,
    *,
    step: bool,
    labels: Ints | None = None,
    shown: Ints | None = None,
) -> Floats:
    """Return the probability of each answer of other people, as in :func:`choice_chances`."""
    usual = class_answers(past)
    chances = choice_chances(values, data, usual, step=step, labels=labels, shown=shown)
    return _with_items(chances, values, past, data)


def _with_items(chances: Floats, values: Values, past: Trials, data: Trials) -> Floats:
    """Return probabilities of answers that also depend on the picture, not only on its class."""
    strength = float(np.exp(np.clip(values["strength"], -9, 9)))
    offsets = item_offsets(past, data, strength, own=data is past)
    return np.asarray(softmax(np.log(chances) + values["offset"] * offsets, axis=2))


def class_answers(past: Trials) -> Floats:
    """Return how often people give each answer to pictures of each class, a row per class."""
    assert past.chosen is not None
    given, counts = past.chosen >= 0, np.ones((past.x.shape[-1], past.x.shape[-1]))
    np.add.at(counts, (past.skill[given], past.chosen[given]), past.weights[given] * given.sum())
    usual: Floats = counts / counts.sum(axis=1, keepdims=True)
    return usual


def choice_losses(chances: Floats, data: Trials) -> Floats:
    """Return minus the log-probability of each answer, 0 where there is none."""
    assert data.chosen is not None
    given = np.take_along_axis(chances, np.maximum(data.chosen, 0)[..., None], axis=2)[..., 0]
    losses: Floats = -np.log(np.maximum(given, 1e-12)) * (data.chosen >= 0)
    return losses


# --- Learners fitted to people -------------------------------------------------------------------


LEARNER = ("step", "spread", "margin", "lapse", "item_memory", "stability")
FORGETTING = ("stability in days", "exponent", "left after one day", "left after seven days")


def fitted_learner(
    variant: Variant, steps: tuple[int, ...], data: Trials, left_out: Mask
) -> dict[str, Floats]:
    """Return the numbers of :data:`LEARNER` for the people who are not left out.

    Lengths are in units of sigma, times in trials.
    """
    past = data.some(~left_out)
    numbers = plan(fit_observer(past, variant, data.items, steps).values, past, variant)
    sigma, weights = numbers.model.sigma, np.exp(numbers.usual)
    rate = float(weights @ numbers.rates)
    spread = float(np.sqrt(weights @ numbers.rates**2 - rate**2))
    lapse = numbers.model.guess + numbers.model.slip
    found = rate, spread, numbers.margin / sigma, lapse, numbers.kappa, numbers.stability
    return {"numbers": np.array(found)}


def fitted_forgetting(
    variant: Variant, steps: tuple[int, ...], data: Trials, left_out: Mask
) -> dict[str, Floats]:
    """Return the numbers of :data:`FORGETTING` for the people who are not left out."""
    past = data.some(~left_out)
    numbers = plan(fit_observer(past, variant, data.items, steps).values, past, variant)
    law = Forgetting(numbers.stability, numbers.exponent)
    left = [float(law.kept(days, numbers.stability)) for days in (1.0, 7.0)]
    return {"numbers": np.array([numbers.stability, numbers.exponent, *left])}


def jackknife(whole: Floats, without: Floats) -> list[Estimate]:
    """Return numbers with standard errors over people: a row of ``without`` per group left out."""
    groups = len(without)
    spread = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    errors = np.sqrt((groups - 1) / groups * spread)
    return [Estimate(*pair) for pair in zip(whole.tolist(), errors.tolist(), strict=True)]
