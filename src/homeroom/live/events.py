"""The events of a class; everything else is computed from them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias, get_args

from homeroom._checks import InputError

PHASES = ("lobby", "pretest", "teach", "posttest", "done")
"""The parts of a lesson, in order."""

REVEALS = ("own", "all", "teacher")
FORMS = ("own", "print", "cursive")


@dataclass(frozen=True)
class Opened:
    """A teacher created the class, or, if it exists, began its next lesson.

    The next lesson has the same students and the same code, and may have another activity.

    Parameters
    ----------
    name
        The name of the class.
    activity
        The id of the activity that is taught.
    code
        The code with which students join.
    goal
        The lesson is over when the class's share of wrong answers is below it, with probability
        0.95. (Classes of version 0.1 ended at this mean squared distance to the target.)
    retention_days
        Everything is deleted this many days after the last event.
    pretest
        The number of items of the pre-test; by default, as many as the map needs.
    seed
        The seed of all random choices.
    reveal
        When students see the right answer: one of ``REVEALS``. With ``"own"``, as in version 0.1,
        it comes with their own answer; with ``"all"``, when all have answered; with ``"teacher"``,
        when the teacher shows it, and the next item comes when the teacher continues.
    discussion
        The seconds from then until the next item follows.
    experiment
        The settings of :class:`~homeroom.live.classbook.experiment.Experiment`, if the lesson
        compares ways of teaching.
    form
        With which forms handwritten letters are compared: one of ``FORMS``. With ``"own"``, each
        student has the form that fits their first letters best.
    """

    name: str
    activity: str
    code: str
    goal: float = 0.1
    retention_days: int = 30
    pretest: int | None = None
    seed: int = 0
    reveal: str = "own"
    discussion: float = 0.0
    experiment: Mapping[str, Any] | None = None
    form: str = "own"


@dataclass(frozen=True)
class Enrolled:
    """A student is on the class list; they may join later."""

    student: str
    name: str


@dataclass(frozen=True)
class Joined:
    """A student joined for the first time."""

    student: str
    name: str


@dataclass(frozen=True)
class Left:
    """A student left."""

    student: str


@dataclass(frozen=True)
class Returned:
    """A student who had left is back."""

    student: str


@dataclass(frozen=True)
class Reseated:
    """A student got their seat back with a seat code: their other pages become invalid."""

    student: str


@dataclass(frozen=True)
class SignedOut:
    """Students signed out, as on a shared device. The next to join with a name gets that seat."""

    students: tuple[str, ...]


@dataclass(frozen=True)
class Removed:
    """The teacher removed students: their answers no longer count, and their names are free."""

    students: tuple[str, ...]


@dataclass(frozen=True)
class Locked:
    """The teacher locked the class to new students, or unlocked it."""

    locked: bool


@dataclass(frozen=True)
class PhaseBegan:
    """The teacher began one of ``PHASES``."""

    phase: str


@dataclass(frozen=True)
class PhaseUndone:
    """The teacher returned to the previous phase: what students did since is dropped."""


@dataclass(frozen=True)
class Focused:
    """The teacher continues the lesson with some students; the others pause."""

    students: tuple[str, ...]


@dataclass(frozen=True)
class ReviewSet:
    """The teacher lets students who have finished review what they know, or pause."""

    review: bool


@dataclass(frozen=True)
class RoundBegan:
    """A round began: items are shown to the class.

    Parameters
    ----------
    round
        The number of the round: 0 for the pre-test.
    items
        In a test, the items that all students are asked; otherwise the item of each group, ``None``
        for a group that is done.
    reasons
        Why the item of each group was chosen: plain numbers, as
        :mod:`homeroom.live.classbook.choosing` computes them.
    each
        In a test, the number of items that each student is asked; all of them by default.
    """

    round: int
    items: tuple[str | None, ...]
    reasons: tuple[Mapping[str, Any] | None, ...] = ()
    each: int | None = None


@dataclass(frozen=True)
class Finished:
    """The lesson is over, and why: one sentence per group."""

    round: int
    why: tuple[str, ...]


@dataclass(frozen=True)
class Answered:
    """A student answered an item.

    Parameters
    ----------
    student, round, item
        Who answered what.
    answer
        1 for yes, -1 for no, else the number of one of the item's options.
    seconds
        How long the item was on the student's page before, if the page measured it.
    """

    student: str
    round: int
    item: str
    answer: int
    seconds: float | None = None


@dataclass(frozen=True)
class Closed:
    """The teacher continued without the missing answers: the right answer is shown."""

    round: int


@dataclass(frozen=True)
class Continued:
    """The teacher ended the discussion of an item: the next one may come."""

    round: int


@dataclass(frozen=True)
class Skipped:
    """The teacher skipped the item: students who have not answered do not see its label."""

    round: int


@dataclass(frozen=True)
class Overridden:
    """The teacher chose the next item."""

    item: str


@dataclass(frozen=True)
class Paused:
    """The teacher paused the class, or resumed it."""

    paused: bool


@dataclass(frozen=True)
class Regrouped:
    """The teacher split the class into new groups.

    Parameters
    ----------
    how
        The rule, such as ``"by-rate"`` or ``"best:lam=0.5"``.
    groups
        The group of each student, counted from 0.
    """

    how: str
    groups: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Consented:
    """A student agreed to take part in an experiment, or did not, or no longer does."""

    student: str
    agrees: bool


@dataclass(frozen=True)
class MapDrawn:
    """A map was learned from the answers, for an activity that has none.

    Parameters
    ----------
    places
        The place of each item; items without answers are left out.
    target
        The state to be learned, ``(w, -tau)``: the answer is yes where ``<w, place> > tau``.
    """

    places: Mapping[str, tuple[float, ...]]
    target: tuple[float, ...]


@dataclass(frozen=True)
class Wrote:
    """A student wrote a letter.

    Parameters
    ----------
    student
        The student.
    round
        The number of the letter, counted from 1.
    strokes
        The ink: a list of points per stroke, ``{"x", "y", "t", "p"}``.
    scores
        The distances from the model, from 0 to 1, by name.
    form
        The name of the form that the letter was compared with; empty if it is not known.
    """

    student: str
    round: int
    strokes: tuple[tuple[Mapping[str, float], ...], ...]
    scores: Mapping[str, float]
    form: str = ""


Event: TypeAlias = (
    Opened
    | Enrolled
    | Joined
    | Left
    | Returned
    | Reseated
    | SignedOut
    | Removed
    | Locked
    | PhaseBegan
    | PhaseUndone
    | Focused
    | ReviewSet
    | RoundBegan
    | Finished
    | Answered
    | Closed
    | Continued
    | Skipped
    | Overridden
    | Paused
    | Regrouped
    | Consented
    | MapDrawn
    | Wrote
)

KINDS: dict[str, type[Any]] = {kind.__name__.lower(): kind for kind in get_args(Event)}
"""All kinds of events, by their names in a log."""


SINCE_0_2 = ("reveal", "discussion", "experiment", "form", "seconds")
"""Fields that version 0.1 did not have: they are stored only where they differ from the default."""


def kind_of(event: Event) -> str:
    """Return the name of an event's kind in a log.

    >>> kind_of(Answered("s1", 3, "moth", 1))
    'answered'
    """
    return type(event).__name__.lower()


def to_json(event: Event) -> dict[str, Any]:
    """Return an event as plain JSON values.

    >>> to_json(Answered("s1", 3, "moth", 1))
    {'kind': 'answered', 'student': 's1', 'round': 3, 'item': 'moth', 'answer': 1}
    """
    plain = {
        part.name: _plain(getattr(event, part.name))
        for part in fields(event)
        if part.name not in SINCE_0_2 or getattr(event, part.name) != part.default
    }
    return {"kind": kind_of(event), **plain}


def from_json(values: Mapping[str, Any]) -> Event:
    """Return the event that plain JSON values describe.

    >>> from_json({"kind": "left", "student": "s1"})
    Left(student='s1')
    """
    kind = KINDS.get(str(values.get("kind")))
    if kind is None:
        raise InputError(
            f"There is no event of the kind {values.get('kind')!r}: was the log written by a newer "
            "version?"
        )
    given = {name: _frozen(value) for name, value in values.items() if name != "kind"}
    try:
        event: Event = kind(**given)
    except TypeError as why:
        raise InputError(f"An event cannot be read: {why}.") from None
    return event


def key_of(event: Event, lesson: int = 1) -> str | None:
    """Return a key that is the same if an event is sent twice; ``None`` if each one counts.

    Parameters
    ----------
    event
        The event.
    lesson
        The number of the class's lesson: rounds are counted from the beginning in each of them.

    >>> key_of(Answered("s1", 3, "moth", 1)) == key_of(Answered("s1", 3, "moth", -1))
    True
    """
    within = "" if lesson == 1 else f"lesson {lesson} "
    if isinstance(event, Answered):
        return f"{within}answered {event.round} {event.student} {event.item}"
    if isinstance(event, Wrote):
        return f"{within}wrote {event.round} {event.student}"
    if isinstance(event, Joined | Enrolled):
        return f"{kind_of(event)} {event.student}"
    return None


def new_id() -> str:
    """Return a new id for a class, a student or an activity; it cannot be guessed."""
    return secrets.token_hex(8)


def _plain(value: Any) -> Any:
    """Return a value as JSON values: dictionaries and lists."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple | list) else value


def _frozen(value: Any) -> Any:
    """Return JSON values with tuples in place of lists."""
    if isinstance(value, Mapping):
        return {key: _frozen(part) for key, part in value.items()}
    return tuple(_frozen(part) for part in value) if isinstance(value, tuple | list) else value
