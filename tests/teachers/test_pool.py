from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom import (
    ByRate,
    Classroom,
    DirectionPool,
    GradientLearner,
    Individuals,
    ItemPool,
    PoolTeacher,
    RandomTeacher,
    StoppedBecause,
    WholeClass,
    _arrays,
    teach,
)
from homeroom.engines import ExactClass
from homeroom.pools import AbstractPool
from homeroom.teachers.candidates import mean_distances, measure_error, measure_help

TURNED = np.linalg.qr(np.random.default_rng(1).standard_normal((4, 4)))[0]


@pytest.fixture
def room() -> Classroom:
    return Classroom.sample(students=30, dimensions=4)


@pytest.mark.parametrize(
    "pool",
    [
        DirectionPool(np.eye(4)[:3]),
        DirectionPool(TURNED[:3]),
        ItemPool(1.5 * TURNED[:3]),
        ItemPool(TURNED[:2]),
    ],
    ids=["axes", "directions", "items", "few items"],
)
@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
@pytest.mark.parametrize("alone", [False, True])
def test_a_rank_deficient_pool_warns_and_gets_stuck(
    room: Classroom, pool: AbstractPool, dtype: str, alone: bool
) -> None:
    """It stops at the error that the warning predicted, up to rounding."""
    taught = pool.untaught(4)
    floor = float((room.gaps @ taught) ** 2 @ np.ones(taught.shape[1]) @ np.ones(30)) / 30
    same = Classroom(*(np.asarray(a, dtype) for a in (room.states, room.rates, room.target)))
    groups = Individuals() if alone else WholeClass()
    with pytest.warns(UserWarning, match=f"{taught.shape[1]} of 4 .*{floor:.3g}"):
        record = teach(same, teacher=PoolTeacher(pool), groups=groups, max_rounds=4000)
    assert record.stopped_because is StoppedBecause.STUCK
    assert record.transcript.rounds.max() < 4000
    if alone:  # those who have reached the goal stop before the floor
        late = (room.gaps @ taught) ** 2 @ np.ones(taught.shape[1]) > 0.1
        stuck = np.array([group.errors[-1] for group in record.groups])[late]
        floors = ((room.gaps @ taught) ** 2).sum(axis=1)[late]
        np.testing.assert_allclose(stuck, floors, rtol=0.01)
    else:
        assert record.errors[-1] == pytest.approx(floor, rel=1e-4)


def test_safe_leaves_long_items_out() -> None:
    """rate * |x|^2 <= 2 for all students of the group that is taught; others do not matter."""
    room = Classroom([[1.0, 1.0], [2.0, 0.5]], rates=[1.0, 0.1], target=[0.0, 0.0])
    teacher = PoolTeacher(ItemPool([[1.0, 0.0], [0.0, 1.0], [1.5, 0.0], [0.0, 1.5]]), safe=True)
    together = teach(room, teacher=teacher)
    assert set(together.examples.items) == {0, 1}
    slow, fast = teach(room, teacher=teacher, groups=ByRate()).groups
    assert set(slow.examples.items) == {2, 3}
    assert set(fast.examples.items) == {0, 1}


@pytest.mark.parametrize("make", [ItemPool, DirectionPool])
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_the_number_of_an_item_is_its_row_in_the_pool(
    make: Callable[[np.ndarray], AbstractPool], loss: str, room: Classroom
) -> None:
    """Also when items that are too long have been left out."""
    items = np.vstack([5.0 * np.eye(4)[:1], np.eye(4)])
    pool = make(items)
    if isinstance(pool, ItemPool):
        with pytest.warns(UserWarning, match="1 of 5 items are zero or longer than 2"):
            ready = PoolTeacher(pool).prepare(room, GradientLearner(loss).loss)
        assert isinstance(ready.pool, ItemPool)
        pool = ready.pool
    record = teach(room, teacher=PoolTeacher(pool), learner=GradientLearner(loss), max_rounds=5)
    for x, item in zip(record.examples.xs, record.examples.items, strict=True):
        assert abs(x @ items[item]) == pytest.approx(
            np.linalg.norm(x) * np.linalg.norm(items[item])
        )


