"""Array operations for any library and device; no other module asks which one it is.

Students (``states``, ``rates`` and all other arrays with one row per student) stay where the caller
put them: NumPy, torch, or another library that follows the array API standard. Arrays whose size
depends only on the dimensions (an example, a moment matrix) are small, and always NumPy float64 on
the host. So teachers are written once, in plain NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from array_api_compat import (
    array_namespace,
    device,
    is_array_api_obj,
    is_cupy_array,
    is_numpy_array,
    is_torch_array,
)
from scipy.linalg import blas, lapack

Array: TypeAlias = Any
"""An array of any library that follows the array API standard."""

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

BLOCK_BYTES = 1 << 20
"""How much of a large array is worked on at a time: about what stays in a core's cache.

Measured on a round of 10^5 students: blocks of 1/4, 1/2, 1 and 2 MiB take 1.23, 1.06, 1.00 and 0.98
of the time; above 1 MiB BLAS may wake a second thread for each block, which costs more than it
saves.
"""

DEVICE_BLOCK_BYTES = 1 << 28
"""The same on an accelerator, where every block costs a launch."""


_OF_NUMPY = array_namespace(np.zeros(1))


def namespace(*arrays: Array) -> Any:
    """Return the array-API namespace that the arrays share."""
    return _OF_NUMPY if len(arrays) == 1 and is_numpy(arrays[0]) else array_namespace(*arrays)


def is_array(value: object) -> bool:
    """Return whether a value is an array of some library."""
    return bool(is_array_api_obj(value))


def is_numpy(array: Array) -> bool:
    """Return whether an array is NumPy's own, so that BLAS may work on it in place."""
    if type(array) is np.ndarray and array.dtype.kind == "f":  # the quick test, for every round
        return True
    return bool(is_numpy_array(array))


def to_numpy(array: Array) -> npt.NDArray[Any]:
    """Bring an array of any library to the host as NumPy."""
    if is_numpy(array):
        return np.asarray(array)
    if is_torch_array(array):
        array = array.detach().cpu()
    elif hasattr(array, "get"):  # CuPy copies to the host by get()
        array = array.get()
    return np.asarray(array)


def on_accelerator(array: Array) -> bool:
    """Return whether an array is in a GPU's memory, within reach of torch."""
    if is_torch_array(array):
        return bool(array.is_cuda)
    return bool(is_cupy_array(array)) and find_spec("torch") is not None


def as_torch(array: Array) -> Array:
    """Return the same numbers in the same memory as a torch array that tracks no gradient."""
    import torch

    return array.detach() if is_torch_array(array) else torch.from_dlpack(array)


def without_gradient(array: Array) -> Array:
    """Return the same array, detached from torch's graph of gradients if it is part of one."""
    return array.detach() if is_torch_array(array) and array.requires_grad else array


def to_host(array: Array) -> Floats:
    """Bring a small array (dimensions, not students) to the host as NumPy float64."""
    host = array if type(array) is np.ndarray else to_numpy(array)
    return np.asarray(host, dtype=np.float64)


def like(values: npt.ArrayLike, array: Array) -> Array:
    """Put NumPy values into the library, precision and device of ``array``."""
    if is_numpy(array):
        return np.asarray(values, dtype=array.dtype)
    xp = array_namespace(array)
    host = np.asarray(values)
    if not host.flags.writeable:  # torch warns of such arrays, as it would share them
        host = host.copy()
    return xp.asarray(host, dtype=array.dtype, device=device(array))


def by_rows(array: Array) -> Array:
    """Return the array with contiguous rows; a copy only if they are not contiguous."""
    return np.ascontiguousarray(array) if is_numpy(array) else array


def freeze(array: Array) -> Array:
    """Return the array, read-only if the library supports that."""
    if is_numpy(array):
        array = array.view()
        array.flags.writeable = False
    return array


def take_rows(array: Array, rows: Ints) -> Array:
    """Return the chosen rows, in the order given."""
    if is_numpy(array):
        return array[rows]
    xp = array_namespace(array)
    return xp.take(array, xp.asarray(rows, device=device(array)), axis=0)


def is_mutable(array: Array) -> bool:
    """Return whether slices of an array are views that may be changed in place."""
    return type(array) is np.ndarray or is_torch_array(array) or bool(is_cupy_array(array))


