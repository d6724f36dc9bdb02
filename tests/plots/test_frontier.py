"""The plot of rounds against workload."""

import numpy as np

from homeroom.plots import frontier_steps
from homeroom.plots.curves import LINE

ROUNDS, WORKLOADS = np.array([10, 20, 50, 400]), np.array([10.0, 6.0, 5.0, 1.0])
CORNERS = [("1 group", (10.0, 10.0)), ("2 groups", (20.0, 6.0)), ("all alone", (400.0, 1.0))]


def test_the_frontier_is_drawn_as_steps() -> None:
    """The workload is constant from each number of rounds to the next."""
    ax = frontier_steps(ROUNDS, WORKLOADS)
    steps = ax.get_lines()[0]
    assert steps.get_drawstyle() == "steps-post"
    assert np.asarray(steps.get_xdata()).tolist() == ROUNDS.tolist()
    assert np.asarray(steps.get_ydata()).tolist() == WORKLOADS.tolist()
    assert ax.get_xscale() == ax.get_yscale() == "log"
    assert ax.get_xlabel() == "examples the teacher shows, T"
    assert ax.get_ylabel() == "examples a student sees, S"


def test_corners_and_other_ways_are_marked_and_labelled() -> None:
    ax = frontier_steps(ROUNDS, WORKLOADS, corners=CORNERS, others={"by rate": (60.0, 8.0)})
    _, others, corners = ax.get_lines()
    assert np.asarray(others.get_xdata()).tolist() == [60.0]
    assert np.asarray(corners.get_ydata()).tolist() == [10.0, 6.0, 1.0]
    assert others.get_marker() != corners.get_marker()
    assert {text.get_text() for text in ax.texts} == {
        *("1 group", "2 groups", "all alone"),
        "by rate",
    }


def test_corners_with_the_same_name_are_all_drawn() -> None:
    twice = [("2 groups", (10.0, 10.0)), ("2 groups", (11.0, 9.9)), ("all alone", (400.0, 1.0))]
    ax = frontier_steps(ROUNDS, WORKLOADS, corners=twice)
    assert len(np.asarray(ax.get_lines()[2].get_xdata())) == 3


def test_names_that_would_overlap_are_left_out() -> None:
    many = [(f"way {k}", (100.0 + k, 50.0 - 0.1 * k)) for k in range(50)]
    ax = frontier_steps(ROUNDS, WORKLOADS, corners=[*many, ("all alone", (400.0, 1.0))])
    names = [text.get_text() for text in ax.texts]
    assert names == ["all alone", "way 0"]
    to_share = ax.transAxes.inverted().transform
    (_, one), (_, two) = (to_share(ax.transData.transform(text.xy)) for text in ax.texts)  # type: ignore[attr-defined]  # annotations have xy
    assert abs(one - two) > LINE


def test_ways_that_cost_nothing_are_left_out() -> None:
    ax = frontier_steps(
        np.array([0]), np.array([0.0]), corners=[("1 group", (0, 0))], others={"all": (0, 0)}
    )
    assert not ax.texts
    ax.figure.canvas.draw()


def test_no_ways_give_an_empty_picture() -> None:
    ax = frontier_steps(np.zeros(0, dtype=np.int64), np.zeros(0))
    assert not ax.texts
    ax.figure.canvas.draw()


def test_there_are_enough_ticks_within_one_decade() -> None:
    ax = frontier_steps(np.array([150, 400]), np.array([60.0, 20.0]))
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    shown = [tick for tick in ax.get_xticks() if low <= tick <= high]
    assert len(shown) >= 4
