"""What the teacher's page shows of each student, and how certain it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom.live.classbook.student_summary import POINTS, ellipses, on_the_plane, summaries
from homeroom.live.events import PhaseBegan
from homeroom.observers.quizzing.beliefs import Belief
from homeroom.observers.quizzing.estimates import ellipse

Make = Callable[..., Any]


def test_ellipses_equal_those_of_the_observer() -> None:
    rng = np.random.default_rng(0)
    roots = rng.standard_normal((4, 3, 3))
    belief = Belief(rng.standard_normal((4, 3)), roots @ np.swapaxes(roots, 1, 2))
    edges = ellipses(on_the_plane(belief))
    for student in range(4):
        expected = ellipse(belief, student, np.array([0, 1]), points=POINTS)
        assert edges[student] == pytest.approx(expected)


def test_a_map_with_one_axis_is_a_line() -> None:
    belief = Belief(np.array([[2.0, 5.0]]), np.array([[[4.0, 1.0], [1.0, 9.0]]]))
    plane = on_the_plane(belief)
    assert plane.means.tolist() == [[2.0, 0.0]]
    assert not ellipses(plane)[0, :, 1].any()


def test_chances_have_an_interval_that_shrinks_with_answers(new_class: Make) -> None:
    one = new_class(6)
    one.add(PhaseBegan("pretest"))
    before = summaries(one.book.beliefs.students, one.book.beliefs.memory)
    one.answer()
    one.add(PhaseBegan("teach"))
    after = summaries(one.book.beliefs.students, one.book.beliefs.memory)
    for student in one.states:
        wide, narrow = before[student].p_right, after[student].p_right
        assert wide["low"] < wide["middle"] < wide["high"]
        assert narrow["high"] - narrow["low"] < wide["high"] - wide["low"]
        assert len(after[student].ellipse or ()) == POINTS
    assert {like.rate_words for like in before.values()} == {"not known yet"}


def test_chances_match_the_share_of_right_answers(new_class: Make) -> None:
    one = new_class(40)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    found = summaries(one.book.beliefs.students, one.book.beliefs.memory)
    right = []
    for student, state in one.states.items():
        scores = one.space.signed @ state / one.space.sigma
        right.append((student, float((scores > 0).mean())))
    apart = [found[student].p_right["middle"] - share for student, share in right]
    assert abs(np.mean(apart)) < 0.06
    inside = [
        found[student].p_right["low"] - 0.05 <= share <= found[student].p_right["high"] + 0.05
        for student, share in right
    ]
    assert np.mean(inside) > 0.8
