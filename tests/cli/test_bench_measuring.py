"""What the benchmark of a GPU measures, on the CPU."""

from itertools import count
from typing import Any

import numpy as np
import pytest

from homeroom.cli import bench
from homeroom.moments import sketch_of
from homeroom.moments.sketch import chebyshev_nodes, lagrange

torch: Any = pytest.importorskip("torch")


def test_a_class_is_drawn_in_float32_and_the_same_seed_gives_the_same() -> None:
    one, two, other = (bench.draw_class(500, 4, seed, "cpu") for seed in (3, 3, 4))
    assert one.states.dtype == torch.float32
    assert (one.states == two.states).all()
    assert (one.rates == two.rates).all()
    assert not (one.states == other.states).all()
    assert bench.RATES[0] <= float(one.rates.min()) < float(one.rates.max()) <= bench.RATES[1]
    assert float(torch.linalg.vector_norm(one.target)) == pytest.approx(1.0)


def test_the_number_of_students_leaves_memory_for_the_sketch() -> None:
    assert bench.students_that_fit(25, 10**9) == 0
    billion = bench.students_that_fit(25, 150 * 10**9)
    assert billion > 10**9
    assert billion * 4 * 26 + bench.BYTES_FOR_A_SKETCH < 150 * 10**9


def test_the_first_repetition_is_not_timed() -> None:
    turns = count()
    took, last = bench.timed(lambda: next(turns), "cpu", turns=3)
    assert len(took) == 3
    assert last == 3


def test_the_moments_it_is_checked_against_are_the_formula_s() -> None:
    """mean( l_i(eta_j) e_j e_j' ), for a rate that hits a node, too."""
    room = bench.draw_class(300, 3, 0, "cpu")
    room.rates[7] = 0.125
    nodes = chebyshev_nodes(0.0, 0.25, 5)
    assert 0.125 in nodes
    gaps = (room.states - room.target).double().numpy()
    shares = lagrange(nodes, room.rates.double().numpy())
    expected = np.einsum("ji,ja,jb->iab", shares, gaps, gaps) / 300
    for found in (
        bench.moments_student_by_student(room, nodes, block=70),
        bench.moments_in_numpy(room, nodes, 300),
    ):
        np.testing.assert_allclose(found, expected, atol=1e-7)


def test_both_checks_agree_with_the_device_and_the_sketch() -> None:
    room = bench.draw_class(2000, 3, 0, "cpu")
    sketch = sketch_of(room, 33)
    direct = bench.moments_student_by_student(room, sketch.nodes)
    assert bench.largest_error(sketch.matrices, direct) < 1e-9
    some = bench.moments_on_device(room, sketch.nodes, 500)
    assert bench.largest_error(some, bench.moments_in_numpy(room, sketch.nodes, 500)) < 1e-9
    assert bench.largest_error(some, direct) > 1e-3  # other students


def test_the_error_is_relative_to_each_matrix() -> None:
    truth = np.array([np.eye(2), 100.0 * np.eye(2)])
    assert bench.largest_error(truth * np.array([1.1, 1.0])[:, None, None], truth) == pytest.approx(
        0.1
    )


def test_the_limits_are_positive() -> None:
    limits = bench.Limits.of("cpu")
    assert limits.memory > 0
    assert limits.arithmetic > 0


def test_a_lesson_is_timed_without_its_sketch() -> None:
    seconds, record = bench.timed_lesson(bench.draw_class(2000, 3, 0, "cpu"), 33, seed=0)
    assert seconds > 0
    assert record.engine == "sketch"
    assert record.errors[-1] <= 0.1
