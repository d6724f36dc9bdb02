"""Columns by name (spelling differences, names that other tools use) and by content."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from homeroom.tables.table import AbstractTable, is_number
from homeroom.tables.times import is_date

ColumnNames: TypeAlias = Mapping[str, Sequence[str]]
"""For each part of a table, such as student or answer, the names of its column, best first."""


EXPERTS = frozenset({"label", "labels", "truth", "expert", "key", "answerkey", "gold", "solution"})
"""The names of the row with the expert's answers, in a table with one row per annotator."""


_FULL = (
    "nickname name student studentname fullname pupil learner schüler schülerin schülername kind "
    "élève eleve nom nomcomplet alumno alumna estudiante nombre nombrecompleto alunno alunna "
    "studente nome nomecompleto aluno aluna leerling naam uczeń elev namn navn nimi név jméno "
    "öğrenci adsoyad isim ученик фио 氏名 名前 お名前 姓名 生徒 生徒名 学生 이름 성명 학생"
)
_GIVEN = (
    "preferredgivenname preferredfirstname givenname firstname forename vorname rufname prénom "
    "prenom voornaam imię förnamn fornavn etunimi keresztnév křestníjméno имя ad 名"
)
_FAMILY = (
    "preferredfamilyname familyname lastname surname nachname familienname zuname "
    "nomdefamille apellido apellidos cognome sobrenome apelido achternaam nazwisko efternamn "
    "etternavn efternavn sukunimi vezetéknév příjmení фамилия soyad soyadı soyisim 姓 성"
)
FULL_NAME, GIVEN_NAME, FAMILY_NAME = (tuple(words.split()) for words in (_FULL, _GIVEN, _FAMILY))
"""The names of columns with the names of people, best first, as :func:`normalized` writes them."""


def normalized(name: str) -> str:
    """Return the name of a column without case, blanks, dots, dashes and underscores.

    >>> normalized(" Anon Student-Id ")
    'anonstudentid'
    """
    return re.sub(r"[\s_.\-]+", "", name).lower()


def head(row: Sequence[str]) -> list[str]:
    """Return the normalized names of all columns."""
    return [normalized(name) for name in row]


def find_column(header: Sequence[str], names: Sequence[str]) -> int | None:
    """Return the column with the first of these names that there is.

    >>> find_column(["Pupil", "answer"], ["student", "pupil"])
    0
    """
    spelt = head(header)
    return next((spelt.index(name) for name in map(normalized, names) if name in spelt), None)


FIRST_ROWS = 2000
"""How many rows are looked at to recognise what a column holds."""

MOST_ANSWERS = 50
"""A column with more different texts than this holds names or free text, not answers."""

_FILE = re.compile(r"https?://|/|\\|\.[A-Za-z0-9]{2,4}$")
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
    def different(self) -> Counter[str]:
        """How often each text occurs."""
        return Counter(self.cells)

    def share(self, is_one: Callable[[str], object]) -> float:
        """Return the share of the different texts for which a test holds."""
        texts = list(self.different)[:200]
        return sum(1 for text in texts if is_one(text)) / max(1, len(texts))

    @cached_property
    def is_times(self) -> bool:
        """Whether it holds dates."""
        return self.share(is_date) > 0.9

    @cached_property
    def is_addresses(self) -> bool:
        """Whether it holds e-mail addresses."""
        return self.share(lambda text: "@" in text[1:] and " " not in text) > 0.9

    @cached_property
    def is_numbers(self) -> bool:
        """Whether it holds numbers that rarely repeat, or fractions, as durations do."""
        fractions = self.share(lambda text: is_number(text) and not text.lstrip("-").isdecimal())
        varied = 2 * len(self.different) > len(self.cells)
        return self.share(is_number) > 0.9 and (varied or fractions > 0.5)

    @cached_property
    def is_free_text(self) -> bool:
        """Whether it holds sentences, almost every one of them different."""
        several_words = self.share(lambda text: len(text.split()) > 2)
        return several_words > 0.5 and len(self.different) > 0.5 * len(self.cells)

    @cached_property
    def may_be_answers(self) -> bool:
        """Whether a few texts occur again and again."""
        number = len(self.different)
        return 1 < number <= MOST_ANSWERS and 3 * number <= len(self.cells) and not self.is_times

    @cached_property
    def looks_like_items(self) -> bool:
        """Whether its texts look like files, links or numbered things."""
        return self.share(lambda text: _FILE.search(text) or _NUMBERED.search(text)) > 0.9

    @cached_property
    def are_files(self) -> bool:
        """Whether its texts look like files or links."""
        return self.share(_FILE.search) > 0.9


def contents(table: AbstractTable, wanted: Sequence[int]) -> list[ColumnContent]:
    """Return what the first rows of some columns look like; costs some thousand cells."""
    if not wanted:
        return []
    cells: list[list[str]] = [[] for _ in wanted]
    rows = 0
    for texts in table.chunks(wanted):
        rows += len(texts[0])
        for own, column in zip(cells, texts, strict=True):
            own += [text.strip() for text in column if text.strip()]
        if rows >= FIRST_ROWS:
            break
    table.dropped.clear()  # these rows are read again
    return [ColumnContent(own[:FIRST_ROWS]) for own in cells]
