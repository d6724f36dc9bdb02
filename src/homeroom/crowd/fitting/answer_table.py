"""The answers sorted by annotator, in blocks that fit the cache, and sums over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy  # its parts are imported when they are first used

from homeroom._arrays import Floats, Ints
from homeroom.crowd.answers import Answers

BLOCK = 1 << 16
"""How many answers are processed at a time, so that their data stay in a core's cache."""


@dataclass(frozen=True, eq=False)
class AnswerBlock:
    """The answers of consecutive annotators, sorted by annotator.

    Parameters
    ----------
    rows
        The positions of these annotators among all.
    person, item, choice
        The annotator of each answer, counted from ``rows.start``, its item, and its class.
    first
        Where the answers of each annotator begin, and the end; shape ``(annotators + 1,)``.
    items
        The number of all items.
    """

    rows: slice
    person: Ints
    item: Ints
    choice: npt.NDArray[np.int8]
    first: Ints
    items: int

    @cached_property
    def signs(self) -> Floats:
        """+1 for yes and -1 for no, where there are two classes."""
        return np.where(self.choice, 1.0, -1.0)

    def products(self, people: Floats, items: Floats) -> Floats:
        """Return the inner product of the annotator's row with the item's, for each answer.

        ``people`` has a row per annotator of the block, and ``items`` one per item. It is computed
        column by column: with two or three columns this is five times as fast as row by row.
        """
        total = np.zeros(len(self.item))
        for of_people, of_items in zip(people.T, items.T, strict=True):
            total += of_people.take(self.person) * of_items.take(self.item)
        return total

    def sums(self, values: Floats) -> AnswerSums:
        """Return an object that sums these values, one per answer, by annotator or by item."""
        shape = (len(self.first) - 1, self.items)
        return AnswerSums(scipy.sparse.csr_array((values, self.item, self.first), shape=shape))

    def item_sums(self, values: Sequence[Floats]) -> Floats:
        """Return the sums for each item, shape ``(items, columns)``.

        ``values`` is a list of columns with one value per answer.
        """
        sums = [np.bincount(self.item, column, minlength=self.items) for column in values]
        return np.column_stack(sums) if sums else np.zeros((self.items, 0))

    def person_sums(self, values: Floats) -> Floats:
        """Return the sum of each row of ``values`` over the answers of each annotator.

        ``values`` has shape ``(rows, answers)``, the result ``(rows, annotators)``. An annotator's
        answers follow each other, so this is faster than a sparse product.
        """
        found = np.zeros((len(values), len(self.first) - 1))
        who = np.flatnonzero(np.diff(self.first))
        if len(who):
            found[:, who] = np.add.reduceat(values, self.first[who], axis=1)
        return found


class AnswerSums:
    """Sums over answers of their values, per annotator or per item.

    ``matrix`` has a row per annotator and a column per item, and holds the value of each answer.
    """

    def __init__(self, matrix: scipy.sparse.csr_array[np.float64]) -> None:
        self.matrix = matrix

    def of_people(self, item_rows: Floats) -> Floats:
        """Return, for each annotator, the sum over their answers of ``value * item_rows[item]``.

        Shape ``(annotators, columns)``.
        """
        return np.asarray(self.matrix @ item_rows)

    def of_items(self, person_rows: Floats) -> Floats:
        """Return, for each item, the sum over its answers of ``value * person_rows[person]``.

        Shape ``(items, columns)``.
        """
        return np.asarray(self.matrix.T @ person_rows)

    def person_totals(self) -> Floats:
        """Return, for each annotator, the sum of the values of their answers."""
        return np.asarray(self.matrix.sum(axis=1))


