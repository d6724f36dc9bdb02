"""Classes with several outputs, compared with plain loops over single students."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom import (
    AccuracyGoal,
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
    ItemPool,
    LangevinLearner,
    LargeClass,
    Lesson,
    MeanTeacher,
    NoisyMoments,
    NoisyStates,
    PlannedTeacher,
    PoolTeacher,
    RateHistory,
    Record,
    StochasticRateLearner,
    certify,
    frontier,
    richness,
    teach,
)
from homeroom._arrays import Floats
from homeroom.engines import ExactClass
from homeroom.learners.losses import Absolute
from homeroom.lessons import save_students
from homeroom.moments import sketch_of
from tests.bad_input import refuse

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
    proved = certify(room, goal=AverageGoal(0.03), groups=Individuals()).rounds
    assert proved is not None
    assert proved >= record.rounds


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
    allowed = np.maximum(4.0 * squared[0], goal.limit)
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
            assert (squared <= np.maximum(4.0 * squared[0], goal.limit) * (1 + 1e-9)).all()


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


# Files, records, large classes


def test_files_keep_the_outputs(tmp_path: Path) -> None:
    room = room_of(3, 4, seed=20, students=5)
    room.save(tmp_path / "class.npz")
    again = Classroom.load(tmp_path / "class.npz")
    np.testing.assert_array_equal(again.states, room.states)
    np.testing.assert_array_equal(again.target, room.target)
    for ending in ("csv", "parquet"):
        refuse(partial(room.save, tmp_path / f"class.{ending}"), ".npz")
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
    refuse(lambda: lesson.tell(room.flat.states), "shape")


def test_examples_may_have_another_label_than_the_targets() -> None:
    room = room_of(2, 3, seed=25, students=4)
    students = ExactClass(room, GradientLearner(), np.random.default_rng(0))
    x, y = np.array([1.0, 0.5, 0.0]), np.array([1.0, -1.0])
    students.learn(Example(x, y))
    after = room.states - room.rates[:, None, None] * (room.states @ x - y)[:, :, None] * x
    np.testing.assert_allclose(students.states.reshape(after.shape), after, atol=1e-14)


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


# What a class with several outputs is, and what it refuses


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"learner": GradientLearner(Absolute())},
            "squared",
        ),
        (
            {"learner": GradientLearner("hinge", classes=2)},
            "squared",
        ),
        (
            {"teacher": PoolTeacher(ItemPool(np.eye(4), labels=[1.0, 2.0, 3.0, 4.0]))},
            "number",
        ),
    ],
)
def test_what_needs_one_output_is_refused(settings: Any, sentence: str) -> None:
    refuse(lambda: teach(room_of(3, 4), **settings), sentence)


def test_shapes_that_do_not_fit_are_refused() -> None:
    refuse(lambda: Classroom(np.zeros((4, 2, 3)), np.ones(4), np.zeros((3, 3))), "`target`")
    refuse(lambda: Classroom(np.zeros((4, 2, 3)), np.ones(4), np.zeros(3)), "outputs")
    refuse(lambda: Classroom(np.zeros((4, 2, 3, 1)), np.ones(4), np.zeros(3)), "several")
    refuse(lambda: Classroom(np.zeros((4, 0, 3)), np.ones(4), np.zeros((0, 3))), "least")
    refuse(
        lambda: Classroom([[[0.0, 0.0, 0.0]], [[0.0, 0.0, np.nan]]], np.ones(2), np.zeros((1, 3))),
        "states",
    )
    refuse(
        lambda: Classroom(np.ones((2, 2, 2)), np.ones(2), np.zeros((2, 2)), state_radius=1.9),
        "state_radius",
    )
