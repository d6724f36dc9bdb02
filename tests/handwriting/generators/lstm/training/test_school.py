"""A school's own ink."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.generators.corpus import corpus
from homeroom.handwriting.generators.lstm import LetterModel
from homeroom.handwriting.generators.lstm.training import Settings
from homeroom.handwriting.generators.lstm.training.school import train_on, unit
from homeroom.handwriting.generators.lstm.weights import Weights

pytest.importorskip("torch")

QUICK = Settings(steps=2, batch=4, hidden=8, check_every=1, rate=1e-4, held_out=0.2, device="cpu")


def in_pixels(inks: list[Ink]) -> list[Ink]:
    return [ink.moved(40.0 * np.eye(2), np.array([300.0, 200.0])) for ink in inks]


def test_ink_in_pixels_comes_to_the_usual_size() -> None:
    assert unit(in_pixels(corpus("af", 20))) == pytest.approx(1 / 40, rel=0.15)


def test_a_letter_that_has_no_model_comes_to_size_one() -> None:
    points = 7.0 * np.array([[-1.0, 0.0], [1.0, 0.0]])
    assert unit([Ink((Stroke(points),), letter="é")]) == pytest.approx(np.sqrt(3) / 7, rel=0.02)


def test_a_model_learns_on_from_one_that_knows_the_letters(small: Weights, tmp_path: Path) -> None:
    """Letters that the school has no ink of are kept."""
    start = LetterModel(small)
    made = train_on(in_pixels(corpus("l", 12)), tmp_path / "a.npz", start=start, settings=QUICK)
    assert made.card.names == ("i", "l")
    assert made.card.step_size == small.card.step_size
    np.testing.assert_allclose(made.head, small.head, atol=1e-2)
    assert made.card.limits.steps[0].tolist() == small.card.limits.steps[0].tolist()
    assert "a school's own ink, 12 letters" in made.card.story["corpus"]


def test_a_model_for_other_letters_begins_from_nothing(small: Weights, tmp_path: Path) -> None:
    start = LetterModel(small)
    made = train_on(corpus("lo", 6), tmp_path / "a.npz", start=start, settings=QUICK)
    assert made.card.names == ("l", "o")
    assert LetterModel.load(tmp_path / "a.npz").letters == ("l", "o")


def test_other_settings_of_hidden_units_do_not_disturb(small: Weights, tmp_path: Path) -> None:
    other = replace(QUICK, hidden=20)
    made = train_on(corpus("l", 6), tmp_path / "a.npz", start=LetterModel(small), settings=other)
    assert made.hidden == small.hidden
