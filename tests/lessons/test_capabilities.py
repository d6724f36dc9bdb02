"""What components declare, and what that lets them use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from homeroom import (
    AttentionLearner,
    AverageGoal,
    Classroom,
    ClassroomTeacher,
    DirectionPool,
    EveryoneGoal,
    ExactObserver,
    Example,
    GradientLearner,
    Individuals,
    MomentumLearner,
    NoisyMoments,
    Observation,
    PlannedTeacher,
    PoolTeacher,
    QuizObserver,
    RandomTeacher,
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
from homeroom.pools import AbstractPool, Ball, Candidates, ItemPool, Pick, SeesMoments
from homeroom.teachers import AbstractTeacher, AbstractTutor, Choices, GreedyRule


@dataclass(frozen=True)
class Steepest(AbstractTeacher, AbstractTutor):
    """The classroom teacher with a static magnitude, written again."""

    declared: bool = True

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"moments"}) if self.declared else super().needs

    @property
    def greedy(self) -> GreedyRule | None:
        return GreedyRule(Ball()) if self.declared else None

    def prepare(self, room: Classroom, loss: AbstractLoss) -> Steepest:
        return self

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        value, direction = top_eigenvector(seen.moments.weigh(seen.gentle_g))
        return seen.example(np.sqrt(seen.gentle_g) * direction) if value > 0 else None

    def choose_each(self, seen: Observation, rng: np.random.Generator) -> Choices:
        return ClassroomTeacher().choose_each(seen, rng)


@dataclass(frozen=True)
class Wandering(AbstractLearner):
    """A gradient step with rates that vary; the rule by which they add to moments is declared."""

    sigma: float = 0.05
    declared: bool = True
    loss: AbstractLoss = Squared()

    @property
    def shrinks_gaps(self) -> bool:
        return False

    @property
    def step_noise(self) -> Noise | None:
        return Noise(rate_variance=self.sigma**2) if self.declared else None

    def step(
        self,
        states: Array,
        rates: Array,
        x: Array,
        y: Array,
        *,
        state_radius: float,
        rng: np.random.Generator,
    ) -> Step:
        drawn = rates + self.sigma * rng.standard_normal(rates.shape)
        plain = GradientLearner(self.loss)
        return plain.step(states, drawn, x, y, state_radius=state_radius, rng=rng)


@dataclass(frozen=True)
class Tired(AbstractLearner):
    """Students who learn less with every example they have seen: the memory counts examples."""

    loss: AbstractLoss = Squared()

    @property
    def shrinks_gaps(self) -> bool:
        return False

    def begin(self, room: Classroom) -> Any:
        return np.zeros(room.students)

    def step(
        self,
        states: Array,
        rates: Array,
        x: Array,
        y: Array,
        *,
        state_radius: float,
        rng: np.random.Generator,
        memory: Any = None,
    ) -> Step:
        left = rates / (1.0 + 0.1 * memory)
        plain = GradientLearner(self.loss)
        step = plain.step(states, left, x, y, state_radius=state_radius, rng=rng)
        return Step(step.states, left, memory + 1.0)


@dataclass(frozen=True)
class Counting(AbstractObserver):
    """Passes everything on; with or without declaring that."""

    declared: bool = True

    @property
    def provides(self) -> frozenset[str]:
        return frozenset({"moments", "states"}) if self.declared else super().provides

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
    smooth: bool = True

    def reached(self, progress: ClassProgress) -> bool:
        assert progress.states is not None
        assert progress.target is not None
        gaps = np.asarray(progress.states()) - progress.target
        return self.score((gaps * gaps).sum(axis=1)) <= self.eps

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"states"})

    @property
    def alone(self) -> float:
        return self.eps

    def score(self, squared_distances: Floats) -> float:
        return float(np.quantile(squared_distances, self.share, method="higher"))

    def smooth_score(self, squared_distances: Floats) -> tuple[float, Floats] | None:
        if not self.smooth:
            return None
        order = np.argsort(squared_distances)
        slopes = np.zeros_like(squared_distances)
        slopes[order[int(np.ceil(self.share * (len(order) - 1)))]] = 1.0
        return self.score(squared_distances), slopes


@dataclass(frozen=True)
class OldGoal(AbstractGoal):
    """A goal as version 0.1 had them."""

    eps: float = 0.1

    def reached(self, mean_squared: float, farthest: float) -> bool:
        return mean_squared <= self.eps and farthest <= 1.0

    @property
    def alone(self) -> float:
        return self.eps


@dataclass(frozen=True, eq=False)
class Compass(AbstractPool):
    """Directions, listed only by declaring them."""

    directions: Floats

    @property
    def rescalable(self) -> bool:
        return True

    @property
    def labels(self) -> None:
        return None

    def best(self, moments: SeesMoments, g: float) -> Pick:
        return DirectionPool(self.directions).best(moments, g)

    def candidates(self, radius: float) -> Candidates | None:
        return None

    def draw(self, count: int, dimensions: int, rng: np.random.Generator) -> Candidates:
        return DirectionPool(self.directions).draw(count, dimensions, rng)

    def fit(self, dimensions: int, radius: float) -> Compass:
        return self

    def untaught(self, dimensions: int) -> Floats:
        return np.empty((dimensions, 0))


@pytest.fixture
def room() -> Classroom:
    return Classroom.sample(students=30, dimensions=3, rates=(0.1, 0.5), example_radius=1.0)


def test_a_teacher_that_needs_only_moments_teaches_a_sketch(room: Classroom) -> None:
    sketched = teach(room, teacher=Steepest(), engine="sketch")
    assert sketched.engine == "sketch"
    np.testing.assert_allclose(sketched.errors, teach(room).errors, rtol=1e-7)
    with pytest.raises(ValueError, match=r"Steepest may look at.*'states' is in its `needs`"):
        teach(room, teacher=Steepest(declared=False), engine="sketch")


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
    with pytest.raises(ValueError, match="Wandering declares no `step_noise`"):
        teach(room, learner=Wandering(declared=False), engine="sketch")


def test_an_observer_that_provides_moments_is_sketched(room: Classroom) -> None:
    sketched = teach(room, observer=Counting(), engine="sketch")
    assert sketched.rounds == teach(room, observer=ExactObserver()).rounds
    with pytest.raises(ValueError, match=r"Counting looks at.*'moments' is not in its `provides`"):
        teach(room, observer=Counting(declared=False), engine="sketch")


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


def test_a_learner_without_memory_is_called_as_before(room: Classroom) -> None:
    """``Wandering.step`` takes no memory."""
    assert teach(room, learner=Wandering(sigma=0.0)).rounds == teach(room).rounds


@pytest.mark.parametrize("goal", [AverageGoal(0.5), EveryoneGoal(0.9), OldGoal(0.5)])
def test_a_goal_takes_a_progress_or_two_numbers(goal: AbstractGoal) -> None:
    for mean, farthest in ((0.4, 0.8), (0.6, 0.95), (0.4, 2.0)):
        expected = goal.reached(mean_squared=mean, farthest=farthest)
        assert goal.reached(mean, farthest) is expected
        assert goal.reached(ClassProgress(mean, farthest)) is expected


def test_a_goal_that_needs_states_gets_them_from_the_exact_engine(room: Classroom) -> None:
    record = teach(room, goal=Most(), groups="by-rate")
    assert record.stopped_because is StoppedBecause.GOAL
    squared = ((record.final_states - room.target) ** 2).sum(axis=1)
    for group in range(len(record.groups)):
        assert Most().score(squared[record.members(group)]) <= 0.1
    with pytest.raises(ValueError, match="Most needs states of the students"):
        teach(room, goal=Most(), engine="sketch")


@pytest.mark.slow
@pytest.mark.parametrize("smooth", [True, False])
def test_a_goal_with_a_score_is_planned(room: Classroom, smooth: bool) -> None:
    goal, room = Most(smooth=smooth), room.subset(range(10))
    planned = teach(room, teacher=PlannedTeacher(), goal=goal)
    assert planned.stopped_because is StoppedBecause.GOAL
    assert planned.rounds <= teach(room, goal=goal).rounds
    squared = ((planned.final_states - room.target) ** 2).sum(axis=1)
    assert goal.score(squared) <= 0.1 < squared.max()  # planned by the score, not by the farthest


def test_a_goal_without_a_score_is_not_planned_on_the_mean(room: Classroom) -> None:
    with pytest.raises(ValueError, match=r"what OldGoal minimises: let score\(squared_distances\)"):
        teach(room, teacher=PlannedTeacher(), goal=OldGoal())


def test_a_score_for_students_needs_a_mean_for_representatives() -> None:
    room = Classroom.sample(students=2000, dimensions=2)

    @dataclass(frozen=True)
    class Farthest(AbstractGoal):
        eps: float = 0.3

        def reached(self, progress: ClassProgress) -> bool:
            return progress.farthest**2 <= self.eps

        @property
        def alone(self) -> float:
            return self.eps

        def score(self, squared_distances: Floats) -> float:
            return float(squared_distances.max())

    with pytest.raises(ValueError, match=r"let enough_mean\(students\) return one"):
        teach(room, teacher=PlannedTeacher(), goal=Farthest(), engine="sketch")


@pytest.mark.slow
def test_directions_of_a_pool_of_your_own_are_used_like_ours(room: Classroom) -> None:
    directions = DirectionPool(np.random.default_rng(3).standard_normal((12, 3))).directions
    for groups in ("whole", "individuals"):
        ours, own = (
            teach(room, teacher=PoolTeacher(pool), groups=groups)
            for pool in (DirectionPool(directions), Compass(directions))
        )
        np.testing.assert_allclose(own.errors, ours.errors, rtol=1e-12)
    ours, own = (
        teach(room, teacher=PlannedTeacher(pool=pool))
        for pool in (DirectionPool(directions), Compass(directions))
    )
    assert own.rounds == ours.rounds


@dataclass(frozen=True)
class Estimating(AbstractExaminer):
    """Estimates the progress by two numbers, and what students know not at all."""

    def begin(self, room: Classroom) -> None:
        return None

    def observe(self, truth: Observation, memory: None, rng: np.random.Generator) -> Observation:
        return truth

    def remember(self, memory: None, outcome: Outcome) -> None:
        return None

    def judged(self, memory: None) -> tuple[float, float]:
        return 0.0, 0.0


@dataclass(frozen=True)
class Knowing(AbstractGoal):
    """Half of the answers are right."""

    def reached(self, progress: ClassProgress) -> bool:
        assert progress.knows is not None
        return progress.knows.of_class.middle > 0.5

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"knows"})


LABELLED = PoolTeacher(ItemPool(np.eye(3), labels=[1.0, -1.0, 1.0]))


@pytest.mark.parametrize(
    ("lesson", "why"),
    [
        ({"learner": Tired(), "engine": "sketch"},
         "Tired declares no `step_noise`.*let it return a Noise"),
        ({"observer": Counting(declared=False), "engine": "sketch"},
         "'moments' is not in its `provides`.*add 'moments'"),
        ({"teacher": Steepest(declared=False), "engine": "sketch"},
         "'states' is in its `needs`.*let `needs` return"),
        ({"teacher": LABELLED, "engine": "sketch"}, "labels of its own.*`own_labels` of Pool"),
        ({"goal": Most(), "engine": "sketch"}, "Most needs states.*let `needs` be empty"),
        ({"goal": Knowing()}, "Knowing needs.*'knows' in its `needs`.*ExactObserver does not"),
        ({"goal": Knowing(), "observer": Estimating()}, "Estimating does not.*let `knows` of an"),
        ({"goal": Most(), "observer": Estimating()}, "'states' in its `needs`.*let `judged` ret"),
        ({"teacher": PlannedTeacher(), "goal": OldGoal()}, r"let score\(squared_distances\)"),
        ({"teacher": PlannedTeacher(), "learner": GradientLearner("absolute")},
         "the loss is Absolute .`is_quadratic` is False"),
        ({"teacher": PlannedTeacher(), "observer": NoisyMoments(0.1)}, "without `noise`"),
        ({"observer": QuizObserver(live=True)}, "QuizObserver waits.*`is_live`"),
        ({"learner": AttentionLearner(0.5), "verify": True}, "`is_random` of AttentionLearner"),
    ],
)  # fmt: skip
def test_a_missing_capability_is_named_with_what_to_implement(
    room: Classroom, lesson: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        teach(room, **lesson)


@pytest.mark.parametrize(
    ("lesson", "why"),
    [
        ({"learner": GradientLearner("absolute")}, "`is_quadratic` of Absolute is False"),
        ({"goal": OldGoal()}, "let OldGoal.enough_mean(students) return it"),
        ({"teacher": LABELLED}, "`own_labels` of PoolTeacher"),
        ({"teacher": Steepest(declared=False)}, "let `greedy` return a GreedyRule"),
        ({"learner": Tired()}, "let `step_noise` return a Noise"),
        ({"observer": Counting(declared=False)}, "let `error_bounds` return an ObservationNoise"),
    ],
)
def test_a_certificate_names_the_capability_that_is_missing(
    room: Classroom, lesson: dict[str, Any], why: str
) -> None:
    certificate = certify(room, **lesson)
    assert certificate.rounds is None
    assert why in certificate.why


def test_a_planner_warns_of_students_whose_steps_it_does_not_know(room: Classroom) -> None:
    """It still runs; with a learner that declares its noise there is nothing to warn of."""
    planned = PlannedTeacher(polish=False)
    with pytest.warns(UserWarning, match=r"MomentumLearner declares no `step_noise`.*return a No"):
        record = teach(room, teacher=planned, learner=MomentumLearner(0.2))
    assert record.stopped_because is StoppedBecause.GOAL
    teach(room, teacher=planned, learner=StochasticRateLearner(0.01))


def test_what_ours_declare() -> None:
    labelled = ItemPool(np.eye(2), labels=[1.0, -1.0])
    assert ClassroomTeacher().needs == {"moments"}
    assert RandomTeacher().needs == set()
    assert PoolTeacher(labelled).needs == {"states"}
    assert PoolTeacher(labelled).own_labels
    assert PlannedTeacher().greedy is None
    assert EveryoneGoal(0.3).enough_mean(9) == pytest.approx(0.01)


@dataclass(frozen=True)
class Peers(AbstractLearner):
    """Students who also move towards the mean of their class."""

    loss: AbstractLoss = Squared()

    @property
    def shrinks_gaps(self) -> bool:
        return False

    def step(self, states: Array, rates: Array, x: Array, y: Array, **more: Any) -> Step:
        step = GradientLearner(self.loss).step(states, rates, x, y, **more)
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

    @property
    def provides(self) -> frozenset[str]:
        return frozenset({"moments", "states"})

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


def test_an_estimate_that_is_no_progress_is_named() -> None:
    observer = type("Mine", (Confident,), {"judged": lambda self, memory: 0.5})()
    with pytest.raises(TypeError, match=r"Mine\.judged must return a ClassProgress, .*float 0\.5"):
        teach(Classroom.sample(students=6, dimensions=3), observer=observer)


def test_an_observer_of_moments_may_have_a_memory_and_notes_of_its_own() -> None:
    """The engine's moments are passed on, also by the sketch, which has nothing else."""
    room = Classroom.sample(students=6, dimensions=3)
    observer = type("Mine", (Confident,), {"judged": lambda self, memory: None})()
    record = teach(room, observer=observer, engine="sketch")
    np.testing.assert_allclose(record.errors, teach(room).errors, rtol=1e-6)
    assert record.counts["looks"] == record.rounds


