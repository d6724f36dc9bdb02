from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom import (
    Ball,
    ByRate,
    Classroom,
    ClassroomTeacher,
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
from homeroom.teachers.candidates import mean_distances, squared_distances
from homeroom.teachers.pool import ItemChances, _helps, best_to_show, may_be_shown, pause_for

TURNED = np.linalg.qr(np.random.default_rng(1).standard_normal((4, 4)))[0]


@pytest.fixture
def room() -> Classroom:
    return Classroom.sample(students=30, dimensions=4)


def test_the_whole_ball_is_classroom_teaching(room: Classroom) -> None:
    pooled = teach(room, teacher=PoolTeacher(Ball(), "dynamic"))
    free = teach(room, teacher=ClassroomTeacher("dynamic"))
    np.testing.assert_array_equal(pooled.examples.xs, free.examples.xs)
    alone = teach(room, teacher=PoolTeacher(Ball()), groups=Individuals())
    assert alone.rounds == teach(room, groups=Individuals()).rounds


def test_the_whole_ball_works_with_any_loss(room: Classroom) -> None:
    learner = GradientLearner("logistic")
    pooled = teach(room, teacher=PoolTeacher(Ball()), learner=learner, max_rounds=3)
    free = teach(room, learner=learner, max_rounds=3)
    np.testing.assert_array_equal(pooled.examples.xs, free.examples.xs)


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
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("alone", [False, True])
def test_a_rank_deficient_pool_warns_and_gets_stuck(
    room: Classroom, pool: AbstractPool, dtype: str, alone: bool
) -> None:
    """It stops at the error that the warning predicted, up to rounding."""
    taught = pool.untaught(4)
    floor = float((room.gaps @ taught) ** 2 @ np.ones(taught.shape[1]) @ np.ones(30)) / 30
    same = Classroom(*(np.asarray(a, dtype) for a in (room.states, room.rates, room.target)))
    groups = Individuals() if alone else WholeClass()
    foretold = rf"cannot teach {taught.shape[1]} of 4 directions.*at {floor:.3g} or above"
    with pytest.warns(UserWarning, match=foretold):
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


def test_rounding_alone_gives_no_warning_about_a_pool() -> None:
    """A class that knows it already: warnings are errors here."""
    target = np.array([1.0, 2.0, 3.0])
    knowing = Classroom(np.tile(target * (1 + 1e-15), (5, 1)), np.full(5, 0.1), target)
    record = teach(
        knowing, teacher=PoolTeacher(DirectionPool(np.eye(3)[:2])), goal="average:eps=0.1"
    )
    assert record.rounds == 0


def test_there_is_no_warning_about_directions_without_a_gap() -> None:
    states = np.zeros((3, 2))
    states[:, 0] = [1.0, 2.0, 3.0]
    room = Classroom(states, rates=[0.2] * 3, target=[0.0, 0.0])
    record = teach(room, teacher=PoolTeacher(DirectionPool([[1.0, 0.0]])))
    assert record.stopped_because is StoppedBecause.GOAL


def test_safe_leaves_long_items_out() -> None:
    """rate * |x|^2 <= 2 for all students of the group that is taught; others do not matter."""
    room = Classroom([[1.0, 1.0], [2.0, 0.5]], rates=[1.0, 0.1], target=[0.0, 0.0])
    teacher = PoolTeacher(ItemPool([[1.0, 0.0], [0.0, 1.0], [1.5, 0.0], [0.0, 1.5]]), safe=True)
    together = teach(room, teacher=teacher)
    assert set(together.examples.items) == {0, 1}
    slow, fast = teach(room, teacher=teacher, groups=ByRate()).groups
    assert set(slow.examples.items) == {2, 3}
    assert set(fast.examples.items) == {0, 1}


def test_safe_is_refused_for_items_with_their_own_labels(room: Classroom) -> None:
    teacher = PoolTeacher(ItemPool(np.eye(4), labels=np.ones(4)), safe=True)
    with pytest.raises(ValueError, match="safe=True needs the target's own answers"):
        teach(room, teacher=teacher)


@pytest.mark.parametrize("safe", ["maybe", 1, None])
def test_safe_is_yes_or_no(safe: object) -> None:
    with pytest.raises(TypeError, match="`safe` must be True or False, but is"):
        PoolTeacher(ItemPool(np.eye(4)), safe=safe)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="`safe` must be True or False, but is"):
        ClassroomTeacher(safe=safe)  # type: ignore[arg-type]


