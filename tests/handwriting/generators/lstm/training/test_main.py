"""The command that trained the shipped model, with a small corpus."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from homeroom.handwriting.generators.lstm import weights
from homeroom.handwriting.generators.lstm.conditions import EVERY_LETTER
from homeroom.handwriting.generators.lstm.training.__main__ import main, written
from homeroom.handwriting.letters import LETTERS


@pytest.mark.slow
def test_the_corpus_does_not_depend_on_the_number_of_processes() -> None:
    one = written(per_letter=2, seed=1, jobs=1)
    two = written(per_letter=2, seed=1, jobs=2)
    np.testing.assert_array_equal(one.offsets, two.offsets)
    assert len(one) == 2 * len(LETTERS)


@pytest.mark.slow
def test_the_command_trains_a_model_and_reports_progress(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    out = str(tmp_path / "letters.npz")
    main([out, "--per-letter", "2", "--steps", "2", "--batch", "4"])
    model = weights.load(out)
    card = model.card
    assert card.names == LETTERS
    assert set(model.habits.whose.tolist()) == {EVERY_LETTER}  # the corpus writes all letters alike
    assert card.story["corpus"] == "kinematic, 2 of each letter, seeds from 1"
    said = capsys.readouterr().out
    assert "72 letters" in said
    assert "step 2 of 2" in said
    module = "homeroom.handwriting.generators.lstm.training"
    few = "--per-letter 2 --steps 2 --batch 4"
    assert card.story["command"] == f"python -m {module} letters.npz {few}"
    more = str(tmp_path / "more.npz")
    main([more, *few.split(), "--start", out])
    command = weights.load(more).card.story["command"]
    assert command == f"python -m {module} more.npz {few} --start letters.npz"
