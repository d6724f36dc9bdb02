"""Laws of choosing: no allowed example is better than the chosen one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeroom import (
    Classroom,
    ClassroomTeacher,
    DirectionPool,
    Example,
    GradientLearner,
    ItemPool,
    Observation,
    PoolTeacher,
)
from homeroom._arrays import Floats
from homeroom.classroom import project
from homeroom.engines import ExactClass
from homeroom.learners import Absolute, AbstractLoss, Hinge, Logistic, OwnLoss, Squared
from homeroom.teachers import AbstractTeacher
from homeroom.teachers.synthesis import Landscape

LOSSES: dict[str, AbstractLoss] = {
    "squared": Squared(),
    "absolute": Absolute(),
    "logistic": Logistic(),
    "hinge": Hinge(),
    "logistic of three": Logistic(classes=3),
    "hinge of three": Hinge(classes=3),
    "one's own": OwnLoss(lambda scores, labels: (scores - labels) / (1 + abs(scores - labels))),
}
SMOOTH = ["squared", "logistic", "logistic of three", "one's own"]


@st.composite
def rooms(draw: st.DrawFn, most: int = 6, outputs: int = 1) -> Classroom:
    """Small classes of all kinds; the numbers themselves come from a seed."""
    slowest = draw(st.sampled_from([0.02, 0.1, 0.3]))
    return Classroom.sample(
        students=draw(st.integers(1, most)),
        dimensions=draw(st.integers(1, 3)) * outputs,
        rates=(slowest, slowest * draw(st.sampled_from([1.0, 1.5, 8.0]))),
        seed=draw(st.integers(0, 10_000)),
        spread=draw(st.sampled_from([0.3, 1.0, 3.0])),
        example_radius=draw(st.sampled_from([0.5, 2.0, 6.0])),
    )


def look(room: Classroom, loss: AbstractLoss) -> Observation:
    return ExactClass(room, GradientLearner(loss), np.random.default_rng(0)).look()


def choose(teacher: AbstractTeacher, room: Classroom, loss: AbstractLoss) -> Example:
    ready = teacher.prepare(room, loss)
    example = ready.choose(look(room, loss), np.random.default_rng(1))
    assert example is not None
    return example


def distance_after(room: Classroom, x: Floats, y: float, loss: AbstractLoss) -> float:
    """Return the class's mean squared distance after an example, by the definition: one by one."""
    learner, total = GradientLearner(loss), 0.0
    for student in range(room.students):
        row = slice(student, student + 1)
        step = learner.step(
            room.states[row], room.rates[row], None, Example(x, y), np.random.default_rng(0)
        )
        after = project(step.states, room.state_radius)
        total += float(((after[0] - room.target) ** 2).sum())
    return total / room.students


def right_answer(room: Classroom, x: Floats, loss: AbstractLoss) -> float:
    scores = room.target.reshape(loss.outputs, -1) @ x
    return float(loss.labels(scores[0] if loss.outputs == 1 else scores))


def fall(room: Classroom, x: Floats) -> float:
    """Return by how much an example lowers the mean squared distance, under the squared loss."""
    gaps = room.gaps - (room.rates * (room.gaps @ x))[:, None] * x
    return float(room.error - (gaps**2).sum(axis=1).mean())


@pytest.mark.slow
@given(rooms(most=10), st.sampled_from(["static", "dynamic"]), st.integers(0, 1000))
def test_no_other_unit_direction_beats_the_chosen_one(
    room: Classroom, magnitude: str, seed: int
) -> None:
    """``u' W u`` is largest for the chosen ``u``: among many at random, and all around it."""
    example = choose(ClassroomTeacher(magnitude), room, Squared())
    length, best = example.magnitude, fall(room, example.x)
    rng = np.random.default_rng(seed)
    anywhere = rng.standard_normal((200, room.dimensions))
    nearby = example.direction + 0.05 * rng.standard_normal((200, room.dimensions))
    near = example.direction + 1e-3 * rng.standard_normal((100, room.dimensions))
    for direction in np.vstack([anywhere, nearby, near]):
        other = fall(room, length * direction / np.linalg.norm(direction))
        assert other <= best + 1e-12 * room.error


@given(rooms(most=10))
def test_the_magnitudes_are_the_papers(room: Classroom) -> None:
    ceiling = room.example_radius**2
    squared = room.squared_distances
    static = min(1 / room.rates.max(), ceiling)
    dynamic = min(room.rates @ squared / (room.rates**2 @ squared), ceiling)
    for magnitude, g in (("static", static), ("dynamic", dynamic)):
        example = choose(ClassroomTeacher(magnitude), room, Squared())
        assert example.magnitude**2 == pytest.approx(g)
    safe = choose(ClassroomTeacher("dynamic", safe=True), room, Squared())
    assert safe.magnitude**2 == pytest.approx(min(dynamic, 2 / room.rates.max()))


