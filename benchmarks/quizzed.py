"""Classes for quizzes: simulated ones with given answer models, and a real crowd."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr

from homeroom import AverageGoal, Classroom, Example, Lesson, QuizObserver
from homeroom._arrays import Floats, Ints
from homeroom.crowd import Answers, Embedding
from homeroom.observers import QuizState
from homeroom.observers.quizzing.answer_step import AnswerModel, after_answer
from homeroom.observers.quizzing.asking import information
from homeroom.observers.quizzing.beliefs import Belief

Reply = Callable[[Floats, np.random.Generator], Floats]
"""Answers for scores ``<w, x>``, shape ``(students, items)``."""

CLICKERS = np.arange(60) < 12


def simulated(dimensions: int, seed: int) -> Classroom:
    """Return 60 students around a mean of length 1/2, with a unit target and unit examples."""
    rng = np.random.default_rng(seed)
    target, mean = rng.standard_normal((2, dimensions))
    shape = rng.standard_normal((dimensions, dimensions))
    shape *= np.exp(rng.uniform(-1.0, 0.5, dimensions))
    states = rng.standard_normal((60, dimensions)) @ (shape.T / np.linalg.norm(shape))
    states += 0.5 * mean / np.linalg.norm(mean)
    rates = np.exp(rng.uniform(np.log(0.1), np.log(0.6), 60))
    return Classroom(states, rates, target / np.linalg.norm(target), example_radius=1.0)


def with_clickers(scores: Floats, rng: np.random.Generator) -> Floats:
    """Return answers of a class of which a fifth clicks without reading."""
    honest = AnswerModel(0.25).drawn(scores, rng)
    habit = np.linspace(0.2, 0.8, len(scores))[:, None]
    clicks = np.where(rng.random(scores.shape) < habit, 1.0, -1.0)
    return np.where(CLICKERS[:, None], clicks, honest)


class Outside(NamedTuple):
    """The result of a lesson with answers from outside.

    ``error`` is the true mean squared distance of those who count at the end, and ``enough`` what
    it should be.
    """

    rounds: int
    book: QuizState
    error: float
    enough: float


def taught_outside(
    room: Classroom,
    observer: QuizObserver,
    reply: Reply,
    counts: Floats | None = None,
    *,
    most: int = 300,
    by_answers: bool = False,
) -> Outside:
    """Teach until the mean squared distance of those who count is 3 % of what it was.

    Either in truth, or as far as the teacher knows: ``by_answers``.
    """
    rng = np.random.default_rng(7)
    gaps, rates, target = np.array(room.gaps), np.asarray(room.rates), np.asarray(room.target)
    weights = np.ones(room.students) if counts is None else counts
    weights = weights / weights.sum()

    def error() -> float:
        return float(weights @ (gaps**2).sum(axis=1))

    def answers(book: QuizState) -> Floats:
        return reply((gaps + target) @ book.setup.xs[book.questions].T, rng)

    observer = replace(observer, live=True)
    book = observer.asking(observer.begin(room), rng)
    pretest = QuizObserver.log_of(observer.hear(book, answers(book)))
    enough = 0.03 * error()
    lesson = Lesson(
        room,
        observer=replace(observer, log=pretest),
        goal=AverageGoal(enough if by_answers else 1e-12),
        max_rounds=most,
    )
    rounds = 0
    while isinstance(example := lesson.ask(), Example):
        gaps -= (rates * (gaps @ example.x))[:, None] * example.x
        rounds += 1
        if not by_answers and error() <= enough:
            break
        lesson.tell(answers=answers(lesson.parts[0].memory))
    return Outside(rounds, lesson.parts[0].memory, error(), enough)


def newcomers_loss(answers: Answers, heard: int, *, informative: bool) -> tuple[float, float]:
    """Return the log loss of answers by people who are not on the map, and its standard error.

    The error is over people; a person counts as often as they have answers.

    Five-fold by person: the others make the map, and their mean and covariance are the prior. Half
    of a newcomer's answers are held out, and ``heard`` of the other half are used.
    """
    rng = np.random.default_rng(0)
    fold = rng.permutation(len(answers.people)) % 5
    losses, counts = np.zeros((2, len(answers.people)))
    for number in range(5):
        known = Embedding.fit(_of(answers, fold != number), dimensions=2, starts=1)
        xs = np.column_stack([known.items, np.ones(len(known.items))])
        lines = np.column_stack([known.people, -known.thresholds])
        for person in np.flatnonzero(fold == number):
            mine = rng.permutation(np.flatnonzero(answers.person == person))
            held, askable = np.array_split(mine, 2)
            belief = Belief(lines.mean(axis=0)[None], np.cov(lines.T)[None])
            belief = _listened(belief, xs, answers, askable, heard, informative=informative)
            losses[person] = _losses(belief, xs[answers.item[held]], answers.yes[held]).sum()
            counts[person] = len(held)
    mean = float(losses.sum() / counts.sum())
    return mean, float(np.sqrt(((losses - mean * counts) ** 2).sum()) / counts.sum())


def _of(answers: Answers, who: npt.NDArray[np.bool_]) -> Answers:
    """Return the answers of some people; all people and items stay listed."""
    kept = who[answers.person]
    renumbered = np.cumsum(who) - 1
    people = tuple(name for name, some in zip(answers.people, who, strict=True) if some)
    return Answers(
        people,
        answers.items,
        renumbered[answers.person[kept]],
        answers.item[kept],
        answers.yes[kept],
        answers.labels,
    )


def _listened(
    belief: Belief, xs: Floats, answers: Answers, askable: Ints, heard: int, *, informative: bool
) -> Belief:
    model, left = AnswerModel(1.0), list(askable)
    for _ in range(heard):
        told = information(belief, xs[answers.item[left]], model)[0]
        one = left.pop(int(told.argmax()) if informative else 0)
        said = np.array([1.0 if answers.yes[one] else -1.0])
        means, covariances, _ = after_answer(*belief, xs[answers.item[one]], said, model)
        belief = Belief(means, covariances)
    return belief


def _losses(belief: Belief, xs: Floats, yes: npt.NDArray[np.bool_]) -> Floats:
    means, variances = (part[0] for part in belief.scores(xs))
    losses: Floats = -log_ndtr(np.where(yes, 1.0, -1.0) * means / np.sqrt(1.0 + variances))
    return losses
