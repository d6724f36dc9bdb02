"""Classes with several outputs, compared with plain loops over single students."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom import (
    AccuracyGoal,
    AtRandom,
    AttentionLearner,
    AverageGoal,
    BestGroups,
    ByKnowledge,
    ByRate,
    Classroom,
    ClassroomTeacher,
    DirectionPool,
    EveryoneGoal,
    Example,
    GradientLearner,
    Individuals,
    ItemMemoryLearner,
    ItemPool,
    LangevinLearner,
    LargeClass,
    Lesson,
    MeanTeacher,
    NoisyMoments,
    NoisyStates,
    PlannedTeacher,
    PoolTeacher,
    QuizObserver,
    RandomTeacher,
    RateHistory,
    Record,
    StochasticRateLearner,
    StoppedBecause,
    certify,
    cli,
    compare,
    frontier,
    richness,
    teach,
)
from homeroom._arrays import Floats
from homeroom.classroom import project
from homeroom.engines import ExactClass
from homeroom.engines.individuals import taught_in_turn
from homeroom.engines.replay import replayed_exactly, replayed_with_digits
from homeroom.learners.losses import Absolute
from homeroom.lessons import save_students
from homeroom.lessons.transcript import AxesTranscript
from homeroom.moments import sketch_of

SIZES = [(2, 3), (3, 6), (4, 4), (5, 3)]
"""Outputs and dimensions; in the last, more outputs than dimensions."""


def room_of(outputs: int, dimensions: int, seed: int = 0, **settings: Any) -> Classroom:
    given: dict[str, Any] = {"students": 25, "rates": (0.05, 0.3)} | settings
    return Classroom.sample(dimensions=dimensions, outputs=outputs, seed=seed, **given)


def shown_one_by_one(room: Classroom, xs: Floats) -> tuple[Floats, Floats]:
    """Return all squared distances, ``(rounds + 1, students)``, and the states at the end."""
    states = [np.array(state) for state in room.states]
    squared = [[((w - room.target) ** 2).sum() for w in states]]
    for x in xs:
        for number, (w, rate) in enumerate(zip(states, room.rates, strict=True)):
            w = w - rate * np.outer(w @ x - room.target @ x, x)  # noqa: PLW2901
            length = math.sqrt((w**2).sum())
            states[number] = w if length <= room.state_radius else w * room.state_radius / length
        squared.append([((w - room.target) ** 2).sum() for w in states])
    return np.array(squared), np.array(states)


@pytest.mark.parametrize("magnitude", ["static", "dynamic", "joint", "best"])
@pytest.mark.parametrize(("outputs", "dimensions"), SIZES)
def test_the_exact_engine_equals_a_loop_over_students(
    outputs: int, dimensions: int, magnitude: str
) -> None:
    room = room_of(outputs, dimensions)
    record = teach(room, teacher=ClassroomTeacher(magnitude, safe=True), watch=[0, 7])
    squared, states = shown_one_by_one(room, record.examples.xs)
    np.testing.assert_allclose(record.errors, squared.mean(axis=1), rtol=1e-11)
    np.testing.assert_allclose(record.transcript.farthest(0) ** 2, squared.max(axis=1), rtol=1e-11)
    np.testing.assert_allclose(record.watched_errors, squared[:, [0, 7]], atol=1e-12)
    np.testing.assert_allclose(record.final_states, states, atol=1e-12)
    np.testing.assert_allclose(record.examples.ys, record.examples.xs @ room.target.T, atol=1e-12)
    assert record.final_states.shape == room.states.shape


def test_a_ball_of_states_is_kept_by_the_length_of_the_whole_state() -> None:
    room = room_of(3, 4, state_radius=2.0, spread=2.0, example_radius=3.0)
    record = teach(room, teacher=RandomTeacher(), max_rounds=40)
    squared, states = shown_one_by_one(room, record.examples.xs)
    np.testing.assert_allclose(record.errors, squared.mean(axis=1), rtol=1e-9)
    np.testing.assert_allclose(record.final_states, states, atol=1e-9)


@pytest.mark.parametrize(("outputs", "dimensions"), SIZES)
def test_each_example_is_the_best_of_all_directions(outputs: int, dimensions: int) -> None:
    """The top eigenvector of ``mean alpha_j E_j' E_j``, built student by student."""
    room = room_of(outputs, dimensions, seed=2)
    lesson = Lesson(room)
    gaps = room.states - room.target
    for _ in range(5):
        example = lesson.ask()
        assert example is not None
        g = float(example.x @ example.x)  # type: ignore[union-attr]
        weights = 2 * g * room.rates - g**2 * room.rates**2
        matrix = sum(a * e.T @ e for a, e in zip(weights, gaps, strict=True)) / room.students
        assert example.x @ matrix @ example.x / g == pytest.approx(  # type: ignore[union-attr]
            np.linalg.eigvalsh(matrix)[-1], rel=1e-9
        )
        lesson.tell()
        moves = room.rates[:, None] * (gaps @ example.x)  # type: ignore[union-attr]
        gaps = gaps - moves[:, :, None] * example.x  # type: ignore[union-attr]


