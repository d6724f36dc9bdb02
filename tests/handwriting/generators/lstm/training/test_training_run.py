"""Settings and checkpoints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from homeroom.handwriting.generators.lstm.training import TrainingSettings
from homeroom.handwriting.generators.lstm.training.training_run import (
    PARTS,
    Checkpoint,
    load_checkpoint,
    save_checkpoint,
)


def test_the_rate_rises_and_then_falls_to_zero() -> None:
    settings = TrainingSettings(steps=20_000, rate=2e-3)
    rates = [settings.rate_at(step) for step in range(settings.steps)]
    top = max(range(settings.steps), key=rates.__getitem__)
    assert 900 <= top <= 1000
    assert rates[0] < 1e-5
    assert 1.95e-3 < rates[top] < 2e-3
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert rates[-1] < 1e-8


JOB = {"seed": 1, "letters": "abc"}


@pytest.fixture
def stands() -> Checkpoint:
    parts = {part: {"head.bias": np.arange(3, dtype=np.float32)} for part in PARTS}
    return Checkpoint(7, [{"step": 7, "held_out": 1.5}], parts)


def test_a_checkpoint_survives(stands: Checkpoint, tmp_path: Path) -> None:
    save_checkpoint(stands, tmp_path / "a.part.npz", JOB)
    found = load_checkpoint(tmp_path / "a.part.npz", JOB)
    assert (found.step, found.history) == (stands.step, stands.history)
    for part in PARTS:
        np.testing.assert_array_equal(found.parts[part]["head.bias"], [0, 1, 2])


def test_the_checkpoint_of_another_training_is_refused(stands: Checkpoint, tmp_path: Path) -> None:
    save_checkpoint(stands, tmp_path / "a.part.npz", JOB)
    with pytest.raises(ValueError, match="belongs to another training: it differs in seed"):
        load_checkpoint(tmp_path / "a.part.npz", JOB | {"seed": 2})


def test_a_damaged_checkpoint_is_reported(stands: Checkpoint, tmp_path: Path) -> None:
    path = tmp_path / "a.part.npz"
    np.savez(path, other=np.ones(3))
    with pytest.raises(ValueError, match="it is damaged or cut off"):
        load_checkpoint(path, JOB)
    path.write_bytes(b"PK nothing")
    with pytest.raises(ValueError, match="it is damaged or cut off"):
        load_checkpoint(path, JOB)
