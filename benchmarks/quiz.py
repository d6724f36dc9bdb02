"""A class seen through its answers: rounds, honesty, speed, and what it is worth on real people."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import learners
from benchmarks.crowds import ducks
from benchmarks.quizzed import (
    CLICKERS,
    newcomers_loss,
    simulated,
    taught_outside,
    with_clickers,
)
from benchmarks.timing import Line
from homeroom import AverageGoal, Lesson, QuizObserver, RandomTeacher, teach
from homeroom.observers import Gradebook
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.bank import Bank, Belief
from homeroom.observers.quizzing.showing import class_error, inside

DATA = Path(__file__).parents[2] / "shared" / "data"
CLASSES = 6

EXTRA = {  # rounds beyond perfect sight that a first trial needed, by answers a round
    3: {0: 1.0, 1: 0.5, 2: 0.2, 5: 0.0},
    5: {0: 3.7, 1: 1.5, 2: 0.8, 5: 0.2},
    10: {0: 24.3, 1: 11.5, 2: 8.0, 5: 4.5},
}
SLACK = 1.5
"""Rounds by which six other classes may differ from that trial's."""


def lines() -> Iterator[Line]:
    """Measure."""
    yield from _speed()
    yield from _rounds()
    yield from _insight()
    yield from _wrong_models()
    yield from _clickers()
    if DATA.is_dir():
        yield from _newcomers()
        yield from _people()
    else:
        print(f"The lines on real people are left out: there is no {DATA}.")


def _speed() -> Iterator[Line]:
    for students, dimensions, limit in ((1, 25, 1e-4), (60, 10, 2e-3)):
        means = np.zeros((students, dimensions))
        bank = Bank.of(
            Belief(means, np.tile(np.eye(dimensions), (students, 1, 1))), np.zeros(students)
        )
        x, answers, model = np.ones(dimensions), np.ones(students), AnswerModel(0.25, 0.05, 0.05)
        least = np.inf
        for _ in range(200):
            start = time.perf_counter()
            bank.heard(x, answers, model)
            least = min(least, time.perf_counter() - start)
        what = f"an answer of {students} in {dimensions} dimensions, nine rates"
        yield Line(what, least, "what is allowed", limit, 1.0)


def _rounds() -> Iterator[Line]:
    for dimensions, extra in EXTRA.items():
        sighted = _mean_rounds(dimensions)
        for answers, more in extra.items():
            rounds = _mean_rounds(dimensions, observer=QuizObserver(answers=answers, pretest=10))
            what = f"rounds, {dimensions} dimensions, {answers} answers a round"
            limit = 1.0 + (more + SLACK) / sighted
            yield Line(what, rounds, "perfect sight", sighted, round(limit, 2), unit="")
        at_random = _mean_rounds(dimensions, teacher=RandomTeacher())
        yield Line(f"the same, {dimensions} dimensions, at random", at_random, "", sighted, unit="")


def _mean_rounds(dimensions: int, **settings: Any) -> float:
    found = []
    for seed in range(CLASSES):
        room = simulated(dimensions, seed)
        goal = AverageGoal(0.03 * room.error)
        found.append(teach(room, goal=goal, max_rounds=400, seed=seed, **settings).rounds)
    return float(np.mean(found))


def _insight() -> Iterator[Line]:
    """Regions, rates and the error, in the course of lessons."""
    for dimensions, answers in ((3, 2), (5, 1), (5, 2), (5, 5), (10, 2)):
        missed, rates, errors = zip(
            *(_followed(dimensions, answers, seed) for seed in range(CLASSES)), strict=True
        )
        where = f"{dimensions} dimensions, {answers} answers a round"
        outside = float(np.mean(missed))
        yield Line(f"students outside 90 % regions, {where}", outside, "0.17", 0.17, 1.0, unit="")
        shown = float(np.mean(errors))
        yield Line(f"total error shown, {where}", shown, "the true one", 1.0, unit="")
        tried = {(5, 2): 0.74, (5, 5): 0.85}.get((dimensions, answers))
        if tried is not None:
            what = f"correlation of log rates after 20 rounds, {where}"
            yield Line(what, float(np.mean(rates)), "first trial", tried, unit="")