@pytest.mark.parametrize(("outputs", "dimensions"), SIZES)
def test_the_sketch_agrees_within_its_estimate(outputs: int, dimensions: int) -> None:
    room = room_of(outputs, dimensions, seed=3, students=400)
    exact, sketch = (teach(room, engine=engine, verify=True) for engine in ("exact", "sketch"))
    assert sketch.engine == "sketch"
    assert sketch.rounds == exact.rounds
    assert abs(sketch.errors[-1] - exact.errors[-1]) <= sketch.error_estimate + 1e-12
    assert sketch.verified is not None
    assert sketch.verified["error"] == pytest.approx(exact.errors[-1], rel=1e-9)
    np.testing.assert_allclose(sketch.final_states, exact.final_states, atol=1e-9)
    farthest = math.sqrt(((room.states - room.target) ** 2).sum(axis=(1, 2)).max())
    assert sketch_of(room).farthest == pytest.approx(farthest)


def test_one_output_with_an_axis_of_its_own_is_the_class_without_it() -> None:
    plain = Classroom.sample(students=30, dimensions=4, seed=1)
    room = Classroom(plain.states[:, None, :], plain.rates, plain.target[None, :])
    assert room.outputs == 1
    for settings in (
        {},
        {"engine": "sketch"},
        {"groups": Individuals()},
        {"groups": ByRate()},
        {"groups": ByKnowledge(2)},
        {"teacher": MeanTeacher(), "max_rounds": 20},
        {"observer": NoisyStates(0.1), "max_rounds": 20},
        {"learner": LangevinLearner(1e4), "max_rounds": 20},
        {"goal": EveryoneGoal(0.3)},
    ):
        first, second = (teach(one, **settings) for one in (plain, room))
        np.testing.assert_array_equal(first.errors, second.errors)
        np.testing.assert_array_equal(first.examples.ys, second.examples.ys)
        np.testing.assert_array_equal(first.final_states, second.final_states[:, 0])
    assert isinstance(Lesson(room).ask().y, float)  # type: ignore[union-attr]
    assert certify(room).rounds == certify(plain).rounds


# Individuals


def rounds_alone(gap: Floats, rate: float, radius: float, enough: float) -> int:
    """Return how many best examples one student needs, found by a decomposition per round."""
    rounds, g = 0, min(1.0 / rate, radius**2)
    while (gap**2).sum() > enough:
        u = np.linalg.svd(gap)[2][0]
        gap = gap - rate * g * np.outer(gap @ u, u)
        rounds += 1
    return rounds


