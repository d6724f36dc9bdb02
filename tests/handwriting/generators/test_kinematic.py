"""Distortion, tremor, and the kinematic generator."""

from __future__ import annotations

import time

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.generators import kinematic
from homeroom.handwriting.generators.kinematic import (
    ALONG_WEIGHT,
    RATE,
    TREMOR_BAND,
    Kinematic,
    Waves,
    draw_tremors,
    wave_terms,
)
from homeroom.handwriting.generators.knobs import Knobs, Ranges
from homeroom.handwriting.generators.pen_path import PenPath
from homeroom.handwriting.letters import LETTERS, model_letter


def test_waves_have_the_given_size_and_no_affine_part() -> None:
    """Displacements along the line are weighted with ``ALONG_WEIGHT``."""
    path = PenPath.of(model_letter("f"))
    even = path.even
    lengths = np.array([0.1, 0.3])
    weights = Waves.of(path).draw(lengths, np.random.default_rng(0))
    push = wave_terms(even, np.linspace(0.0, 1.0, len(even))) @ weights
    slope = np.gradient(even, axis=0)
    slope /= np.linalg.norm(slope, axis=1, keepdims=True)
    across = np.column_stack([-slope[:, 1], slope[:, 0]])
    seen = np.stack([(push * across).sum(axis=2), ALONG_WEIGHT * (push * slope).sum(axis=2)])
    np.testing.assert_allclose(np.sqrt((seen**2).sum(axis=0).mean(axis=1)), lengths)
    for direction in np.eye(2):
        for column in (np.ones(len(even)), *even.T):
            part = np.stack(
                [column * (across @ direction), ALONG_WEIGHT * column * (slope @ direction)]
            )
            np.testing.assert_allclose(np.einsum("dp,dnp->n", part, seen), 0.0, atol=1e-9)


def test_long_waves_are_stronger_than_short_ones() -> None:
    path = PenPath.of(model_letter("m"))
    weights = Waves.of(path).draw(np.full(500, 0.2), np.random.default_rng(1))
    power = (weights[:, :4] ** 2).mean(axis=(0, 2))
    assert (np.diff(power) < 0).all()


def test_a_tremor_has_the_given_size() -> None:
    clocks = [
        np.arange(100) / 60.0 + np.zeros((2, 1)),
        2.0 + np.arange(30) / 60.0 * np.ones((2, 1)),
    ]
    counts = np.array([[100, 30], [80, 20]])
    shakes = draw_tremors(clocks, counts, np.array([0.1, 0.0]), np.random.default_rng(0))
    assert [shake.shape for shake in shakes] == [(2, 100, 2), (2, 30, 2)]
    first = np.concatenate([shake[0] for shake in shakes])
    np.testing.assert_allclose(np.sqrt((first**2).sum(axis=1).mean()), 0.1)
    assert all((shake[1] == 0.0).all() for shake in shakes)


def test_points_after_the_end_of_a_letter_do_not_count() -> None:
    clocks = [np.arange(100) / 60.0 * np.ones((1, 1))]
    shake = draw_tremors(clocks, np.array([[40]]), np.array([0.1]), np.random.default_rng(0))[0]
    np.testing.assert_allclose(np.sqrt((shake[0, :40] ** 2).sum(axis=1).mean()), 0.1)


def test_a_tremor_is_in_its_band() -> None:
    clocks = [np.arange(1024) / 64.0 * np.ones((20, 1))]
    shakes = draw_tremors(clocks, np.full((20, 1), 1024), np.ones(20), np.random.default_rng(3))[0]
    power = (np.abs(np.fft.rfft(shakes[..., 0] * np.hanning(1024))) ** 2).mean(axis=0)
    pitch = np.fft.rfftfreq(1024, 1 / 64.0)
    inside = (pitch > TREMOR_BAND[0] - 0.3) & (pitch < TREMOR_BAND[1] + 0.3)
    assert power[inside].sum() > 0.999 * power.sum()


def gap(ink: Ink, model: Ink) -> float:
    """Return the greatest distance of a point of the ink from the model."""
    apart = np.linalg.norm(ink.points[:, None] - model.points[None], axis=2)
    return float(apart.min(axis=1).max())


