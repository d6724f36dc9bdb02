"""Classes estimated from quiz answers: rounds, clickers, speed; real people are in ``people``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from benchmarks.quizzed import (
    CLICKERS,
    Outside,
    Reply,
    simulated,
    taught_outside,
    with_clickers,
)
from benchmarks.timing import Line, in_processes, peak_bytes
from homeroom import AverageGoal, Lesson, QuizObserver, RandomTeacher, teach
from homeroom._arrays import Floats, Ints
from homeroom._checks import counted
from homeroom.observers import QuizState
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.beliefs import Belief, BeliefBank
from homeroom.observers.quizzing.choice_posterior import choice_effect
from homeroom.observers.quizzing.choice_step import SHARP, contrasts
from homeroom.observers.quizzing.estimates import class_error, inside
from homeroom.observers.quizzing.log import Asked, Shown
from homeroom.people_order import ItemChances, choose_for_people

CLASSES = 6

EXTRA = {  # rounds beyond exact observations in a first trial, by answers per round
    3: {0: 1.0, 1: 0.5, 2: 0.2, 5: 0.0},
    5: {0: 3.7, 1: 1.5, 2: 0.8, 5: 0.2},
    10: {0: 24.3, 1: 11.5, 2: 8.0, 5: 4.5},
}
SLACK = 1.5
"""Rounds by which six other classes may differ from that trial's."""


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    yield from _speed()
    yield from several_answers()
    yield from _wide_beliefs()
    yield from _memory()
    yield from _rounds()
    yield from _asking()
    yield from _insight()
    yield from _wrong_models()
    yield from _clickers()
    yield from _stopping()


def _speed() -> Iterator[Line]:
    for students, dimensions, limit in ((1, 25, 1e-4), (60, 10, 2e-3), (300, 10, 1e-2)):
        bank = _a_bank(students, dimensions)
        x, answers, model = np.ones(dimensions), np.ones(students), AnswerModel(0.25, 0.05, 0.05)
        least = np.inf
        for _ in range(200):
            start = time.perf_counter()
            bank.heard(x, answers, model)
            least = min(least, time.perf_counter() - start)
        what = f"an answer of {students} in {dimensions} dimensions, nine rates"
        yield Line(what, least, "allowed", limit, 1.0)


def several_answers() -> Iterator[Line]:
    """One of five answers in five dimensions, and the choice among 500 items."""
    model = AnswerModel(0.25, 0.02, 0.02)
    state, rng = five_answers(60, 500), np.random.default_rng(0)
    xs, answers = state.setup.xs, rng.integers(1, 6, 60).astype(float)
    took = least_cpu(lambda: state.bank.heard(xs[7], answers, model, item=7), 100)
    yield Line("one of five answers of 60, five dimensions, nine rates", took, "allowed", 5e-3, 1.0)
    large, every = five_answers(300, 500), np.arange(500)
    took = least_cpu(lambda: _chosen(replace(large, questions=None), every), 5)
    yield Line("choosing among 500 items for 300", took, "allowed", 0.3, 1.0)


def _chosen(state: QuizState, items: Ints) -> int:
    """Return the item that helps most, as a live lesson chooses it without a map."""
    chances = ItemChances.of(state.right(items)[state.trusted])
    best = choose_for_people(items, chances, state.helps, None, [])
    assert best is not None
    return best


def _wide_beliefs() -> Iterator[Line]:
    """Mean and covariance of a wide belief after one of five answers, compared with sampling."""
    rng, model, options, variance = np.random.default_rng(0), AnswerModel(SHARP), 5, 9.0
    basis, eye = contrasts(options), np.eye(options - 1)
    ours, modes, spreads, laplace = [], [], [], []
    for _ in range(40):
        mean = 0.5 * np.sqrt(variance) * rng.standard_normal(options - 1)
        answer = int(rng.integers(1, options + 1))
        places = mean + np.sqrt(variance) * rng.standard_normal((100_000, options - 1))
        chances = softmax(places @ basis.T, axis=1)[:, answer - 1]
        centre = chances @ places / chances.sum()
        apart = places - centre
        exact = (chances[:, None] * apart).T @ apart / chances.sum()
        said = choice_effect(mean, variance * eye, answer, model)
        ours.append(np.linalg.norm(mean + variance * said.pull - centre))
        spreads.append(_divergence(variance * eye - variance**2 * said.shrink, exact))
        mode = minimize(_unlikely, mean, (mean, variance, answer), method="BFGS").x
        modes.append(np.linalg.norm(mode - centre))
        p = softmax(basis @ mode)
        curvature = basis.T @ (np.diag(p) - np.outer(p, p)) @ basis
        laplace.append(_divergence(np.linalg.inv(eye / variance + curvature), exact))
    off, theirs = (float(np.mean(one)) / np.sqrt(variance) for one in (ours, modes))
    what = "mean after one of five answers, variance 9 in logits, standard deviations off"
    yield Line(what, off, "the mode", theirs, 0.5, unit="")
    what = "its covariance, divergence from the exact one"
    off, theirs = float(np.mean(spreads)), float(np.mean(laplace))
    yield Line(what, off, "at the mode", theirs, 0.5, unit="")


