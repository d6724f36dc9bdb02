"""In which order items teach people best, and whether ``knows`` is true: simulated classes.

``python -m benchmarks people-orders [--quick]``. A class of 30 answers a pre-test. Then each round
asks one item and shows its solution. All orders get the same class and the same random numbers, so
differences are paired by class. "Right" is the mean chance of a right answer to *new* items (on
lists, to all items). The truth of ``knows`` is the same over all items of the list.

Eleven laws of learning, of which five are close to a model of ``PeopleLesson`` (exemplar, gradient,
all-or-none, forgetting, constant) and six are not. None is fitted to people.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.people_learners import (
    LISTS,
    MAPS,
    STUDENTS,
    TASKS,
    AbstractLearner,
    BetterConstantLearner,
    ConstantLearner,
    Task,
    learners_of,
)
from benchmarks.timing import Line, in_processes
from homeroom import PeopleLesson
from homeroom._arrays import Floats, Ints

QUICK = "--quick" in sys.argv
CLASSES = int(os.environ.get("CLASSES", "4" if QUICK else "40"))
"""The number of classes per task and law."""

FIRST_SEED = int(os.environ.get("FIRST", "90000"))
"""The seed of the first class: none of these was used in development."""

ONLY = os.environ.get("ONLY", "")
"""Only cells whose task and law contain this text."""

ROUNDS, LONG_ROUNDS, MARKS, KNOWS_ROUNDS = 20, 60, (10, 20), 15
ORDERS = ("random", "classes in turn", "most missed", "typical then spread")
LONG = ("insects", "plane", "corners", "24 facts")
"""Tasks that are also taught until the lesson is done, or for 60 rounds."""


class SimpleLesson:
    """A lesson in a simple order, with the same pre-test as homeroom's."""

    def __init__(self, order: str, learner: AbstractLearner, seed: int) -> None:
        self.order, self.learner, self.shown = order, learner, list[int]()
        self.task, self.rng = learner.task, np.random.default_rng([seed, 4])
        self.labels = self.task.labels[: self.task.taught]
        begun = make_lesson(self.task, seed)
        self.wrong = np.full(self.task.taught, np.nan)  # share of wrong answers when last asked
        tested = list[int]()
        while begun.in_pretest:
            item = begun.ask()
            assert item is not None
            given = learner.answer(item)
            begun.tell(given)
            self.wrong[item] = (given != self.labels[item]).mean()
            tested.append(item)
        every = np.arange(self.task.taught)
        self.allowed: Ints = every if self.task.places is None else np.setdiff1d(every, tested)
        self.queue: list[int] = self.rng.permutation(self.allowed).tolist()

    def teach(self) -> None:
        """Ask the next item, and show its solution."""
        item = self.choose()
        self.wrong[item] = (self.learner.answer(item) != self.labels[item]).mean()
        self.learner.show(item)
        self.shown.append(item)

    def choose(self) -> int:
        """Return the next item of the order."""
        if self.order == "most missed":
            return self._most_missed()
        if self.order == "typical then spread":
            return self._typical_then_spread()
        self.queue = self.queue or self.rng.permutation(self.allowed).tolist()
        turn = (item for item in self.queue if self._has_turn(item))
        item = next(turn, self.queue[0]) if self.order == "classes in turn" else self.queue[0]
        self.queue.remove(item)
        return item

    def _has_turn(self, item: int) -> bool:
        return bool(self.labels[item] == len(self.shown) % self.task.options)

    def _free(self) -> Ints:
        return np.setdiff1d(self.allowed, self.shown[-min(5, len(self.allowed) // 2) :])

    def _most_missed(self) -> int:
        """Return the item most missed when last asked, halved if shown; others as their class."""
        missed, asked = self.wrong.copy(), ~np.isnan(self.wrong)
        for label in np.unique(self.labels):
            same = self.labels == label
            heard = self.wrong[same & asked]
            missed[same & ~asked] = heard.mean() if len(heard) else 0.5
        missed[self.shown] *= 0.5
        free = self._free()
        return int(free[(missed[free] + 1e-6 * self.rng.random(len(free))).argmax()])

    def _typical_then_spread(self) -> int:
        """Return the most typical item of the class, and then the one farthest from those shown."""
        places = self.task.places
        assert places is not None
        free = np.array([item for item in self._free() if self._has_turn(item)])
        if not len(free):
            free = self._free()
        seen = [item for item in self.shown if self._has_turn(item)]
        if seen:
            distance = ((places[free][:, None] - places[seen]) ** 2).sum(axis=2).min(axis=1)
            return int(free[distance.argmax()])
        middle = places[[item for item in self.allowed if self._has_turn(item)]].mean(axis=0)
        return int(free[((places[free] - middle) ** 2).sum(axis=1).argmin()])


def make_lesson(task: Task, seed: int) -> PeopleLesson:
    """Return homeroom's lesson for a task."""
    places = None if task.places is None else task.places[: task.taught]
    return PeopleLesson(
        task.labels[: task.taught], places, students=STUDENTS, answers=task.options, seed=seed
    )


class Taught(NamedTuple):
    """A lesson of homeroom: the truth before and after each round, and what was believed.

    Parameters
    ----------
    test
        The share of right answers to new items, shape ``(rounds + 1,)``.
    truth
        That of each student to the list, shape ``(rounds + 1, students)``.
    knows
        ``mean, low, high`` of the class, shape ``(rounds + 1, 3)``.
    students
        The same of each student, shape ``(rounds + 1, students, 3)``.
    done
        Whether the lesson was over.
    """

    test: Floats
    truth: Floats
    knows: Floats
    students: Floats
    done: bool


def teach(learner: AbstractLearner, seed: int, rounds: int) -> Taught:
    """Teach a class with ``PeopleLesson``, at most some rounds."""
    lesson = make_lesson(learner.task, seed)
    test, truth, knows, students = [], [], [], []
    while True:
        item = lesson.ask()
        pretest = lesson.in_pretest
        if not pretest:
            test.append(learner.share_of_test())
            truth.append(learner.share_of_list())
            knows.append(lesson.knows[:3])
            students.append(lesson.knows.students)
        if item is None or len(test) > rounds:
            found = np.array(test), np.array(truth), np.array(knows), np.array(students)
            return Taught(*found, lesson.done)
        lesson.tell(learner.answer(item))
        if not pretest:
            learner.show(item)


def measure(task: str, law: str, seed: int) -> tuple[Floats, Floats]:
    """Return the figures of one class: the share right of each order, and how true ``knows`` was.

    The shares are in percent, shape ``(orders, marks)``, the last row is homeroom's. A lesson that
    ended earlier is compared at the round of its end.
    """
    made, learner = TASKS[task](seed), learners_of(task)[law]
    ours = teach(learner(made, seed), seed, ROUNDS)
    marks = [min(mark, len(ours.test) - 1) for mark in MARKS]
    right = np.full((len(ORDERS) + 1, len(MARKS)), np.nan)
    right[-1] = 100.0 * ours.test[marks]
    for row, order in enumerate(ORDERS):
        if order != "typical then spread" or made.places is not None:
            right[row] = 100.0 * teach_simply(order, learner(made, seed), seed)[marks]
    return right, judge_knows(ours)


def teach_simply(order: str, learner: AbstractLearner, seed: int) -> Floats:
    """Return the share of right answers to new items before and after each round of an order."""
    lesson = SimpleLesson(order, learner, seed)
    test = [learner.share_of_test()]
    for _ in range(ROUNDS):
        lesson.teach()
        test.append(learner.share_of_test())
    return np.array(test)


def judge_knows(taught: Taught) -> Floats:
    """Return how true ``knows`` was in rounds 1 to 15.

    Coverage of the class's range, its score, the difference of its mean to the truth (absolute and
    signed), and coverage of the students' ranges.
    """
    rounds = slice(min(1, len(taught.test) - 1), KNOWS_ROUNDS + 1)
    mean, low, high = taught.knows[rounds].T
    truth = taught.truth[rounds].mean(axis=1)
    outside = np.maximum(low - truth, 0.0) + np.maximum(truth - high, 0.0)
    each = taught.students[rounds]
    inside = (each[:, :, 1] <= taught.truth[rounds]) & (taught.truth[rounds] <= each[:, :, 2])
    score, off = high - low + 20.0 * outside, mean - truth
    found = (outside == 0).mean(), score.mean(), np.abs(off).mean(), off.mean(), inside.mean()
    return np.array(found)


def measure_end(task: str, law: str, seed: int) -> Floats:
    """Return when a lesson was done, when the truth passed .90 and .95, and the truth at the end.

    Of lessons that were not done, or a truth that did not pass, the round is nan.
    """
    laws = {**learners_of(task), "constant": ConstantLearner, "constant .85": BetterConstantLearner}
    ended = teach(laws[law](TASKS[task](seed), seed), seed, LONG_ROUNDS)
    truth = ended.truth.mean(axis=1)
    passed = [
        float((truth >= at).argmax()) if (truth >= at).any() else np.nan for at in (0.9, 0.95)
    ]
    return np.array(
        [len(truth) - 1.0 if ended.done else np.nan, *passed, truth[-1], len(truth) - 1.0]
    )


def list_cells() -> list[tuple[str, str]]:
    """Return the tasks and laws."""
    return [(task, law) for task in TASKS for law in learners_of(task) if ONLY in f"{task}, {law}"]


def list_ends() -> list[tuple[str, str]]:
    """Return the tasks and laws whose lessons are taught to the end."""
    tasks = LONG[:1] if QUICK else LONG
    laws = {task: (*learners_of(task), "constant .85") for task in tasks}
    return [(task, law) for task in tasks for law in laws[task] if ONLY in f"{task}, {law}"]


class Cell(NamedTuple):
    """The figures of a task and a law.

    Parameters
    ----------
    task, law
        Their names.
    ahead, error
        Points ahead of each simple order after 10 and 20 rounds, with standard errors, paired by
        class, shape ``(orders, marks)``.
    knows
        The means of :func:`judge_knows`.
    """

    task: str
    law: str
    ahead: Floats
    error: Floats
    knows: Floats

    @classmethod
    def of(cls, task: str, law: str, classes: list[tuple[Floats, Floats]]) -> Cell:
        """Return the figures of all classes together."""
        right = np.array([each for each, _ in classes])
        more = right[:, -1:] - right[:, :-1]
        error = more.std(axis=0, ddof=1) / np.sqrt(len(more))
        knows = np.array([each for _, each in classes]).mean(axis=0)
        return cls(task, law, more.mean(axis=0), error, knows)

    @property
    def learns(self) -> bool:
        """Whether the order can matter at all."""
        return self.law != "constant"

    def describe(self) -> str:
        """Return the figures as a row of a table."""
        points = " | ".join(
            " / ".join(f"{more:+.1f} ± {off:.1f}" for more, off in zip(*row, strict=True))
            if np.isfinite(row[0]).all()
            else ""
            for row in zip(self.ahead, self.error, strict=True)
        )
        cover, score, off, bias, students = self.knows
        told = f"{cover:.2f} | {score:.2f} | {off:.3f} | {bias:+.3f} | {students:.2f}"
        return f"| {self.task}, {self.law} | {points} | {told} |"


def lines() -> Iterator[Line]:
    """Teach all classes; print each cell, and yield the limits."""
    cells = list_cells()
    calls = [(*cell, FIRST_SEED + number) for cell in cells for number in range(CLASSES)]
    found = in_processes(measure, *zip(*calls, strict=True))
    parts = [found[place : place + CLASSES] for place in range(0, len(found), CLASSES)]
    made = [Cell.of(*cell, part) for cell, part in zip(cells, parts, strict=True)]
    print("| points ahead after 10 / 20 rounds of " + " | ".join(ORDERS), end="")
    print(" | covers | score | off | bias | students |\n|" + " --- |" * (6 + len(ORDERS)))
    for cell in made:
        print(cell.describe())
    yield from _judge_orders(made)
    yield from _judge_ranges(made)
    yield from _judge_ends()


def _ahead(what: str, points: float, least: float) -> Line:
    """Return a line of how many points homeroom is ahead, as what is missing to 100."""
    against = f"{least:g} ahead"
    return Line(f"{what}: 100 - points ahead", 100.0 - points, against, 100.0 - least, 1, unit="")


def _at_most(what: str, value: float, most: float) -> Line:
    """Return a line of a number that has a limit."""
    return Line(what, float(value), "limit", most, 1.0, unit="")


def _judge_orders(cells: list[Cell]) -> Iterator[Line]:
    """Yield the limits of the order: on average, and in the worst cell."""
    maps = np.array([cell.ahead for cell in cells if cell.task in MAPS and cell.learns])
    facts = np.array([cell.ahead for cell in cells if cell.task in LISTS and cell.learns])
    if len(maps):
        mean = maps.mean(axis=0)
        for order, least in (("random", (4.0, 2.5)), ("typical then spread", (1.5, 1.0))):
            for place, mark in enumerate(MARKS):
                points = float(mean[ORDERS.index(order), place])
                yield _ahead(f"maps, {order}, {mark} rounds", points, least[place])
    if len(facts):
        mean = facts.mean(axis=0)
        for order, minimum in (("random", 0.5), ("most missed", -0.5)):
            for place, mark in enumerate(MARKS):
                points = float(mean[ORDERS.index(order), place])
                yield _ahead(f"lists, {order}, {mark} rounds", points, minimum)
    worst = min(float(np.nanmin(cell.ahead + 2 * cell.error)) for cell in cells)
    yield _ahead("worst cell and order, plus 2 standard errors", worst, -2.0)


def _judge_ranges(cells: list[Cell]) -> Iterator[Line]:
    """Yield the limits of ``knows``."""
    cover, score, off, _, students = np.array([cell.knows for cell in cells]).T
    misses = float(1.0 - cover.mean())
    yield _at_most("knows: share of ranges that miss the truth", misses, 0.15)
    yield _at_most("knows: wider than needed: .02, relative to that share", 0.02, max(misses, 1e-9))
    allowed = np.array([0.35 if cell.task == "topics" else 0.25 for cell in cells])
    worst = int(((1.0 - cover) / allowed).argmax())
    what = f"knows: the same in the worst cell ({cells[worst].task}, {cells[worst].law})"
    yield _at_most(what, 1.0 - cover[worst], float(allowed[worst]))
    yield _at_most("knows: mean interval score", score.mean(), 0.35)
    kept = np.sort(off)[: len(off) - len(off) // 10]
    yield _at_most("knows: difference to the truth, one cell in ten left out", kept.max(), 0.08)
    yield _at_most("knows: difference to the truth in the worst cell", off.max(), 0.12)
    yield _at_most("knows: share of students outside, mean", 1.0 - students.mean(), 0.2)


def _judge_ends() -> Iterator[Line]:
    """Yield the limits of the end of a lesson."""
    cells, classes = list_ends(), max(4, CLASSES // 4)
    if not cells:
        return
    calls = [(*cell, FIRST_SEED + number) for cell in cells for number in range(classes)]
    found = np.array(in_processes(measure_end, *zip(*calls, strict=True)))
    done, passed, later, truth, last = found.T
    over = np.isfinite(done)
    ends = np.where(over, done, LONG_ROUNDS + 1.0)
    print(f"\n{len(done)} lessons of up to {LONG_ROUNDS} rounds, {int(over.sum())} done:")
    for cell, part in zip(cells, found.reshape(len(cells), classes, -1), strict=True):
        text = f"done after {part[:, 0]}, .90 after {part[:, 1]}, truth {part[:, 3].round(3)}"
        print(f"{', '.join(cell)}: {text}")
    delays = (ends - passed)[passed <= LONG_ROUNDS - 20]  # later ones could not be late
    if len(delays):
        yield _at_most("done: median rounds after a truth of .90", np.median(delays), 15.0)
    judged = np.isfinite(later) & (over | (last - later >= 20))
    if judged.any():
        slow = ((ends - later)[judged] > 20).mean()
        yield _at_most("done: share later than 20 rounds after a truth of .95", slow, 0.1)
    low = (truth[over] < 0.9).mean() if over.any() else 0.0
    yield _at_most("done: share at a truth below .90", low, 0.05)
    never = (truth[over] < 0.85 + 1e-9).sum()
    yield _at_most("done: 1 + lessons at a truth of .85 or less", 1.0 + never, 1.0)
