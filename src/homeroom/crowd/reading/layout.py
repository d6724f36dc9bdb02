"""Which column holds what: by the names that other tools use, or as the user says."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from homeroom._checks import InputError
from homeroom.tables import find_column, head, normalized, quoted

PARTS = STUDENT, ITEM, ANSWER, CORRECT, TIME, LABEL = (
    "student",
    "item",
    "answer",
    "correct",
    "time",
    "label",
)
"""What a column can hold: the annotator, the item, the answer (or whether it was right), the time,
the expert's label."""

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
"""The names of columns in other tools, best first; case, blanks, dashes and underscores do not
matter."""

_KNOWN = {part: [normalized(name) for name in names.split()] for part, names in ALIASES.items()}

_LAST = "label"
"""The answer where no other column is, as in ``worker, task, label``; else the expert's label."""

_PAIR = ("problemname", "stepname")
"""In DataShop's tables, items are the steps of problems."""

_ATTEMPT = "attemptatstep"
"""DataShop counts attempts in this column; the last attempt is always right."""


@dataclass(frozen=True)
class Layout:
    """Where a table keeps its parts.

    Parameters
    ----------
    places
        The column of each part that the table has; several for an item whose name is in pieces.
    header
        The names of all columns.
    unread
        The column that says whether an answer was right, where another has the answer itself and
        the user did not name that one.
    """

    places: Mapping[str, tuple[int, ...]]
    header: Sequence[str]
    unread: str | None = None

    def __contains__(self, part: str) -> bool:
        return part in self.places

    @property
    def is_long(self) -> bool:
        """Whether there is one row per answer."""
        answered = ANSWER in self or CORRECT in self
        return STUDENT in self and ITEM in self and answered

    @property
    def is_wide(self) -> bool:
        """Whether there is one row per annotator, or one per item."""
        answered = ANSWER in self or CORRECT in self
        return (STUDENT in self) != (ITEM in self) and not answered and len(self.header) > 1

    @property
    def counts_attempts(self) -> bool:
        """Whether there is one row per attempt, of which only the first shows what was known."""
        return any(normalized(name) == _ATTEMPT for name in self.header)

    def describe(self) -> str:
        """Return which columns were used for which parts, where the names differ."""
        said = [
            f"{part} from {' + '.join(self._name(at) for at in places)}"
            for part, places in self.places.items()
            if [normalized(self.header[at]) for at in places] != [part]
        ]
        return ", ".join(said)

    def _name(self, at: int) -> str:
        name = self.header[at].strip()
        return f"column {at + 1}" if name in ("", str(at + 1)) else repr(name)


def layout_of(path: Path, header: Sequence[str], given: Mapping[str, str] | None = None) -> Layout:
    """Return where the parts are: as given, and the others by the names that other tools use."""
    places: dict[str, tuple[int, ...]] = {part: (at,) for part, at in find_parts(header).items()}
    spelt = head(header)
    if all(name in spelt for name in _PAIR):
        places[ITEM] = tuple(spelt.index(name) for name in _PAIR)
    if header and not header[0].strip() and not {STUDENT, ITEM} & places.keys():
        places[STUDENT] = (0,)  # a matrix with an empty corner
    named = {part: _named(path, header, part, name) for part, name in (given or {}).items()}
    _refuse_shared(path, header, named)
    if ANSWER in named or CORRECT in named:
        places = {part: at for part, at in places.items() if part not in (ANSWER, CORRECT)}
    taken = {at for columns in named.values() for at in columns}
    places = {part: at for part, at in places.items() if not taken & set(at)}
    places |= named
    unread = None
    if ANSWER in places and CORRECT in places:
        right = header[places.pop(CORRECT)[0]].strip()
        unread = None if ANSWER in named else right
    _refuse_duplicates(path, header, places)
    return Layout(places, header, unread)


def find_parts(header: Sequence[str]) -> dict[str, int]:
    """Return the column of each part that has one of the names that other tools use."""
    spelt = head(header)
    found: dict[str, int] = {}
    for part, aliases in _KNOWN.items():
        for alias in aliases:
            if alias in spelt and spelt.index(alias) not in found.values():
                found[part] = spelt.index(alias)
                break
    if _LAST in spelt:
        answered = ANSWER in found or CORRECT in found
        found.setdefault(LABEL if answered else ANSWER, spelt.index(_LAST))
    return found


def _named(path: Path, header: Sequence[str], part: str, name: str) -> tuple[int, ...]:
    """Return the column, or the columns joined by ``+``, that the user names for a part."""
    if part not in PARTS:
        raise InputError(
            f"`columns` must say where to find {', '.join(PARTS)}, but names {part[:40]!r}."
        )
    if _place(header, name) is None and "+" in name:
        pieces = [piece.strip() for piece in name.split("+")]
        return tuple(_must_have(path, header, part, piece) for piece in pieces)
    return (_must_have(path, header, part, name),)


def _place(header: Sequence[str], name: str) -> int | None:
    exact = [known.strip() for known in header]
    return exact.index(name.strip()) if name.strip() in exact else find_column(header, [name])


def _must_have(path: Path, header: Sequence[str], part: str, name: str) -> int:
    found = _place(header, name)
    if found is None:
        close = difflib.get_close_matches(name, header, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise InputError(
            f"{path} has no column {name[:40]!r} for the {part}: it has {quoted(header)}.{hint}"
        )
    return found


def _refuse_shared(path: Path, header: Sequence[str], named: Mapping[str, tuple[int, ...]]) -> None:
    part_of: dict[int, str] = {}
    for part, columns in named.items():
        for at in columns:
            if at in part_of:
                raise InputError(
                    f"{path} has one column {header[at].strip()[:40]!r}, but it is named for the "
                    f"{part_of[at]} and the {part}: name another for one of them."
                )
            part_of[at] = part


def _refuse_duplicates(
    path: Path, header: Sequence[str], places: Mapping[str, tuple[int, ...]]
) -> None:
    names = [name.strip() for name in header]
    for part, columns in places.items():
        for at in columns:
            if names[at] and names.count(names[at]) > 1:
                raise InputError(
                    f"{path} has {names.count(names[at])} columns {names[at][:40]!r}, any of which "
                    f"could be the {part}: rename one."
                )


def missing_parts(path: Path, layout: Layout) -> InputError:
    """Return the error for a table without an annotator, an item or an answer."""
    parts = {STUDENT: STUDENT in layout, ITEM: ITEM in layout}
    parts[ANSWER] = ANSWER in layout or CORRECT in layout
    missing = [part for part, there in parts.items() if not there]
    if not any(name.strip() for name in layout.header):
        return InputError(f"{path} is empty: it needs a header such as student,item,answer.")
    taken = {at for columns in layout.places.values() for at in columns}
    free = [name for at, name in enumerate(layout.header) if at not in taken]
    example = (free or ["..."])[0][:30]
    return InputError(
        f"{path} has no column for the {' and the '.join(missing)}: it has {quoted(layout.header)}."
        f" Name it, as in columns={{{missing[0]!r}: {example!r}}} "
        f"(--column {missing[0]}={example!r})."
    )
