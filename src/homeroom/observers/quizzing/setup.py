"""What is fixed before a lesson, and what is only assumed."""

from __future__ import annotations

from dataclasses import dataclass

from homeroom._arrays import Floats
from homeroom.observers.quizzing.answer_step import AnswerModel


@dataclass(frozen=True)
class Assumed:
    """What can be estimated anew from the class's answers.

    Parameters
    ----------
    model
        How states become answers.
    radius
        How long states are at most, as a root mean square over the class.
    """

    model: AnswerModel
    radius: float


@dataclass(frozen=True, eq=False)
class Setup:
    """What is fixed before a lesson.

    Parameters
    ----------
    xs
        The items as the answer model has them, shape ``(items, dimensions)``.
    signs
        What a yes is for each item: +1, or -1 where right answers are counted and right is no.
    target
        What is to be learnt, shape ``(dimensions,)``.
    at_first
        What is assumed until the class has said more.
    attention, drift
        As for the step of teaching.
    guard
        Whether clickers are looked for.
    revise_every
        After how many rounds what was assumed is estimated anew; 0 for never.
    random_every
        Every how manyth item is drawn at random; 0 for none.
    """

    xs: Floats
    signs: Floats
    target: Floats
    at_first: Assumed
    attention: float = 1.0
    drift: float = 0.0
    guard: bool = True
    revise_every: int = 5
    random_every: int = 3
