"""The small part of YAML that labels are written in: pairs, in lines or in braces."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NoReturn, TypeAlias

from homeroom._checks import InputError

Pairs: TypeAlias = "tuple[tuple[str, str | Pairs], ...]"
"""Names and what they stand for: a text, or pairs again."""

# All repeats are possessive (*+): a long line that fits nothing is refused once it has been seen.
_QUOTED = r""" "(?:[^"\\\n]|\\.)*+" | '(?:[^'\n]|'')*+' """
_FIRST = r"""(?!---\s) (?: [^\s\-?:,\[\]{}\#&*!|>'"%@`] | [-?:](?=\S) )"""
_IN_LINE = re.compile(rf"{_QUOTED} | {_FIRST} (?: [^:\#\n] | :(?=\S) | (?<=\S)\# )*+", re.VERBOSE)
_IN_BRACES = re.compile(
    rf"{_QUOTED} | {_FIRST} (?: [^:\#\n,\[\]{{}}] | :(?=[^\s,\[\]{{}}]) | (?<=\S)\# )*+",
    re.VERBOSE,
)
_COLON = re.compile(r"[ \t]*+:(?=[\s,}])")
_COLON_AFTER_QUOTED = re.compile(r"[ \t]*+:")
_END_OF_LINE = re.compile(r"[ \t]*+(?:(?<=\s)#[^\n]*+)?\n")
_LINES_WITHOUT_PAIRS = re.compile(r"(?:[ \t]*+(?:#[^\n]*+)?\n|---[ \t]*+\n)*+")
_BLANKS = re.compile(r"(?:\s++|(?<=\s)#[^\n]*+)*+")
_INDENT = re.compile(r" *+")


def yaml_pairs(path: Path, text: str) -> Pairs:
    """Return the pairs of a mapping: a pair a line, or all in braces; a part may hold pairs again.

    >>> yaml_pairs(Path("labels.yaml"), "labels: {tiger moth: 1, 'wasp': 0}  # by Ada")
    (('labels', (('tiger moth', '1'), ('wasp', '0'))),)

    Raises
    ------
    ValueError
        If there is anything else: lists, texts of several lines, anchors, tags.
    """
    scan = _Scan(path, "\n".join([*text.splitlines(), ""]))
    scan.skip(_LINES_WITHOUT_PAIRS)
    found = scan.value(indent=-1) if scan.sees("{") else scan.lines(indent=0)
    scan.skip(_LINES_WITHOUT_PAIRS)
    if isinstance(found, str) or not scan.is_done:
        scan.refuse()
    return found


class _Scan:
    """A place in a text, which moves on as things are found there."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        self.at = 0

    @property
    def is_done(self) -> bool:
        return self.at == len(self.text)

    def lines(self, indent: int) -> Pairs:
        """Return the pairs of the lines that are indented like this."""
        found: list[tuple[str, str | Pairs]] = []
        while not self.is_done and self.indent() == indent:
            self.at += indent
            name = self.word(_IN_LINE)
            self.take(_COLON)
            found.append((name, self.value(indent)))
            self.skip(_LINES_WITHOUT_PAIRS)
        return tuple(found)

    def value(self, indent: int) -> str | Pairs:
        """Return what a name stands for: in the same line, in braces, or further in below."""
        if self.skip(_END_OF_LINE):
            self.skip(_LINES_WITHOUT_PAIRS)
            return self.lines(self.indent()) if self.indent() > indent == 0 else ""
        self.skip(_BLANKS)
        found = self.braces() if self.sees("{") else self.word(_IN_LINE)
        self.take(_END_OF_LINE)
        return found

    def braces(self, *, within: bool = False) -> Pairs:
        """Return the pairs in braces, however they are spread over lines."""
        found: list[tuple[str, str | Pairs]] = []
        self.at += 1
        while not self.sees_after_blanks("}"):
            colon = _COLON_AFTER_QUOTED if self.sees('"', "'") else _COLON
            name = self.word(_IN_BRACES)
            self.take(colon)
            found.append((name, self.value_in_braces(within=within)))
            if self.sees_after_blanks(","):
                self.at += 1
            elif not self.sees("}"):
                self.refuse()
        self.at += 1
        return tuple(found)

    def value_in_braces(self, *, within: bool) -> str | Pairs:
        if self.sees_after_blanks(",", "}"):
            return ""
        if self.sees("{") and not within:
            return self.braces(within=True)
        return self.word(_IN_BRACES)

    def word(self, pattern: re.Pattern[str]) -> str:
        """Return a text, less the quotation marks around it."""
        start = self.at
        found = self.take(pattern).rstrip()
        if found[0] == "'":
            return found[1:-1].replace("''", "'")
        try:
            return str(json.loads(found)) if found[0] == '"' else found
        except ValueError:
            self.at = start
            self.refuse()

    def indent(self) -> int:
        found = _INDENT.match(self.text, self.at)
        return len(found[0]) if found else 0

    def sees(self, *signs: str) -> bool:
        return self.text.startswith(signs, self.at)

    def sees_after_blanks(self, *signs: str) -> bool:
        self.skip(_BLANKS)
        return self.sees(*signs)

    def skip(self, pattern: re.Pattern[str]) -> bool:
        """Move past a pattern if it is here, and tell whether it is."""
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found is not None

    def take(self, pattern: re.Pattern[str]) -> str:
        """Move past a pattern, which must be here, and return what it was."""
        start = self.at
        if not self.skip(pattern):
            self.refuse()
        return self.text[start : self.at]

    def refuse(self) -> NoReturn:
        line = min(self.text.count("\n", 0, self.at), self.text.count("\n") - 1) + 1
        raise InputError(
            f"{self.path} cannot be read as labels from line {line} on: it needs pairs such as "
            "tiger moth: 1, a pair a line or all in braces, and names with other signs in "
            "quotation marks. Correct that line, or save a .csv table of item and label."
        )
