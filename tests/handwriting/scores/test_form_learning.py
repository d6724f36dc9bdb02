"""Forms learned from many letters."""

from __future__ import annotations

from pathlib import Path

import pytest

from homeroom.handwriting import Ink, Kinematic, Ranges, Stroke, learn_forms, model_letter, score
from homeroom.handwriting.scores.form_learning import forms_by_letter, read_forms, write_forms

TIDY = Ranges(distortion=(0, 0.3), rotation=(-8, 8), shakiness=(0, 0.2))


def written(letter: str, form: str, n: int) -> list[Ink]:
    return Kinematic(model_letter(letter, form)).write(letter, TIDY.draw(n))


def test_each_way_to_write_a_letter_becomes_a_form() -> None:
    inks = [*written("r", "print", 30), *written("r", "cursive", 12)]
    first, second = learn_forms(inks).values()
    assert score(first, "r").form == "print"
    assert score(second, "r").form == "cursive"


def test_a_few_odd_letters_are_not_a_form() -> None:
    inks = [*written("r", "print", 40), *written("s", "print", 2)]
    assert len(learn_forms(inks)) == 1


def test_there_are_at_most_as_many_forms_as_asked() -> None:
    inks = [*written("r", "print", 20), *written("r", "cursive", 20)]
    assert len(learn_forms(inks, most=1)) == 1


def test_forms_are_written_and_read_again(tmp_path: Path) -> None:
    dot = Ink((Stroke([[1, 1]]),), letter="r")
    found = forms_by_letter([*written("r", "print", 5), dot, *written("s", "print", 5)])
    assert list(found) == ["r", "s"]
    write_forms(found, tmp_path / "forms.jsonl")
    again = read_forms(tmp_path / "forms.jsonl", "r")
    assert list(again) == list(found["r"])
    assert score(model_letter("r", "print"), again).fits
    with pytest.raises(ValueError, match="has no form of the letter 'x'"):
        read_forms(tmp_path / "forms.jsonl", "x")
