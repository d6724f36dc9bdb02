"""The answers to a form: one row per respondent, with the time and one column per question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from homeroom._checks import InputError
from homeroom.tables.columns import (
    FAMILY_NAME,
    GIVEN_NAME,
    MOST_ANSWERS,
    ColumnContent,
    aliases,
    contents,
    find_column,
    normalized,
    normalized_header,
)
from homeroom.tables.exports import HEADER, SHOWN, without_rejected
from homeroom.tables.table import Table, distinct, quoted, to_type
from homeroom.tables.text import tidy

NAMES = frozenset({*aliases("names")["words"], *GIVEN_NAME, *FAMILY_NAME} - {"ad"})
"""Words in the question for the respondent's name, as in "Nome e cognome"."""

NUMBERS = ("id", "responseid", "respondentid")
"""Columns that number the respondents."""

SUBMITTED = re.compile(r"\b(date|datum|time|zeit|fecha|data|submitted)\b")
"""The names of a column of times that is one of the last."""

FEW_ROWS = 6
"""With fewer respondents, all of them may give different answers to a question."""

ASIDE = re.compile(
    r"(points|feedback|punkte|puntos|punti|pontos|commentaires?|feedback) ?[-–—:] .*|"
    r".*\[(score|feedback|punkte|punktzahl)\]|(total )?score|total points|quiz feedback|punkte|"
    r"gesamtpunktzahl|total des points|total de puntos|punti totali|total de pontos|"
    r"last modified time|language|sprache|punktzahl|puntuación|"
    r"(zeit der letzten änderung|letzte änderung)|"
    # LimeSurvey, Qualtrics, SurveyMonkey
    r"last ?page|start ?language|seed|response id|(total|group|question) time.*|"
    r"refurl|ipaddr|status|ip ?address|progress|finished|"
    r"duration \(in seconds\)|responseid|recipient(lastname|firstname|email)|"
    r"externalreference|location(latitude|longitude)|distributionchannel|userlanguage|"
    r"collector id|custom data 1",
    re.IGNORECASE,
)
"""The names of columns with points and feedback, which are no answers."""


def as_form(table: Table, student: str | None = None) -> Table | None:
    """Return a table of answers if this one is an export of a form, else ``None``.

    A form has a column of times among its first three or its last four. ``student`` is
    the column with the names of the respondents, if the user named it.
    """
    header, width = table.header, len(table.header)
    if not 3 <= width <= 2000:
        return None
    looks = [
        ColumnContent([_without_semicolon(cell) for cell in look.cells])
        for look in contents(table, range(width))
    ]
    last = [at for at in range(3, width)[-4:] if SUBMITTED.search(header[at].casefold())]
    times = [at for at in (*range(min(width, 3)), *last) if looks[at].holds_dates]
    chosen = None if student is None else find_column(header, [student])
    if not times or (student is not None and chosen is None):
        return None
    rows = len(looks[times[0]].cells)
    if rows < 2:
        return None
    known = [*_named(table, looks), *([] if chosen is None else [chosen])]
    asked = _asked(table, looks, {*known, *times})
    if len(asked) < 2:
        return None
    who = [chosen] if chosen is not None else _respondents(table, looks, known, asked, rows)
    if len(who) == 1 and 2 * len(looks[who[0]].counts) < rows:
        return None  # a table with one row per answer
    questions = [tidy(header[at]) for at in asked]
    if twice := next((text for text in questions if questions.count(text) > 1), None):
        raise InputError(
            f"{table.path} has several columns for the question {twice[:200]!r}: rename them."
        )
    spelt = normalized_header(header)
    others = [at for at in known if at not in who and spelt[at] not in FAMILY_NAME]
    left = [header[at] for at in range(width) if at not in (*asked, *who, *times)]
    notes = [*table.notes, "read as an export of a form", f"{len(asked)} questions"]
    if who and who[0] not in known:
        notes.append(f"respondents from {quoted([header[at] for at in who])}")
    if left:
        notes.append(f"columns ignored because they hold no answers: {quoted(left)}")
    if not who:
        notes.append("no column names the respondents: they are numbered")
    table = without_rejected(table, {*asked, *who})
    names, times_of = _names_and_experts(table, who, others), table.texts(times[-1])
    found = [
        ("", question, "", when, answer) if is_expert else (name, question, answer, when, "")
        for at, question in zip(asked, questions, strict=True)
        for (name, is_expert), when, text in zip(names, times_of, table.texts(at), strict=True)
        if (answer := _without_semicolon(tidy(text)))
    ]
    return Table.of_rows(
        table.path, HEADER, found, notes=notes, dropped=table.dropped, program="a form"
    )


def _names_and_experts(
    table: Table, who: Sequence[int], others: Sequence[int]
) -> list[tuple[str, bool]]:
    """Return the name of each respondent, and whether that is the expert.

    ``others`` are more columns that name the respondent; an expert may be recognised by them.
    """
    experts = aliases("rows")["expert"]
    columns = [table.texts(at) for at in (*who, *others)]
    found = []
    for row in range(table.rows):
        cells = [column[row] for column in columns]
        name = " ".join(filter(None, cells[: len(who)])) or f"respondent {row + 1}"
        # not parts of a name: a student may be called Key
        is_expert = any(normalized(text) in experts for text in (name, *cells[len(who) :]))
        found.append((name, is_expert))
    return found


