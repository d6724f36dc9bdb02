"""MaxGrad, curricula and uncertainty sampling against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, DirectionPool, GradientLearner, ItemPool, teach
from homeroom._arrays import Floats
from homeroom.learners import AbstractLoss, Logistic, Squared
from homeroom.teachers.published import CurriculumTeacher, MaxGradientTeacher, UncertaintyTeacher

ITEMS = np.random.default_rng(3).standard_normal((10, 4)) * 0.4
NEVER = AverageGoal(1e-12)


def a_class(seed: int = 0) -> Classroom:
    return Classroom.sample(students=6, dimensions=4, rates=(0.1, 0.4), seed=seed)


@pytest.mark.parametrize("seed", range(5))
def test_the_greatest_gradient_on_a_pool_is_the_closed_form(seed: int) -> None:
    """Squared loss: the first item maximises x' C x, C the mean of e e'."""
    room = a_class(seed)
    pool = DirectionPool(ITEMS)
    record = teach(room, teacher=MaxGradientTeacher(pool), goal=NEVER, max_rounds=1)
    matrix = np.asarray(room.gaps).T @ np.asarray(room.gaps)
    forms = np.einsum("id,de,ie->i", pool.directions, matrix, pool.directions)
    assert record.examples.items[0] == int(forms.argmax())


def test_in_the_ball_it_is_the_top_eigenvector() -> None:
    room = a_class()
    x = teach(room, teacher=MaxGradientTeacher(), goal=NEVER, max_rounds=1).examples.xs[0]
    matrix = np.asarray(room.gaps).T @ np.asarray(room.gaps)
    top = np.linalg.eigh(matrix)[1][:, -1]
    assert abs(x @ top) == pytest.approx(np.linalg.norm(x))


@pytest.mark.parametrize("loss", [Squared(), Logistic(), Logistic(classes=2)], ids=str)
def test_every_item_is_shown_once_before_one_is_repeated(loss: AbstractLoss) -> None:
    pool = ItemPool(ITEMS[:, : 4 // loss.outputs])
    record = teach(
        a_class(),
        teacher=MaxGradientTeacher(pool),
        learner=GradientLearner(loss),
        goal=NEVER,
        max_rounds=14,
    )
    assert sorted(record.examples.items[:10].tolist()) == list(range(10))


def margins(states: Floats, items: Floats) -> Floats:
    return np.asarray(np.abs(states @ items.T) / np.linalg.norm(items, axis=1))


@pytest.mark.parametrize("order", ["easy", "hard"])
def test_a_curriculum_goes_through_the_pool_by_the_margin_of_the_target(order: str) -> None:
    room = a_class()
    teacher = CurriculumTeacher(ItemPool(ITEMS), order)
    record = teach(room, teacher=teacher, goal=NEVER, max_rounds=13)
    ease = margins(np.asarray(room.target), ITEMS)
    expected = np.argsort(-ease if order == "easy" else ease)
    assert record.examples.items.tolist() == [*expected, *expected[:3]]


def test_uncertainty_is_the_smallest_mean_margin_of_the_students() -> None:
    room = a_class()
    record = teach(room, teacher=UncertaintyTeacher(ItemPool(ITEMS)), goal=NEVER, max_rounds=1)
    doubt = margins(np.asarray(room.states), ITEMS).mean(axis=0)
    assert record.examples.items[0] == int(doubt.argmin())
