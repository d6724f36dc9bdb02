"""The answers of annotators to items: the table that everything about a crowd starts from."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError, InputTypeError, counted
from homeroom.crowd.answer_arrays import (
    check_choices,
    check_chosen,
    check_classes,
    check_codes,
    check_labels,
    check_times,
    check_yes,
    count_codes,
    label_codes,
    new_positions,
    repeated_rows,
)
from homeroom.tables.table import distinct

Codes: TypeAlias = npt.NDArray[np.int32]
Mask: TypeAlias = npt.NDArray[np.bool_]

SHOWN = 8
"""How many classes a summary names."""

REPEATED = "repeated answers of one annotator to one item, of which the {kept} is kept"
UNANSWERED_LABELS = "labels of items without an answer"
"""Two reasons in ``Answers.dropped``."""


@dataclass(frozen=True, eq=False, init=False)
class Answers:
    """The answers of annotators to items, and the labels that an expert gave the items.

    Answers are yes and no, or one of up to 50 classes. Read them from a file with :meth:`read`, or
    create them with :meth:`from_arrays`. An annotator answers an item at most once, and need not
    answer all items.

    Parameters
    ----------
    people, items
        The names of the annotators and items, in the order of their first appearance.
    person, item
        The annotator and the item of each answer, as positions in ``people`` and ``items``, shape
        ``(answers,)``.
    yes
        Whether the answer was the positive one, shape ``(answers,)``, where there are two answers.
    labels
        The expert's answer to each item, nan where it is not known; shape ``(items,)``. It is +1
        or -1 where there are two answers, else a position in ``classes``.
    times
        When each answer was given, shape ``(answers,)``; ``None`` if that is not known.
    dropped
        How many rows were left out, by reason.
    positive, negative
        The names of the two answers.
    notes
        Remarks on how the file was read.
    merged
        For each answer that the table has several words for: these words, with how often each
        occurs. Words for a missing answer are under ``"no answer"``.
    choices
        Instead of ``yes``: each answer as a position in ``classes``, shape ``(answers,)``.
    classes
        The names of the answers. With two, the negative one comes first.

    Examples
    --------
    >>> answers = Answers.from_arrays(
    ...     ["Ada", "Ada", "Ben"], ["moth", "wasp", "moth"], [True, False, True]
    ... )
    >>> answers
    Answers(3 answers of 2 annotators to 2 items)
    >>> answers.people, answers.items
    (('Ada', 'Ben'), ('moth', 'wasp'))
    """

    people: tuple[str, ...]
    items: tuple[str, ...]
    person: npt.NDArray[np.int32]
    item: npt.NDArray[np.int32]
    choices: npt.NDArray[np.int8]
    labels: Floats
    times: Floats | None
    dropped: Mapping[str, int]
    classes: tuple[str, ...]
    notes: tuple[str, ...]
    merged: Mapping[str, Mapping[str, int]]

    def __init__(  # noqa: PLR0917  the order of version 0.1
        self,
        people: tuple[str, ...],
        items: tuple[str, ...],
        person: npt.ArrayLike,
        item: npt.ArrayLike,
        yes: npt.ArrayLike | None = None,
        labels: npt.ArrayLike | None = None,
        times: npt.ArrayLike | None = None,
        dropped: Mapping[str, int] | None = None,
        positive: str | None = None,
        negative: str | None = None,
        notes: tuple[str, ...] = (),
        merged: Mapping[str, Mapping[str, int]] | None = None,
        *,
        choices: npt.ArrayLike | None = None,
        classes: Sequence[str] | None = None,
    ) -> None:
        named = check_classes(classes or ("no", "yes"))
        if len(named) == 2:
            named = (negative or named[0], positive or named[1])
        if yes is not None:
            choices = check_yes(yes).view(np.int8)
        given = check_choices(choices, len(named))
        if labels is None:
            labels = np.full(len(items), np.nan)
        values = {
            "people": people,
            "items": items,
            "person": _arrays.freeze(check_codes(person, "person", len(given), len(people))),
            "item": _arrays.freeze(check_codes(item, "item", len(given), len(items))),
            "choices": _arrays.freeze(given),
            "labels": _arrays.freeze(check_labels(labels, len(items), len(named))),
            "times": None if times is None else _arrays.freeze(check_times(times, len(given))),
            "dropped": dict(dropped or {}),
            "classes": named,
            "notes": notes,
            "merged": merged or {},
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def yes(self) -> npt.NDArray[np.bool_]:
        """Whether each answer was the positive one; refused if there are more than two answers."""
        if len(self.classes) > 2:
            raise InputError(
                f"These answers are one of {len(self.classes)} classes, not yes or no: use "
                "`choices`, the position of each answer in `classes`."
            )
        return self.choices.view(np.bool_)

    @property
    def positive(self) -> str:
        """The name of the positive answer, where there are two."""
        return self.classes[-1]

    @property
    def negative(self) -> str:
        """The name of the negative answer, where there are two."""
        return self.classes[0]

    @property
    def experts(self) -> Ints:
        """The expert's answer to each item as a position in ``classes``; -1 if it is not known."""
        return label_codes(self.labels, len(self.classes))

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
        encoding: str | None = None,
        quotes: bool = True,
        workflow: str | None = None,
        task: str | None = None,
        sheet: str | None = None,
        as_read: bool = False,
    ) -> Answers:
        """Read answers from a file; columns may have the names that other tools use.

        Parameters
        ----------
        path
            A table with one row per answer, or one row per annotator, or an export of Zooniverse,
            Label Studio, Mechanical Turk or a form: ``.csv``, ``.tsv``, ``.txt``, ``.json``,
            ``.jsonl``, ``.xlsx``, ``.ods`` or ``.parquet``.
        columns
            The names of the columns in this file, as in ``{"student": "Pupil", "item": "Q"}``; the
            parts are ``student``, ``item``, ``answer`` (or ``correct``), ``time``, ``label``.
        labels
            A separate file with the expert's label of each item: a table, ``.json`` or ``.yaml``.
        positive
            Which answer counts as yes; needed if there are two and they do not show it. Its
            synonyms count as yes as well (with ``"yes"`` also true, 1 and y), all other answers as
            no. Without it, three or more different answers are read as classes.
        missing
            More words that count as no answer, besides blanks, ``NA``, ``?`` and the like. Each
            must occur in the table.
        positive_labels
            The expert's labels that mean yes, if they differ from the words for answers.
        keep
            Which of several answers of an annotator to an item counts, ``"last"`` or ``"first"``.
            By default the last, but the first in a table that counts attempts (DataShop's).
        encoding
            The encoding of the file. By default UTF-8, or else that of Western Windows.
        quotes
            Whether cells may be enclosed in quotation marks, as in ``"a, b"``. If not, quotation
            marks are ordinary characters, in the file of labels too.
        workflow, task
            Which workflow (Zooniverse) and which task an export is about, if it has several.
        sheet
            Which sheet of a spreadsheet, if several have cells.
        as_read
            Whether to accept a table that may not be what it was read as, such as one with a second
            header, an answer that occurs once, or an annotator whose answers no other gave.

        Raises
        ------
        ValueError
            If the file is not a table of answers: what was expected, what was found, what to do.
            If there are signs that it was not read as it is meant, unless ``as_read`` is set.
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
            encoding=encoding,
            quotes=quotes,
            workflow=workflow,
            task=task,
            sheet=sheet,
            as_read=as_read,
        )

    @classmethod
    def from_arrays(
        cls,
        person: Sequence[Hashable] | npt.NDArray[np.generic],
        item: Sequence[Hashable] | npt.NDArray[np.generic],
        yes: npt.ArrayLike,
        *,
        labels: Mapping[Any, Any] | None = None,
        times: npt.ArrayLike | None = None,
        positive: str = "yes",
        negative: str = "no",
    ) -> Answers:
        """Create answers from three lists of equal length: annotators, items, answers.

        Parameters
        ----------
        person, item
            Names or numbers.
        yes
            Whether the answer was the positive one. Or the answers as words, of which there may be
            more than two.
        labels
            The expert's answers by item: +1 or -1, or where answers are words, such words.
        times
            When each answer was given; of two answers to an item, the later counts.
        positive, negative
            The names of the two answers.

        Examples
        --------
        >>> Answers.from_arrays([7, 7], ["moth", "wasp"], [1, 0], labels={"moth": 1}).labels
        array([ 1., nan])
        >>> Answers.from_arrays([7, 7, 8], list("aba"), ["owl", "kite", "gull"]).classes
        ('gull', 'kite', 'owl')
        """
        people, whose = _named(person, "person")
        items, which = _named(item, "item")
        given = np.asarray(yes)
        if not len(whose) == len(which) == len(given):
            raise InputError(
                "`person`, `item` and `yes` must be equally long, but have "
                f"{len(whose)}, {len(which)} and {len(given)} entries."
            )
        known = {str(name): label for name, label in (labels or {}).items()}
        classes: Sequence[str] = (negative, positive)
        if given.dtype.kind in "UO":
            given, classes, known = _coded_words(given, known)
        else:
            given = check_yes(given)
        answers = cls(
            people,
            items,
            whose,
            which,
            labels=np.array([float(known.get(name, np.nan)) for name in items]),
            times=None if times is None else np.asarray(times, dtype=np.float64),
            choices=given.astype(np.int8),
            classes=classes,
        )
        unanswered = len(known.keys() - set(items))
        return answers.without_repeats().noting({UNANSWERED_LABELS: unanswered})

    def __len__(self) -> int:
        return len(self.choices)

    def subset(
        self, people: npt.ArrayLike | None = None, items: npt.ArrayLike | None = None
    ) -> Answers:
        """Return the answers of these annotators to these items (positions, counted from 0).

        Both keep the given order. An item stays even if none of these annotators answered it.

        >>> answers = Answers.from_arrays(["Ada", "Ben"], ["moth", "wasp"], [True, False])
        >>> answers.subset(people=[1])
        Answers(1 answer of 1 annotator to 2 items)
        """
        of_people = check_chosen(people, "people", len(self.people))
        of_items = check_chosen(items, "items", len(self.items))
        new_person = new_positions(of_people, len(self.people))
        new_item = new_positions(of_items, len(self.items))
        keep = (new_person[self.person] >= 0) & (new_item[self.item] >= 0)
        return replace(
            self,
            people=tuple(self.people[one] for one in of_people.tolist()),
            items=tuple(self.items[one] for one in of_items.tolist()),
            person=new_person[self.person[keep]],
            item=new_item[self.item[keep]],
            choices=self.choices[keep],
            labels=self.labels[of_items],
            times=None if self.times is None else self.times[keep],
        )

    def without_repeats(self, keep: str = "last") -> Answers:
        """Return one answer per annotator and item: the last (or first) by time, or else by row."""
        check_keep(keep)
        first = keep == "first"
        replaced = repeated_rows(self.person, self.item, self.times, keep_first=first)
        if not len(replaced):
            return self
        kept = np.ones(len(self), dtype=np.bool_)
        kept[replaced] = False
        return replace(
            self,
            person=self.person[kept],
            item=self.item[kept],
            choices=self.choices[kept],
            times=None if self.times is None else self.times[kept],
            dropped={**self.dropped, REPEATED.format(kept=keep): len(replaced)},
        )

    def noting(self, dropped: Mapping[str, int]) -> Answers:
        """Return the same answers with more entries in ``dropped``; zeros are left out."""
        more = {what: number for what, number in dropped.items() if number}
        return replace(self, dropped={**self.dropped, **more}) if more else self

    def summary(self) -> list[tuple[str, str]]:
        """Return what the table holds and what was dropped, as names and sentences.

        >>> for name, words in Answers.from_arrays([1, 2], ["moth", "moth"], [1, 0]).summary():
        ...     print(f"{name}: {words}")
        annotators: 2, with 1 answer each
        items: 1, with 2 answers each
        answers: 2 (100 % of all pairs), of which 1 'yes' and 1 'no'
        expert: no label for any item
        """
        pairs = len(self.people) * len(self.items)
        share = f"{100 * len(self) / pairs:.3g} % of all pairs" if pairs else "none"
        return [
            ("annotators", f"{len(self.people)}{_each(self.person, len(self.people))}"),
            ("items", f"{len(self.items)}{_each(self.item, len(self.items))}"),
            (
                "answers",
                f"{len(self)} ({share}), of which {self._shares(self.choices, 'and')}",
            ),
            ("expert", self._expert_in_words()),
            *(("read", note) for note in self.notes),
            *(
                ("merged", f"{_with_counts(words)} as {name!r}")
                for name, words in self.merged.items()
            ),
            *(("dropped", f"{what}: {number}") for what, number in self.dropped.items()),
        ]

    def describe(self) -> tuple[str, str, str]:
        """Return three sentences on what the table was read as: rows, answers, what is left out.

        >>> print(*Answers.from_arrays([1, 2], ["moth", "moth"], [1, 0]).describe())
        2 annotators gave 2 answers to 1 item. An answer is 'no' or 'yes'. Nothing was left out.
        """
        *classes, last = map(repr, distinct(self.classes[:SHOWN]))
        more = (
            f", or one of {len(self.classes) - SHOWN} others" if len(self.classes) > SHOWN else ""
        )
        read = f" (read: {'; '.join(self.notes)})" if self.notes else ""
        left_out = "; ".join(f"{what}: {number}" for what, number in self.dropped.items())
        return (
            f"{counted(len(self.people), 'annotator')} gave {counted(len(self), 'answer')} to "
            f"{counted(len(self.items), 'item')}{read}.",
            f"An answer is {', '.join(classes)} or {last}{more}.",
            f"Left out: {left_out}." if left_out else "Nothing was left out.",
        )

    def _expert_in_words(self) -> str:
        """Return how many items the expert gave each label, and how many have none."""
        experts = self.experts
        unknown = int((experts < 0).sum())
        if unknown == len(experts):
            return "no label for any item"
        said = self._shares(experts[experts >= 0], ",", "item")
        return f"{said}, {unknown} without a label" if unknown else said

    def _shares(self, codes: npt.NDArray[np.integer], last: str, what: str = "") -> str:
        """Return how many codes there are of each class, the positive one first.

        ``last`` joins the last two, "and" or a comma. ``what`` is a noun after the first number.
        """
        numbers = np.bincount(codes, minlength=len(self.classes)).tolist()
        pairs = list(zip(numbers, self.classes, strict=True))
        shown = pairs[::-1] if len(pairs) == 2 else pairs[:SHOWN]
        said = [f"{number} {name!r}" for number, name in shown]
        if what:
            said[0] = f"{counted(shown[0][0], what)} {shown[0][1]!r}"
        if len(pairs) > SHOWN:
            said.append(f"{sum(numbers[SHOWN:])} of {len(pairs) - SHOWN} other classes")
        joint = ", " if last == "," else f" {last} "
        return f"{', '.join(said[:-1])}{joint}{said[-1]}"

    def __repr__(self) -> str:
        annotators = counted(len(self.people), "annotator")
        items = counted(len(self.items), "item")
        return f"Answers({counted(len(self), 'answer')} of {annotators} to {items})"


def check_keep(keep: str) -> None:
    """Refuse anything but ``"last"`` and ``"first"``."""
    if keep not in ("last", "first"):
        raise InputError(f"`keep` must be 'last' or 'first' (--keep), but is {str(keep)[:40]!r}.")


def _with_counts(words: Mapping[str, int], most: int = 8) -> str:
    """Return words with how often they occur, the most frequent first."""
    often = sorted(words.items(), key=lambda pair: -pair[1])
    shown = zip(distinct([word for word, _ in often[:most]]), often, strict=False)
    said = ", ".join(f"{short!r} ({number})" for short, (_, number) in shown)
    return said if len(often) <= most else f"{said} and {len(often) - most} more words"


def _each(codes: Codes, length: int) -> str:
    """Return how many answers each of ``length`` annotators or items has, in words."""
    if not length:
        return ""
    numbers = count_codes(codes, length)
    least, most = int(numbers.min()), int(numbers.max())
    if least == most:
        return f", with {counted(most, 'answer')} each"
    return f", with {least} to {most} answers each"


def _named(
    values: Sequence[Hashable] | npt.NDArray[np.generic], name: str
) -> tuple[tuple[str, ...], Codes]:
    """Return the different names in order of appearance, and each value's position among them."""
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    if isinstance(listed, str) or not isinstance(listed, Sequence):
        raise InputTypeError(f"`{name}` must be a list of names, one per answer.")
    places: dict[str, int] = {}
    codes = [places.setdefault(str(value), len(places)) for value in listed]
    return tuple(places), np.array(codes, dtype=np.int32)


def _coded_words(
    given: npt.NDArray[np.generic], labels: Mapping[str, Any]
) -> tuple[npt.NDArray[np.int8], tuple[str, ...], dict[str, Any]]:
    """Return the codes of answers given as words, the classes, and the labels as numbers.

    A code is a position in the classes. Labels are -1 and +1 if there are two classes, else codes.
    """
    words = [str(word) for word in given.tolist()]
    classes = check_classes(sorted({*words, *map(str, labels.values())}))
    codes = {name: code for code, name in enumerate(classes)}
    signed = (lambda code: 2.0 * code - 1.0) if len(classes) == 2 else float
    return (
        np.array([codes[word] for word in words], dtype=np.int8),
        classes,
        {item: signed(codes[str(word)]) for item, word in labels.items()},
    )
