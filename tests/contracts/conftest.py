"""Fixtures of the contract tests: a class, and ways to convert or rotate it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
import pytest

from homeroom import Classroom, Record
from homeroom._arrays import Floats, to_numpy

Move: TypeAlias = Callable[..., Classroom]


@pytest.fixture
def room() -> Classroom:
    """Seven students in four dimensions, of clearly different rates and knowledge."""
    return Classroom.sample(students=7, dimensions=4, rates=(0.1, 0.4), seed=5, clusters=2)


@pytest.fixture
def rotation() -> Floats:
    """An orthogonal matrix."""
    return np.linalg.qr(np.random.default_rng(1).standard_normal((4, 4)))[0]


@pytest.fixture
def order() -> Any:
    """Another order of the seven students."""
    return np.array([3, 0, 6, 2, 5, 1, 4])


@pytest.fixture(params=["array_api_strict", "torch"])
def library(request: pytest.FixtureRequest) -> Any:
    """Each array library that is installed besides NumPy."""
    return pytest.importorskip(request.param)


@pytest.fixture
def move() -> Move:
    """Return the class with its arrays in another library or precision."""

    def moved(room: Classroom, library: ModuleType = np, dtype: str = "float64") -> Classroom:
        arrays = (np.array(to_numpy(part)) for part in (room.states, room.rates, room.target))
        states, rates, target = (
            library.asarray(array, dtype=getattr(library, dtype)) for array in arrays
        )
        return Classroom(
            states,
            rates,
            target,
            state_radius=room.state_radius,
            example_radius=room.example_radius,
        )

    return moved


@pytest.fixture
def rotate() -> Callable[[Classroom, Floats], Classroom]:
    """Return the class in rotated coordinates."""

    def rotated(room: Classroom, rotation: Floats) -> Classroom:
        return Classroom(room.states @ rotation, room.rates, room.target @ rotation)

    return rotated


@pytest.fixture
def same_after_saving(tmp_path: Path) -> Callable[[Record], None]:
    """Check that a record is the same, bit for bit, after it was saved and loaded."""

    def check(record: Record) -> None:
        record.save(tmp_path / "lesson.npz")
        loaded = Record.load(tmp_path / "lesson.npz")
        for name, array in record.transcript.arrays().items():
            np.testing.assert_array_equal(loaded.transcript.arrays()[name], array, strict=True)
        np.testing.assert_array_equal(
            loaded.final_states, to_numpy(record.final_states), strict=True
        )
        np.testing.assert_array_equal(loaded.group_of, record.group_of, strict=True)
        np.testing.assert_array_equal(loaded.watched_errors, record.watched_errors)
        assert loaded.settings == record.settings
        assert loaded.counts == record.counts
        assert loaded.stopped_because is record.stopped_because

    return check
