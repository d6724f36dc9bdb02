"""Who answered what: the table that everything about a crowd starts from."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._checks import InputError, InputTypeError
from homeroom._words import counted
from homeroom.crowd import checks
from homeroom.crowd.repeats import BLOCK, rows_to_drop

Codes: TypeAlias = npt.NDArray[np.int32]
Mask: TypeAlias = npt.NDArray[np.bool_]

MAX_BYTES = 4 << 30
"""The most memory that a table and its map may take unless told otherwise: 6 * 10^7 answers."""

REPEATED = "repeated answers of one person to one item, of which the {kept} is kept"
"""What is said of rows that were dropped because another one is about the same."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What people answered to items with two possible answers, and what experts say of the items.

    Read them from a file with :meth:`read`, or make them with :meth:`from_arrays`. Each person
    answers an item once at most; nobody needs to answer all.

    Parameters
    ----------
    people, items
        Names, in the order of their first appearance.
    person, item
        Whose answer it is and to what, as places in ``people`` and ``items``, shape ``(answers,)``.
    yes
        Whether the answer was the positive one, shape ``(answers,)``.
    labels
        The expert's answer to each item: +1, -1, or nan where it is not known; shape ``(items,)``.
    times
        When each answer was given, shape ``(answers,)``; ``None`` if that is not known.
    dropped
        What was left out and why: how many, by what they are.
    positive, negative
        How the two answers are called.
    notes
        What else there is to say of how they were read.
    merged
        The words in the table that count as the same answer, with how often each occurs: for
        each answer with several, and under ``"no answer"``.

    Examples
    --------
    >>> answers = Answers.from_arrays(
    ...     ["Ada", "Ada", "Ben"], ["moth", "wasp", "moth"], [True, False, True]
    ... )
    >>> answers
    Answers(3 answers of 2 people to 2 items)
    >>> answers.people, answers.items
    (('Ada', 'Ben'), ('moth', 'wasp'))
    """

    people: tuple[str, ...]
    items: tuple[str, ...]
    person: npt.NDArray[np.int32]
    item: npt.NDArray[np.int32]
    yes: npt.NDArray[np.bool]
    labels: Floats
    times: Floats | None = None
    dropped: Mapping[str, int] = field(default_factory=dict)
    positive: str = "yes"
    negative: str = "no"
    notes: tuple[str, ...] = ()
    merged: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rows = len(np.asarray(self.yes))
        checked = {
            "person": checks.codes(self.person, "person", rows, len(self.people)),
            "item": checks.codes(self.item, "item", rows, len(self.items)),
            "yes": checks.yes(self.yes),
            "labels": checks.labels(self.labels, len(self.items)),
            "times": None if self.times is None else checks.times(self.times, rows),
        }
        for name, array in checked.items():
            object.__setattr__(self, name, None if array is None else _arrays.frozen(array))
        object.__setattr__(self, "dropped", dict(self.dropped))

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        *,
        columns: Mapping[str, str] | None = None,
        labels: str | PathLike[str] | None = None,
        positive: str | None = None,
        missing: Sequence[str] = (),
        positive_labels: Sequence[str] | None = None,
        keep: str | None = None,
        max_bytes: int = MAX_BYTES,
        encoding: str | None = None,
        quotes: bool = True,
    ) -> Answers:
        """Read answers from a file, under the names that people and other tools use.

        Parameters
        ----------
        path
            A table with a row for each answer, or for each person: ``.csv``, ``.tsv``, ``.txt``,
            ``.jsonl`` or ``.parquet``.
        columns
            What the columns are called in this file, as in ``{"student": "Pupil", "item": "Q"}``;
            the parts are ``student``, ``item``, ``answer`` (or ``correct``), ``time``, ``label``.
        labels
            A file of its own with the expert's label of each item.
        positive
            Which answer counts as yes; needed if the answers do not show it. Its synonyms count
            as yes as well (with ``"yes"`` also true, 1 and y), all other answers as no.
        missing
            More words that count as no answer, beside blanks, ``NA``, ``?`` and the like.
        positive_labels
            Which of the expert's labels mean yes, if they are not called like the answers.
        keep
            Which of several answers of a person to an item counts, ``"last"`` or ``"first"``; if
            not given the last, but the first where a table counts attempts (DataShop's).
        max_bytes
            Refuse a file whose answers, read and put on a map, take more memory than this.
        encoding
            How the file is written; without it, UTF-8 and what Western Windows writes are tried.
        quotes
            Whether cells may stand in quotation marks, as in ``"a, b"``; if not, these are letters
            like any other, in the labels' table too.

        Raises
        ------
        ValueError
            If these cannot be answers: what was expected, what was found, and what to do.
        """
        from homeroom.crowd.reading import read

        return read(
            path,
            columns=columns,
            labels=labels,
            positive=positive,
            missing=missing,
            positive_labels=positive_labels,
            keep=keep,
            max_bytes=max_bytes,
            encoding=encoding,
            quotes=quotes,
        )

    @classmethod
    def from_arrays(
        cls,
        person: Sequence[Hashable] | npt.NDArray[np.generic],
        item: Sequence[Hashable] | npt.NDArray[np.generic],
        yes: npt.ArrayLike,
        *,
        labels: Mapping[Any, float] | None = None,
        times: npt.ArrayLike | None = None,
        positive: str = "yes",
        negative: str = "no",
    ) -> Answers:
        """Make answers of three lists of equal length: who, to what, and whether it was yes.

        Parameters
        ----------
        person, item
            Names or numbers.
        yes
            Whether the answer was the positive one.
        labels
            The expert's answers, +1 or -1, by item.
        times
            When each answer was given; of two answers of a person to an item, the later counts.
        positive, negative
            How the two answers are called.

        Examples
        --------
        >>> Answers.from_arrays([7, 7], ["moth", "wasp"], [1, 0], labels={"moth": 1}).labels
        array([ 1., nan])
        """
        people, whose = _named(person, "person")
        items, which = _named(item, "item")
        given = np.asarray(yes)
        if not len(whose) == len(which) == len(given):
            raise InputError(
                "`person`, `item` and `yes` must be equally long, but have "
                f"{len(whose)}, {len(which)} and {len(given)} entries."
            )
        known = {str(name): float(label) for name, label in (labels or {}).items()}
        answers = cls(
            people,
            items,
            whose,
            which,
            checks.yes(given),
            np.array([known.get(name, np.nan) for name in items]),
            None if times is None else np.asarray(times, dtype=np.float64),
            positive=positive,
            negative=negative,
        )
        unanswered = len(known.keys() - set(items))
        return answers.without_repeats().noting({UNANSWERED_LABELS: unanswered})

    def __len__(self) -> int:
        return len(self.yes)

    def subset(
        self,
        people: npt.ArrayLike | None = None,
        items: npt.ArrayLike | None = None,
    ) -> Answers:
        """Return only the answers of these people to these items (places, counted from 0).

        Both keep their order, and an item stays even if none of these people answered it.

        >>> answers = Answers.from_arrays(["Ada", "Ben"], ["moth", "wasp"], [True, False])
        >>> answers.subset(people=[1])
        Answers(1 answer of 1 person to 2 items)
        """
        of_people = checks.chosen(people, "people", len(self.people))
        of_items = checks.chosen(items, "items", len(self.items))
        new_person = checks.places(of_people, len(self.people))
        new_item = checks.places(of_items, len(self.items))
        keep = (new_person[self.person] >= 0) & (new_item[self.item] >= 0)
        return replace(
            self,
            people=tuple(self.people[one] for one in of_people.tolist()),
            items=tuple(self.items[one] for one in of_items.tolist()),
            person=new_person[self.person[keep]],
            item=new_item[self.item[keep]],
            yes=self.yes[keep],
            labels=self.labels[of_items],
            times=None if self.times is None else self.times[keep],
        )

    def without_repeats(self, keep: str = "last") -> Answers:
        """Return one answer for each person and item: the last (or first) by time, else by row."""
        first = checks.which_is_kept(keep) == "first"
        replaced = rows_to_drop(self.person, self.item, self.times, keep_first=first)
        if not len(replaced):
            return self
        kept = np.ones(len(self), dtype=np.bool_)
        kept[replaced] = False
        return replace(
            self,
            person=self.person[kept],
            item=self.item[kept],
            yes=self.yes[kept],
            times=None if self.times is None else self.times[kept],
            dropped={**self.dropped, REPEATED.format(kept=keep): len(replaced)},
        )

    def noting(self, dropped: Mapping[str, int]) -> Answers:
        """Return the same answers with more to say of what was dropped; zeros say nothing."""
        more = {what: number for what, number in dropped.items() if number}
        return replace(self, dropped={**self.dropped, **more}) if more else self

    def summary(self) -> list[tuple[str, str]]:
        """Return what there is, and what was dropped and why, as names and sentences.

        >>> for name, words in Answers.from_arrays([1, 2], ["moth", "moth"], [1, 0]).summary():
        ...     print(f"{name}: {words}")
        people: 2, with 1 answer each
        items: 1, with 2 answers each
        answers: 2 (100 % of all pairs), of which 1 'yes' and 1 'no'
        expert: no label for any item
        """
        pairs = len(self.people) * len(self.items)
        positive = int(self.yes.sum())
        share = f"{100 * len(self) / pairs:.3g} % of all pairs" if pairs else "none"
        return [
            ("people", f"{len(self.people)}{_each(self.person, len(self.people))}"),
            ("items", f"{len(self.items)}{_each(self.item, len(self.items))}"),
            (
                "answers",
                f"{len(self)} ({share}), of which {positive} {self.positive!r} "
                f"and {len(self) - positive} {self.negative!r}",
            ),
            ("expert", self._expert_in_words()),
            *(("read", note) for note in self.notes),
            *(
                ("merged", f"{_with_counts(words)} as {name!r}")
                for name, words in self.merged.items()
            ),
            *(("dropped", f"{what}: {number}") for what, number in self.dropped.items()),
        ]

    def _expert_in_words(self) -> str:
        known = int(np.isfinite(self.labels).sum())
        if not known:
            return "no label for any item"
        positive = int((self.labels > 0).sum())
        said = (
            f"{counted(positive, 'item')} {self.positive!r}, {known - positive} {self.negative!r}"
        )
        unknown = len(self.items) - known
        return f"{said}, {unknown} without a label" if unknown else said

    def __repr__(self) -> str:
        people = counted(len(self.people), "person", "people")
        size = f"{counted(len(self), 'answer')} of {people} to {counted(len(self.items), 'item')}"
        return f"Answers({size})"


UNANSWERED_LABELS = "labels of items that nobody answered"


def how_many(codes: Codes, length: int) -> npt.NDArray[np.int64]:
    """Return how often each number from 0 occurs, in blocks: NumPy copies what it counts.

    >>> how_many(np.array([0, 2, 2], dtype=np.int32), 4)
    array([1, 0, 2, 0])
    """
    numbers = np.zeros(length, dtype=np.int64)
    for first in range(0, len(codes), BLOCK):
        numbers += np.bincount(codes[first : first + BLOCK], minlength=length)
    return numbers


def _with_counts(words: Mapping[str, int], most: int = 8) -> str:
    """Return words with how often they occur, the most frequent first."""
    often = sorted(words.items(), key=lambda pair: -pair[1])
    said = ", ".join(f"{word[:30]!r} ({number})" for word, number in often[:most])
    return said if len(often) <= most else f"{said} and {len(often) - most} more words"


def _each(codes: Codes, length: int) -> str:
    if not length:
        return ""
    numbers = how_many(codes, length)
    least, most = int(numbers.min()), int(numbers.max())
    if least == most:
        return f", with {counted(most, 'answer')} each"
    return f", with {least} to {most} answers each"


def _named(
    values: Sequence[Hashable] | npt.NDArray[np.generic], name: str
) -> tuple[tuple[str, ...], Codes]:
    """Return the different names in order of appearance, and each value's place among them."""
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    if isinstance(listed, str) or not isinstance(listed, Sequence):
        raise InputTypeError(f"`{name}` must be a list of names, one for each answer.")
    places: dict[str, int] = {}
    codes = [places.setdefault(str(value), len(places)) for value in listed]
    return tuple(places), np.array(codes, dtype=np.int32)