@pytest.mark.parametrize("groups", ["whole", "individuals"])
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda seen: seen.gaps, "must return an Observation, such as truth.seen_with"),
        (lambda seen: seen.seen_with(gaps=np.nan * seen.gaps), "finite numbers, but `gaps` has"),
        (lambda seen: seen.seen_with(gaps=seen.gaps[1:]), r"`gaps` of shape \(\d, 3\), but ret"),
        (lambda seen: seen.seen_with(rates=0.0 * seen.rates), "a positive rate for some student"),
        (lambda seen: seen.seen_with(noise=np.ones(3)), r"`noise` of shape \(3, 3\), but returned"),
        (lambda seen: seen.seen_with(noise=np.triu(np.ones((3, 3)))), "as a symmetric matrix"),
    ],
)
def test_an_observation_that_is_none_of_the_class_is_named(
    change: Any, sentence: str, groups: str
) -> None:
    members = {
        "provides": frozenset({"states"}),
        "error_bounds": None,
        "observe": lambda self, truth, memory, rng: change(truth),
        "begin": lambda self, room: None,
        "remember": lambda self, memory, outcome: None,
    }
    observer = type("Mine", (AbstractObserver,), members)()
    room = Classroom.sample(students=6, dimensions=3)
    with pytest.raises(ValueError, match=rf"Mine\.observe .*{sentence}"):
        teach(room, observer=observer, groups=groups)


