"""``homeroom bench gpu``: what it measures, and the command with the CPU in place of a GPU."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom.cli import bench_gpu as bench
from homeroom.moments import sketch_of
from homeroom.moments.sketch import chebyshev_nodes, lagrange
from tests.cli.conftest import Homeroom, refuse

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
    took, last = bench.time_turns(lambda: next(turns), "cpu", turns=3)
    assert (len(took), last) == (3, 3)


def test_the_moments_it_is_checked_against_are_the_formula_s() -> None:
    """mean( l_i(eta_j) e_j e_j' ), for a rate that hits a node, too."""
    room = bench.draw_class(300, 3, 0, "cpu")
    room.rates[7] = 0.125
    nodes = chebyshev_nodes(0.0, 0.25, 5)
    assert 0.125 in nodes
    gaps = (room.states - room.target).double().numpy()
    shares = lagrange(nodes, room.rates.double().numpy())
    expected = np.einsum("ji,ja,jb->iab", shares, gaps, gaps) / 300
    matrices = bench.moments_student_by_student(room, nodes, block=70)
    np.testing.assert_allclose(matrices, expected, atol=1e-7)


def test_the_check_agrees_with_the_sketch_and_its_error_is_relative() -> None:
    room = bench.draw_class(2000, 3, 0, "cpu")
    sketch = sketch_of(room, 33)
    direct = bench.moments_student_by_student(room, sketch.nodes)
    assert bench.largest_error(sketch.matrices, direct) < 1e-9
    factors = np.array([1.1, *np.ones(len(direct) - 1)])[:, None, None]
    assert bench.largest_error(direct * factors, direct) == pytest.approx(0.1)


@pytest.fixture
def cpu_as_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """The CPU in the place of a GPU with 6 GB free."""
    monkeypatch.setattr(bench, "find_device", lambda: "cpu")
    monkeypatch.setattr(bench, "TURNS", 1)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (6_000_000_000, 8_000_000_000))


@pytest.mark.usefixtures("cpu_as_device")
def test_the_result_has_times_and_errors(homeroom: Homeroom, tmp_path: Path) -> None:
    asked = ("bench", "gpu", "--students", "1e4", "--dimensions", "3")
    assert "10,000 students, 3 dimensions" in homeroom(*asked).out
    document = homeroom(*asked, "--json", "--out", tmp_path / "out").document
    assert document["students"] == 10_000
    assert document["build"]["seconds"] > 0
    assert document["lesson"]["seconds"] > 0
    assert document["lesson"]["error"] <= 0.1
    assert document["off"] < 1e-9


@pytest.mark.usefixtures("cpu_as_device")
def test_students_who_do_not_fit_are_not_drawn(
    homeroom: Homeroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "students_that_fit", lambda *_: 12_000)
    ran = homeroom("bench", "gpu", "--dimensions", "3", "--json")
    assert ran.document["students"] == 12_000
    assert "12,000 are drawn" in ran.err
    monkeypatch.setattr(bench, "students_that_fit", lambda *_: bench.FEWEST - 1)
    refuse(homeroom("bench", "gpu"), "6.0 GB")


def test_a_gpu_and_torch_are_needed(homeroom: Homeroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    refuse(homeroom("bench", "gpu"), "GPU")
    monkeypatch.setitem(sys.modules, "torch", None)
    refuse(homeroom("bench", "gpu"), "homeroom[train]")
