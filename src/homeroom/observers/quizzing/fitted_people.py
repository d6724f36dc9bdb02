"""A learner fitted to people: each number with its standard error, and where it comes from.

``python -m benchmarks people --fit`` computes the numbers again. The page "What is known about
people" of the documentation compares the predictions of this learner with those of other models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


class Estimate(NamedTuple):
    """A number, and its standard error over people."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.3g} +- {self.error:.2g}"


@dataclass(frozen=True)
class FittedLearner:
    """The learner that predicts the answers of some people best.

    Parameters
    ----------
    data
        Whose answers they are.
    people, answers
        How many there are.
    step, spread
        Mean and standard deviation of the learning rate over people.
    margin
        The score that a label teaches, in units of ``sigma``.
    lapse
        The share of random answers.
    item_memory
        The weight ``kappa`` of memory of single items, relative to the rule.
    stability
        The time after which a memory begins to fade, in trials.
    """

    data: str
    people: int
    answers: int
    step: Estimate
    spread: Estimate
    margin: Estimate
    lapse: Estimate
    item_memory: Estimate
    stability: Estimate

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a :class:`~homeroom.QuizObserver` for such people."""
        return {
            "lapse": self.lapse.value,
            "usual_rates": (self.step.value, self.spread.value),
            "guard": "buttons",
        }

    def __str__(self) -> str:
        names = ("step", "spread", "margin", "lapse", "item_memory", "stability")
        lines = [f"{name.replace('_', ' ')}: {getattr(self, name)}" for name in names]
        head = f"{self.data}: {self.people} people, {self.answers} answers"
        return "\n".join([head, *lines])


SHEPARD = FittedLearner(
    data="Shepard's classification tasks (Badham, Sanborn and Maylor 2017)",
    people=95,
    answers=33_440,
    step=Estimate(0.193, 0.021),
    spread=Estimate(0.257, 0.018),
    margin=Estimate(2.17, 0.06),
    lapse=Estimate(0.012, 0.003),
    item_memory=Estimate(1.4, 0.2),
    stability=Estimate(35.0, 11.0),
)
"""The learner that a live class begins with.

It has this margin, these lapses, and a prior of learning rates with this mean and standard
deviation; lapses and rates are estimated again from the class. Two numbers are not used.
``item_memory`` is for eight objects that were each shown up to twelve times; the live class starts
with 0.2 and estimates it again. The stability is in trials of one session and not in days, so
forgetting is taken from the literature.

:class:`~homeroom.learners.PeopleLearner` has other numbers from the same study, as it is another
model: it has no memory of objects, one rate for all people, and drift.
"""