def test_safe_is_refused_where_it_cannot_be_guaranteed(room: Classroom) -> None:
    teacher = PoolTeacher(ItemPool(np.eye(4)), safe=True)
    with pytest.raises(ValueError, match=r"safe=True needs the squared loss.*is Hinge"):
        teach(room, teacher=teacher, learner=GradientLearner("hinge"))


def test_an_invalid_pool_is_refused() -> None:
    with pytest.raises(TypeError, match=r"`pool` must be a pool such as ItemPool\(items\)"):
        PoolTeacher(np.eye(3))  # type: ignore[arg-type]


def test_items_of_another_width_are_refused(room: Classroom) -> None:
    with pytest.raises(ValueError, match="`items` must have 4 columns"):
        teach(room, teacher=PoolTeacher(ItemPool(np.eye(3))))


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


def allowed(right: list[list[float]], shown: list[int], repeat_after: int) -> list[int]:
    found = may_be_shown(ItemChances.of(np.array(right)), shown, repeat_after=repeat_after)
    return np.flatnonzero(found).tolist()


def test_recent_items_are_left_out() -> None:
    right = [[0.9, 0.9, 0.9, 0.9]]
    assert allowed(right, [0, 1, 2], repeat_after=2) == [0, 3]


def test_a_new_item_that_a_student_misses_comes_before_any_repetition() -> None:
    right = [[0.1, 0.9, 0.79, 0.9], [0.9, 0.9, 0.9, 0.9]]
    assert allowed(right, [0, 3], repeat_after=1) == [1, 2]
    right[0][2] = 0.81  # no new item is missed now
    assert allowed(right, [0, 3], repeat_after=1) == [0, 1, 2]


def test_items_that_all_know_are_left_out_while_another_is_not_known() -> None:
    right = [[0.99, 0.99, 0.96], [0.99, 0.94, 0.96]]
    assert allowed(right, [], repeat_after=1) == [1]
    right[1][1] = 0.96
    assert allowed(right, [], repeat_after=1) == [0, 1, 2]


def test_a_rule_that_would_leave_nothing_is_skipped() -> None:
    assert allowed([[0.5, 0.5]], [0, 1], repeat_after=5) == [0]
    assert allowed([[0.5, 0.5, 0.5]], [0, 2, 1, 2], repeat_after=50) == [0]


def test_if_all_is_known_the_least_known_item_is_shown() -> None:
    chances = ItemChances.of(np.array([[0.99, 0.97, 0.98]]))
    assert best_to_show(chances, np.array([3.0, 1.0, 2.0]), [], repeat_after=1) == 1
    chances = ItemChances.of(np.ones((2, 3)))
    assert best_to_show(chances, np.array([3.0, 1.0, 4.0]), [], repeat_after=1) == 2


def test_of_items_that_help_equally_the_least_known_one_is_shown() -> None:
    chances = ItemChances.of(np.array([[0.5, 0.25, 0.25], [0.5, 0.2, 0.3]]))
    helps = np.array([1.0 + 1e-12, 1.0, 1.0 - 1e-12])
    assert best_to_show(chances, helps, [], repeat_after=1) == 1
    assert best_to_show(chances, np.array([1.0, 1.0, 1.1]), [], repeat_after=1) == 2


def test_the_default_pause_is_five_items_or_half_of_them() -> None:
    assert [pause_for(items) for items in (1, 2, 7, 10, 500)] == [0, 1, 3, 5, 5]


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


def test_repeat_after_is_for_fixed_items() -> None:
    with pytest.raises(ValueError, match="`repeat_after` is for fixed items"):
        PoolTeacher(DirectionPool(np.eye(2)), repeat_after=3)
    with pytest.raises(ValueError, match="`repeat_after` must be at least 0"):
        PoolTeacher(ItemPool(np.eye(2)), repeat_after=-1)
    seen = ExactClass(Classroom.sample(4, 2), GradientLearner(), np.random.default_rng(0)).look()
    with pytest.raises(ValueError, match=r"were shown the same items: call choose\(\) for each"):
        PoolTeacher(ItemPool(np.eye(2)), repeat_after=1).choose_each(seen, np.random.default_rng(0))


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
    monkeypatch.setattr("homeroom.teachers.pool.BLOCK_BYTES", 1)
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
    tried = squared_distances(seen).mean() - mean_distances(seen, listed.xs, ys)
    np.testing.assert_allclose(_helps(seen, listed, ys), tried, rtol=1e-9, atol=1e-12)
