"""From children's letters to the letters that a teacher should write for them (section 6.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.classroom import Classroom
from homeroom.goals import AbstractGoal, AverageGoal
from homeroom.groups import AbstractGrouping, AsGiven, WholeClass
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.leaning import leaning, side_of
from homeroom.handwriting.letter_pool import LetterPool
from homeroom.handwriting.letter_teacher import LetterTeacher
from homeroom.handwriting.pupils import RATE, Pupil, kinds_of, to_classroom
from homeroom.learners import GradientLearner
from homeroom.lessons import Progress, Record, teach

EPS = 0.2
"""How near beliefs come to the target, as their mean squared distance: as in section 6.2."""

MAX_ROUNDS = 500


class Written(NamedTuple):
    """A letter as it is shown: its ink, whether it is good, its normalised scores, which it is.

    The ink is the pool's, or leans to the other side where the children do.
    """

    ink: Ink
    good: bool
    scores: Floats
    item: int


@dataclass(frozen=True, eq=False)
class WritingLesson:
    """What to write for a class, and what for the children of each type.

    Parameters
    ----------
    pupils
        The children.
    kinds
        The type of each, an array of texts.
    pool
        The letters that could be shown.
    room
        The children as a class.
    whole
        The lesson for everybody together.
    by_kind
        The lessons for the types.
    """

    pupils: tuple[Pupil, ...]
    kinds: npt.NDArray[Any]
    pool: LetterPool
    room: Classroom
    whole: Record
    by_kind: Record

    @property
    def groups(self) -> tuple[str, ...]:
        """The types that there are in the class, in the order of their lessons."""
        return tuple(sorted(set(self.kinds.tolist())))

    def letters(self, kind: str | None = None) -> list[Written]:
        """Return what is written for a type, or for everybody, in order.

        Scores do not tell left from right. So if these children lean to one side on the whole, the
        letters lean to that side too, each as far as in the pool.
        """
        if kind is not None and kind not in self.groups:
            raise InputError(
                f"Nobody in this class is {kind}: there is {' and '.join(self.groups)}."
            )
        record = self.whole if kind is None else self.by_kind
        group = 0 if kind is None else self.groups.index(kind)
        items = record.transcript.examples([group]).items.tolist()
        inks = leaning([self.pool.inks[item] for item in items], self.pool.model, self._side(kind))
        return [self._written(item, ink) for item, ink in zip(items, inks, strict=True)]

    def _side(self, kind: str | None) -> int:
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
    """Return which letters to write, in which order, for the class and for each type of children.

    Parameters
    ----------
    children
        Who is to learn, as :func:`pupils` gives them.
    pool
        The letters to choose from.
    rate
        How strongly everybody reacts to a letter.
    goal
        When it is learnt.
    loss
        How children learn from a letter that is good or bad: by which loss.
    looks_at
        How many letters of the pool the teacher looks at in each round.
    max_rounds
        How many letters a group is shown at most.
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
    kinds = kinds_of(children, pool)
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
