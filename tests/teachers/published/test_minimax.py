"""The batch that is best for the worst student: closed form and brute force."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, ItemPool, Lesson, teach
from homeroom.learners import RidgeLearner
from homeroom.teachers.published import MinimaxTeacher
from homeroom.teachers.published.minimax import choose_for_worst, find_minimax_shifts


@pytest.mark.parametrize("batch", [1, 3, 6])
@pytest.mark.parametrize(("first", "second"), [(0.5, 2.0), (1.0, 10.0)])
def test_two_ridge_learners_on_a_line_end_at_the_closed_form(
    batch: int, first: float, second: float
) -> None:
    """Both end at |w*| (l2 - l1) / (2 a + l1 + l2), a = sum x^2, on two sides of the target."""
    target, radius = 1.5, 2.0
    room = Classroom([[0.0], [0.0]], [1 / first, 1 / second], [target], example_radius=radius)
    record = teach(
        room,
        teacher=MinimaxTeacher(batch=batch),
        learner=RidgeLearner(),
        goal=AverageGoal(1e-12),
        max_rounds=batch,
    )
    power = batch * radius**2
    expected = target * (second - first) / (2 * power + first + second)
    gaps = np.asarray(record.final_states)[:, 0] - target
    np.testing.assert_allclose(np.sort(gaps), [-expected, expected], rtol=1e-5)


def test_the_plan_is_what_ridge_learners_do() -> None:
    """The gaps that the teacher computes are those of the students after each batch."""
    room = Classroom.sample(students=5, dimensions=3, rates=(0.2, 1.0))
    teacher = MinimaxTeacher(batch=3)
    lesson = Lesson(room, teacher=teacher, learner=RidgeLearner(), goal=AverageGoal(1e-12))
    for _ in range(6):
        assert lesson.ask() is not None
        lesson.tell()
    part = lesson.parts[0]
    computed = part.plan()
    assert computed is not None
    assert computed["worst"] == pytest.approx(part.students.farthest, rel=1e-9)


def test_each_example_is_the_best_for_the_worst_student() -> None:
    """Brute force with a ridge regression from scratch."""
    rng = np.random.default_rng(0)
    gaps, rates = rng.standard_normal((5, 3)), rng.uniform(0.2, 2.0, 5)
    shown, candidates = rng.standard_normal((2, 3)), rng.standard_normal((9, 3))
    spread = np.array([np.linalg.inv(shown.T @ shown + np.eye(3) / rate) for rate in rates])
    now = np.array([p @ gap / rate for p, gap, rate in zip(spread, gaps, rates, strict=True)])
    worst = []
    for x in candidates:
        examples = np.vstack([shown, x])
        after = [
            np.linalg.solve(examples.T @ examples + np.eye(3) / rate, gap / rate)
            for gap, rate in zip(gaps, rates, strict=True)
        ]
        worst.append(max(float(gap @ gap) for gap in after))
    assert choose_for_worst(now[:, None, :], spread, candidates) == int(np.argmin(worst))


def test_no_other_shift_of_the_labels_is_better() -> None:
    """The problem is convex: no random change nearby, and none far away, is better."""
    rng = np.random.default_rng(1)
    for _ in range(10):
        gaps, reach = rng.standard_normal((6, 3)), rng.standard_normal((6, 3, 2))
        shifts = find_minimax_shifts(gaps, reach)

        def worst(tried: np.ndarray, gaps=gaps, reach=reach) -> float:  # type: ignore[no-untyped-def]
            return float(((gaps + reach @ tried) ** 2).sum(axis=1).max())

        best = worst(shifts)
        changes = np.concatenate(
            [rng.standard_normal((200, 2)), 0.01 * rng.standard_normal((200, 2))]
        )
        assert best <= min(worst(shifts + change) for change in changes) + 1e-6


def test_with_classes_the_labels_are_right() -> None:
    room = Classroom.sample(students=5, dimensions=3)
    pool = ItemPool(np.random.default_rng(0).standard_normal((8, 3)) * 0.5)
    learner = RidgeLearner("logistic")
    record = teach(room, teacher=MinimaxTeacher(pool), learner=learner, max_rounds=12)
    xs, ys = record.examples.xs, record.examples.ys
    np.testing.assert_array_equal(ys, np.where(xs @ room.target < 0, -1.0, 1.0))
