"""What was assumed, found to be otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from homeroom import Classroom, QuizObserver
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.replay import Assumed
from homeroom.observers.quizzing.revision import LAPSES, lapses, scales, sigmas, sizes

AT_FIRST = Assumed(AnswerModel(0.25, 0.1, 0.02), 1.5)
ROUNDS = 16


def found(live: Any, room: Classroom, truth: AnswerModel, **settings: Any) -> Assumed:
    observer = QuizObserver(answers=3, **settings)
    assumed: Assumed = live(room, observer, truth.drawn).teach(ROUNDS).book.assumed
    return assumed


@pytest.mark.slow
def test_right_assumptions_are_kept(live: Any, simulated: Callable[[int, int], Classroom]) -> None:
    assumed = found(live, simulated(3, 0), AnswerModel(0.25))
    assert 0.17 < assumed.model.sigma < 0.36
    assert assumed.model.guess <= 0.01
    assert 0.7 < assumed.radius < 1.6  # the true root mean square is 1.12


@pytest.mark.slow
def test_too_small_a_sigma_is_detected(
    live: Any, simulated: Callable[[int, int], Classroom]
) -> None:
    assert found(live, simulated(3, 3), AnswerModel(0.5), sigma=0.12).model.sigma > 0.3


@pytest.mark.slow
def test_lapses_are_found(live: Any, simulated: Callable[[int, int], Classroom]) -> None:
    """One answer in four is random; a larger sigma or lapses must explain it."""
    assumed = found(live, simulated(3, 2), AnswerModel.with_lapses(0.25, 0.25))
    assert assumed.model.guess > 0.02 or assumed.model.sigma > 0.35


@pytest.mark.slow
@pytest.mark.parametrize("radius", [0.4, 5.0])
def test_the_length_of_states_is_estimated(
    radius: float, live: Any, simulated: Callable[[int, int], Classroom]
) -> None:
    assumed = found(live, simulated(3, 3), AnswerModel(0.25), radius=radius)
    assert 0.6 < assumed.radius < 2.0


def test_steps_are_small_and_stay_in_bounds() -> None:
    assert [c.model.sigma for c in sigmas(AT_FIRST, AT_FIRST)] == pytest.approx(
        [0.3536, 0.1768], 1e-3
    )
    assert [c.radius for c in scales(AT_FIRST, AT_FIRST)] == pytest.approx([1.0607, 2.1213], 1e-3)
    assert [(c.radius, c.model.sigma) for c in sizes(AT_FIRST, AT_FIRST)] == [
        pytest.approx((1.0607, 0.1768), 1e-3),
        pytest.approx((2.1213, 0.3536), 1e-3),
    ]
    far = Assumed(AT_FIRST.model, 8.0)
    assert [c.radius for c in scales(far, AT_FIRST)] == pytest.approx([5.657], 1e-3)
    (more,) = lapses(AT_FIRST, AT_FIRST)
    assert (more.model.guess, more.model.slip) == pytest.approx((0.11, 0.03))
    both = [c.model.guess - 0.1 for c in lapses(more, AT_FIRST)]
    assert both == pytest.approx([LAPSES[2] / 2, 0.0])
