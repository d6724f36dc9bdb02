"""Which column says what: by the names that other tools use, or as the user says."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from homeroom._checks import InputError
from homeroom.crowd.reading.source import shown

STUDENT, ITEM, ANSWER, CORRECT, TIME, LABEL = (
    "student",
    "item",
    "answer",
    "correct",
    "time",
    "label",
)

PARTS = (STUDENT, ITEM, ANSWER, CORRECT, TIME, LABEL)
"""What a column can be: who, to what, what was answered (or whether right), when; the expert."""

ALIASES = {
    STUDENT: (
        "student studentid student_name worker workerid user userid learner learnerid person "
        "personid people pupil pupilid annotator annotatorid rater raterid participant "
        "participantid subject subjectid respondent respondentid turker labeler labeller "
        "performer anonstudentid name"
    ),
    ITEM: (
        "item itemid task taskid question questionid problem problemid problemname content "
        "contentid image imageid picture object objectid exercise exerciseid example exampleid "
        "stepname"
    ),
    ANSWER: (
        "answer response choice chosen vote judgement judgment annotation workerlabel worker_answer"
    ),
    CORRECT: (
        "correct iscorrect outcome correctfirstattempt firstattempt answeredcorrectly correctness"
    ),
    TIME: (
        "time timestamp datetime answeredat submittime starttime firsttransactiontime "
        "problemstarttime clock orderid order trial date"
    ),
    LABEL: (
        "truth expert expertlabel expert_answer gold goldlabel gold_answer golden truelabel "
        "groundtruth correctanswer answerkey key target"
    ),
}
"""What columns are called elsewhere, best first; case, blanks, dashes and underscores aside."""

_LAST = "label"
"""Is the answer where nothing else is, as with ``worker, task, label``; else the expert's."""

_PAIR = ("problemname", "stepname")
"""DataShop's items are the steps of problems."""

_ATTEMPT = "attemptatstep"
"""Where DataShop counts how often somebody tried: the last time it is right."""


@dataclass(frozen=True)
class Layout:
    """Where a table keeps its parts.

    Parameters
    ----------
    places
        The column of each part that there is; several for an item whose name is in pieces.
    header
        What the columns are called.
    unread
        The column that says whether an answer was right, where another has the answer itself.
    """

    places: Mapping[str, tuple[int, ...]]
    header: Sequence[str]
    unread: str | None = None

    def __contains__(self, part: str) -> bool:
        return part in self.places

    @property
    def is_long(self) -> bool:
        """Whether there is a row for each answer."""
        answered = ANSWER in self or CORRECT in self
        return STUDENT in self and ITEM in self and answered

    @property
    def is_wide(self) -> bool:
        """Whether there is a row for each person, or for each item."""
        answered = ANSWER in self or CORRECT in self
        return (STUDENT in self) != (ITEM in self) and not answered and len(self.header) > 1

    @property
    def counts_attempts(self) -> bool:
        """Whether there is a row for each attempt, of which only the first tells what is known."""
        return any(plain(name) == _ATTEMPT for name in self.header)

    def in_words(self) -> str:
        """Return what was taken for what, where the names differ."""
        said = [
            f"{part} from {' + '.join(self._name(at) for at in places)}"
            for part, places in self.places.items()
            if [plain(self.header[at]) for at in places] != [part]
        ]
        return ", ".join(said)

    def _name(self, at: int) -> str:
        name = self.header[at].strip()
        return f"column {at + 1}" if name in ("", str(at + 1)) else repr(name)


def plain(name: str) -> str:
    """Return a column's name without what people write differently.

    >>> plain(" Anon Student-Id ")
    'anonstudentid'
    """
    return re.sub(r"[\s_.\-]+", "", name).lower()


_KNOWN = {part: [plain(name) for name in names.split()] for part, names in ALIASES.items()}


