"""Lines clipped to a rectangle, and thumbnails."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeroom.crowd import insects
from homeroom.paper.figures_insects import BACKGROUND, clip_line, thumbnail

LOW, HIGH = np.array([-2.0, -1.0]), np.array([1.0, 3.0])
numbers = st.floats(-3, 3).map(lambda value: round(value, 3))


def test_a_line_ends_at_the_border_of_the_rectangle() -> None:
    ends = clip_line(np.array([1.0, 0.0, -0.5]), LOW, HIGH)  # x = 0.5
    assert sorted(map(tuple, ends.tolist())) == [(0.5, -1.0), (0.5, 3.0)]


@given(numbers, numbers, numbers)
def test_ends_lie_on_the_line_and_inside_the_rectangle(x: float, y: float, bias: float) -> None:
    line = np.array([x, y, bias])
    ends = clip_line(line, LOW, HIGH)
    assert len(ends) in {0, 2}
    np.testing.assert_allclose(ends @ line[:2] + bias, 0, atol=1e-9)
    assert ((ends >= LOW - 1e-9) & (ends <= HIGH + 1e-9)).all()


@pytest.mark.parametrize("bias", [9.0, -9.0])
def test_a_line_outside_the_rectangle_has_no_ends(bias: float) -> None:
    assert clip_line(np.array([1.0, 1.0, bias]), LOW, HIGH).shape == (0, 2)


def test_a_thumbnail_has_the_background_colour() -> None:
    made = insects.make()
    picture = thumbnail(made, 130, 60)
    assert picture.shape == (60, 60, 3)
    np.testing.assert_allclose(picture[0, 0], BACKGROUND)
    opaque = made.pixels(130, 60)[..., 3] == 255
    np.testing.assert_allclose(picture[opaque], made.pixels(130, 60)[opaque][:, :3] / 255)
