"""Which items may be shown to people now: no item again too soon, and none that all know."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints

KNOWN = 0.95
"""An item is known if every student's chance of a right answer is above this."""

MISSED = 0.8
"""A student is expected to get an item wrong if their chance is below this."""

PAUSE = 5
"""The default number of rounds before an item is repeated, if there are enough items."""


def pause_for(items: int) -> int:
    """Return how many other items people are shown before one is repeated, by default."""
    return min(PAUSE, items // 2)


def may_be_shown(
    right: Floats, shown: Sequence[int], *, repeat_after: int
) -> npt.NDArray[np.bool_]:
    """Return which items may be shown next, shape ``(items,)``.

    An item is left out if it was among the last ``repeat_after`` shown; if it was shown before
    while a new item exists that some student is expected to get wrong; and if all students are
    expected to know it while another item is not known. A rule that would leave nothing is skipped;
    if all items are among the last ones, the one that was shown longest ago may be shown.

    Parameters
    ----------
    right
        Each student's chance of a right answer, shape ``(students, items)``.
    shown
        The items shown so far, in order.
    repeat_after
        How many other items are shown before one is repeated.

    Examples
    --------
    >>> right = np.array([[0.99, 0.5, 0.7, 0.6]])
    >>> may_be_shown(right, [1], repeat_after=1)  # 1 was just shown, and 0 is known
    array([False, False,  True,  True])
    """
    before = np.zeros(right.shape[1], dtype=bool)
    before[np.asarray(shown, dtype=np.int64)] = True
    recent = np.zeros_like(before)
    for item in shown[: -repeat_after - 1 : -1]:
        recent[item] = True
        if recent.all():  # a pause of all items: only the one that was shown longest ago is left
            recent[item] = False
            break
    allowed = ~recent
    lowest = right.min(axis=0)
    if (allowed & ~before & (lowest < MISSED)).any():
        allowed = _unless_empty(allowed, ~before)
    return _unless_empty(allowed, lowest <= KNOWN)


def _unless_empty(
    allowed: npt.NDArray[np.bool_], rule: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    both = allowed & rule
    return both if both.any() else allowed


def best_to_show(right: Floats, helps: Floats, shown: Sequence[int], *, repeat_after: int) -> int:
    """Return the item that helps most among those that may be shown.

    If all of them are known, it is the one that is known least, and of several the most helpful.
    Of items that help equally, up to rounding, it is the one that is known least.
    """
    allowed: Ints = np.flatnonzero(may_be_shown(right, shown, repeat_after=repeat_after))
    if (right[:, allowed] > KNOWN).all():
        average = right[:, allowed].mean(axis=0)
        allowed = allowed[average <= average.min() + 1e-9]
    most = helps[allowed].max()
    allowed = allowed[helps[allowed] >= most - 1e-9 * abs(most)]
    average = right[:, allowed].mean(axis=0)
    return int(allowed[(average <= average.min() + 1e-9).argmax()])