def layout(path: Path, header: Sequence[str], given: Mapping[str, str] | None = None) -> Layout:
    """Return where the parts are: as given, and the rest by the names that others use."""
    places: dict[str, tuple[int, ...]] = {part: (at,) for part, at in found_parts(header).items()}
    plainly = [plain(name) for name in header]
    if all(name in plainly for name in _PAIR):
        places[ITEM] = tuple(plainly.index(name) for name in _PAIR)
    if header and not header[0].strip() and not {STUDENT, ITEM} & places.keys():
        places[STUDENT] = (0,)  # a matrix whose corner is empty
    told = {part: _told(path, header, part, name) for part, name in (given or {}).items()}
    _refuse_twice(path, header, told)
    if ANSWER in told or CORRECT in told:
        places = {part: at for part, at in places.items() if part not in (ANSWER, CORRECT)}
    taken = {at for columns in told.values() for at in columns}
    places = {part: at for part, at in places.items() if not taken & set(at)}
    places |= told
    unread = None
    if ANSWER in places and CORRECT in places:
        unread = header[places.pop(CORRECT)[0]].strip()
    _refuse_doubles(path, header, places)
    return Layout(places, header, unread)


def found_parts(header: Sequence[str]) -> dict[str, int]:
    """Return the column of each part that has one of the names that others use."""
    plainly = [plain(name) for name in header]
    found: dict[str, int] = {}
    for part, aliases in _KNOWN.items():
        for alias in aliases:
            if alias in plainly and plainly.index(alias) not in found.values():
                found[part] = plainly.index(alias)
                break
    if _LAST in plainly:
        answered = ANSWER in found or CORRECT in found
        found.setdefault(LABEL if answered else ANSWER, plainly.index(_LAST))
    return found


def _told(path: Path, header: Sequence[str], part: str, name: str) -> tuple[int, ...]:
    """Return the column, or the columns joined by ``+``, that the user names for a part."""
    if part not in PARTS:
        raise InputError(
            f"`columns` must say where to find {', '.join(PARTS)}, but names {part[:40]!r}."
        )
    if _place(header, name) is None and "+" in name:
        pieces = [piece.strip() for piece in name.split("+")]
        return tuple(_must_be(path, header, part, piece) for piece in pieces)
    return (_must_be(path, header, part, name),)


def _place(header: Sequence[str], name: str) -> int | None:
    for column, known in enumerate(header):
        if known.strip() == name.strip():
            return column
    plainly = [plain(known) for known in header]
    return plainly.index(plain(name)) if plain(name) in plainly else None


def _must_be(path: Path, header: Sequence[str], part: str, name: str) -> int:
    found = _place(header, name)
    if found is None:
        close = difflib.get_close_matches(name, header, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise InputError(
            f"{path} has no column {name[:40]!r} for the {part}: it has {shown(header)}.{hint}"
        )
    return found


def _refuse_twice(path: Path, header: Sequence[str], told: Mapping[str, tuple[int, ...]]) -> None:
    part_of: dict[int, str] = {}
    for part, columns in told.items():
        for at in columns:
            if at in part_of:
                raise InputError(
                    f"{path} has one column {header[at].strip()[:40]!r}, but it is named for the "
                    f"{part_of[at]} and the {part}: name another for one of them."
                )
            part_of[at] = part


def _refuse_doubles(
    path: Path, header: Sequence[str], places: Mapping[str, tuple[int, ...]]
) -> None:
    names = [name.strip() for name in header]
    for part, columns in places.items():
        for at in columns:
            if names[at] and names.count(names[at]) > 1:
                raise InputError(
                    f"{path} has {names.count(names[at])} columns {names[at][:40]!r}, so that it "
                    f"cannot be told which is the {part}: rename one."
                )


def nothing_found(path: Path, found: Layout) -> InputError:
    """Return the refusal of a table of which it cannot be told what is what."""
    parts = {STUDENT: STUDENT in found, ITEM: ITEM in found}
    parts[ANSWER] = ANSWER in found or CORRECT in found
    missing = [part for part, there in parts.items() if not there]
    if not any(name.strip() for name in found.header):
        return InputError(f"{path} is empty: it needs a header such as student,item,answer.")
    taken = {at for columns in found.places.values() for at in columns}
    free = [name for at, name in enumerate(found.header) if at not in taken]
    example = (free or ["..."])[0][:30]
    return InputError(
        f"{path} has no column for the {' and the '.join(missing)}: it has {shown(found.header)}. "
        f"Say which it is, as in columns={{{missing[0]!r}: {example!r}}} "
        f"(--column {missing[0]}={example!r})."
    )
