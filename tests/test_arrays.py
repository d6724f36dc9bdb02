"""The one place that asks which library holds the students."""

from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeroom import _arrays


def test_any_library_comes_to_the_host_as_numpy() -> None:
    brought = _arrays.to_numpy(strict.asarray([1.0, 2.0], dtype=strict.float32))
    assert isinstance(brought, np.ndarray)
    assert brought.dtype == np.float32
    assert brought.tolist() == [1.0, 2.0]


def test_an_array_that_must_be_fetched_is_fetched() -> None:
    class OnTheDevice:
        def get(self) -> Any:
            return np.array([3.0])

    assert _arrays.to_numpy(OnTheDevice()).tolist() == [3.0]


def test_values_are_converted_to_the_library_and_precision_of_an_array() -> None:
    like = strict.ones(3, dtype=strict.float32)
    put = _arrays.like(np.arange(2.0), like)
    assert _arrays.namespace(put) is _arrays.namespace(like)
    assert put.dtype == strict.float32
    assert _arrays.like([1, 2], np.ones(1, dtype=np.float32)).dtype == np.float32


def test_rows_become_contiguous_and_are_copied_only_if_they_are_not() -> None:
    columns_first = np.asfortranarray(np.ones((3, 2)))
    assert _arrays.by_rows(columns_first).flags.c_contiguous
    for array in (np.ones((3, 2)), strict.ones((3, 2))):
        assert _arrays.by_rows(array) is array


def test_a_frozen_array_cannot_be_written_but_the_callers_own_can() -> None:
    mine = np.zeros(2)
    frozen = _arrays.freeze(mine)
    with pytest.raises(ValueError, match="read-only"):
        frozen[0] = 1.0
    mine[0] = 2.0
    assert frozen[0] == 2.0


@given(rows=st.integers(0, 5000), columns=st.integers(0, 3000), at_most=st.integers(1, 1 << 16))
def test_blocks_cover_every_row_once(rows: int, columns: int, at_most: int) -> None:
    """The slices, one after the other, are exactly the rows."""
    covered = [
        row
        for part in _arrays.blocks(rows, columns, at_most=at_most)
        for row in range(part.start, part.stop)
    ]
    assert covered == list(range(rows))


@pytest.mark.parametrize("students", [1, 5, 300])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_subtracting_an_outer_product_is_the_formula(students: int, order: Any, dtype: Any) -> None:
    """Rows less outer(column, row), the other rows untouched, and in place with NumPy."""
    rng = np.random.default_rng(0)
    array = np.asarray(rng.standard_normal((students + 2, 4)), dtype=dtype, order=order)
    column, row = rng.standard_normal(students).astype(dtype), np.arange(4, dtype=dtype)
    expected = array.copy()
    expected[1:-1] -= np.outer(column, row)
    assert _arrays.subtract_outer(array, slice(1, students + 1), column, row) is array
    np.testing.assert_allclose(array, expected, rtol=0, atol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize("size", [1, 2, 7, 40])
def test_the_top_eigenvector_is_that_of_a_full_decomposition(size: int) -> None:
    """W u = value u, value the largest, |u| = 1, the entry of largest magnitude positive."""
    rng = np.random.default_rng(size)
    matrix = rng.standard_normal((size, size))
    matrix = matrix + matrix.T
    before = matrix.copy()
    value, vector = _arrays.top_eigenvector(matrix)
    assert value == pytest.approx(np.linalg.eigvalsh(matrix)[-1], rel=1e-12)
    np.testing.assert_allclose(matrix @ vector, value * vector, atol=1e-12 * size)
    assert vector @ vector == pytest.approx(1.0, rel=1e-12)
    assert vector[np.abs(vector).argmax()] > 0
    np.testing.assert_array_equal(matrix, before)


def test_the_sign_is_fixed_by_the_largest_entry() -> None:
    assert _arrays.fix_sign(np.array([1.0, -3.0])).tolist() == [-1.0, 3.0]
    assert _arrays.fix_sign(np.array([-1.0, 3.0])).tolist() == [-1.0, 3.0]


@pytest.mark.parametrize("xp", [np, strict])
def test_the_signs_of_rows_are_those_of_each_vector(xp: Any) -> None:
    """Also where two entries are as large as each other, and where all are zero."""
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.integers(-2, 3, (200, 4)), np.zeros((1, 4))]).astype(float)
    found = _arrays.to_numpy(_arrays.signs(xp.asarray(rows)))
    expected = [_arrays.fix_sign(row).tolist() for row in rows]
    assert (found[:, None] * rows).tolist() == expected
    assert _arrays.signs(xp.asarray(rows[:0])).shape == (0,)


@pytest.mark.parametrize("library", ["numpy", "array_api_strict", "torch"])
def test_lengths_and_the_farthest_are_the_same_in_every_library(library: str) -> None:
    """In blocks, too: 20,000 rows are several."""
    xp = pytest.importorskip(library)
    rows, point = np.random.default_rng(0).standard_normal((20_000, 50)), np.full(50, 0.5)
    lengths = _arrays.to_numpy(_arrays.sum_squares(xp.asarray(rows)))
    np.testing.assert_allclose(lengths, (rows**2).sum(axis=1), rtol=1e-13)
    expected = np.sqrt(((rows - point) ** 2).sum(axis=1).max())
    found = _arrays.farthest(xp.asarray(rows), xp.asarray(point))
    assert found == pytest.approx(expected, rel=1e-13)
