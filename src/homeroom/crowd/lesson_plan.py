"""Lessons for a crowd: which items to show, in which order, to the class and to each group."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError, counted, percent
from homeroom.crowd.embedding import Embedding
from homeroom.goals import AbstractGoal, AccuracyGoal, AverageGoal, ClassProgress
from homeroom.groups import AsGiven
from homeroom.learners import GradientLearner, Logistic
from homeroom.lessons import Progress, Record, StoppedBecause, teach
from homeroom.pools import ItemPool
from homeroom.teachers import PoolTeacher
from homeroom.teachers.pool import check_magnitude

RIGHT = 0.9
"""The share of right answers at which a lesson with more than two classes ends."""

OF_RULE = 0.95
"""The goal is at most this fraction of the answers that a perfect follower of the rule gives
rightly: they give a wrong answer to every item that contradicts it."""

NOISE = 1.0
"""The noise of answers on a map, relative to the length of weights."""

LONGEST = 2.0**20
"""The largest factor by which a rule is scaled to make its answers more certain."""


class LessonItem(NamedTuple):
    """An item in a lesson, and how it is shown.

    ``yes`` is whether the right answer is the positive one, and ``answer`` the name of that answer.
    ``strength`` is the length of the example, and ``times`` how often it is shown in a row.
    """

    item: str
    yes: bool
    strength: float
    times: int = 1
    answer: str = ""


@dataclass(frozen=True, eq=False)
class Syllabus:
    """The lesson for the whole class, and the lessons for the groups.

    Parameters
    ----------
    whole
        The lesson for all annotators together.
    by_group
        The lessons for the groups.
    names
        The names of the items that may be shown.
    left_out
        How many items may not be shown, by reason.
    answers
        The right answers to the items in ``names``.
    classes
        The names of all answers.
    exceptions
        Items whose expert's label contradicts the rule: examples of the rule do not teach them, so
        they are shown in addition, as exceptions.
    right_now, right_goal
        If the goal is about answers: the expected share of right answers now, and at the end. All
        items with a label count, and so does the noise of answers.
    """

    whole: Record
    by_group: Record
    names: tuple[str, ...]
    left_out: dict[str, int]
    answers: tuple[str, ...]
    classes: tuple[str, ...] = ("no", "yes")
    exceptions: tuple[LessonItem, ...] = ()
    right_now: float | None = None
    right_goal: float | None = None

    def stopped_because(self, group: int | None = None) -> StoppedBecause:
        """Return why the lesson of a group (counted from 0), or of the class, stopped."""
        lesson = self.whole if group is None else self.by_group.groups[group]
        return lesson.stopped_because

    def shown(self, group: int | None = None) -> list[LessonItem]:
        """Return what is shown to a group (counted from 0), or to the class, in order."""
        lesson, which = (self.whole, 0) if group is None else (self.by_group, group)
        examples = lesson.transcript.examples([which])
        lengths = np.sqrt((examples.xs * examples.xs).sum(axis=1))
        return [
            LessonItem(
                self.names[item],
                self.answers[item] == self.classes[-1],
                length,
                answer=self.answers[item],
            )
            for item, length in zip(examples.items.tolist(), lengths.tolist(), strict=True)
        ]

    def remarks(self) -> list[str]:
        """Return a sentence on the share of right answers, and one on exceptions, if they apply."""
        said = []
        if self.right_now is not None and self.right_goal is not None:
            said.append(
                f"Right answers: {percent(self.right_now)} expected now, the goal is "
                f"{percent(self.right_goal)}. All items with a label count, and so does the noise "
                "of answers."
            )
        if self.exceptions:
            number = counted(len(self.exceptions), "item")
            limit = f", and the goal is at most {percent(OF_RULE)} of what the rule allows"
            said.append(
                f"Exceptions: {number} whose label contradicts the rule. The lesson does not teach "
                f"them{'' if self.right_goal is None else limit}; show them as well."
            )
        return said

    def runs(self, group: int | None = None) -> list[LessonItem]:
        """Return what is shown, with consecutive repetitions of an item counted in ``times``."""
        together = [list(same) for _, same in groupby(self.shown(group), lambda one: one.item)]
        return [same[0]._replace(times=len(same)) for same in together]


def syllabus(
    found: Embedding,
    groups: Ints | None = None,
    *,
    rate: float = 0.05,
    goal: AbstractGoal | None = None,
    fixed: bool = False,
    example_radius: float = 2.0,
    magnitude: str = "static",
    max_rounds: int = 100_000,
    seed: int = 0,
    progress: Callable[[Progress], None] | None = None,
) -> Syllabus:
    """Return which items to show, in which order, to the class and to each group.

    The lesson has items with an expert's label that agrees with the rule to be taught; items that
    contradict it are its ``exceptions``. No item is shown again before five others, and new ones
    come first (``repeat_after`` of :class:`homeroom.PoolTeacher`). Annotators learn by the squared
    loss as in the paper, or with more than two classes by the logistic loss (softmax).

    Parameters
    ----------
    found
        The map.
    groups
        The group of each annotator, counted from 0; by default groups of like-minded annotators.
    rate
        The learning rate of all annotators.
    goal
        When a group has learnt enough; by default at a mean squared distance of 0.2, and with more
        than two classes when nine of ten answers are expected to be right. An
        :class:`~homeroom.AccuracyGoal` without items counts the answers to all items that have a
        label, with the noise of answers on the map. If the rule contradicts many labels, the share
        is at most 95 % of what it allows. The rule is taught with the certainty that is needed.
    fixed
        Whether items are shown unscaled; otherwise all are scaled to the best length.
    example_radius
        The largest length of a scaled item.
    magnitude
        As for :class:`homeroom.PoolTeacher`. All annotators have the same rate, so all rules give
        the same length.
    max_rounds
        The largest number of items that a group is shown.
    seed, progress
        As for :func:`homeroom.teach`.
    """
    check_magnitude(magnitude)
    groups = found.groups(seed=seed) if groups is None else groups
    keep, left_out = _usable_items(found)
    codes, classes = found.experts[keep], len(found.classes)
    rows, radius = _examples(found, keep, rate=rate, radius=None if fixed else example_radius)
    learner, pool = GradientLearner(), ItemPool(rows)
    if goal is None:
        goal = AccuracyGoal(RIGHT) if classes > 2 else AverageGoal(0.2)
    if classes > 2:
        pool, learner = ItemPool(rows, labels=codes + 1.0), GradientLearner(Logistic(classes))
    goal, target, shares = _about_answers(found, goal)
    room = found.to_classroom(rate, radius, target=target)
    settings: dict[str, Any] = {
        "teacher": PoolTeacher(pool, repeat_after=None),  # five, or fewer in a small pool
        "learner": learner,
        "goal": goal,
        "max_rounds": max_rounds,
        "seed": seed,
        "progress": progress,
    }
    return Syllabus(
        teach(room, **settings),
        teach(room, groups=AsGiven(groups), **settings),
        tuple(found.item_names[item] for item in keep.tolist()),
        left_out,
        tuple(found.classes[code] for code in codes.tolist()),
        found.classes,
        tuple(_exception(found, item) for item in found.rule().contradicting.tolist()),
        *shares,
    )


def _about_answers(
    found: Embedding, goal: AbstractGoal
) -> tuple[AbstractGoal, Floats, tuple[float, float] | tuple[None, None]]:
    """Return the goal for this crowd, the target, and the shares of right answers now and then.

    If the goal is a share of right answers, all items with an expert's label count, and so does the
    noise of answers. The target is then the rule, scaled to give enough right answers itself; and
    the share is at most ``OF_RULE`` of what the longest one gives.
    """
    target, known = found.target(), np.flatnonzero(found.experts >= 0)
    rows: Floats = np.column_stack([found.items[known], np.ones(len(known))])
    codes, outputs = found.experts[known], 1 if len(found.classes) == 2 else len(found.classes)
    labels: Floats = np.asarray(2 * codes - 1 if outputs == 1 else codes + 1, dtype=np.float64)
    tested = goal
    if isinstance(goal, AccuracyGoal):
        tested = goal.use_test(rows, labels, noise=NOISE)
    if tested is goal or not isinstance(tested, AccuracyGoal):
        return goal, target, (None, None)

    def share(states: Floats) -> float:
        progress = ClassProgress(0.0, 0.0, lambda: states, target, outputs)
        return float(progress.accuracy(rows, labels, tested.noise).mean())

    most = share(LONGEST * target[None, :])
    required = min(tested.share, OF_RULE * most)
    factor, enough = 1.0, (required + most) / 2.0
    while share(factor * target[None, :]) < enough and factor < LONGEST:
        factor *= 1.1
    fitting = AccuracyGoal(required, rows, labels, tested.of, tested.noise)
    now = share(np.asarray(found.to_classroom().states))
    return fitting, factor * target, (now, required)


def _exception(found: Embedding, item: int) -> LessonItem:
    """Return an item that contradicts the rule, as it is shown."""
    answer = found.classes[int(found.experts[item])]
    return LessonItem(
        found.item_names[item], answer == found.classes[-1], strength=1.0, answer=answer
    )


def _usable_items(found: Embedding) -> tuple[Ints, dict[str, int]]:
    """Return the positions of the items that teach the rule, and how many do not, by reason."""
    rule = found.rule()
    known = np.isfinite(found.labels)
    agrees: npt.NDArray[np.bool_] = known.copy()
    agrees[rule.contradicting] = False
    left_out = {"without an expert's label": int((~known).sum())}
    if not agrees.any():
        raise InputError(
            "No straight rule agrees with the expert's label of any item, so there is nothing to "
            "show: are the labels those of these items?"
        )
    return np.flatnonzero(agrees), {why: number for why, number in left_out.items() if number}


def _examples(
    found: Embedding, keep: Ints, *, rate: float, radius: float | None
) -> tuple[Floats, float]:
    """Return the items as examples ``(x, 1)``, and the largest length that an example may have.

    ``keep`` are the positions of these items. With a ``radius``, examples are scaled to the length
    at which one step by the squared loss reaches the answer, ``rate |x|^2 = 1``, or to the radius
    if that is shorter.
    """
    rows: Floats = np.column_stack([found.items[keep], np.ones(len(keep))])
    lengths = np.sqrt((rows * rows).sum(axis=1))
    if radius is None:
        return rows, float(lengths.max())
    return rows * (min(radius, rate**-0.5) / lengths)[:, None], radius
