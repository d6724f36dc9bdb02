"""The search for the most probable map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_ndtr

from homeroom._arrays import Floats
from homeroom.crowd.fitting import answer_table as tables
from homeroom.crowd.fitting.answer_table import AnswerTable
from homeroom.crowd.fitting.parameters import MapParameters, disparity
from homeroom.crowd.fitting.posterior import Posterior, Prior
from homeroom.crowd.fitting.search import (
    Hessian,
    fit_lines,
    most_probable,
    patterns,
    polish,
    promising_starts,
)


def test_the_first_start_already_looks_like_the_truth(crowds: Callable[..., Any]) -> None:
    crowd = crowds()
    table = AnswerTable.of(crowd.answers)
    first, second = promising_starts(table, 2, Prior(), 2, np.random.default_rng(0))
    assert disparity(crowd.items, first.items) < 0.15
    assert np.abs(first.items - second.items).max() > 0.1


def test_a_start_does_not_depend_on_the_order_of_annotators_and_items(
    crowds: Callable[..., Any],
) -> None:
    answers = crowds(items=60, people=40, share=0.6).answers
    rng = np.random.default_rng(0)
    people, items = rng.permutation(40), rng.permutation(60)
    table = AnswerTable.of(answers)
    other = AnswerTable.sort(40, 60, people[answers.person], items[answers.item], answers.yes)
    for mine, theirs in zip(
        promising_starts(table, 2, Prior(), 3, np.random.default_rng(5)),
        promising_starts(other, 2, Prior(), 3, np.random.default_rng(5)),
        strict=True,
    ):
        np.testing.assert_allclose(theirs.items[items], mine.items, atol=1e-8)
        np.testing.assert_allclose(theirs.people[people], mine.people, atol=1e-8)


def test_small_and_large_tables_have_the_same_patterns(crowds: Callable[..., Any]) -> None:
    """The sparse and the dense computation agree."""
    table = AnswerTable.of(crowds(items=40, people=17).answers)
    few, many = patterns(table, 4), patterns(table, 12)  # 17 > 4 * 4, but not 4 * 12
    np.testing.assert_allclose(few, many[:, :4], atol=1e-9)


def test_a_table_with_fewer_patterns_than_axes_is_padded() -> None:
    table = AnswerTable.sort(2, 3, np.array([0, 1]), np.array([0, 1]), np.array([True, False]))
    assert patterns(table, 4).shape == (3, 4)
    for start in promising_starts(table, 2, Prior(), 2, np.random.default_rng(0)):
        assert np.isfinite(start.flat()).all()


def test_a_table_without_any_pattern_has_a_start() -> None:
    """All answers are no, as may happen if the only yes is held out."""
    person, item = np.divmod(np.arange(400), 20)
    table = AnswerTable.sort(20, 20, person, item, np.zeros(400, dtype=np.bool_))
    assert not patterns(table, 4).any()
    for start in promising_starts(table, 2, Prior(), 2, np.random.default_rng(0)):
        assert np.isfinite(start.flat()).all()


def test_the_line_of_each_annotator_is_optimal(crowds: Callable[..., Any]) -> None:
    """Compared with a general optimiser, annotator by annotator."""
    crowd = crowds(items=30, people=4)
    table = AnswerTable.of(crowd.answers)
    lines, _ = fit_lines(crowd.items, table)
    features = np.column_stack([crowd.items, -np.ones(30)])
    for person in range(4):
        mine = table.person == person

        def loss(line: Floats, mine: Any = mine) -> float:
            said = table.signs[mine] * (features[table.item[mine]] @ line)
            return float(0.5 * (line**2 * [4, 4, 1]).sum() - log_ndtr(said).sum())

        expected = minimize(loss, np.zeros(3), tol=1e-10).x
        np.testing.assert_allclose(lines[person], expected, atol=1e-4)


def test_covariances_are_inverse_curvatures(crowds: Callable[..., Any]) -> None:
    crowd = crowds(items=30, people=2)
    lines, covariances = fit_lines(crowd.items, AnswerTable.of(crowd.answers))
    assert covariances.shape == (2, 3, 3)
    assert lines.shape == (2, 3)
    assert (np.linalg.eigvalsh(covariances) > 0).all()


def test_an_annotator_without_answers_has_the_prior() -> None:
    empty = np.zeros(0, dtype=np.int32)
    table = AnswerTable.sort(2, 3, empty, empty, np.zeros(0, dtype=np.bool_))
    lines, covariances = fit_lines(np.ones((3, 2)), table, Prior(people=0.5, thresholds=2.0))
    assert not lines.any()
    np.testing.assert_allclose(covariances[1], np.diag([0.25, 0.25, 4.0]))


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6])
def test_fitting_lines_ends_even_if_items_are_far_away(scale: float) -> None:
    """Newton's steps are halved where they overshoot."""
    rng = np.random.default_rng(0)
    items = scale * rng.standard_normal((50, 2))
    person = np.zeros(50, dtype=np.int32)
    table = AnswerTable.sort(1, 50, person, np.arange(50), rng.random(50) < 0.5)
    lines, _ = fit_lines(items, table, Prior(people=10.0, thresholds=10.0))
    assert np.isfinite(lines).all()
    again, _ = fit_lines(
        items[::-1], AnswerTable.sort(1, 50, person, np.arange(50), table.signs[::-1] > 0)
    )
    assert np.isfinite(again).all()


