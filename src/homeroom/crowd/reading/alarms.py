"""Signs that a table was not read as it is meant: they stop the reader unless ``as_read`` is set.

A table of other programs may have a second header, a row of averages, columns about the respondents
or a flag beside the answers. Read as answers, they become annotators, items and classes, and every
result is wrong. Each check returns a sentence that names what was seen; ``docs/crowd.md`` lists the
thresholds.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.crowd.reading.gather import GatheredAnswers
from homeroom.crowd.reading.layout import (
    ANSWER,
    CORRECT,
    ITEM,
    LABEL,
    STUDENT,
    TIME,
    Layout,
    find_parts,
    names_of,
)
from homeroom.crowd.reading.meaning import NO, YES, Meaning, canonical
from homeroom.tables import Table, normalized, normalized_header, quoted
from homeroom.tables.columns import FIRST_ROWS, aliases, contents
from homeroom.tables.table import is_number, to_type
from homeroom.tables.times import is_date, times_from

Codes: TypeAlias = npt.NDArray[np.integer[Any]]

FEWEST_ANSWERS = 20
"""In a table with fewer answers, any answer may occur once, and an annotator may be alone."""

FEWEST_PEOPLE = 4
"""With fewer annotators, they may have no answer in common."""

OFTEN = 5
"""An answer that occurs once is suspicious if each of the others occurs at least this often."""

MAJORITY = 0.6
"""In a table of counts, the largest number of a row is on average a larger share of its sum."""

ZEROS = 0.25
"""In a table of counts, more cells than this share are 0."""

CLOSE = 0.8
"""How alike the letters of a misspelt answer and of the answer that was meant are, out of 1."""

TESTS = frozenset({"test", "testing", "asdf", "qwerty", "xxx", "foo", "dummy", "ignore"})
"""What people write to try out a form."""

FEWEST_LABELS = 5
"""With fewer labels, all of them may be the same."""

TOP = 3
"""How many of the first rows are compared with the others."""

FEWEST_ROWS = 3
"""How many other rows are needed for this comparison."""

WIDEST = 1000
"""How many columns are compared."""

FLAG = frozenset({"true", "false"})
FLAG_NAMES = frozenset({"gold", "golden"})
"""Columns with these names and only these words may say which items are test questions."""

IMPORT_ID = '{"ImportId"'
"""What the cells of Qualtrics' third header row begin with."""


FILE = re.compile(r"\.(jpe?g|png|gif|tiff?|bmp|webp|heic|svg|wav|mp[34]|pdf|txt)$")
"""What the names of pictures and other files end with."""


def stop(path: object, alarms: Sequence[str], *, as_read: bool) -> None:
    """Raise an error if there are alarms, unless the user has confirmed how the table is read."""
    if alarms and not as_read:
        raise InputError(
            f"{path} may not be what it was read as: {'; '.join(alarms)}. Correct the table, or if "
            "this is as it should be, add as_read=True (--as-read)."
        )


def without_summary(table: Table) -> Table:
    """Return the table without a last row that is called an average, a total or the like.

    It is left out only if its cells are unlike those of all other rows.
    """
    rows = table.first(range(min(len(table.header), WIDEST)), FIRST_ROWS)
    is_last = len(rows) == table.rows and _is_below(rows)
    if not is_last or normalized(rows[-1][0]) not in aliases("rows")["summary"]:
        return table
    note = f"the last row ({quoted(rows[-1], 2)}) is computed from the others, and was left out"
    columns = [column.slice(0, table.rows - 1) for column in table.columns]
    return replace(table, columns=columns, notes=[*table.notes, note])


def check_rows(table: Table) -> list[str]:
    """Return an alarm if the first rows or the last one are unlike the others: no answers."""
    rows = table.first(range(min(len(table.header), WIDEST)), FIRST_ROWS)
    is_all = table.rows <= FIRST_ROWS
    above = next(filter(None, (_rows_above(rows, number) for number in range(TOP, 0, -1))), [])
    below = rows[-1:] if is_all and _is_below(rows[len(above) :]) else []
    if not above and not below:
        return []
    which = " and ".join(
        [*(f"row {n + 1}" for n in range(len(above))), *["the last row"][: len(below)]]
    )
    shown = quoted(list(filter(None, (above or below)[0])), 3)
    return [f"{which} below the header ({shown}) is unlike the other rows"]


