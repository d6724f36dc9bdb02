"""Pieces: sizes of blocks, and checks of students as they are read."""

import re

import numpy as np
import pytest

from homeroom.classroom import AbstractNamedPiece, AbstractPiece, Block
from homeroom.classroom.pieces.base import BLOCK_BYTES, Place, as_floats, as_rates, checked, rows_of


@pytest.mark.parametrize("interface", [AbstractPiece, AbstractNamedPiece])
def test_an_abstract_piece_cannot_be_instantiated(interface: type) -> None:
    with pytest.raises(TypeError, match="abstract"):
        interface()


def test_rows_fill_a_block_and_there_is_at_least_one() -> None:
    assert rows_of(BLOCK_BYTES, 25) * 25 * 8 <= BLOCK_BYTES
    assert rows_of(BLOCK_BYTES, 10**9) == 1
    assert rows_of(BLOCK_BYTES, 0) == BLOCK_BYTES // 8


PLACE = Place("class.parquet", first=11)
GOOD = Block(np.ones((3, 2)), np.array([0.1, 0.2, 0.3]))


def test_valid_arrays_are_returned_unchanged() -> None:
    assert checked(GOOD, PLACE, (0.1, 0.3)) is GOOD


@pytest.mark.parametrize(
    ("rate", "sentence"),
    [
        (0.0, "must be positive and finite, but row 12 of class.parquet has the rate 0.0. A stu"),
        (-1.0, "must be positive and finite, but row 12 of class.parquet has the rate -1.0. A"),
        (np.nan, "must be positive and finite, but row 12 of class.parquet has the rate nan. Drop"),
        (np.inf, "must be positive and finite, but row 12 of class.parquet has the rate inf. Drop"),
        (0.4, "were announced to be between 0.1 and 0.3, but row 12 of class.parquet has the rate "
              "0.4. Announce a wider range, or none: then the rates are read first."),
        (0.05, "were announced to be between 0.1 and 0.3, but row 12 of class.parquet has the rate "
               "0.05. Announce a wider range"),
    ],
)  # fmt: skip
def test_an_invalid_rate_is_refused_with_its_row(rate: float, sentence: str) -> None:
    rates = np.array([0.1, rate, 0.3])
    with pytest.raises(ValueError, match=re.escape(f"`rates` {sentence}")):
        checked(Block(GOOD.states, rates), PLACE, (0.1, 0.3))


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (np.nan, "must be finite, but row 13 of class.parquet has nan in column w2. Fill in or"),
        (-np.inf, "must be finite, but row 13 of class.parquet has -inf in column w2. Fill in"),
        (1e200, "must be so small that squared distances fit into float64, but row 13 of "
                "class.parquet has 1e+200 in column w2. Divide all states"),
    ],
)  # fmt: skip
def test_an_invalid_state_is_refused_with_its_row(number: float, sentence: str) -> None:
    states = np.ones((3, 2))
    states[2, 1] = number
    with pytest.raises(ValueError, match=re.escape(f"`states` {sentence}")):
        checked(Block(states, GOOD.rates), PLACE, None)


def test_float32_that_would_overflow_is_refused() -> None:
    states = np.full((2, 2), 1e30, dtype=np.float32)
    with pytest.raises(ValueError, match=r"fit into float32, but row 1 of a has 1e\+30 in colu"):
        checked(Block(states, np.ones(2)), Place("a"), None)


@pytest.mark.parametrize("kind", ["float32", "float64", "int32", "uint8", "bool", "float16", ">f8"])
def test_numbers_of_any_kind_become_floats_by_rows(kind: str) -> None:
    columns = np.asfortranarray(np.array([[1, 0], [1, 1]]).astype(kind))
    floats = as_floats(columns, "`states`")
    assert floats.dtype == (np.float32 if kind == "float32" else np.float64)
    assert floats.flags.c_contiguous
    assert floats.tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert as_rates(columns, "`rates`").dtype == np.float64


@pytest.mark.parametrize("kind", ["complex128", "U3", "M8[s]", "V8"])
def test_values_that_are_not_real_numbers_are_refused(kind: str) -> None:
    with pytest.raises(ValueError, match=r"`rates` of here must be real numbers, but has dtype "):
        as_rates(np.zeros(2, dtype=kind), "`rates` of here")