@pytest.mark.parametrize("radius", [0.9, 2.0, 5.0])
@pytest.mark.parametrize(("outputs", "dimensions"), SIZES)
def test_individual_lessons_count_the_largest_singular_values(
    outputs: int, dimensions: int, radius: float
) -> None:
    room = room_of(outputs, dimensions, seed=4, example_radius=radius, students=8)
    record = teach(room, goal=AverageGoal(0.03), groups=Individuals())
    assert isinstance(record.transcript, AxesTranscript)
    found = [
        rounds_alone(gap, rate, radius, 0.03)
        for gap, rate in zip(room.states - room.target, room.rates, strict=True)
    ]
    assert record.transcript.rounds.tolist() == found
    together = []
    for number, alone in enumerate(record.groups):
        squared, states = shown_one_by_one(room.subset([number]), alone.examples.xs)
        np.testing.assert_allclose(alone.errors, squared[:, 0], rtol=1e-9, atol=1e-25)
        np.testing.assert_allclose(record.final_states[number], states[0], atol=1e-12)
        assert alone.errors[-1] <= 0.03
        together.append(np.append(squared[:, 0], np.full(record.rounds, squared[-1, 0])))
    mean = np.mean([row[: len(record.errors)] for row in together], axis=0)
    np.testing.assert_allclose(record.errors, mean, rtol=1e-9, atol=1e-25)
    assert record.error_after(3) == pytest.approx(mean[min(3, len(mean) - 1)])
    assert certify(room, goal=AverageGoal(0.03), groups=Individuals()).rounds == record.rounds


@pytest.mark.parametrize(("outputs", "dimensions"), SIZES)
def test_individuals_in_step_need_as_many_examples(outputs: int, dimensions: int) -> None:
    room = room_of(outputs, dimensions, seed=5)
    closed = teach(room, groups=Individuals())
    stepped = teach(room, groups=Individuals(), learner=AttentionLearner(1.0))
    assert not isinstance(stepped.transcript, AxesTranscript)
    np.testing.assert_array_equal(closed.transcript.rounds, stepped.transcript.rounds)
    np.testing.assert_allclose(closed.errors, stepped.errors, rtol=1e-9)
    alone = [teach(room.subset([j]), engine="exact").rounds for j in range(room.students)]
    assert closed.transcript.rounds.tolist() == alone


def test_students_at_the_edge_of_the_ball_are_taught_in_step() -> None:
    room = room_of(2, 3, state_radius=1.5, students=6)
    record = teach(room, groups=Individuals())
    assert not isinstance(record.transcript, AxesTranscript)
    for number, alone in enumerate(record.groups):
        squared, _ = shown_one_by_one(room.subset([number]), alone.examples.xs)
        np.testing.assert_allclose(alone.errors, squared[:, 0], rtol=1e-9, atol=1e-25)


def test_counting_in_turn_equals_multiplying_one_by_one() -> None:
    rng = np.random.default_rng(0)
    squares = rng.exponential(size=(60, 4)) * 10.0 ** rng.integers(-6, 3, size=(60, 4))
    squares[:5] = squares[:5, :1]  # ties
    squares[5, 1:] = 0.0
    shrink = rng.uniform(0.0, 0.98, size=60)
    shrink[6:10] = 0.0
    for limit in (10**6, 7):
        counts = taught_in_turn(squares, shrink, 1e-4, limit)
        for values, factor, found in zip(squares, shrink, counts, strict=True):
            left, rounds = values.copy(), 0
            while left.sum() > 1e-4 and rounds < limit:
                left[left.argmax()] *= factor**2
                rounds += 1
            assert found.sum() == rounds
            kept = values * factor ** (2.0 * found)
            np.testing.assert_allclose(np.sort(kept), np.sort(left), rtol=1e-9, atol=1e-30)


def test_students_who_do_not_move_use_up_their_rounds() -> None:
    counts = taught_in_turn(np.array([[1.0, 2.0]]), np.array([1.0]), 0.1, 50)
    assert counts.sum() == 50


# Teachers, pools, observers, learners, goals


