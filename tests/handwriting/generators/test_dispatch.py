"""Generators by name, by file, or for a given model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from homeroom.handwriting.generators import Kinematic, Ranges, generate
from homeroom.handwriting.generators.dispatch import generate_letters
from homeroom.handwriting.generators.lstm.model import SHIPPED
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores import score_all


def test_the_kinematic_generator_writes_as_its_knobs_say() -> None:
    found = generate("f", 3, 7, rotation=20, shakiness=(0.1, 0.3))
    expected = Kinematic().write("f", Ranges(rotation=20, shakiness=(0.1, 0.3)).draw(3, 7), 7)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.points, other.points)


def test_an_unknown_generator_is_refused() -> None:
    with pytest.raises(ValueError, match="must be kinematic or lstm, but is 'quill'"):
        generate("f", generator="quill")


def test_an_unknown_knob_is_refused() -> None:
    with pytest.raises(TypeError, match="`colour` is not a knob: choose from distortion, rotation"):
        generate("f", colour=3)


def test_the_network_has_the_same_knobs() -> None:
    upright, turned = (generate("f", 20, generator="lstm", rotation=turn) for turn in (0, 30))
    assert score_all(upright, "f")[:, 1].mean() < 0.2 < score_all(turned, "f")[:, 1].min()
    with pytest.raises(TypeError, match="`colour` is not a knob: choose from distortion, rotation"):
        generate("f", generator="lstm", colour=3)


def test_an_unknown_letter_and_a_wrong_number_are_refused() -> None:
    with pytest.raises(ValueError, match="`letter` must be one of"):
        generate("é")
    with pytest.raises(ValueError, match="`n` must be at least 1"):
        generate("f", 0)


def test_a_generator_is_given_by_name() -> None:
    own, usual = generate_letters("a", 3, 5, rotation=10), generate("a", 3, 5, rotation=10)
    for one, other in zip(own, usual, strict=True):
        np.testing.assert_array_equal(one.points, other.points)


def test_letters_are_written_like_the_model_that_is_given() -> None:
    model = model_letter("l")
    inks = generate_letters(
        "z", 2, model=model, distortion=0, rotation=0, shakiness=0, shear=0, aspect=1
    )
    assert [ink.letter for ink in inks] == ["z", "z"]
    assert score_all(inks, model).max() < 0.05


def test_a_network_refuses_a_model_letter() -> None:
    with pytest.raises(ValueError, match=r"generator lstm only writes letters that it has learnt"):
        generate_letters("l", 2, generator="lstm", model=model_letter("l"))


def test_a_missing_file_gives_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"There is no file .*ours\.npz"):
        generate_letters("l", 2, generator=str(tmp_path / "ours.npz"))


def test_your_own_network_has_the_same_knobs() -> None:
    inks = generate_letters("l", 5, generator=str(SHIPPED), rotation=30)
    assert score_all(inks, "l")[:, 1].min() > 0.4


def test_another_name_is_refused() -> None:
    with pytest.raises(ValueError, match=r"`generator` must be kinematic or lstm, but is 'me'"):
        generate_letters("l", 2, generator="me")
