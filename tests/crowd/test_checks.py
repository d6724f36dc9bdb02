from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from homeroom.crowd import Answers, checks

BAD: list[tuple[dict[str, Any], str]] = [
    ({"person": [0, 0, 1]}, r"`person` must hold a whole number for each of the 2 answers"),
    ({"person": [0.0, 1.0]}, r"whole number for each .* dtype float64"),
    ({"person": [0, 2]}, r"`person` must hold numbers from 0 to 1, but they go from 0 to 2"),
    ({"item": [-1, 0]}, r"`item` must hold numbers from 0 to 0, but they go from -1 to 0"),
    ({"yes": [[True], [False]]}, r"`yes` must say True or False .* shape \(2, 1\)"),
    ({"yes": ["a", "b"]}, r"`yes` must say True or False for each answer"),
    ({"yes": [1, 2]}, r"`yes` must be True or False \(1 or 0\), but answer 1 is 2"),
    ({"yes": [1.0, np.nan]}, r"but answer 1 is nan"),
    ({"labels": [1.0, 1.0]}, r"`labels` must have one number for each of the 1 items"),
    ({"labels": [0.5]}, r"`labels` must be \+1, -1, or nan .* but item 0 has 0.5"),
    ({"labels": [np.inf]}, r"item 0 has inf"),
    ({"times": [1.0]}, r"`times` must have one number for each of the 2 answers"),
]


@pytest.mark.parametrize(("change", "sentence"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_what_cannot_be_answers_is_refused(change: dict[str, Any], sentence: str) -> None:
    good: dict[str, Any] = {
        "people": ("Ada", "Ben"),
        "items": ("moth",),
        "person": np.array([0, 1]),
        "item": np.array([0, 0]),
        "yes": np.array([True, False]),
        "labels": np.array([1.0]),
    }
    Answers(**good)
    with pytest.raises(ValueError, match=sentence):
        Answers(**good | {name: np.asarray(value) for name, value in change.items()})


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ([2], r"`people` must be places from 0 to 1, but go from 2 to 2"),
        ([0.5], r"`people` must be a list of places, counted from 0"),
        ([1, 1], r"`people` must not name anything twice"),
    ],
)
def test_a_subset_is_of_places(chosen: list[float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Answers.from_arrays([1, 2], [1, 1], [1, 0]).subset(people=chosen)


def test_the_last_or_the_first_is_kept() -> None:
    assert checks.which_is_kept("first") == "first"
    with pytest.raises(ValueError, match=r"`keep` must be 'last' or 'first' .* but is 'best'"):
        checks.which_is_kept("best")
