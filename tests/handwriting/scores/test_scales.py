"""From measures to scores and back."""

from __future__ import annotations

import numpy as np

from homeroom.handwriting.scores import scales


def test_a_score_is_zero_for_nothing_and_stays_below_one() -> None:
    scores = scales.defect(np.array([0.0, 0.1, 1.0, 5.0]), 0.15)
    assert scores[0] == 0.0
    assert (np.diff(scores) > 0).all()
    assert scores[-1] < 1.0


def test_measure_undoes_defect() -> None:
    measures = np.linspace(0.0, 0.6, 7)
    back = scales.measure(scales.defect(measures, scales.DISTORTION), scales.DISTORTION)
    np.testing.assert_allclose(back, measures, atol=1e-12)


def test_rotation_is_a_share_of_45_degrees_either_way() -> None:
    np.testing.assert_allclose(scales.leaning(np.array([-45.0, -9.0, 0.0, 90.0])), [1, 0.2, 0, 1])