@pytest.mark.parametrize("letter", LETTERS)
def test_without_any_setting_it_writes_the_model(letter: str) -> None:
    ink = Kinematic().write(letter, [Knobs()])[0]
    assert ink.letter == letter
    assert len(ink.strokes) == len(model_letter(letter).strokes)
    assert gap(ink, model_letter(letter)) < 0.03


@pytest.mark.parametrize("letter", LETTERS)
def test_letters_have_a_natural_number_of_points_and_even_times(letter: str) -> None:
    for ink in Kinematic().write(letter, Ranges().draw(20)):
        assert 55 <= len(ink.points) <= 105
        clock = np.concatenate([stroke.times for stroke in ink if stroke.times is not None])
        assert clock[0] == 0.0
        for stroke in ink:
            assert stroke.times is not None
            np.testing.assert_allclose(np.diff(stroke.times), 1 / RATE)
        lifts = np.diff(clock)
        assert (lifts > 0).all()
        assert (np.sort(lifts)[::-1][: len(ink.strokes) - 1] > 0.05).all()


def test_rotation_turns_to_the_right_on_the_screen() -> None:
    upright, turned = Kinematic().write("f", [Knobs(), Knobs(rotation=90.0)])
    centred = upright.points - upright.points.mean(axis=0)
    # The top, where y is least, goes to the right, where x is greatest.
    expected = np.column_stack([-centred[:, 1], centred[:, 0]])
    np.testing.assert_allclose(turned.points - turned.points.mean(axis=0), expected, atol=1e-9)


def test_shear_moves_the_top_to_the_right_and_keeps_heights() -> None:
    upright, slanted = Kinematic().write("f", [Knobs(), Knobs(shear=0.5)])
    np.testing.assert_allclose(slanted.points[:, 1], upright.points[:, 1])
    top = upright.points[:, 1].argmin()
    assert slanted.points[top, 0] > upright.points[top, 0] + 0.3


def test_aspect_and_size_are_factors() -> None:
    usual, wide, large = Kinematic().write("a", [Knobs(), Knobs(aspect=1.44), Knobs(size=2.0)])
    span = np.ptp(usual.points, axis=0)
    np.testing.assert_allclose(np.ptp(wide.points, axis=0), span * [1.2, 1 / 1.2])
    np.testing.assert_allclose(np.ptp(large.points, axis=0), 2 * span)


def test_a_faster_hand_gives_fewer_points() -> None:
    slow, fast = Kinematic().write("a", [Knobs(tempo=0.5), Knobs(tempo=2.0)])
    assert len(slow.points) == pytest.approx(4 * len(fast.points), rel=0.05)


def test_a_seed_gives_the_same_first_letters() -> None:
    knobs = Ranges().draw(5)
    first, again = (Kinematic().write("t", knobs[:n], 3) for n in (5, 2))
    for one, other in zip(first, again, strict=False):
        np.testing.assert_array_equal(one.points, other.points)
    other = Kinematic().write("t", knobs, 4)[0]
    assert np.abs(other.points - first[0].points).max() > 0.01


def test_it_writes_any_model() -> None:
    model = Ink((Stroke([[0, 0], [0, 30], [20, 30]]), Stroke([[40, 0]])))
    ink = Kinematic(model).write("L", [Knobs()])[0]
    corner = np.linalg.norm(ink.strokes[0].points - [0, 30], axis=1).min()
    assert corner < 1.0
    assert (ink.strokes[1].points == [40, 0]).all()


def test_no_knobs_give_no_letters() -> None:
    assert Kinematic().write("f", []) == []


def test_a_seed_is_a_whole_number() -> None:
    with pytest.raises(ValueError, match="`seed` must be at least 0"):
        Kinematic().write("f", [Knobs()], -1)


def test_thousands_of_letters_take_a_moment() -> None:
    knobs = Ranges().draw(2000)
    start = time.process_time()
    Kinematic().write("f", knobs)
    assert time.process_time() - start < 4.0  # of work; 0.4 s on an idle core


def test_letters_in_blocks_are_the_same_as_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    knobs = Ranges().draw(8)
    whole = Kinematic().write("i", knobs)
    monkeypatch.setattr(kinematic, "IN_MEMORY", 3)
    for ink, other in zip(Kinematic().write("i", knobs), whole, strict=True):
        np.testing.assert_allclose(ink.points, other.points, atol=1e-12)
