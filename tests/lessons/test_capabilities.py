"""What components declare, and what that lets them use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
    Classroom,
    ClassroomTeacher,
    ExactObserver,
    Example,
    GradientLearner,
    Individuals,
    MomentumLearner,
    Observation,
    PlannedTeacher,
    PoolTeacher,
    StochasticRateLearner,
    StoppedBecause,
    certify,
    teach,
)
from homeroom._arrays import Array, Floats, top_eigenvector
from homeroom.goals import AbstractGoal, ClassProgress
from homeroom.learners import AbstractLearner, AbstractLoss, Noise, Squared, Step
from homeroom.lessons.transcript import StraightTranscript
from homeroom.observers import (
    NOISELESS,
    AbstractExaminer,
    AbstractObserver,
    ObservationNoise,
    Outcome,
)
from homeroom.pools import Ball, ItemPool
from homeroom.teachers import AbstractTeacher, GreedyRule


@dataclass(frozen=True)
class Steepest(AbstractTeacher):
    """The classroom teacher with a static magnitude, written again."""

    declared: bool = True

    @property
    def needs_students(self) -> bool:  # type: ignore[override]
        return not self.declared

    @property
    def rule(self) -> GreedyRule | None:
        return GreedyRule(Ball()) if self.declared else None

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        value, direction = top_eigenvector(seen.moments.weigh(seen.gentle_g))
        return seen.example(np.sqrt(seen.gentle_g) * direction) if value > 0 else None


@dataclass(frozen=True)
class Wandering(AbstractLearner):
    """A gradient step with rates that vary; the rule by which they add to moments is declared."""

    sigma: float = 0.05
    declared: bool = True
    loss: AbstractLoss = Squared()

    @property
    def noise(self) -> Noise | None:
        return Noise(rate_variance=self.sigma**2) if self.declared else None

    def step(
        self, states: Array, rates: Array, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        drawn = rates + self.sigma * rng.standard_normal(rates.shape)
        plain = GradientLearner(self.loss)
        return plain.step(states, drawn, None, example, rng)


@dataclass(frozen=True)
class Tired(AbstractLearner):
    """Students who learn less with every example they have seen: the memory counts examples."""

    loss: AbstractLoss = Squared()

    def begin(self, room: Classroom) -> Any:
        return np.zeros(room.students)

    def step(
        self, states: Array, rates: Array, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        left = rates / (1.0 + 0.1 * memory)
        plain = GradientLearner(self.loss)
        step = plain.step(states, left, None, example, rng)
        return Step(step.states, left, memory + 1.0)


@dataclass(frozen=True)
class Counting(AbstractObserver):
    """Passes everything on; with or without declaring that."""

    declared: bool = True

    @property
    def needs_students(self) -> bool:  # type: ignore[override]
        return not self.declared

    @property
    def error_bounds(self) -> ObservationNoise | None:
        return NOISELESS if self.declared else None

    def begin(self, room: Classroom) -> int:
        return 0

    def observe(self, truth: Observation, memory: int, rng: np.random.Generator) -> Observation:
        return truth

    def remember(self, memory: int, outcome: Outcome) -> int:
        return memory + 1


@dataclass(frozen=True)
class Most(AbstractGoal):
    """All but some students are close."""

    eps: float = 0.1
    share: float = 0.8
    needs_students = True

    def reached(self, progress: ClassProgress) -> bool:
        assert progress.states is not None
        assert progress.target is not None
        gaps = np.asarray(progress.states()) - progress.target
        return self.score((gaps * gaps).sum(axis=1)) <= self.eps

    def score(self, squared_distances: Floats) -> float:
        return float(np.quantile(squared_distances, self.share, method="higher"))


@pytest.fixture
def room() -> Classroom:
    return Classroom.sample(students=30, dimensions=3, rates=(0.1, 0.5), example_radius=1.0)


def test_a_teacher_that_needs_only_moments_teaches_a_sketch(room: Classroom) -> None:
    sketched = teach(room, teacher=Steepest(), engine="sketch")
    assert sketched.engine == "sketch"
    np.testing.assert_allclose(sketched.errors, teach(room).errors, rtol=1e-7)


def test_a_greedy_teacher_of_your_own_has_individual_lessons_in_closed_form(
    room: Classroom,
) -> None:
    straight = teach(room, teacher=Steepest(), groups=Individuals())
    assert isinstance(straight.transcript, StraightTranscript)
    stepped = teach(room, teacher=Steepest(declared=False), groups=Individuals())
    assert not isinstance(stepped.transcript, StraightTranscript)
    np.testing.assert_array_equal(straight.transcript.rounds, stepped.transcript.rounds)


def test_a_learner_whose_noise_is_declared_is_sketched(room: Classroom) -> None:
    """The sketch is the mean over many lessons."""
    sketched = teach(room, learner=Wandering(), engine="sketch", max_rounds=8)
    goal = AverageGoal(1e-9)
    drawn = [
        teach(room, learner=Wandering(), goal=goal, max_rounds=8, seed=seed).errors
        for seed in range(60)
    ]
    rounds = min(len(sketched.errors), 9)
    mean, spread = np.mean(drawn, axis=0)[:rounds], np.std(drawn, axis=0)[:rounds] / np.sqrt(60)
    assert (np.abs(sketched.errors[:rounds] - mean) <= 5 * spread + 1e-9).all()


def test_an_observer_that_provides_moments_is_sketched(room: Classroom) -> None:
    sketched = teach(room, observer=Counting(), engine="sketch")
    assert sketched.rounds == teach(room, observer=ExactObserver()).rounds


def test_a_learner_has_a_memory_in_every_kind_of_lesson(room: Classroom) -> None:
    whole = teach(room, learner=Tired())
    assert whole.rounds > teach(room).rounds
    assert whole.stopped_because is StoppedBecause.GOAL
    alone = teach(room, learner=Tired(), groups=Individuals())
    for student in (0, 7):
        one = teach(room.subset([student]), learner=Tired())
        np.testing.assert_allclose(alone.groups[student].errors, one.errors, atol=1e-12)
    again = teach(room, learner=Tired())
    np.testing.assert_array_equal(again.errors, whole.errors)


def test_a_goal_that_needs_states_gets_them_from_the_exact_engine(room: Classroom) -> None:
    record = teach(room, goal=Most(), groups="by-rate")
    assert record.stopped_because is StoppedBecause.GOAL
    squared = ((record.final_states - room.target) ** 2).sum(axis=1)
    for group in range(len(record.groups)):
        assert Most().score(squared[record.members(group)]) <= 0.1


def test_a_planner_warns_of_students_whose_steps_it_does_not_know(room: Classroom) -> None:
    """It still runs; with a learner that declares its noise there is nothing to warn of."""
    planned = PlannedTeacher(polish=False)
    with pytest.warns(UserWarning, match="`noise`"):
        record = teach(room, teacher=planned, learner=MomentumLearner(0.2))
    assert record.stopped_because is StoppedBecause.GOAL
    teach(room, teacher=planned, learner=StochasticRateLearner(0.01))


@dataclass(frozen=True)
class Peers(AbstractLearner):
    """Students who also move towards the mean of their class."""

    loss: AbstractLoss = Squared()

    def step(
        self, states: Array, rates: Array, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        step = GradientLearner(self.loss).step(states, rates, memory, example, rng)
        return Step(step.states + 0.1 * (step.states.mean(axis=0) - step.states), rates)


def test_students_who_influence_each_other_are_taught_one_by_one() -> None:
    """Alone there is no one to be influenced by: they learn as plain students do."""
    room = Classroom.sample(students=6, dimensions=3, rates=(0.1, 0.3), example_radius=1.0)
    for teacher in (ClassroomTeacher(), PoolTeacher(ItemPool(np.eye(3)))):
        alone = teach(room, teacher=teacher, learner=Peers(), groups="individuals")
        plain = teach(room, teacher=teacher, groups="individuals")
        assert alone.rounds == plain.rounds
        np.testing.assert_allclose(alone.final_states, plain.final_states, atol=1e-9)


@dataclass(frozen=True)
class Confident(AbstractExaminer):
    """Sees everything, but ends a lesson after three rounds."""

    needs_students = False

    @property
    def error_bounds(self) -> ObservationNoise:
        return NOISELESS

    def begin(self, room: Classroom) -> int:
        return 0

    def observe(self, truth: Observation, memory: int, rng: np.random.Generator) -> Observation:
        return truth.seen_with(memory=memory, notes={"looks": 1})

    def remember(self, memory: int, outcome: Outcome) -> int:
        return memory + 1

    def judged(self, memory: int) -> Any:
        return (1.0, 1.0) if memory < 3 else (0.0, 0.0)


def test_an_examiner_decides_when_each_student_alone_is_done() -> None:
    room = Classroom.sample(students=6, dimensions=3, example_radius=0.5)
    alone = teach(room, groups="individuals", observer=Confident())
    assert alone.transcript.rounds.tolist() == [3] * 6
    why = certify(room, groups="individuals", observer=Confident()).why
    assert "ends by the estimates of Confident (`judged`)" in why


def test_an_observer_of_moments_may_have_a_memory_and_notes_of_its_own() -> None:
    """The engine's moments are passed on, also by the sketch, which has nothing else."""
    room = Classroom.sample(students=6, dimensions=3)
    observer = type("Mine", (Confident,), {"judged": lambda self, memory: None})()
    record = teach(room, observer=observer, engine="sketch")
    np.testing.assert_allclose(record.errors, teach(room).errors, rtol=1e-6)
    assert record.counts["looks"] == record.rounds