def posterior_of(crowds: Callable[..., Any], **settings: Any) -> Posterior:
    return Posterior(AnswerTable.of(crowds(**settings).answers))


def test_the_gradient_vanishes_at_the_peak(crowds: Callable[..., Any]) -> None:
    posterior = posterior_of(crowds, items=50, people=20)
    point = most_probable(
        posterior, promising_starts(posterior.table, 2, Prior(), 2, np.random.default_rng(0))
    )
    assert np.abs(posterior.loss(point)[1]).max() < 1e-8


def test_the_best_of_several_starts_is_taken(crowds: Callable[..., Any]) -> None:
    """Zero is a saddle with no gradient: the other start must win."""
    posterior = posterior_of(crowds, items=50, people=20)
    good = next(iter(promising_starts(posterior.table, 2, Prior(), 1, np.random.default_rng(0))))
    saddle = MapParameters(0 * good.items, 0 * good.people, 0 * good.thresholds)
    stuck = posterior.loss(most_probable(posterior, [saddle]))[0]
    best = posterior.loss(most_probable(posterior, [saddle, good]))[0]
    assert best == pytest.approx(posterior.loss(most_probable(posterior, [good]))[0], rel=1e-12)
    assert best < stuck - 10


def test_every_iteration_is_reported(crowds: Callable[..., Any]) -> None:
    posterior = posterior_of(crowds, items=30, people=10)
    reported: list[None] = []
    begin = promising_starts(posterior.table, 1, Prior(), 1, np.random.default_rng(0))
    most_probable(posterior, begin, tick=lambda: reported.append(None))
    assert len(reported) > 5


def test_a_rough_map_is_close_to_the_exact_one(crowds: Callable[..., Any]) -> None:
    posterior = posterior_of(crowds, items=50, people=20)
    begin = list(promising_starts(posterior.table, 2, Prior(), 1, np.random.default_rng(0)))
    rough, exact = most_probable(posterior, begin, exactly=False), most_probable(posterior, begin)
    assert posterior.loss(rough)[0] == pytest.approx(posterior.loss(exact)[0], rel=1e-5)


def rough(crowds: Callable[..., Any]) -> tuple[Posterior, MapParameters]:
    posterior = Posterior(AnswerTable.of(crowds(items=30, people=12).answers))
    begin = promising_starts(posterior.table, 2, Prior(), 1, np.random.default_rng(0))
    return posterior, most_probable(posterior, begin, exactly=False)


def test_second_derivatives_are_differences_of_gradients(
    crowds: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "BLOCK", 100)
    posterior, point = rough(crowds)
    move = np.random.default_rng(0).standard_normal(point.flat().size)
    step = 1e-6
    ends = [posterior.loss(point.like(point.flat() + sign * step * move))[1] for sign in (-1, 1)]
    expected = (ends[1] - ends[0]) / (2 * step)
    np.testing.assert_allclose(Hessian(posterior, point)(move), expected, atol=1e-6)


def test_polishing_finds_the_last_digits(crowds: Callable[..., Any]) -> None:
    posterior, point = rough(crowds)
    reported: list[None] = []
    done = polish(posterior, point, lambda: reported.append(None))
    before, after = (np.abs(posterior.loss(each)[1]).max() for each in (point, done))
    assert before > 1e-4
    assert after < 1e-9
    assert posterior.loss(done)[0] <= posterior.loss(point)[0]
    assert reported


def test_a_finished_map_is_left_alone(crowds: Callable[..., Any]) -> None:
    posterior, point = rough(crowds)
    done = polish(posterior, point)
    assert polish(posterior, done) is done
