"""Training on tracks, and on your own ink."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.generators.children import corpus
from homeroom.handwriting.generators.lstm import LetterModel, weights
from homeroom.handwriting.generators.lstm.tracks import Tracks
from homeroom.handwriting.generators.lstm.training import TrainingProgress, TrainingSettings, train
from homeroom.handwriting.generators.lstm.training.train import (
    reason_to_skip,
    steps_within,
    train_on,
    unit_factor,
)
from homeroom.handwriting.generators.lstm.weights import Weights

torch = pytest.importorskip("torch")

QUICK = TrainingSettings(
    steps=6, batch=8, hidden=8, check_every=2, rate=1e-2, held_out=0.1, device="cpu"
)


class KilledError(Exception):
    """Represents anything that ends a program at once."""


def killing(after: int) -> Callable[[TrainingProgress], None]:
    def tell(progress: TrainingProgress) -> None:
        if progress.step >= after:
            raise KilledError

    return tell


@pytest.mark.slow
def test_training_learns_to_write(learned: Tracks, tmp_path: Path) -> None:
    """Held-out letters become far more likely than under a single Gaussian."""
    reported: list[TrainingProgress] = []
    settings = replace(QUICK, steps=120, batch=16, hidden=32, check_every=40, average=0.9)
    train(learned, tmp_path / "model.npz", settings, tell=reported.append)
    one_gaussian = np.log(2 * np.pi * np.e) * learned.drawn.sum(axis=1).mean()  # in usual steps
    assert reported[-1].held_out < 0.2 * one_gaussian
    assert reported[-1].held_out < reported[0].held_out - 20


@pytest.mark.slow
def test_a_killed_training_resumes_with_the_same_result(learned: Tracks, tmp_path: Path) -> None:
    whole = train(learned, tmp_path / "whole.npz", QUICK)
    with pytest.raises(KilledError):
        train(learned, tmp_path / "broken.npz", QUICK, tell=killing(after=4))
    assert (tmp_path / "broken.part.npz").exists()
    assert not (tmp_path / "broken.npz").exists()
    reported: list[TrainingProgress] = []
    again = train(learned, tmp_path / "broken.npz", QUICK, tell=reported.append)
    assert [progress.step for progress in reported] == [6]
    for name, part in again.arrays().items():
        np.testing.assert_allclose(part, whole.arrays()[name], atol=1e-6)
    assert not (tmp_path / "broken.part.npz").exists()


@pytest.mark.slow
def test_a_training_with_other_settings_does_not_resume(learned: Tracks, tmp_path: Path) -> None:
    with pytest.raises(KilledError):
        train(learned, tmp_path / "model.npz", QUICK, tell=killing(after=2))
    with pytest.raises(ValueError, match="belongs to another training: it differs in rate"):
        train(learned, tmp_path / "model.npz", replace(QUICK, rate=0.5))
    with pytest.raises(ValueError, match="belongs to another training: it differs in letters"):
        train(learned[:50], tmp_path / "model.npz", QUICK)


@pytest.mark.slow
def test_training_can_start_from_a_model(learned: Tracks, tmp_path: Path) -> None:
    first = train(learned, tmp_path / "first.npz", replace(QUICK, steps=60, average=0.9))
    reported: list[TrainingProgress] = []
    train(
        learned, tmp_path / "on.npz", replace(QUICK, rate=1e-7), start=first, tell=reported.append
    )
    assert reported[0].held_out == pytest.approx(
        first.card.story["nats_per_letter_held_out"], rel=0.01
    )
    story = weights.load(tmp_path / "on.npz").card.story
    assert story["begun_from"]["settings"]["steps"] == 60
    assert "begun_from" not in first.card.story


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [(replace(QUICK, hidden=9), "their hidden units are 8, not 9. Start from scratch: start=None")],
)
def test_training_refuses_weights_of_another_kind(
    learned: Tracks, tmp_path: Path, settings: TrainingSettings, sentence: str
) -> None:
    first = train(learned, tmp_path / "first.npz", QUICK)
    with pytest.raises(ValueError, match=sentence):
        train(learned, tmp_path / "on.npz", settings, start=first)
    other = replace(learned, names=("o", "l"))
    with pytest.raises(ValueError, match=r"their letters are \('i', 'l'\), not \('o', 'l'\)"):
        train(other, tmp_path / "on.npz", QUICK, start=first)


def test_the_card_describes_the_training(learned: Tracks, tmp_path: Path) -> None:
    train(learned, tmp_path / "model.npz", QUICK, story={"corpus": "bows"})
    card = weights.load(tmp_path / "model.npz").card
    assert card.names == ("i", "l")
    assert card.story["corpus"] == "bows"
    assert card.story["letters"] == 60
    assert card.story["settings"]["steps"] == 6
    assert len(card.story["letters_sha256"]) == 64
    assert np.isfinite(card.story["nats_per_letter_held_out"])


def test_a_training_that_diverges_is_reported(learned: Tracks, tmp_path: Path) -> None:
    lost = replace(learned, offsets=learned.offsets * np.float32(np.nan))
    lost.offsets[:5] = learned.offsets[:5]
    with pytest.raises(ValueError, match="pen never moves"):
        train(lost, tmp_path / "model.npz", QUICK)
    with pytest.raises(ValueError, match=r"diverged before step .* smaller rate than 1e"):
        train(learned, tmp_path / "model.npz", replace(QUICK, steps=40, rate=1e30))


@pytest.mark.slow
def test_the_number_of_steps_that_fit_is_measured(learned: Tracks) -> None:
    one = steps_within(0.05, learned, QUICK)
    assert one >= QUICK.check_every
    assert steps_within(5.0, learned, QUICK) > 5 * one


def test_unusable_ink_is_refused(learned: Tracks, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least two letters, one of them held out"):
        train(learned[:1], tmp_path / "model.npz", QUICK)
    still = replace(learned, offsets=0 * learned.offsets)
    with pytest.raises(ValueError, match="their pen never moves"):
        train(still, tmp_path / "model.npz", QUICK)
    with pytest.raises(ValueError, match=r"must end in \.npz"):
        train(learned, tmp_path / "model.pt", QUICK)


def test_without_torch_the_command_to_install_it_is_named(
    learned: Tracks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"pip install 'homeroom\[train\]'"):
        train(learned, tmp_path / "model.npz", replace(QUICK, device=""))


QUICK_SCHOOL = TrainingSettings(
    steps=2, batch=4, hidden=8, check_every=1, rate=1e-4, held_out=0.2, device="cpu"
)


def in_pixels(inks: list[Ink]) -> list[Ink]:
    return [ink.moved(40.0 * np.eye(2), np.array([300.0, 200.0])) for ink in inks]


def test_ink_in_pixels_is_scaled_to_the_usual_size() -> None:
    assert unit_factor(in_pixels(corpus("af", 20))) == pytest.approx(1 / 40, rel=0.15)


def test_a_letter_that_has_no_model_comes_to_size_one() -> None:
    points = 7.0 * np.array([[-1.0, 0.0], [1.0, 0.0]])
    assert unit_factor([Ink((Stroke(points),), letter="é")]) == pytest.approx(
        np.sqrt(3) / 7, rel=0.02
    )


def test_training_continues_from_a_model(small: Weights, tmp_path: Path) -> None:
    """Letters without new ink are kept."""
    start = LetterModel(small)
    made = train_on(
        in_pixels(corpus("l", 12)), tmp_path / "a.npz", start=start, settings=QUICK_SCHOOL
    )
    assert made.card.names == ("i", "l")
    assert made.card.step_size == small.card.step_size
    np.testing.assert_allclose(made.head, small.head, atol=1e-2)
    assert made.card.limits.steps[0].tolist() == small.card.limits.steps[0].tolist()
    assert "own ink, 12 letters" in made.card.story["corpus"]


def test_a_model_for_other_letters_starts_from_scratch(small: Weights, tmp_path: Path) -> None:
    start = LetterModel(small)
    made = train_on(corpus("lo", 6), tmp_path / "a.npz", start=start, settings=QUICK_SCHOOL)
    assert made.card.names == ("l", "o")
    assert LetterModel.load(tmp_path / "a.npz").letters == ("l", "o")


def test_each_letter_keeps_its_own_way_of_being_written(small: Weights, tmp_path: Path) -> None:
    """One letter is large and another small: the conditions are not mixed up."""
    inks = [*corpus("l", 6), *(ink.moved(3 * np.eye(2), np.zeros(2)) for ink in corpus("o", 6))]
    model = LetterModel(train_on(inks, tmp_path / "a.npz", settings=QUICK_SCHOOL))
    sizes = [
        model.conditions(np.full(50, letter), np.random.default_rng(0))[:, 5] for letter in (0, 1)
    ]
    assert sizes[0].max() < sizes[1].min()
    kept = train_on(
        corpus("l", 6), tmp_path / "b.npz", start=LetterModel(small), settings=QUICK_SCHOOL
    )
    np.testing.assert_array_equal(kept.habits.of(0), small.habits.rows)
    assert len(kept.habits.of(1)) == 5


def test_ink_without_times_gets_natural_times_for_training(tmp_path: Path) -> None:
    still = [Ink(tuple(Stroke(s.points) for s in ink), letter="l") for ink in corpus("l", 6)]
    model = train_on(still, tmp_path / "a.npz", settings=QUICK_SCHOOL)
    assert np.abs(model.habits.rows[:, 6]).max() < 0.5
    assert model.card.limits.steps[0, 0] > 20


def test_a_letter_without_a_model_is_learned_as_usual(tmp_path: Path) -> None:
    odd = [replace(ink, letter="ß") for ink in corpus("f", 6)]
    model = train_on([*odd, *corpus("f", 6)], tmp_path / "a.npz", settings=QUICK_SCHOOL)
    assert model.card.names == ("f", "ß")
    assert not model.habits.of(1).any()
    assert model.habits.of(0).all()


def test_unusable_training_letters_are_refused(tmp_path: Path) -> None:
    dot = Ink((Stroke([[1, 1], [1, 1]]),), letter="l")
    with pytest.raises(ValueError, match="letter number 3, counted from 0, is a single dot"):
        train_on([*corpus("l", 3), dot], tmp_path / "a.npz", settings=QUICK_SCHOOL)
    huge = corpus("l", 1)[0].moved(1e6 * np.eye(2), np.zeros(2))
    with pytest.raises(ValueError, match=r"in one unit, but letter number 3, .* x-heights large"):
        train_on([*corpus("l", 3), huge], tmp_path / "a.npz", settings=QUICK_SCHOOL)
    assert not list(tmp_path.iterdir())


def test_the_reason_to_skip_a_letter_is_given() -> None:
    line = Stroke([[0, 0], [1, 1]], times=[0, 11])
    assert reason_to_skip(corpus("l", 1)[0]) == ""
    assert reason_to_skip(Ink((line,))) == "without a name"
    assert reason_to_skip(Ink((Stroke([[1, 1]]),), letter="l")) == "in which the pen never moves"
    assert reason_to_skip(Ink((line,), letter="l")) == "with more than 10 s of writing"


def test_hidden_units_come_from_the_initial_model(small: Weights, tmp_path: Path) -> None:
    other = replace(QUICK_SCHOOL, hidden=20)
    made = train_on(corpus("l", 6), tmp_path / "a.npz", start=LetterModel(small), settings=other)
    assert made.hidden == small.hidden