def _followed(dimensions: int, answers: int, seed: int) -> tuple[float, float, float]:
    """Return how many were outside their regions, the correlation of rates, and error by truth."""
    room = simulated(dimensions, seed)
    observer = QuizObserver(answers=answers, pretest=10)
    lesson = Lesson(room, goal=AverageGoal(1e-12), observer=observer, seed=seed)
    missed, errors = [], []
    for number in range(21):
        lesson.ask()
        part = lesson.parts[0]
        book: Gradebook = part.memory
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
    """What it costs not to know how answers come about, in five dimensions."""
    lapsing = AnswerModel.with_lapses(0.25, 0.2)
    known = _outside(QuizObserver(lapse=0.2, revise_every=0), lapsing)
    for what, every in (("ignored", 0), ("found out", 5)):
        rounds = _outside(QuizObserver(revise_every=every), lapsing)
        yield Line(f"rounds with 20 % lapses, {what}", rounds, "lapses known", known, unit="")
    right = _outside(QuizObserver(revise_every=0), AnswerModel(0.25))
    for what, every in (("never revised", 0), ("revised", 5)):
        rounds = _outside(QuizObserver(sigma=0.1, revise_every=every), AnswerModel(0.25))
        yield Line(f"rounds with sigma 0.1 for 0.25, {what}", rounds, "0.25", right, unit="")


def _outside(observer: QuizObserver, model: AnswerModel) -> float:
    rooms = [simulated(5, seed) for seed in range(CLASSES)]
    return float(np.mean([taught_outside(room, observer, model.drawn).rounds for room in rooms]))


def _clickers() -> Iterator[Line]:
    """A fifth of the class clicks without reading; the others count."""
    rounds, found = {}, np.zeros(60)
    for guard in (False, True):
        observer = QuizObserver(guard=guard, revise_every=0)
        lessons = [
            taught_outside(simulated(5, seed), observer, with_clickers, (~CLICKERS).astype(float))
            for seed in range(CLASSES)
        ]
        rounds[guard] = float(np.mean([lesson.rounds for lesson in lessons]))
        found = np.mean([1.0 - lesson.book.honesty for lesson in lessons], axis=0)
    yield Line("rounds with 20 % clickers, guarded", rounds[True], "not", rounds[False], unit="")
    caught = float(found[CLICKERS].mean())
    yield Line("clickers not found", 1.0 - caught, "first trial", 0.24, 1.0, unit="")
    yield Line("others taken for clickers", float(found[~CLICKERS].mean()), "", 1.0, unit="")


def _newcomers() -> Iterator[Line]:
    """People whom the map of ducks has never seen, after a few answers."""
    answers = ducks(DATA / "ducks")
    first = {(0, True): 0.527, (5, False): 0.408, (5, True): 0.345, (10, True): 0.320}
    for (heard, informative), tried in first.items():
        how = "informative" if informative else "random"
        what = f"ducks, log loss for newcomers after {heard} {how} answers"
        loss = newcomers_loss(answers, heard, informative=informative)
        yield Line(what, loss, "first trial", tried, 1.05, unit="")


def _people() -> Iterator[Line]:
    others = {
        "item mean": learners.item_mean,
        "knowledge tracing": learners.tracing,
        "logistic with practice": learners.logistic,
        "gradient learner alone": learners.gradient_alone,
    }
    tried = {"butterflies_crop": 0.451, "chinese_chars": 0.616}
    for name, before in tried.items():
        data = learners.read(DATA / "learners" / f"{name}.csv")
        loss, area = learners.held_out(data, learners.observer)
        what = f"{name}, log loss (AUC {area:.3f})"
        yield Line(what, loss, "first trial", before, 1.005, unit="")
        for other, model in others.items():
            theirs, their_area = learners.held_out(data, model)
            against = f"{other} (AUC {their_area:.3f})"
            yield Line(what, loss, against, theirs, 1.0, unit="")
