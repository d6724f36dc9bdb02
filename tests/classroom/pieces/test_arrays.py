import pickle
from typing import Any

import numpy as np
import pytest

from homeroom.classroom.pieces import arrays
from homeroom.classroom.pieces.arrays import ArrayPiece, check_shapes, part_of
from homeroom.classroom.pieces.checked import Place

STATES = np.arange(20.0).reshape(10, 2)
RATES = np.linspace(0.1, 1.0, 10)


def test_blocks_are_the_rows_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "BLOCK_BYTES", 4 * 16)
    names = [f"pupil {i}" for i in range(10)]
    piece = pickle.loads(pickle.dumps(ArrayPiece(STATES, RATES, Place("here"), None, names)))
    blocks = list(piece.blocks())
    assert [len(block.rates) for block in blocks] == [4, 4, 2]
    np.testing.assert_array_equal(np.concatenate([block.states for block in blocks]), STATES)
    np.testing.assert_array_equal(np.concatenate([block.rates for block in blocks]), RATES)
    np.testing.assert_array_equal(np.concatenate(list(piece.rates())), RATES)
    assert [name for some in piece.names() for name in some] == names


def test_without_names_there_are_none() -> None:
    assert list(ArrayPiece(STATES, RATES, Place("here")).names()) == []


def test_nobody_is_no_block() -> None:
    empty = ArrayPiece(STATES[:0], RATES[:0], Place("here"))
    assert list(empty.blocks()) == list(empty.rates()) == []


def test_what_is_wrong_is_found_in_the_block_and_counted_in_the_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arrays, "BLOCK_BYTES", 4 * 16)
    piece = ArrayPiece(STATES, RATES, Place("here", first=101), limits=(0.05, 0.85))
    for read in (piece.blocks, piece.rates):
        with pytest.raises(ValueError, match=r"0\.85, but row 109 of here has the rate 0\.9"):
            list(read())


@pytest.mark.parametrize(
    ("states", "rates", "sentence"),
    [
        (np.ones(3), np.ones(3), r"`states` of x must have shape \(students, dimensions\), but .*"
                                 r"shape \(3,\)"),
        (np.ones((3, 0)), np.ones(3), r"`states` of x must have shape .* has shape \(3, 0\)"),
        (np.ones((3, 2)), np.ones(4), r"`rates` of x must have one number for each student, shape "
                                      r"\(3,\), but has shape \(4,\)"),
        (np.ones((3, 2)), np.ones((3, 1)), r"`rates` of x must .* but has shape \(3, 1\)"),
    ],
)  # fmt: skip
def test_shapes_that_do_not_fit_are_refused(states: Any, rates: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        check_shapes(states, rates, "x")


def test_a_part_of_an_array_is_no_copy() -> None:
    assert np.shares_memory(part_of(STATES, 2, 5), STATES)
