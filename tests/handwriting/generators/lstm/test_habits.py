"""How letters were written that a network has learned from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from homeroom.handwriting.generators.lstm.habits import EVERY, MOST, MOST_ALIKE, Habits, habits_of
from homeroom.handwriting.generators.lstm.tracks import TOLD, Tracks


def habits(*whose: int) -> Habits:
    """Each row is its own number."""
    rows = np.repeat(np.arange(len(whose), dtype=np.float32)[:, None], TOLD, axis=1)
    return Habits(rows, np.array(whose))


def numbers(found: Habits, letter: int) -> list[float]:
    return [float(row[0]) for row in found.of(letter)]


def test_a_letter_has_its_own_habits_or_those_of_every_letter() -> None:
    own = habits(0, EVERY, 0, EVERY, 1)
    assert numbers(own, 0) == [0, 2]
    assert numbers(own, 1) == [4]
    assert numbers(own, 2) == [1, 3]
    assert numbers(habits(0, 1), 2) == [0, 1]


def test_what_was_known_before_stays_for_letters_that_are_not_learned_again() -> None:
    joined = habits(0, 0).joined(habits(0, 1, EVERY))
    assert joined.whose.tolist() == [0, 0, 1, EVERY]
    assert numbers(joined, 0) == [0, 1]
    assert numbers(joined, 1) == [1]
    assert numbers(joined, 2) == [2]


def test_of_each_letter_so_many_are_kept(learned: Tracks) -> None:
    told = np.repeat(learned.which[:, None], TOLD, axis=1).astype(np.float32)
    found = habits_of(replace(learned, told=told), seed=1)
    assert np.bincount(found.whose).tolist() == [30, 30]
    assert (found.rows == found.whose[:, None]).all()
    many = learned[np.arange(60 * MOST) % 60]
    assert np.bincount(habits_of(many, seed=1).whose).tolist() == [MOST, MOST]


def test_where_all_letters_are_written_alike_every_row_is_of_any(learned: Tracks) -> None:
    found = habits_of(learned, seed=1, alike=True)
    assert len(found.rows) == len(learned)
    assert set(found.whose.tolist()) == {EVERY}
    many = learned[np.arange(2 * MOST_ALIKE) % 60]
    assert len(habits_of(many, seed=1, alike=True).rows) == MOST_ALIKE
