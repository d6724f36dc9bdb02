"""The most typical letter."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting.generators import Kinematic, Knobs, Ranges
from homeroom.handwriting.scores import score, typical


def test_it_is_the_least_distorted_one() -> None:
    levels = [0.6, 0.5, 0.0, 0.55, 0.6, 0.5]
    inks = Kinematic().write("g", [Knobs(distortion=level) for level in levels])
    chosen, best = typical(inks).points, inks[2].points
    np.testing.assert_allclose(chosen[[0, -1]], best[[0, -1]], atol=0.05)
    assert score(typical(inks), "g").distortion < 0.1


def test_a_few_other_letters_do_not_matter() -> None:
    inks = Kinematic().write("g", Ranges(distortion=0.2).draw(9))
    others = Kinematic().write("m", [Knobs()] * 3)
    assert score(typical([*inks, *others]), "g").distortion < 0.4


def test_of_no_letters_none_is_typical() -> None:
    with pytest.raises(ValueError, match="at least one letter"):
        typical([])
