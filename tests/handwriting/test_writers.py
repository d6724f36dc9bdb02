"""Letters by a generator's name, by a file, or like a teacher's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from homeroom.handwriting.generators import generate
from homeroom.handwriting.generators.lstm.model import SHIPPED
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores import score_all
from homeroom.handwriting.writers import written


def test_a_generator_is_called_by_its_name() -> None:
    own, usual = written("a", 3, 5, rotation=10), generate("a", 3, 5, rotation=10)
    for one, other in zip(own, usual, strict=True):
        np.testing.assert_array_equal(one.points, other.points)


def test_letters_are_written_like_the_model_that_is_given() -> None:
    model = model_letter("l")
    inks = written("z", 2, model=model, distortion=0, rotation=0, shakiness=0, shear=0, aspect=1)
    assert [ink.letter for ink in inks] == ["z", "z"]
    assert score_all(inks, model).max() < 0.05


def test_a_network_does_not_write_like_a_new_model() -> None:
    with pytest.raises(ValueError, match=r"generator lstm only writes letters that it has learnt"):
        written("l", 2, generator="lstm", model=model_letter("l"))


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"There is no file .*ours\.npz"):
        written("l", 2, generator=str(tmp_path / "ours.npz"))


def test_a_network_of_your_own_has_the_same_knobs() -> None:
    inks = written("l", 5, generator=str(SHIPPED), rotation=30)
    assert score_all(inks, "l")[:, 1].min() > 0.4


def test_another_name_is_refused() -> None:
    with pytest.raises(ValueError, match=r"`generator` must be kinematic or lstm, but is 'me'"):
        written("l", 2, generator="me")
