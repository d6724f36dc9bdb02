"""Choose the letters to write for a class of children (section 6.3 of the paper)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.classroom import Classroom
from homeroom.engines import ExactClass
from homeroom.goals import AbstractGoal, AverageGoal, ClassProgress
from homeroom.groups import AbstractGrouping, AsGiven, WholeClass
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letter_pool import LetterPool, LetterTeacher
from homeroom.handwriting.pupils import (
    RATE,
    Pupil,
    clear_kinds,
    leaning,
    side_of,
    to_classroom,
)
from homeroom.learners import GradientLearner
from homeroom.lessons import Progress, Record, next_example, teach
from homeroom.observers import ExactObserver

EPS = 0.2
"""The goal for the mean squared distance to the target, as in section 6.2."""

MAX_ROUNDS = 500
"""The largest number of letters per group, by default."""


class Written(NamedTuple):
    """A letter of a lesson: its ink, label, normalised scores, and index in the pool.

    The ink is that of the pool, rotated to the side to which the children lean.
    """

    ink: Ink
    good: bool
    scores: Floats
    item: int


@dataclass(frozen=True, eq=False)
class WritingLesson:
    """The letters for a class, and for the children of each type.

    Parameters
    ----------
    pupils
        The children.
    kinds
        The type of each child, an array of strings; ``"no clear type"`` where the letters do not
        support one. Lessons are planned for the scores, not for the types.
    pool
        The letters to choose from.
    room
        The children as a class.
    whole
        The lesson for the whole class.
    by_kind
        The lessons by type.
    """

    pupils: tuple[Pupil, ...]
    kinds: npt.NDArray[Any]
    pool: LetterPool
    room: Classroom
    whole: Record
    by_kind: Record

    @property
    def groups(self) -> tuple[str, ...]:
        """The types in the class, in the order of their lessons."""
        return tuple(sorted(set(self.kinds.tolist())))

    def letters(self, kind: str | None = None) -> list[Written]:
        """Return the letters for a type, or for the whole class, in order.

        Scores do not distinguish left from right. If these children lean to one side on average,
        the letters lean to that side too, by as much as in the pool.
        """
        if kind is not None and kind not in self.groups:
            raise InputError(
                f"No child of this class is {kind}: choose one of {', '.join(self.groups)}."
            )
        record = self.whole if kind is None else self.by_kind
        group = 0 if kind is None else self.groups.index(kind)
        items = record.transcript.examples([group]).items.tolist()
        inks = leaning([self.pool.inks[item] for item in items], self.pool.model, self._side(kind))
        return [self._written(item, ink) for item, ink in zip(items, inks, strict=True)]

    def _side(self, kind: str | None) -> int:
        """Return the side to which the children of a type lean: 1 right, -1 left, 0 neither."""
        every = zip(self.pupils, self.kinds.tolist(), strict=True)
        return side_of([child.leans for child, own in every if kind in (None, own)])

    def _written(self, item: int, ink: Ink) -> Written:
        return Written(ink, bool(self.pool.good[item]), self.pool.normalised[item], item)

    def __repr__(self) -> str:
        return (
            f"WritingLesson({len(self.pupils)} children of {len(self.groups)} types: "
            f"{self.whole.rounds} letters together, {self.by_kind.rounds} by type)"
        )


def writing_lesson(
    children: Sequence[Pupil],
    pool: LetterPool,
    *,
    rate: float = RATE,
    goal: AbstractGoal = AverageGoal(EPS),
    loss: str = "logistic",
    looks_at: int = 100,
    max_rounds: int = MAX_ROUNDS,
    seed: int = 0,
    progress: Callable[[Progress], None] | None = None,
) -> WritingLesson:
    """Return the letters to write, in order, for the class and for each type of children.

    Parameters
    ----------
    children
        The children, as returned by :func:`pupils`.
    pool
        The letters to choose from.
    rate
        The learning rate of the children.
    goal
        When the lesson ends.
    loss
        The loss with which children learn from a letter that is good or bad.
    looks_at
        The number of letters that the teacher draws from the pool in each round.
    max_rounds
        The largest number of letters per group.
    seed, progress
        As for :func:`homeroom.teach`.

    Examples
    --------
    >>> from homeroom.handwriting import LetterPool, children, pupils
    >>> pool = LetterPool.make("f", 300)
    >>> tries = {child.name: child.write("f") for child in children(2)}
    >>> lesson = writing_lesson(pupils(tries, pool.model), pool)
    >>> lesson.groups
    ('distorted+rotated', 'distorted+shaky', 'shaky+rotated')
    """
    room = to_classroom(children, pool, rate)
    kinds = clear_kinds(children, pool)
    teacher, learner = LetterTeacher(pool, looks_at), GradientLearner(loss)

    def taught(groups: AbstractGrouping) -> Record:
        return teach(
            room,
            teacher=teacher,
            learner=learner,
            goal=goal,
            groups=groups,
            max_rounds=max_rounds,
            seed=seed,
            progress=progress,
        )

    whole, by_kind = taught(WholeClass()), taught(AsGiven(kinds))
    return WritingLesson(tuple(children), kinds, pool, room, whole, by_kind)


def next_letter(
    child: Pupil,
    pool: LetterPool,
    *,
    rate: float = RATE,
    goal: AbstractGoal = AverageGoal(),
    loss: str = "logistic",
    seed: int = 0,
) -> int | None:
    """Return the letter of the pool that teaches a child most, by its number in the pool.

    ``None`` if the child's letters reach the goal, or if no letter helps.

    Parameters
    ----------
    child, pool
        The child, and the letters to choose from.
    rate, goal, loss
        As for :func:`writing_lesson`.
    seed
        For the letters that the teacher draws from the pool.
    """
    room, learner = to_classroom([child], pool, rate), GradientLearner(loss)
    if goal.reached(ClassProgress(room.error, math.sqrt(room.error))):
        return None
    chosen = next_example(
        LetterTeacher(pool).prepare(room, learner.loss),
        ExactObserver(),
        None,
        None,
        truth=ExactClass(room, learner, np.random.default_rng(seed)).look(),
        for_teacher=np.random.default_rng(seed),
    )
    return None if chosen.example is None else chosen.example.item
