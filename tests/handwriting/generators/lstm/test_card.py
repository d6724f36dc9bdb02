"""What a model's file says of itself."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.generators.lstm.card import MARGIN, Card, Limits, limits_of
from homeroom.handwriting.generators.lstm.tracks import tracks
from homeroom.handwriting.generators.lstm.weights import Weights


def stroke(points: list[list[float]], times: list[float] | None = None) -> Stroke:
    clock = None if times is None else np.array(times)
    return Stroke(np.array(points, dtype=np.float64), clock)


def test_a_card_survives_json(small: Weights) -> None:
    plain = small.card.to_json()
    assert Card.from_json(json.loads(json.dumps(plain))).to_json() == plain


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"names": []}, "`names` must list at least one letter"),
        ({"names": ["a", "a"]}, "`names` must list each letter once"),
        ({"names": ["a\n", "b"]}, "`names` must be 1 to 200 characters each that can be printed"),
        ({"names": ["", "b"]}, "`names` must be 1 to 200 characters"),
        ({"rate": 0}, "`rate` must be from 1 to 1000, but is 0"),
        ({"rate": 1e300}, r"`rate` must be from 1 to 1000, but is 1e\+300"),
        ({"reach": float("nan")}, r"`reach` must be from 1e-06 to 1e\+06, but is nan"),
        ({"step_size": 1e300}, r"`step_size` must be from 1e-06 to 1e\+06, but is 1e\+300"),
        ({"jitter": 2}, "`jitter` must be from 0 to 1, but is 2"),
        ({"limits": {"steps": [[1, 2]], "strokes": [], "way": []}}, "two numbers for each letter"),
    ],
)
def test_a_card_is_checked(small: Weights, changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Card.from_json(small.card.to_json() | changed)


def test_a_card_may_not_let_letters_fill_the_memory(small: Weights) -> None:
    plain = small.card.to_json()
    plain["limits"]["steps"] = [[0, 1e12], [0, 60]]
    with pytest.raises(ValueError, match=r"must end a letter after 460 steps at most, .* 1e\+12"):
        Card.from_json(plain)


def test_limits_are_those_of_the_letters_with_a_margin() -> None:
    short = Ink((stroke([[0, 0], [3, 4]], times=[0.0, 0.5]),), letter="l")
    long = Ink((*short.strokes, stroke([[0, 0], [1, 0]], times=[1.0, 1.5])), letter="l")
    limits = limits_of(tracks([short, long], ("l", "o")))
    np.testing.assert_allclose(limits.way, [[5 / MARGIN, 6 * MARGIN], [0.0, 0.0]], rtol=1e-6)
    assert limits.strokes.tolist() == [[1, 2], [0, 0]]
    np.testing.assert_allclose(limits.steps[0], [21 / MARGIN, 43 * MARGIN])


def test_limits_of_two_let_through_what_either_lets_through() -> None:
    def limits(*rows: tuple[float, float]) -> Limits:
        return Limits(*(np.array(rows) for _ in range(3)))

    mine, theirs = limits((2, 5), (0, 0), (1, 2)), limits((3, 9), (4, 6), (0, 0))
    assert mine.widened(theirs).steps.tolist() == [[2, 9], [4, 6], [1, 2]]
