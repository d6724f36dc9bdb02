"""What the server believes about each student of a live class, and what the teacher sees of it."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.goals import Knows
from homeroom.live.activities.space import AnswerList, Space
from homeroom.live.classbook.rounds import Round
from homeroom.observers import QuizObserver
from homeroom.observers.quizzing.beliefs import Belief
from homeroom.observers.quizzing.fitted_people import SHEPARD
from homeroom.observers.quizzing.log import Asked, Shown
from homeroom.observers.quizzing.quiz_state import QuizState

LEVEL = 0.9
"""The probability of credible intervals and ellipses."""

POINTS = 17
"""The number of points of an ellipse; the last is the first again."""

DIGITS = 3
"""The number of decimals that pages get."""


class StudentSummary(NamedTuple):
    """The estimates for one student, as plain JSON values.

    Parameters
    ----------
    p_right
        The expected share of right answers, with a 90 % credible interval.
    state, ellipse
        The state on the first two axes of the map, in units of the target's length, and the edge of
        its credible region; ``None`` without a map.
    rate_words
        The learning rate in words.
    honest
        Whether the answers look related to the questions.
    hasty
        How many answers came faster than a student can read; 0 if this was rare.
    """

    p_right: dict[str, float]
    state: tuple[float, float] | None
    ellipse: list[tuple[float, float]] | None
    rate_words: str
    honest: bool
    hasty: int


def summaries(students: Sequence[str], memory: QuizState) -> dict[str, StudentSummary]:
    """Return the summary of each student, in the order of the memory's rows."""
    known = [
        {part: round(float(value), DIGITS) for part, value in one._asdict().items()}
        for one in memory.knows.students
    ]
    states: list[Any] = [None] * len(students)
    edges: list[Any] = states
    if not memory.setup.chooses:  # students answer yes or no, so there is a map
        plane = on_the_plane(memory.belief)
        states = _round_places(plane.means)
        edges = [_round_places(edge) for edge in ellipses(plane)]
    words, honest = memory.rates_in_words, (~memory.flagged).tolist()
    hasty = memory.hasty.tolist()
    return {
        student: StudentSummary(
            known[row],
            states[row],
            edges[row],
            words[row],
            honest[row],
            hasty[row],
        )
        for row, student in enumerate(students)
    }


def on_the_plane(belief: Belief) -> Belief:
    """Return the beliefs about the first two axes of the map; a missing second axis is zero.

    The means have shape ``(students, 2)``, the covariances ``(students, 2, 2)``.
    """
    axes = belief.means.shape[1] - 1  # the last number of a state is its threshold
    if axes > 1:
        return Belief(belief.means[:, :2], belief.covariances[:, :2, :2])
    means = np.zeros((len(belief.means), 2))
    covariances = np.zeros((len(belief.means), 2, 2))
    means[:, 0], covariances[:, 0, 0] = belief.means[:, 0], belief.covariances[:, 0, 0]
    return Belief(means, covariances)


def ellipses(plane: Belief) -> Floats:
    """Return the edge of each student's credible region, shape ``(students, points, 2)``."""
    angles = np.linspace(0.0, 2.0 * math.pi, POINTS)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    values, vectors = np.linalg.eigh(plane.covariances)
    halves = vectors * np.sqrt(np.maximum(values, 0.0) * -2.0 * np.log1p(-LEVEL))[:, None, :]
    edges: Floats = plane.means[:, None, :] + circle @ np.swapaxes(halves, 1, 2)
    return edges


def _round_places(places: Floats) -> list[tuple[float, float]]:
    """Return places of shape ``(n, 2)`` with as many decimals as pages get."""
    return [(x, y) for x, y in np.round(places, DIGITS).tolist()]


ITEM_MEMORY = 0.2
"""How much students remember single items, relative to the rule: an assumption for the first
rounds, estimated from the answers later."""


