"""The number of dimensions of a map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import log_ndtr

from homeroom.crowd import Answers
from homeroom.crowd.fitting import dimensions as dims
from homeroom.crowd.fitting.dimensions import choose_dimensions, held_out_losses, map_without
from homeroom.crowd.fitting.posterior import Prior


@pytest.mark.slow
def test_two_dimensions_are_chosen_where_there_are_two(crowds: Callable[..., Any]) -> None:
    choice = choose_dimensions(crowds(items=120, people=50).answers)
    assert choice.dimensions == 2
    assert set(choice.held_out) == {0, 1, 2, 3}
    assert choice.held_out[2] < choice.held_out[1]


@pytest.mark.slow
def test_one_dimension_is_chosen_if_annotators_think_alike(
    crowds: Callable[..., Any],
) -> None:
    choice = choose_dimensions(crowds(items=120, people=50, angles=0.0).answers)
    assert choice.dimensions == 1
    assert set(choice.held_out) == {0, 1, 2}
    assert choice.held_out[1] < choice.held_out[0]


def test_without_dimensions_each_annotator_has_a_share_of_yes(crowds: Callable[..., Any]) -> None:
    """Without dimensions, thresholds alone give the same probability for all items."""
    answers = crowds(items=40, people=20).answers
    out = np.arange(0, 800, 7)
    losses = held_out_losses(answers, out, 0)
    point = map_without(answers, out, 0, Prior(), number=1, seed=0)
    assert point.items.shape == (40, 0)
    certain = np.where(answers.yes[out], -1, 1) * point.thresholds[answers.person[out]]
    np.testing.assert_allclose(losses, -log_ndtr(certain))


@pytest.mark.slow
def test_no_axis_is_chosen_where_answers_are_random() -> None:
    rng = np.random.default_rng(0)
    person, item = np.divmod(np.arange(600), 30)
    choice = choose_dimensions(Answers.from_arrays(person, item, rng.random(600) < 0.4))
    assert choice.dimensions == 0
    assert set(choice.held_out) == {0, 1, 2}
    assert min(choice.held_out.values()) == choice.held_out[0]


def test_held_out_losses_are_of_a_map_that_has_not_seen_them(crowds: Callable[..., Any]) -> None:
    answers = crowds(items=40, people=20).answers
    out = np.array([3, 500, 77])
    losses = held_out_losses(answers, out, 2)
    point = map_without(answers, out, 2, Prior(), number=1, seed=0)
    certain = point.certainty(answers.person[out], answers.item[out])
    np.testing.assert_allclose(losses, -log_ndtr(np.where(answers.yes[out], certain, -certain)))
    changed = Answers(
        answers.people, answers.items, answers.person, answers.item,
        np.where(np.isin(np.arange(len(answers)), out), ~answers.yes, answers.yes),
        answers.labels,
    )  # fmt: skip
    other = map_without(changed, out, 2, Prior(), number=1, seed=0)
    np.testing.assert_array_equal(other.items, point.items)


def test_no_answer_is_held_out_twice(crowds: Callable[..., Any]) -> None:
    answers = crowds(items=40, people=20).answers
    folds = list(dims._folds(answers, np.random.default_rng(0)))
    every = np.concatenate(folds)
    assert len(every) == len(set(every.tolist())) == len(answers)
    assert {len(fold) for fold in folds} == {80}


@pytest.mark.parametrize(("items", "people"), [(30, 60), (60, 30)])
def test_a_sample_is_used_on_a_large_table(
    items: int, people: int, crowds: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The larger side is sampled, so that the other keeps many answers each."""
    answers = crowds(items=items, people=people).answers
    monkeypatch.setattr(dims, "LARGEST", 600)
    few = dims._sample(answers, np.random.default_rng(0))
    assert 600 <= len(few) <= 660
    kept = (len(few.items), len(few.people))
    assert kept == ((30, 20) if people > items else (20, 30))


@pytest.mark.slow
def test_a_tiny_table_has_no_more_dimensions_than_annotators(crowds: Callable[..., Any]) -> None:
    choice = choose_dimensions(crowds(items=3, people=2).answers)
    assert set(choice.held_out) == {0, 1, 2}


@pytest.mark.slow
def test_differences_from_the_search_are_not_a_gain() -> None:
    """If all items are in one point, maps differ by less than 1e-5 in log loss."""
    person, item = np.divmod(np.arange(6), 2)
    yes = np.array([True, False, False, False, True, True])
    choice = choose_dimensions(Answers.from_arrays(person, item, yes))
    assert max(choice.held_out.values()) - min(choice.held_out.values()) < 1e-5
    assert choice.dimensions == 0


@pytest.mark.slow
def test_progress_is_reported(crowds: Callable[..., Any]) -> None:
    reported: list[float] = []
    choose_dimensions(crowds(items=60, people=30).answers, progress=reported.append)
    assert reported == sorted(reported)
    assert reported
