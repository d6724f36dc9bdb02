"""Dask collections: data frames and arrays, a partition at a time."""

from typing import Any

import numpy as np
import pytest

from homeroom.classroom.pieces.dask_partitions import (
    array_pieces,
    frame_pieces,
    hold_frame,
)
from homeroom.classroom.tables import Place
from tests.bad_input import refuse

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

RNG = np.random.default_rng(0)
STATES, RATES = RNG.standard_normal((20, 3)), RNG.uniform(0.1, 0.5, 20)
FRAME = pd.DataFrame({"student": [f"pupil {i}" for i in range(20)], "rate": RATES})
FRAME[["w1", "w2", "w3"]] = STATES


def all_of(pieces: list[Any]) -> tuple[Any, Any, list[str]]:
    blocks = [block for piece in pieces for block in piece.blocks()]
    np.testing.assert_array_equal(
        np.concatenate([block.rates for block in blocks]),
        np.concatenate([rates for piece in pieces for rates in piece.rates()]),
    )
    names = [name for piece in pieces for some in piece.names() for name in some]
    states = np.concatenate([block.states for block in blocks])
    return states, np.concatenate([block.rates for block in blocks]), names


def test_a_data_frame_is_read_by_its_columns() -> None:
    frame = FRAME.rename(columns=str.upper).assign(note="x")[
        ["note", "W3", "W2", "W1", "RATE", "STUDENT"]
    ]
    pieces, dimensions = frame_pieces(dd.from_pandas(frame, npartitions=3), None)
    assert (len(pieces), dimensions) == (3, 3)
    states, rates, names = all_of(pieces)
    np.testing.assert_array_equal(states, STATES)
    np.testing.assert_array_equal(rates, RATES)
    assert names == FRAME["student"].tolist()


@pytest.mark.parametrize("rate", [np.nan, 0.3])
def test_the_row_of_the_target_and_empty_partitions_have_no_students(rate: float) -> None:
    target = pd.DataFrame({"student": [" Target"], "rate": [rate], "w1": [1], "w2": [1], "w3": [1]})
    frame = dd.from_pandas(pd.concat([target, FRAME]).reset_index(drop=True), npartitions=4)
    pieces, _ = frame_pieces(frame[frame["w1"] != frame["w1"].max()], None)
    states, _, names = all_of(pieces)
    assert len(states) == 19
    assert "Target" not in "".join(names)
    empty = hold_frame(
        FRAME[:0], spelt={name: name for name in FRAME}, place=Place("x"), limits=None
    )
    assert list(empty.blocks()) == []


def test_arrays_in_other_chunks_are_put_side_by_side() -> None:
    states, rates = da.from_array(STATES, chunks=(6, 2)), da.from_array(RATES, chunks=9)
    pieces, dimensions = array_pieces(states, rates, None)
    assert (len(pieces), dimensions) == (4, 3)
    found_states, found_rates, names = all_of(pieces)
    np.testing.assert_array_equal(found_states, STATES)
    np.testing.assert_array_equal(found_rates, RATES)
    assert names == []


def test_arrays_of_unknown_length_are_read_in_their_chunks() -> None:
    frame = dd.from_pandas(FRAME, npartitions=3)
    pieces, dimensions = array_pieces(frame[["w1", "w2", "w3"]].values, frame["rate"].values, None)
    assert dimensions == 3
    np.testing.assert_array_equal(all_of(pieces)[0], STATES)
    fewer = dd.from_pandas(FRAME, npartitions=2)
    refuse(
        lambda: array_pieces(frame[["w1", "w2", "w3"]].values, fewer["rate"].values, None),
        "together",
    )


@pytest.mark.parametrize(
    ("states", "rates", "sentence"),
    [
        (STATES, RATES[:19], "partitions"),
        (RATES, RATES, "dimensions"),
    ],
)  # fmt: skip
def test_arrays_that_do_not_belong_together_are_refused(
    states: Any, rates: Any, sentence: str
) -> None:
    refuse(
        lambda: array_pieces(
            da.from_array(states, chunks=10), da.from_array(rates, chunks=10), None
        ),
        sentence,
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"w2": "much"}, "'much'"),
        ({"w2": np.nan}, "Column w2"),
        ({"rate": -1.0}, "row 1"),
        ({"rate": 2.0}, "`rates`"),
    ],
)
def test_an_unreadable_value_is_reported_with_its_partition(
    changes: dict[str, Any], sentence: str
) -> None:
    frame = dd.from_pandas(FRAME.assign(**changes), npartitions=2)
    pieces, _ = frame_pieces(frame, (0.1, 0.5))
    refuse(lambda: list(pieces[0].blocks()), sentence)