@dataclass(frozen=True, eq=False)
class ClassBeliefs:
    """The quiz observer's memory of a class, with the student of each row.

    Parameters
    ----------
    space
        The items and the target; or items with several answers, without a map.
    quiz
        The observer that estimates states and rates from answers.
    students
        All students who ever joined, in the order of the memory's rows.
    memory
        The observer's estimates, and the log of answers and examples.
    since
        The beliefs before the last round, and that round, if the answer model (the probability of
        an answer given a state) was due to be estimated from those beliefs.
    """

    space: Space | AnswerList
    quiz: QuizObserver
    students: tuple[str, ...]
    memory: QuizState
    since: tuple[ClassBeliefs, Round] | None = None
    _estimating: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @classmethod
    def begin(
        cls, space: Space | AnswerList, students: Sequence[str], *, pretest: int | None = None
    ) -> ClassBeliefs:
        """Return the prior beliefs about students who have not answered yet.

        ``pretest`` is the number of items of the pre-test; by default, as many as needed.
        """
        if isinstance(space, AnswerList):
            quiz = QuizObserver(
                keys=space.keys,
                options=space.options,
                live=True,
                answers=0,
                pretest=pretest,
                item_memory=math.inf if space.facts else ITEM_MEMORY,
                **SHEPARD.settings,
            )
            return cls(space, quiz, tuple(students), quiz.begin_with(None, len(students)))
        quiz = QuizObserver(
            space.rows,
            live=True,
            answers=0,
            sigma=space.sigma,
            pretest=pretest,
            item_memory=ITEM_MEMORY,
            **SHEPARD.settings,
        )
        return cls(space, quiz, tuple(students), quiz.begin_with(space.target, len(students)))

    @cached_property
    def row(self) -> dict[str, int]:
        """The row of each student."""
        return {student: row for row, student in enumerate(self.students)}

    @cached_property
    def heard(self) -> frozenset[str]:
        """The students whose answers the beliefs rest on; of others only the prior is known."""
        answered = (self.memory.answers != 0).any(axis=1).tolist()
        pairs = zip(self.students, answered, strict=True)
        return frozenset(student for student, any_answer in pairs if any_answer)

    @cached_property
    def summaries(self) -> dict[str, StudentSummary]:
        """What the teacher's page shows of each student."""
        return summaries(self.students, self.memory)

    def share_right(self, students: Sequence[str]) -> dict[str, float] | None:
        """Return the share of right answers expected of some students, with its interval.

        ``None`` if none of them has answered.
        """
        if self.heard.isdisjoint(students):
            return None
        rows = [self.row[one] for one in students if one in self.row]
        all_known = self.memory.knows  # computed once per round
        counted = all_known.counted[rows]  # 0 for students who seem not to read
        known = Knows(all_known.draws[rows], counted if counted.any() else np.ones(len(rows)))
        return {part: float(value) for part, value in known.of_class._asdict().items()}

    @property
    def estimated(self) -> ClassBeliefs:
        """The beliefs with the answer model that takes effect with the next round.

        An estimate takes long. So one from the answers up to round n takes effect when round n + 2
        is over: no item waits for it, unless two rounds take less time than the estimate. The
        server computes it in the meantime; another thread that needs it waits.
        """
        if self.since is None:
            return self
        with self._estimating:
            return self._estimated

    @cached_property
    def _estimated(self) -> ClassBeliefs:
        """The earlier beliefs with the new answer model, and then the last round again."""
        assert self.since is not None
        before, done = self.since
        again = before.revised.with_newcomers(self.students)
        again = replace(again, students=self.students, memory=again.memory_of(self.students))
        return again._with_round(done)

    @property
    def revised(self) -> ClassBeliefs:
        """The beliefs with the answer model estimated from all answers so far, if that is due."""
        with self._estimating:
            return self._revised

    @cached_property
    def _revised(self) -> ClassBeliefs:
        return replace(self, memory=self.memory.revised()) if self.memory.due else self

    @property
    def latest(self) -> ClassBeliefs:
        """The beliefs with all estimates that are due: what a lesson ends with."""
        return self.estimated.revised

    def prepare(self) -> None:
        """Estimate the answer model, if that is due: it is needed when a later round is over."""
        _ = self.revised if self.since is None else self.estimated

    def rows(self, students: Sequence[str]) -> Ints:
        """Return the rows of some students."""
        return np.array([self.row[student] for student in students], dtype=np.int64)

    def with_newcomers(self, students: Sequence[str]) -> ClassBeliefs:
        """Return the beliefs with a row for each student who has joined since."""
        new = [student for student in students if student not in self.row]
        if not new:
            return self
        memory = self.memory.with_newcomers(len(new))
        return replace(self, students=(*self.students, *new), memory=memory)

    def keep_only(self, students: Sequence[str]) -> ClassBeliefs | None:
        """Return the beliefs about some of the students, as if the others had never joined.

        What was estimated about the whole class stays until the next estimate, which is made
        without the others.
        """
        if not students:
            return None
        since = self.since
        if since is not None:
            since = since[0], since[1].drop_students(self.row.keys() - set(students))
        memory = self.memory_of(students)
        return replace(self, students=tuple(students), memory=memory, since=since)

    def after(self, done: Round, joined: Sequence[str] = ()) -> ClassBeliefs:
        """Return the beliefs after a round, with the students who have joined since the last one.

        The answer model is that of :attr:`estimated`.
        """
        after = self.estimated.with_newcomers(joined)._with_round(done)
        due = self.since is None and self.memory.due
        return replace(after, since=(self, done)) if due else after

    def _with_round(self, done: Round) -> ClassBeliefs:
        """Return the beliefs after a round: first the answers, then the examples shown."""
        memory = self.memory
        asked = self._asked(done)
        if asked is not None:
            memory = memory.hear(asked)
        shown = self._shown(done)
        if shown is not None:
            memory = memory.shown(shown)
        return replace(self, memory=memory, since=None)

    def memory_of(self, students: Sequence[str]) -> QuizState:
        """Return the observer's memory of some of the students, as a class of their own."""
        some = tuple(students)
        if some == self.students:
            return self.memory
        if some not in self._parts:
            self._parts[some] = self.memory.of_students(self.rows(some))
        return self._parts[some]

    @cached_property
    def _parts(self) -> dict[tuple[str, ...], QuizState]:
        return {}  # what is expected of some students is computed once, and used several times

    def _asked(self, done: Round) -> Asked | None:
        """Return the answers of a round in the observer's format; ``None`` if there are none."""
        items = [item for item in dict.fromkeys(done.items) if item in self.space.row_of]
        given = {pair: answer for pair, answer in done.answers.items() if pair[1] in items}
        if not given:
            return None
        column = {item: place for place, item in enumerate(items)}
        answers = np.zeros((len(self.students), len(items)))
        seconds = np.full(answers.shape, np.nan)
        for (student, item), answer in given.items():
            cell = self.row[student], column[item]
            answers[cell] = self.space.value(answer)
            seconds[cell] = done.seconds.get((student, item), np.nan)
        answered = np.flatnonzero(answers.any(axis=0))
        numbers = self.space.rows_of([items[place] for place in answered])
        timed = seconds[:, answered] if done.seconds else None
        return Asked(numbers, answers[:, answered], seconds=timed)

    def _shown(self, done: Round) -> Shown | None:
        """Return the examples of a round in the observer's format; ``None`` if there are none."""
        seen = [done.shown.get(student) for student in self.students]
        if not any(seen):
            return None
        number = np.array([-1 if item is None else self.space.row_of[item] for item in seen])
        rows = self.space.rows if isinstance(self.space, Space) else self.memory.setup.xs
        if (number == number[0]).all():
            first = int(number[0])
            return Shown(rows[first], float(self.space.taught[first]), first)
        xs: Floats = np.where((number >= 0)[:, None], rows[number], 0.0)
        return Shown(xs, np.where(number >= 0, self.space.taught[number], 0.0), number)
