"""The card and the file of a model."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.generators.lstm import weights
from homeroom.handwriting.generators.lstm.conditions import EVERY_LETTER
from homeroom.handwriting.generators.lstm.tracks import tracks
from homeroom.handwriting.generators.lstm.weights import (
    MARGIN,
    LetterLimits,
    ModelCard,
    Weights,
    limits_of,
)


def stroke(points: list[list[float]], times: list[float] | None = None) -> Stroke:
    clock = None if times is None else np.array(times)
    return Stroke(np.array(points, dtype=np.float64), clock)


def test_a_card_survives_json(small: Weights) -> None:
    plain = small.card.to_json()
    assert ModelCard.from_json(json.loads(json.dumps(plain))).to_json() == plain


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"names": []}, "`names` must list at least one letter"),
        ({"names": ["a", "a"]}, "`names` must list each letter once"),
        ({"names": ["a\n", "b"]}, "`names` must be 1 to 200 printable characters each"),
        ({"names": ["", "b"]}, "`names` must be 1 to 200 printable characters"),
        ({"rate": 0}, "`rate` must be from 1 to 1000, but is 0"),
        ({"rate": 1e300}, r"`rate` must be from 1 to 1000, but is 1e\+300"),
        ({"reach": float("nan")}, r"`reach` must be from 1e-06 to 1e\+06, but is nan"),
        ({"step_size": 1e300}, r"`step_size` must be from 1e-06 to 1e\+06, but is 1e\+300"),
        ({"jitter": 2}, "`jitter` must be from 0 to 1, but is 2"),
        ({"limits": {"steps": [[1, 2]], "strokes": [], "way": []}}, "two numbers per letter"),
    ],
)
def test_a_card_is_checked(small: Weights, changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        ModelCard.from_json(small.card.to_json() | changed)


def test_a_card_with_too_many_steps_is_refused(small: Weights) -> None:
    plain = small.card.to_json()
    plain["limits"]["steps"] = [[0, 1e12], [0, 60]]
    with pytest.raises(ValueError, match=r"must allow at most 460 steps per letter, .* 1e\+12"):
        ModelCard.from_json(plain)


def test_limits_are_those_of_the_letters_with_a_margin() -> None:
    short = Ink((stroke([[0, 0], [3, 4]], times=[0.0, 0.5]),), letter="l")
    long = Ink((*short.strokes, stroke([[0, 0], [1, 0]], times=[1.0, 1.5])), letter="l")
    limits = limits_of(tracks([short, long], ("l", "o")))
    np.testing.assert_allclose(
        limits.line_length, [[5 / MARGIN, 6 * MARGIN], [0.0, 0.0]], rtol=1e-6
    )
    assert limits.strokes.tolist() == [[1, 2], [0, 0]]
    np.testing.assert_allclose(limits.steps[0], [21 / MARGIN, 43 * MARGIN])


def test_widened_limits_accept_what_either_accepts() -> None:
    def limits(*rows: tuple[float, float]) -> LetterLimits:
        return LetterLimits(*(np.array(rows) for _ in range(3)))

    mine, theirs = limits((2, 5), (0, 0), (1, 2)), limits((3, 9), (4, 6), (0, 0))
    assert mine.widened(theirs).steps.tolist() == [[2, 9], [4, 6], [1, 2]]


@pytest.fixture
def saved(small: Weights, tmp_path: Path) -> Path:
    weights.save(small, tmp_path / "model.npz")
    return tmp_path / "model.npz"


def contents(path: Path) -> dict[str, Any]:
    with np.load(path) as file:
        return dict(file)


def changed_card(path: Path, **changes: Any) -> None:
    arrays = contents(path)
    card = json.loads(bytes(arrays.pop("card"))) | changes
    text = np.frombuffer(json.dumps(card).encode(), dtype=np.uint8)
    np.savez(path, card=text, **arrays)


def rehashed(path: Path, **parts: Any) -> None:
    """Write other arrays with a matching checksum."""
    arrays = contents(path) | parts
    card = json.loads(bytes(arrays.pop("card")))
    card.pop("sha256")
    arrays = {name: part for name, part in arrays.items() if part is not None}
    card["sha256"] = weights._checksum(arrays, card)
    np.savez(path, card=np.frombuffer(json.dumps(card).encode(), dtype=np.uint8), **arrays)


def test_weights_survive_being_saved_as_float16(small: Weights, saved: Path) -> None:
    read = weights.load(saved)
    assert read.card.to_json() == small.card.to_json()
    assert read.hidden == small.hidden
    for name, part in read.arrays().items():
        assert part.dtype == np.float32
        np.testing.assert_allclose(part, small.arrays()[name], rtol=1e-3, atol=1e-6)
    np.testing.assert_array_equal(read.habits.whose, small.habits.whose)
    kinds = {name: part.dtype for name, part in contents(saved).items()}
    assert {kinds.pop("card"), kinds.pop("whose")} == {np.dtype(np.uint8), np.dtype(np.int32)}
    assert set(kinds.values()) == {np.dtype(np.float16)}


def test_the_checksum_is_that_of_the_content(small: Weights, tmp_path: Path) -> None:
    first = weights.save(small, tmp_path / "one.npz")
    assert weights.save(small, tmp_path / "two.npz") == first
    assert weights.load(tmp_path / "two.npz", sha256=first).hidden == small.hidden


def test_a_changed_weight_is_noticed(saved: Path) -> None:
    arrays = contents(saved)
    arrays["head"][0, 0] += 1
    np.savez(saved, **arrays)
    with pytest.raises(ValueError, match="is damaged: the SHA-256 of its content is"):
        weights.load(saved)


def test_a_changed_card_is_noticed(saved: Path) -> None:
    changed_card(saved, rate=50.0)
    with pytest.raises(ValueError, match="is damaged"):
        weights.load(saved)


def test_a_damaged_checksum_is_compared_with_that_of_the_content(
    small: Weights, tmp_path: Path
) -> None:
    checksum = weights.save(small, tmp_path / "model.npz")
    changed_card(tmp_path / "model.npz", sha256="abc")
    with pytest.raises(ValueError, match=f"content is {checksum}, but its card states abc"):
        weights.load(tmp_path / "model.npz", sha256=checksum)


def test_a_model_with_another_checksum_is_refused(saved: Path) -> None:
    with pytest.raises(ValueError, match=r"but must be abc\. Get the file again"):
        weights.load(saved, sha256="abc")


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"There is no file .*none\.npz"):
        weights.load(tmp_path / "none.npz")


@pytest.mark.parametrize("kept", [0, 10, 2000])
def test_a_truncated_file_is_reported_as_damaged(saved: Path, kept: int) -> None:
    saved.write_bytes(saved.read_bytes()[:kept])
    with pytest.raises(ValueError, match="it is damaged or cut off"):
        weights.load(saved)


class Alarm:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return pytest.fail, ("the file ran code",)


def test_nothing_in_a_file_is_ever_run(saved: Path) -> None:
    arrays = contents(saved)
    arrays["head"] = np.array([Alarm()], dtype=object)
    np.savez(saved, **arrays)
    with pytest.raises(ValueError, match="holds Python objects, not numbers"):
        weights.load(saved)


def test_a_pickle_is_not_accepted_as_a_model(saved: Path) -> None:
    saved.write_bytes(pickle.dumps(Alarm()))
    with pytest.raises(ValueError, match="it is damaged or cut off"):
        weights.load(saved)


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"bias2": None}, "is not a letter model: it has no 'bias2'"),
        ({"head": None}, "is not a letter model: it has no 'head'"),
        ({"head": np.float16(1)}, "must be floats of shape"),
        ({"habits": np.zeros((0, 7))}, "is not a letter model: it has no 'habits'"),
        (
            {"habits": np.float16(1)},
            r"'habits' must be floats of shape \(1, 7\), but has shape \(\)",
        ),
        ({"habits": np.zeros((5, 6))}, r"'habits' must be floats of shape \(5, 7\), but has shape"),
        ({"habits": np.full((5, 7), np.nan)}, "'habits' must be finite"),
        ({"habits": np.full((5, 7), 1e300)}, "'habits' must be finite, and at most 65504 in size"),
        ({"whose": np.zeros(4, dtype=np.int32)}, "'whose' must have one letter per habit, 5"),
        ({"whose": np.zeros(5)}, "'whose' must have one letter per habit, .* and dtype float64"),
        ({"whose": np.full(5, 2)}, "'whose' must be from -1 to 1"),
        ({"whose": np.full(5, -2)}, "'whose' must be from -1 to 1"),
        ({"bias2": np.zeros((2, 3))}, r"'bias2' must be floats of shape \(2, 32\), but has shape"),
        ({"head_bias": np.zeros(122, dtype=np.int64)}, "'head_bias' must be floats"),
        ({"head_bias": np.full(122, np.inf)}, "'head_bias' must be finite"),
    ],
)
def test_other_arrays_are_refused(saved: Path, parts: dict[str, Any], sentence: str) -> None:
    rehashed(saved, **parts)
    with pytest.raises(ValueError, match=sentence):
        weights.load(saved)


def test_habits_without_letters_apply_to_every_letter(saved: Path) -> None:
    rehashed(saved, whose=None)
    assert weights.load(saved).habits.whose.tolist() == [EVERY_LETTER] * 5


def test_another_npz_is_not_accepted_as_a_model(tmp_path: Path) -> None:
    np.savez(tmp_path / "class.npz", states=np.ones(3))
    with pytest.raises(ValueError, match="is not a letter model: it has no 'card'"):
        weights.load(tmp_path / "class.npz")


def test_a_later_format_is_refused(saved: Path) -> None:
    changed_card(saved, format=3)
    with pytest.raises(
        ValueError, match="it has format 3, but this version reads 2: train it again"
    ):
        weights.load(saved)


def test_a_card_that_is_not_json_is_refused(saved: Path) -> None:
    np.savez(saved, **(contents(saved) | {"card": np.frombuffer(b"[1", dtype=np.uint8)}))
    with pytest.raises(ValueError, match="is not a letter model: Expecting"):
        weights.load(saved)


def test_only_npz_is_written(small: Weights, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"must end in \.npz, the format of letter models"):
        weights.save(small, tmp_path / "model.pt")


@pytest.mark.parametrize("value", [1e6, np.inf, np.nan])
def test_weights_that_float16_cannot_contain_are_not_written(
    small: Weights, tmp_path: Path, value: float
) -> None:
    small.head_bias[0] = value
    said = "is not written: 'head_bias' must be finite, and at most 65504 in size. Train"
    with pytest.raises(ValueError, match=said):
        weights.save(small, tmp_path / "model.npz")
    assert not list(tmp_path.iterdir())


def test_a_card_with_numbers_that_are_not_finite_is_not_written(
    small: Weights, tmp_path: Path
) -> None:
    card = replace(small.card, story={"likelihood": np.nan})
    with pytest.raises(ValueError, match="its card has numbers that are not finite"):
        weights.save(replace(small, card=card), tmp_path / "model.npz")
    assert not list(tmp_path.iterdir())