@pytest.mark.parametrize("goal", [AverageGoal(0.1), EveryoneGoal(0.4)])
@pytest.mark.parametrize("outputs", [2, 4])
def test_a_plan_is_shorter_and_keeps_all_students_within_their_limits(
    outputs: int, goal: AverageGoal | EveryoneGoal
) -> None:
    room = room_of(outputs, 3, seed=6, students=12, rates=(0.1, 0.8))
    plan = teach(room, teacher=PlannedTeacher(polish=False), goal=goal)
    steps = teach(room, teacher=ClassroomTeacher("dynamic", safe=True), goal=goal)
    assert plan.stopped_because is steps.stopped_because
    assert plan.rounds <= steps.rounds
    squared, _ = shown_one_by_one(room, plan.examples.xs)
    assert squared.max() <= squared[0].max() * (1 + 1e-9)
    allowed = np.maximum(4.0 * squared[0], goal.alone)
    assert (squared <= allowed * (1 + 1e-9)).all()
    np.testing.assert_allclose(plan.errors, squared.mean(axis=1), rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("goal", [AverageGoal(0.1), EveryoneGoal(0.4)])
def test_polished_plans_keep_the_limits_too(seed: int, goal: AverageGoal | EveryoneGoal) -> None:
    room = room_of(2 + seed, 4, seed=seed, students=20, rates=(0.1, 1.2))
    steps = min(
        teach(room, teacher=teacher, goal=goal).rounds
        for teacher in (ClassroomTeacher(safe=True), ClassroomTeacher("dynamic", safe=True))
    )
    for within in (0.0, 0.1):
        plan = teach(room, teacher=PlannedTeacher(rates_within=within), goal=goal)
        assert plan.stopped_because.value == "the goal was reached"
        assert within > 0.0 or plan.rounds <= steps
        for factor in (1.0 - within, 1.0, 1.0 + within):
            off = Classroom(room.states, factor * room.rates, room.target)
            squared, _ = shown_one_by_one(off, plan.examples.xs)
            assert squared.max() <= squared[0].max() * (1 + 1e-9)
            assert (squared <= np.maximum(4.0 * squared[0], goal.alone) * (1 + 1e-9)).all()


def test_a_large_class_is_planned_for_by_its_sketch() -> None:
    room = room_of(2, 3, seed=7, students=700, rates=(0.1, 0.5))
    record = teach(room, teacher=PlannedTeacher(polish=False), engine="sketch")
    squared, _ = shown_one_by_one(room, record.examples.xs)
    np.testing.assert_allclose(record.errors, squared.mean(axis=1), rtol=1e-8)
    assert (squared <= squared[0] * (1 + 1e-9)).all()
    assert record.stopped_because.value == "the goal was reached"


@pytest.mark.parametrize("planned", [False, True])
@pytest.mark.parametrize("free", [False, True])
def test_pools_teach_several_outputs(free: bool, planned: bool) -> None:
    rng = np.random.default_rng(1)
    room = room_of(3, 4, seed=8, students=10)
    rows = rng.standard_normal((30, 4))
    pool = DirectionPool(rows) if free else ItemPool(rows / np.linalg.norm(rows, axis=1)[:, None])
    teacher = PlannedTeacher(pool=pool, polish=False) if planned else PoolTeacher(pool)
    record = teach(room, teacher=teacher)
    squared, _ = shown_one_by_one(room, record.examples.xs)
    np.testing.assert_allclose(record.errors, squared.mean(axis=1), rtol=1e-9)
    assert record.stopped_because.value == "the goal was reached"
    assert record.examples.ys.shape == (record.rounds, 3)
    if not planned:
        shares = richness(room, record)
        assert ((shares > 0.0) & (shares <= 1.0 + 1e-12)).all()
        proved = certify(room, teacher=teacher, record=record)
        assert proved.rounds is not None
        assert proved.rounds >= record.rounds


@pytest.mark.parametrize("free", [False, True])
def test_pools_teach_individuals_their_best_item(free: bool) -> None:
    room = room_of(2, 3, seed=9, students=4)
    rows = np.random.default_rng(2).standard_normal((20, 3))
    pool = DirectionPool(rows) if free else ItemPool(rows / 2.0)
    record = teach(room, teacher=PoolTeacher(pool), groups=Individuals(), max_rounds=30)
    for number in range(4):
        alone = teach(room.subset([number]), teacher=PoolTeacher(pool), max_rounds=30)
        assert record.groups[number].examples.items.tolist() == alone.examples.items.tolist()


def test_the_mean_teacher_moves_the_mean_where_it_errs_most() -> None:
    room = room_of(3, 5, seed=10)
    example = Lesson(room, teacher=MeanTeacher()).ask()
    top = np.linalg.svd((room.states - room.target).mean(axis=0))[2][0]
    assert abs(example.direction @ top) == pytest.approx(1.0)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("observer", "learner"),
    [
        (NoisyStates(0.02), GradientLearner()),
        (NoisyMoments(0.001), GradientLearner()),
        (RateHistory(0.02, weights="known"), StochasticRateLearner(0.02)),
        (NoisyMoments(0.0), LangevinLearner(1e5)),
        ("exact", AttentionLearner(0.7)),
    ],
)
def test_certificates_hold_in_simulation(observer: Any, learner: Any) -> None:
    """Averaged over lessons where a certificate is about the expected error."""
    room = room_of(3, 3, seed=11, students=40, rates=(0.1, 0.3))
    goal = AverageGoal(2.0)
    proved = certify(room, observer=observer, learner=learner, goal=goal)
    assert proved.rounds is not None
    errors = [
        teach(
            room,
            observer=observer,
            learner=learner,
            goal=AverageGoal(1e-12),
            max_rounds=proved.rounds,
            seed=seed,
        ).errors[-1]
        for seed in range(3)
    ]
    assert np.mean(errors) <= 2.0


