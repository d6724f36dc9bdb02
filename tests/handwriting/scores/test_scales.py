"""From measures to scores and back, and the tremor band."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.generators import Kinematic, Knobs
from homeroom.handwriting.scores import scales
from homeroom.handwriting.scores.scales import tremor_share


def test_a_score_is_zero_for_nothing_and_stays_below_one() -> None:
    scores = scales.defect_score(np.array([0.0, 0.1, 1.0, 5.0]), 0.15)
    assert scores[0] == 0.0
    assert (np.diff(scores) > 0).all()
    assert scores[-1] < 1.0


def test_measure_undoes_defect() -> None:
    measures = np.linspace(0.0, 0.6, 7)
    back = scales.measure(scales.defect_score(measures, scales.DISTORTION), scales.DISTORTION)
    np.testing.assert_allclose(back, measures, atol=1e-12)


def test_rotation_is_a_fraction_of_45_degrees_to_either_side() -> None:
    np.testing.assert_allclose(
        scales.rotation_score(np.array([-45.0, -9.0, 0.0, 90.0])), [1, 0.2, 0, 1]
    )


def swinging(hertz: float, *, rate: float = 100.0, seconds: float = 2.0) -> Ink:
    times = np.arange(0.0, seconds, 1.0 / rate)
    points = np.column_stack([times, np.sin(2 * np.pi * hertz * times)])
    return Ink((Stroke(points, times=times),))


@pytest.mark.parametrize(("hertz", "share"), [(1.0, 0.0), (6.0, 1.0), (10.0, 1.0), (20.0, 0.0)])
def test_a_vibration_counts_if_it_is_in_the_band(hertz: float, share: float) -> None:
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
def test_tremor_that_cannot_be_measured_is_none(ink: Ink) -> None:
    assert tremor_share(ink) is None


def test_a_pen_at_rest_has_no_tremor() -> None:
    assert tremor_share(Ink((Stroke(np.zeros((100, 2)), times=np.linspace(0, 1, 100)),))) == 0.0


def test_shaky_letters_have_more_of_it() -> None:
    calm, shaky = Kinematic().write("m", [Knobs(), Knobs(shakiness=0.6)])
    found, more = tremor_share(calm), tremor_share(shaky)
    assert found is not None
    assert more is not None
    assert more > 2 * found
