"""What a quiz has shown about a class: beliefs, assumptions and the log of the lesson."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from homeroom import _checks
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.goals import Knows
from homeroom.moments import Moments
from homeroom.observers.quizzing import replay
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.asking import choose_items
from homeroom.observers.quizzing.beliefs import RATES, Belief, BeliefBank
from homeroom.observers.quizzing.choice_bank import ChoiceBank
from homeroom.observers.quizzing.choice_mastery import Outlook, outlook
from homeroom.observers.quizzing.choice_step import contrasts
from homeroom.observers.quizzing.class_offset import ClassOffset
from homeroom.observers.quizzing.estimates import (
    Band,
    ClassError,
    chances,
    class_error,
    ellipse,
    rates_in_words,
    squared_distances,
)
from homeroom.observers.quizzing.fitted_people import SHEPARD
from homeroom.observers.quizzing.guessing import (
    ANSWERS,
    CLICKERS,
    ODDS,
    flagged,
    hasty,
    honesty_of,
    pressing_odds,
    reading_odds,
)
from homeroom.observers.quizzing.log import Asked, Event, Shown, known_items, of_students
from homeroom.observers.quizzing.mastery import chances_right, helps, knows, strict
from homeroom.observers.quizzing.pretest import ClassPrior
from homeroom.observers.quizzing.replay import Assumed, Setup
from homeroom.observers.quizzing.revision import revised

MOST_BYTES = 10**9
"""The largest size of the beliefs about a class; a revision needs up to five times as much.

