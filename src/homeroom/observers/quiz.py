"""An observer that estimates states from quiz answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom import _arrays, _checks
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.classroom import Classroom
from homeroom.goals import Knows
from homeroom.learners import Logistic
from homeroom.learners.losses import labels_for
from homeroom.moments import ItemOutlook, Observation
from homeroom.observers.base import AbstractExaminer, Outcome
from homeroom.observers.quizzing import log as logs
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.beliefs import UNIFORM, log_prior_of_rates
from homeroom.observers.quizzing.choice_bank import button_feature, choice_target
from homeroom.observers.quizzing.choice_step import contrasts, drawn_choices
from homeroom.observers.quizzing.log import Asked, Shown
from homeroom.observers.quizzing.quiz_state import QuizState
from homeroom.observers.quizzing.replay import Assumed, Setup
from homeroom.pools import ItemPool

ITEMS = 200
"""The number of random directions to ask about, if no items are given."""


MOST_OPTIONS = 50
"""The largest number of answers to an item."""

MOST_SKILLS = 1000
"""The largest number of skills; each student has two counts for each."""


@dataclass(frozen=True)
class QuizObserver(AbstractExaminer):
    """Asks a few items in each round, and estimates states and rates from the answers.

    A student with state ``w`` says yes to item ``x`` with probability ``lapse/2 + (1 - lapse)
    Phi(<w, x> / sigma)``. The belief about each student has one Gaussian for each of nine
    learning rates. Uncertainty counts as a gap, so the teacher also teaches what is uncertain.

    A class with K outputs chooses among K answers: a student with states ``w_1, ..., w_K`` gives
    answer c with probability ``lapse/K + (1 - lapse) softmax_c(1.702 <w_c, x> / sigma)``.

    In a simulation the answers are drawn from the students' true states. In a live class
    (``live=True``) they come from outside, by ``lesson.tell(answers=...)``; then the lesson is over
    when the goal is reached according to the estimate, with uncertainty counted as a gap.

    Parameters
    ----------
    items
        The items that can be asked, shape ``(items, dimensions)``, or an :class:`ItemPool`; 200
        random unit directions by default.
    answers
        The number of items per round.
    sigma
        The noise of answers near the boundary between yes and no. If unsure, choose it too large.
    lapse
        The probability of a random answer.
    guess, slip
        The further probabilities of a yes (a right answer) without knowledge, and of a no (a wrong
        answer) despite it.
    pretest
        The number of items before the first example; by default twice the dimensions, at least 10.
    marked
        Whether answers are right (+1) or wrong (-1), instead of yes or no.
    attention
        The probability that a student attends to an example.
    drift
        The standard deviation by which each coordinate of a state drifts per round.
    radius
        The largest length of states, as a root mean square over the class. By default the class's
        ``state_radius``, or 1.5 times the length of the target if that is infinite.
    revise_every
        The number of rounds after which sigma, lapses, rates and the length of the states are
        estimated again from the class's answers; 0 for never.
    random_every
        Every n-th item is drawn at random, the others are the most informative ones: 1 for all, 0
        for none. A safeguard, in case the beliefs that choose items are wrong.
    guard
        Whether to look for students who answer without reading; they have less weight. With
        ``"buttons"``, only students who press one button most of the time are suspected, not
        beginners who guess.
    item_memory
        How much students remember single items, relative to the rule that the items share: 0 for a
        rule alone (the paper's model), 0.2 to start with for people, ``math.inf`` for a list of
        facts without a rule. It is estimated again like ``sigma``, unless it is 0 or infinite.
    margin
        For people: the score beyond which a student is certain enough, so that teaching the item
        again does not help them; 2.17 ``sigma`` by default, as fitted to people, 1 for facts.
    keys
        For more than two answers: the number of the right answer to each item, counted from 1. In a
        class with several outputs, it is by default the answer with the target's largest score. If
        there is neither such a class nor ``items``, the features of an item are its right answer
        and a constant: students confuse answers, whatever the item.
    options
        With ``keys``: the number of answers, or one per item for facts
        (``item_memory=math.inf``); by default the largest key, at least 3.
    live
        Whether the answers come from outside.
    log
        What happened before, as :meth:`log_of` returns it: a pre-test, or a lesson to resume.
    easy
        How much easier each item is than its features say, in the units of ``sigma``; positive
        numbers make a right answer more likely. By default all are 0.
    skills, practice
        The number of each item's skill, counted from 0; and two weights. The score of the right
        answer grows by the first one times ``log(1 + n)`` after ``n`` right answers to items of the
        skill, and in the same way by the second one after wrong answers.
    usual_rates
        Mean and standard deviation of the learning rates of such students, if they are known. By
        default all nine rates, from 0 to 0.9, are equally likely at first.

    Examples
    --------
    >>> from homeroom import teach
    >>> room = Classroom.sample(60, 5, rates=(0.1, 0.6), spread=0.5, example_radius=1.0)
    >>> [teach(room, observer=observer).rounds for observer in ("exact", "quiz", "quiz:answers=0")]
    [25, 25, 26]
    """

    items: ItemPool | npt.ArrayLike | None = None
    answers: int = 2
    sigma: float = 0.25
    lapse: float = 0.0
    guess: float = 0.0
    slip: float = 0.0
    pretest: int | None = None
    marked: bool = False
    attention: float = 1.0
    drift: float = 0.0
    radius: float | None = None
    revise_every: int = 5
    random_every: int = 3
    guard: bool | str = True
    item_memory: float = 0.0
    margin: float | None = None
    keys: Sequence[int] | Ints | None = None
    options: int | Sequence[int] | Ints | None = None
    live: bool = False
    log: Sequence[Mapping[str, Any]] = ()
    easy: Sequence[float] | Floats | None = None
    skills: Sequence[int] | Ints | None = None
    practice: tuple[float, float] = (0.0, 0.0)
    usual_rates: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.items is not None and not isinstance(self.items, ItemPool):
            object.__setattr__(self, "items", ItemPool(self.items))
        _checks.whole(self.answers, "answers", at_least=0)
        _checks.positive(self.sigma, "sigma", example="0.25")
        for name in ("lapse", "guess", "slip"):
            _checks.not_negative(getattr(self, name), name, example="0.1")
        if self.lapse + self.guess + self.slip >= 1.0:
            raise InputError(
                "`lapse`, `guess` and `slip` must add up to less than 1, but are "
                f"{self.lapse:g}, {self.guess:g} and {self.slip:g}: such answers say nothing."
            )
        if self.pretest is not None:
            _checks.whole(self.pretest, "pretest", at_least=0)
        if _checks.positive(self.attention, "attention", example="0.9") > 1.0:
            raise InputError(f"`attention` must be at most 1, but is {self.attention:g}.")
        _checks.not_negative(self.drift, "drift", example="0.01")
        if self.radius is not None:
            _checks.positive(self.radius, "radius", example="2.0")
        _checks.whole(self.revise_every, "revise_every", at_least=0)
        _checks.whole(self.random_every, "random_every", at_least=0)
        for name in ("marked", "live"):
            _checks.yes_or_no(getattr(self, name), name)
        if self.guard != "buttons" and not isinstance(self.guard, bool):
            raise InputError(f'`guard` must be True, False or "buttons", but is {self.guard!r}.')
        if not float(self.item_memory) >= 0.0:
            raise InputError(
                f"`item_memory` must not be negative, but is {self.item_memory}. Use 0 for a "
                "rule alone, 0.2 for people, math.inf for facts."
            )
        if self.margin is not None:
            _checks.positive(self.margin, "margin", example="0.5")
        if self.keys is None and self.options is not None:
            raise InputError("`options` needs `keys`, the right answer to each item.")
        if self.keys is not None:
            keys, options = _choices(self.keys, self.options)
            object.__setattr__(self, "keys", keys)
            object.__setattr__(self, "options", options)
            self._check_choices(keys, options)
        self._check_known_scores()
        self._usual()

    def _usual(self) -> Floats:
        """Return the log-probability of each learning rate at first."""
        if self.usual_rates is None:
            return UNIFORM
        found = np.asarray(self.usual_rates, dtype=np.float64)
        if found.shape != (2,) or not (np.isfinite(found) & (found > 0)).all():
            raise InputError(
                "`usual_rates` must be two positive numbers, the mean and the standard deviation "
                f"of learning rates, as in (0.2, 0.25), but is {str(self.usual_rates)[:80]}."
            )
        return log_prior_of_rates(*found.tolist())

    def _check_known_scores(self) -> None:
        """Refuse item difficulty and practice that do not fit the items."""
        weights = np.asarray(self.practice, dtype=np.float64)
        if weights.shape != (2,) or not np.isfinite(weights).all():
            raise InputError(
                "`practice` must be two numbers, for right and for wrong answers, as in "
                f"(0.1, 0.0), but is {str(self.practice)[:80]}."
            )
        if weights.any() and self.skills is None:
            raise InputError("`practice` counts answers per skill: give the `skills` of the items.")
        items = self.items if self.keys is None else self.keys
        for name in ("easy", "skills"):
            given = getattr(self, name)
            if given is None:
                continue
            if not isinstance(items, ItemPool | np.ndarray):
                raise InputError(f"`{name}` needs `items` or `keys`: it has a number for each.")
            found = np.asarray(given)
            kinds = "iu" if name == "skills" else "iuf"
            if found.shape != (len(items),) or found.dtype.kind not in kinds:
                raise InputError(
                    f"`{name}` must have a number for each of the {len(items)} items, but is "
                    f"{str(given)[:80]}."
                )
            if not np.isfinite(found).all() or (name == "skills" and found.min() < 0):
                raise InputError(f"`{name}` has a number that is not allowed: {found.min()}.")
            if name == "skills" and found.max() >= MOST_SKILLS:
                raise InputError(f"`skills` must be below {MOST_SKILLS}, but has {found.max()}.")

    def _check_choices(self, keys: Ints, options: Ints) -> None:
        """Refuse settings that do not apply to more than two answers."""
        if self.marked:
            raise InputError(
                "`marked` answers are right or wrong, so `keys` does not apply: leave one out."
            )
        if isinstance(self.items, ItemPool) and len(self.items) != len(keys):
            raise InputError(
                f"`keys` must have one number for each of the {len(self.items)} items, but has "
                f"{len(keys)}."
            )
        if self.item_memory != math.inf and (options != options[0]).any():
            raise InputError(
                "If items differ in their number of `options`, they share no rule: use "
                "item_memory=math.inf."
            )

    @property
    def is_live(self) -> bool:
        return self.live

    def begin(self, room: Classroom) -> QuizState:
        target = _arrays.to_host(room.target)
        if room.outputs > 1:
            target = target.reshape(room.outputs, -1)
        elif self.keys is not None:
            raise InputError(
                "With `keys` students choose among several answers, but this class has one output: "
                "give it states of shape (students, answers, dimensions), or use "
                "`begin_with(None, students)` and `hear`."
            )
        return self.begin_with(target, room.students, state_radius=room.state_radius)

    def begin_with(
        self, target: Floats | None, students: int, *, state_radius: float = math.inf
    ) -> QuizState:
        """Return the memory at the start for so many students, whose states are not known.

        Parameters
        ----------
        target
            Shape ``(dimensions,)``, or with K answers ``(K, dimensions)``; ``None`` if it is
            determined by ``keys``.
        students
            How many students there are.
        state_radius
            States are no longer than this.
        """
        _checks.whole(students, "students", at_least=1)
        if target is not None and target.ndim == 2:
            setup = self._choice_setup(*self._taught_choices(target), state_radius)
        elif self.keys is not None:
            setup = self._choice_setup(*self._confused_choices())
        elif target is None:
            raise InputError("`target` must be given, unless the observer has `keys`.")
        else:
            setup = self._setup(target, state_radius)
        log = logs.read(
            self.log,
            students=students,
            items=len(setup.xs),
            dimensions=setup.xs.shape[1],
            options=setup.options if setup.chooses else None,
        )
        return QuizState.new(setup, students).replay(log)

    def observe(
        self, truth: Observation, memory: QuizState, rng: np.random.Generator
    ) -> Observation:
        if not truth.loss.is_quadratic:
            raise InputError(
                "A quiz follows students who learn by the squared loss, but these have "
                f"{type(truth.loss).__name__}: use another observer, or GradientLearner()."
            )
        quiz = self.asking(memory, rng)
        if not self.live:
            quiz = self._answered(quiz, _arrays.to_host(truth.states), rng)
        gaps = quiz.gaps
        heard = quiz.answers.shape[1] - memory.answers.shape[1]
        return truth.seen_with(
            gaps=_arrays.like(gaps, truth.gaps),
            rates=_arrays.like(quiz.rates, truth.rates),
            gentle=quiz.gentle,
            memory=quiz,
            outlook=ItemOutlook(
                lambda items: quiz.right(items)[quiz.trusted],
                quiz.helps,
                lambda: quiz.setup.coverage,
                quiz.moments,
            ),
            notes={"items asked": heard} if heard else {},
        )

    def remember(self, memory: QuizState, outcome: Outcome) -> QuizState:
        quiz = memory
        if outcome.example is not None:
            example = outcome.example
            item = example.item if self.item_memory else None
            quiz = quiz.show(Shown(example.x, example.y, item))
        if outcome.answers is not None:
            quiz = self.hear(quiz, outcome.answers)
        return quiz

    def judged(self, memory: QuizState) -> tuple[float, float] | None:
        return (memory.error.total, memory.farthest) if self.live else None

    def knows(self, memory: QuizState) -> Knows:
        return memory.knows

    def asking(self, memory: QuizState, rng: np.random.Generator) -> QuizState:
        """Return the memory with the items to ask now in ``questions``."""
        if memory.questions is not None and len(memory.questions):
            return memory
        return memory.ask(self._count(memory), rng)

    def hear(self, memory: QuizState, answers: Any, *, seconds: Any = None) -> QuizState:
        """Return the memory after answers from outside.

        Parameters
        ----------
        memory
            The memory so far.
        answers
            Either a row per student, with an answer to each of ``memory.questions``: 1, -1, or 0
            for none; with ``keys`` the number of the answer, or 0. Or a sheet per student,
            ``{item: answer}``, with the numbers of the items in ``items``.
        seconds
            How long each answer took, in rows like the answers, NaN or ``None`` if it is not known.
            With ``guard="buttons"``, students who mostly answer faster than they can read are
            reported.
        """
        if not self.live:
            raise InputError(
                "Answers came from outside, but this observer draws its own from simulated "
                "students: use QuizObserver(live=True, ...)."
            )
        options = memory.setup.options if memory.setup.chooses else None
        sheets = list(answers) if np.iterable(answers) else []
        if sheets and all(sheet is None or isinstance(sheet, Mapping) for sheet in sheets):
            if len(sheets) != memory.students:
                raise InputError(
                    f"There must be a sheet for each of the {memory.students} students, None for "
                    f"a student who did not answer, but there are {len(sheets)}."
                )
            if seconds is not None:
                raise InputError("`seconds` needs a row of answers per student, not sheets.")
            return memory.hear(logs.sheets_to_matrix(sheets, len(memory.setup.xs), options))
        asked = np.zeros(0, dtype=np.int64) if memory.questions is None else memory.questions
        given = logs.answer_matrix(answers, asked, memory.students, options)
        return memory.hear(Asked(asked, given, seconds=logs.answer_seconds(seconds, given)))

    @staticmethod
    def log_of(memory: QuizState, students: npt.ArrayLike | None = None) -> list[dict[str, Any]]:
        """Return the log as plain JSON; ``QuizObserver(log=...)`` resumes from it.

        Parameters
        ----------
        memory
            The memory so far.
        students
            The students whose answers to keep, if a group continues separately.
        """
        if students is None:
            return logs.plain(memory.log)
        return logs.plain(
            logs.of_students(memory.log, _checks.check_students(students, memory.students))
        )

    def _count(self, memory: QuizState) -> int:
        """Return how many items to ask now: the pre-test at first, then ``answers`` per round."""
        if memory.rounds or memory.answers.shape[1]:
            return self.answers
        if self.pretest is not None:
            return self.pretest
        dimensions = memory.setup.xs.shape[1]
        return int(min(max(2 * dimensions, 10), len(memory.setup.xs)))

    def _answered(self, quiz: QuizState, states: Floats, rng: np.random.Generator) -> QuizState:
        """Return the state after simulated students have answered its questions."""
        items = quiz.questions
        if items is None or not len(items):
            return quiz  # nothing asked: this round has no answers
        if self.skills is None:
            return quiz.hear(Asked(items, self._drawn(quiz, states, items, rng)))
        for item in np.split(items, len(items)):  # each answer is practice for the next
            quiz = quiz.hear(Asked(item, self._drawn(quiz, states, item, rng)))
        return quiz

    def _drawn(
        self, quiz: QuizState, states: Floats, items: Ints, rng: np.random.Generator
    ) -> Floats:
        """Return the answers of simulated students, shape ``(students, items)``."""
        xs, known, model = quiz.setup.xs[items], quiz.known_scores(items), _model(self)
        if not quiz.setup.chooses:
            return model.drawn(states @ xs.T + known, rng)
        rows = states.reshape(len(states), -1, xs.shape[1])
        scores = np.swapaxes(rows @ xs.T, 1, 2)
        scores[:, np.arange(len(items)), quiz.setup.keys[items] - 1] += known
        return drawn_choices(scores, model, rng)

    def _setup(self, target: Floats, state_radius: float) -> Setup:
        """Return the settings for two answers, with a target of shape ``(dimensions,)``."""
        pool = self._pool(len(target))
        signs = np.ones(len(pool))
        if self.marked:
            signs = np.where(_labels(pool, target) >= 0, 1.0, -1.0)
        radius = self.radius
        if radius is None:
            radius = state_radius
            if math.isinf(radius):
                radius = 1.5 * (math.sqrt(float(target @ target)) or 1.0)
        return Setup(
            pool.items * signs[:, None],
            signs,
            target,
            Assumed(_model(self), radius, self.item_memory),
            attention=self.attention,
            drift=self.drift,
            guard=self.guard,
            revise_every=self.revise_every,
            random_every=self.random_every,
            margin=self.margin,
            easy=np.asarray([] if self.easy is None else self.easy, dtype=np.float64),
            skills=np.asarray([] if self.skills is None else self.skills, dtype=np.int64),
            practice=self.practice,
            usual=self._usual(),
            lapse=self.lapse,
            on_map=self.items is not None,
            people=self.live,
        )

    def _confused_choices(self) -> tuple[Floats, Floats, Ints, Ints]:
        """Return features, target, keys and numbers of answers, if the keys determine the target.

        Without ``items``, the features of an item are its right answer, one-hot, and a constant.
        """
        keys, options = np.asarray(self.keys), np.asarray(self.options)
        most = int(options.max())
        if math.isinf(self.item_memory):
            xs = np.zeros((len(keys), 0))
        elif isinstance(self.items, ItemPool):
            xs = self.items.items
        else:
            button = np.full(len(keys), button_feature(self.sigma))
            xs = np.column_stack([np.eye(most)[keys - 1], button])
        return xs, choice_target(xs, keys, most), keys, options

    def _taught_choices(self, target: Floats) -> tuple[Floats, Floats, Ints, Ints]:
        """Return the same four if the target has a vector per answer, shape ``(K, dimensions)``."""
        if math.isinf(self.item_memory) or self.marked:
            raise InputError(
                f"A class with {len(target)} outputs has a rule for {len(target)} answers: "
                "`marked` and item_memory=math.inf do not apply."
            )
        xs = self._pool(target.shape[1]).items
        options: Ints = np.full(len(xs), len(target))
        keys: Ints = 1 + (xs @ target.T).argmax(axis=1)
        if self.keys is not None:
            keys = np.asarray(self.keys)
            if not np.array_equal(options, np.asarray(self.options)):
                raise InputError(
                    f"This class has {len(target)} outputs, one per answer, but `keys` and "
                    f"`options` are for {np.max(np.asarray(self.options))} answers to each of "
                    f"{len(keys)} items."
                )
        return xs, (contrasts(len(target)).T @ target).ravel(), keys, options

    def _choice_setup(
        self,
        xs: Floats,
        target: Floats,
        keys: Ints,
        options: Ints,
        state_radius: float = math.inf,
    ) -> Setup:
        """Return the settings for more than two answers; ``options`` are the numbers of answers."""
        radius = state_radius if self.radius is None else self.radius
        if math.isinf(radius):
            radius = 1.5 * (math.sqrt(float(target @ target)) or 1.0)
        return Setup(
            xs,
            np.ones(len(keys)),
            target,
            Assumed(_model(self), radius, self.item_memory),
            attention=self.attention,
            drift=self.drift,
            guard=self.guard,
            revise_every=self.revise_every,
            random_every=self.random_every,
            margin=self.margin,
            keys=keys,
            options=options,
            easy=np.asarray([] if self.easy is None else self.easy, dtype=np.float64),
            skills=np.asarray([] if self.skills is None else self.skills, dtype=np.int64),
            practice=self.practice,
            usual=self._usual(),
            lapse=self.lapse,
            on_map=self.items is not None,
            people=self.live,
        )

    def _pool(self, dimensions: int) -> ItemPool:
        """Return the items that can be asked: those given, or random unit vectors."""
        if isinstance(self.items, ItemPool):
            _checks.width(self.items.items, "items", dimensions)
            return self.items
        directions = np.random.default_rng(0).standard_normal((ITEMS, dimensions))
        return ItemPool(directions / np.sqrt((directions**2).sum(axis=1, keepdims=True)))


def _labels(pool: ItemPool, target: Floats) -> Floats:
    """Return the right answers to all items, as numbers: positive for yes, negative for no."""
    labels = pool.labels
    if labels is None:
        return pool.items @ target
    if pool.classes is not None or np.isin(labels, (0.0, 1.0)).all():
        return labels_for(Logistic(), labels, pool.classes)
    return labels


def _model(observer: QuizObserver) -> AnswerModel:
    """Return the answer model: half of the random answers are guesses, half are slips."""
    half = 0.5 * observer.lapse
    return AnswerModel(observer.sigma, observer.guess + half, observer.slip + half)


def _choices(keys: Any, options: Any) -> tuple[Ints, Ints]:
    """Return the right answers and the number of answers, one per item, checked."""
    found = np.asarray(keys)
    if found.ndim != 1 or not len(found) or found.dtype.kind not in "iu" or found.min() < 1:
        raise InputError(
            "`keys` must be the number of the right answer to each item, such as [1, 3, 2], but is "
            f"{str(keys)[:80]}."
        )
    if options is None:
        options = max(3, int(found.max()))
    several = np.asarray(options)
    if several.dtype.kind not in "iu" or several.shape not in ((), found.shape):
        raise InputError(
            "`options` must be the number of answers, or one for each item, but is "
            f"{str(options)[:80]}."
        )
    each: Ints = np.broadcast_to(several, found.shape).astype(np.int64)
    if each.min() < 2 or each.max() > MOST_OPTIONS:
        raise InputError(
            f"`options` must be from 2 to {MOST_OPTIONS}, but among them is "
            f"{each.min() if each.min() < 2 else each.max()}."
        )
    if (found > each).any():
        item = int((found > each).argmax())
        raise InputError(
            f"Item {item} has {each[item]} answers, but its right one has the number {found[item]}."
        )
    return found.astype(np.int64), each
