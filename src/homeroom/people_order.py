"""The order in which items are shown to people: which item comes next.

Without a map it is the item that helps most. On a map it is coverage order: classes (right answers)
take turns, and within a class it is facility location: the most typical item first, then those
unlike what was shown. On simulated classes with other laws of learning than ours, coverage order
teaches faster than random order (``python -m benchmarks people-orders``). In both, new items come
before repetitions, and items that all students know are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints

KNOWN = 0.95
"""An item is known if every student's chance of a right answer is above this."""

MISSED = 0.8
"""A student is expected to get an item wrong if their chance is below this."""

PAUSE = 5
"""The default number of rounds before an item is repeated, if there are enough items."""

REPRESENTED = 0.9
"""How well an item that was shown represents one that is equal to it. Below 1, so that parts of a
class with many items are shown more than once."""

MOST = 2**24
"""The largest number of similarities that are kept. In larger pools, evenly spaced items stand for
all items of a class."""


def pause_for(items: int) -> int:
    """Return the default number of other items that people are shown before one is repeated."""
    return min(PAUSE, items // 2)


class ItemChances(NamedTuple):
    """The students' chances of a right answer to each item, each of shape ``(items,)``."""

    lowest: Floats
    mean: Floats

    @classmethod
    def of(cls, right: Floats) -> ItemChances:
        """Return them from the chance of each student, shape ``(students, items)``."""
        return cls(right.min(axis=0), right.mean(axis=0))


def choose_for_people(
    items: Ints,
    chances: ItemChances,
    helps: Callable[[Ints], Floats],
    coverage: Coverage | None,
    shown: Sequence[int],
    *,
    repeat_after: int | None = None,
    negligible: float = 0.0,
) -> int | None:
    """Return the position of the item to show to people next, or ``None`` if none helps.

    An item is left out if it was among the last ``repeat_after`` shown; if all students are
    expected to know it while another item is not known; and if it was shown before while a new item
    exists that some student is expected to get wrong. A rule that would leave nothing is skipped.

    Of the others it is the one that helps most; on a map, of the class whose turn it is, the one
    that makes those shown most representative. Of equals, up to rounding, it is the one that is
    known least. If all are known, it is the one that is known least, and of several the best.

    Parameters
    ----------
    items
        The numbers of the items that may be chosen, in ascending order, shape ``(items,)``.
    chances
        The students' chances of a right answer to each of them.
    helps
        Returns how much each of them helps, shape ``(items,)``; called only without a map.
    coverage
        How similar items on a map are; ``None`` for facts, and for lists without a map.
    shown
        The numbers of the items shown so far, in order.
    repeat_after
        How many other items are shown before one is repeated; by default :func:`pause_for`.
    negligible
        An item does not help if it helps less than this fraction of the most helpful one.

    Examples
    --------
    >>> chances = ItemChances.of(np.array([[0.99, 0.5, 0.7, 0.6]]))
    >>> helps = lambda items: np.array([4.0, 3.0, 2.0, 1.0])
    >>> choose_for_people(np.arange(4), chances, helps, None, [1])  # 0 is known, 1 was just shown
    2
    >>> coverage = Coverage.of(np.array([[0.0], [1.0], [2.0], [6.0], [7.0]]), [1, 1, 1, 2, 2])
    >>> unknown = ItemChances.of(np.full((1, 5), 0.5))
    >>> choose_for_people(np.arange(5), unknown, helps, coverage, [])  # typical of class 1
    1
    >>> choose_for_people(np.arange(5), unknown, helps, coverage, [1, 3])  # class 1 again
    0
    """
    row_of = {number: row for row, number in enumerate(items.tolist())}
    before = [row_of[number] for number in shown if number in row_of]
    pause = pause_for(len(items)) if repeat_after is None else repeat_after
    allowed = ~_find_recent(len(items), before, pause)
    if coverage is None:
        allowed = _prefer_new(allowed, chances.lowest, before)
    choice = allowed & (chances.lowest <= KNOWN)
    all_known = not choice.any()
    if all_known:  # then the least known
        choice = allowed & (chances.mean <= chances.mean[allowed].min() + 1e-9)
    elif coverage is not None:
        choice[choice] = coverage.in_turn(items[choice], shown)
        choice = _prefer_new(choice, chances.lowest, before)
    rows: Ints = np.flatnonzero(choice)
    if coverage is None:
        values = helps(items)
        best = _find_best(rows, values[rows], chances.mean)
        return best if values[best] > negligible * values.max() else None
    if all_known:
        return int(rows[0])
    return _find_best(rows, coverage.values(items[rows], shown), chances.mean)


def _find_recent(items: int, shown: Sequence[int], pause: int) -> npt.NDArray[np.bool_]:
    """Return which items are among the last ones shown; never all of them."""
    recent = np.zeros(items, dtype=bool)
    for item in shown[: -pause - 1 : -1]:
        recent[item] = True
        if recent.all():  # a pause of all items: only the one that was shown longest ago is left
            recent[item] = False
            break
    return recent


def _prefer_new(
    allowed: npt.NDArray[np.bool_], lowest: Floats, shown: Sequence[int]
) -> npt.NDArray[np.bool_]:
    """Return the allowed items that are new, if a student is expected to get one of them wrong."""
    new = allowed.copy()
    new[np.asarray(shown, dtype=np.int64)] = False
    return new if (new & (lowest < MISSED)).any() else allowed


def _find_best(rows: Ints, values: Floats, mean_chances: Floats) -> int:
    """Return the row with the largest value; of equals, up to rounding, the least known one."""
    most = values.max()
    rows = rows[values >= most - 1e-9 * abs(most)]
    mean = mean_chances[rows]
    return int(rows[(mean <= mean.min() + 1e-9).argmax()])


@dataclass(frozen=True, eq=False)
class Coverage:
    """How similar the items of each class are to each other.

    The similarity of two items is ``exp(-(distance / median)^2)``. The distance is the sum of
    absolute differences, each feature relative to its standard deviation; ``median`` is that of the
    class. The items shown represent an item by ``1 - prod(1 - 0.9 similarity)``.

    Parameters
    ----------
    classes
        The class of each item, counted from 0, shape ``(items,)``.
    position
        The position of each item among those of its class, shape ``(items,)``.
    similar
        For each class, the similarity of the items to be represented to all items of the class.

    Examples
    --------
    >>> coverage = Coverage.of(np.array([[0.0], [1.0], [2.0], [9.0], [7.0]]), [1, 1, 1, 1, 2])
    >>> coverage.in_turn(np.arange(5), [])  # class 1 begins
    array([ True,  True,  True,  True, False])
    >>> coverage.values(np.arange(4), []).argmax(), coverage.values(np.arange(4), [1]).argmax()
    (np.int64(1), np.int64(3))
    """

    classes: Ints
    position: Ints
    similar: tuple[Floats, ...]

    @classmethod
    def of(cls, features: Floats, answers: Sequence[int] | Floats | Ints) -> Coverage:
        """Return the coverage of items with these features and right answers.

        ``features`` has shape ``(items, dimensions)``. Cost: O(items^2 * dimensions), once.
        """
        names, classes = np.unique(np.asarray(answers), return_inverse=True)
        spread = features.std(axis=0)
        differs = spread > 1e-9 * np.abs(features).max(axis=0)
        places = features[:, differs] / spread[differs]
        position = np.zeros(len(places), dtype=np.int64)
        similar = []
        for number in range(len(names)):
            members = np.flatnonzero(classes == number)
            position[members] = np.arange(len(members))
            similar.append(_similarities(places[members], MOST // max(1, len(places))))
        return cls(classes.astype(np.int64), position, tuple(similar))

    def in_turn(self, items: Ints, shown: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Return which of some items are of the class that was shown longest ago.

        Classes that were not shown yet come first, in their order. ``shown`` are items in order.
        """
        last = {int(self.classes[item]): round_ for round_, item in enumerate(shown)}
        classes = self.classes[items]
        turn = min(np.unique(classes).tolist(), key=lambda number: last.get(number, -1))
        return np.asarray(classes == turn)

    def values(self, items: Ints, shown: Sequence[int]) -> Floats:
        """Return how well the items shown would represent the class of each of some items.

        It is the mean, over all items of the class, of how well those ``shown`` and the item itself
        represent them, shape ``(items,)``. Cost: O(items^2).
        """
        values = np.zeros(len(items))
        for number, similar in enumerate(self.similar):
            rows = np.flatnonzero(self.classes[items] == number)
            seen = [self.position[item] for item in shown if self.classes[item] == number]
            missing = np.prod(1.0 - REPRESENTED * similar[:, seen], axis=1)
            tried = 1.0 - REPRESENTED * similar[:, self.position[items[rows]]]
            values[rows] = 1.0 - missing @ tried / len(similar)
        return values

    def why(self, item: int, shown: Sequence[int]) -> str:
        """Return why an item is shown: ``"typical"``, ``"represents"``, or ``""``.

        It is typical of its class if none of the class was shown yet. Otherwise it represents the
        part of the class that was not shown; empty if the item itself was shown.
        """
        if not any(self.classes[other] == self.classes[item] for other in shown):
            return "typical"
        return "" if item in shown else "represents"


def _similarities(places: Floats, most_rows: int) -> Floats:
    """Return the similarity of items, or of evenly spaced ones of them, to each of the items."""
    rows = np.linspace(0, len(places) - 1, max(1, min(len(places), most_rows))).astype(np.int64)
    if not places.shape[1]:
        return np.ones((len(rows), len(places)))
    distance: Floats = np.zeros((len(rows), len(places)))
    for feature in places.T:
        distance += np.abs(feature[rows, None] - feature)
    median = float(np.median(distance)) or float(distance.mean()) or 1.0
    similar: Floats = np.exp(-((distance / median) ** 2))
    return similar
