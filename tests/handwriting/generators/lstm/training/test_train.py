"""Learning to write."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from homeroom.handwriting.generators.lstm import weights
from homeroom.handwriting.generators.lstm.tracks import Tracks
from homeroom.handwriting.generators.lstm.training import Progress, Settings, train
from homeroom.handwriting.generators.lstm.training.train import steps_within

torch = pytest.importorskip("torch")

QUICK = Settings(steps=6, batch=8, hidden=8, check_every=2, rate=1e-2, held_out=0.1, device="cpu")


class KilledError(Exception):
    """Stands for whatever ends a program at once."""


def killing(after: int) -> Callable[[Progress], None]:
    def tell(progress: Progress) -> None:
        if progress.step >= after:
            raise KilledError

    return tell


def test_training_learns_to_write(learned: Tracks, tmp_path: Path) -> None:
    """Letters that were held back become far more likely than one Gaussian would make them."""
    told: list[Progress] = []
    settings = replace(QUICK, steps=120, batch=16, hidden=32, check_every=40, average=0.9)
    train(learned, tmp_path / "model.npz", settings, tell=told.append)
    one_gaussian = np.log(2 * np.pi * np.e) * learned.drawn.sum(axis=1).mean()  # in usual steps
    assert told[-1].held_out < 0.2 * one_gaussian
    assert told[-1].held_out < told[0].held_out - 20


def test_training_that_was_killed_goes_on_to_the_same_end(learned: Tracks, tmp_path: Path) -> None:
    whole = train(learned, tmp_path / "whole.npz", QUICK)
    with pytest.raises(KilledError):
        train(learned, tmp_path / "broken.npz", QUICK, tell=killing(after=4))
    assert (tmp_path / "broken.part.npz").exists()
    assert not (tmp_path / "broken.npz").exists()
    told: list[Progress] = []
    again = train(learned, tmp_path / "broken.npz", QUICK, tell=told.append)
    assert [progress.step for progress in told] == [6]
    for name, part in again.arrays().items():
        np.testing.assert_allclose(part, whole.arrays()[name], atol=1e-6)
    assert not (tmp_path / "broken.part.npz").exists()


def test_other_settings_do_not_go_on(learned: Tracks, tmp_path: Path) -> None:
    with pytest.raises(KilledError):
        train(learned, tmp_path / "model.npz", QUICK, tell=killing(after=2))
    with pytest.raises(ValueError, match="belongs to another training: it differs in rate"):
        train(learned, tmp_path / "model.npz", replace(QUICK, rate=0.5))
    with pytest.raises(ValueError, match="belongs to another training: it differs in letters"):
        train(learned[:50], tmp_path / "model.npz", QUICK)


def test_training_can_begin_from_a_model(learned: Tracks, tmp_path: Path) -> None:
    first = train(learned, tmp_path / "first.npz", replace(QUICK, steps=60, average=0.9))
    told: list[Progress] = []
    train(learned, tmp_path / "on.npz", replace(QUICK, rate=1e-7), start=first, tell=told.append)
    assert told[0].held_out == pytest.approx(first.card.story["nats_per_letter_held_out"], rel=0.01)
    story = weights.load(tmp_path / "on.npz").card.story
    assert story["begun_from"]["settings"]["steps"] == 60
    assert "begun_from" not in first.card.story


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [(replace(QUICK, hidden=9), "their hidden units are 8, not 9. Begin anew: start=None")],
)
def test_training_begins_from_weights_of_the_same_kind_only(
    learned: Tracks, tmp_path: Path, settings: Settings, sentence: str
) -> None:
    first = train(learned, tmp_path / "first.npz", QUICK)
    with pytest.raises(ValueError, match=sentence):
        train(learned, tmp_path / "on.npz", settings, start=first)
    other = replace(learned, names=("o", "l"))
    with pytest.raises(ValueError, match=r"their letters are \('i', 'l'\), not \('o', 'l'\)"):
        train(other, tmp_path / "on.npz", QUICK, start=first)


def test_the_card_tells_how_the_model_came_about(learned: Tracks, tmp_path: Path) -> None:
    train(learned, tmp_path / "model.npz", QUICK, story={"corpus": "bows"})
    card = weights.load(tmp_path / "model.npz").card
    assert card.names == ("i", "l")
    assert card.story["corpus"] == "bows"
    assert card.story["letters"] == 60
    assert card.story["settings"]["steps"] == 6
    assert len(card.story["letters_sha256"]) == 64
    assert np.isfinite(card.story["nats_per_letter_held_out"])


def test_training_that_goes_astray_says_so(learned: Tracks, tmp_path: Path) -> None:
    lost = replace(learned, offsets=learned.offsets * np.float32(np.nan))
    lost.offsets[:5] = learned.offsets[:5]
    with pytest.raises(ValueError, match="pen never moves"):
        train(lost, tmp_path / "model.npz", QUICK)
    with pytest.raises(ValueError, match=r"went astray before step .* smaller rate than 1e"):
        train(learned, tmp_path / "model.npz", replace(QUICK, steps=40, rate=1e30))


def test_how_many_steps_fit_is_found_by_trying(learned: Tracks) -> None:
    one = steps_within(0.05, learned, QUICK)
    assert one >= QUICK.check_every
    assert steps_within(5.0, learned, QUICK) > 5 * one


def test_what_cannot_be_trained_on_is_refused(learned: Tracks, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least two letters, one of them to hold back"):
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
