"""Teaching by imitation: a copy of each student, which is corrected by the student's answers.

W. Liu and others: *Iterative Machine Teaching*, ICML 2017, section 5. The teacher knows only the
answers of the student ``w``, and teaches a copy ``v`` as the omniscient teacher would. After the
example ``x`` the copy is moved so that its answer is the student's, and then takes the gradient
step of the student:

    v <- v + <w - v, x> x / |x|^2

On linear regression both take the same step. So ``w - v`` loses its part along ``x`` and nothing
else. As published, the copy starts at random. Here the part of the start that no answer has shown
is drawn again in each round: a random vector times the product of ``I - x x' / |x|^2`` over the
examples so far. Otherwise examples in the ball would stay within the directions of the first draw,
and the error would stop falling. Checks: copies that start at the students' states stay there, and
the examples are those of the omniscient teacher; one student of linear regression is at the target
after at most ``d + 1`` examples if their length is not limited, and the error of any class falls
exponentially.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from homeroom import _arrays, _checks
from homeroom._arrays import Floats
from homeroom.classroom import Example, project
from homeroom.learners import GradientLearner
from homeroom.moments import Observation
from homeroom.teachers.baselines import RandomTeacher
from homeroom.teachers.candidates import rounding
from homeroom.teachers.pool import PoolTeacher
from homeroom.teachers.published.pool_items import AbstractPoolTeacher


class Copies(NamedTuple):
    """What is known of the students, and what is not.

    A copy for each student, and a matrix. That times normal numbers is a random draw of the part of
    a state that is still unknown.
    """

    copies: Floats  # (students, outputs * dimensions)
    unknown: Floats  # (dimensions, dimensions)


@dataclass(frozen=True)
class ImitationTeacher(AbstractPoolTeacher):
    """Teaches a copy of each student, which it corrects by the student's answer to each example.

    Parameters
    ----------
    pool
        Where examples come from; any vector unless given.
    knows_start
        Whether the copies start at the students' own states.
    """

    knows_start: bool = False

    def __post_init__(self) -> None:
        _checks.yes_or_no(self.knows_start, "knows_start")

    def next(
        self, seen: Observation, memory: Copies | None, rng: np.random.Generator
    ) -> tuple[Example | None, Copies]:
        copies = self._start(seen) if memory is None else memory
        example = self._choose_for(copies, seen, rng)
        return example, _learn(copies, seen, example)

    def describe_plan(self, memory: Copies | None) -> dict[str, Any] | None:
        if memory is None:
            return None
        return {"copies": len(memory.copies), "unknown": float(np.linalg.norm(memory.unknown))}

    def _start(self, seen: Observation) -> Copies:
        """Return the copies before the first example: at the states, or unknown altogether."""
        states, eye = _arrays.to_host(seen.states), np.eye(seen.width)
        if self.knows_start:
            return Copies(states, 0.0 * eye)
        length = float(np.sqrt(seen.target @ seen.target / len(seen.target))) or 1.0
        return Copies(0.0 * states, length * eye)

    def _choose_for(self, known: Copies, seen: Observation, rng: np.random.Generator) -> Example:
        """Return the best example for the copies, or any if they have nothing left to learn."""
        copies, best = known.copies, None
        drawn = rng.standard_normal((len(copies), seen.loss.outputs, seen.width)) @ known.unknown.T
        gaps = copies + drawn.reshape(copies.shape) - seen.target
        if np.linalg.norm(gaps) > rounding(gaps) * np.linalg.norm(copies):
            imagined = seen.seen_with(gaps=_arrays.like(gaps, seen.gaps))
            best = PoolTeacher(self.pool, "best").choose(imagined, rng)
        return RandomTeacher(self.pool).choose(seen, rng) if best is None else best


def _learn(known: Copies, seen: Observation, example: Example) -> Copies:
    """Return the copies once they have answered as the students do, and taken their step."""
    x, copies = example.x, known.copies
    along = x / float(x @ x)
    wrong = (_arrays.to_host(seen.states) - copies).reshape(len(copies), seen.loss.outputs, -1) @ x
    step = GradientLearner(seen.loss).step(
        copies + (wrong[:, :, None] * along).reshape(copies.shape),
        _arrays.to_host(seen.rates),
        None,
        example,
        np.random.default_rng(0),
    )
    unknown = known.unknown - np.outer(along, x @ known.unknown)
    return Copies(np.asarray(project(step.states, seen.state_radius)), unknown)