@pytest.mark.parametrize("teacher", [PoolTeacher, RandomTeacher])
@pytest.mark.parametrize(
    ("classes", "usual", "others"),
    [
        (None, [1, -1, -1, 1], ([1, 0, 0, 1], [True, False, False, True], ["b", "a", "a", "b"])),
        (2, [2, 1, 1, 2], ([1, 0, 0, 1], ["wasp", "moth", "moth", "wasp"])),
    ],
)
def test_labels_may_be_written_as_in_scikit_learn(
    teacher: Any, classes: int | None, usual: list[int], others: tuple[list[Any], ...]
) -> None:
    room = Classroom.sample(students=6, dimensions=4, rates=(0.1, 0.4))
    learner = GradientLearner("logistic", classes=classes)
    items = np.random.default_rng(0).standard_normal((4, 4 // learner.loss.outputs))

    def errors(labels: Any) -> list[float]:
        pool = ItemPool(items / np.linalg.norm(items, axis=1, keepdims=True), labels)
        record = teach(room, teacher=teacher(pool), learner=learner, max_rounds=6)
        found: list[float] = record.errors.tolist()
        return found

    for labels in others:
        assert errors(labels) == errors(usual)


@pytest.mark.parametrize("loss", ["gradient", "gradient:loss=logistic"])
def test_a_lesson_does_not_repeat_items_too_soon(loss: str) -> None:
    room = Classroom.sample(15, 3, example_radius=2.0)
    items = np.random.default_rng(0).standard_normal((12, 3))
    items /= np.linalg.norm(items, axis=1, keepdims=True)
    again = teach(room, teacher=PoolTeacher(ItemPool(items)), learner=loss, max_rounds=40)
    teacher = PoolTeacher(ItemPool(items), repeat_after=4)
    record = teach(room, teacher=teacher, learner=loss, max_rounds=40)
    shown = record.examples.items.tolist()
    assert all(len(set(shown[at : at + 5])) == 5 for at in range(len(shown) - 4))
    assert max(Counter(shown).values()) <= max(Counter(again.examples.items.tolist()).values())


@pytest.mark.parametrize("outputs", [1, 3])
def test_chances_do_not_depend_on_the_blocks_of_students(
    outputs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    target, items = rng.standard_normal(3 * outputs), 0.3 * rng.standard_normal((7, 3))
    states = rng.standard_normal((200, 3 * outputs))
    room = Classroom(states, rng.uniform(0.1, 0.4, 200), target)
    scores = items @ target.reshape(outputs, 3).T
    labels = scores.argmax(axis=1) + 1 if outputs > 1 else np.sign(scores[:, 0])
    learner = GradientLearner("logistic", classes=outputs if outputs > 1 else None)
    teacher = PoolTeacher(ItemPool(items, labels), repeat_after=2)
    whole = teach(room, teacher=teacher, learner=learner, max_rounds=9)
    monkeypatch.setattr("homeroom.teachers.candidates.BLOCK_BYTES", 1)
    assert len(list(_arrays.blocks(200, 7 * outputs, at_most=1))) > 1
    in_blocks = teach(room, teacher=teacher, learner=learner, max_rounds=9)
    assert in_blocks.examples.items.tolist() == whole.examples.items.tolist()
    assert len(set(whole.examples.items.tolist())) > 3


@pytest.mark.parametrize("dimensions", [1, 4])
def test_the_help_by_moments_is_that_of_trying_out_each_item(dimensions: int) -> None:
    rng = np.random.default_rng(6)
    rates = np.exp(rng.uniform(np.log(0.01), 0.0, 30))
    room = Classroom(rng.standard_normal((30, dimensions)), rates, rng.standard_normal(dimensions))
    seen = ExactClass(room, GradientLearner(), rng).look()
    listed = ItemPool(0.5 * rng.standard_normal((9, dimensions))).candidates(2.0)
    assert listed is not None
    ys = seen.labels(listed.xs)
    tried = measure_error(seen) - mean_distances(seen, listed.xs, ys)
    np.testing.assert_allclose(measure_help(seen, listed, ys), tried, rtol=1e-9, atol=1e-12)


def test_a_direction_gets_its_best_length_under_any_loss() -> None:
    """Compared with many lengths along the direction that was chosen."""
    room = Classroom.sample(students=20, dimensions=3)
    learner = GradientLearner("logistic")
    seen = ExactClass(room, learner, np.random.default_rng(0)).look()
    example = PoolTeacher(DirectionPool(np.eye(3))).choose(seen, np.random.default_rng(0))
    assert example is not None
    xs = np.linspace(0.5, 2.0, 301)[:, None] * example.x
    xs = xs[np.linalg.norm(xs, axis=1) <= seen.example_radius]
    own = mean_distances(seen, example.x[None], seen.labels(example.x[None]))[0]
    assert own <= mean_distances(seen, xs, seen.labels(xs)).min() * (1 + 1e-6)
