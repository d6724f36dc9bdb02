"""The band of tremor."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.generators import Kinematic, Knobs
from homeroom.handwriting.scores.band import tremor_share


def swinging(hertz: float, *, rate: float = 100.0, seconds: float = 2.0) -> Ink:
    times = np.arange(0.0, seconds, 1.0 / rate)
    points = np.column_stack([times, np.sin(2 * np.pi * hertz * times)])
    return Ink((Stroke(points, times=times),))


@pytest.mark.parametrize(("hertz", "share"), [(1.0, 0.0), (6.0, 1.0), (10.0, 1.0), (20.0, 0.0)])
def test_a_swing_counts_if_it_is_in_the_band(hertz: float, share: float) -> None:
    assert tremor_share(swinging(hertz)) == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize(
    "ink",
    [
        Ink((Stroke([[0, 0], [1, 1]]),)),
        swinging(6.0, seconds=0.4),
        swinging(6.0, rate=20.0),
    ],
    ids=["no times", "too short", "too few points"],
)
def test_where_it_cannot_be_told_nothing_is_said(ink: Ink) -> None:
    assert tremor_share(ink) is None


def test_a_pen_at_rest_does_not_tremble() -> None:
    assert tremor_share(Ink((Stroke(np.zeros((100, 2)), times=np.linspace(0, 1, 100)),))) == 0.0


def test_shaky_letters_have_more_of_it() -> None:
    calm, shaky = Kinematic().write("m", [Knobs(), Knobs(shakiness=0.6)])
    found, more = tremor_share(calm), tremor_share(shaky)
    assert found is not None
    assert more is not None
    assert more > 2 * found
