"""What a claim of the paper is, and how one is entered."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import wraps
from typing import TypeAlias

import numpy as np

from homeroom.paper.figure import Rows

Tables: TypeAlias = Mapping[str, Rows]
"""What was measured, by the figure it was measured for."""


class Verdict(Enum):
    """Whether a claim is borne out."""

    HOLDS = "holds"
    CONDITION = "holds with a condition"
    FAILS = "does not hold"
    UNMEASURED = "not measured"


class UnmeasuredError(Exception):
    """Says why a table cannot tell whether a claim holds."""


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, and what became of it.

    Parameters
    ----------
    text
        What the paper says.
    place
        Where it says so.
    verdict
        Whether that is so.
    evidence
        What was measured.
    """

    text: str
    place: str
    verdict: Verdict
    evidence: str

    def as_json(self) -> dict[str, str]:
        """Return the claim as plain text by name."""
        return {
            "claim": self.text,
            "place": self.place,
            "verdict": self.verdict.value,
            "evidence": self.evidence,
        }


Finding: TypeAlias = tuple[Verdict, str]
Judge: TypeAlias = Callable[[Tables], Finding]


@dataclass(frozen=True)
class Entry:
    """A claim before it is judged: its text, its place, the figures it needs, its judge."""

    text: str
    place: str
    needs: tuple[str, ...]
    judge: Judge


ENTRIES: list[Entry] = []
"""Every claim, in the order in which they are entered."""


def claim(text: str, place: str, *, needs: tuple[str, ...]) -> Callable[[Judge], Judge]:
    """Enter a claim: the function below it judges it by what was measured.

    Where the table says nothing, so does the verdict; a mean over lessons of which one did not
    come to its goal is called unfinished.
    """

    def enter(judge: Judge) -> Judge:
        @wraps(judge)
        def careful(tables: Tables) -> Finding:
            try:
                with np.errstate(divide="ignore", invalid="ignore"):
                    found, evidence = judge(tables)
            except UnmeasuredError as reason:
                return Verdict.UNMEASURED, str(reason)
            return found, re.sub(r"[+-]?\bnan\b%?", "(unfinished)", evidence)

        ENTRIES.append(Entry(text, place, needs, careful))
        return careful

    return enter


def verdict(*, holds: bool, partly: bool = False) -> Verdict:
    """Return the verdict on what holds, holds in part, or does not hold."""
    if holds:
        return Verdict.HOLDS
    return Verdict.CONDITION if partly else Verdict.FAILS
