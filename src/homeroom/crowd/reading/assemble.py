"""From what was gathered to answers: what they mean, what the expert says, what is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.crowd.answers import UNANSWERED_LABELS, Answers, Mask, how_many
from homeroom.crowd.reading.codes import Meaning
from homeroom.crowd.reading.experts import meaning_yes, one_label_each, signs
from homeroom.crowd.reading.gather import Gathered, Taken
from homeroom.crowd.reading.source import AbstractSource, shown

NO_ANSWER = "rows without an answer (blank, NA, ? and the like)"
NO_STUDENT = "rows without a student"
NO_ITEM = "rows without an item"
NO_LABEL = "right or wrong answers to items without an expert's label"
UNREAD_TIMES = "times that could not be read (the answers are kept)"
SILENT_PEOPLE = "people who answered nothing"
SILENT_ITEMS = "items that nobody answered"


def assembled(
    source: AbstractSource,
    gathered: Gathered,
    meant: Meaning,
    told: Mapping[str, str] | None,
    positive_labels: Sequence[str] | None,
    *,
    keep: str = "last",
) -> Answers:
    """Return the answers that a table holds.

    ``told`` are the expert's labels from a file of their own, which count instead of the table's;
    of several answers of one person to one item the last is kept, or the first.
    """
    labels, more = _labels(source, gathered, meant, told, positive_labels)
    taken = gathered.take()
    given = _decoded(gathered, taken, meant)
    counts = how_many(taken.value.astype(np.int32), len(gathered.values)).tolist()
    lacking, dropped = _lacking(gathered, taken, given)
    answers = Answers(
        tuple(gathered.people),
        tuple(gathered.items),
        _without(taken.person, lacking),
        _without(taken.item, lacking),
        _without(given, lacking) == 1,
        labels,
        _times(taken, lacking),
        dropped={**source.dropped, **dropped},
        positive=meant.positive,
        negative=meant.negative,
        notes=tuple(source.notes),
        merged=meant.merged(dict(zip(gathered.values, counts, strict=True))),
    )
    del taken, given, lacking
    if meant.right_or_wrong and np.isfinite(labels).any():
        answers = _what_was_answered(answers)
    answers = answers.without_repeats(keep)
    return _heard_of(answers).noting(more)


def _decoded(gathered: Gathered, taken: Taken, meant: Meaning) -> npt.NDArray[np.int8]:
    """Return each answer as 1 for yes, 0 for no, -1 for none."""
    yes_of = [meant.yes[text] for text in gathered.values]
    code = np.array([-1 if yes is None else int(yes) for yes in yes_of], dtype=np.int8)
    return code[taken.value]


def _lacking(
    gathered: Gathered, taken: Taken, given: npt.NDArray[np.int8]
) -> tuple[Mask | None, dict[str, int]]:
    """Return which rows lack something, if any, and how many there are by what they lack."""
    lacking: Mask | None = None
    dropped: dict[str, int] = {}
    for what, codes, missing in (
        (NO_STUDENT, taken.person, gathered.people.get("")),
        (NO_ITEM, taken.item, gathered.items.get("")),
        (NO_ANSWER, given, -1),
    ):
        lacks = codes == missing if missing is not None else None
        if lacks is not None and lacks.any():
            lacking = lacks if lacking is None else lacking | lacks
            dropped[what] = int(lacking.sum()) - sum(dropped.values())
    if gathered.unread_times:
        dropped[UNREAD_TIMES] = gathered.unread_times
    return lacking, {what: number for what, number in dropped.items() if number}


def _without(values: npt.NDArray[Any], lacking: Mask | None) -> npt.NDArray[Any]:
    return values if lacking is None else values[~lacking]


def _times(taken: Taken, lacking: Mask | None) -> Floats | None:
    if taken.times is None or not np.isfinite(taken.times).any():
        return None
    return _without(taken.times, lacking)


def _labels(
    source: AbstractSource,
    gathered: Gathered,
    meant: Meaning,
    told: Mapping[str, str] | None,
    positive_labels: Sequence[str] | None,
) -> tuple[Floats, dict[str, int]]:
    """Return the expert's label of each item, and how many labels belong to no item."""
    items = list(gathered.items)
    texts = told
    if texts is None:
        texts = one_label_each(source.path, items, gathered.experts, meant.gaps)
    ours = {item: text for item, text in texts.items() if item in gathered.items}
    if texts and not ours:
        raise InputError(
            f"The expert's labels are of items such as {shown(list(texts), 3)}, none of which is "
            f"in {source.path}, where they are called {shown(items, 3)}: use the same names."
        )
    told_yes = None if positive_labels is None else meaning_yes(texts, positive_labels)
    known = signs(ours, meant, told_yes)
    labels = np.array([known.get(item, np.nan) for item in items])
    return labels, {UNANSWERED_LABELS: len(texts) - len(ours)}


def _what_was_answered(answers: Answers) -> Answers:
    """Return what was answered, where the table says whether it was right and the expert what is.

    Right and yes is the expert's yes, wrong and yes the expert's no.
    """
    expert = answers.labels[answers.item]
    known = np.isfinite(expert)
    answered = replace(
        answers,
        person=answers.person[known],
        item=answers.item[known],
        yes=(answers.yes == (expert > 0))[known],
        times=None if answers.times is None else answers.times[known],
        positive="yes",
        negative="no",
    )
    return answered.noting({NO_LABEL: int((~known).sum())})


def _heard_of(answers: Answers) -> Answers:
    """Return the answers without the people and items of which nothing is left to say."""
    people = how_many(answers.person, len(answers.people)) > 0
    items = how_many(answers.item, len(answers.items)) > 0
    if people.all() and items.all():
        return answers
    silent = {
        SILENT_PEOPLE: sum(1 for at in np.flatnonzero(~people) if answers.people[at]),
        SILENT_ITEMS: sum(1 for at in np.flatnonzero(~items) if answers.items[at]),
    }
    return answers.subset(np.flatnonzero(people), np.flatnonzero(items)).noting(silent)
