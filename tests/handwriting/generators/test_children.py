"""Simulated children."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting.generators.base import Knobs
from homeroom.handwriting.generators.children import KINDS, Child, children
from homeroom.handwriting.scores import FEATURES, score_all


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("letter", ["f", "n"])
def test_a_child_is_poor_in_two_features_and_good_in_the_third(kind: str, letter: str) -> None:
    inks = [ink for seed in range(4) for ink in Child.of(kind, seed).write(letter, tries=8)]
    means = dict(zip(FEATURES, score_all(inks, letter).mean(axis=0), strict=True))
    good = next(name for name in FEATURES if name not in KINDS[kind])
    assert means[good] < 0.25
    for name in KINDS[kind]:
        assert means[name] > 0.38


def test_the_three_types_of_the_paper_are_there() -> None:
    assert list(KINDS) == ["shaky+rotated", "distorted+shaky", "distorted+rotated"]
    group = children(3, seed=1)
    assert len({child.name for child in group}) == 9
    assert len({child.habits for child in group}) == 9


def test_a_childs_letters_bear_its_name_and_differ() -> None:
    first, second = Child.of("distorted+shaky", 2).write("a", tries=2)
    assert first.writer == second.writer == "distorted+shaky 2"
    assert len(first.points) != len(second.points) or not np.allclose(first.points, second.points)


def test_tries_vary_around_the_habits_as_much_as_they_are_told() -> None:
    habits = Knobs(distortion=0.4, rotation=20.0, shakiness=0.3)
    for spread in (0.0, 1.0, 2.0):
        angles = [knobs.rotation for knobs in Child("Ada", habits, spread).knobs(300)]
        assert np.mean(angles) == pytest.approx(20.0, abs=1.5)
        assert np.std(angles) == pytest.approx(4.0 * spread, rel=0.15)


def test_tries_stay_within_what_a_knob_can_do() -> None:
    knobs = Child("Ben", Knobs(distortion=0.0, shakiness=0.95), spread=5.0).knobs(50)
    assert min(one.distortion for one in knobs) == 0.0
    assert max(one.shakiness for one in knobs) == 0.95


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ValueError, match="`kind` must be one of shaky"):
        Child.of("lazy")


def test_a_child_tries_at_least_once() -> None:
    with pytest.raises(ValueError, match="`tries` must be at least 1"):
        Child.of("shaky+rotated").write("f", tries=0)