def blocks(rows: int, columns: int, *, at_most: int = BLOCK_BYTES) -> Iterator[slice]:
    """Yield slices over the rows, each about ``at_most`` bytes of float64."""
    height = max(64, at_most // (8 * max(1, columns)))
    for start in range(0, rows, height):
        yield slice(start, min(rows, start + height))


def flat(array: Array) -> Array:
    """Return the same numbers with one row per student, ``(students, numbers)``."""
    if array.ndim == 2:
        return array
    return array_namespace(array).reshape(array, (array.shape[0], -1))


def split_rows(array: Array, width: int) -> Array:
    """Return rows of several vectors as one row per vector, ``(rows * vectors, width)``."""
    if array.shape[1] == width:
        return array
    return array_namespace(array).reshape(array, (-1, width))


def for_each_vector(values: Array, vectors: int) -> Array:
    """Repeat each row's value once per vector of the row, ``(rows * vectors,)``."""
    if vectors == 1:
        return values
    xp = array_namespace(values)
    return xp.reshape(xp.broadcast_to(values[:, None], (values.shape[0], vectors)), (-1,))


def over_vectors(values: Array, vectors: int) -> Array:
    """Sum the values of each row's vectors, ``(rows,)``."""
    if vectors == 1:
        return values
    xp = array_namespace(values)
    return xp.sum(xp.reshape(values, (-1, vectors)), axis=1)


def move_gaps(gaps: Array, rates: Array, x: Array) -> Array:
    """Return the gaps after an example, ``E - rate (E x) x'``.

    Parameters
    ----------
    gaps
        Shape ``(students, outputs * dimensions)``.
    rates
        Shape ``(students,)``.
    x
        The example, shape ``(dimensions,)``.
    """
    outputs = gaps.shape[1] // x.shape[0]
    if outputs == 1:
        return gaps - (rates * (gaps @ x))[:, None] * x
    vectors = split_rows(gaps, x.shape[0])
    moves = for_each_vector(rates, outputs) * (vectors @ x)
    return flat_again(vectors - moves[:, None] * x, gaps)


def answers_of(target: Floats, xs: Floats) -> Floats:
    """Return a target's score for each example, or one score per output.

    ``target`` is one vector, or the concatenated vectors of all outputs.

    >>> answers_of(np.array([1.0, 2.0, 3.0, 4.0]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    array([[1., 3.],
           [2., 4.]])
    """
    width = xs.shape[-1]
    answers: Floats = xs @ (target if len(target) == width else target.reshape(-1, width).T)
    return answers


def flat_again(vectors: Array, like: Array) -> Array:
    """Join vectors into rows as long as those of ``like``: the inverse of :func:`split_rows`."""
    if vectors.shape[1] == like.shape[1]:
        return vectors
    return array_namespace(vectors).reshape(vectors, (-1, like.shape[1]))


def blocks_of(array: Array) -> list[slice]:
    """Return slices over an array's rows, each of the size that is fastest on its device.

    All rows are one block if the library cannot change part of an array.
    """
    rows, columns = array.shape
    if not is_mutable(array):
        return [slice(0, rows)]
    on_host = is_numpy(array) or str(device(array)) == "cpu"
    return list(blocks(rows, columns, at_most=BLOCK_BYTES if on_host else DEVICE_BLOCK_BYTES))


def sum_squares(rows: Array) -> Array:
    """Return the squared length of each row, without a temporary array of the rows' size."""
    xp = array_namespace(rows)
    # NumPy sums as it multiplies; torch and CuPy multiply first, so they get one block at a time.
    parts = [slice(None)] if is_numpy(rows) else blocks_of(rows)
    if len(parts) == 1:
        return xp.vecdot(rows, rows)
    lengths = xp.empty(rows.shape[0], dtype=rows.dtype, device=device(rows))
    for some in parts:
        lengths[some] = xp.vecdot(rows[some, :], rows[some, :])
    return lengths


def farthest(rows: Array, point: Array) -> float:
    """Return the greatest distance of a row to a point, without a temporary of the rows' size."""
    xp = array_namespace(rows)
    most = 0.0
    for some in blocks_of(rows):
        most = max(most, float(xp.max(sum_squares(rows[some, :] - point))))
    return math.sqrt(most)


def subtract(array: Array, rows: slice, change: Array) -> Array:
    """Return ``array`` minus ``change`` in some rows, in place if the library allows it.

    If it does not, ``rows`` must be all rows, as :func:`blocks_of` ensures.
    """
    if not is_mutable(array):
        return array - change
    part = array[rows]
    part -= change
    return array


def subtract_outer(array: Array, rows: slice, column: Array, row: Array) -> Array:
    """Return ``array`` minus ``outer(column, row)`` in some rows, like :func:`subtract`.

    Cost: one read and one write of these rows, no temporary. NumPy has no such function, so this
    calls the matrix product of BLAS with inner size one. It takes half the time of broadcasting,
    and unlike ``ger`` (or torch's ``addr_``) it uses one thread for a block that fits the cache.
    """
    on_host = is_numpy(array)
    if not on_host and is_torch_array(array):
        array[rows].addmm_(column[:, None], row[None, :], alpha=-1.0)
        return array
    if not (on_host and array.flags.c_contiguous):
        return subtract(array, rows, column[:, None] * row[None, :])
    multiply = blas.dgemm if array.dtype == np.float64 else blas.sgemm
    # BLAS stores matrices by columns, so C-ordered rows are passed as their transpose.
    multiply(-1.0, row[:, None], column[None, :], beta=1.0, c=array[rows].T, overwrite_c=1)
    return array


def top_eigenvector(matrix: Floats) -> tuple[float, Floats]:
    """Return the largest eigenvalue of a symmetric matrix and its unit eigenvector.

    An eigenvector's sign is arbitrary: here its largest entry is positive, so that results repeat.
    Cost: about a third of a full ``eigh`` (LAPACK ``syevr`` for one vector).
    """
    size = len(matrix)
    values, vectors, _, _, failed = lapack.dsyevr(matrix, range="I", il=size, iu=size, lower=1)
    if failed:  # pragma: no cover - LAPACK documents no input for which this happens
        all_values, all_vectors = np.linalg.eigh(matrix)
        return float(all_values[-1]), fix_sign(all_vectors[:, -1])
    return float(values[0]), fix_sign(vectors[:, 0])


def fix_sign(vector: Floats) -> Floats:
    """Return the vector or its negative, so that the entry of largest magnitude is positive.

    If several entries are equally large, the first one decides.
    """
    return -vector if vector[np.abs(vector).argmax()] < 0 else vector


def signs(rows: Array) -> Array:
    """Return +1 or -1 for each row: what :func:`fix_sign` would multiply it by.

    >>> signs(np.array([[1.0, -3.0], [1.0, 2.0], [-2.0, 2.0]]))
    array([-1.,  1., -1.])
    """
    xp = array_namespace(rows)
    highest, lowest = xp.max(rows, axis=1), -xp.min(rows, axis=1)
    before = xp.argmax(rows, axis=1) <= xp.argmin(rows, axis=1)
    ones = xp.ones_like(highest)
    return xp.where((highest > lowest) | ((highest == lowest) & before), ones, -ones)