@given(rooms(most=10), st.booleans())
def test_joint_is_never_worse_in_one_step_than_dynamic(room: Classroom, safe: bool) -> None:
    joint = choose(ClassroomTeacher("joint", safe=safe), room, Squared())
    dynamic = choose(ClassroomTeacher("dynamic", safe=safe), room, Squared())
    assert fall(room, joint.x) >= fall(room, dynamic.x) - 1e-12 * room.error


@given(rooms(most=10))
def test_joint_is_best_in_length_and_in_direction_at_its_own_end(room: Classroom) -> None:
    """Neither another length along the direction nor another direction at the length helps more."""
    joint = choose(ClassroomTeacher("joint"), room, Squared())
    best = fall(room, joint.x)
    for part in np.linspace(0.2, 1.8, 33):
        if part * joint.magnitude <= room.example_radius:
            assert fall(room, part * joint.x) <= best + 1e-6 * room.error
    rng = np.random.default_rng(0)
    for direction in rng.standard_normal((100, room.dimensions)):
        other = joint.magnitude * direction / np.linalg.norm(direction)
        assert fall(room, other) <= best + 1e-6 * room.error


@given(rooms(), st.sampled_from(["static", "dynamic", "joint", "best"]), st.data())
def test_for_a_single_student_the_direction_is_the_gap(
    room: Classroom, magnitude: str, data: st.DataObject
) -> None:
    student = data.draw(st.integers(0, room.students - 1))
    alone = room.subset([student])
    example = choose(ClassroomTeacher(magnitude), alone, Squared())
    gap = alone.gaps[0]
    assert abs(example.direction @ gap) == pytest.approx(np.linalg.norm(gap))
    assert example.magnitude**2 == pytest.approx(min(1 / alone.rates[0], room.example_radius**2))


def some_items(room: Classroom, width: int, seed: int) -> Floats:
    """Return items of all lengths within the ball."""
    rng = np.random.default_rng(seed)
    items = rng.standard_normal((12, width))
    items /= np.linalg.norm(items, axis=1, keepdims=True)
    lengths = room.example_radius * rng.uniform(0.05, 1.0, size=(12, 1))
    return items * lengths


