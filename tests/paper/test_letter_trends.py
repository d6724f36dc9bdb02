"""How scores go over a lesson."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr, t

from homeroom.paper import Row
from homeroom.paper.letter_trends import lessons_of, spared_defect, trend


def lesson(values: list[float], seed: int = 0, letter: str = "f") -> list[Row]:
    return [
        {
            "who": "CT",
            "seed": seed,
            "letter": letter,
            "round": number,
            "rotation": value,
            "usual_rotation": 0.5,
        }
        for number, value in enumerate(values)
    ]


FALLING = [0.9, 0.8, 0.8, 0.6, 0.1, 0.4, 0.3, 0.2]


def test_a_trend_is_read_off_the_first_and_the_last_third() -> None:
    found = trend([lesson(FALLING)], "rotation")
    assert found.first == pytest.approx(0.85)
    assert found.last == pytest.approx(0.25)
    assert found.share == pytest.approx(np.mean(FALLING) / 0.5)
    assert found.half is None
    assert found.falls
    assert "one class, no interval" in str(found)


def test_the_rank_correlation_is_spearmans() -> None:
    """SciPy's, with equal values among them."""
    expected = spearmanr(np.arange(8), FALLING).statistic
    assert trend([lesson(FALLING)], "rotation").order == pytest.approx(expected)
    assert trend([lesson([0.3] * 8)], "rotation").order == 0.0


def test_the_interval_is_students() -> None:
    lessons = [lesson(FALLING), lesson(FALLING[::-1]), lesson([0.5, 0.1] * 4)]
    found = trend(lessons, "rotation")
    orders = [trend([one], "rotation").order for one in lessons]
    half = t.ppf(0.975, 2) * np.std(orders, ddof=1) / np.sqrt(3)
    assert found.half == pytest.approx(half)
    assert not found.falls
    assert (
        str(found) == f"{found.first:.2f} to {found.last:.2f} (ρ {found.order:+.2f} ± {half:.2f})"
    )


def test_lessons_are_distinguished_by_class_and_letter() -> None:
    rows = lesson([0.1, 0.2]) + lesson([0.3], seed=1) + lesson([0.4], letter="a")
    found = lessons_of(rows, "CT")
    assert [[row["rotation"] for row in own] for own in found] == [[0.1, 0.2], [0.3], [0.4]]
    assert lessons_of(rows, "no such type") == []


def test_each_type_is_spared_one_defect() -> None:
    kinds = ("shaky+rotated", "distorted+shaky", "distorted+rotated")
    assert [spared_defect(kind) for kind in kinds] == ["distortion", "rotation", "shakiness"]
