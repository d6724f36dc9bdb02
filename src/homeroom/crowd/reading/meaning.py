"""What the words in a table mean: yes, no, one of several classes, or no answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from homeroom._checks import InputError, InputTypeError
from homeroom.crowd.answer_arrays import MAX_CLASSES
from homeroom.tables import quoted
from homeroom.tables.table import to_type

GAPS = frozenset(
    {"", "na", "n/a", "n.a.", "nan", "null", "none", "missing", "unknown", "?", "-", "~"}
)
"""Cells without an answer."""

_UNSURE = (
    "unsure|not sure|i'm not sure|i am not sure|don't know|i don't know|dont know|do not know|idk|"
    "can't tell|cannot tell|can't say|i can't tell|i cannot tell|i can't say|hard to tell|"
    "hard to say|uncertain|undecided|no idea|unsicher|weiß nicht|weiss nicht|ich weiß nicht|"
    "ich weiß es nicht|keine ahnung|keine angabe|je ne sais pas|ne sait pas|pas sûr|no sé|no lo sé|"
    "no estoy seguro|no estoy segura|non so|non lo so|não sei|nao sei|weet niet|weet ik niet|"
    "nie wiem|nevím|vet ej|vet inte|vet ikke|ved ikke|en tiedä|nem tudom|bilmiyorum|не знаю|"
    "わからない|分からない|不知道|不确定|모르겠음"
)
UNSURE = frozenset(_UNSURE.split("|")) | frozenset(_UNSURE.replace("'", "’").split("|"))
"""Answers of annotators who did not decide: no answer, unless one of them counts as yes."""

_PERHAPS = "maybe perhaps unclear vielleicht unklar peut-être quizás forse talvez misschien może"
_NOT_SURE = (
    r"not (?:\w+ ){1,2}sure",
    r"nicht \w+ sicher",
    r"pas \w+ sûre?",
    r"no estoy \w+ segur[oa]",
)
_LETTER = "[a-zà-žа-я]"  # words of other scripts may stand without blanks around them
_DOUBT = re.compile(
    rf"(?<!{_LETTER})(?:{'|'.join((*UNSURE, *_PERHAPS.split(), *_NOT_SURE))})(?!{_LETTER})"
)
"""Finds a word of doubt within an answer."""

_YES = "ja oui sí si sì sim tak da да ano igen evet はい 是 예 네 kyllä так ναι כן نعم हाँ ya có"
_NO = (
    "nein non não nao nee nie nej nei нет ne nem hayır hayir いいえ 否 아니요 아니오 ei ні όχι "
    "לא لا नहीं tidak không nu"
)
YES = frozenset({"1", "true", "t", "yes", "y", "+", "positive", "correct", "right", *_YES.split()})
NO = frozenset(
    {"0", "-1", "false", "f", "no", "n", "negative", "incorrect", "wrong", "hint", *_NO.split()}
)
"""The words that mean yes, and those that mean no, as :func:`canonical` writes them."""

LONGEST_ANSWER = 1000
"""The most characters of an answer; longer ones are texts."""

NO_ANSWER = "no answer"
"""The heading under which words for a missing answer are listed."""

RIGHT_OR_WRONG = frozenset({"correct", "right", "incorrect", "wrong", "hint"})
"""Words that say whether an answer was right, not what it was; asking for a hint is wrong."""


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
    is_arbitrary
        Whether it makes no difference which of two answers is called the positive one.
    against_the_rest
        Whether several different answers count as no.
    choices
        Where there are more than two classes: for each text its name; ``None`` for no answer.
    """

    yes: Mapping[str, bool | None]
    positive: str
    negative: str
    yes_words: frozenset[str] = YES
    gaps: frozenset[str] = GAPS | UNSURE
    right_or_wrong: bool = False
    is_arbitrary: bool = False
    against_the_rest: bool = False
    choices: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the answers in their order; of two, the negative one first."""
        if not self.choices:
            return self.negative, self.positive
        return in_order({name for name in self.choices.values() if name})

    def named(self, text: str) -> str | None:
        """Return the name of the answer that a text is; ``None`` for no answer."""
        if self.choices:
            return self.choices[text]
        yes = self.yes[text]
        return None if yes is None else self.positive if yes else self.negative

    @property
    def doubts(self) -> list[str]:
        """The answers that contain words of doubt, but count as answers.

        >>> meaning_of(Path("a.csv"), ["moth", "wasp", "Not sure, too dark", "unsure"]).doubts
        ['Not sure, too dark']
        """
        return sorted(
            text.strip()
            for text in self.choices or self.yes
            if self.named(text) is not None and _DOUBT.search(canonical(text))
        )

    def merged(self, counts: Mapping[str, int]) -> dict[str, dict[str, int]]:
        """Return the different words that count as the same answer, and how often each occurs.

        ``counts`` has how often each text occurs. Words are listed for an answer that has several,
        and for no answer unless all such cells are blank.
        """
        found: dict[str, dict[str, int]] = {}
        words: dict[str, str] = {}
        for text in self.choices or self.yes:
            name = self.named(text) or NO_ANSWER
            word = words.setdefault(canonical(text), text.strip())
            if word:
                of_name = found.setdefault(name, {})
                of_name[word] = of_name.get(word, 0) + counts[text]
        return {name: words for name, words in found.items() if len(words) > 1 or name == NO_ANSWER}


def canonical(text: str) -> str:
    """Return a text as it is compared: stripped, in lower case, whole numbers without a point.

    >>> canonical(" TRUE "), canonical("1.0"), canonical("+1"), canonical("1.5")
    ('true', '1', '1', '1.5')
    """
    plain = text.strip().casefold()
    try:
        number = float(plain)
        return str(int(number)) if number.is_integer() else str(number)
    except (ValueError, OverflowError):  # OverflowError: infinity is not an integer
        return plain


def is_gap(text: str) -> bool:
    """Return whether a cell holds no answer."""
    return text.strip().casefold() in GAPS


def meaning_of(
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
    path, texts
        The table, for errors, and the different answers in it.
    positive, missing
        The answer that counts as yes, with its synonyms, and more words that mean no answer.
    correct, unread
        Whether the column states if answers were right, rather than the answers; and the name of
        another such column, which is not read.
    """
    chosen = frozenset() if positive is None else {canonical(positive)}
    gaps = (GAPS | UNSURE - chosen).union(map(canonical, missing))
    plain = {text: canonical(text) for text in texts}
    if unused := [word for word in missing if canonical(word) not in {*GAPS, *plain.values()}]:
        raise InputError(
            f"`missing` (--missing) names {quoted(unused)}, but the answers in {path} are "
            f"{quoted(sorted(map(str.strip, texts)))}: check the spelling, or leave it out."
        )
    values = {value: text.strip() for text, value in reversed(plain.items()) if value not in gaps}
    if long := [text for text in values.values() if len(text) > LONGEST_ANSWER]:
        raise InputError(
            f"{path} has answers of up to {max(map(len, long))} characters, such as "
            f"{quoted(long, 1)}: is that the right column? Name another, --column answer=..."
        )
    right_or_wrong = correct or (bool(values) and values.keys() <= RIGHT_OR_WRONG)
    if positive is None and not correct and _are_classes(path, values, unread):
        choices = {text: values.get(value) for text, value in plain.items()}
        return Meaning({}, "yes", "no", gaps=gaps, choices=choices)
    is_named = positive is not None
    if positive is None and not correct:
        positive = _denied(values)
        is_named = positive is not None
        positive = positive or _second_of_two(values)
    if positive is not None:
        _refuse_other(path, positive, values)
        yes = synonyms(canonical(positive), values)
    else:
        yes = _known_yes(path, values, unread=unread)
    others = values.keys() - yes
    return Meaning(
        {text: None if value in gaps else value in yes for text, value in plain.items()},
        *_names(values, yes, positive, right_or_wrong=right_or_wrong),
        yes,
        gaps,
        right_or_wrong=right_or_wrong,
        is_arbitrary=positive is not None and not is_named,
        against_the_rest=positive is not None and len(others) > 1 and not others <= NO,
    )


