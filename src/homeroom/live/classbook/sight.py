"""What is known of everybody in a live class: the quiz observer's book, with names to its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.classroom import Classroom
from homeroom.live.activities.space import Space
from homeroom.live.classbook.portrait import Likeness, portrait
from homeroom.live.classbook.rounds import Round
from homeroom.moments import Observation
from homeroom.observers import AbstractExaminer, Outcome, QuizObserver
from homeroom.observers.quizzing.bank import Bank
from homeroom.observers.quizzing.course import of_some
from homeroom.observers.quizzing.gradebook import Gradebook
from homeroom.observers.quizzing.log import Asked, Event, Shown

ANY_RATE = 0.01
"""Real students' rates are not known: this one only fills the class's table."""


@dataclass(frozen=True, eq=False)
class Sight:
    """All that is known of the students of a class.

    Parameters
    ----------
    space
        The items and the target.
    quiz
        Who looks at the answers.
    students
        Everybody who ever joined, in the order of the book's rows.
    book
        What is known.
    """

    space: Space
    quiz: QuizObserver
    students: tuple[str, ...]
    book: Gradebook

    @classmethod
    def begin(cls, space: Space, students: Sequence[str], *, pretest: int | None = None) -> Sight:
        """Return what is known of students who have not answered yet."""
        quiz = QuizObserver(space.rows, live=True, answers=0, sigma=space.sigma, pretest=pretest)
        return cls(space, quiz, tuple(students), quiz.begin(room_of(space, len(students))))

    @cached_property
    def row(self) -> dict[str, int]:
        """The row of each student."""
        return {student: row for row, student in enumerate(self.students)}

    @cached_property
    def likenesses(self) -> dict[str, Likeness]:
        """What is shown of each student."""
        return portrait(self.space, self.students, self.book)

    def rows(self, students: Sequence[str]) -> Ints:
        """Return the rows of some students."""
        return np.array([self.row[student] for student in students], dtype=np.int64)

    def with_newcomers(self, students: Sequence[str]) -> Sight:
        """Return the same with those who came late.

        Of them is known what the class's prior says. They have answered nothing, and were shown
        nothing: in the log, their rows are zero. Cost: O(log), no lesson is worked out again.
        """
        new = [student for student in students if student not in self.row]
        if not new:
            return self
        book, prior = self.book, self.book.prior.belief(len(new))
        fresh = Bank.of(prior, np.zeros(len(new)), book.bank.usual, book.bank.rates)
        bank = replace(
            book.bank,
            means=np.concatenate([book.bank.means, fresh.means]),
            covariances=np.concatenate([book.bank.covariances, fresh.covariances]),
            evidence=np.concatenate([book.bank.evidence, fresh.evidence]),
        )
        log = tuple(_padded(event, len(self.students), len(new)) for event in book.log)
        return replace(
            self, students=(*self.students, *new), book=replace(book, bank=bank, log=log)
        )

    def only(self, students: Sequence[str]) -> Sight | None:
        """Return what is known of some of the students, as if the others had never been there.

        What the class has told of itself until now stays; the next estimate is made without them.
        """
        return (
            replace(self, students=tuple(students), book=self.some(students)) if students else None
        )

    def after(self, done: Round) -> Sight:
        """Return what is known after a round: first what was said, then what was shown."""
        book = self.book
        asked = self._asked(done)
        if asked is not None:
            book = book.hear(asked)
        shown = self._shown(done)
        if shown is not None:
            book = book.show(shown)
        return replace(self, book=book)

    def some(self, students: Sequence[str]) -> Gradebook:
        """Return what is known of some of the students, as a class of their own."""
        if tuple(students) == self.students:
            return self.book
        rows, book = self.rows(students), self.book
        bank = replace(
            book.bank,
            means=book.bank.means[rows],
            covariances=book.bank.covariances[rows],
            evidence=book.bank.evidence[rows],
        )
        return replace(book, bank=bank, log=tuple(of_some(book.log, rows)))

    def _asked(self, done: Round) -> Asked | None:
        items = [item for item in dict.fromkeys(done.items) if item in self.space.number]
        heard = {pair: answer for pair, answer in done.answers.items() if pair[1] in items}
        if not heard:
            return None
        column = {item: place for place, item in enumerate(items)}
        answers = np.zeros((len(self.students), len(items)))
        for (student, item), answer in heard.items():
            answers[self.row[student], column[item]] = answer
        said = np.flatnonzero(answers.any(axis=0))
        return Asked(self.space.numbers([items[place] for place in said]), answers[:, said])

    def _shown(self, done: Round) -> Shown | None:
        seen = [done.shown.get(student) for student in self.students]
        if not any(seen):
            return None
        number = np.array([-1 if item is None else self.space.number[item] for item in seen])
        if (number == number[0]).all():
            x = self.space.rows[number[0]]
            return Shown(x, float(x @ self.space.target))
        xs: Floats = np.where((number >= 0)[:, None], self.space.rows[number], 0.0)
        return Shown(xs, xs @ self.space.target)


def room_of(space: Space, students: int) -> Classroom:
    """Return a class of so many of whom nothing is known: all that is looked at is its target."""
    return Classroom(
        np.zeros((students, space.dimensions)),
        np.full(students, ANY_RATE),
        space.target,
        example_radius=space.longest,
    )


@dataclass(frozen=True, eq=False)
class Remembering(AbstractExaminer):
    """A quiz that goes on with what is known already, in a lesson that is begun in the middle.

    Parameters
    ----------
    quiz
        Who looks at the answers.
    memory
        What is known.
    """

    quiz: QuizObserver
    memory: Gradebook

    def begin(self, room: Classroom) -> Gradebook:
        return self.memory

    def observe(
        self, truth: Observation, memory: Gradebook, rng: np.random.Generator
    ) -> Observation:
        return self.quiz.observe(truth, memory, rng)

    def remember(self, memory: Gradebook, outcome: Outcome) -> Gradebook:
        """Return the memory after a round in which answers came before the example."""
        if outcome.answers is not None:
            memory = self.quiz.hear(memory, outcome.answers)
        return self.quiz.remember(memory, replace(outcome, answers=None))

    def judged(self, memory: Any) -> tuple[float, float] | None:
        return self.quiz.judged(memory)


def _padded(event: Event, students: int, new: int) -> Event:
    """Return an event of the log with rows of zeros for newcomers."""
    if isinstance(event, Asked):
        zeros = np.zeros((new, len(event.items)))
        return Asked(event.items, np.concatenate([event.answers, zeros]))
    xs = np.broadcast_to(event.x, (students, event.x.shape[-1]))
    ys = np.broadcast_to(event.y, (students,))
    return Shown(
        np.concatenate([xs, np.zeros((new, xs.shape[1]))]), np.concatenate([ys, np.zeros(new)])
    )
