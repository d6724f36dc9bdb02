"""The rule to be taught."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.crowd.rule import contradiction, expert_rule

RNG = np.random.default_rng(0)
ITEMS = RNG.standard_normal((60, 2))


def test_a_straight_rule_is_found_without_contradiction() -> None:
    labels = np.sign(ITEMS @ [2.0, -1.0] - 0.3)
    rule = expert_rule(ITEMS, labels)
    assert len(rule.contradicting) == 0
    assert contradiction(rule) is None
    np.testing.assert_array_equal(np.sign(ITEMS @ rule.weights - rule.threshold), labels)
    np.testing.assert_array_equal(rule.target, [*rule.weights, -rule.threshold])
    assert rule.labelled == 60


def test_a_rule_far_from_the_middle_is_found_too() -> None:
    """Six of sixty say yes: with the prior of annotators, one of them would be contradicted."""
    labels = np.where(ITEMS[:, 0] > np.sort(ITEMS[:, 0])[-7], 1.0, -1.0)
    assert not len(expert_rule(ITEMS, labels).contradicting)


@pytest.mark.slow
def test_a_rule_is_found_however_narrow_the_gap() -> None:
    """Otherwise labels that follow a rule would be reported to follow none."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        items, weights = rng.standard_normal((500, 2)), rng.standard_normal(2)
        labels = np.where(items @ weights > 0.3 * rng.standard_normal(), 1.0, -1.0)
        assert not len(expert_rule(items, labels).contradicting)


def test_items_that_contradict_are_named_and_counted() -> None:
    labels = np.sign(ITEMS[:, 0])
    wrong = np.argsort(-np.abs(ITEMS[:, 0]))[:2]
    labels[wrong] *= -1
    rule = expert_rule(ITEMS, labels)
    assert set(wrong.tolist()) <= set(rule.contradicting.tolist())
    sentence = contradiction(rule)
    assert sentence is not None
    number = len(rule.contradicting)
    assert f"{number} items of 60 contradict the most probable one" in sentence


def test_one_contradiction_is_reported_in_the_singular() -> None:
    rule = expert_rule(np.array([[1.0], [2.0], [3.0]]), np.array([1.0, -1.0, 1.0]))
    assert contradiction(rule) == (
        "No straight rule fits the expert's labels: 1 item of 3 contradicts the most probable one."
    )


def test_items_without_a_label_are_left_out() -> None:
    labels = np.sign(ITEMS[:, 0])
    some = np.where(np.arange(60) < 30, labels, np.nan)
    rule = expert_rule(ITEMS, some)
    assert rule.labelled == 30
    assert rule.contradicting.max(initial=-1) < 30


def test_the_rule_is_as_long_as_an_annotators_line() -> None:
    """Whichever wider prior was needed to find it."""
    labels = np.where(ITEMS[:, 0] > np.sort(ITEMS[:, 0])[-7], 1.0, -1.0)
    assert 0.5 < np.linalg.norm(expert_rule(ITEMS, labels).target) < 5


def test_without_labels_there_is_no_target() -> None:
    with pytest.raises(ValueError, match=r"No item has an expert's label.*--labels FILE"):
        expert_rule(ITEMS, np.full(60, np.nan))