def _are_classes(path: Path, values: Mapping[str, str], unread: str | None) -> bool:
    """Return whether these answers are more than two classes; refuse too many of them."""
    if len(values) < 3 or (values.keys() <= YES | NO and not {"0", "-1"} <= values.keys()):
        return False
    said = f"{path} has {len(values)} different answers ({quoted(sorted(values.values()))})"
    if unread is not None:
        raise InputError(
            f"{said}, and a column that says which were right: name the one to read, "
            f"--column correct={unread!r} or --column answer=... for so many classes."
        )
    if len(values) > MAX_CLASSES:
        raise InputError(
            f"{said}, but may have at most {MAX_CLASSES}: is that the right column? Else name the "
            "one that counts as yes, with all others as no, positive='...' (--positive)."
        )
    return True


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of classes in order: numbers by size, then words by the alphabet.

    >>> in_order(["owl", "10", "9", "kite"])
    ('9', '10', 'kite', 'owl')
    """

    def place(name: str) -> tuple[bool, float, str, str]:
        number = _is_number(name)
        return not number, float(name) if number else 0.0, name.casefold(), name

    return tuple(sorted(names, key=place))


def synonyms(word: str, values: Collection[str]) -> frozenset[str]:
    """Return the words that mean the same as ``word`` in a table with these answers.

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