def test_choices_in_another_array_library_are_named() -> None:
    strict = pytest.importorskip("array_api_strict")
    room = Classroom.sample(students=6, dimensions=3)
    parts = (strict.asarray(np.array(part)) for part in (room.states, room.rates, room.target))

    def choose_each(self: Any, seen: Observation, rng: np.random.Generator) -> Choices:
        return Choices(np.ones((6, 3)), np.ones(6), np.full(6, -1))

    teacher = type("Mine", (Steepest,), {"choose_each": choose_each, "greedy": None})()
    with pytest.raises(TypeError, match=r"of the class.s own library, that of seen\.gaps"):
        teach(Classroom(*parts), teacher=teacher, groups="individuals")


@dataclass(frozen=True)
class RightAnswers(AbstractGoal):
    """All students answer rightly, which a certificate can use."""

    def reached(self, progress: ClassProgress) -> bool:
        return bool(progress.accuracy(np.eye(3)).min() == 1.0)

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"states"})

    def enough_mean(self, students: int) -> float:
        return 1e-6 / students


def test_a_goal_about_answers_is_certified_with_several_outputs() -> None:
    room = Classroom.sample(students=6, dimensions=3, outputs=2)
    rounds = certify(room, goal=RightAnswers()).rounds
    assert rounds is not None
    assert 0 < teach(room, goal=RightAnswers()).rounds <= rounds
