import numpy as np
import pytest

from homeroom.plots import cost_lines, error_curve, group_bars

ERRORS = np.geomspace(10.0, 0.1, 30)


def test_the_error_is_drawn_on_a_logarithmic_scale_with_students() -> None:
    ax = error_curve(ERRORS, students={"Ada": 2 * ERRORS, "Ben": ERRORS / 2}, goal=0.1)
    assert ax.get_yscale() == "log"
    assert ax.get_xlabel() == "rounds"
    assert ax.get_ylabel() == "squared distance to the target"
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["Ada", "Ben", "class average"]
    assert len({str(line.get_color()) for line in ax.get_lines()}) == 4


def test_lines_differ_even_without_colour() -> None:
    ax = error_curve(ERRORS, students={str(i): ERRORS * (i + 1) for i in range(4)})
    lines = ax.get_lines()
    dashes = {(line.get_linestyle(), str(line._dash_pattern)) for line in lines[:4]}  # type: ignore[attr-defined]
    assert len(dashes) == 4
    assert lines[-1].get_linewidth() > lines[0].get_linewidth()


def test_a_student_near_the_target_does_not_dominate_the_axis() -> None:
    ax = error_curve(ERRORS, students={"fast": np.geomspace(10.0, 1e-30, 30)}, goal=0.1)
    assert 1e-4 < ax.get_ylim()[0] < 0.1


@pytest.mark.parametrize(
    "errors", [np.zeros(3), np.array([1.0]), np.array([1.0, np.inf, np.nan]), np.array([4.0, 0.0])]
)
def test_degenerate_lessons_can_be_drawn(errors: np.ndarray) -> None:
    ax = error_curve(errors, goal=0.1)
    ax.figure.canvas.draw()
    assert ax.get_ylim()[0] > 0


def test_a_bar_is_as_wide_as_its_group_and_has_a_label() -> None:
    ax = group_bars([10, 30], [5, 2])
    boxes = [bar.get_window_extent().transformed(ax.transData.inverted()) for bar in ax.patches]
    assert [round(box.width, 6) for box in boxes] == [10, 30]
    assert [round(box.height, 6) for box in boxes] == [5, 2]
    assert [text.get_text() for text in ax.texts] == ["5", "2"]
    assert ax.get_xlim() == (0, 40)


def test_a_bar_too_narrow_for_its_number_has_no_label() -> None:
    ax = group_bars([1, 200, 1], [150, 140, 130])
    assert [text.get_text() for text in ax.texts] == ["140"]


def test_many_groups_are_one_outline() -> None:
    ax = group_bars(np.ones(5000, dtype=np.int64), np.arange(5000))
    assert len(ax.patches) == 1
    assert not ax.texts
    assert ax.get_ylim()[1] > 4999


def test_the_cheapest_way_is_marked() -> None:
    ax = cost_lines({"together": (10.0, 10.0), "alone": (100.0, 1.0)}, np.array([0.0, 1.0, 100.0]))
    under, together, alone = ax.get_lines()
    assert [line.get_label() for line in ax.get_lines()] == ["cheapest", "together", "alone"]
    cheapest = np.minimum(np.asarray(together.get_ydata()), np.asarray(alone.get_ydata()))
    np.testing.assert_array_equal(np.asarray(under.get_ydata()), cheapest)
    assert ax.get_xscale() == ax.get_yscale() == "log"


def test_the_best_of_many_ways_is_one_line() -> None:
    lambdas = np.array([1.0, 100.0])
    best = np.array([10, 20, 100]), np.array([10.0, 4.0, 1.0])
    ax = cost_lines({"together": (10.0, 10.0)}, lambdas, best=best)
    under, together, found = ax.get_lines()
    assert found.get_label() == "best groups"
    at = np.asarray(found.get_xdata())
    expected = np.min([t + at * s for t, s in zip(*best, strict=True)], axis=0)
    np.testing.assert_allclose(np.asarray(found.get_ydata()), expected)
    np.testing.assert_allclose(np.asarray(under.get_ydata()), expected)
    assert (np.asarray(together.get_ydata()) >= expected).all()


def test_no_ways_give_an_empty_picture() -> None:
    ax = cost_lines({}, np.array([1.0, 10.0]))
    assert not ax.get_lines()
    ax.figure.canvas.draw()


def test_zero_alone_cannot_be_drawn() -> None:
    with pytest.raises(ValueError, match="`lambdas` must contain a positive number"):
        cost_lines({"together": (1.0, 1.0)}, np.array([0.0]))
