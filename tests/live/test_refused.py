"""A refusal is a sentence with a status, and a code for pages in other languages."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import homeroom.live
from homeroom.crowd.insects import SPECIES
from homeroom.handwriting.scores import FEATURES
from homeroom.lessons import StoppedBecause
from homeroom.live.activities.insects import eight_species
from homeroom.live.activities.leaves import TREES
from homeroom.live.events import PHASES
from homeroom.live.messages.views import Board
from homeroom.live.refused import CODES, Refused
from homeroom.observers.quizzing.estimates import rates_in_words

ROOM = Path(homeroom.live.__file__).parent


def fields(sentence: str) -> set[str]:
    """Return the names of the values in a sentence."""
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def refusals() -> Iterator[tuple[str, ast.Call]]:
    """Yield every refusal in the source."""
    for path in sorted(ROOM.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Refused":
                yield f"{path.name}:{node.lineno}", node


def test_a_refusal_is_a_value_error_with_a_status() -> None:
    refused = Refused("paused")
    assert isinstance(refused, ValueError)
    assert (str(refused), refused.status) == ("The class is paused: wait until it continues.", 409)
    assert Refused("empty_name").status == 422


def test_a_refusal_has_a_code_and_values() -> None:
    assert Refused("round_over", round=3).problem == {
        "detail": "Round 3 is over.",
        "code": "round_over",
        "values": {"round": 3},
    }


def test_an_unknown_code_is_an_error() -> None:
    with pytest.raises(KeyError, match="just because"):
        Refused("just because")


def test_every_refusal_is_listed_and_has_the_values_of_its_sentence() -> None:
    for place, call in refusals():
        assert len(call.args) == 1, f"{place} must give a code of codes.json, and values by name"
        if not isinstance(call.args[0], ast.Constant):
            continue  # it was given a code
        code = str(call.args[0].value)
        assert code in CODES["refused"], f"{place}: add {code} to codes.json and to the texts"
        assert {one.arg for one in call.keywords} == fields(CODES["refused"][code][1]), place


def test_every_listed_code_is_used() -> None:
    words = {
        node.value
        for path in ROOM.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert [code for code in CODES["refused"] if code not in words] == []
    assert list(CODES["refused"]) == sorted(CODES["refused"])


def test_the_other_codes_are_those_of_the_source() -> None:
    ends = [one.name.lower() for one in StoppedBecause if one is not StoppedBecause.OPEN]
    assert sorted(CODES["finished"]) == sorted([*ends, "no_students"])
    assert CODES["phases"] == list(PHASES)
    eight = eight_species()
    assert {item.species for item in eight.items} == set(CODES["insects"])
    assert CODES["insects"][:4] == [one.short for one in SPECIES]
    assert CODES["trees"] == list(TREES)
    assert CODES["scores"] == list(FEATURES)
    stalled = Board.model_json_schema()["properties"]["trouble"]["anyOf"][0]["enum"]
    assert CODES["stalled"] == stalled


def test_rates_in_words_are_listed() -> None:
    rates, known = np.array([0.0, 0.05, 0.2, 0.9]), np.eye(4)
    weights = np.vstack([known, [0.0, 0.5, 0.0, 0.5]])
    bank: Any = SimpleNamespace(rates=rates, weights=weights)
    with np.errstate(all="ignore"):
        assert set(rates_in_words(bank)) == set(CODES["rates"])