def words_for_none(
    missing: Iterable[str], texts: Iterable[str], positive: str | None
) -> tuple[str, ...]:
    """Return the words for no answer, which the user may have joined with commas.

    A text with a comma that is an answer in the table is one word. A word may not mean yes as well.

    >>> words_for_none(["no idea, too dark", "skipped,late"], ["no idea, too dark"], None)
    ('no idea, too dark', 'skipped', 'late')
    """
    known = {canonical(text) for text in texts}
    words = tuple(
        word
        for given in missing
        for word in ([given] if canonical(given) in known else given.split(","))
    )
    if positive is not None and canonical(positive) in map(canonical, words):
        raise InputError(
            f"`positive` (--positive) and `missing` (--missing) both name {positive[:200]!r}: it "
            "counts either as yes or as no answer, so leave it out of one of them."
        )
    return words


def check_word(value: object, name: str) -> str:
    """Return a word that is to be found in a table; refuse other types."""
    if not isinstance(value, str):
        raise InputTypeError(
            f"`{name}` must be text as written in the table, as in {str(value)[:200]!r}, "
            f"but is {type(value).__name__}."
        )
    return value


def _known_yes(path: Path, values: Mapping[str, str], *, unread: str | None) -> frozenset[str]:
    """Return the words that mean yes, if all answers have a known meaning."""
    unknown = values.keys() - YES - NO
    undecided = not values.keys() & YES and len(values) > 1
    if not unknown and not undecided and not {"0", "-1"} <= values.keys():
        return YES
    said = quoted(sorted(values.values()))
    instead = f", or read whether it was right: --column correct={unread!r}" if unread else ""
    if len(values) > 2:
        raise InputError(
            f"{path} has {len(values)} different answers ({said}), but must have two: round partly "
            "right answers to 0 and 1, or name the one that counts as yes, with all others as no, "
            f"positive='...' (--positive){instead}."
        )
    either = " or ".join(f"positive={to_type(text)!r}" for text in sorted(values.values()))
    raise InputError(
        f"{path} has the answers {said}, and it is not known which means yes: "
        f"name it, as in {either} (--positive){instead}."
    )


_NOT = "no not non kein keine keinen nicht pas sin senza sem geen nie ingen без не"
NOT = frozenset(_NOT.split())
"""Words before an answer that deny it."""


def _denied(values: Collection[str]) -> str | None:
    """Return which of two answers the other one denies; an article may be between.

    >>> _denied(["moth", "not a moth"]), _denied(["moth", "no wasp"])
    ('moth', None)
    """
    for thing in values if len(values) == 2 else ():
        (other,) = set(values) - {thing}
        first, *rest = other.split() or [""]
        if first in NOT and thing.split() in (rest, rest[1:]):
            return thing
    return None


def _second_of_two(values: Collection[str]) -> str | None:
    """Return the second of two answers that have names: two classes, of which neither means yes.

    >>> _second_of_two(["wasp", "moth"]), _second_of_two(["no", "nein"])
    ('wasp', None)
    """
    are_names = len(values) == 2 and bool({*values} - YES - NO)
    return in_order(values)[1] if are_names else None


def _refuse_other(path: Path, positive: str, values: Mapping[str, str]) -> None:
    if canonical(positive) not in values:
        raise InputError(
            f"`positive` must be one of the answers in {path}, which are "
            f"{quoted(sorted(values.values()))}, but is {positive[:200]!r}."
        )


def _names(
    values: Mapping[str, str], yes: frozenset[str], positive: str | None, *, right_or_wrong: bool
) -> tuple[str, str]:
    """Return the names of the positive and the negative answer, from the table if it has names.

    ``values`` are the answers as written, by canonical form, and ``yes`` those that mean yes.
    """
    if right_or_wrong:
        return "right", "wrong"
    if values.keys() <= YES | NO and not yes & NO:
        return "yes", "no"
    name = values[canonical(positive)] if positive is not None else "yes"
    negative = [text for value, text in values.items() if value not in yes]
    return name, negative[0] if len(negative) == 1 else f"not {name}"
