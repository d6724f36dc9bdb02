"""Which column holds what: as the user says, by the names that other tools use, or by content."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from homeroom._checks import InputError
from homeroom.crowd.reading.meaning import GAPS, NO, UNSURE, YES, canonical
from homeroom.tables import Table, find_column, normalized, normalized_header, quoted
from homeroom.tables.columns import FIRST_ROWS, ColumnContent, aliases, contents
from homeroom.tables.table import distinct, is_number, to_type
from homeroom.tables.text import tidy

PARTS = STUDENT, ITEM, ANSWER, CORRECT, TIME, LABEL = (
    "student",
    "item",
    "answer",
    "correct",
    "time",
    "label",
)
"""What a column can hold: the annotator, the item, the answer (or whether it was right), the time,
the expert's label."""

_LAST = "label"
"""A column with this name holds the answer if no other column does, as in ``worker, task, label``;
otherwise the expert's label."""

_PAIR = ("problemname", "stepname")
"""In DataShop's tables, items are the steps of problems."""

_ATTEMPT = "attemptatstep"
"""DataShop counts attempts in this column; the last attempt is always right."""


@dataclass(frozen=True)
class Layout:
    """Where a table keeps its parts.

    Parameters
    ----------
    places
        The column of each part that the table has; several for an item whose name is in pieces.
    header
        The names of all columns.
    unread
        The column that says whether an answer was right, where another has the answer itself and
        the user did not name that one.
    """

    places: Mapping[str, tuple[int, ...]]
    header: Sequence[str]
    unread: str | None = None

    def __contains__(self, part: str) -> bool:
        return part in self.places

    @property
    def is_long(self) -> bool:
        """Whether there is one row per answer."""
        answered = ANSWER in self or CORRECT in self
        return STUDENT in self and ITEM in self and answered

    @property
    def is_wide(self) -> bool:
        """Whether there is one row per annotator, or one per item."""
        answered = ANSWER in self or CORRECT in self
        return (STUDENT in self) != (ITEM in self) and not answered and len(self.header) > 1

    @property
    def counts_attempts(self) -> bool:
        """Whether there is one row per attempt, of which only the first shows what was known."""
        return any(normalized(name) == _ATTEMPT for name in self.header)

    def describe(self) -> str:
        """Return which columns were used for which parts, where the names differ."""
        said = [
            f"{part} from {' + '.join(self._name(at) for at in places)}"
            for part, places in self.places.items()
            if [normalized(self.header[at]) for at in places] != [part]
        ]
        return ", ".join(said)

    def _name(self, at: int) -> str:
        name = self.header[at].strip()
        return f"column {at + 1}" if name in ("", str(at + 1)) else repr(name)


def layout_of(path: Path, header: Sequence[str], given: Mapping[str, str] | None = None) -> Layout:
    """Return where the parts are: as given, and the others by the names that other tools use."""
    places: dict[str, tuple[int, ...]] = {part: (at,) for part, at in find_parts(header).items()}
    spelt = normalized_header(header)
    if all(name in spelt for name in _PAIR):
        places[ITEM] = tuple(spelt.index(name) for name in _PAIR)
    if header and not header[0].strip() and not {STUDENT, ITEM} & places.keys():
        places[STUDENT] = (0,)  # a matrix with an empty corner
    named = {part: _named(path, header, part, name) for part, name in (given or {}).items()}
    _refuse_shared(path, header, named)
    if ANSWER in named or CORRECT in named:
        places = {part: at for part, at in places.items() if part not in (ANSWER, CORRECT)}
    _refuse_swapped(path, header, named)
    taken = {at for columns in named.values() for at in columns}
    places = {part: at for part, at in places.items() if not taken & set(at)}
    places |= named
    unread = None
    if ANSWER in places and CORRECT in places:
        right = header[places.pop(CORRECT)[0]].strip()
        unread = None if ANSWER in named else right
    _refuse_duplicates(path, header, places)
    return Layout(places, header, unread)


def names_of(part: str) -> Sequence[str]:
    """Return the normalized names of columns that hold a part, in other tools."""
    return aliases("answers")[part]


def find_parts(header: Sequence[str]) -> dict[str, int]:
    """Return the column of each part that has one of the names that other tools use."""
    spelt = normalized_header(header)
    found: dict[str, int] = {}
    for part, names in aliases("answers").items():
        for alias in names:
            if alias in spelt and spelt.index(alias) not in found.values():
                found[part] = spelt.index(alias)
                break
    if _LAST in spelt:
        answered = ANSWER in found or CORRECT in found
        found.setdefault(LABEL if answered else ANSWER, spelt.index(_LAST))
    return found


