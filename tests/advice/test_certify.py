import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeroom import (
    AttentionLearner,
    AverageGoal,
    ByRate,
    Classroom,
    ClassroomTeacher,
    DirectionPool,
    EveryoneGoal,
    ExactObserver,
    GradientLearner,
    Individuals,
    ItemPool,
    LangevinLearner,
    Lesson,
    MeanTeacher,
    MomentumLearner,
    NoisyMoments,
    NoisyStates,
    PoolTeacher,
    RandomTeacher,
    RateHistory,
    StochasticRateLearner,
    certify,
    teach,
)
from homeroom.advice.certificate import rounds_for
from homeroom.goals import AbstractGoal
from homeroom.learners import AbstractLearner
from homeroom.observers import AbstractObserver

exactly = settings(deadline=None, derandomize=True, max_examples=40)


@st.composite
def classrooms(draw: st.DrawFn, *, widest: float = 10.0, rank: bool = True) -> Classroom:
    """Classes of all shapes: few or many students, of low rank, in a tight ball or in none."""
    students, dimensions = draw(st.integers(1, 25)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    slowest = draw(st.sampled_from([0.02, 0.1, 1.0])) * draw(st.floats(1.0, 3.0))
    rates = slowest * (1 + (draw(st.floats(1.0, widest)) - 1) * rng.random(students))
    # Students and coordinates of very different scale: what is small must not be taken for nothing.
    states = rng.standard_normal((students, dimensions))
    widest_scale = draw(st.sampled_from([0, 1, 4]))
    states *= 10.0 ** rng.uniform(-widest_scale, widest_scale, states.shape)
    target = rng.standard_normal(dimensions)
    if rank and draw(st.booleans()):
        target *= 0
        states[:, 0] = 0
    length = max(np.linalg.norm(states, axis=1).max(), np.linalg.norm(target))
    radius = draw(st.sampled_from([math.inf, 1.01 * length + 1e-9]))
    return Classroom(
        states, rates, target, state_radius=radius, example_radius=draw(st.floats(0.3, 4.0))
    )


goals = st.one_of(st.floats(1e-4, 0.5).map(AverageGoal), st.floats(1e-2, 0.5).map(EveryoneGoal))


@pytest.mark.slow
@given(classrooms(), goals)
@exactly
def test_no_static_lesson_takes_longer_than_its_certificate(
    room: Classroom, goal: AbstractGoal
) -> None:
    """T(simulated) <= T(certified), Theorem 1 with the corrected constants."""
    proved = certify(room, goal=goal)
    assert proved.rounds is not None
    assert teach(room, goal=goal).rounds <= proved.rounds


@pytest.mark.slow
@given(classrooms(widest=1.9), goals, st.sampled_from(["dynamic", "joint", "best"]))
@exactly
def test_no_dynamic_lesson_takes_longer_than_its_certificate_before_it(
    room: Classroom, goal: AbstractGoal, magnitude: str
) -> None:
    teacher = ClassroomTeacher(magnitude)
    proved = certify(room, goal=goal, teacher=teacher)
    assert proved.rounds is not None
    assert teach(room, goal=goal, teacher=teacher).rounds <= proved.rounds


@pytest.mark.slow
@given(classrooms(), st.sampled_from(["dynamic", "joint", "best"]))
@exactly
def test_no_safe_lesson_takes_longer_than_its_certificate_after_it(
    room: Classroom, magnitude: str
) -> None:
    teacher = ClassroomTeacher(magnitude, safe=True)
    record = teach(room, teacher=teacher, max_rounds=2000)
    proved = certify(room, teacher=teacher, record=record)
    if proved.rounds is not None:
        assert record.rounds <= proved.rounds
        bounds = [proved.bound(t) for t in range(len(record.errors))]
        assert np.all(record.errors <= np.array(bounds) * (1 + 1e-9) + 1e-12)


def rounds_at_other_rates(room: Classroom, factors: Any, most: int, **settings: Any) -> int:
    """Return the rounds of a lesson for students whose rates are not what the teacher thinks."""
    lesson = Lesson(room, max_rounds=most + 1, **settings)
    gaps, rates = room.gaps, room.rates * factors
    while (example := lesson.ask()) is not None:
        assert not isinstance(example, tuple)
        gaps = gaps - (rates * (gaps @ example.x))[:, None] * example.x
        lesson.tell(states=gaps + room.target)
    return lesson.record().rounds


@pytest.mark.slow
@given(
    classrooms(widest=1.9),
    goals,
    st.sampled_from(["static", "dynamic", "joint", "best"]),
    st.sampled_from([0.02, 0.1, 0.3]),
    st.integers(0, 1000),
)
@exactly
def test_no_lesson_at_any_rates_in_the_range_takes_longer_than_its_certificate(
    room: Classroom, goal: AbstractGoal, magnitude: str, within: float, seed: int
) -> None:
    room = replace(room, state_radius=math.inf)
    teacher = ClassroomTeacher(magnitude, safe=True, rates_within=within)
    proved = certify(room, goal=goal, teacher=teacher)
    exact = certify(room, goal=goal, teacher=replace(teacher, rates_within=0.0))
    if proved.rounds is None or proved.rounds > 2000:
        return
    if magnitude == "static":
        assert exact.rounds is not None
        assert proved.rounds >= exact.rounds
    rng = np.random.default_rng(seed)
    for factors in (
        1.0 - within,
        1.0 + within,
        1.0 + within * rng.choice([-1.0, 1.0], room.students),
    ):
        needed = rounds_at_other_rates(room, factors, proved.rounds, goal=goal, teacher=teacher)
        assert needed <= proved.rounds


def test_students_alone_are_certified_at_the_worse_end_of_their_rates() -> None:
    """What an example of the best length leaves is a tenth, so that a hundredth needs two."""
    room = Classroom([[1.0, 0.0], [0.0, 1.0]], [0.5, 0.25], [0.0, 0.0], example_radius=3.0)
    teacher, goal = ClassroomTeacher(rates_within=0.1), EveryoneGoal(0.011)
    assert certify(room, groups=Individuals(), goal=goal).rounds == 2
    proved = certify(room, groups=Individuals(), goal=goal, teacher=teacher)
    assert proved.rounds == 4
    assert "enough for rates within 0.1 of these" in proved.why


def test_rates_that_are_too_uncertain_have_no_certificate() -> None:
    room = Classroom([[1.0, 0.0], [0.0, 1.0]], [0.5, 0.3], [0.0, 0.0], example_radius=3.0)
    proved = certify(room, teacher=ClassroomTeacher("dynamic", rates_within=0.4))
    assert proved.rounds is None
    assert "some rates within the range may move a student away" in proved.why
    teacher = PoolTeacher(DirectionPool(np.eye(2)), rates_within=0.1)
    record = teach(room, teacher=teacher)
    assert "depends on the true rates" in certify(room, teacher=teacher, record=record).why


@given(classrooms(), st.floats(1e-4, 0.05), st.booleans())
@exactly
def test_no_lesson_with_noisy_observations_takes_longer_than_its_certificate(
    room: Classroom, delta: float, in_states: bool
) -> None:
    observer = NoisyStates(delta) if in_states else NoisyMoments(delta)
    proved = certify(room, observer=observer, goal=AverageGoal(0.3))
    record = teach(room, observer=observer, goal=AverageGoal(0.3), max_rounds=300)
    bounds = np.array([proved.bound(t) for t in range(len(record.errors))])
    if not math.isnan(proved.rate) and record.rounds:
        assert np.all(record.errors <= bounds * (1 + 1e-9))
    if proved.rounds is not None and proved.rounds <= 300:
        assert record.rounds <= proved.rounds


@pytest.mark.parametrize(
    ("learner", "observer"),
    [
        (AttentionLearner(0.6), ExactObserver()),
        (LangevinLearner(beta=1e4), ExactObserver()),
        (LangevinLearner(beta=1e4), NoisyMoments(1e-4)),
        (StochasticRateLearner(sigma=0.1), RateHistory(0.1, weights="known")),
    ],
)
def test_the_mean_error_of_random_students_stays_below_the_bound(
    learner: AbstractLearner, observer: AbstractObserver
) -> None:
    """E[mean |e|^2] after t rounds <= r^t start + floor."""
    room = Classroom.sample(students=30, dimensions=4, rates=(0.1, 0.4), seed=5)
    proved = certify(room, learner=learner, observer=observer)
    assert proved.in_expectation
    assert proved.rounds is not None
    curves = [
        teach(
            room,
            learner=learner,
            observer=observer,
            goal=AverageGoal(1e-300),
            max_rounds=proved.rounds,
            seed=seed,
        ).errors
        for seed in range(20)
    ]
    mean = np.mean(curves, axis=0)
    bounds = np.array([proved.bound(t) for t in range(len(mean))])
    assert np.all(mean <= bounds * (1 + 1e-9))
    assert mean[-1] <= 0.1


def test_groups_who_learn_at_random_are_certified_by_their_expected_errors() -> None:
    room = Classroom.sample(students=30, dimensions=3, rates=(0.1, 0.5))
    proved = certify(room, groups=ByRate(), learner=LangevinLearner(1e5))
    assert proved.rounds is not None
    assert str(proved) == (
        "In every group the expected error is small enough after its own rounds, "
        f"{proved.rounds} rounds in all: the sum over 3 groups, each certified on its own."
    )


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_a_pool_is_certified_from_its_lesson(seed: int, fixed: bool) -> None:
    room = Classroom.sample(students=20, dimensions=3, rates=(0.1, 0.3), seed=seed)
    rows = np.random.default_rng(seed).standard_normal((12, 3))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    teacher = PoolTeacher(ItemPool(1.2 * rows) if fixed else DirectionPool(rows))
    record = teach(room, teacher=teacher)
    proved = certify(room, teacher=teacher, record=record)
    assert proved.rounds is not None
    assert record.rounds <= proved.rounds
    assert "pools" in proved.why


def test_individuals_need_exactly_what_is_certified() -> None:
    room = Classroom.sample()
    proved = certify(room, groups=Individuals())
    assert proved.rounds == teach(room, groups=Individuals()).rounds


def test_the_rank_is_that_of_the_gaps_while_nothing_fills_the_space() -> None:
    states = np.zeros((10, 5))
    states[:, :2] = np.random.default_rng(0).standard_normal((10, 2))
    room = Classroom(states, np.full(10, 0.2), np.zeros(5))
    assert certify(room).rank == 2
    assert certify(room, observer=NoisyStates(1e-6)).rank == 5
    tight = Classroom(states, np.full(10, 0.2), np.zeros(5), state_radius=2.8)
    assert certify(tight).rank == 2
    shifted = Classroom(states, np.full(10, 0.2), [0.0, 0.0, 0.5, 0.0, 0.0], state_radius=2.8)
    assert certify(shifted).rank == 5


DIRECTIONS = PoolTeacher(DirectionPool(np.eye(3)))
KNOWN = RateHistory(0.1, weights="known")
UNPROVED: list[tuple[str, dict[str, Any]]] = [
    ("`rule`", {"teacher": RandomTeacher()}),
    ("`rule`", {"teacher": PoolTeacher(ItemPool(np.eye(3), labels=[1.0, 1.0, 1.0]))}),
    ("squared loss", {"learner": GradientLearner("logistic")}),
    ("away", {"teacher": ClassroomTeacher("dynamic")}),
    ("lesson", {"teacher": DIRECTIONS}),
    ("ExactObserver", {"teacher": DIRECTIONS, "observer": NoisyStates(0.1)}),
    ("`error_bounds`", {"teacher": DIRECTIONS, "observer": RateHistory(0.1)}),
    ("`noise`", {"teacher": DIRECTIONS, "learner": LangevinLearner(1e4)}),
    ("`error_bounds`", {"learner": StochasticRateLearner(0.1)}),
    ("weights", {"learner": StochasticRateLearner(0.1), "observer": RateHistory(0.1)}),
    ("sigma", {"learner": StochasticRateLearner(0.2), "observer": KNOWN}),
    ("clipped", {"learner": StochasticRateLearner(0.1, clip=True), "observer": KNOWN}),
    ("`error_bounds`", {"learner": LangevinLearner(1e4), "observer": NoisyStates(0.1)}),
    ("`error_bounds`", {"learner": LangevinLearner(1e4), "observer": RateHistory(0.1)}),
    ("`error_bounds`", {"learner": AttentionLearner(0.6), "observer": RateHistory(0.1)}),
    ("`error_bounds`", {"observer": RateHistory(0.1)}),
    ("`noise`", {"learner": MomentumLearner(0.1)}),
    ("noise", {"observer": NoisyStates(5.0)}),
    ("length", {"observer": NoisyStates(0.1, law="normal")}),
]


@pytest.mark.parametrize(("named", "lesson"), UNPROVED, ids=range(len(UNPROVED)))
def test_a_setting_without_a_proof_has_a_reason(named: str, lesson: dict[str, Any]) -> None:
    room = Classroom.sample(students=8, dimensions=3, rates=(0.1, 0.9))
    proved = certify(room, **lesson)
    assert proved.rounds is None
    assert named in proved.why


def test_a_group_without_a_proof_is_named() -> None:
    room = Classroom.sample(students=8, dimensions=3, rates=(0.1, 0.5))
    proved = certify(room, groups=ByRate(), teacher=MeanTeacher())
    assert proved.rounds is None
    assert proved.why.startswith("group 1: ")


@pytest.mark.parametrize(
    ("start", "rate", "floor", "enough", "rounds"),
    [
        (1.0, 0.5, 0.0, 0.25, 3),  # by rounding, two rounds might just miss it
        (1.0, 0.5, 0.0, 0.26, 2),
        (1.0, 0.5, 0.0, 0.24, 3),
        (1.0, 0.0, 0.0, 0.24, 1),
        (1.0, 0.5, 0.3, 0.24, None),
        (1.0, 1.0, 0.0, 0.24, None),
    ],
)
def test_rounds_are_the_first_at_which_the_bound_meets_the_goal(
    start: float, rate: float, floor: float, enough: float, rounds: int | None
) -> None:
    assert rounds_for(start, rate, floor, enough) == rounds


def test_a_tiny_error_next_to_a_huge_one_counts_as_a_direction() -> None:
    """k counts every direction that matters for the goal, however large the others are."""
    room = Classroom([[1e17, 0.0], [0.0, 1.0]], [0.5, 0.5], [0.0, 0.0])
    proved = certify(room)
    assert proved.rank == 2
    assert proved.rounds is not None
    assert teach(room).rounds <= proved.rounds


@given(st.integers(1, 4), st.floats(0.01, 0.24), st.integers(1, 30), st.integers(0, 99))
@exactly
def test_rounding_does_not_make_a_tight_bound_one_short(
    students: int, rate: float, rounds: int, seed: int
) -> None:
    """Students with the same state need exactly the bound."""
    state = np.random.default_rng(seed).standard_normal(2)
    room = Classroom(np.tile(state, (students, 1)), [rate] * students, [0.0, 0.0])
    goal = AverageGoal(room.error * (1 - 4 * rate) ** (2 * rounds))
    proved = certify(room, goal=goal)
    assert proved.rounds is not None
    assert teach(room, goal=goal).rounds <= proved.rounds
    if goal.eps > 1e-9 * room.error:
        assert proved.rounds <= rounds + 1


@pytest.mark.parametrize("students", [1, 2])
def test_a_student_who_barely_learns_has_no_certificate(students: int) -> None:
    room = Classroom(np.eye(2)[:students], [1e-20, 0.5][:students], [0.0, 0.0])
    alone = certify(room, groups=Individuals())
    assert alone.rounds is None
    assert "slowly" in alone.why
    together = certify(room)
    assert together.rounds is None
    assert "learns too slowly" in together.why


@pytest.mark.parametrize("limit", [1, 5])
def test_a_lesson_cut_short_proves_nothing(limit: int) -> None:
    room = Classroom.sample(students=10, dimensions=3, rates=(0.1, 0.9))
    for teacher in (
        ClassroomTeacher("dynamic", safe=True),
        PoolTeacher(DirectionPool(np.eye(3))),
    ):
        record = teach(room, teacher=teacher, max_rounds=limit)
        proved = certify(room, teacher=teacher, record=record)
        assert proved.rounds is None
        assert "did not reach its goal" in proved.why


def test_a_pool_that_cannot_teach_a_direction_has_no_certificate() -> None:
    room = Classroom.sample(students=3, dimensions=2)
    teacher = PoolTeacher(DirectionPool([[1.0, 0.0]]))
    with pytest.warns(UserWarning, match="1 of 2"):
        record = teach(room, teacher=teacher, max_rounds=500)
    with pytest.warns(UserWarning, match="1 of 2"):
        assert certify(room, teacher=teacher, record=record).rounds is None


def test_the_strongest_round_may_lie_between_the_ends() -> None:
    """alpha_avg is the greatest mean of alpha over all magnitudes the lesson can come to."""
    rates = np.array([0.1, 0.19])
    room = Classroom(3 * np.eye(2), rates, [0.0, 0.0], example_radius=5.0)
    proved = certify(room, teacher=ClassroomTeacher("dynamic"), observer=NoisyStates(1e-5))
    g = np.linspace(1 / rates.max(), 1 / rates.min(), 100_001)
    strongest = (2 * g * rates.mean() - g**2 * (rates**2).mean()).max()
    spread = 2 * strongest / proved.weakest
    assert proved.floor == pytest.approx(2e-5 * (3 + spread * (3 + 1e-5)), rel=1e-6)
