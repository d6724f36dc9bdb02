"""The benchmark of orders for people: its learners and its figures."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import people_orders
from benchmarks.people_learners import STUDENTS, TASKS, learners_of

CELLS = [(task, law) for task in TASKS for law in learners_of(task)]


@pytest.mark.parametrize(("task", "law"), CELLS)
def test_a_learner_has_chances_and_answers_accordingly(task: str, law: str) -> None:
    made = TASKS[task](3)
    learner = learners_of(task)[law](made, 3)
    start = learner.share_of_list().mean()
    for item in np.random.default_rng(0).permutation(made.taught)[::2].tolist():
        learner.show(item)
    chances = learner.chances()
    assert chances.shape == (STUDENTS, len(made.labels))
    assert chances.min() >= 0.0
    assert chances.max() <= 1.0 + 1e-12
    right = np.mean([(learner.answer(item) == made.labels[item]).mean() for item in range(20)])
    assert right == pytest.approx(learner.chances()[:, :20].mean(), abs=0.08)
    if law != "constant":
        assert learner.share_of_list().mean() > start


def test_half_of_the_laws_are_not_among_the_models() -> None:
    laws = {law for _, law in CELLS}
    modelled = {"exemplar", "gradient", "all-or-none", "forgetting", "constant"}
    assert len(laws) >= 8
    assert len(laws - modelled) >= len(laws) / 2
    assert len(TASKS) >= 6
    assert len(people_orders.ORDERS) >= 4


def test_a_class_is_compared_with_every_order_in_the_same_way() -> None:
    right, knows = people_orders.measure("24 facts", "constant", 1)
    np.testing.assert_allclose(right[[0, 1, 2, 4]], 70.0)
    assert np.isnan(right[3]).all()  # no typical items without features
    assert knows.shape == (5,)
    done, passed, later, truth, last = people_orders.measure_end("24 facts", "constant .85", 1)
    assert np.isnan([done, passed, later]).all()
    assert (truth, last) == (pytest.approx(0.85), 60.0)
