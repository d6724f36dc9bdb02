"""Classes of children who write, and the letters they are shown."""

from __future__ import annotations

import numpy as np

from homeroom.handwriting.pupils import kinds_of
from homeroom.paper import Settings
from homeroom.paper.pen_class import TRIES, TYPES, class_of_children, pool_for

SETTINGS = Settings(pen_children=12, pen_pool=150)


def test_a_class_has_equally_many_children_of_each_type() -> None:
    for diversity in (1, 2, 3):
        made = class_of_children(SETTINGS, diversity, seed=4)
        found, counts = np.unique(made.types, return_counts=True)
        assert len(found) == diversity
        assert set(counts.tolist()) == {12 // diversity}
        assert {len(child.inks) for child in made.children} == {TRIES}
        assert made.room.students == 12


def test_children_are_found_to_be_of_the_type_they_were_made_with() -> None:
    made = class_of_children(Settings(pen_pool=150), 3, seed=1)
    assert np.mean(kinds_of(made.children, made.pool) == made.types) >= 0.95


def test_no_two_children_are_the_same() -> None:
    names = {
        child.name for seed in (0, 1) for child in class_of_children(SETTINGS, 3, seed).children
    }
    assert len(names) == 24


def test_a_seed_gives_the_same_class_and_another_seed_another() -> None:
    states = [np.asarray(class_of_children(SETTINGS, 3, seed).room.states) for seed in (2, 2, 3)]
    np.testing.assert_array_equal(states[0], states[1])
    assert not np.array_equal(states[0], states[2])


def test_the_settings_choose_the_pool() -> None:
    pool = pool_for(SETTINGS.changed("pen_best=0.3, pen_sharpness=2, pen_letter=a"), 0)
    assert len(pool) == 150
    assert pool.good.sum() == 45
    assert pool.sharpness == 2.0
    assert pool.inks[0].letter == "a"
    assert pool_for(SETTINGS, 0, "e").inks[0].letter == "e"


def test_types_are_the_papers_three() -> None:
    assert TYPES == ("shaky+rotated", "distorted+shaky", "distorted+rotated")