@pytest.mark.parametrize(("outputs", "dimensions"), [*SIZES, (2, 40)])
def test_theorem_1_holds_with_the_rank_of_all_rows(outputs: int, dimensions: int) -> None:
    room = room_of(outputs, dimensions, seed=12, students=6)
    for goal in (AverageGoal(0.1), EveryoneGoal(0.3)):
        proved = certify(room, goal=goal)
        assert proved.rounds is not None
        assert proved.rank == min(6 * outputs, dimensions)
        assert teach(room, goal=goal).rounds <= proved.rounds


def test_drift_adds_to_every_output() -> None:
    """The mean over lessons is the sketch's expectation, and stays below the proved floor."""
    room = room_of(4, 3, seed=13, students=200, rates=(0.1, 0.2))
    learner = LangevinLearner(200.0)
    settings: dict[str, Any] = {
        "learner": learner, "goal": AverageGoal(1e-9), "max_rounds": 60,
    }  # fmt: skip
    expected = teach(room, engine="sketch", **settings).errors[-1]
    found = [teach(room, seed=seed, **settings).errors[-1] for seed in range(5)]
    assert np.mean(found) == pytest.approx(expected, rel=0.05)
    proved = certify(room, learner=learner, goal=AverageGoal(5.0))
    assert proved.floor >= expected


@pytest.mark.parametrize("learner", ["logistic", "hinge"])
def test_losses_with_classes_take_both_shapes(learner: str) -> None:
    room = room_of(3, 2, seed=14, students=6)
    flat = Classroom(room.flat.states, room.rates, room.flat.target)
    settings: dict[str, Any] = {
        "learner": GradientLearner(learner, classes=3),
        "teacher": PoolTeacher(ItemPool(np.random.default_rng(0).uniform(-1.0, 1.0, (12, 2)))),
        "max_rounds": 12,
    }
    first, second = (teach(one, **settings) for one in (flat, room))
    np.testing.assert_array_equal(first.errors, second.errors)
    assert second.examples.ys.shape == (second.rounds,)
    assert second.final_states.shape == (6, 3, 2)


def test_accuracy_is_the_output_with_the_greatest_score() -> None:
    room = room_of(3, 4, seed=15, spread=0.5)
    record = teach(room, goal=AccuracyGoal(0.8))
    items = np.random.default_rng(0).standard_normal((200, 4))
    right = (items @ room.target.T).argmax(axis=1)
    shares = ((record.final_states @ items.T).argmax(axis=1) == right).mean(axis=1)
    assert shares.mean() >= 0.8
    assert record.stopped_because.value == "the goal was reached"


# Groups and advice


@pytest.mark.parametrize("groups", [ByRate(), ByKnowledge(3), AtRandom(2)])
def test_groups_are_taught_like_classes_of_their_own(groups: Any) -> None:
    room = room_of(3, 4, seed=16, students=15)
    record = teach(room, groups=groups)
    for number, part in enumerate(record.groups):
        alone = teach(room.subset(record.members(number)))
        np.testing.assert_allclose(part.errors, alone.errors, rtol=1e-12)


