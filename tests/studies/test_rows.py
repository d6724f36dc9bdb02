import math

import numpy as np
import pytest
from scipy.stats import t as students_t

from homeroom.studies.figures import column_panel, draw_band
from homeroom.studies.rows import Row, cheapest_way, column, fit_line, mean_curve, where


def test_the_half_width_is_that_of_students_t() -> None:
    """The half-width is t(0.975, n - 1) s / sqrt(n)."""
    values = [3.0, 5.0, 10.0, 4.0]
    rows = [{"x": 1.0, "y": value} for value in values] + [{"x": 2.0, "y": 7.0}]
    places, means, halves = mean_curve(rows, "x", "y")
    low, high = students_t.interval(
        0.95, 3, loc=np.mean(values), scale=np.std(values, ddof=1) / math.sqrt(4)
    )
    assert places.tolist() == [1.0, 2.0]
    assert (means[0] - halves[0], means[0] + halves[0]) == pytest.approx((low, high))
    assert means[1] == 7.0
    assert math.isnan(halves[1])


@pytest.mark.parametrize("classes", [1, 2])
def test_one_or_two_classes_are_drawn_without_a_band(classes: int) -> None:
    rows = [{"x": x, "y": y + i} for x, y in ((1.0, 3.0), (2.0, 7.0)) for i in range(classes)]
    drawn, ax = column_panel()
    draw_band(ax, rows, "x", "y", label="few classes", colour="black")
    drawn.canvas.draw()
    assert [path for band_of in ax.collections for path in band_of.get_paths()] == []
    assert ax.get_xlim()[1] > 2.0
    assert ax.get_ylim()[1] > 7.0


def test_a_place_where_a_lesson_failed_has_no_mean() -> None:
    rows: list[Row] = [{"x": 0, "y": None}, {"x": 0, "y": 3}, {"x": 1, "y": 2}]
    assert math.isnan(mean_curve(rows, "x", "y")[1][0])
    assert math.isnan(column(rows, "y")[0])
    assert where(rows, x=1) == [{"x": 1, "y": 2}]


def test_the_cheapest_way_is_never_one_that_failed() -> None:
    rows = [
        {"way": "CT", "diversity": 0, "T": 10, "S": 10},
        {"way": "IT", "diversity": 0, "T": 100, "S": 1},
        {"way": "CT", "diversity": 1, "T": None, "S": None},
        {"way": "IT", "diversity": 1, "T": 100, "S": 1},
    ]
    places, best = cheapest_way(rows, np.array([1.0, 9.9, 10.1]), ("CT", "IT"))
    assert places.tolist() == [0, 1]
    assert best.tolist() == [[0, 1], [0, 1], [1, 1]]


def test_a_straight_line_is_fitted() -> None:
    x = np.arange(5.0)
    assert fit_line(x, 3 * x - 1) == pytest.approx((3, -1, 1))
    assert fit_line(x, x**2)[2] < 0.95
    assert all(math.isnan(v) for v in fit_line(x, np.where(x > 2, np.nan, x)))


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([], []),
        ([1.0], [2.0]),
        ([1.0, 2.0], [3.0, 5.0]),
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]),
        ([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]),
    ],
)
def test_degenerate_points_have_no_line(x: list[float], y: list[float]) -> None:
    assert all(math.isnan(value) for value in fit_line(np.array(x), np.array(y)))
