"""The corpus."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting.generators import Ranges, corpus
from homeroom.handwriting.letters import LETTERS


def test_it_has_so_many_of_every_letter() -> None:
    found = [ink.letter for ink in corpus(per_letter=2)]
    assert found == [letter for letter in LETTERS for _ in range(2)]


def test_a_letter_does_not_depend_on_the_others() -> None:
    alone, among = corpus("m", 3, seed=5), corpus("am", 3, seed=5)[3:]
    for one, other in zip(alone, among, strict=True):
        np.testing.assert_array_equal(one.points, other.points)


def test_letters_of_other_names_have_other_knobs() -> None:
    times = [len(ink.points) for ink in corpus("aopq", 1, ranges=Ranges(tempo=(0.5, 2.0)))]
    assert len(set(times)) == 4


def test_ranges_can_be_given() -> None:
    still = corpus("f", 2, ranges=Ranges(0, 0, 0, 0, 1, 1, 1))
    np.testing.assert_array_equal(still[0].points, still[1].points)


def test_it_has_at_least_one_of_each() -> None:
    with pytest.raises(ValueError, match="`per_letter` must be at least 1"):
        corpus("f", 0)