def _named(table: Table, looks: Sequence[ColumnContent]) -> list[int]:
    """Return the columns with names, addresses and numbers of respondents, best first."""
    spelt = normalized_header(table.header)
    named = [at for at, name in enumerate(spelt) if name in aliases("names")["respondent"]]
    named += [at for at, look in enumerate(looks) if look.holds_emails]
    named += [at for at, look in enumerate(looks) if _asks_name(table.header[at], look)]
    named += [at for at, name in enumerate(spelt) if name in NUMBERS]
    return list(dict.fromkeys(named))


def _asked(table: Table, looks: Sequence[ColumnContent], others: Iterable[int]) -> list[int]:
    """Return the columns with answers to questions: the same few texts as in other columns."""
    aside = set(others)
    for at, look in enumerate(looks):
        no_question = look.holds_dates or look.holds_emails or look.is_free_text or not look.cells
        if no_question or ASIDE.fullmatch(tidy(table.header[at])):
            aside.add(at)
    rest = {at: look for at, look in enumerate(looks) if at not in aside}
    marks = _marks_beside(table.header, rest)
    return _alike({at: k for at, k in rest.items() if at not in marks and _may_be_question(k)})


def _respondents(
    table: Table,
    looks: Sequence[ColumnContent],
    named: Sequence[int],
    asked: Sequence[int],
    rows: int,
) -> list[int]:
    """Return the columns that distinguish respondents: a name, else an address or a number.

    Names in two columns are joined. Without a known name, a column before the first question
    counts in which almost all cells differ.
    """
    full = [at for at in named if 2 * len(looks[at].cells) > rows]
    usable = [at for at in full if len(looks[at].counts) > 1 or rows == 1]
    by_name = [
        at
        for at in usable
        if normalized(table.header[at]) not in ("id", "responseid", "respondentid")
    ]
    if by_name:
        best = max(by_name, key=lambda at: (len(looks[at].counts), not looks[at].holds_emails))
        names = [at for at in by_name if _asks_name(table.header[at], looks[at])]
        is_part = len(looks[best].counts) < rows and best in names
        return sorted(names) if is_part else [best]
    unknown = [
        at
        for at in range(asked[0])
        if at not in named and _differs(looks[at]) and 2 * len(looks[at].cells) > rows
    ]
    if len(unknown) > 1 and not usable:
        raise _unclear_respondents(table, unknown, asked)
    return unknown if len(unknown) == 1 else usable[:1]


def _without_semicolon(text: str) -> str:
    """Return an answer without the semicolon that Microsoft Forms puts after each of several."""
    return text.removesuffix(";") or text


def _may_be_question(look: ColumnContent) -> bool:
    """Return whether answers repeat, as those to a question do and names and remarks do not."""
    different, given = len(look.counts), len(look.cells)
    return different <= MOST_ANSWERS and (given < FEW_ROWS or 10 * different <= 7 * given)


def _differs(look: ColumnContent) -> bool:
    """Return whether almost all cells differ, as names do; sentences and numbers do not count."""
    almost_all = len(look.cells) > 1 and 10 * len(look.counts) >= 9 * len(look.cells)
    return almost_all and not (look.is_free_text or look.holds_dates or look.holds_measurements)


def _asks_name(question: str, look: ColumnContent) -> bool:
    """Return whether a question asks for the respondent's name, not for that of a thing."""
    words = set(re.findall(r"\w+", question.casefold()))
    return normalized(question) in NAMES or bool(NAMES & words and not _may_be_question(look))


def _marks_beside(header: Sequence[str], looks: Mapping[int, ColumnContent]) -> set[int]:
    """Return the columns with points for another one: ``Punkty: Is it a moth?`` or ``... [Pts]``.

    They are called like that one, with more, and have other texts.
    """
    by_name = {tidy(header[at]): at for at in looks}
    found = set()
    for name, at in by_name.items():
        ends = {name[mark.end() :] for mark in re.finditer(r" ?[-–—:：] ?", name)}
        ends.add(name.rpartition("[")[0].strip())
        of = [by_name[end] for end in ends if end in by_name]
        if any(not looks[at].counts.keys() & looks[other].counts.keys() for other in of):
            found.add(at)
    return found


def _alike(looks: Mapping[int, ColumnContent]) -> list[int]:
    """Return the columns that share their texts with others, if most do; otherwise all.

    So a question for the age, or one text in all rows, is not read as an answer. More than half
    of the different texts in common are enough, as some respondents may write their own,
    and so are nine of ten cells. Costs a few hundred texts per column.
    """
    texts = {at: {text.casefold() for text in look.counts} for at, look in looks.items()}
    columns = Counter(text for own in texts.values() for text in own)
    shared = [
        at
        for at, look in looks.items()
        if 2 * sum(1 for text in texts[at] if columns[text] > 1) > len(texts[at])
        or 10 * sum(n for text, n in look.counts.items() if columns[text.casefold()] > 1)
        >= 9 * len(look.cells)
    ]
    return shared if 2 * len(shared) > len(looks) else list(looks)


def _unclear_respondents(table: Table, unknown: Sequence[int], asked: Sequence[int]) -> InputError:
    """Return the error for several columns that may name the respondents: three rows, the flag."""
    wanted = [unknown[0], asked[0]]
    rows = table.first(wanted, SHOWN)
    cells = iter(distinct([cell for row in rows for cell in row]))
    shown = "; ".join(f"student {who!r}, answer {next(cells)!r}" for who in cells)
    names = [table.header[at].strip() for at in unknown]
    return InputError(
        f"{table.path} looks like the answers to a form, but {quoted(names)} may each name the "
        f"respondents. To the question {quoted([table.header[asked[0]]])}, its first rows could be "
        f"read as {shown}. If that is right, add columns={{'student': {to_type(names[0])!r}}} "
        f"(--column student={to_type(names[0])!r}), else name another."
    )