def _rows_above(rows: Sequence[Sequence[str]], number: int) -> Sequence[Sequence[str]]:
    """Return the first rows, this many, if each is unlike all others; else none."""
    first, others = rows[:number], rows[number:]
    return first if len(others) >= FEWEST_ROWS and all(map(_unlike(others), first)) else []


def _is_below(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the last row is unlike all others."""
    return len(rows) > FEWEST_ROWS and _unlike(rows[:-1])(rows[-1])


def without_headers(table: Table) -> Table:
    """Return the table without the second and third header rows of Qualtrics and SurveyMonkey."""
    names = normalized_header(table.header)
    rows = table.first(range(min(len(names), WIDEST)), TOP)
    ids = [names.index(name) for name in ("respondentid", "collectorid") if name in names]
    number = next((n + 1 for n, row in enumerate(rows) if any(map(_is_import_id, row))), 0)
    if len(ids) == 2 and max(ids) < WIDEST and rows and not any(rows[0][at] for at in ids):
        number = 1
        if not all(table.header):
            raise InputError(
                f"{table.path} is an export of SurveyMonkey with one column per choice "
                f"({quoted(list(filter(None, rows[0])), 3)}): export it in the condensed form."
            )
    if not number:
        return table
    columns = [column.slice(number) for column in table.columns]
    note = f"rows 1 to {number} below the header are headers too, and were left out"
    return replace(table, columns=columns, notes=[*table.notes, note])


def _is_import_id(cell: str) -> bool:
    return cell.startswith(IMPORT_ID)


def _unlike(others: Sequence[Sequence[str]]) -> Callable[[Sequence[str]], bool]:
    """Return a test for rows in which no cell is of the kind that all others in its column are.

    Or that have neither a name nor a date, where all others have both.

    A column holds dates, addresses, a few texts that are repeated, or else numbers. A text that is
    anywhere in the other rows fits, as the first annotator may disagree with all others on an item.
    """
    every = {text.casefold() for row in others for text in row} | YES | NO
    kinds: list[Callable[[str], bool] | None] = []
    filled: list[bool] = []
    keys: list[int] = []  # the columns of dates, and those in which all texts differ
    for column in zip(*others, strict=True):
        texts = [text.casefold() for text in column if text]
        kinds.append(None)
        filled.append(len(texts) == len(column))
        if filled[-1] and (all(map(is_date, texts[:200])) or len(set(texts)) == len(texts)):
            keys.append(len(kinds) - 1)
        if len(texts) < FEWEST_ROWS:
            continue
        if all(map(is_date, texts[:200])):
            kinds[-1] = is_date
        elif all("@" in text[1:] for text in texts):
            kinds[-1] = _is_address
        elif 3 * len(set(texts)) <= len(texts):
            kinds[-1] = every.__contains__
        elif all(map(is_number, texts)):
            kinds[-1] = is_number

    shapes = {_shape(row[0]) for row in others} - {""}

    def is_unlike(row: Sequence[str]) -> bool:
        if row[0] and _shape(row[0]) in shapes:
            return False
        fits = [
            kind(cell.casefold()) for kind, cell in zip(kinds, row, strict=True) if kind and cell
        ]
        gaps = sum(1 for cell, full in zip(row, filled, strict=True) if full and not cell)
        nameless = len(keys) > 1 and not any(row[at] for at in keys) and sum(map(bool, row)) > 1
        return nameless or (bool(fits) and not any(fits) and len(fits) + gaps > 1)

    return is_unlike


def _shape(name: str) -> str:
    """Return what names of items have in common if they are numbered, files, or questions.

    It is empty for other names, and for numbers.

    >>> _shape("Q7"), _shape("img_01.jpg"), _shape("Which is it?"), _shape("age"), _shape("7.5")
    ('q#', '.jpg', '?', '', '')
    """
    text = name.strip().casefold()
    if not any(map(str.isalpha, text)):
        return ""
    if text.endswith("?"):
        return "?"
    if ending := FILE.search(text):
        return ending[0]
    numbered = re.sub(r"[0-9]+", "#", text)
    return numbered if "#" in numbered else ""


def _is_address(text: str) -> bool:
    return "@" in text


def check_columns(table: Table, layout: Layout, *, named: Collection[str]) -> list[str]:
    """Return alarms about the columns: one used twice, or two that may hold the answer.

    ``named`` are the parts whose columns the user named.
    """
    alarms = []
    used = [at for places in layout.places.values() for at in places]
    if twice := [layout.header[at] for at in dict.fromkeys(used) if used.count(at) > 1]:
        alarms.append(f"the column {quoted(twice)} is used twice")
    if table.program is not None or ANSWER in named or ANSWER not in layout:
        return alarms
    spelt = normalized_header(layout.header)
    answer = layout.places[ANSWER][0]
    others = [
        at
        for at, name in enumerate(spelt)
        if at not in used and name in names_of(ANSWER) and spelt[answer] in names_of(ANSWER)
    ]
    for at in others if layout.is_long else ():
        both = contents(table, [answer, at])
        if both[0].cells != both[1].cells and both[1].may_be_answers:
            name = layout.header[at].strip()
            alarms.append(
                f"the columns {quoted([layout.header[answer], name])} may both hold the answers: "
                f"name one, --column answer={to_type(name)!r}"
            )
    return alarms


def without_flag(table: Table, layout: Layout) -> Layout:
    """Return the layout without labels if their column is Appen's flag of test questions.

    It is called ``_golden``, and holds true and false; a note names it.
    """
    if LABEL not in layout or normalized(layout.header[layout.places[LABEL][0]]) != "golden":
        return layout
    (look,) = contents(table, layout.places[LABEL])
    if not {canonical(text) for text in look.counts} <= YES | NO:
        return layout
    table.notes.append("'_golden' says which items are test questions, and is no expert's label")
    places = {part: at for part, at in layout.places.items() if part != LABEL}
    return replace(layout, places=places)


def check_gathered(
    table: Table,
    layout: Layout,
    gathered: GatheredAnswers,
    meaning: Meaning,
    *,
    own_labels: bool,
) -> list[str]:
    """Return the alarms about what was read, before answers are decoded and repeats are dropped.

    ``own_labels`` is whether the experts' labels are in another file, or named by the user.
    """
    alarms = [*_header_among_rows(layout, gathered), *_unsorted_dates(table, layout, gathered)]
    alarms += _summaries(layout, gathered)
    names = _names_of_values(gathered, meaning)
    if layout.is_wide:
        alarms += [*_columns_apart(layout, gathered, names), *_items_as_annotators(gathered)]
        alarms += [*_confusions(gathered), *_counts(layout, gathered)]
    if not (own_labels or meaning.right_or_wrong or table.program is not None):
        alarms += _labels(layout, gathered, meaning)
    if meaning.right_or_wrong or all(name is None or is_number(name) for name in names):
        return alarms
    return [*alarms, *_rare_answers(gathered, names), *_strangers(gathered, names)]


def _names_of_values(gathered: GatheredAnswers, meaning: Meaning) -> list[str | None]:
    """Return the answer that each text counts as; where the rest counts as no, the text itself."""
    names = []
    for text in gathered.values:
        name = meaning.named(text)
        is_rest = meaning.against_the_rest and name is not None and name != meaning.positive
        names.append(canonical(text) if is_rest else name)
    return names


def _codes(names: Sequence[str | None]) -> tuple[list[str], Ints]:
    """Return the different names, and the position of each name among them; -1 for none."""
    different = list(dict.fromkeys(name for name in names if name is not None))
    positions = {name: at for at, name in enumerate(different)}
    return different, np.array(
        [-1 if name is None else positions[name] for name in names], dtype=np.int64
    )


def _rare_answers(gathered: GatheredAnswers, names: Sequence[str | None]) -> list[str]:
    """Return an alarm for answers that occur once, where all others occur often."""
    different, codes = _codes(names)
    found = codes[gathered.value]
    counts = np.bincount(found[found >= 0], minlength=len(different))
    once, others = np.flatnonzero(counts == 1), np.flatnonzero(counts > 1)
    few = counts.sum() < FEWEST_ANSWERS or len(different) < 3
    if few or not len(others) or counts[others].min() < OFTEN:
        return []
    usual = [different[at] for at in others]
    odd = [different[at] for at in once if _is_odd(different[at], usual)]
    return [f"the answer {quoted(odd, 3)} occurs once, unlike the others"] if odd else []


def _is_odd(answer: str, others: Sequence[str]) -> bool:
    """Return whether an answer is no rare class: misspelt, free text, a number, or a test.

    >>> [_is_odd(text, ["owl", "kite", "gull"]) for text in ("heron", "kites", "too dark to see")]
    [False, True, True]
    """
    spelt, known = canonical(answer), [canonical(other) for other in others]
    words, most_words = len(spelt.split()), max(len(other.split()) for other in known)
    is_misspelt = not any(map(str.isdigit, spelt)) and bool(
        difflib.get_close_matches(spelt, known, 1, CLOSE)
    )
    return (
        is_misspelt
        or (words > 2 and words > most_words)
        or is_number(spelt) != any(map(is_number, known))
        or spelt in TESTS
    )


def _strangers(gathered: GatheredAnswers, names: Sequence[str | None]) -> list[str]:
    """Return an alarm for annotators with several answers, none of which any other gave."""
    different, codes = _codes(names)
    if len(different) < 3 or len(gathered.value) < FEWEST_ANSWERS:
        return []
    people = [name for name in gathered.annotators if name]
    found = codes[gathered.value]
    person, value = _unique_pairs(gathered.person, found, len(different))
    shared = np.bincount(value, minlength=len(different)) > 1
    has_shared = np.bincount(person, shared[value], minlength=len(gathered.annotators)) > 0
    answers = np.bincount(gathered.person[found >= 0], minlength=len(has_shared))
    alone = np.flatnonzero((answers > 1) & ~has_shared)
    if not len(alone) or len(people) < FEWEST_PEOPLE:
        return []
    shown = quoted([gathered.annotators[at] for at in alone], 3)
    said = quoted([different[at] for at in value[np.isin(person, alone)]], 3)
    return [f"the annotator {shown} has only answers that no other gave, such as {said}"]


def _unique_pairs(first: Codes, second: Codes, most: int) -> tuple[Ints, Ints]:
    """Return the different pairs of two codes, of which the second is below ``most``, or -1: none.

    The pairs are returned as two arrays.
    """
    known = second >= 0
    pairs = np.unique(first[known].astype(np.int64) * most + second[known])
    return pairs // most, pairs % most


def _columns_apart(
    layout: Layout, gathered: GatheredAnswers, names: Sequence[str | None]
) -> list[str]:
    """Return an alarm for columns of a matrix that share no answer with any other column."""
    by_item = STUDENT in layout
    columns = gathered.items if by_item else gathered.annotators
    different, codes = _codes(names)
    if not different:
        return []
    column, value = _unique_pairs(
        gathered.item if by_item else gathered.person, codes[gathered.value], len(different)
    )
    shared = np.bincount(value, minlength=len(different)) > 1
    answered = np.bincount(column, minlength=len(columns)) > 0
    together = np.bincount(column, shared[value], minlength=len(columns)) > 0
    # All may agree on an item that is the only one of its class.
    alike = {_shape(columns[at]) for at in np.flatnonzero(together)} - {""}
    agreed = np.bincount(column, minlength=len(columns)) == 1
    apart = [
        columns[at]
        for at in np.flatnonzero(answered & ~together)
        if not (agreed[at] and _shape(columns[at]) in alike)
    ]
    if not together.any() and _has_changed_answers(gathered):
        return ["its columns have no answer in common, and it has several rows per student or item"]
    if not apart or together.sum() < 2:
        return []
    return [f"the column {quoted(apart, 4)} has no answer in common with the others"]


def _summaries(layout: Layout, gathered: GatheredAnswers) -> list[str]:
    """Return an alarm for annotators, and items in columns, whose names are those of summaries."""
    known = aliases("rows")["summary"]
    in_columns = gathered.items if layout.is_wide and STUDENT in layout else ()
    names = [name for name in (*gathered.annotators, *in_columns) if normalized(name) in known]
    return [f"{quoted(names, 3)} may be computed from the answers, or be a key"] if names else []


def _confusions(gathered: GatheredAnswers) -> list[str]:
    """Return an alarm if a matrix of numbers has the same names for rows and columns."""
    people, items = (
        {canonical(name) for name in names if name}
        for names in (gathered.annotators, gathered.items)
    )
    same = people & items
    are_numbers = all(map(is_number, gathered.values)) and not {*gathered.values} <= {"0", "1"}
    if len(same) < 2 or same not in (people, items) or not are_numbers:
        return []
    return [f"its rows and columns have the same names ({quoted(sorted(same), 3)}), as confusions"]


def _counts(layout: Layout, gathered: GatheredAnswers) -> list[str]:
    """Return an alarm if a matrix has the numbers of answers by class, and no answers.

    The numbers or shares in each row add up to the same, or one is more than half of the sum.
    """
    texts = list(map(canonical, gathered.values))
    if len({*texts}) < 2 or not all(text.replace(".", "", 1).isdecimal() for text in texts):
        return []
    value = np.array([float(text) for text in texts])[gathered.value]
    rows, names = (
        (gathered.person, gathered.items)
        if STUDENT in layout
        else (gathered.item, gathered.annotators)
    )
    sums = np.bincount(rows, value)
    largest = np.zeros(len(sums))
    np.maximum.at(largest, rows, value)
    fewest = FEWEST_ROWS if "0" in texts else FEWEST_ROWS + 2
    if len(sums) < fewest or len(names) < 2 or sums.min() <= 0:
        return []
    is_numbered = len({_shape(name) for name in names} - {""}) == 1
    is_varied = value.max() > 1 or len(names) > 2
    is_constant = np.ptp(sums) < 1e-6 * sums.max() and is_varied and not is_numbered
    is_constant &= len(value) == len(sums) * len(names)
    has_zeros = len(names) > 2 and value.max() > 1 and (value == 0).mean() > ZEROS
    has_majorities = has_zeros and not is_numbered and (largest / sums).mean() > MAJORITY
    if not is_constant and not has_majorities:
        return []
    return ["its cells may be numbers of answers, one column per class, rather than answers"]


def _items_as_annotators(gathered: GatheredAnswers) -> list[str]:
    """Return an alarm if all annotators have names of questions or pictures, and no item has."""
    people, items = (
        {_shape(name)[:1] for name in names if name}
        for names in (gathered.annotators, gathered.items)
    )
    if not people or not people <= {"?", "."} or items & {"?", "."}:
        return []
    return [f"the annotators ({quoted(gathered.annotators, 2)}) look like items"]


def _labels(layout: Layout, gathered: GatheredAnswers, meaning: Meaning) -> list[str]:
    """Return an alarm for experts' labels that are all the same, or a flag rather than labels."""
    texts = [text for labels in gathered.experts.values() for text in labels]
    words = [word for word in map(canonical, texts) if word not in meaning.gaps]
    different = set(words)
    if not different:
        return []
    answers = {canonical(text) for text in gathered.values} - meaning.gaps
    if len(words) >= FEWEST_LABELS and len(different) == 1 and len(answers) > 1:
        return [f"the expert has the single label {quoted(texts[:1])} for {len(words)} items"]
    name = layout.header[layout.places[LABEL][0]] if LABEL in layout else ""
    shown = quoted(sorted(set(texts)), 3)
    if not different & answers and meaning.choices:
        return [f"none of the expert's labels ({shown}) is an answer"]
    is_flag = different <= FLAG or (different <= {"0", "1"} and not different & answers)
    if is_flag and normalized(name) in FLAG_NAMES:
        return [f"the column {quoted([name])} ({shown}) may say which items have a label: name it"]
    return []


def _header_among_rows(layout: Layout, gathered: GatheredAnswers) -> list[str]:
    """Return an alarm if names of columns are in the rows: there is no header, or a second one."""
    if layout.is_wide:
        by_item = STUDENT in layout
        names = [name for name in (gathered.items if by_item else gathered.annotators) if name]
        is_named = bool(find_parts(layout.header).keys() & {STUDENT, ITEM})
        values = {canonical(text) for text in gathered.values}
        if (
            is_named
            or not layout.header[0].strip()
            or len(names) < 2
            or not all(canonical(name) in values for name in names)
        ):
            return []
        return [f"its first row ({quoted(layout.header, 4)}) looks like answers, not like names"]
    answer = ANSWER if ANSWER in layout else CORRECT
    within = {STUDENT: gathered.annotators, ITEM: gathered.items, answer: gathered.values}
    found = [
        part
        for part, names in within.items()
        if (name := " / ".join(layout.header[at].strip() for at in layout.places[part])) in names
        and name
    ]
    known = find_parts(layout.header)
    named = [part for part in found if layout.places[part] == (known.get(part),)]
    has_numbers = all(layout.header[at] == str(at + 1) for at in range(len(layout.header)))
    if has_numbers or not found or (len(named) == len(found) and len(found) < 2):
        return []
    seen = quoted([layout.header[layout.places[part][0]] for part in found], 3)
    return [f"names of columns ({seen}) are also in the rows: the header is missing, or repeated"]


def _unsorted_dates(table: Table, layout: Layout, gathered: GatheredAnswers) -> list[str]:
    """Return an alarm for changed answers that an unused column of dates or versions puts in order.

    A version counts the answers of an annotator to an item: 1, 2, ...
    """
    if layout.is_wide or TIME in layout or table.program is not None:
        return []
    used = {at for places in layout.places.values() for at in places}
    free = [at for at in range(min(len(layout.header), WIDEST)) if at not in used]
    if not free or not _has_changed_answers(gathered):
        return []
    looks = dict(zip(free, contents(table, free), strict=True))
    times = [at for at, look in looks.items() if look.holds_dates or look.share(_is_instant) > 0.9]
    counts = [at for at, look in looks.items() if look.cells and look.share(str.isdecimal) == 1]
    for at in dict.fromkeys([*times, *counts]):
        every = times_from(table.texts(at))[0]
        is_version = at not in times
        is_named = normalized(layout.header[at]) in aliases("about")["version"]
        if is_version and not is_named and not _counts_repeats(gathered, every):
            continue
        if not _is_in_order(gathered, every):
            name = layout.header[at].strip()
            return [
                "answers were changed, and the rows are not in the order of the "
                f"{'versions' if is_version else 'dates'} in {quoted([name])}, which is not used: "
                f"name it, --column time={to_type(name)!r}"
            ]
    return []


def _by_pair(gathered: GatheredAnswers) -> tuple[Ints, Ints]:
    """Return an order of the answers by annotator and item, and where it has a new pair."""
    order = np.lexsort((gathered.item, gathered.person))
    person, item = gathered.person[order], gathered.item[order]
    is_new = (np.diff(person, prepend=-1) != 0) | (np.diff(item, prepend=-1) != 0)
    return order, np.flatnonzero(is_new)


def _is_in_order(gathered: GatheredAnswers, numbers: Floats) -> bool:
    """Return whether numbers never decrease among the answers of an annotator to an item."""
    order, starts = _by_pair(gathered)
    falls = np.diff(numbers[order], prepend=-np.inf) < 0
    falls[starts] = False
    return not falls.any()


def _counts_repeats(gathered: GatheredAnswers, numbers: Floats) -> bool:
    """Return whether numbers are 1 to n (or 0 to n - 1) among the n answers to each item."""
    order, starts = _by_pair(gathered)
    if not np.isfinite(numbers).all():
        return False
    pair = np.repeat(np.arange(len(starts)), np.diff([*starts, len(order)]))
    ranked = numbers[order][np.lexsort((numbers[order], pair))]
    place = np.arange(len(order)) - starts[pair]
    return bool((ranked - place == ranked[0]).all() and ranked[0] in (0, 1))


def _is_instant(text: str) -> bool:
    """Return whether a text is a number of seconds or milliseconds since 1970, after 1998."""
    return is_number(text) and any(
        9e8 < float(text.replace(",", ".")) / by < 3e9 for by in (1, 1e3)
    )


def _has_changed_answers(gathered: GatheredAnswers) -> bool:
    """Return whether an annotator gave different answers to one item."""
    order, starts = _by_pair(gathered)
    is_other = np.diff(gathered.value[order], prepend=-1) != 0
    is_other[starts] = False
    return bool(is_other.any())
