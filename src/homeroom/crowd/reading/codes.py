"""What the answers mean: which is yes, which is no, and which is none at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from homeroom._checks import InputError
from homeroom.crowd.reading.source import shown

GAPS = frozenset(
    {"", "na", "n/a", "n.a.", "nan", "null", "none", "missing", "unknown", "?", "-", "~"}
)
YES = frozenset({"1", "true", "t", "yes", "y", "+", "positive", "correct", "right"})
NO = frozenset({"0", "-1", "false", "f", "no", "n", "negative", "incorrect", "wrong", "hint"})
RIGHT_OR_WRONG = frozenset({"correct", "right", "incorrect", "wrong", "hint"})
"""Words that say whether an answer was right, not what was answered; asking for a hint is wrong."""


@dataclass(frozen=True)
class Meaning:
    """What each of the answers in a table means.

    Parameters
    ----------
    yes
        For each text: yes or no; ``None`` for a gap.
    positive, negative
        How the two are called.
    right_or_wrong
        Whether the texts say that an answer was right, rather than what it was.
    against_the_rest
        Whether one answer was set against several others.
    """

    yes: Mapping[str, bool | None]
    positive: str
    negative: str
    right_or_wrong: bool = False
    against_the_rest: bool = False


def canonical(text: str) -> str:
    """Return a text as it is compared: no blanks around it, no capitals, whole numbers as such.

    >>> canonical(" TRUE "), canonical("1.0"), canonical("+1"), canonical("1.5")
    ('true', '1', '1', '1.5')
    """
    plain = text.strip().casefold()
    try:
        number = float(plain)
        return str(int(number)) if number.is_integer() else str(number)
    except (ValueError, OverflowError):  # OverflowError: infinity is no integer
        return plain


def is_gap(text: str) -> bool:
    """Tell whether a cell holds no answer."""
    return text.strip().casefold() in GAPS


def meaning(
    path: Path,
    texts: Sequence[str],
    *,
    positive: str | None = None,
    correct: bool = False,
    unread: str | None = None,
) -> Meaning:
    """Return what each of the different answers in a table means.

    Parameters
    ----------
    path
        The table, for complaints.
    texts
        The different answers, as they stand there.
    positive
        The one that counts as yes, as the user says.
    correct
        Whether the column says that answers were right, by its name.
    unread
        The column that says so, where it is not the one that is read.
    """
    plain = {text: canonical(text) for text in texts}
    values = {value: text.strip() for text, value in plain.items() if value not in GAPS}
    right_or_wrong = correct or (bool(values) and values.keys() <= RIGHT_OR_WRONG)
    if positive is not None:
        yes = frozenset({canonical(positive)})
        _refuse_other(path, positive, values)
    else:
        yes = _told_apart(path, values, correct=correct, unread=unread)
    decoded = {text: None if value in GAPS else value in yes for text, value in plain.items()}
    called = _called(values, yes, right_or_wrong=right_or_wrong)
    rest = positive is not None and len(values) > 2
    return Meaning(decoded, *called, right_or_wrong=right_or_wrong, against_the_rest=rest)


def _told_apart(
    path: Path, values: Mapping[str, str], *, correct: bool, unread: str | None
) -> frozenset[str]:
    """Return the answers that mean yes, if that can be told."""
    unknown = values.keys() - YES - NO
    undecided = not values.keys() & YES and len(values) > 1
    if not unknown and not undecided and not {"0", "-1"} <= values.keys():
        return YES
    said = shown(sorted(values.values()))
    instead = f", or read whether it was right: --column correct={unread!r}" if unread else ""
    if len(values) > 2:
        also = (
            "leave out the rows with others"
            if not correct
            else "round partly right answers to 0 and 1"
        )
        raise InputError(
            f"{path} has {len(values)} different answers ({said}), but must have two: {also}, or "
            f"say which counts as yes, with all others as no: positive='...' (--positive){instead}."
        )
    raise InputError(
        f"{path} has the answers {said}, of which it cannot be told which means yes: "
        f"say positive={min(values.values())!r} (--positive){instead}."
    )


def _refuse_other(path: Path, positive: str, values: Mapping[str, str]) -> None:
    if canonical(positive) not in values:
        raise InputError(
            f"`positive` must be one of the answers in {path}, which are "
            f"{shown(sorted(values.values()))}, but is {positive[:40]!r}."
        )


def _called(
    values: Mapping[str, str], yes: frozenset[str], *, right_or_wrong: bool
) -> tuple[str, str]:
    """Return how the two answers are called: by their words, if they have any."""
    if right_or_wrong:
        return "right", "wrong"
    positive = [text for value, text in values.items() if value in yes]
    negative = [text for value, text in values.items() if value not in yes]
    if not values.keys() - YES - NO:
        return "yes", "no"
    name = positive[0] if positive else "yes"
    return name, negative[0] if len(negative) == 1 else f"not {name}"