@pytest.mark.parametrize("goal", [AverageGoal(0.1), EveryoneGoal(0.4)])
@pytest.mark.parametrize("by", ["rate", "knowledge"])
def test_the_frontier_states_what_lessons_need(by: str, goal: Any) -> None:
    room = room_of(3, 5, seed=17, students=12)
    ways = frontier(room, by=by, cells=4, goal=goal)
    for split in (ways[0], ways[len(ways) // 2], ways[-1]):
        record = teach(room, groups=split.grouping, goal=goal)
        assert record.rounds == split.rounds
        assert record.workload == pytest.approx(split.workload)
    found = teach(room, groups=BestGroups(1.0, by=by, cells=4), goal=goal)
    assert found.cost(1.0) == pytest.approx(ways.best(1.0).cost(1.0))


def test_representatives_of_large_groups_need_the_same_rounds() -> None:
    room = room_of(2, 2, seed=18, students=1500, rates=(0.1, 0.3))
    for goal in (AverageGoal(0.1), EveryoneGoal(0.5)):
        ways = frontier(room, cells=2, goal=goal)
        split = min(ways, key=lambda one: one.groups)
        assert teach(room, groups=split.grouping, goal=goal).rounds == split.rounds


def test_ways_of_teaching_are_compared() -> None:
    room = room_of(2, 4, seed=19, students=20)
    found = compare(room, lambdas=(0, 10))
    assert {way.name for way in found.ways} >= {"whole class", "by rate", "individuals"}
    assert all(way.record.final_states.shape == room.states.shape for way in found.ways)


# Files, records, large classes


def test_files_keep_the_outputs(tmp_path: Path) -> None:
    room = room_of(3, 4, seed=20, students=5)
    room.save(tmp_path / "class.npz")
    again = Classroom.load(tmp_path / "class.npz")
    np.testing.assert_array_equal(again.states, room.states)
    np.testing.assert_array_equal(again.target, room.target)
    for ending in ("csv", "parquet"):
        with pytest.raises(ValueError, match=r"3 outputs: save it as class\.npz"):
            room.save(tmp_path / f"class.{ending}")
    assert [path.name for path in tmp_path.iterdir()] == ["class.npz"]


@pytest.mark.parametrize("groups", ["whole", "individuals", "by-rate"])
def test_records_keep_vectors_as_labels(groups: str, tmp_path: Path) -> None:
    room = room_of(3, 4, seed=21)
    record = teach(room, groups=groups)
    record.save(tmp_path / "lesson.npz")
    again = Record.load(tmp_path / "lesson.npz")
    assert again.examples.ys.shape == (record.rounds, 3)
    for first, second in zip(record.examples, again.examples, strict=True):
        np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(record.errors, again.errors)
    np.testing.assert_array_equal(record.final_states, again.final_states)
    np.testing.assert_array_equal(record.groups[0].errors, again.groups[0].errors)
    frame = again.to_frame()
    np.testing.assert_array_equal(frame[["y1", "y2", "y3"]].dropna(), record.examples.ys)


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("transcript_counts", lambda a: a + 1, "do not add up to its rounds"),
        ("transcript_directions", lambda a: a[:, :, :3], "cannot be split into vectors of 3"),
        ("transcript_squares", lambda a: a[:, :1], "`squares` has 1 column where 2 belong"),
        ("transcript_g", lambda a: a[:-1], "`g` has 4 rows where 5 belong"),
        ("final_states", lambda a: a[:, :, 0, None, None], "4-dimensional"),
    ],
)
def test_records_that_do_not_fit_together_are_refused(
    name: str, change: Any, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "lesson.npz"
    teach(room_of(2, 5, seed=22, students=5), groups=Individuals()).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    arrays[name] = change(arrays[name])
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=sentence):
        Record.load(path)


