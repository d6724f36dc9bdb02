"""What can be scored."""

from __future__ import annotations

from typing import Any

import pytest

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores import checks

DOT = Ink((Stroke([[1, 2]]), Stroke([[3, 4], [3, 4]])))
LINE = Ink((Stroke([[0, 0], [1, 1]]),))


def test_letters_that_move_are_let_in() -> None:
    assert checks.letters((LINE,)) == [LINE]


@pytest.mark.parametrize(
    ("given", "kind", "sentence"),
    [
        (LINE, TypeError, r"a single one: write \[ink\]"),
        ([], ValueError, "at least one letter, but is empty"),
        (["f"], TypeError, "must hold Ink objects, but has str"),
        ([DOT], ValueError, "The letter is a single dot: the pen never moves"),
        ([LINE, DOT], ValueError, "The letter number 1, counted from 0, is a single dot"),
    ],
)
def test_what_is_no_letter_is_refused(given: Any, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        checks.letters(given)


def test_a_model_can_be_given_by_its_name() -> None:
    assert checks.model("f") is model_letter("f")
    assert checks.model(LINE) is LINE


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(TypeError, match="must be an Ink or the name of a letter"):
        checks.model(3)
    with pytest.raises(ValueError, match="`model` is a single dot"):
        checks.model(DOT)
