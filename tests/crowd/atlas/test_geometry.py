"""Positions on the picture."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.crowd.atlas.geometry import WIDTH, Viewport, normals, on_the_plane

SQUARE = Viewport(np.array([0.0, 0.0]), np.array([10.0, 10.0]), 1.0)


def test_all_points_are_visible_with_a_margin() -> None:
    points = np.random.default_rng(0).standard_normal((50, 2)) * [5, 1]
    frame = Viewport.around(points)
    placed = frame.place(points)
    assert placed.min() > 0
    assert placed[:, 0].max() < WIDTH
    assert placed[:, 1].max() < frame.height


@pytest.mark.parametrize("points", [np.zeros((1, 2)), np.zeros((3, 2)), np.eye(2)[:1] * [[0], [1]]])
def test_few_points_have_a_viewport(points: np.ndarray) -> None:
    frame = Viewport.around(points)
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
def test_an_invisible_line_has_no_segment(normal: list[float], threshold: float) -> None:
    assert SQUARE.cut(np.array(normal), threshold) is None


def test_the_yes_side_is_on_the_right_side_of_the_line() -> None:
    assert sorted(SQUARE.yes_side(np.array([1.0, 0.0]), 4.0)) == [
        (4.0, 0.0),
        (4.0, 10.0),
        (10.0, 0.0),
        (10.0, 10.0),
    ]
    assert SQUARE.yes_side(np.array([1.0, 0.0]), 11.0) == []
    assert len(SQUARE.yes_side(np.array([1.0, 0.0]), -1.0)) == 4


def test_the_first_two_coordinates_are_drawn() -> None:
    items = np.arange(12.0).reshape(4, 3)
    np.testing.assert_array_equal(on_the_plane(items), items[:, :2])
    np.testing.assert_array_equal(normals(items), items[:, :2])


def test_items_on_one_dimension_are_stacked_without_moving_sideways() -> None:
    items = np.random.default_rng(0).standard_normal((200, 1))
    placed = on_the_plane(items)
    np.testing.assert_array_equal(placed[:, 0], items[:, 0])
    assert placed[:, 1].min() == 0
    assert placed[:, 1].max() <= 0.5 * np.ptp(items)
    assert len(np.unique(placed.round(9), axis=0)) == 200
    np.testing.assert_array_equal(normals(np.array([2.0])), [2.0, 0.0])


def test_items_in_one_place_are_not_an_error() -> None:
    assert np.isfinite(on_the_plane(np.ones((3, 1)))).all()
