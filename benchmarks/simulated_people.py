"""Simulated classes that behave like people: six kinds, each with a seed.

They answer in their own ways, not as the quiz observer assumes. The quiz sees only their answers.
``python -m benchmarks simulated-people`` teaches many of each kind.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, ndtr, softmax

from benchmarks.timing import JOBS, Line
from homeroom import Classroom, MasteryGoal, QuizObserver
from homeroom._arrays import Floats, Ints
from homeroom.crowd import insects
from homeroom.crowd.insects.collection import places_of
from homeroom.crowd.rule import expert_rule
from homeroom.goals import Interval
from homeroom.observers import QuizState
from homeroom.observers.quizzing.choice_step import SHARP
from homeroom.observers.quizzing.fitted_people import SHEPARD
from homeroom.observers.quizzing.log import Asked, Shown
from homeroom.people_order import ItemChances, choose_for_people

STUDENTS = 30


class Subject(NamedTuple):
    """What is taught: items, the right answers, and a kind per item.

    Without places on a map, items are facts; or, with more than two ``options``, each answer is a
    kind. Right answers are 1 or -1, or their numbers.
    """

    places: Floats | None
    labels: Ints
    kinds: Ints
    target: Floats | None
    options: int = 2

    @property
    def facts(self) -> bool:
        """Whether the items share no rule."""
        return self.places is None and len(np.unique(self.kinds)) == len(self.kinds)


@dataclass(eq=False)
class SimulatedClass:
    """A class of simulated people.

    Parameters
    ----------
    subject
        What is taught.
    students
        The number of students.
    rng
        Draws their answers.
    chance
        Each student's chance of a right answer, shape ``(students, items)``; it changes when an
        item is shown.
    learn
        Called with the class and an item after the item was shown.
    pressers
        Students who always press the first button.
    """

    subject: Subject
    students: int
    rng: np.random.Generator
    chance: Floats
    learn: Callable[[SimulatedClass, int], None] = lambda _class, _item: None
    pressers: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def answers(self, item: int) -> Floats:
        """Return the answers of all students to an item: +1 or -1, or their numbers."""
        label, options = self.subject.labels[item], self.subject.options
        right = self.rng.random(self.students) < self.chance[:, item]
        wrong = -label
        if options > 2:
            wrong = (label - 1 + self.rng.integers(1, options, self.students)) % options + 1
        given: Floats = np.where(right, label, wrong).astype(np.float64)
        given[self.pressers] = 1.0
        return given

    def answer(self, student: int, item: int) -> int:
        """Return the answer of one student to an item."""
        label, right = self.subject.labels[item], self.rng.random() < self.chance[student, item]
        return 1 if student in self.pressers else int(label if right else -label)

    def show(self, item: int) -> None:
        """Show an item with its right answer."""
        self.learn(self, item)


def insect_subject() -> Subject:
    """Return the built-in insects with their map."""
    made = insects.make(0)
    places = places_of(made.features)
    _, kinds = np.unique(made.species, return_inverse=True)
    labels = np.where(np.asarray(made.labels) > 0, 1, -1)
    return Subject(places, labels, kinds, expert_rule(places, made.labels).target)


def subject_with(options: int) -> Subject:
    """Return the insects; or with more than two answers 20 items of each kind, without a map."""
    if options == 2:
        return insect_subject()
    labels = np.arange(20 * options) % options + 1
    return Subject(None, labels, labels, None, options)


def constant(seed: int, options: int = 2) -> SimulatedClass:
    """Return a class in which each answer is right with probability 0.7, and that never learns."""
    subject = subject_with(options)
    chance = np.full((STUDENTS, len(subject.labels)), 0.7)
    return SimulatedClass(subject, STUDENTS, np.random.default_rng(seed), chance)


def perfect(seed: int, options: int = 2) -> SimulatedClass:
    """Return a class that is always right."""
    subject = subject_with(options)
    chance = np.ones((STUDENTS, len(subject.labels)))
    return SimulatedClass(subject, STUDENTS, np.random.default_rng(seed), chance)


def facts(
    seed: int, options: int = 2, *, number: int = 24, unknown: int | None = 6
) -> SimulatedClass:
    """Return a class that learns 24 facts, of which each student does not know 6.

    With ``unknown=None`` students differ: each does not know none to all of them.
    """
    rng = np.random.default_rng(seed)
    labels = rng.choice([-1, 1], number) if options == 2 else rng.integers(1, options + 1, number)
    chance = np.full((STUDENTS, number), 0.95)
    for row in chance:
        missing = int(rng.integers(number + 1)) if unknown is None else unknown
        row[rng.choice(number, missing, replace=False)] = 1.0 / options

    def learn(group: SimulatedClass, item: int) -> None:
        taught = group.rng.random(group.students) < 0.8
        group.chance[taught, item] = 0.95

    subject = Subject(None, labels, np.arange(number), None, options)
    return SimulatedClass(subject, STUDENTS, rng, chance, learn)


def unequal_facts(seed: int, options: int = 2) -> SimulatedClass:
    """Return a class that learns 40 facts, of which students know from none to all."""
    return facts(seed, options, number=40, unknown=None)


def small(seed: int) -> SimulatedClass:
    """Return a class of 25 that is always right, with 20 items in two dimensions."""
    rng = np.random.default_rng(seed)
    places = rng.standard_normal((20, 2))
    target = np.array([2.0, 1.0, 0.0])
    scores = places @ target[:2]
    places += (0.3 * np.sign(scores))[:, None] * target[:2] / 5.0  # none on the boundary
    labels = np.where(scores > 0, 1, -1)
    subject = Subject(places, labels, labels, target)
    return SimulatedClass(subject, 25, rng, np.ones((25, 20)))


def beginners(seed: int, options: int = 2, pressers: int = 0) -> SimulatedClass:
    """Return a class that guesses on a species until one of it was shown."""
    subject, rng = subject_with(options), np.random.default_rng(seed)
    chance = np.full((STUDENTS, len(subject.labels)), 1.0 / options)

    def learn(group: SimulatedClass, item: int) -> None:
        group.chance[:, subject.kinds == subject.kinds[item]] = 0.95

    return SimulatedClass(subject, STUDENTS, rng, chance, learn, np.arange(pressers))


def pressers(seed: int, options: int = 2) -> SimulatedClass:
    """Return a class of beginners, in which 5 of 30 always press the first button."""
    return beginners(seed, options, pressers=5)


def gradual(seed: int, options: int = 2) -> SimulatedClass:
    """Return beginners who learn two fifths of what they do not know of a species at a time."""
    group = beginners(seed, options)

    def learn(group: SimulatedClass, item: int) -> None:
        same = group.subject.kinds == group.subject.kinds[item]
        group.chance[:, same] += 0.4 * (0.95 - group.chance[:, same])

    group.learn = learn
    return group


def mixed(seed: int, options: int = 2) -> SimulatedClass:
    """Return beginners: one half learns a species with probability 0.9, the other with 0.25."""
    group = beginners(seed, options)
    fast = np.where(np.arange(STUDENTS) % 2, 0.9, 0.25)

    def learn(group: SimulatedClass, item: int) -> None:
        taught = group.rng.random(STUDENTS) < fast
        group.chance[np.ix_(taught, group.subject.kinds == group.subject.kinds[item])] = 0.95

    group.learn = learn
    return group


def gradient(seed: int, options: int = 2) -> SimulatedClass:
    """Return gradient learners, as the quiz assumes them, who begin without knowledge."""
    group = beginners(seed, options)
    subject, rates = group.subject, group.rng.uniform(0.1, 0.6, STUDENTS)
    if options == 2:
        rows, _, sigma, taught = scale(subject)
    else:
        rows, sigma = np.eye(options)[subject.labels - 1], 0.25
        taught = np.eye(options)[subject.labels - 1] - 1.0 / options
    states = np.zeros((STUDENTS, *taught.shape[1:], rows.shape[1]))

    def learn(group: SimulatedClass, item: int) -> None:
        nonlocal states
        x = rows[item]
        states = states - np.einsum("j,j...,d->j...d", rates, states @ x - taught[item], x)
        scores = states @ rows.T / sigma
        if options == 2:
            group.chance = ndtr(subject.labels * scores)
        else:
            right = np.moveaxis(softmax(SHARP * scores, axis=1), 1, 2)
            group.chance = right[:, np.arange(len(rows)), subject.labels - 1]

    group.learn = learn
    return group


def exemplars(seed: int, options: int = 2) -> SimulatedClass:
    """Return students who store examples and answer by similarity to them."""
    group = beginners(seed, options)
    subject, rng = group.subject, group.rng
    places = np.eye(options)[subject.labels - 1] if subject.places is None else subject.places
    steep = np.exp(rng.normal(np.log(3.0), 0.4, STUDENTS)) / (
        places.std(axis=0).mean() * places.shape[1]
    )
    attention = rng.dirichlet(np.full(places.shape[1], 2.0), STUDENTS) * places.shape[1]
    stores = rng.beta(6, 2, STUDENTS)
    answer = (subject.labels > 0).astype(int) if options == 2 else subject.labels - 1
    bias = 0.05 + 0.05 * rng.random((STUDENTS, 1, options))
    evidence = np.repeat(bias, len(places), axis=1)

    def learn(group: SimulatedClass, item: int) -> None:
        stored = group.rng.random(STUDENTS) < stores
        similar = np.exp(-steep[:, None] * (attention @ np.abs(places - places[item]).T))
        evidence[:, :, answer[item]] += stored[:, None] * similar
        strength = evidence**1.5
        share = strength / strength.sum(axis=2, keepdims=True)
        group.chance = share[:, np.arange(len(places)), answer]

    group.learn = learn
    return group


def all_or_none(seed: int, options: int = 2) -> SimulatedClass:
    """Return students who learn a kind at once, with a personal probability per example.

    One kind in five is a misconception: they are worse than guessing until they learn it.
    """
    return _all_or_none(subject_with(options), np.random.default_rng(seed), 0.15)


def all_or_none_facts(seed: int, options: int = 2) -> SimulatedClass:
    """Return the same for 24 facts, which are unequally well known at first."""
    rng = np.random.default_rng(seed)
    return _all_or_none(_some_facts(rng, options), rng, rng.beta(0.7, 0.7, 24))


def _some_facts(rng: np.random.Generator, options: int, number: int = 24) -> Subject:
    labels = rng.choice([-1, 1], number) if options == 2 else rng.integers(1, options + 1, number)
    return Subject(None, labels, np.arange(number), None, options)


def _all_or_none(
    subject: Subject, rng: np.random.Generator, known_before: float | Floats
) -> SimulatedClass:
    _, kinds = np.unique(subject.kinds, return_inverse=True)
    shape = STUDENTS, kinds.max() + 1
    known, rate = rng.random(shape) < known_before, rng.beta(2, 3, STUDENTS)
    guess = np.where(rng.random(shape) < 0.2, 0.4, 1.0) / subject.options

    def learn(group: SimulatedClass, item: int) -> None:
        known[:, kinds[item]] |= group.rng.random(STUDENTS) < rate
        group.chance = np.where(known, 0.97, guess)[:, kinds]

    return SimulatedClass(subject, STUDENTS, rng, np.where(known, 0.97, guess)[:, kinds], learn)


def forgetting_facts(seed: int, options: int = 2) -> SimulatedClass:
    """Return students in whom each example of a fact leaves a trace that fades, as in ACT-R."""
    rng = np.random.default_rng(seed)
    subject, shape = _some_facts(rng, options), (STUDENTS, 24)
    decay, threshold = rng.uniform(0.3, 0.6, STUDENTS), rng.normal(-0.9, 0.4, STUDENTS)
    before = (rng.random(shape) < rng.beta(0.7, 0.9, 24)) * rng.exponential(1.5, shape)
    shown: list[int] = []

    def chances() -> Floats:
        trace = before.copy()
        for age, item in enumerate(reversed(shown)):
            trace[:, item] += (age + 1.0) ** -decay
        logits = (np.log(trace + 1e-9) - threshold[:, None]) / 0.35
        recalls = 0.98 * expit(logits)
        found: Floats = recalls + (1.0 - recalls) / options
        return found

    def learn(group: SimulatedClass, item: int) -> None:
        shown.append(item)
        group.chance = chances()

    return SimulatedClass(subject, STUDENTS, rng, chances(), learn)


def mostly_right(seed: int, options: int = 2) -> SimulatedClass:
    """Return a class in which each answer is right with probability 0.85, and that never learns."""
    group = constant(seed, options)
    group.chance = np.full_like(group.chance, 0.85)
    return group


class PeopleLesson(NamedTuple):
    """A lesson for people: the round after which it was done, and what happened until then.

    ``shown`` has the items in order, ``flagged`` who was reported before each round and at the
    end, ``(rounds + 1, students)``, and ``missed`` the items that a student missed in the pre-test.
    ``knows`` is what the class knows according to the quiz before each round and at the end, and
    ``truth`` its true chance of a right answer.
    """

    done: int | None
    shown: list[int]
    flagged: npt.NDArray[np.bool_]
    missed: npt.NDArray[np.bool_]
    knows: list[Interval]
    truth: list[float]


def lesson_for(
    group: SimulatedClass, *, rounds: int, to_the_end: bool = False, pretest: bool = True
) -> PeopleLesson:
    """Teach a class as a live lesson would: pre-test, then question and label in each round.

    With ``to_the_end`` the lesson continues after the goal is reached.
    """
    state, rows, taught = begin_quiz(group)
    tested = state.questions
    assert tested is not None
    tested = np.unique(tested) if pretest else tested[:0]
    answers = np.zeros((group.students, len(tested)))
    for place, item in enumerate(tested.tolist()):
        answers[:, place] = group.answers(item)
    if pretest:
        state = state.hear(Asked(tested, answers))
    missed = np.zeros(len(rows), dtype=bool)
    missed[tested] = (answers != group.subject.labels[tested]).any(axis=0)
    every = np.arange(len(rows))
    left = np.setdiff1d(every, tested)
    allowed = every if group.subject.facts or 2 * len(left) < len(every) else left
    shown: list[int] = []
    flagged, knows, done = [state.flagged], [state.knows.of_class], None
    truth = [float(group.chance.mean())]
    while len(shown) < rounds:
        if done is None and MasteryGoal().reached_by(state.knows):
            done = len(shown)
        if done is not None and not to_the_end:
            break
        item = next_item(state, allowed, shown)
        state = state.hear(Asked(np.array([item]), group.answers(item)[:, None]))
        group.show(item)
        state = state.show(Shown(rows[item], float(taught[item]), item))
        shown.append(item)
        flagged.append(state.flagged)
        knows.append(state.knows.of_class)
        truth.append(float(group.chance.mean()))
    if done is None and MasteryGoal().reached_by(state.knows):
        done = len(shown)
    return PeopleLesson(done, shown, np.array(flagged), missed, knows, truth)


def next_item(state: QuizState, allowed: Ints, shown: list[int]) -> int:
    """Return the item that a live lesson would show next."""
    chances = ItemChances.of(state.right(allowed)[state.trusted])
    best = choose_for_people(allowed, chances, state.helps, state.setup.coverage, shown)
    assert best is not None
    return int(allowed[best])


def begin_quiz(group: SimulatedClass) -> tuple[QuizState, Floats, Floats]:
    """Return the quiz with the items of the pre-test, the items, and what their labels teach."""
    subject = group.subject
    labels = subject.labels.astype(np.float64)
    if subject.options > 2:
        quiz = QuizObserver(
            keys=subject.labels,
            options=subject.options,
            live=True,
            answers=0,
            item_memory=math.inf if subject.facts else 0.2,
            **SHEPARD.settings,
        )
        state = quiz.begin_with(None, group.students)
        return quiz.asking(state, np.random.default_rng(0)), state.setup.xs, labels
    rows, target, sigma, taught = scale(subject)
    memory = math.inf if subject.facts else 0.2
    quiz = QuizObserver(
        rows, live=True, answers=0, sigma=sigma, item_memory=memory, **SHEPARD.settings
    )
    room = Classroom(
        np.zeros((group.students, rows.shape[1])), np.full(group.students, 0.01), target
    )
    return quiz.asking(quiz.begin(room), np.random.default_rng(0)), rows, taught


def scale(subject: Subject) -> tuple[Floats, Floats, float, Floats]:
    """Return items of length 1 with two answers, the target, sigma, and what labels teach."""
    labels = subject.labels.astype(np.float64)
    if subject.places is None or subject.target is None:
        return labels[:, None], np.ones(1), 0.25, labels
    rows = np.column_stack([subject.places, np.ones(len(labels))])
    size = float(np.sqrt((rows * rows).sum(axis=1).mean()))
    length = size * float(np.linalg.norm(subject.target))
    rows, target, sigma = rows / size, size / length * subject.target, 1.0 / length
    taught = labels * np.maximum(np.abs(rows @ target), SHEPARD.margin.value * sigma)
    return rows, target, sigma, taught


CLASSES = 20
"""The number of classes of each kind; of those that never learn, five times as many."""

FIRST_SEED = int(os.environ.get("FIRST", "1000"))
"""The seed of the first class: none of the classes from 1000 on was used in development."""


class _Lessons(NamedTuple):
    """How the classes of a kind are taught, and how many of them."""

    make: Callable[..., SimulatedClass]
    rounds: int
    to_the_end: bool = False
    classes: int = CLASSES
    pretest: bool = True

    def lesson(self, seed: int) -> PeopleLesson:
        """Return the lesson for the class with a seed."""
        return lesson_for(
            self.make(seed),
            rounds=self.rounds,
            to_the_end=self.to_the_end,
            pretest=self.pretest,
        )


KINDS = {
    (name, options): lessons._replace(make=partial(lessons.make, options=options))
    for options in (2, 4)
    for name, lessons in {
        "constant": _Lessons(constant, 60, classes=5 * CLASSES if options == 2 else CLASSES),
        "facts": _Lessons(facts, 40, to_the_end=True),
        "perfect": _Lessons(perfect, 60),
        "beginners": _Lessons(beginners, 20, to_the_end=True),
        "pressers": _Lessons(pressers, 8, to_the_end=True),
    }.items()
} | {("small", 2): _Lessons(small, 60)}


LEARNERS = (
    beginners,
    gradual,
    mixed,
    gradient,
    exemplars,
    all_or_none,
    facts,
    unequal_facts,
    all_or_none_facts,
    forgetting_facts,
    constant,
    mostly_right,
)
"""The kinds of classes with which the estimate of what a class knows is compared."""

CALIBRATED_ROUNDS = 15
"""The estimate is compared with the truth after each of these rounds."""

CALIBRATED = {
    (f"{make.__name__} {how} pre-test", options): _Lessons(
        partial(make, options=options),
        CALIBRATED_ROUNDS,
        to_the_end=True,
        classes=5,
        pretest=how == "with",
    )
    for make, options, how in product(LEARNERS, (2, 5), ("with", "without"))
}


class Calibration(NamedTuple):
    """How the 90 % range of what a class knows compares with the truth.

    The share of the rounds in which the range has the truth, the mean difference of the estimate
    to the truth, and the mean width of the range.
    """

    coverage: float
    bias: float
    width: float

    @classmethod
    def of(cls, lessons: list[PeopleLesson]) -> Calibration:
        """Return the calibration after each of the rounds 1 to ``CALIBRATED_ROUNDS``."""
        some = slice(1, CALIBRATED_ROUNDS + 1)
        knows = np.array([one.knows[some] for one in lessons])
        truth = np.array([one.truth[some] for one in lessons])
        middle, low, high = np.moveaxis(knows, 2, 0)
        inside = (low <= truth) & (truth <= high)
        return cls(*(float(one.mean()) for one in (inside, middle - truth, high - low)))


def off(lesson: PeopleLesson, number: int) -> float:
    """Return how far the range of what a class knows is from the truth, signed, or 0."""
    _, low, high = lesson.knows[number]
    truth = lesson.truth[number]
    return float(max(low - truth, 0.0) - max(truth - high, 0.0))


def lines() -> Iterator[Line]:
    """Teach classes of each kind, with two and with four answers, by ``JOBS`` processes.

    A class is taught by one process, and has the same lesson with any number of them.
    """
    with ProcessPoolExecutor(JOBS) as pool:
        asked = {
            kind: [
                pool.submit(lessons.lesson, FIRST_SEED + number)
                for number in range(lessons.classes)
            ]
            for kind, lessons in (KINDS | CALIBRATED).items()
        }
        for one in as_completed(chain.from_iterable(asked.values())):
            one.result()  # a failure ends the benchmark at once
            print(".", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
    taught = {kind: [one.result() for one in lessons] for kind, lessons in asked.items()}
    for options in (2, 4):
        yield from _endings(taught, options)
        yield from _repetitions(taught, options)
        yield from _guessing(taught, options)
    yield from _calibration(taught)


Taught = Mapping[tuple[str, int], list[PeopleLesson]]
"""The lessons of all classes, by kind and number of answers."""


def _calibration(taught: Taught) -> Iterator[Line]:
    """Compare what classes know with the truth, after each of the first rounds."""
    outside = []
    for name, options in CALIBRATED:
        found, what = Calibration.of(taught[name, options]), f"{name}, {options} answers"
        outside.append(1.0 - found.coverage)
        yield Line(f"{what}: outside the range", outside[-1], "30 % of rounds", 0.3, 1.0, unit="")
        yield Line(f"{what}: estimate minus truth", found.bias, "range", found.width, unit="")
    mean = float(np.mean(outside))
    yield Line("all: outside the 90 % range", mean, "15 % of rounds", 0.15, 1.0, unit="")


def _latest(lessons: list[PeopleLesson]) -> int:
    return max(60 if one.done is None else one.done for one in lessons)


def _endings(taught: Taught, options: int) -> Iterator[Line]:
    what, lessons = f", {options} answers", taught["constant", options]
    wrongly = sum(one.done is not None for one in lessons)
    said = f"constant: declared done, of {len(lessons)} lessons{what}"
    yield Line(said, wrongly, "one", 1, 0.5, unit="")
    latest = _latest(taught["perfect", options])
    yield Line(f"perfect: latest end of {CLASSES}{what}", latest, "round 20", 20, 1.0, unit="")


def _repetitions(taught: Taught, options: int) -> Iterator[Line]:
    starved, what = 0, f", {options} answers"
    for lesson in taught["facts", options]:
        often = np.bincount(lesson.shown, minlength=24).max() > 3
        starved += bool(often and (lesson.missed & ~np.isin(np.arange(24), lesson.shown)).any())
    yield Line(f"facts: starved, of {CLASSES}{what}", starved, "one", 1, 0.5, unit="")
    if options == 2:
        lessons = taught["small", options]
        latest = _latest(lessons)
        yield Line(f"small: latest end of {CLASSES}", latest, "round 20", 20, 1.0, unit="")
        most = max(int(np.bincount(one.shown or [0]).max()) for one in lessons)
        yield Line("small: an item shown", most, "three times", 3, 1.0, unit="")


def _guessing(taught: Taught, options: int) -> Iterator[Line]:
    what, lessons = f", {options} answers", taught["beginners", options]
    worst = max(np.mean([one.flagged for one in lessons], axis=0).mean(axis=1))
    yield Line(f"beginners: largest share flagged{what}", worst, "2 %", 0.02, 1.0, unit="")
    lessons = taught["pressers", options]
    missed = sum(5 - int(one.flagged[-1, :5].sum()) for one in lessons)
    limit = CLASSES  # a fifth of five per class
    yield Line(
        f"pressers: not found, of {5 * CLASSES}{what}", missed, "a fifth", limit, 1.0, unit=""
    )
    wronged = max(np.mean([one.flagged[:, 5:] for one in lessons], axis=0).mean(axis=1))
    yield Line(f"pressers: honest ones flagged{what}", wronged, "2 %", 0.02, 1.0, unit="")
