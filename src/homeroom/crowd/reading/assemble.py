"""Turn the rows of a table into answers: decode, add the expert's labels, drop incomplete rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.crowd.answer_arrays import count_codes
from homeroom.crowd.answers import UNANSWERED_LABELS, Answers, Mask
from homeroom.crowd.reading.gather import GatheredAnswers
from homeroom.crowd.reading.labels import canonical_labels, class_labels, one_label_each, signs
from homeroom.crowd.reading.meaning import Meaning
from homeroom.tables import Table, quoted

NO_ANSWER = "rows without an answer (blank, NA, ? and the like)"
NO_STUDENT = "rows without a student"
NO_ITEM = "rows without an item"
NO_LABEL = "right or wrong answers to items without an expert's label"
UNREAD_TIMES = "times that could not be read (the answers are kept)"
SILENT_ANNOTATORS = "annotators without an answer"
SILENT_ITEMS = "items without an answer"
"""Reasons in ``Answers.dropped``."""


def assemble(
    table: Table,
    gathered: GatheredAnswers,
    meaning: Meaning,
    own_labels: Mapping[str, str] | None,
    positive_labels: Sequence[str] | None,
    *,
    keep: str = "last",
) -> Answers:
    """Return the answers in a table; ``own_labels``, from a separate file, replace its labels."""
    labels, classes, more = _labels(table, gathered, meaning, own_labels, positive_labels)
    given = _decode(gathered, meaning, classes)
    counts = count_codes(gathered.value, len(gathered.values)).tolist()
    lacking, dropped = _find_lacking(gathered, given)
    answers = Answers(
        tuple(gathered.annotators),
        tuple(gathered.items),
        _without(gathered.person, lacking),
        _without(gathered.item, lacking),
        labels=labels,
        times=_times(gathered, lacking),
        dropped={**table.dropped, **dropped},
        notes=tuple(table.notes),
        merged=meaning.merged(dict(zip(gathered.values, counts, strict=True))),
        choices=_without(given, lacking),
        classes=classes,
    )
    if meaning.right_or_wrong and np.isfinite(labels).any():
        answers = _from_right_or_wrong(answers)
    answers = answers.without_repeats(keep)
    return _without_silent(answers).noting(more)


def _decode(
    gathered: GatheredAnswers, meaning: Meaning, classes: tuple[str, ...]
) -> npt.NDArray[np.int8]:
    """Return each answer as a position among the classes, -1 for none."""
    codes: dict[str | None, int] = {name: code for code, name in enumerate(classes)}
    code = [codes.get(meaning.named(text), -1) for text in gathered.values]
    return np.array(code, dtype=np.int8)[gathered.value]


def _find_lacking(
    gathered: GatheredAnswers, given: npt.NDArray[np.int8]
) -> tuple[Mask | None, dict[str, int]]:
    """Return which rows are incomplete, if any, and how many, by what they lack."""
    lacking: Mask | None = None
    dropped: dict[str, int] = {}
    for what, codes, missing in (
        (NO_STUDENT, gathered.person, _blank_in(gathered.annotators)),
        (NO_ITEM, gathered.item, _blank_in(gathered.items)),
        (NO_ANSWER, given, -1),
    ):
        lacks = codes == missing if missing is not None else None
        if lacks is not None and lacks.any():
            lacking = lacks if lacking is None else lacking | lacks
            dropped[what] = int(lacking.sum()) - sum(dropped.values())
    if gathered.unread_times:
        dropped[UNREAD_TIMES] = gathered.unread_times
    return lacking, {what: number for what, number in dropped.items() if number}


def _blank_in(names: Sequence[str]) -> int | None:
    return names.index("") if "" in names else None


def _without(values: npt.NDArray[Any], lacking: Mask | None) -> npt.NDArray[Any]:
    """Return the values of complete rows."""
    return values if lacking is None else values[~lacking]


def _times(gathered: GatheredAnswers, lacking: Mask | None) -> Floats | None:
    """Return the times of complete rows; ``None`` if no time could be read."""
    if gathered.times is None or not np.isfinite(gathered.times).any():
        return None
    return _without(gathered.times, lacking)


def _labels(
    table: Table,
    gathered: GatheredAnswers,
    meaning: Meaning,
    own_labels: Mapping[str, str] | None,
    positive_labels: Sequence[str] | None,
) -> tuple[Floats, tuple[str, ...], dict[str, int]]:
    """Return the expert's label of each item, the classes, and how many labels have no item."""
    items = gathered.items
    known_items, texts = set(items), own_labels
    if texts is None:
        texts = one_label_each(table.path, items, gathered.experts, meaning.gaps)
    used = {item: text for item, text in texts.items() if item in known_items}
    if texts and not used:
        raise InputError(
            f"The expert's labels are of items such as {quoted(list(texts), 3)}, but none of these "
            f"is in {table.path}, whose items are called {quoted(items, 3)}: use the same names."
        )
    mean_yes = None if positive_labels is None else canonical_labels(texts, positive_labels)
    if meaning.choices:
        if mean_yes is not None:
            raise InputError(
                f"`positive_labels` (--label-yes) is for two answers, but {table.path} has "
                f"{len(meaning.classes)} ({quoted(meaning.classes)}): leave it out, or name the "
                "answer that counts as yes (--positive)."
            )
        known, classes = class_labels(used, meaning)
    else:
        known, classes = signs(used, meaning, mean_yes), meaning.classes
    labels = np.array([known.get(item, np.nan) for item in items])
    return labels, classes, {UNANSWERED_LABELS: len(texts) - len(used)}


def _from_right_or_wrong(answers: Answers) -> Answers:
    """Return the answers as yes or no, given whether each was right, and the expert's labels."""
    expert = answers.labels[answers.item]
    known = np.isfinite(expert)
    answered = replace(
        answers,
        person=answers.person[known],
        item=answers.item[known],
        choices=(answers.yes == (expert > 0))[known].astype(np.int8),
        times=None if answers.times is None else answers.times[known],
        classes=("no", "yes"),
    )
    return answered.noting({NO_LABEL: int((~known).sum())})


def _without_silent(answers: Answers) -> Answers:
    """Return the answers without the annotators and items that have none."""
    people = count_codes(answers.person, len(answers.people)) > 0
    items = count_codes(answers.item, len(answers.items)) > 0
    if people.all() and items.all():
        return answers
    silent = {
        SILENT_ANNOTATORS: sum(1 for at in np.flatnonzero(~people) if answers.people[at]),
        SILENT_ITEMS: sum(1 for at in np.flatnonzero(~items) if answers.items[at]),
    }
    return answers.subset(np.flatnonzero(people), np.flatnonzero(items)).noting(silent)
