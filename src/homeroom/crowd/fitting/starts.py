"""Where the search for a map starts: what the answers themselves suggest, and mixtures of it.

A start must not depend on the order of people and items, or the same answers would give another
map when they are sorted in another way. So nothing here is drawn for an item or for a person:
what is drawn is how the main patterns of the whole table are mixed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

from homeroom._arrays import Floats
from homeroom.crowd.fitting.people import people_on
from homeroom.crowd.fitting.point import Point
from homeroom.crowd.fitting.posterior import Prior
from homeroom.crowd.fitting.table import Table

SPARE = 2
"""How many patterns beyond the map's dimensions the other starts are mixed from."""


def starts(
    table: Table, dimensions: int, prior: Prior, number: int, rng: np.random.Generator
) -> Iterator[Point]:
    """Yield starts, the most promising first: the main patterns, then mixtures of more of them."""
    found = patterns(table, dimensions + SPARE)
    for start in range(number):
        mix = np.eye(found.shape[1], dimensions) if start == 0 else _mix(found, dimensions, rng)
        items = _spread(found @ mix) * prior.items
        lines, _ = people_on(items, table, prior)
        yield Point(items, lines[:, :-1], lines[:, -1])


def patterns(table: Table, number: int) -> Floats:
    """Return how much each item takes part in the main patterns of agreement.

    The leading singular vectors of the answers, each person's less their mean and weighed so that
    those with many answers do not drown the rest; shape ``(items, number)``. Strong patterns are
    longer, and of each vector and its mirror image the one with a positive skew is taken.
    """
    by_person = np.maximum(table.answers_by_person(), 1)
    by_item = np.maximum(table.answers_by_item(), 1)
    means = np.bincount(table.person, table.signs, minlength=table.people) / by_person
    values = (table.signs - means[table.person]) / np.sqrt(
        by_person[table.person] * by_item[table.item]
    )
    shape = (table.people, table.items)
    matrix = csr_array((values, table.item, table.first), shape=shape)
    vectors, lengths = _leading(matrix, number)
    scaled = vectors * np.sqrt(lengths) / np.sqrt(by_item)[:, None]
    scaled *= np.where((scaled**3).sum(axis=0) < 0, -1.0, 1.0)
    wide: Floats = np.pad(scaled, ((0, 0), (0, number - scaled.shape[1])))
    return wide


def _leading(matrix: csr_array[np.float64], number: int) -> tuple[Floats, Floats]:
    """Return the leading right singular vectors as columns, and their singular values."""
    least = min(matrix.shape)
    if not matrix.count_nonzero():  # nobody tells any items apart, and Lanczos has no start
        return np.zeros((matrix.shape[1], 0)), np.zeros(0)
    if least <= 4 * number:
        _, lengths, rows = np.linalg.svd(matrix.toarray(), full_matrices=False)
        return rows[:number].T, lengths[:number]
    first = np.random.default_rng(0).standard_normal(least)  # forgotten long before the end
    _, lengths, rows = svds(matrix, k=number, v0=first)
    order = np.argsort(-lengths)
    return np.asarray(rows[order].T), np.asarray(lengths[order], dtype=np.float64)


def _mix(found: Floats, dimensions: int, rng: np.random.Generator) -> Floats:
    mix: Floats = np.linalg.qr(rng.standard_normal((found.shape[1], dimensions)))[0]
    return mix


def _spread(items: Floats) -> Floats:
    """Return the items scaled so that their mean squared coordinate is one."""
    size = np.sqrt(np.mean(items * items))
    return items / size if size > 0 else items