@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=25)
@given(data=st.data(), seed=st.integers(0, 1000), ball=st.booleans())
def test_no_item_of_a_pool_beats_the_chosen_one(
    name: str, data: st.DataObject, seed: int, ball: bool
) -> None:
    """By brute force over the items and the students, projection included."""
    loss = LOSSES[name]
    room = data.draw(rooms(outputs=loss.outputs))
    if ball and not isinstance(loss, Squared):  # whose closed form knows no projection
        radius = max(1.0, float(np.linalg.norm(room.states, axis=1).max()))
        room = Classroom(
            room.states,
            room.rates,
            room.target,
            state_radius=radius,
            example_radius=room.example_radius,
        )
    items = some_items(room, room.dimensions // loss.outputs, seed)
    ready = PoolTeacher(ItemPool(items)).prepare(room, loss)
    example = ready.choose(look(room, loss), np.random.default_rng(0))
    after = [distance_after(room, x, right_answer(room, x, loss), loss) for x in items]
    if example is None:
        assert min(after) >= room.error * (1 - 1e-9)
        return
    assert example.item is not None
    np.testing.assert_allclose(example.x, items[example.item], rtol=1e-14)
    assert after[example.item] <= min(after) + 1e-9 * room.error


@settings(max_examples=20)
@given(rooms(), st.integers(0, 1000))
def test_an_items_own_label_counts(room: Classroom, seed: int) -> None:
    """With labels of its own the best item is the best with those labels, wrong as they may be."""
    items = some_items(room, room.dimensions, seed)
    labels = items @ room.target + np.random.default_rng(seed).standard_normal(12)
    ready = PoolTeacher(ItemPool(items, labels)).prepare(room, Squared())
    example = ready.choose(look(room, Squared()), np.random.default_rng(0))
    after = [distance_after(room, *pair, Squared()) for pair in zip(items, labels, strict=True)]
    if example is None:
        assert min(after) >= room.error * (1 - 1e-9)
    else:
        assert example.item is not None
        assert example.y == labels[example.item]
        assert after[example.item] <= min(after) + 1e-9 * room.error


@given(rooms(), st.sampled_from(["static", "dynamic", "joint", "best"]), st.integers(0, 1000))
def test_no_direction_of_a_pool_beats_the_chosen_one_at_its_length(
    room: Classroom, magnitude: str, seed: int
) -> None:
    items = some_items(room, room.dimensions, seed)
    example = choose(PoolTeacher(DirectionPool(items), magnitude), room, Squared())
    best = fall(room, example.x)
    for item in items:
        other = example.magnitude * item / np.linalg.norm(item)
        assert fall(room, other) <= best + 1e-6 * room.error


@pytest.mark.slow
@pytest.mark.parametrize("name", ["logistic", "hinge", "absolute", "one's own"])
@settings(max_examples=15)
@given(room=rooms(), seed=st.integers(0, 1000))
def test_a_scaled_direction_is_as_good_as_any_length_tried(
    name: str, room: Classroom, seed: int
) -> None:
    """For losses with no closed form, against 40 lengths of every direction."""
    loss = LOSSES[name]
    items = some_items(room, room.dimensions, seed)
    ready = PoolTeacher(DirectionPool(items)).prepare(room, loss)
    example = ready.choose(look(room, loss), np.random.default_rng(0))
    after = min(
        distance_after(room, x, right_answer(room, x, loss), loss)
        for item in items
        for x in np.geomspace(0.02, 1, 40)[:, None]
        * (room.example_radius * item / np.linalg.norm(item))
    )
    found = room.error if example is None else distance_after(room, example.x, example.y, loss)
    assert found <= after + 0.02 * room.error


@pytest.mark.parametrize("name", [name for name in LOSSES if name != "squared"])
@settings(max_examples=12)
@given(data=st.data(), seed=st.integers(0, 1000))
def test_synthesis_is_as_good_as_searching_at_random(
    name: str, data: st.DataObject, seed: int
) -> None:
    """As good as the best of 4000 random examples, within 2 % of the class's error."""
    loss = LOSSES[name]
    room = data.draw(rooms(outputs=loss.outputs))
    example = ClassroomTeacher().choose(look(room, loss), np.random.default_rng(seed))
    rng = np.random.default_rng(seed + 1)
    xs = rng.standard_normal((4000, room.dimensions // loss.outputs))
    lengths = room.example_radius * rng.random((4000, 1))
    xs *= lengths / np.linalg.norm(xs, axis=1, keepdims=True)
    best = many_distances(room, xs, loss).min()
    found = room.error if example is None else distance_after(room, example.x, example.y, loss)
    assert found <= best + 0.02 * room.error
    if example is not None:
        assert example.magnitude <= room.example_radius * (1 + 1e-9)
        assert found < room.error


def many_distances(room: Classroom, xs: Floats, loss: AbstractLoss) -> Floats:
    """Return the mean squared distance after each example, all students and examples at once."""
    shape = (room.students, loss.outputs, -1)
    scores = np.einsum("now,xw->nxo", room.states.reshape(shape), xs)
    right = xs @ room.target.reshape(loss.outputs, -1).T
    if loss.outputs == 1:
        slopes = loss.slopes(scores[..., 0], loss.labels(right[:, 0]))[..., None]
    else:
        slopes = loss.slopes(scores, loss.labels(right))
    moves = room.rates[:, None, None, None] * slopes[..., None] * xs[None, :, None, :]
    gaps = room.gaps.reshape(shape)[:, None] - moves
    found: Floats = (gaps**2).sum(axis=(2, 3)).mean(axis=0)
    return found


@pytest.mark.parametrize("name", SMOOTH)
@settings(max_examples=25)
@given(data=st.data(), seed=st.integers(0, 1000))
def test_the_landscapes_gradient_is_that_of_its_value(
    name: str, data: st.DataObject, seed: int
) -> None:
    """Against central differences of the definition itself."""
    loss = LOSSES[name]
    room = data.draw(rooms(outputs=loss.outputs))
    landscape = Landscape(look(room, loss))
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(room.dimensions // loss.outputs)
    x *= 0.7 * room.example_radius / np.linalg.norm(x)
    label = right_answer(room, x, loss)
    value, gradient = landscape.value_and_gradient(x)
    assert value == pytest.approx(distance_after(room, x, label, loss))
    for axis in range(len(x)):
        step = 1e-5 * np.eye(len(x))[axis]
        ahead, behind = (many_distances(room, p[None], loss)[0] for p in (x + step, x - step))
        if right_answer(room, x + step, loss) == right_answer(room, x - step, loss) or (
            loss.outputs == 1 and not isinstance(loss, Logistic)
        ):
            expected = (ahead - behind) / 2e-5
            assert gradient[axis] == pytest.approx(expected, rel=1e-4, abs=1e-4 * value)


@settings(max_examples=25)
@given(rooms(), st.integers(0, 1000))
def test_the_free_points_gradient_goes_through_the_ball(room: Classroom, seed: int) -> None:
    landscape = Landscape(look(room, Logistic()))
    free = np.random.default_rng(seed).standard_normal(room.dimensions)
    _, slope = landscape.value_and_slope(free)
    for axis in range(len(free)):
        step = 1e-5 * np.eye(len(free))[axis]
        (ahead, _), (behind, _) = (landscape.value_and_slope(p) for p in (free + step, free - step))
        assert slope[axis] == pytest.approx((ahead - behind) / 2e-5, rel=1e-3, abs=1e-4)