@pytest.mark.parametrize("source", ["arrays", "npz", "folder"])
def test_large_classes_have_several_outputs_too(source: str, tmp_path: Path) -> None:
    room = room_of(3, 4, seed=23, students=300)
    if source == "arrays":
        large = LargeClass.open((room.states, room.rates), target=room.target)
    elif source == "npz":
        room.save(tmp_path / "class.npz")
        large = LargeClass.open(tmp_path / "class.npz")
    else:
        for name in ("states", "rates", "target"):
            np.save(tmp_path / f"{name}.npy", getattr(room, name))
        large = LargeClass.open(tmp_path)
    assert (large.outputs, large.dimensions) == (3, 4)
    record, here = teach(large, verify=True), teach(room, verify=True)
    np.testing.assert_allclose(record.errors, here.errors, rtol=1e-9)
    assert record.verified is not None
    assert here.verified is not None
    assert record.verified["farthest"] == pytest.approx(here.verified["farthest"])
    checked = save_students(large, record, tmp_path / "students.csv")
    after = np.loadtxt(tmp_path / "students.csv", delimiter=",", skiprows=1)[:, 2]
    distances = np.sqrt(((here.final_states - room.target) ** 2).sum(axis=(1, 2)))
    np.testing.assert_allclose(after, distances, rtol=1e-8, atol=1e-12)
    assert checked.verified is not None


def test_real_states_are_reported_with_all_outputs() -> None:
    room = room_of(2, 3, seed=24, students=4)
    lesson = Lesson(room)
    example = lesson.ask()
    assert example.y.shape == (2,)  # type: ignore[union-attr]
    states = 0.5 * (room.states + room.target)
    lesson.tell(states)
    record = lesson.record()
    assert record.errors[1] == pytest.approx(0.25 * room.error)
    np.testing.assert_allclose(record.final_states, states, atol=1e-15)
    lesson.ask()
    with pytest.raises(ValueError, match=r"must have shape \(4, 2, 3\)"):
        lesson.tell(room.flat.states)


def test_examples_may_have_another_label_than_the_targets() -> None:
    room = room_of(2, 3, seed=25, students=4)
    students = ExactClass(room, GradientLearner(), np.random.default_rng(0))
    x, y = np.array([1.0, 0.5, 0.0]), np.array([1.0, -1.0])
    students.learn(Example(x, y))
    after = room.states - room.rates[:, None, None] * (room.states @ x - y)[:, :, None] * x
    np.testing.assert_allclose(students.states.reshape(after.shape), after, atol=1e-14)


@pytest.mark.parametrize("library", ["array_api_strict", "torch"])
def test_other_libraries_give_the_same_lessons(library: str) -> None:
    xp = pytest.importorskip(library)
    room = room_of(3, 4, seed=26, students=12)
    parts = (room.states, room.rates, room.target)
    there = Classroom(*(xp.asarray(part.copy()) for part in parts))
    pool = DirectionPool(np.random.default_rng(0).standard_normal((15, 4)))
    for settings in (
        {},
        {"engine": "sketch"},
        {"groups": Individuals()},
        {"groups": Individuals(), "learner": AttentionLearner(1.0)},
        {"groups": Individuals(), "teacher": PoolTeacher(pool)},
        {"groups": ByKnowledge(2)},
    ):
        first, second = (teach(one, **settings) for one in (room, there))
        np.testing.assert_allclose(second.errors, first.errors, rtol=1e-9)
        assert tuple(second.final_states.shape) == room.states.shape


def test_a_device_sums_over_the_rows_too() -> None:
    torch = pytest.importorskip("torch")
    from homeroom.moments.build import ArraySource
    from homeroom.moments.on_device import DeviceSource

    room = room_of(3, 4, seed=27, students=40)
    there = Classroom(*(torch.tensor(part) for part in (room.states, room.rates, room.target)))
    for rows in (None, np.arange(7)):
        here = ArraySource(room.flat, rows).sketch(9)
        found = DeviceSource(there.flat, rows).sketch(9)
        np.testing.assert_allclose(found.matrices, here.matrices, atol=1e-12)
        np.testing.assert_allclose(found.weights, here.weights, atol=1e-12)
        assert found.farthest == pytest.approx(here.farthest)


def test_a_replay_with_more_digits_is_that_of_each_output() -> None:
    """Examples so long that rounding errors grow: every output is a class of its own."""
    room = room_of(2, 3, seed=28, students=5, rates=(0.1, 2.0))
    xs = 2.0 * np.random.default_rng(3).standard_normal((12, 3))
    found = replayed_with_digits(room.flat.states, room.flat.target, room.rates, xs)
    for output in range(2):
        alone = replayed_with_digits(room.states[:, output], room.target[output], room.rates, xs)
        np.testing.assert_array_equal(found.reshape(5, 2, 3)[:, output], alone)
    near = replayed_exactly(room.flat.states, room.flat.target, room.rates, xs)
    np.testing.assert_allclose(near, found, rtol=1e-6)


