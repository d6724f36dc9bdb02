"""Letters as steps at a fixed rate."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.generators.lstm import tracks as t
from homeroom.handwriting.resample import by_length

CIRCLE = np.linspace(0.0, 2 * np.pi, 91)


def stroke(points: list[list[float]], times: list[float] | None = None) -> Stroke:
    clock = None if times is None else np.array(times)
    return Stroke(np.array(points, dtype=np.float64), clock)


def circle(times: bool = True) -> Ink:
    points = np.stack([np.cos(CIRCLE), np.sin(CIRCLE)], axis=1)
    clock = np.arange(len(points)) / 60.0 if times else None
    return Ink((Stroke(points, clock),), letter="o")


def written_again(ink: Ink) -> Ink:
    track = t.track(ink)
    places = np.cumsum(track.offsets, axis=0).astype(np.float32)
    return t.ink_of(places, track.lifted, ink.letter or "")


def test_a_track_keeps_the_line() -> None:
    """A circle with 60 points per second survives 40 steps per second to a thousandth."""
    again = by_length(written_again(circle()), 200)
    np.testing.assert_allclose(again + np.array([1.0, 0.0]), by_length(circle(), 200), atol=2e-3)


def test_a_track_keeps_a_tremor_of_twelve_hertz() -> None:
    clock = np.arange(91) / 60.0
    shaky = np.stack([clock, 0.05 * np.sin(2 * np.pi * 12.0 * clock)], axis=1)
    again = written_again(Ink((Stroke(shaky, clock),), letter="o")).points[:, 1]
    middle = again[len(again) // 5 : -len(again) // 5]
    assert np.sqrt(2) * middle.std() == pytest.approx(0.05, rel=0.1)


def test_a_track_keeps_the_time() -> None:
    ink = written_again(circle())
    times = ink.strokes[0].times
    assert times is not None
    assert times[-1] == pytest.approx(1.5)


def test_a_stroke_through_the_air_is_a_lift_and_a_move() -> None:
    first = stroke([[0, 0], [1, 0]], times=[0.0, 0.025])
    dot = stroke([[1, -2]], times=[0.5])
    track = t.track(Ink((first, dot), letter="i"))
    assert track.offsets.tolist() == [[0, 0], [1, 0], [0, 0], [0, -2]]
    assert track.lifted.tolist() == [False, False, True, False]


def test_a_lift_and_a_move_are_a_stroke_through_the_air() -> None:
    first = stroke([[0, 0], [1, 0]], times=[0.0, 0.025])
    dot = stroke([[1, -2]], times=[0.5])
    ink = written_again(Ink((first, dot), letter="i"))
    assert [len(stroke) for stroke in ink] == [3, 1]
    assert ink.strokes[1].points.tolist() == [[1.0, -2.0]]
    assert ink.strokes[1].times == pytest.approx([0.025 + t.GAP_S])


def test_only_lines_on_the_paper_are_drawn() -> None:
    first = stroke([[0, 0], [1, 0]], times=[0.0, 0.025])
    second = stroke([[1, -2], [2, -2]], times=[0.5, 0.525])
    found = t.tracks([Ink((first, second), letter="i"), circle()], ("i", "o"))
    assert found.drawn[0].nonzero()[0].tolist() == [1, 4]
    assert found.drawn[1].sum() == 60
    assert found.inside.sum(axis=1).tolist() == [5, 61]


def test_ink_without_times_has_constant_speed() -> None:
    steps = np.hypot(*t.track(circle(times=False)).offsets[1:].T)
    assert len(steps) == 60
    np.testing.assert_allclose(steps, steps.mean(), rtol=0.05)


def test_an_uneven_clock_is_followed() -> None:
    uneven = stroke([[0, 0], [1, 0], [2, 0]], times=[0.0, 0.05, 0.15])
    places = np.cumsum(t.track(Ink((uneven,), letter="l")).offsets[:, 0])
    np.testing.assert_allclose(places, [0.0, 0.5, 1.0, 1.25, 1.5, 1.75, 2.0])


def test_tracks_of_different_lengths_can_be_joined() -> None:
    dot = Ink((stroke([[0, 0]], times=[0.0]),), letter="i")
    parts = [t.tracks([ink], ("i", "o")) for ink in (dot, circle())]
    both = t.joined(parts)
    direct = t.tracks([dot, circle()], ("i", "o"))
    for name in ("offsets", "lifted", "lengths", "which"):
        np.testing.assert_array_equal(getattr(both, name), getattr(direct, name))


def test_ink_without_a_letter_is_refused() -> None:
    nameless = Ink((stroke([[0, 0]]),))
    with pytest.raises(ValueError, match="one of i o, but number 1 has None"):
        t.tracks([circle(), nameless], ("i", "o"))


def test_an_empty_list_of_letters_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one letter to learn from"):
        t.tracks([], ("o",))


def test_times_in_milliseconds_are_noticed() -> None:
    slow = Ink((Stroke(circle().points, CIRCLE * 1000),), letter="o")
    with pytest.raises(ValueError, match="Are its times in seconds"):
        t.track(slow)
