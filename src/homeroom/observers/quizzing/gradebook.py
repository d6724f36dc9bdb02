"""The teacher's gradebook: all she knows of a class from its answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from homeroom import _checks
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.moments import Moments
from homeroom.observers.quizzing import course
from homeroom.observers.quizzing.asking import choose_items
from homeroom.observers.quizzing.bank import RATES, UNIFORM, Bank, Belief
from homeroom.observers.quizzing.class_prior import ClassPrior
from homeroom.observers.quizzing.honesty import honesty_of
from homeroom.observers.quizzing.log import Asked, Event, Shown, known_items
from homeroom.observers.quizzing.revision import revised
from homeroom.observers.quizzing.setup import Assumed, Setup
from homeroom.observers.quizzing.showing import (
    Band,
    ClassError,
    chances,
    class_error,
    ellipse,
    rates_in_words,
    squared_distances,
)

MOST_BYTES = 10**9
"""How large what is believed of a class may be; when it is worked out anew, there are up to five.

Each student's uncertainty is a matrix of her own, as each gave other answers. Nothing else in a
lesson has a matrix for each student; so a larger class is refused rather than half remembered.
"""


@dataclass(frozen=True, eq=False)
class Gradebook:
    """All that is known of a class from its answers.

    Frozen: every answer and every example gives a new one.

    Parameters
    ----------
    setup
        What was fixed before the lesson.
    assumed
        The answer model and the scale of the states by now.
    prior
        How the class's states were spread before the lesson.
    bank
        What is believed of each student at each rate.
    log
        What happened: everything else follows from it and the setup.
    questions
        The items to ask next, if they were chosen already.
    """

    setup: Setup
    assumed: Assumed
    prior: ClassPrior
    bank: Bank
    log: tuple[Event, ...] = ()
    questions: Ints | None = None

    @classmethod
    def new(cls, setup: Setup, students: int) -> Gradebook:
        """Return the book of a class that has not answered yet."""
        _check_size(students, len(setup.target))
        bank, prior = course.told((), setup, setup.at_first, UNIFORM, students=students)
        return cls(setup, setup.at_first, prior, bank)

    @property
    def students(self) -> int:
        """How many students there are."""
        return len(self.bank.means)

    @cached_property
    def rounds(self) -> int:
        """How many examples were shown."""
        return sum(isinstance(event, Shown) for event in self.log)

    @cached_property
    def heard_since_first(self) -> bool:
        """Whether anybody has answered after the first example."""
        events = iter(self.log)
        before = any(isinstance(event, Shown) for event in events)
        return before and any(isinstance(event, Asked) and event.answers.any() for event in events)

    @cached_property
    def answers(self) -> Floats:
        """Everybody's answers to everything, as yes (+1) and no (-1), ``(students, answers)``."""
        said = [
            event.answers * self.setup.signs[event.items]
            for event in self.log
            if isinstance(event, Asked)
        ]
        return np.concatenate([np.zeros((self.students, 0)), *said], axis=1)

    @cached_property
    def asked(self) -> Ints:
        """How often each item was asked, shape ``(items,)``."""
        numbers = [event.items for event in self.log if isinstance(event, Asked)]
        together = np.concatenate([np.zeros(0, dtype=np.int64), *numbers])
        return np.bincount(together, minlength=len(self.setup.xs))

    @cached_property
    def honesty(self) -> Floats:
        """How likely it is that each student means what she says, shape ``(students,)``."""
        if not self.setup.guard:
            return np.ones(self.students)
        return honesty_of(self.bank.total_evidence, self.answers)

    @property
    def belief(self) -> Belief:
        """What is believed of each student's state."""
        return self.bank.belief

    @property
    def rates(self) -> Floats:
        """How fast each student seems to learn, shape ``(students,)``."""
        return self.bank.weights @ self.bank.rates

    @cached_property
    def error(self) -> ClassError:
        """The class's expected mean squared distance to the target, and how much is only unsure."""
        return class_error(self.belief, self.honesty, self.setup.target)

    @property
    def farthest(self) -> float:
        """The distance of the farthest student to the target, as a root mean square.

        Somebody who clicks without reading is not waited for.
        """
        apart = squared_distances(self.belief, self.setup.target)
        return float(np.sqrt(apart.total[self.trusted].max()))

    @property
    def trusted(self) -> npt.NDArray[np.bool_]:
        """Who is more likely to answer than to click; the most honest if nobody is."""
        trusted: npt.NDArray[np.bool_] = self.honesty >= min(0.5, float(self.honesty.max()))
        return trusted

    def chances(self, items: npt.ArrayLike, *, level: float = 0.9) -> Band:
        """Return how likely each student is to say yes (to be right) on some of the items.

        ``middle`` with the band from ``low`` to ``high`` that should hold it with this probability,
        shapes ``(students, items)``.
        """
        asked = self.setup.xs[known_items(np.asarray(items), len(self.setup.xs))]
        return chances(self.belief, asked, self.assumed.model, level=_share(level))

    def outline(
        self, student: int, axes: tuple[int, int] = (0, 1), *, level: float = 0.9
    ) -> Floats:
        """Return the edge of where a student is, in two of the coordinates, ``(points, 2)``."""
        who = _checks.whole(student, "student", at_least=0, at_most=self.students - 1)
        last = len(self.setup.target) - 1
        plane = [_checks.whole(axis, "axes", at_least=0, at_most=last) for axis in axes]
        return ellipse(self.belief, who, np.array(plane), level=_share(level))

    @property
    def rates_in_words(self) -> list[str]:
        """How fast each student learns, in words: "not known yet" until it is."""
        return rates_in_words(self.bank)

    def hear(self, event: Asked) -> Gradebook:
        """Return the book after answers."""
        log = (*self.log, event)
        if self.rounds:
            bank = course.heard(self.bank, event, self.setup, self.assumed.model)
            return replace(self, bank=bank, log=log, questions=None)
        # Before the first example all answers are looked at together, those from before again.
        bank, prior = course.told(
            log, self.setup, self.assumed, self.bank.usual, students=self.students
        )
        return replace(self, prior=prior, bank=bank, log=log, questions=None)

    def show(self, event: Shown) -> Gradebook:
        """Return the book after an example was shown to everybody."""
        bank = course.shown(self.bank, event, self.setup)
        book = replace(self, bank=bank, log=(*self.log, event))
        every = self.setup.revise_every
        due = every > 0 and book.rounds % every == 0 and book.heard_since_first
        return book.revised() if due else book

    def revised(self) -> Gradebook:
        """Return the book with everything that was assumed estimated anew."""
        usual = self.bank.with_usual_rates(self.honesty).usual
        assumed = revised(self.log, self.setup, self.assumed, usual)
        bank, prior = course.told(self.log, self.setup, assumed, usual, students=self.students)
        return replace(self, assumed=assumed, prior=prior, bank=bank)

    def replay(self, log: Sequence[Event]) -> Gradebook:
        """Return the book after all that a log has in it."""
        book = self
        for event in log:
            book = book.hear(event) if isinstance(event, Asked) else book.show(event)
        return book

    def ask(self, count: int, rng: np.random.Generator) -> Gradebook:
        """Return the book with the items chosen that should be asked next."""
        items = choose_items(
            self.belief,
            self.honesty,
            self.setup.xs,
            self.assumed.model,
            count=count,
            asked=self.asked,
            rng=rng,
            random_every=self.setup.random_every,
        )
        return replace(self, questions=items)

    def moments(self) -> Moments:
        """Return what any example would do to the class, as far as can be told.

        ``mean_j h_j sum_rates p (2 g eta - g^2 eta^2) (ee' + V)``: what is not known counts like
        a gap, so that nothing is taken for learnt that is only not known.
        """
        rates, weights = self.bank.rates, self.honesty[:, None] * self.bank.weights / self.students
        linear = self.bank.second_moment(self.setup.target, weights * rates)
        quadratic = self.bank.second_moment(self.setup.target, weights * rates**2)
        return Moments(linear, quadratic, self.gentle)

    @property
    def gentle(self) -> float:
        """The squared magnitude that suits the most sensitive student, ``E[eta] / E[eta^2]``."""
        weights, rates = self.bank.weights, self.bank.rates
        return float(((weights @ rates) / (weights @ rates**2))[self.trusted].min())


def _share(level: float) -> float:
    """Return how likely something is to lie in its band, above 0 and below 1."""
    if _checks.positive(level, "level", example="0.9") >= 1.0:
        raise InputError(f"`level` must be below 1, as 0.9 is, but is {level:g}.")
    return level


def _check_size(students: int, dimensions: int) -> None:
    """Refuse a class whose bank would not fit: a matrix for each student and rate."""
    numbers = len(RATES) * students * dimensions * (dimensions + 1)
    if 8 * numbers > MOST_BYTES:
        raise InputError(
            f"A quiz keeps {len(RATES)} matrices of {dimensions} x {dimensions} for each student: "
            f"for {students} students {8e-9 * numbers:.2g} GB, and {1e-9 * MOST_BYTES:.2g} GB are "
            "allowed. Quiz a sample of the class, such as "
            f"room.subset(range(0, {students}, {-(-8 * numbers // MOST_BYTES)}))."
        )
