"""JSON lines: one letter a line, everything kept exactly.

``{"letter": "l", "writer": "Ada", "strokes": [{"points": [[0, 0], [3, 4]], "times": [0, 0.5]}]}``
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, ClassVar

from homeroom._checks import InputError
from homeroom.handwriting.files.base import AbstractFormat, Amiss, in_time, refuse, sound
from homeroom.handwriting.ink import Ink, Stroke


class JsonLines(AbstractFormat):
    """One JSON object a line: ``letter``, ``writer`` and ``strokes``."""

    name: ClassVar[str] = "JSON lines"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson", ".json")

    def recognises(self, start: str) -> bool:
        return start.lstrip().startswith(("{", "["))

    def read(self, text: str, amiss: Amiss = refuse) -> list[Ink]:
        lines = ((at, line) for at, line in enumerate(text.split("\n"), 1) if line.strip())
        return sound((partial(_ink, line, at) for at, line in lines), amiss)

    def write(self, inks: Sequence[Ink]) -> Iterator[str]:
        for ink in inks:
            named = {"letter": ink.letter, "writer": ink.writer}
            known: dict[str, Any] = {key: word for key, word in named.items() if word is not None}
            yield json.dumps(known | {"strokes": [_fields(s) for s in ink]}) + "\n"


def _fields(stroke: Stroke) -> dict[str, Any]:
    arrays = {"points": stroke.points, "times": stroke.times, "pressures": stroke.pressures}
    return {name: array.tolist() for name, array in arrays.items() if array is not None}


def _parsed(line: str, at: int) -> Any:
    try:
        return json.loads(line)
    except (RecursionError, ValueError) as reason:
        raise InputError(
            f"line {at} must be one JSON object for one letter, but is not valid JSON "
            f"({str(reason)[:80]})."
        ) from None


def _ink(line: str, at: int) -> Ink:
    fields = _parsed(line, at)
    strokes = fields.get("strokes") if isinstance(fields, dict) else None
    if not isinstance(strokes, list) or not all(isinstance(s, dict) for s in strokes):
        raise InputError(
            f"line {at} must be a JSON object with a list of strokes, as in "
            '{"letter": "l", "strokes": [{"points": [[0, 0], [3, 4]]}]}.'
        )
    try:
        made = [Stroke(s.get("points", ()), s.get("times"), s.get("pressures")) for s in strokes]
        return Ink(in_time(made), fields.get("letter"), fields.get("writer"))
    except (TypeError, ValueError) as reason:
        raise InputError(f"line {at}: {reason}") from None
