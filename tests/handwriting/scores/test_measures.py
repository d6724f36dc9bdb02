"""Measuring letters that lie on their model."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom._arrays import Floats
from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores.frame import frame_of
from homeroom.handwriting.scores.measures import measure
from homeroom.handwriting.scores.registration import Fit

FRAME = frame_of(model_letter("f"))


def fitted(matrix: Floats, form: float = 0.0, tremor: float = 0.0) -> Fit:
    count = len(FRAME.points)
    swing = np.where(np.arange(count) % 2, 1.0, -1.0)
    return Fit(matrix[None], np.full((count, 1), form + 0j), tremor * swing[:, None])


@pytest.mark.parametrize("degrees", [-50.0, 0.0, 20.0])
def test_turn_and_slant_are_told_apart(degrees: float) -> None:
    turn = np.radians(degrees)
    rotate = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    found = measure(fitted(rotate @ [[1.1, -0.2], [0.0, 1.0]]), FRAME)
    np.testing.assert_allclose(np.degrees(found.turn), degrees, atol=1e-9)
    np.testing.assert_allclose(found.shear, 0.2, atol=1e-9)
    np.testing.assert_allclose(found.form, 0.0, atol=1e-9)


def test_measures_do_not_depend_on_the_letters_size() -> None:
    small, large = (
        measure(fitted(size * np.eye(2), form=0.1 * size, tremor=0.01 * size), FRAME)
        for size in (0.5, 3.0)
    )
    np.testing.assert_allclose(small.form, large.form)
    np.testing.assert_allclose(small.tremor, large.tremor)
    np.testing.assert_allclose(small.form, 0.1)


@pytest.mark.parametrize(
    ("matrix", "distorted"),
    [
        ([[1.0, -0.4], [0.0, 1.0]], False),
        ([[1.0, -1.0], [0.0, 1.0]], True),
        ([[1.5, 0.0], [0.0, 1.0]], False),
        ([[3.0, 0.0], [0.0, 1.0]], True),
    ],
)
def test_slant_and_width_are_style_up_to_a_point(matrix: Floats, distorted: bool) -> None:
    form = measure(fitted(np.array(matrix)), FRAME).form[0]
    assert (form > 0.1) == distorted
    assert (form == 0.0) != distorted


def test_a_third_of_the_line_may_be_corners_without_being_tremor() -> None:
    fit = fitted(np.eye(2))
    fit.tremor[: len(FRAME.points) // 3] = 0.5
    assert measure(fit, FRAME).tremor[0] == 0.0


def test_a_straight_model_has_a_turn_but_no_slant() -> None:
    line = frame_of(Ink((Stroke([[0, 0], [0, 3]]),)))
    fit = Fit(np.array([[[0.0, -0.5], [0.0, 0.5]]]), 0j * line.points[:, None], np.zeros((112, 1)))
    found = measure(fit, line)
    np.testing.assert_allclose(np.degrees(found.turn), 45.0)
    np.testing.assert_allclose([found.shear[0], found.form[0]], 0.0, atol=1e-12)