def _divergence(covariance: npt.NDArray[Any], exact: npt.NDArray[Any]) -> float:
    """Return the Kullback-Leibler divergence of two normal distributions with the same mean."""
    ratio = np.linalg.solve(exact, covariance)
    return float(0.5 * (np.trace(ratio) - len(ratio) - np.linalg.slogdet(ratio)[1]))


def _unlikely(place: Floats, mean: Floats, variance: float, answer: int) -> float:
    """Return the negative log of the posterior of scores in logits, up to a constant."""
    chances = log_softmax(contrasts(len(mean) + 1) @ place)
    return float(0.5 * ((place - mean) ** 2).sum() / variance - chances[answer - 1])


def five_answers(students: int, items: int) -> QuizState:
    """Return a quiz with five answers in five dimensions, after a few rounds."""
    rng = np.random.default_rng(0)
    xs = rng.standard_normal((items, 5)) / np.sqrt(5.0)
    keys = (xs @ rng.standard_normal((5, 5))).argmax(axis=1) + 1
    quiz = QuizObserver(xs, keys=keys, live=True, item_memory=0.2, guard="buttons", revise_every=0)
    state = quiz.begin_with(None, students)
    for item in range(6):
        answers = rng.integers(1, 6, (students, 1)).astype(float)
        state = state.hear(Asked(np.array([item]), answers))
        state = state.show(Shown(xs[item], float(keys[item]), item))
    return state


def least_cpu(work: Callable[[], object], times: int) -> float:
    """Return the least processor time of some work: other processes only make it longer."""
    least = np.inf
    for _ in range(times):
        start = time.thread_time()
        work()
        least = min(least, time.thread_time() - start)
    return least


def _memory() -> Iterator[Line]:
    """The memory of a step beyond its result, in a class of 20,000."""
    bank = _a_bank(20_000, 10)
    size = bank.covariances.nbytes + bank.means.nbytes
    took = peak_bytes(lambda: bank.shown(np.ones(10), 1.0, attention=1.0, drift=0.0))
    yield Line("memory of a step, 20,000 in 10 dimensions", took, "beliefs", size, 1.2, unit="B")


def _a_bank(students: int, dimensions: int) -> BeliefBank:
    covariances = np.tile(np.eye(dimensions), (students, 1, 1))
    return BeliefBank.of(Belief(np.zeros((students, dimensions)), covariances), np.zeros(students))


def _rounds() -> Iterator[Line]:
    for dimensions, extra in EXTRA.items():
        observed = _mean_rounds(dimensions)
        for answers, more in extra.items():
            rounds = _mean_rounds(dimensions, observer=QuizObserver(answers=answers, pretest=10))
            what = f"rounds, {dimensions} dimensions, {counted(answers, 'answer')} per round"
            limit = 1.0 + (more + SLACK) / observed
            yield Line(what, rounds, "exact observation", observed, round(limit, 2), unit="")
        at_random = _mean_rounds(dimensions, teacher=RandomTeacher())
        yield Line(
            f"rounds, {dimensions} dimensions, random examples", at_random, "", observed, unit=""
        )


def _mean_rounds(dimensions: int, **settings: Any) -> float:
    rounds = in_processes(partial(_rounds_of, dimensions, settings), range(CLASSES))
    return float(np.mean(rounds))