def _named(path: Path, header: Sequence[str], part: str, name: str) -> tuple[int, ...]:
    """Return the column, or the columns joined by ``+``, that the user names for a part."""
    if part not in PARTS:
        raise InputError(
            f"`columns` must say where to find {', '.join(PARTS)}, but names {part[:200]!r}."
        )
    if _place(header, name) is None and "+" in name:
        pieces = [piece.strip() for piece in name.split("+")]
        return tuple(_must_have(path, header, part, piece) for piece in pieces)
    return (_must_have(path, header, part, name),)


def _place(header: Sequence[str], name: str) -> int | None:
    """Return the position of a column by its exact name, or else by a similar spelling."""
    exact = [known.strip() for known in header]
    return exact.index(name.strip()) if name.strip() in exact else find_column(header, [name])


def _must_have(path: Path, header: Sequence[str], part: str, name: str) -> int:
    """Return the position of the column that the user names for a part; refuse an unknown name."""
    found = _place(header, name)
    if found is None:
        close = difflib.get_close_matches(name, header, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise InputError(
            f"{path} has no column {name[:200]!r} for the {part}: it has {quoted(header)}.{hint}"
        )
    return found


def _refuse_shared(path: Path, header: Sequence[str], named: Mapping[str, tuple[int, ...]]) -> None:
    """Raise an error if the user names one column for two parts."""
    part_of: dict[int, str] = {}
    for part, columns in named.items():
        for at in columns:
            if at in part_of:
                raise InputError(
                    f"{path} has one column {header[at].strip()[:200]!r}, but it is named for the "
                    f"{part_of[at]} and the {part}: name another for one of them."
                )
            part_of[at] = part


def _refuse_swapped(
    path: Path, header: Sequence[str], named: Mapping[str, tuple[int, ...]]
) -> None:
    """Raise an error if a column that is named for one part is another part by its own name."""
    parts = {at: part for part, at in find_parts(header).items() if part in (STUDENT, ITEM, ANSWER)}
    for part, columns in named.items():
        for at in columns:
            other = parts.get(at, part)
            if normalized(header[at]) != _LAST and other != part and other not in named:
                name = header[at].strip()[:200]
                raise InputError(
                    f"{path} has a column {name!r}, which is the {other} by its name, but is named "
                    f"for the {part}: name another, or also that of the {other}, as in "
                    f"columns={{{other!r}: '...'}} (--column {other}=...)."
                )


def _refuse_duplicates(
    path: Path, header: Sequence[str], places: Mapping[str, tuple[int, ...]]
) -> None:
    """Raise an error if a column that is used shares its name with another."""
    names = [name.strip() for name in header]
    for part, columns in places.items():
        for at in columns:
            if names[at] and names.count(names[at]) > 1:
                raise InputError(
                    f"{path} has {names.count(names[at])} columns {names[at][:200]!r}, any of "
                    f"which could be the {part}: rename one."
                )


def missing_parts(table: Table, layout: Layout) -> InputError:
    """Return the error for a table without an annotator, an item or an answer.

    It shows three rows, with what was recognised, and the option to use.
    """
    path, header = table.path, layout.header
    parts = {STUDENT: STUDENT in layout, ITEM: ITEM in layout}
    parts[ANSWER] = ANSWER in layout or CORRECT in layout
    missing = [part for part, there in parts.items() if not there]
    if not any(name.strip() for name in header):
        return InputError(f"{path} is empty: it needs a header such as student,item,answer.")
    taken = {at for columns in layout.places.values() for at in columns}
    free = [at for at in range(len(header)) if at not in taken]
    named, at = _to_name_first(table, missing, free)
    example = to_type(header[at].strip()) if free else "..."
    known = {part: at for part, (at, *_) in layout.places.items()}
    shown = _shown(table, known | {repr(tidy(header[at])[:30]): at for at in free[:MOST_SHOWN]})
    return InputError(
        f"{path} has no column for the {' and the '.join(missing)}: it has {quoted(header)}."
        f"{f' Its first rows are read as {shown}.' if shown else ''}"
        f" Name it, as in columns={{{named!r}: {example!r}}} "
        f"(--column {named}={example!r})."
    )


def _to_name_first(table: Table, missing: Sequence[str], free: Sequence[int]) -> tuple[str, int]:
    """Return the part to name first, and a column: the answers if texts repeat in one.

    With the answers known, annotators and items are often recognised by content.
    """
    if ANSWER in missing and len(free) <= MOST_LONG:
        looks = dict(zip(free, contents(table, free), strict=True))
        few = [at for at, look in looks.items() if look.may_be_answers]
        if few:
            return ANSWER, min(few, key=lambda at: len(looks[at].counts))
    return missing[0], free[0] if free else 0


def _shown(table: Table, columns: Mapping[str, int]) -> str:
    """Return the first rows in words, for an error.

    ``columns`` maps what a column holds to its position. Texts are shortened but stay different.
    """
    rows = table.first(list(columns.values()), SHOWN) if columns else []
    cells = iter(distinct([cell for row in rows for cell in row]))
    return "; ".join(", ".join(f"{name} {next(cells)!r}" for name in columns) for _ in rows)


SHOWN = 3
"""How many rows an error shows as they were understood."""

MOST_SHOWN = 4
"""How many columns of unknown content an error shows."""


def by_content(table: Table, layout: Layout) -> Layout:
    """Return the layout, with parts that names do not show recognised by the columns' content.

    A few texts that occur again and again are answers, dates are times, and two columns whose
    pairs are almost all different are annotators and items. Sentences, fractions and numbers that
    never repeat are none of these.

    Raises
    ------
    ValueError
        If it is not clear which column is which: three rows as understood, and how to settle it.
    """
    if layout.is_long or len(layout.header) < 2 or len(layout.header) > MOST_COLUMNS:
        return layout
    taken = {at for columns in layout.places.values() for at in columns}
    looks = dict(enumerate(contents(table, range(len(layout.header)))))
    rows = max(len(look.cells) for look in looks.values())
    free = {at: look for at, look in looks.items() if at not in taken and look.cells}
    if layout.is_wide:
        (named,) = layout.places[STUDENT if STUDENT in layout else ITEM][:1]
        repeated = 2 * len(looks[named].counts) <= len(looks[named].cells)
        if not repeated or len(layout.header) > MOST_LONG:
            return layout
    return _as_long(table, layout, free, rows) or _as_wide(layout, free) or layout


MOST_COLUMNS = 1000
"""In wider tables, no column is recognised by its content."""
MOST_LONG = 40
"""Wider tables are taken to have one column per item or annotator."""


def _as_long(
    table: Table, layout: Layout, free: Mapping[int, ColumnContent], rows: int
) -> Layout | None:
    """Return the layout of a table with one row per answer, if these columns can be one.

    ``free`` are the columns whose part is not known, and ``rows`` the number of rows looked at.
    """
    places = dict(layout.places)
    times = [at for at, look in free.items() if look.holds_dates]
    if times and TIME not in places:
        places[TIME] = (times[0],)
    names = {
        at: look
        for at, look in free.items()
        if at not in times and not look.is_free_text and not look.holds_measurements
        if len(look.counts) > 1 and 2 * len(look.counts) <= len(look.cells)
    }
    guessed: ColumnContent | None = None  # the answers, if no name shows them
    if ANSWER not in places and CORRECT not in places:
        answer = _answer_column(names)
        if answer is None:
            return None
        places[ANSWER], guessed = (answer,), names.pop(answer)
    missing = [part for part in (STUDENT, ITEM) if part not in places]
    if len(missing) == 1:
        if not names:
            return None
        known = places[ITEM if missing == [STUDENT] else STUDENT][0]
        best = max(names, key=lambda at: _different_pairs(table, known, at))
        places[missing[0]] = (best,)
    if len(missing) < 2:
        if guessed is not None and _is_doubtful(guessed, names, places):
            raise _unsure(table, layout, places, ANSWER)
        return replace(layout, places=places)
    pairs = [
        pair for pair in combinations(names, 2) if _different_pairs(table, *pair) >= 0.8 * rows
    ]
    if not pairs:
        return None
    apart = _distinguished(names, pairs[0]) if len(pairs) == 1 else None
    student, item = apart or pairs[0]
    places |= {STUDENT: (student,), ITEM: (item,)}
    if apart is None:
        raise _unsure(table, layout, places)
    if guessed is not None and _is_doubtful(guessed, names, places):
        raise _unsure(table, layout, places, ANSWER)
    return replace(layout, places=places)


def _answer_column(names: Mapping[int, ColumnContent]) -> int | None:
    """Return the column of answers: known words, or clearly the fewest different texts."""
    few = {at: look for at, look in names.items() if look.may_be_answers}
    known = [
        at
        for at, look in few.items()
        if (words := {*map(canonical, look.counts)} - GAPS - UNSURE) and words <= YES | NO
    ]
    if len(known) == 1:
        return known[0]
    letters = [at for at, look in few.items() if all(len(text) == 1 for text in look.counts)]
    if len(letters) == 1 and not known:
        return letters[0]
    by_number = sorted(few, key=lambda at: len(few[at].counts))
    if not by_number:
        return None
    least = len(few[by_number[0]].counts)
    others = [len(look.counts) for at, look in names.items() if at != by_number[0]]
    return by_number[0] if all(2 * least <= other for other in others) else None


def _is_doubtful(
    answers: ColumnContent,
    names: Mapping[int, ColumnContent],
    places: Mapping[str, tuple[int, ...]],
) -> bool:
    """Return whether a column of an unknown name may hold something else than the answers.

    Durations and counts are numbers. A flag, such as whether an answer is current, is true or
    false; then another column has words that may be the answers. ``names`` are the other columns
    with texts that repeat, and ``places`` those that are used.
    """
    words = {*map(canonical, answers.counts)} - GAPS - UNSURE
    used = {at for columns in places.values() for at in columns}
    others = [look for at, look in names.items() if at not in used and look.may_be_answers]
    if words <= {"true", "false"}:
        return any(not all(map(is_number, look.counts)) for look in others)
    return not words <= YES | NO and all(word.lstrip("-").isdecimal() for word in words)


def _different_pairs(table: Table, first: int, second: int) -> int:
    """Return how many different pairs the first rows of two columns have."""
    return len({*table.first([first, second], FIRST_ROWS)})


def _distinguished(
    names: Mapping[int, ColumnContent], pair: tuple[int, int]
) -> tuple[int, int] | None:
    """Return which of two columns are annotators and which are items, if their texts show it."""
    for student, item in (pair, pair[::-1]):
        if names[student].holds_emails and not names[item].holds_emails:
            return student, item
        if names[item].are_files and not names[student].are_files:
            return student, item
        if names[item].looks_like_items and not names[student].looks_like_items:
            return student, item
    return None


def refuse_swapped_triples(table: Table) -> None:
    """Raise an error if the first of three columns without a header seems to be the annotator."""
    looks = dict(enumerate(contents(table, [0, 1])))
    if _distinguished(looks, (0, 1)) == (0, 1):
        first, second = (quoted(list(looks[at].counts), 2) for at in (0, 1))
        raise InputError(
            f"{table.path} has no header, and would be read as item, student, answer, but its "
            f"second column looks like items ({second}), not its first ({first}): add a header, or "
            "columns={'student': '1', 'item': '2', 'answer': '3'} (--column student=1 --column "
            "item=2 --column answer=3)."
        )


def _as_wide(layout: Layout, free: Mapping[int, ColumnContent]) -> Layout | None:
    """Return the layout of a matrix, if it is one: all texts in its first free column differ."""
    first, *others = free or [0]
    look = free.get(first)
    if look is None or len(others) < 2 or len(look.counts) < len(look.cells):
        return None
    answers = {canonical(text) for at in others for text in free[at].counts}
    given = sum(len(free[at].cells) for at in others)
    if look.holds_dates or len(answers) > MOST_WORDS or 3 * len(answers) > given:
        return None
    return replace(layout, places={**layout.places, STUDENT: (first,)})


MOST_WORDS = 20
"""The most different answers of a matrix whose columns have unknown names."""


def _unsure(
    table: Table, layout: Layout, places: Mapping[str, tuple[int, ...]], part: str = STUDENT
) -> InputError:
    """Return the error for columns that could be either: three rows, and the flag that decides."""
    parts = (STUDENT, ITEM, ANSWER if ANSWER in places else CORRECT)
    shown = _shown(table, {part: places[part][0] for part in parts})
    column = to_type(layout.header[places[part][0]].strip())
    item = to_type(layout.header[places[ITEM][0]].strip())
    which = "the student and which the item" if part == STUDENT else f"the {part}"
    other = f", and {item!r} was taken for the item" if part == STUDENT else ""
    return InputError(
        f"{table.path} does not show which column holds {which}. Its first "
        f"rows could be read as {shown}. If that is right, add columns={{{part!r}: {column!r}}} "
        f"(--column {part}={column!r}), else name another: it has {quoted(layout.header)}{other}."
    )
