"""Find the columns of a table by their names, in several spellings and languages, or contents."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import TypeAlias

from homeroom.tables.table import Table, is_number
from homeroom.tables.text import tidy
from homeroom.tables.times import is_date

ColumnNames: TypeAlias = Mapping[str, Sequence[str]]
"""For each part of a table, such as student or answer, the names of its column, best first."""


@cache
def aliases(kind: str) -> Mapping[str, tuple[str, ...]]:
    """Return the names of columns of one kind of table, by part, as :func:`normalized` writes them.

    They are in ``aliases.toml``: answers, quiz, names, rows, about.

    >>> aliases("answers")["student"][:2]
    ('student', 'studentid')
    """
    known = tomllib.loads(files("homeroom.tables").joinpath("aliases.toml").read_text("utf-8"))
    return {part: tuple(map(normalized, names.split())) for part, names in known[kind].items()}


def normalized(name: str) -> str:
    """Return the name of a column without case, blanks, dots, dashes and underscores.

    Accents are composed (NFC). The Turkish capital I with a dot becomes a plain i.

    >>> normalized(" Anon Student-Id ")
    'anonstudentid'
    """
    return re.sub(r"[\s_.\-]+", "", tidy(name)).lower().replace("\u0307", "")


FULL_NAME, GIVEN_NAME, FAMILY_NAME = (
    aliases("names")[part] for part in ("full", "given", "family")
)
"""The names of columns with the names of people, best first."""


def normalized_header(row: Sequence[str]) -> list[str]:
    """Return the normalized names of all columns."""
    return [normalized(name) for name in row]


def find_column(header: Sequence[str], names: Sequence[str]) -> int | None:
    """Return the position of the column with one of these names; ``None`` if there is none.

    If several columns have one, the name that is first in ``names`` decides.

    >>> find_column(["Pupil", "answer"], ["student", "pupil"])
    0
    """
    spelt = normalized_header(header)
    return next((spelt.index(name) for name in map(normalized, names) if name in spelt), None)


FIRST_ROWS = 2000
"""How many rows are looked at to recognise what a column holds."""

MOST_ANSWERS = 50
"""A column with more distinct texts than this holds names or free text, not answers."""

# A link, a path, or a file with an extension; not 0.25, and not n/a.
_FILE = re.compile(r"https?://|\w\w[/\\]|[/\\]\w\w|\.(?![0-9]+$)[A-Za-z0-9]{2,4}$")
_NUMBERED = re.compile(r"[0-9]$")


@dataclass(frozen=True)
class ColumnContent:
    """What the first cells of a column look like.

    Parameters
    ----------
    cells
        The texts that are not blank.
    """

    cells: Sequence[str]

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each text occurs."""
        return Counter(self.cells)

    def share(self, is_one: Callable[[str], object]) -> float:
        """Return the share of the distinct texts (of the first 200) that pass a test."""
        texts = list(self.counts)[:200]
        return sum(1 for text in texts if is_one(text)) / max(1, len(texts))

    @cached_property
    def holds_dates(self) -> bool:
        """Whether more than 90 % of the distinct texts are dates."""
        return self.share(is_date) > 0.9

    @cached_property
    def holds_emails(self) -> bool:
        """Whether more than 90 % of the distinct texts are e-mail addresses."""
        return self.share(lambda text: "@" in text[1:] and " " not in text) > 0.9

    @cached_property
    def holds_measurements(self) -> bool:
        """Whether it holds numbers that are no codes, such as durations and scores.

        Most of them are distinct, or most have decimals.
        """
        fractions = self.share(lambda text: is_number(text) and not text.lstrip("-").isdecimal())
        varied = 2 * len(self.counts) > len(self.cells)
        return self.share(is_number) > 0.9 and (varied or fractions > 0.5)

    @cached_property
    def is_free_text(self) -> bool:
        """Whether most texts have three words or more, and more than half of the cells differ."""
        several_words = self.share(lambda text: len(text.split()) > 2)
        return several_words > 0.5 and len(self.counts) > 0.5 * len(self.cells)

    @cached_property
    def may_be_answers(self) -> bool:
        """Whether it holds 2 to ``MOST_ANSWERS`` distinct texts that are not dates.

        Each occurs three times on average, or more often.
        """
        number = len(self.counts)
        return 1 < number <= MOST_ANSWERS and 3 * number <= len(self.cells) and not self.holds_dates

    @cached_property
    def looks_like_items(self) -> bool:
        """Whether its texts look like files, links or numbered things."""
        return self.share(lambda text: _FILE.search(text) or _NUMBERED.search(text)) > 0.9

    @cached_property
    def are_files(self) -> bool:
        """Whether its texts look like files or links."""
        return self.share(_FILE.search) > 0.9


def contents(table: Table, wanted: Sequence[int]) -> list[ColumnContent]:
    """Return what the first ``FIRST_ROWS`` rows of the columns at these positions look like."""
    return [ColumnContent([*filter(None, table.texts(at, FIRST_ROWS))]) for at in wanted]
