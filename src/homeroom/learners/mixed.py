"""A class whose students do not all learn in the same way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Ints
from homeroom._checks import InputError
from homeroom.classroom import Classroom, Example
from homeroom.learners.learners import (
    AbstractLearner,
    AttentionLearner,
    GradientLearner,
    MomentumLearner,
    Step,
)
from homeroom.learners.losses import AbstractLoss


@dataclass(frozen=True)
class MixedLearner(AbstractLearner):
    """Students who learn in ``n`` different ways: student ``j`` as learner ``j mod n``.

    Students are counted within their group, so that a student who is taught alone learns as the
    first learner.

    Parameters
    ----------
    learners
        The learners, all with the same loss.

    Examples
    --------
    >>> from homeroom import Classroom, teach
    >>> room = Classroom.sample(students=30, dimensions=5)
    >>> teach(room, learner=MixedLearner(), max_rounds=500).rounds
    27
    """

    learners: tuple[AbstractLearner, ...] = field(
        default_factory=lambda: (GradientLearner(), AttentionLearner(0.5), MomentumLearner(0.3))
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "learners", tuple(self.learners))
        losses = {learner.loss for learner in self.learners}
        if len(losses) != 1:
            raise InputError(
                f"`learners` must all have the same loss, but there are {len(losses)}: give each "
                "the same, as in GradientLearner('logistic')."
            )

    @property
    def loss(self) -> AbstractLoss:  # type: ignore[override]  # read from the learners
        return self.learners[0].loss

    def begin(self, room: Classroom) -> tuple[Any, ...]:
        """Return the memory at the start of a lesson, one entry per learner."""
        return tuple(
            learner.begin(room.subset(rows)) if len(rows) else None
            for learner, rows in zip(self.learners, self._rows(room.students), strict=True)
        )

    def step(
        self, states: Array, rates: Array, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        parts = self._rows(states.shape[0])
        steps = [
            learner.step(
                _arrays.take_rows(states, rows),
                _arrays.take_rows(rates, rows),
                remembered,
                example,
                rng,
            )
            if len(rows)
            else Step(states[:0, :], rates[:0], remembered)
            for learner, rows, remembered in zip(self.learners, parts, memory, strict=True)
        ]
        xp = _arrays.namespace(states)
        back = np.argsort(np.concatenate(parts))  # to the order of the class
        together = _arrays.take_rows(xp.concat([step.states for step in steps], axis=0), back)
        used = _arrays.take_rows(xp.concat([step.rates for step in steps], axis=0), back)
        return Step(together, used, tuple(step.memory for step in steps))

    def _rows(self, students: int) -> list[Ints]:
        """Return the positions of each learner's students."""
        count = len(self.learners)
        return [np.arange(first, students, count) for first in range(count)]