def test_students_remember_items_of_several_outputs() -> None:
    room = room_of(3, 4, seed=29, students=5)
    record = teach(
        room, learner=ItemMemoryLearner(seconds=0), teacher=PoolTeacher(ItemPool(np.eye(4)))
    )
    squared, _ = shown_one_by_one(room, record.examples.xs)
    np.testing.assert_allclose(record.errors, squared.mean(axis=1), rtol=1e-9)


class NumberTeacher(RandomTeacher):
    """A teacher that labels with one number."""

    def choose(self, seen: Any, rng: np.random.Generator) -> Example:
        return Example(np.ones(4) / 2.0, 1.0)


def test_a_teacher_of_your_own_must_label_every_output() -> None:
    with pytest.raises(
        ValueError, match=r"NumberTeacher\.choose must return one label per output, shape \(3,\)"
    ):
        teach(room_of(3, 4), teacher=NumberTeacher())


def test_the_command_line_states_the_outputs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    room_of(3, 4, students=6).save(tmp_path / "class.npz")
    cli.run(["certify", str(tmp_path / "class.npz")])
    assert "6 students, 3 outputs, 4 dimensions" in capsys.readouterr().out


# What a class with several outputs is, and what it refuses


def test_a_class_describes_its_outputs() -> None:
    room = room_of(3, 4, clusters=2, students=6)
    assert repr(room).startswith("Classroom(6 students, 3 outputs, 4 dimensions, ")
    assert "outputs" in room._repr_html_()
    assert room.gaps.shape == (6, 3, 4)
    assert room.squared_distances.shape == (6,)
    assert room.flat.subset([1, 2]).outputs == 3
    assert project(room.states, 1.0).shape == room.states.shape
    lengths = np.sqrt((project(room.states, 1.0) ** 2).sum(axis=(1, 2)))
    assert lengths.max() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"learner": GradientLearner(Absolute())},
            "the squared loss, or a loss with as many",
        ),
        (
            {"learner": GradientLearner("hinge", classes=2)},
            "the squared loss, or a loss with as",
        ),
        (
            {"teacher": PoolTeacher(ItemPool(np.eye(4), labels=[1.0, 2.0, 3.0, 4.0]))},
            "one number per item, but this class has 3 outputs",
        ),
    ],
)
def test_what_needs_one_output_is_refused(settings: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        teach(room_of(3, 4), **settings)


@pytest.mark.slow
def test_a_quiz_estimates_several_outputs_also_where_examples_are_long_for_some_rates() -> None:
    """At a rate of 0.9, examples of length 2 move a state away: no student has this rate."""
    record = teach(room_of(3, 4), observer=QuizObserver(), max_rounds=120)
    assert record.stopped_because is StoppedBecause.GOAL


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"`target` must have for each output .*\(2, 3\), but"):
        Classroom(np.zeros((4, 2, 3)), np.ones(4), np.zeros((3, 3)))
    with pytest.raises(ValueError, match=r"outputs, give a target of shape \(2, 3\)"):
        Classroom(np.zeros((4, 2, 3)), np.ones(4), np.zeros(3))
    with pytest.raises(ValueError, match=r"With several outputs, \(students, outputs, dim"):
        Classroom(np.zeros((4, 2, 3, 1)), np.ones(4), np.zeros(3))
    with pytest.raises(ValueError, match="at least one row"):
        Classroom(np.zeros((4, 0, 3)), np.ones(4), np.zeros((0, 3)))
    with pytest.raises(ValueError, match=r"states\[1, 0, 2\] is nan"):
        Classroom([[[0.0, 0.0, 0.0]], [[0.0, 0.0, np.nan]]], np.ones(2), np.zeros((1, 3)))
    with pytest.raises(ValueError, match="within state_radius"):
        Classroom(np.ones((2, 2, 2)), np.ones(2), np.zeros((2, 2)), state_radius=1.9)
