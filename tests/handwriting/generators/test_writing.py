"""One verb for all generators."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting.generators import Kinematic, Ranges, generate
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
        generate("ü")
    with pytest.raises(ValueError, match="`n` must be at least 1"):
        generate("f", 0)
