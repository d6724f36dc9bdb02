"""What the answers mean: which is yes, which is no, and which is none at all."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from homeroom._checks import InputError
from homeroom.crowd.reading.source import shown

GAPS = frozenset(
    {"", "na", "n/a", "n.a.", "nan", "null", "none", "missing", "unknown", "?", "-", "~"}
)
YES = frozenset({"1", "true", "t", "yes", "y", "+", "positive", "correct", "right"})
NO = frozenset({"0", "-1", "false", "f", "no", "n", "negative", "incorrect", "wrong", "hint"})
NO_ANSWER = "no answer"
"""What words for a missing answer are listed under."""

RIGHT_OR_WRONG = frozenset({"correct", "right", "incorrect", "wrong", "hint"})
"""Words that say whether an answer was right, not what was answered; asking for a hint is wrong."""


@dataclass(frozen=True)
class Meaning:
    """What each of the answers in a table means.

    Parameters
    ----------
    yes
        For each text: yes or no; ``None`` for no answer.
    positive, negative
        The names of the two answers.
    yes_words, gaps
        The words that mean yes, and those that mean no answer, as :func:`canonical` writes them.
    right_or_wrong
        Whether the texts say that an answer was right, rather than what it was.
    against_the_rest
        Whether one answer was set against several others.
    """

    yes: Mapping[str, bool | None]
    positive: str
    negative: str
    yes_words: frozenset[str] = YES
    gaps: frozenset[str] = GAPS
    right_or_wrong: bool = False
    against_the_rest: bool = False

    def merged(self, counts: Mapping[str, int]) -> dict[str, dict[str, int]]:
        """Return the different words that count as the same answer, and how often each occurs.

        ``counts`` has how often each text occurs. Words are listed for an answer that has several,
        and for no answer unless all such cells are blank.
        """
        found: dict[str, dict[str, int]] = {}
        words: dict[str, str] = {}
        for text, yes in self.yes.items():
            name = NO_ANSWER if yes is None else self.positive if yes else self.negative
            word = words.setdefault(canonical(text), text.strip())
            if word:
                of_name = found.setdefault(name, {})
                of_name[word] = of_name.get(word, 0) + counts[text]
        return {name: words for name, words in found.items() if len(words) > 1 or name == NO_ANSWER}


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
    missing: Collection[str] = (),
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
        The one that counts as yes, with its synonyms; all others count as no.
    missing
        More words that mean no answer.
    correct
        Whether the column says that answers were right, by its name.
    unread
        The column that says so, where it is not the one that is read.
    """
    gaps = GAPS.union(map(canonical, missing))
    plain = {text: canonical(text) for text in texts}
    values = {value: text.strip() for text, value in plain.items() if value not in gaps}
    right_or_wrong = correct or (bool(values) and values.keys() <= RIGHT_OR_WRONG)
    if positive is not None:
        _refuse_other(path, positive, values)
        yes = synonyms(canonical(positive), values)
    else:
        yes = _told_apart(path, values, correct=correct, unread=unread)
    others = values.keys() - yes
    return Meaning(
        {text: None if value in gaps else value in yes for text, value in plain.items()},
        *_called(values, yes, positive, right_or_wrong=right_or_wrong),
        yes,
        gaps,
        right_or_wrong=right_or_wrong,
        against_the_rest=positive is not None and len(others) > 1 and not others <= NO,
    )


def synonyms(word: str, values: Collection[str]) -> frozenset[str]:
    """Return the words that mean the same as one that is in a table with these values.

    A number or a letter may be one of several choices: next to a 2, the 1 does not mean yes, nor
    does a y next to an x.

    >>> sorted(synonyms("yes", ["yes", "no", "1", "0"]) & {"1", "y", "true"})
    ['1', 'true', 'y']
    >>> sorted(synonyms("1", ["1", "2", "3"]))
    ['1']
    """
    same = next((group for group in (YES, NO) if word in group), frozenset({word}))
    choices: set[str] = set()
    for kind in (_is_number, _is_letter):
        found = set(filter(kind, values))
        if not found <= YES | NO:
            choices.update(filter(kind, same))
    if {"0", "-1"} <= set(values):
        choices |= {"0", "-1"}
    return (same if word not in choices else frozenset()) - choices | {word}


def _is_number(value: str) -> bool:
    return value.removeprefix("-").replace(".", "", 1).isdecimal()


def _is_letter(value: str) -> bool:
    return len(value) == 1 and value.isalpha()


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
    values: Mapping[str, str],
    yes: frozenset[str],
    positive: str | None,
    *,
    right_or_wrong: bool,
) -> tuple[str, str]:
    """Return the names of the two answers: the words of the table, if it has any."""
    if right_or_wrong:
        return "right", "wrong"
    if values.keys() <= YES | NO and not yes & NO:
        return "yes", "no"
    name = values[canonical(positive)] if positive is not None else "yes"
    negative = [text for value, text in values.items() if value not in yes]
    return name, negative[0] if len(negative) == 1 else f"not {name}"
