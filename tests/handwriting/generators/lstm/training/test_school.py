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
from homeroom.handwriting.generators.lstm.training.school import train_on, unfit, unit
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


def test_each_letter_keeps_its_own_way_of_being_written(small: Weights, tmp_path: Path) -> None:
    """In a school's ink one letter is large and another small: neither is told of the other."""
    inks = [*corpus("l", 6), *(ink.moved(3 * np.eye(2), np.zeros(2)) for ink in corpus("o", 6))]
    model = LetterModel(train_on(inks, tmp_path / "a.npz", settings=QUICK))
    sizes = [model.told(np.full(50, letter), np.random.default_rng(0))[:, 5] for letter in (0, 1)]
    assert sizes[0].max() < sizes[1].min()
    kept = train_on(corpus("l", 6), tmp_path / "b.npz", start=LetterModel(small), settings=QUICK)
    np.testing.assert_array_equal(kept.habits.of(0), small.habits.rows)
    assert len(kept.habits.of(1)) == 5


def test_ink_without_times_is_learned_from_as_a_hand_would_write_it(tmp_path: Path) -> None:
    still = [Ink(tuple(Stroke(s.points) for s in ink), letter="l") for ink in corpus("l", 6)]
    model = train_on(still, tmp_path / "a.npz", settings=QUICK)
    assert np.abs(model.habits.rows[:, 6]).max() < 0.5
    assert model.card.limits.steps[0, 0] > 20


def test_a_letter_without_a_model_is_learned_as_usual(tmp_path: Path) -> None:
    odd = [replace(ink, letter="ß") for ink in corpus("f", 6)]
    model = train_on([*odd, *corpus("f", 6)], tmp_path / "a.npz", settings=QUICK)
    assert model.card.names == ("f", "ß")
    assert not model.habits.of(1).any()
    assert model.habits.of(0).all()


def test_what_cannot_be_learned_from_is_refused(tmp_path: Path) -> None:
    dot = Ink((Stroke([[1, 1], [1, 1]]),), letter="l")
    with pytest.raises(ValueError, match="letter number 3, counted from 0, is a single dot"):
        train_on([*corpus("l", 3), dot], tmp_path / "a.npz", settings=QUICK)
    huge = corpus("l", 1)[0].moved(1e6 * np.eye(2), np.zeros(2))
    with pytest.raises(ValueError, match=r"in one unit, but letter number 3, .* x-heights large"):
        train_on([*corpus("l", 3), huge], tmp_path / "a.npz", settings=QUICK)
    assert not list(tmp_path.iterdir())


def test_why_a_letter_is_unfit_is_said_in_a_few_words() -> None:
    line = Stroke([[0, 0], [1, 1]], times=[0, 11])
    assert unfit(corpus("l", 1)[0]) == ""
    assert unfit(Ink((line,))) == "whose file does not say which it is"
    assert unfit(Ink((Stroke([[1, 1]]),), letter="l")) == "in which the pen never moves"
    assert unfit(Ink((line,), letter="l")) == "on which the pen is for more than 10 s"


def test_other_settings_of_hidden_units_do_not_disturb(small: Weights, tmp_path: Path) -> None:
    other = replace(QUICK, hidden=20)
    made = train_on(corpus("l", 6), tmp_path / "a.npz", start=LetterModel(small), settings=other)
    assert made.hidden == small.hidden
