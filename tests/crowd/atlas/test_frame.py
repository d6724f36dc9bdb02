from __future__ import annotations

import numpy as np
import pytest

from homeroom.crowd.atlas.frame import WIDTH, Frame, side_of

SQUARE = Frame(np.array([0.0, 0.0]), np.array([10.0, 10.0]), 1.0)


def test_all_points_are_in_the_frame_with_a_margin() -> None:
    points = np.random.default_rng(0).standard_normal((50, 2)) * [5, 1]
    frame = Frame.around(points)
    placed = frame.place(points)
    assert placed.min() > 0
    assert placed[:, 0].max() < WIDTH
    assert placed[:, 1].max() < frame.height


@pytest.mark.parametrize("points", [np.zeros((1, 2)), np.zeros((3, 2)), np.eye(2)[:1] * [[0], [1]]])
def test_few_points_make_a_frame_too(points: np.ndarray) -> None:
    frame = Frame.around(points)
    assert np.isfinite(frame.place(points)).all()
    assert 0 < frame.height < WIDTH


def test_up_is_up() -> None:
    low, high = SQUARE.place(np.array([[5.0, 1.0], [5.0, 9.0]]))
    assert high[1] < low[1]
    assert high[0] == low[0] == 5


@pytest.mark.parametrize(
    ("normal", "threshold", "ends"),
    [
        ([1.0, 0.0], 4.0, [(4, 0), (4, 10)]),
        ([0.0, 2.0], 4.0, [(0, 8), (10, 8)]),
        ([1.0, 1.0], 10.0, [(0, 0), (10, 10)]),
        ([1.0, -1.0], 5.0, [(5, 10), (10, 5)]),
    ],
)
def test_a_line_is_cut_at_the_edges(
    normal: list[float], threshold: float, ends: list[tuple[float, float]]
) -> None:
    cut = SQUARE.cut(np.array(normal), threshold)
    assert cut is not None
    np.testing.assert_allclose(sorted([(cut.x1, cut.y1), (cut.x2, cut.y2)]), ends, atol=1e-9)


@pytest.mark.parametrize(
    ("normal", "threshold"), [([1.0, 0.0], 11.0), ([1.0, 1.0], -3.0), ([0.0, 0.0], 1.0)]
)
def test_a_line_out_of_sight_is_none(normal: list[float], threshold: float) -> None:
    assert SQUARE.cut(np.array(normal), threshold) is None


def test_the_yes_side_is_where_the_line_says() -> None:
    assert sorted(side_of(SQUARE, np.array([1.0, 0.0]), 4.0)) == [
        (4.0, 0.0),
        (4.0, 10.0),
        (10.0, 0.0),
        (10.0, 10.0),
    ]
    assert side_of(SQUARE, np.array([1.0, 0.0]), 11.0) == []
    assert len(side_of(SQUARE, np.array([1.0, 0.0]), -1.0)) == 4
