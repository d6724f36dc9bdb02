from __future__ import annotations

import numpy as np

from homeroom.crowd.atlas.plane import normals, on_the_plane


def test_the_first_two_coordinates_are_drawn() -> None:
    items = np.arange(12.0).reshape(4, 3)
    np.testing.assert_array_equal(on_the_plane(items), items[:, :2])
    np.testing.assert_array_equal(normals(items), items[:, :2])


def test_one_dimension_is_piled_up_without_moving_anything_sideways() -> None:
    items = np.random.default_rng(0).standard_normal((200, 1))
    placed = on_the_plane(items)
    np.testing.assert_array_equal(placed[:, 0], items[:, 0])
    assert placed[:, 1].min() == 0
    assert placed[:, 1].max() <= 0.5 * np.ptp(items)
    assert len(np.unique(placed.round(9), axis=0)) == 200
    np.testing.assert_array_equal(normals(np.array([2.0])), [2.0, 0.0])


def test_items_in_one_place_are_no_error() -> None:
    assert np.isfinite(on_the_plane(np.ones((3, 1)))).all()
