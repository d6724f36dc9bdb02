"""Simulated children, and the corpus."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting.generators import Ranges, corpus
from homeroom.handwriting.generators.children import KINDS, Child, children
from homeroom.handwriting.generators.knobs import Knobs
from homeroom.handwriting.letters import LETTERS
from homeroom.handwriting.scores import FEATURES, score_all


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("letter", ["f", "n"])
def test_a_child_has_two_defects_and_not_the_third(kind: str, letter: str) -> None:
    inks = [ink for seed in range(4) for ink in Child.of(kind, seed).write(letter, tries=8)]
    means = dict(zip(FEATURES, score_all(inks, letter).mean(axis=0), strict=True))
    good = next(name for name in FEATURES if name not in KINDS[kind])
    assert means[good] < 0.25
    for name in KINDS[kind]:
        assert means[name] > 0.38


def test_there_are_three_types_as_in_the_paper() -> None:
    assert list(KINDS) == ["shaky+rotated", "distorted+shaky", "distorted+rotated"]
    group = children(3, seed=1)
    assert len({child.name for child in group}) == 9
    assert len({child.habits for child in group}) == 9


def test_the_letters_of_a_child_have_its_name_and_differ() -> None:
    first, second = Child.of("distorted+shaky", 2).write("a", tries=2)
    assert first.writer == second.writer == "distorted+shaky 2"
    assert len(first.points) != len(second.points) or not np.allclose(first.points, second.points)


def test_tries_vary_around_the_habits_by_the_given_spread() -> None:
    habits = Knobs(distortion=0.4, rotation=20.0, shakiness=0.3)
    for spread in (0.0, 1.0, 2.0):
        angles = [knobs.rotation for knobs in Child("Ada", habits, spread).knobs(300)]
        assert np.mean(angles) == pytest.approx(20.0, abs=1.5)
        assert np.std(angles) == pytest.approx(4.0 * spread, rel=0.15)


def test_tries_stay_within_the_limits_of_the_knobs() -> None:
    knobs = Child("Ben", Knobs(distortion=0.0, shakiness=0.95), spread=5.0).knobs(50)
    assert min(one.distortion for one in knobs) == 0.0
    assert max(one.shakiness for one in knobs) == 0.95


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ValueError, match="`kind` must be one of shaky"):
        Child.of("lazy")


def test_a_child_tries_at_least_once() -> None:
    with pytest.raises(ValueError, match="`tries` must be at least 1"):
        Child.of("shaky+rotated").write("f", tries=0)


def test_it_has_so_many_of_every_letter() -> None:
    found = [ink.letter for ink in corpus(per_letter=2)]
    assert found == [letter for letter in LETTERS for _ in range(2)]


def test_the_samples_of_a_letter_do_not_depend_on_other_letters() -> None:
    alone, among = corpus("m", 3, seed=5), corpus("am", 3, seed=5)[3:]
    for one, other in zip(alone, among, strict=True):
        np.testing.assert_array_equal(one.points, other.points)


def test_other_letters_have_other_knobs() -> None:
    times = [len(ink.points) for ink in corpus("aopq", 1, ranges=Ranges(tempo=(0.5, 2.0)))]
    assert len(set(times)) == 4


def test_ranges_can_be_given() -> None:
    still = corpus("f", 2, ranges=Ranges(0, 0, 0, 0, 1, 1, 1))
    np.testing.assert_array_equal(still[0].points, still[1].points)


def test_it_has_at_least_one_of_each() -> None:
    with pytest.raises(ValueError, match="`per_letter` must be at least 1"):
        corpus("f", 0)