def _rounds_of(dimensions: int, settings: dict[str, Any], seed: int) -> int:
    room = simulated(dimensions, seed)
    goal = AverageGoal(0.03 * room.error)
    return teach(room, goal=goal, max_rounds=400, seed=seed, **settings).rounds


HOW = {"all informative": 0, "every third at random": 3, "all at random": 1}
"""Ways to choose items, as ``random_every``."""


def _asking() -> Iterator[Line]:
    """The value of informative items, and the clickers they hide."""
    for dimensions in (5, 10):
        for when, rounds in (("before the lesson", 0), ("after ten rounds", 10)):
            off = {how: _off(dimensions, every, rounds) for how, every in HOW.items()}
            what = f"how far off states are {when}, {dimensions} dimensions"
            yield from _against_random(what, off)
    rounds_needed = {
        how: _mean_rounds(10, observer=QuizObserver(answers=2, pretest=10, random_every=every))
        for how, every in HOW.items()
    }
    yield from _against_random("rounds, 10 dimensions, 2 answers per round", rounds_needed)
    hidden = {
        how: 1.0 - _guarded(QuizObserver(random_every=every), most=5).caught
        for how, every in HOW.items()
    }
    yield from _against_random("guessers not found after five rounds", hidden)


def _against_random(what: str, found: dict[str, float]) -> Iterator[Line]:
    at_random = found.pop("all at random")
    for how, number in found.items():
        yield Line(f"{what}, {how}", number, "all at random", at_random, unit="")


def _off(dimensions: int, random_every: int, rounds: int) -> float:
    """Return the mean squared error of the estimated states."""
    off_in = partial(_off_in, dimensions, random_every, rounds)
    return float(np.mean(in_processes(off_in, range(CLASSES))))


def _off_in(dimensions: int, random_every: int, rounds: int, seed: int) -> float:
    observer = QuizObserver(answers=2, pretest=10, random_every=random_every, revise_every=0)
    room = simulated(dimensions, seed)
    lesson = Lesson(room, goal=AverageGoal(1e-12), observer=observer, seed=seed)
    for _ in range(rounds):
        lesson.ask()
        lesson.tell()
    lesson.ask()
    part = lesson.parts[0]
    gaps = part.memory.belief.means - np.asarray(part.students.states)
    return float((gaps**2).sum(axis=1).mean())


def _insight() -> Iterator[Line]:
    """Regions, rates and the error, in the course of lessons."""
    for dimensions, answers in ((3, 2), (5, 1), (5, 2), (5, 5), (10, 2)):
        followed = in_processes(partial(_followed, dimensions, answers), range(CLASSES))
        missed, rates, errors = zip(*followed, strict=True)
        where = f"{dimensions} dimensions, {counted(answers, 'answer')} per round"
        outside = float(np.mean(missed))
        yield Line(f"students outside 90 % regions, {where}", outside, "0.17", 0.17, 1.0, unit="")
        yield Line(
            f"students inside 90 % regions, {where}", 1.0 - outside, "0.945", 0.945, 1.0, unit=""
        )
        shown = float(np.mean(errors))
        yield Line(f"total error shown, {where}", shown, "the true one", 1.0, unit="")
        tried = {(5, 2): 0.74, (5, 5): 0.85}.get((dimensions, answers))
        if tried is not None:
            what = f"1 - correlation of log rates after 20 rounds, {where}"
            unknown = 1.0 - float(np.mean(rates))
            yield Line(what, unknown, "first trial", 1.0 - tried, 1.1, unit="")


def _followed(dimensions: int, answers: int, seed: int) -> tuple[float, float, float]:
    """Return the share outside their regions, the correlation of rates, and the error ratio."""
    room = simulated(dimensions, seed)
    observer = QuizObserver(answers=answers, pretest=10)
    lesson = Lesson(room, goal=AverageGoal(1e-12), observer=observer, seed=seed)
    missed, errors = [], []
    for number in range(21):
        lesson.ask()
        part = lesson.parts[0]
        book: QuizState = part.memory
        if number in (6, 12, 20):
            states = np.asarray(part.students.states)
            missed.append(1.0 - inside(book.belief, states).mean())
            shown = class_error(book.belief, book.honesty, book.setup.target)
            errors.append(shown.total / part.students.error)
        lesson.tell()
    weights = book.bank.weights[:, 1:]
    guess = weights @ np.log(book.bank.rates[1:]) / weights.sum(axis=1)
    alike = float(np.corrcoef(guess, np.log(np.asarray(room.rates)))[0, 1])
    return float(np.mean(missed)), alike, float(np.mean(errors))


