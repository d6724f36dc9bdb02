"""The conditions of letters, and how they are drawn and measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from homeroom.handwriting.generators import Kinematic, Ranges
from homeroom.handwriting.generators.knobs import KNOBS, Knobs
from homeroom.handwriting.generators.lstm.conditions import (
    EVERY_LETTER,
    ROWS_PER_LETTER,
    SHARED_ROWS,
    Habits,
    as_conditions,
    draw_conditions,
    habits_of,
    measure_conditions,
)
from homeroom.handwriting.generators.lstm.tracks import CONDITIONS, Tracks
from homeroom.handwriting.ink import Ink, Stroke


def habits(*whose: int) -> Habits:
    """Each row is its own number."""
    rows = np.repeat(np.arange(len(whose), dtype=np.float32)[:, None], CONDITIONS, axis=1)
    return Habits(rows, np.array(whose))


def numbers(found: Habits, letter: int) -> list[float]:
    return [float(row[0]) for row in found.of(letter)]


def test_a_letter_has_its_own_habits_or_those_of_every_letter() -> None:
    own = habits(0, EVERY_LETTER, 0, EVERY_LETTER, 1)
    assert numbers(own, 0) == [0, 2]
    assert numbers(own, 1) == [4]
    assert numbers(own, 2) == [1, 3]
    assert numbers(habits(0, 1), 2) == [0, 1]


def test_habits_of_letters_without_new_ink_are_kept() -> None:
    joined = habits(0, 0).joined(habits(0, 1, EVERY_LETTER))
    assert joined.whose.tolist() == [0, 0, 1, EVERY_LETTER]
    assert numbers(joined, 0) == [0, 1]
    assert numbers(joined, 1) == [1]
    assert numbers(joined, 2) == [2]


def test_the_number_of_rows_per_letter_is_limited(learned: Tracks) -> None:
    conditions = np.repeat(learned.which[:, None], CONDITIONS, axis=1).astype(np.float32)
    found = habits_of(replace(learned, conditions=conditions), seed=1)
    assert np.bincount(found.whose).tolist() == [30, 30]
    assert (found.rows == found.whose[:, None]).all()
    many = learned[np.arange(60 * ROWS_PER_LETTER) % 60]
    assert np.bincount(habits_of(many, seed=1).whose).tolist() == [ROWS_PER_LETTER, ROWS_PER_LETTER]


def test_where_all_letters_are_written_alike_every_row_is_of_any(learned: Tracks) -> None:
    found = habits_of(learned, seed=1, alike=True)
    assert len(found.rows) == len(learned)
    assert set(found.whose.tolist()) == {EVERY_LETTER}
    many = learned[np.arange(2 * SHARED_ROWS) % 60]
    assert len(habits_of(many, seed=1, alike=True).rows) == SHARED_ROWS


USUAL = as_conditions([knobs.row for knobs in Ranges().draw(2000, seed=1)])


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_the_usual_range_of_each_knob_is_from_minus_one_to_one() -> None:
    low, high = np.array([getattr(Ranges(), name) for name in KNOBS]).T
    np.testing.assert_allclose(as_conditions([low, high]), [[-1] * 7, [1] * 7], atol=1e-6)


def test_other_knobs_are_drawn_from_the_training_data() -> None:
    found = draw_conditions(USUAL[:5], 400, {}, rng())
    np.testing.assert_allclose(np.unique(found[:, 0]), np.unique(USUAL[:5, 0]), rtol=1e-6)
    assert np.linalg.matrix_rank(found - found[0]) == 4  # rows stay together


def test_a_setting_is_followed_and_does_not_change_the_others() -> None:
    found = draw_conditions(USUAL, 400, {"rotation": 22.5, "size": (1.0, 1.1)}, rng())
    assert (found[:, 1] == np.float32(0.5)).all()
    sizes = as_conditions([Knobs(size=size).row for size in (1.0, 1.1)])[:, 5]
    assert sizes[0] <= found[:, 5].min() < found[:, 5].max() <= sizes[1]
    np.testing.assert_array_equal(found[:, 0], draw_conditions(USUAL, 400, {}, rng())[:, 0])


def test_bias_moves_other_knobs_closer_to_the_model() -> None:
    plain, neat = (draw_conditions(USUAL, 400, {"tempo": 1.1}, rng(), bias) for bias in (0.0, 2.0))
    best = as_conditions(Knobs().row)[0]
    near = np.abs(neat - best).max(axis=0) / np.abs(plain - best).max(axis=0)
    np.testing.assert_allclose(near[:6], np.exp(-2.0), rtol=0.01)
    assert near[6] == 1.0


def test_bias_stays_within_the_training_data() -> None:
    """A network trained on rotated letters is not asked for an upright one."""
    turned = USUAL[USUAL[:, 1] > 0.5]
    assert draw_conditions(turned, 50, {}, rng(), bias=10.0)[:, 1] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        (
            {"distortion": 0.9},
            r"`distortion` must be from .* to 0\.65, as in the network's",
        ),
        ({"rotation": (0, 60)}, r"`rotation` must be from -45 to 45, as in .* but is \(0, 60\)"),
        ({"shakiness": 2}, r"`shakiness` must be from 0 to 0\.95, but is 2"),
        ({"tempo": (2, 1)}, r"`tempo` must have its lower end first"),
        ({"rotation": float("nan")}, r"`rotation` must be from -90 to 90, but is nan"),
    ],
)
def test_settings_outside_the_training_data_are_refused(
    setting: dict[str, float], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        draw_conditions(USUAL, 3, setting, rng())


def test_a_network_without_variation_names_its_single_value() -> None:
    with pytest.raises(
        ValueError, match=r"`rotation` must be 0, as in the network's training data"
    ):
        draw_conditions(np.zeros((3, 7), dtype=np.float32), 3, {"rotation": 20}, rng())


@pytest.mark.parametrize("letter", ["a", "m", "x"])
def test_measured_conditions_are_close_to_the_knobs(letter: str) -> None:
    knobs = Ranges().draw(150, seed=3)
    true = as_conditions([one.row for one in knobs])
    found = measure_conditions(Kinematic().write(letter, knobs, seed=3))
    alike = [np.corrcoef(true[:, at], found[:, at])[0, 1] for at in range(len(KNOBS))]
    assert min(alike) > 0.9, dict(zip(KNOBS, alike, strict=True))
    assert np.abs(np.median(found - true, axis=0)).max() < 0.3


def test_a_letter_without_a_model_is_written_as_usual() -> None:
    line = Stroke(np.array([[0.0, 0.0], [1.0, 2.0]]))
    assert measure_conditions([Ink((line,), letter="ß")]).tolist() == [[0.0] * 7]


def test_ink_without_times_has_the_usual_tempo() -> None:
    inks = Kinematic().write("f", [Knobs()])
    still = Ink(tuple(Stroke(stroke.points) for stroke in inks[0]), letter="f")
    assert measure_conditions([still])[0, 6] == pytest.approx(as_conditions(Knobs().row)[0, 6])


def test_times_of_some_strokes_only_give_no_tempo() -> None:
    (bow, *_) = Kinematic().write("f", [Knobs()])[0]
    half = Ink((bow, Stroke([[0, 0], [1, 1]])), letter="f")
    assert measure_conditions([half])[0, 6] == pytest.approx(as_conditions(Knobs().row)[0, 6])


@pytest.mark.parametrize("scale", [1e-200, 1e6, 1e90])
def test_a_letter_in_another_unit_is_refused(scale: float) -> None:
    ink = Kinematic().write("f", [Knobs()])[0].moved(scale * np.eye(2), np.zeros(2))
    assert np.abs(measure_conditions([ink])).max() == 3.0
