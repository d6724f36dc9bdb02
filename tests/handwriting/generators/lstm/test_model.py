"""Letters written in parallel, and the letter model."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from homeroom._arrays import Ints
from homeroom.handwriting import Ink
from homeroom.handwriting.generators.lstm import LetterModel, weights
from homeroom.handwriting.generators.lstm import model as module
from homeroom.handwriting.generators.lstm.model import SampledLetters, sample_letters
from homeroom.handwriting.generators.lstm.network import OUTPUTS
from homeroom.handwriting.generators.lstm.tracks import CONDITIONS
from homeroom.handwriting.generators.lstm.weights import LetterLimits, Weights
from homeroom.handwriting.letters import LETTERS
from homeroom.handwriting.scores import score, score_all


def written(weights: Weights, which: Ints, seed: int = 0) -> SampledLetters:
    conditions = np.zeros((len(which), CONDITIONS), dtype=np.float32)
    return sample_letters(weights, which, conditions, np.random.default_rng(seed))


def with_odds(weights: Weights, ends: float, lifts: float) -> Weights:
    head, bias = weights.head.copy(), weights.head_bias.copy()
    head[:, OUTPUTS - 2 :] = 0.0
    bias[OUTPUTS - 2 :] = ends, lifts
    return replace(weights, head=head, head_bias=bias)


def test_the_same_seed_writes_the_same(small: Weights, which: Ints) -> None:
    first, second = written(small, which), written(small, which)
    np.testing.assert_array_equal(first.places, second.places)
    assert not np.array_equal(first.places, written(small, which, seed=1).places)


def test_letters_end_when_their_event_is_drawn(small: Weights) -> None:
    """With odds of one to nine, letters have ten steps on average, and end by themselves."""
    draft = written(with_odds(small, np.log(1 / 9), -30.0), np.zeros(2000, dtype=np.int64))
    assert draft.ended.mean() > 0.99
    assert draft.lengths.mean() == pytest.approx(10.0, rel=0.05)
    assert not draft.lifted.any()


def test_a_letter_that_never_ends_is_truncated(small: Weights, which: Ints) -> None:
    draft = written(with_odds(small, -30.0, -30.0), which)
    assert not draft.ended.any()
    assert not draft.valid(small.card.limits, small.card.step_size).any()
    assert (draft.lengths == 61).all()


def test_a_lifted_pen_moves_before_it_lifts_again(small: Weights, which: Ints) -> None:
    draft = written(with_odds(small, -30.0, 30.0), which)
    assert (draft.lifted[:, 1::2]).all()
    assert not (draft.lifted[:, 2::2]).any()
    moved = np.abs(np.diff(draft.places, axis=1)).max(axis=2)
    assert moved[:, 1::2].min() > 0  # through the air
    assert moved[:, ::2].max() < 10 * small.card.jitter  # a lift: nowhere, but for the jitter


def test_each_letter_continues_as_if_alone(small: Weights) -> None:
    """All steps of the other letters are written."""
    draft = written(small, np.zeros(50, dtype=np.int64))
    for row in range(50):
        moved = np.hypot(*np.diff(draft.places[row, : draft.lengths[row]], axis=0).T) > 0
        assert (moved | draft.lifted[row, 1 : draft.lengths[row]]).all()
        assert (draft.places[row, draft.lengths[row] :] == 0).all()


def draft_of(places: list[list[float]], lifted: list[bool]) -> SampledLetters:
    return SampledLetters(
        np.zeros(1, dtype=np.int64),
        np.array([[*places, [0, 0]]], dtype=np.float32),  # one step is filled up
        np.array([[*lifted, False]]),
        np.array([len(lifted)]),
        np.array([True]),
    )


def bounds(**changed: list[float]) -> LetterLimits:
    wide = {"steps": [0.0, 99.0], "strokes": [0.0, 99.0], "line_length": [0.0, 99.0]}
    return LetterLimits(**{name: np.array([ends]) for name, ends in (wide | changed).items()})


@pytest.mark.parametrize(
    ("limits", "valid"),
    [
        (bounds(), True),
        (bounds(steps=[5.0, 5.0]), True),
        (bounds(steps=[6.0, 9.0]), False),
        (bounds(steps=[0.0, 4.0]), False),
        (bounds(strokes=[2.0, 2.0]), True),
        (bounds(strokes=[1.0, 1.0]), False),
        # 5 + 10 steps of a tenth; the air in between is free
        (bounds(line_length=[1.49, 1.51]), True),
        (bounds(line_length=[2.0, 9.0]), False),
    ],
)
def test_a_valid_letter_is_within_its_limits(limits: LetterLimits, valid: bool) -> None:
    draft = draft_of(
        [[0, 0], [3, 4], [3, 4], [3, 104], [13, 104]], [False, False, True, False, False]
    )
    assert draft.valid(limits, step_size=0.1).tolist() == [valid]


@pytest.fixture
def model(small: Weights) -> LetterModel:
    return LetterModel(small)


def same(first: list[Ink], second: list[Ink]) -> bool:
    return all(np.array_equal(a.points, b.points) for a, b in zip(first, second, strict=True))


def test_letters_are_ink_with_times(model: LetterModel) -> None:
    inks = model.sample("l", 5, seed=3)
    assert [ink.letter for ink in inks] == ["l"] * 5
    assert all(ink.timed for ink in inks)


def test_the_same_seed_gives_the_same_letters(model: LetterModel) -> None:
    assert same(model.sample("l", 5, seed=3), model.sample("l", 5, seed=3))
    assert not same(model.sample("l", 5, seed=3), model.sample("l", 5, seed=4))


def test_a_text_is_written_letter_by_letter(model: LetterModel) -> None:
    assert [ink.letter for ink in model.write("lil", seed=1)] == ["l", "i", "l"]
    assert model.write("") == []


def test_a_model_read_from_a_file_writes_its_letters(small: Weights, tmp_path: Path) -> None:
    weights.save(small, tmp_path / "model.npz")
    read = LetterModel.load(tmp_path / "model.npz")
    assert read.letters == ("i", "l")
    assert read.sample("i", 2)[0].letter == "i"


def test_many_letters_are_written_in_portions(
    model: LetterModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 3)
    assert [ink.letter for ink in model.write("ilililil")] == list("ilililil")


def narrowed(small: Weights, strokes: tuple[float, float]) -> LetterModel:
    limits = small.card.limits
    only = LetterLimits(limits.steps, np.array([strokes] * 2), limits.line_length)
    return LetterModel(replace(small, card=replace(small.card, limits=only)))


def test_invalid_letters_are_written_again(small: Weights) -> None:
    picky = narrowed(small, (1, 1))
    which, conditions = np.zeros(40, dtype=np.int64), np.zeros((40, 7), dtype=np.float32)
    draft = picky.draft(which, conditions, np.random.default_rng(0))
    assert 0 < draft.valid(picky.card.limits, picky.card.step_size).mean() < 1
    assert all(len(ink.strokes) == 1 for ink in picky.sample("i", 40))


def test_an_unknown_letter_is_refused_by_the_model(small: Weights) -> None:
    hopeless = narrowed(small, (500, 501))
    with pytest.raises(ValueError, match="The letter 'l' was invalid 20 times in a row"):
        hopeless.sample("l")


def test_an_unknown_letter_is_refused(model: LetterModel) -> None:
    with pytest.raises(ValueError, match="cannot write 'q': choose one of i l, or train"):
        model.sample("q")


@pytest.mark.parametrize("bias", [-0.1, 11.0, float("nan")])
def test_bias_has_limits(model: LetterModel, bias: float) -> None:
    with pytest.raises(ValueError, match="`bias` must be from 0 to 10, but is"):
        model.sample("l", bias=bias)


def test_numbers_are_checked(model: LetterModel) -> None:
    with pytest.raises(TypeError, match="`n` must be a whole number"):
        model.sample("l", 1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`n` must be at least 0 and at most 100000"):
        model.sample("l", 10**6)
    with pytest.raises(ValueError, match="`seed` must be at least 0"):
        model.sample("l", seed=-1)


@pytest.mark.slow
def test_writing_needs_no_torch() -> None:
    code = (
        "import sys; from homeroom.handwriting.generators.lstm import LetterModel; "
        "LetterModel.load().sample('f'); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_shipped_model_knows_all_letters_and_digits() -> None:
    model = LetterModel.load()
    assert model.letters == LETTERS
    assert model.weights.hidden == 300
    assert [ink.letter for ink in model.write("nao", seed=1)] == ["n", "a", "o"]
    assert module.SHIPPED.stat().st_size < 10_000_000


def test_the_shipped_model_is_the_one_that_the_code_names(tmp_path: Path) -> None:
    assert weights.load(module.SHIPPED, module.SHA256).card.names == LETTERS
    assert len(module.SHA256) == 64


@pytest.mark.slow
def test_five_hundred_letters_are_a_matter_of_seconds_on_one_core() -> None:
    """In processor time, which other programs barely affect; measured: 1.5 s."""
    code = (
        "import time; from homeroom.handwriting.generators.lstm import LetterModel; "
        "model = LetterModel.load(); began = time.process_time(); model.sample('f', 500); "
        "print(time.process_time() - began)"
    )
    one_core = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    ran = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, env=os.environ | one_core
    )
    assert float(ran.stdout) < 4.0


@pytest.mark.slow
def test_with_bias_letters_are_neater_and_more_alike() -> None:
    model = LetterModel.load()
    plain, neat = (model.sample("o", 60, bias=bias) for bias in (0, 3))
    assert np.std([ink.length for ink in neat]) < 0.5 * np.std([ink.length for ink in plain])
    assert (score_all(neat, "o").mean(axis=0) < 0.5 * score_all(plain, "o").mean(axis=0)).all()


@pytest.mark.slow
def test_the_shipped_model_follows_its_knobs() -> None:
    """Scores and rotation follow the knobs, with all other knobs drawn at random."""
    model = LetterModel.load()
    for at, name in enumerate(("distortion", "rotation", "shakiness")):
        ends = (5.0, 40.0) if name == "rotation" else (0.0, 0.6)
        written = [model.sample("f", 60, 0, bias=0.0, **{name: end}) for end in ends]
        good, bad = (score_all(inks, "f")[:, at] for inks in written)
        assert not np.isnan(good).any()
        assert np.isnan(bad).mean() < 0.1  # a letter that fits no form has no scores
        assert np.quantile(good, 0.9) < np.nanquantile(bad, 0.1), name
    turned = [score(ink, "f").angle for ink in model.sample("f", 60, rotation=-20)]
    assert np.median(turned) == pytest.approx(-20, abs=2)


def test_a_knob_must_be_one_that_the_network_has_learned(model: LetterModel) -> None:
    with pytest.raises(TypeError, match="`colour` is not a knob: choose from distortion, rotation"):
        model.sample("l", colour=1.0)
    with pytest.raises(ValueError, match=r"`distortion` must be from 0 to 0\.65, as in the"):
        LetterModel.load().sample("l", distortion=0.8)