Students give different answers, so each has a separate covariance matrix. Nothing else in a lesson
stores a matrix per student; so a larger class is refused.
"""


@dataclass(frozen=True, eq=False, repr=False)
class QuizState:
    """What a quiz has shown about a class: beliefs, assumptions and the log of the lesson.

    Frozen: each answer and each example returns a new one.

    Parameters
    ----------
    setup
        The settings, which do not change.
    assumed
        The present answer model and length of the states.
    prior
        The distribution of the class's states before the lesson.
    bank
        The beliefs about each student: one Gaussian per learning rate, with its probability.
    log
        Answers and examples: everything else follows from them and the setup.
    questions
        The items to ask next, if they have been chosen.
    honest
        Beliefs without a preference for yes, with which guessing is recognised
        (``guard="buttons"``).
    offset
        How far what the class knows differs from what the beliefs foresee.
    """

    setup: Setup
    assumed: Assumed
    prior: ClassPrior
    bank: BeliefBank
    log: tuple[Event, ...] = ()
    questions: Ints | None = None
    honest: BeliefBank | None = None
    offset: ClassOffset = ClassOffset()

    @classmethod
    def new(cls, setup: Setup, students: int) -> QuizState:
        """Return the state of a class that has not answered yet."""
        _check_size(students, len(setup.target))
        start = replay.beliefs_after((), setup, setup.at_first, setup.usual, students=students)
        offset = ClassOffset(facts=math.isinf(setup.at_first.kappa))
        return cls(
            setup, setup.at_first, start.prior, start.bank, honest=start.honest, offset=offset
        )

    def __repr__(self) -> str:
        asked = f"{self.answers.shape[1]} questions, {self.rounds} examples"
        return f"QuizState({self.students} students, {len(self.setup.xs)} items, {asked})"

    @property
    def students(self) -> int:
        """The number of students."""
        return len(self.bank.means)

    @cached_property
    def rounds(self) -> int:
        """The number of examples shown."""
        return sum(isinstance(event, Shown) for event in self.log)

    @cached_property
    def heard_since_first(self) -> bool:
        """Whether a student has answered after the first example."""
        events = iter(self.log)
        before = any(isinstance(event, Shown) for event in events)
        return before and any(isinstance(event, Asked) and event.answers.any() for event in events)

    @cached_property
    def answers(self) -> Floats:
        """All answers of all students, ``(students, answers)``.

        They are yes (+1) and no (-1), or numbers 1, 2, 3, ... of more than two answers; 0 is none.
        """
        said = [
            event.answers * self.setup.signs[event.items]
            for event in self.log
            if isinstance(event, Asked)
        ]
        return np.concatenate([np.zeros((self.students, 0)), *said], axis=1)

    @cached_property
    def options(self) -> Ints | None:
        """The number of answers to each item of ``answers``; ``None`` if they are yes and no."""
        if not self.setup.chooses:
            return None
        items = [event.items for event in self.log if isinstance(event, Asked)]
        numbers: Ints = np.concatenate([np.zeros(0, dtype=np.int64), *items])
        options: Ints = self.setup.options[numbers]
        return options

    @cached_property
    def asked(self) -> Ints:
        """How often each item was asked, shape ``(items,)``."""
        numbers = [event.items for event in self.log if isinstance(event, Asked)]
        together = np.concatenate([np.zeros(0, dtype=np.int64), *numbers])
        return np.bincount(together, minlength=len(self.setup.xs))

    @cached_property
    def honesty(self) -> Floats:
        """The probability that each student reads the questions, shape ``(students,)``."""
        if not self.setup.guard:
            return np.ones(self.students)
        if self.setup.guard == "buttons":
            honest: Floats = expit(np.log(1.0 / CLICKERS - 1.0) - self.pressing_odds)
            honest = np.where(self.hasty > 0, np.minimum(honest, expit(self._reading_odds)), honest)
            return np.where((self.answers != 0).sum(axis=1) >= ANSWERS, honest, 1.0)
        return honesty_of(self.bank.total_evidence, self.answers, self.options)

    @cached_property
    def pressing_odds(self) -> Floats:
        """The log-odds that each student presses one button instead of reading."""
        return pressing_odds(self._honest_evidence, self.answers, self.options)

    @cached_property
    def _reading_odds(self) -> Floats:
        """The log-odds that each student reads the questions instead of answering at random."""
        return reading_odds(self._honest_evidence, self.answers, self.options)

    @property
    def _honest_evidence(self) -> Floats:
        """The log-probability of each student's answers if they read the questions."""
        return (self.bank if self.honest is None else self.honest).total_evidence

    @property
    def flagged(self) -> npt.NDArray[np.bool_]:
        """Which students' answers look unrelated to the questions.

        They press one button; or they answer faster than they can read, where times are known, and
        their answers do not show that they read.
        """
        reads = self._reading_odds >= np.log(ODDS)
        unread: npt.NDArray[np.bool_] = (self.hasty > 0) & ~reads
        return flagged(self.pressing_odds, self.answers) | unread

    @cached_property
    def hasty(self) -> Ints:
        """How many of each student's answers came faster than they can be read, ``(students,)``.

        0 for students of whom at most half of the answers came so fast.
        """
        timed = [
            np.full(event.answers.shape, np.nan) if event.seconds is None else event.seconds
            for event in self.log
            if isinstance(event, Asked)
        ]
        seconds = np.concatenate([np.zeros((self.students, 0)), *timed], axis=1)
        return hasty(seconds)

    @property
    def time(self) -> float:
        """The time of the last event, in seconds."""
        return replay.time_of(self.log[-1], self.rounds) if self.log else 0.0

    def right(self, items: Ints) -> Floats:
        """Return each student's chance of a right answer to some items, ``(students, items)``."""
        if isinstance(self.bank, ChoiceBank):
            return self._outlook(self.bank, items).right
        return chances_right(self.bank, self.setup, items, self._strict, self.time)

    def helps(self, items: Ints) -> Floats:
        """Return how much showing each of some items would help the class, shape ``(items,)``."""
        if isinstance(self.bank, ChoiceBank):
            return self._outlook(self.bank, items).helps
        return helps(self.bank, self.setup, self.honesty, items, margin=self.margin, at=self.time)

    @property
    def margin(self) -> float:
        """The score beyond which a student is certain enough: an example no longer helps them."""
        if self.setup.margin is not None:
            return self.setup.margin
        sigma = self.assumed.model.sigma
        return 1.0 if np.isinf(self.assumed.kappa) else SHEPARD.margin.value * sigma

    def _outlook(self, bank: ChoiceBank, items: Ints) -> Outlook:
        """Return chances and help of some items; kept, as ``right`` and ``helps`` use both."""
        key = np.asarray(items, dtype=np.int64).tobytes()
        if key not in self._outlooks:
            self._outlooks.clear()
            self._outlooks[key] = outlook(
                bank,
                self.setup,
                self.honesty,
                items,
                self._strict,
                margin=self.margin,
                at=self.time,
            )
        return self._outlooks[key]

    @cached_property
    def _outlooks(self) -> dict[bytes, Outlook]:
        return {}

    @cached_property
    def knows(self) -> Knows:
        """What each student and the class know: the expected share of right answers.

        People may learn otherwise than the beliefs assume, all students of a class in the same way.
        So their draws have the offset of the class, with its uncertainty.
        """
        known = self.knows_by_law
        if not self.setup.people:
            return known
        return Knows(self.offset.apply(known.draws, known.counted, self.rounds), known.counted)

    @cached_property
    def knows_by_law(self) -> Knows:
        """What each student and the class know if they learn exactly as the beliefs assume."""
        counted = np.where(self.flagged, 0.0, 1.0) if self.setup.guard else np.ones(self.students)
        if not counted.any():
            counted = np.ones(self.students)
        return knows(self.bank, self.setup, self._strict, counted, self.time)

    @property
    def _strict(self) -> AnswerModel:
        """The answer model in which lapses, except for a few, count as not knowing."""
        return strict(self.assumed, self.setup.at_first, self.setup.lapse)

    @property
    def belief(self) -> Belief:
        """The belief about each student's state."""
        return self.bank.belief

    @property
    def gaps(self) -> Floats:
        """The expected gap of each student to the target, shape ``(students, dimensions)``.

        With K answers, a gap has the K vectors one after the other. Answers show only the
        differences between their scores, so the K vectors of a gap sum to zero.
        """
        apart = self.belief.means - self.setup.target
        if not self.setup.chooses:
            return apart
        basis = contrasts(self.setup.most_options)
        vectors: Floats = basis @ apart.reshape(len(apart), basis.shape[1], -1)
        return vectors.reshape(len(apart), -1)

    @property
    def rates(self) -> Floats:
        """The expected learning rate of each student, shape ``(students,)``."""
        return self.bank.weights @ self.bank.rates

    @cached_property
    def error(self) -> ClassError:
        """The class's expected mean squared distance to the target, and the uncertain part."""
        return class_error(self.belief, self.honesty, self.setup.target)

    @property
    def farthest(self) -> float:
        """The distance of the farthest student to the target, as a root mean square.

        Students who answer without reading are left out.
        """
        apart = squared_distances(self.belief, self.setup.target)
        return float(np.sqrt(apart.total[self.trusted].max()))

    @property
    def trusted(self) -> npt.NDArray[np.bool_]:
        """Which students probably read the questions; the most likely one if none does."""
        trusted: npt.NDArray[np.bool_] = self.honesty >= min(0.5, float(self.honesty.max()))
        return trusted

    def chances(self, items: npt.ArrayLike, *, level: float = 0.9) -> Band:
        """Return each student's probability of a yes (a right answer) to some of the items.

        ``middle``, with the credible interval from ``low`` to ``high``, shapes
        ``(students, items)``.
        """
        if self.setup.chooses:
            raise InputError(
                "With more than two answers, no answer is a yes: use `right(items)` for the chance "
                "of a right answer, or `answer_chances(items)` for that of each answer."
            )
        numbers = known_items(np.asarray(items), len(self.setup.xs))
        return chances(
            self.belief,
            self.setup.xs[numbers],
            self.assumed.model,
            level=_share(level),
            extra=self.known_scores(numbers),
        )

    def known_scores(self, items: Ints) -> Floats:
        """Return item difficulty and practice in the scores of items, ``(students, items)``."""
        found = replay.known_scores(self.bank.practice, self.setup, items)
        return np.broadcast_to(found, (self.students, len(items)))

    def answer_chances(self, items: npt.ArrayLike) -> list[Floats]:
        """Return each student's chance of each answer, one array ``(students, answers)`` per item.

        For more than two answers.
        """
        if not isinstance(self.bank, ChoiceBank):
            raise InputError("With two answers, use `chances(items)`: the probability of a yes.")
        numbers = known_items(np.asarray(items), len(self.setup.xs))
        return [
            self.bank.answer_chances(
                self.setup.xs[item],
                self.assumed.model,
                item,
                self.time,
                label=int(self.setup.keys[item]),
                extra=known,
            )
            for item, known in zip(numbers.tolist(), self.known_scores(numbers).T, strict=True)
        ]

    def outline(
        self, student: int, axes: tuple[int, int] = (0, 1), *, level: float = 0.9
    ) -> Floats:
        """Return the boundary of a student's credible region in two axes, ``(points, 2)``."""
        who = _checks.whole(student, "student", at_least=0, at_most=self.students - 1)
        last = len(self.setup.target) - 1
        plane = [_checks.whole(axis, "axes", at_least=0, at_most=last) for axis in axes]
        return ellipse(self.belief, who, np.array(plane), level=_share(level))

    @property
    def rates_in_words(self) -> list[str]:
        """Each student's learning rate in words; "not known yet" until it is."""
        return rates_in_words(self.bank)

    def of_students(self, rows: Ints) -> QuizState:
        """Return the state of some of the students, as if they were a class of their own.

        What was estimated from the whole class stays until the next revision.
        """
        honest = None if self.honest is None else self.honest.of_students(rows)
        log = tuple(of_students(self.log, rows))
        return replace(self, bank=self.bank.of_students(rows), honest=honest, log=log)

    def with_newcomers(self, count: int) -> QuizState:
        """Return the state with rows for students who have joined since.

        New students get the class's prior. They have answered nothing and were shown nothing: in
        the log, their rows are zero. Cost: O(log); past rounds are not computed again.
        """
        new = self.prior.belief(count)
        bank, honest = self.bank.with_newcomers(new), self.honest
        if honest is not None:
            honest = honest.with_newcomers(replay.without_preference(new, self.setup, self.prior))
        log = tuple(event.with_newcomers(self.students, count) for event in self.log)
        return replace(self, bank=bank, honest=honest, log=log)

    def hear(self, event: Asked) -> QuizState:
        """Return the state after answers."""
        if self.rounds:
            return self._after(event)
        # Before the first example, all answers are processed together, earlier ones again.
        state = replace(self, log=(*self.log, event), questions=None)._replayed()
        if not self.setup.people:
            return state
        return replace(state, offset=replace(self.offset, wrong=state._share_wrong))

    @property
    def _share_wrong(self) -> float:
        """The share of wrong answers among all so far; 1 if there are none."""
        right, given = np.sum([_count(event, self.setup) for event in self.log], axis=0)
        return float(1.0 - right / given) if given else 1.0

    def _offset_after(self, event: Event) -> ClassOffset:
        """Return the offset of the class after answers or an example."""
        if not self.setup.people:
            return self.offset
        if isinstance(event, Shown):
            return self.offset.after_example()
        given = event.answers != 0
        if not given.any():
            return self.offset
        foreseen = self._foreseen(event.items)[given].mean()
        right, answers = _count(event, self.setup)
        asked = int(given.any(axis=0).sum())
        return self.offset.after_answers(
            float(foreseen), right / answers, answers=answers, items=asked
        )

    def _foreseen(self, items: Ints) -> Floats:
        """Return each student's chance of a right answer to a few items, ``(students, items)``."""
        if not isinstance(self.bank, ChoiceBank):
            return self.right(items)
        known = self.known_scores(items).T
        chances = [
            self.bank.chances_right(
                self.setup.xs[item],
                self._strict,
                item,
                self.time,
                label=int(self.setup.keys[item]),
                extra=extra,
            )
            for item, extra in zip(items.tolist(), known, strict=True)
        ]
        return np.stack(chances, axis=1)

    def show(self, event: Shown) -> QuizState:
        """Return the state after an example was shown, with assumptions estimated if that is due.

        :meth:`shown` is quicker: it leaves the estimate to the caller.
        """
        state = self if self.rounds else self.estimated()
        return state.shown(event).estimated()

    def shown(self, event: Shown) -> QuizState:
        """Return the state after an example was shown, with the present assumptions."""
        return self._after(event)

    @property
    def due(self) -> bool:
        """Whether the assumptions should be estimated again.

        Before the first example, it is due if students have answered and may remember items. Later,
        it is due after every ``revise_every`` examples, if a student has answered since the first.
        """
        every = self.setup.revise_every
        if self.rounds:
            return every > 0 and self.rounds % every == 0 and self.heard_since_first
        return every > 0 and self.setup.at_first.kappa > 0 and bool(self.answers.any())

    def estimated(self) -> QuizState:
        """Return the state with all assumptions estimated again, if that is due."""
        return self.revised() if self.due else self

    def _after(self, event: Event) -> QuizState:
        """Return the state after an answer or an example, with the present assumptions."""
        beliefs = replay.after_event(
            replay.Beliefs(self.bank, self.prior, self.honest),
            event,
            self.setup,
            self.assumed,
            self.rounds,
        )
        return replace(
            self,
            bank=beliefs.bank,
            honest=beliefs.honest,
            log=(*self.log, event),
            questions=None if isinstance(event, Asked) else self.questions,
            offset=self._offset_after(event),
        )

    def revised(self) -> QuizState:
        """Return the state with all assumptions estimated again."""
        usual = self.bank.with_usual_rates(self.honesty, self.setup.usual).usual
        assumed = revised(self.log, self.setup, self.assumed, usual)
        state = replace(self, assumed=assumed, bank=replace(self.bank, usual=usual))
        # The usual rates only weight the beliefs: with the same assumptions, these stay.
        return state if assumed == self.assumed else state._replayed()

    def _replayed(self) -> QuizState:
        """Return the state with the beliefs computed from the log again."""
        found = replay.beliefs_after(
            self.log, self.setup, self.assumed, self.bank.usual, students=self.students
        )
        return replace(self, prior=found.prior, bank=found.bank, honest=found.honest)

    def replay(self, log: Sequence[Event]) -> QuizState:
        """Return the state after all entries of a log."""
        state = self
        for event in log:
            state = state.hear(event) if isinstance(event, Asked) else state.show(event)
        return state

    def ask(self, count: int, rng: np.random.Generator) -> QuizState:
        """Return the state with ``count`` items to ask next in ``questions``."""
        items = choose_items(
            self.belief,
            self.honesty,
            self.setup.xs,
            self.assumed.model,
            count=count,
            asked=self.asked,
            rng=rng,
            random_every=self.setup.random_every,
            options=self.setup.most_options,
            extra=self.known_scores(np.arange(len(self.setup.xs))) if self.setup.adds else None,
            keys=self.setup.keys if self.setup.chooses else None,
        )
        return replace(self, questions=items)

    def moments(self) -> Moments:
        """Return the expected effect of any example on the class.

        ``mean_j h_j sum_rates p (2 g eta - g^2 eta^2) (ee' + V)``, where ``h_j`` is the honesty of
        student ``j``, ``p`` the probability of the rate ``eta``, ``g`` the squared length of the
        example, ``e`` the expected gap and ``V`` its covariance. Uncertainty counts as a gap, so
        that nothing uncertain counts as known.
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


def _count(event: Event, setup: Setup) -> tuple[int, int]:
    """Return the number of right answers of an event, and of all its answers."""
    if isinstance(event, Shown):
        return 0, 0
    right = event.answers == setup.labels[event.items]
    return int(right.sum()), int((event.answers != 0).sum())


def _share(level: float) -> float:
    """Return ``level``, the probability of a credible interval; raise if it is not in (0, 1)."""
    if _checks.positive(level, "level", example="0.9") >= 1.0:
        raise InputError(f"`level` must be below 1, as 0.9 is, but is {level:g}.")
    return level


def _check_size(students: int, dimensions: int) -> None:
    """Refuse a class whose beliefs do not fit into memory: a matrix per student and rate."""
    numbers = len(RATES) * students * dimensions * (dimensions + 1)
    if 8 * numbers > MOST_BYTES:
        raise InputError(
            f"A quiz keeps {len(RATES)} matrices of {dimensions} x {dimensions} for each student: "
            f"for {students} students {8e-9 * numbers:.2g} GB, and {1e-9 * MOST_BYTES:.2g} GB are "
            "allowed. Quiz a sample of the class, such as "
            f"room.subset(range(0, {students}, {-(-8 * numbers // MOST_BYTES)}))."
        )
