from __future__ import annotations

import re

import numpy as np
import pytest

from homeroom.crowd.atlas.ellipses import RADIUS, ellipses
from homeroom.crowd.atlas.frame import Frame


def drawn(covariance: np.ndarray) -> tuple[list[float], Frame]:
    """Return the numbers of one ellipse: two radii, the middle, and the turn."""
    frame = Frame.around(np.array([[-3.0, -2.0], [3.0, 2.0]]))
    places = frame.place(np.array([[1.0, 0.5]]))
    text = ellipses(frame, places, covariance[None])
    return [float(number) for number in re.findall(r"-?\d+\.\d", text)], frame


def test_an_ellipse_holds_a_gaussian_with_95_percent() -> None:
    """Drawn points, brought to the picture, are inside of the ellipse as often as it says."""
    covariance = np.array([[0.5, 0.3], [0.3, 0.4]])
    (long, short, x, y, turn), frame = drawn(covariance)
    rng = np.random.default_rng(0)
    points = frame.place(rng.multivariate_normal([1.0, 0.5], covariance, size=20_000))
    angle = np.radians(turn)
    gaps = points - [x, y]
    along = gaps @ [np.cos(angle), np.sin(angle)]
    across = gaps @ [-np.sin(angle), np.cos(angle)]
    inside = (along / long) ** 2 + (across / short) ** 2 < 1
    assert inside.mean() == pytest.approx(0.95, abs=0.005)


def test_of_more_axes_the_first_two_are_drawn() -> None:
    (long, short, *_), frame = drawn(np.diag([0.01, 0.04, 9.0]))
    assert [long, short] == pytest.approx(frame.scale * RADIUS * np.array([0.2, 0.1]), abs=0.06)


def test_on_one_axis_and_without_covariances_there_are_none() -> None:
    frame = Frame.around(np.array([[0.0, 0.0], [1.0, 1.0]]))
    assert ellipses(frame, np.zeros((1, 2)), np.ones((1, 1, 1))) == ""
    assert ellipses(frame, np.zeros((1, 2)), None) == ""
