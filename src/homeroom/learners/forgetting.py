"""Students who forget: what they learned about a feature fades until it is shown again.

The share that is left after ``D`` rounds is a power law, ``rho(D) = (1 + D / S)^-c`` (J. Wixted and
E. Ebbesen, Psychological Science 1991). The strength ``S`` of a memory doubles with every success
after a gap. For a list of facts, with one feature per item, this is an item memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array
from homeroom._checks import positive
from homeroom.classroom import Classroom, Example
from homeroom.learners.item_memory import Forgetting, is_right
from homeroom.learners.learners import (
    AbstractLearner,
    GradientLearner,
    Step,
    arrays_of,
    scores_of,
)
from homeroom.learners.losses import AbstractLoss

STRENGTH, EXPONENT = 4.0, 0.5
"""Rounds after which a new memory has faded to ``2^-c``, and the exponent ``c``."""

GREATEST = 1e6
"""The greatest strength, in rounds: from there on a memory does not fade."""


def retention(rounds: Any, strength: Any, exponent: float = EXPONENT) -> Any:
    """Return the share of a memory that is left after some rounds.

    >>> retention(12.0, 4.0)
    0.5
    """
    return Forgetting(exponent=exponent).kept(rounds, strength)


class Memories(NamedTuple):
    """What students carry from round to round.

    ``start`` is the state at the start. ``ages`` are the rounds since each coordinate was renewed,
    ``strengths`` those after which it fades; all three have the shape of the states. ``inner`` is
    the memory of the inner learner.
    """

    start: Array
    ages: Array
    strengths: Array
    inner: Any


@dataclass(frozen=True)
class ForgettingLearner(AbstractLearner):
    """Students who learn as another learner does, and forget what is not shown.

    A coordinate of the state fades towards its value at the start. An example ``x`` renews the
    coordinate ``k`` by the share ``x_k^2 / |x|^2``, by which its age falls: wholly where each item
    has its own feature. If the student would have answered the example rightly, after a gap, its
    strength grows by the factor ``2^share``.

    Parameters
    ----------
    learner
        How students learn from an example.
    strength
        Rounds after which a new memory has faded to ``2^-exponent``.
    exponent
        How fast memories fade.

    Examples
    --------
    >>> from homeroom import Classroom, GradientLearner, ItemPool, RandomTeacher, teach
    >>> room = Classroom(np.zeros((1, 6)), [0.9], np.ones(6))
    >>> facts = RandomTeacher(ItemPool(np.eye(6)))
    >>> for learner in (GradientLearner(), ForgettingLearner()):
    ...     print(teach(room, teacher=facts, learner=learner).rounds)
    20
    31
    """

    learner: AbstractLearner = field(default_factory=GradientLearner)
    strength: float = STRENGTH
    exponent: float = EXPONENT

    def __post_init__(self) -> None:
        positive(self.strength, "strength", example="4")
        positive(self.exponent, "exponent", example="0.5")

    @property
    def loss(self) -> AbstractLoss:  # type: ignore[override]  # read from the inner learner
        return self.learner.loss

    def begin(self, room: Classroom) -> Memories:
        none = 0.0 * room.states
        return Memories(room.states, none, none + self.strength, self.learner.begin(room))

    def step(
        self, states: Array, rates: Array, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        taken = self.learner.step(states, rates, memory.inner, example, rng)
        xp, x, y = _arrays.namespace(states), *arrays_of(example, states)
        right = is_right(scores_of(states, x), y, self.loss)[:, None]
        renewed = x * x / max(float(example.x @ example.x), np.finfo(np.float64).tiny)
        renewed = xp.concat([renewed] * (states.shape[1] // x.shape[0]))  # (dimensions,)
        knew = xp.astype(right & (memory.ages > 0.0), states.dtype)
        strengths = xp.minimum(
            memory.strengths * 2.0 ** (renewed * knew), 0.0 * memory.strengths + GREATEST
        )
        ages = (1.0 - renewed) * memory.ages
        older = ages + 1.0 - renewed  # one round later, except for the share just renewed
        left = retention(older, strengths, self.exponent) / retention(
            ages, strengths, self.exponent
        )
        # `left` is the share of the last round that is left in this one.
        faded = memory.start + left * (taken.states - memory.start)
        return Step(faded, taken.rates, Memories(memory.start, older, strengths, taken.memory))