@dataclass(frozen=True, eq=False)
class AnswerTable:
    """Answers sorted by annotator.

    ``people``, ``items`` and ``classes`` count the annotators, items and classes. ``person``,
    ``item`` and ``choice`` have one entry per answer: the positions of its annotator, item and
    class.
    """

    people: int
    items: int
    person: npt.NDArray[np.int32]
    item: npt.NDArray[np.int32]
    choice: npt.NDArray[np.int8]
    classes: int = 2

    @classmethod
    def of(cls, answers: Answers, keep: npt.NDArray[np.bool_] | None = None) -> AnswerTable:
        """Return all answers, or those to keep."""
        rows = slice(None) if keep is None else keep
        return cls.sort(
            len(answers.people),
            len(answers.items),
            answers.person[rows],
            answers.item[rows],
            answers.choices[rows],
            classes=len(answers.classes),
        )

    @classmethod
    def sort(
        cls,
        people: int,
        items: int,
        person: npt.NDArray[np.integer],
        item: npt.NDArray[np.integer],
        choice: npt.NDArray[np.bool_ | np.integer],
        *,
        classes: int = 2,
    ) -> AnswerTable:
        """Return the answers sorted by annotator, and then by item."""
        order = np.lexsort((item, person))
        return cls(
            people,
            items,
            person[order].astype(np.int32, copy=False),
            item[order].astype(np.int32, copy=False),
            choice[order].astype(np.int8, copy=False),
            classes,
        )

    def __len__(self) -> int:
        return len(self.choice)

    @property
    def signs(self) -> Floats:
        """+1 for yes and -1 for no, where there are two classes."""
        return np.where(self.choice, 1.0, -1.0)

    @cached_property
    def first(self) -> Ints:
        """Where the answers of each annotator begin, and the end; shape ``(people + 1,)``."""
        counts = np.bincount(self.person, minlength=self.people)
        return np.concatenate([[0], np.cumsum(counts)])

    @cached_property
    def blocks(self) -> list[AnswerBlock]:
        """The table in blocks of about ``BLOCK`` answers, or fewer with many classes.

        No annotator is split.
        """
        return [self._block(rows) for rows in self._slices()]

    def _slices(self) -> Iterator[slice]:
        """Yield the annotators of each block."""
        start, size = 0, 2 * BLOCK // self.classes
        while start < self.people:
            end = int(np.searchsorted(self.first, self.first[start] + size, side="right")) - 1
            end = min(max(end, start + 1), self.people)
            yield slice(start, end)
            start = end

    def _block(self, rows: slice) -> AnswerBlock:
        """Return the answers of these annotators."""
        begin, end = self.first[rows.start], self.first[rows.stop]
        return AnswerBlock(
            rows,
            self.person[begin:end].astype(np.int64) - rows.start,
            self.item[begin:end].astype(np.int64),
            self.choice[begin:end],
            self.first[rows.start : rows.stop + 1] - begin,
            self.items,
        )

    @cached_property
    def components(self) -> Ints:
        """The number of the connected component of each item, shape ``(items,)``.

        Two items are connected if one annotator answered both. An item without answers is a
        component by itself.
        """
        from scipy.sparse.csgraph import connected_components  # imported here: slow to import

        size = self.people + self.items
        ends = np.append(self.first, np.full(self.items, len(self)))
        ones, others = np.ones(len(self)), self.people + self.item
        ties = scipy.sparse.csr_array((ones, others, ends), shape=(size, size))
        _, component = connected_components(ties, directed=False)
        return np.asarray(component[self.people :], dtype=np.int64)

    def answers_by_person(self) -> Ints:
        """Return the number of answers of each annotator."""
        return np.diff(self.first)

    def answers_by_item(self) -> Ints:
        """Return the number of answers to each item."""
        return np.bincount(self.item, minlength=self.items)

    def choices_by_person(self) -> Ints:
        """Return how often each annotator chose each class, shape ``(people, classes)``."""
        codes = self.person.astype(np.int64) * self.classes + self.choice
        counts = np.bincount(codes, minlength=self.people * self.classes)
        return counts.reshape(self.people, self.classes)
