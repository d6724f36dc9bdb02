"""The way down a smooth function."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from homeroom._arrays import Floats
from homeroom._descent import descend, one_thread


def threads() -> set[int]:
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    """Tests run with one, where nothing could be seen."""
    if not threads():
        pytest.skip("this library of linear algebra cannot limit its threads")
    with threadpool_limits(2, user_api="blas"):
        yield


def test_a_minimum_is_found_within_its_bounds() -> None:
    middle = np.array([1.0, -2.0, 3.0])

    def bowl(x: Floats) -> tuple[float, Floats]:
        return float(((x - middle) ** 2).sum()), 2 * (x - middle)

    np.testing.assert_allclose(descend(bowl, np.zeros(3)), middle, atol=1e-6)
    bounds = [(None, None), (-1.0, None), (None, 2.0)]
    np.testing.assert_allclose(descend(bowl, np.zeros(3), bounds=bounds), [1, -1, 2], atol=1e-6)


def test_each_step_is_reported_and_may_be_the_last() -> None:
    reports: list[None] = []

    def tick() -> None:
        reports.append(None)
        if len(reports) == 3:
            raise StopIteration

    def valley(x: Floats) -> tuple[float, Floats]:
        bend = x[1] - x[0] ** 2
        slope = np.array([-400 * x[0] * bend - 2 * (1 - x[0]), 200 * bend])
        return float(100 * bend**2 + (1 - x[0]) ** 2), slope

    stopped = descend(valley, np.array([-1.2, 1.0]), tick=tick)
    assert len(reports) == 3
    assert valley(stopped)[0] > 1e-3
    assert valley(descend(valley, np.array([-1.2, 1.0])))[0] < 1e-6


def test_linear_algebra_has_one_thread_during_a_descent_and_all_afterwards() -> None:
    seen = set()

    def bowl(x: Floats) -> tuple[float, Floats]:
        seen.update(threads())
        return float(x @ x), 2 * x

    descend(bowl, np.ones(2))
    assert seen == {1}
    assert threads() == {2}


def test_the_first_to_set_the_limit_lifts_it() -> None:
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with one_thread():
            inside.set()
            leave.wait()

    thread = threading.Thread(target=other)
    with one_thread():
        with one_thread():
            thread.start()
            inside.wait()
        assert threads() == {1}
    assert threads() == {2}
    leave.set()
    thread.join()
    assert threads() == {2}


def test_the_limit_is_lifted_after_a_failure_too() -> None:
    def broken(_: Floats) -> tuple[float, Floats]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        descend(broken, np.ones(2))
    assert threads() == {2}
