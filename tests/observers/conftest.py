"""What the tests of observers share: the classes on which the quiz was first tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, Example, Lesson, QuizObserver
from homeroom._arrays import Floats
from homeroom.observers.quizzing.gradebook import Gradebook


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
    """

    def __init__(
        self,
        room: Classroom,
        observer: QuizObserver,
        reply: Callable[[Floats, np.random.Generator], Floats],
    ) -> None:
        self.rng = np.random.default_rng(7)
        self.gaps, self.rates = np.array(room.gaps), np.asarray(room.rates)
        self.target, self.reply = np.asarray(room.target), reply
        observer = replace(observer, live=True)
        book = observer.asking(observer.begin(room), self.rng)
        pretest = {"asked": self.asked(book), "answers": self.answers(book).tolist()}
        self.observer = replace(observer, log=[pretest])
        goal = AverageGoal(1e-12)
        self.lesson = Lesson(room, observer=self.observer, goal=goal)

    @staticmethod
    def asked(book: Gradebook) -> list[int]:
        assert book.questions is not None
        return [int(item) for item in book.questions]

    @property
    def book(self) -> Gradebook:
        """What the teacher knows now."""
        book = self.lesson.parts[0].memory
        assert isinstance(book, Gradebook)
        return book

    @property
    def states(self) -> Floats:
        """Where they really are."""
        states: Floats = self.gaps + self.target
        return states

    def answers(self, book: Gradebook) -> Floats:
        return self.reply(self.states @ book.setup.xs[self.asked(book)].T, self.rng)

    def teach(self, rounds: int) -> LiveClass:
        """Go on for so many rounds."""
        for _ in range(rounds):
            example = self.lesson.ask()
            assert isinstance(example, Example)
            self.gaps -= (self.rates * (self.gaps @ example.x))[:, None] * example.x
            self.lesson.tell(answers=self.answers(self.book))
        return self


@pytest.fixture
def live() -> type[LiveClass]:
    """Return what makes a class that answers from outside."""
    return LiveClass
