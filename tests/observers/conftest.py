"""What the tests of observers share: the classes on which the quiz was first tried."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, Example, Lesson, QuizObserver
from homeroom._arrays import Floats, Ints
from homeroom.observers.quizzing.quiz_state import QuizState

DATA = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(params=["butterflies_crop", "chinese_chars"])
def people(request: pytest.FixtureRequest) -> tuple[Floats, Ints]:
    """Whether real people were right, and which class it was, ``(people, trials)``.

    The right class was shown after each of the first 20 trials.
    """
    path = DATA / "learners" / f"{request.param}.csv"
    if not path.is_file():
        pytest.skip(f"the learners are not here: ../shared/data/learners/{path.name}")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    who, trial, kind = (
        np.array([int(row[name]) for row in rows]) for name in ("learner", "trial", "truth")
    )
    right, kinds = np.zeros((who.max() + 1, 40)), np.zeros((who.max() + 1, 40), dtype=np.int64)
    right[who, trial] = [row["truth"] == row["answer"] for row in rows]
    kinds[who, trial] = kind
    return right, kinds


@pytest.fixture
def ducks() -> tuple[Ints, Ints, Floats]:
    """Whether each annotator said that each picture shows a duck (+1) or not (-1)."""
    path = DATA / "ducks" / "labels.txt"
    if not path.is_file():
        pytest.skip("the ducks are not here: ../shared/data/ducks/labels.txt")
    item, who, label = np.loadtxt(path, skiprows=1, dtype=np.int64).T
    return who, item, np.where(label > 0, 1.0, -1.0)


@pytest.fixture
def simulated() -> Callable[[int, int], Classroom]:
    """Return 60 students: ``simulated(dimensions, seed)``; examples have length one."""

    def drawn(dimensions: int, seed: int) -> Classroom:
        rng = np.random.default_rng(seed)
        target, mean = rng.standard_normal((2, dimensions))
        shape = rng.standard_normal((dimensions, dimensions))
        shape *= np.exp(rng.uniform(-1.0, 0.5, dimensions))
        states = 0.5 * mean / np.linalg.norm(mean) + rng.standard_normal((60, dimensions)) @ (
            shape.T / np.linalg.norm(shape)
        )
        rates = np.exp(rng.uniform(np.log(0.1), np.log(0.6), 60))
        return Classroom(states, rates, target / np.linalg.norm(target), example_radius=1.0)

    return drawn


class LiveClass:
    """Students outside: they are shown the lesson's examples, and answer in their own way.

    Parameters
    ----------
    room
        Who they are.
    observer
        Who asks them.
    reply
        Their answers, given the scores ``<w, x>``, shape ``(students, items)``.
    goal
        When the lesson is over, as far as the answers tell.
    """

    def __init__(
        self,
        room: Classroom,
        observer: QuizObserver,
        reply: Callable[[Floats, np.random.Generator], Floats],
        goal: AverageGoal = AverageGoal(1e-12),
    ) -> None:
        self.rng = np.random.default_rng(7)
        self.gaps, self.rates = np.array(room.gaps), np.asarray(room.rates)
        self.target, self.reply = np.asarray(room.target), reply
        observer = replace(observer, live=True)
        book = observer.asking(observer.begin(room), self.rng)
        pretest = {"asked": self.asked(book), "answers": self.answers(book).tolist()}
        self.observer = replace(observer, log=[pretest])
        self.lesson = Lesson(room, observer=self.observer, goal=goal)

    @staticmethod
    def asked(book: QuizState) -> list[int]:
        assert book.questions is not None
        return [int(item) for item in book.questions]

    @property
    def book(self) -> QuizState:
        """What the teacher knows now."""
        book = self.lesson.parts[0].memory
        assert isinstance(book, QuizState)
        return book

    @property
    def states(self) -> Floats:
        """Where they really are."""
        states: Floats = self.gaps + self.target
        return states

    def answers(self, book: QuizState) -> Floats:
        return self.reply(self.states @ book.setup.xs[self.asked(book)].T, self.rng)

    def teach(self, rounds: int) -> LiveClass:
        """Continue for that many rounds."""
        for _ in range(rounds):
            example = self.lesson.ask()
            if example is None:
                break
            assert isinstance(example, Example)
            self.gaps -= (self.rates * (self.gaps @ example.x))[:, None] * example.x
            self.lesson.tell(answers=self.answers(self.book))
        return self

    @property
    def error(self) -> float:
        """How far they really are, as a mean squared distance."""
        return float((self.gaps**2).sum(axis=1).mean())


@pytest.fixture
def live() -> type[LiveClass]:
    """Return what makes a class that answers from outside."""
    return LiveClass