def _wrong_models() -> Iterator[Line]:
    """The cost of a wrong answer model, in five dimensions."""
    lapsing = AnswerModel.with_lapses(0.25, 0.2)
    known = _outside(QuizObserver(lapse=0.2, revise_every=0), lapsing)
    for how, every, limit in (("ignored", 0, None), ("found out", 5, 1.1)):
        rounds, _ = _outside(QuizObserver(revise_every=every), lapsing)
        what = f"rounds with 20 % lapses, {how}"
        yield Line(what, rounds, "lapses known", known[0], limit, unit="")
    right = _outside(QuizObserver(revise_every=0), AnswerModel(0.25))
    wrong = {
        "sigma 0.1 for 0.25": QuizObserver(sigma=0.1),
        "states of 0.3 for 1.1": QuizObserver(radius=0.3),
    }
    for name, observer in wrong.items():
        for how, every, limit in (("never revised", 0, None), ("revised", 5, 1.1)):
            rounds, shown = _outside(replace(observer, revise_every=every), AnswerModel(0.25))
            what = f"{name}, {how}"
            yield Line(f"rounds with {what}", rounds, "as it is", right[0], limit, unit="")
            yield Line(f"total error shown at the end, {what}", shown, "true", 1.0, unit="")


def _outside(observer: QuizObserver, model: AnswerModel) -> tuple[float, float]:
    """Return the rounds needed, and the displayed error at the end relative to the true one."""
    lessons = in_processes(partial(_taught, 5, observer, model.drawn), range(CLASSES))
    shown = np.mean([lesson.book.error.total / lesson.error for lesson in lessons])
    return float(np.mean([lesson.rounds for lesson in lessons])), float(shown)


def _taught(
    dimensions: int, observer: QuizObserver, reply: Reply, seed: int, **settings: Any
) -> Outside:
    return taught_outside(simulated(dimensions, seed), observer, reply, **settings)


def _stopping() -> Iterator[Line]:
    """Is the class at its goal when the estimate stops the lesson?"""
    for dimensions in (3, 5, 10):
        taught = partial(
            _taught, dimensions, QuizObserver(pretest=10), AnswerModel(0.25).drawn, by_answers=True
        )
        lessons = in_processes(taught, range(CLASSES))
        left = max(lesson.error / lesson.enough for lesson in lessons)
        where = f"{dimensions} dimensions, stopped by answers"
        yield Line(f"remaining error, {where}, worst of six", left, "the goal", 1.0, 1.0, unit="")
        rounds = float(np.mean([lesson.rounds for lesson in lessons]))
        observed = _mean_rounds(dimensions)
        yield Line(f"rounds, {where}", rounds, "exact observation", observed, unit="")


def _clickers() -> Iterator[Line]:
    """A fifth of the class clicks without reading; the others count."""
    guarded, not_ = (_guarded(QuizObserver(guard=guard)) for guard in (True, False))
    what = "rounds, 20 % click without reading, guarded"
    yield Line(what, guarded.rounds, "not guarded", not_.rounds, 1.0, unit="")
    yield Line(what, guarded.rounds, "first trial", 34.0, 1.05, unit="")
    yield Line(
        "guessers not found",
        1.0 - guarded.caught,
        "first trial",
        0.24,
        1.0,
        unit="",
    )
    yield Line("other students flagged", guarded.wronged, "one in twenty", 0.05, 1.0, unit="")


class Guarded(NamedTuple):
    """Rounds until honest students reach the goal, and the share of both kinds that was flagged."""

    rounds: float
    caught: float
    wronged: float


def _guarded(observer: QuizObserver, *, most: int = 300) -> Guarded:
    honest = (~CLICKERS).astype(float)
    observer = replace(observer, revise_every=0)
    taught = partial(_taught, 5, observer, with_clickers, counts=honest, most=most)
    lessons = in_processes(taught, range(CLASSES))
    found = np.mean([1.0 - lesson.book.honesty for lesson in lessons], axis=0)
    rounds = float(np.mean([lesson.rounds for lesson in lessons]))
    return Guarded(rounds, float(found[CLICKERS].mean()), float(found[~CLICKERS].mean()))
