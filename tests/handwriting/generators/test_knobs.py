"""Knobs, and how they are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from homeroom.handwriting.generators.knobs import KNOBS, LIMITS, Knobs, Ranges, knob_columns


def test_without_any_setting_a_letter_is_as_the_model() -> None:
    assert Knobs().row == (0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0)
    assert KNOBS[:3] == ("distortion", "rotation", "shakiness")


@pytest.mark.parametrize("name", KNOBS)
def test_a_knob_has_limits(name: str) -> None:
    low, high = LIMITS[name]
    for end in (low, high):
        assert getattr(Knobs(**{name: end}), name) == end
    for beyond in (low - 1.0, high + 1.0, float("nan")):
        with pytest.raises(ValueError, match=rf"`{name}` must be from .* to .*, but is"):
            Knobs(**{name: beyond})


def test_a_knob_is_a_number() -> None:
    with pytest.raises(TypeError, match="`shear` must be a number, but is 'much'"):
        Knobs(shear="much")  # type: ignore[arg-type]


def test_knobs_are_drawn_within_their_ranges_evenly_and_independently() -> None:
    dials = knob_columns(Ranges().draw(4000, 1))
    for name in KNOBS:
        low, high = getattr(Ranges(), name)
        assert low <= dials[name].min() < low + 0.01 * (high - low)
        assert high - 0.01 * (high - low) < dials[name].max() <= high
        assert np.mean(dials[name]) == pytest.approx((low + high) / 2, abs=0.05 * (high - low))
    off = np.corrcoef(np.stack(list(dials.values()))) - np.eye(len(KNOBS))
    assert np.abs(off).max() < 0.06


def test_a_single_number_is_a_range() -> None:
    assert {knobs.rotation for knobs in Ranges(rotation=-12).draw(9)} == {-12.0}


def test_the_first_letters_do_not_depend_on_the_number() -> None:
    assert Ranges().draw(9, 4)[:3] == Ranges().draw(3, 4)
    assert Ranges().draw(3, 4) != Ranges().draw(3, 5)


def test_the_number_of_letters_is_a_whole_number() -> None:
    assert Ranges().draw(0) == []
    with pytest.raises(TypeError, match="`n` must be a whole number, but is 2"):
        Ranges().draw(2.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("range_", "kind", "sentence"),
    [
        ((0.5, 0.1), ValueError, r"`shakiness` must have its lower end first, but is \(0.5, 0.1\)"),
        ((0.1, 0.2, 0.3), TypeError, r"a number or a pair \(low, high\)"),
        ((0.1, 2.0), ValueError, "`shakiness` must be from 0 to 0.95, but is 2"),
        (10**400, TypeError, "`shakiness` must be a number, but is 1000"),
        ("some", TypeError, "`shakiness` must be a number, but is 'some'"),
    ],
)
def test_an_invalid_range_is_refused(range_: Any, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        Ranges(shakiness=range_)
