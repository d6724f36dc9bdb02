"""Label synthesis: the closed form, and the proved rate."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, GradientLearner, ItemPool, teach
from homeroom.engines import ExactClass
from homeroom.learners import Absolute, AbstractLoss, Logistic, Squared
from homeroom.teachers.published import LabelSynthesisTeacher
from homeroom.teachers.published.label_synthesis import choose_label


@pytest.mark.slow
def test_the_error_falls_at_the_proved_exponential_rate() -> None:
    """One least-squares student, directions from a sphere: E |e|^2 falls by 1 - 1/d per round."""
    d, rounds, lessons = 5, 12, 400
    errors = []
    for seed in range(lessons):
        room = Classroom.sample(students=1, dimensions=d, rates=(0.3, 0.3), seed=seed)
        record = teach(
            room,
            teacher=LabelSynthesisTeacher(),
            goal=AverageGoal(1e-30),
            max_rounds=rounds,
            seed=seed,
        )
        errors.append(record.errors / record.errors[0])
    shares = np.array(errors)
    expected = (1.0 - 1.0 / d) ** np.arange(rounds + 1)
    off = 5.0 * shares.std(axis=0) / np.sqrt(lessons)
    assert (np.abs(shares.mean(axis=0) - expected) <= off + 1e-12).all()


@pytest.mark.slow
def test_on_a_pool_the_rate_is_at_least_that_of_the_worst_direction() -> None:
    """E |e|^2 falls at least by 1 - lambda_min(E[x x' / |x|^2])."""
    items = np.random.default_rng(0).standard_normal((8, 3))
    units = items / np.linalg.norm(items, axis=1, keepdims=True)
    rate = 1.0 - float(np.linalg.eigvalsh(units.T @ units / len(units))[0])
    room = Classroom.sample(students=1, dimensions=3, seed=1, example_radius=4.0)
    teacher = LabelSynthesisTeacher(ItemPool(items))
    last = [
        teach(room, teacher=teacher, goal=AverageGoal(1e-30), max_rounds=10, seed=seed).errors
        for seed in range(200)
    ]
    shares = np.array(last) / room.error
    limit = rate ** np.arange(11) + 5.0 * shares.std(axis=0) / np.sqrt(len(last))
    assert (shares.mean(axis=0) <= limit + 1e-12).all()


@pytest.mark.parametrize("loss", [Squared(), Logistic(), Logistic(classes=2), Absolute()], ids=str)
def test_no_other_label_helps_more(loss: AbstractLoss) -> None:
    """Brute force over labels, shown to copies of a class."""
    room = Classroom.sample(students=6, dimensions=4, rates=(0.1, 0.4))
    learner = GradientLearner(loss)
    seen = ExactClass(room, learner, np.random.default_rng(0)).look()
    x = np.linspace(0.4, -0.7, seen.width)

    def after(label: float) -> float:
        students = ExactClass(room, learner, np.random.default_rng(0))
        students.learn(seen.example(x, label=label))
        return students.error

    tried: list[float] = np.linspace(-20.0, 20.0, 201).tolist()
    if loss.outputs > 1 or isinstance(loss, Logistic):
        tried = [1.0, 2.0] if loss.outputs > 1 else [-1.0, 1.0]
    close = 1e-9 if not isinstance(loss, Absolute) else 1e-2
    assert after(choose_label(seen, x)) <= min(map(after, tried)) + close
