"""Tables as JSON lines: an object a line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from homeroom._checks import InputError
from homeroom.crowd.reading.source import (
    AbstractSource,
    Columns,
    Tell,
    check_width,
    rows_at_a_time,
    shown,
)
from homeroom.crowd.reading.text import encoding_of, lines

LOOKED_AT = 1000
"""How many rows are looked at to find the columns, as a row may leave some out."""


class JsonLines(AbstractSource):
    """A file with a JSON object in each line; a column that an object leaves out is blank."""

    def __init__(self, path: Path, encoding: str | None = None, tell: Tell | None = None) -> None:
        self.path = path
        self.dropped = Counter()
        self.encoding = encoding_of(path, encoding)
        self.notes = [] if self.encoding.startswith("utf") else [f"text as {self.encoding}"]
        self._tell = tell
        found: dict[str, None] = {}
        for _, row in islice(self._objects(), LOOKED_AT):
            found.update(dict.fromkeys(row))
            check_width(path, len(found))
        self.header = list(found)

    def chunks(self, wanted: Sequence[int]) -> Iterator[Columns]:
        names = [self.header[place] for place in wanted]
        known = set(self.header)
        objects = self._objects()
        most = rows_at_a_time(len(wanted))
        while some := list(islice(objects, most)):
            for number, row in some:
                if not row.keys() <= known:
                    self._refuse_late_items(number, row.keys() - known)
                    known.update(row)
                    check_width(self.path, len(known))
            yield [[self._text(number, row.get(name)) for number, row in some] for name in names]
        if late := sorted(known.difference(self.header)):
            self.notes.append(
                f"columns left out, as no line of the first {LOOKED_AT} has them: {shown(late)}"
            )

    def _objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        size, done = max(1, self.path.stat().st_size), 0

        def count(length: int) -> None:
            nonlocal done
            done += length
            if self._tell is not None:
                self._tell(min(1.0, done / size))

        with self.path.open(encoding=self.encoding) as file:
            for number, line in enumerate(lines(file, self.path, count), start=1):
                if not line.isspace():
                    yield number, self._object(number, line)

    def _object(self, number: int, line: str) -> dict[str, Any]:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as reason:
            raise InputError(
                f"{self.path} must have a JSON object in each line, but line {number} cannot be "
                f"read ({' '.join(str(reason).split())[:120]})."
            ) from None
        if not isinstance(row, dict):
            raise InputError(
                f"{self.path} must have a JSON object in each line, as in "
                '{"student": "Ada", "item": "moth", "answer": 1}, '
                f"but line {number} is {type(row).__name__}."
            )
        return row

    def _refuse_late_items(self, number: int, late: set[str]) -> None:
        if self.is_matrix:
            raise InputError(
                f"{self.path} has {min(late)[:40]!r} in line {number}, but not in its first "
                f"{LOOKED_AT} lines: name every item in line 1, with null for no answer."
            )

    def _text(self, number: int, value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        if isinstance(value, str | int | float):
            return str(value)
        raise InputError(
            f"{self.path} must hold texts and numbers, but line {number} holds "
            f"a {type(value).__name__}."
        )
