"""Lines across a frame, and thumbnails."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeroom.crowd import insects
from homeroom.paper.insect_drawing import GROUND, border, thumbnail

LOW, HIGH = np.array([-2.0, -1.0]), np.array([1.0, 3.0])
numbers = st.floats(-3, 3).map(lambda value: round(value, 3))


def test_a_line_ends_where_it_leaves_the_frame() -> None:
    ends, half = border(np.array([1.0, 0.0, -0.5]), LOW, HIGH)  # yes where x > 0.5
    assert sorted(map(tuple, ends.tolist())) == [(0.5, -1.0), (0.5, 3.0)]
    assert sorted(map(tuple, half.tolist())) == [(0.5, -1.0), (0.5, 3.0), (1.0, -1.0), (1.0, 3.0)]


@given(numbers, numbers, numbers)
def test_a_half_is_where_the_rule_says_yes(x: float, y: float, bias: float) -> None:
    """Its corners are on the line or on the yes-side, and inside the frame."""
    rule = np.array([x, y, bias])
    ends, half = border(rule, LOW, HIGH)
    assert len(ends) in {0, 2}
    np.testing.assert_allclose(ends @ rule[:2] + bias, 0, atol=1e-9)
    assert (half @ rule[:2] + bias >= -1e-9).all()
    for points in (ends, half):
        assert ((points >= LOW - 1e-9) & (points <= HIGH + 1e-9)).all()


@pytest.mark.parametrize(("bias", "corners"), [(9.0, 4), (-9.0, 0)])
def test_a_line_outside_has_all_or_nothing(bias: float, corners: int) -> None:
    ends, half = border(np.array([1.0, 1.0, bias]), LOW, HIGH)
    assert ends.shape == (0, 2)
    assert half.shape == (corners, 2)


def test_a_thumbnail_lies_on_its_ground() -> None:
    made = insects.make()
    picture = thumbnail(made, 130, 60)
    assert picture.shape == (60, 60, 3)
    np.testing.assert_allclose(picture[0, 0], GROUND)
    opaque = made.pixels(130, 60)[..., 3] == 255
    np.testing.assert_allclose(picture[opaque], made.pixels(130, 60)[opaque][:, :3] / 255)
