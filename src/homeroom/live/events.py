"""What can happen in a class. Everything else is worked out from it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

from homeroom._checks import InputError

PHASES = ("lobby", "pretest", "teach", "posttest", "done")


@dataclass(frozen=True)
class Opened:
    """A teacher made the class.

    Parameters
    ----------
    name
        What the class is called.
    activity
        What it is taught, by the activity's id.
    code
        What students join with.
    goal
        When the class has it: the expected squared distance to the target, whose own is 1.
    retention_days
        How many days after the last event everything is deleted.
    pretest
        How many items are asked before the lesson, unless as many as the map asks for.
    seed
        Where chance comes from.
    """

    name: str
    activity: str
    code: str
    goal: float = 0.1
    retention_days: int = 30
    pretest: int | None = None
    seed: int = 0


@dataclass(frozen=True)
class Enrolled:
    """Somebody is on the roster, who need not be here yet."""

    student: str
    name: str


@dataclass(frozen=True)
class Joined:
    """Somebody came in for the first time."""

    student: str
    name: str


@dataclass(frozen=True)
class Left:
    """Somebody went away."""

    student: str


@dataclass(frozen=True)
class Returned:
    """Somebody who had left is here again."""

    student: str


@dataclass(frozen=True)
class Reseated:
    """Somebody took her seat again with a code of the teacher's: her other pages are strangers."""

    student: str


@dataclass(frozen=True)
class Removed:
    """The teacher removed students: nothing of them counts any more, and their names are free."""

    students: tuple[str, ...]


@dataclass(frozen=True)
class Locked:
    """The teacher closed the door to all who are not in the class yet, or opened it."""

    locked: bool


@dataclass(frozen=True)
class PhaseBegan:
    """The teacher began one of ``PHASES``."""

    phase: str


@dataclass(frozen=True)
class RoundBegan:
    """Items were put before the class.

    Parameters
    ----------
    round
        Its number: 0 for the pre-test.
    items
        In a test, what everybody is asked; else an item for each group, ``None`` for one that is
        done.
    reasons
        Why the item of each group was chosen: plain numbers, as
        :mod:`homeroom.live.classbook.explanation` makes them.
    each
        In a test, how many of the items each student is asked; all of them unless given.
    """

    round: int
    items: tuple[str | None, ...]
    reasons: tuple[Mapping[str, Any] | None, ...] = ()
    each: int | None = None


@dataclass(frozen=True)
class Finished:
    """There is nothing more to show, and why: a sentence for each group."""

    round: int
    why: tuple[str, ...]


@dataclass(frozen=True)
class Answered:
    """A student answered an item: 1 for yes, -1 for no."""

    student: str
    round: int
    item: str
    answer: int


@dataclass(frozen=True)
class Closed:
    """The teacher went on without the answers that are missing."""

    round: int


@dataclass(frozen=True)
class Skipped:
    """The teacher passed over the present item: who has not answered will not see its label."""

    round: int


@dataclass(frozen=True)
class Overridden:
    """The teacher chose what is shown next."""

    item: str


@dataclass(frozen=True)
class Paused:
    """The teacher stopped the class for a while, or let it go on."""

    paused: bool


@dataclass(frozen=True)
class Regrouped:
    """The teacher split the class anew.

    Parameters
    ----------
    how
        In which way, such as ``"by-rate"`` or ``"best:lam=0.5"``.
    groups
        The group of each student, counted from 0.
    """

    how: str
    groups: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class MapDrawn:
    """The items of an activity without a map were given places, learned from the answers.

    Parameters
    ----------
    places
        Where each item lies; those without answers are left out.
    target
        What is to be learnt, ``(w, -tau)``.
    """

    places: Mapping[str, tuple[float, ...]]
    target: tuple[float, ...]


@dataclass(frozen=True)
class Wrote:
    """A child wrote a letter.

    Parameters
    ----------
    student
        Who.
    round
        The how manyth letter it is, counted from 1.
    strokes
        The ink: a list of points for each stroke, ``{"x", "y", "t", "p"}``.
    scores
        How far it is from the model in each respect, from 0 to 1.
    """

    student: str
    round: int
    strokes: tuple[tuple[Mapping[str, float], ...], ...]
    scores: Mapping[str, float]


Event: TypeAlias = (
    Opened
    | Enrolled
    | Joined
    | Left
    | Returned
    | Reseated
    | Removed
    | Locked
    | PhaseBegan
    | RoundBegan
    | Finished
    | Answered
    | Closed
    | Skipped
    | Overridden
    | Paused
    | Regrouped
    | MapDrawn
    | Wrote
)

KINDS: dict[str, type[Any]] = {
    kind.__name__.lower(): kind
    for kind in (
        Opened,
        Enrolled,
        Joined,
        Left,
        Returned,
        Reseated,
        Removed,
        Locked,
        PhaseBegan,
        RoundBegan,
        Finished,
        Answered,
        Closed,
        Skipped,
        Overridden,
        Paused,
        Regrouped,
        MapDrawn,
        Wrote,
    )
}
"""Every kind of event, by its name in a log."""


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
    plain = {part.name: _plain(getattr(event, part.name)) for part in fields(event)}
    return {"kind": kind_of(event), **plain}


def from_json(said: Mapping[str, Any]) -> Event:
    """Return the event that plain JSON values tell of.

    >>> from_json({"kind": "left", "student": "s1"})
    Left(student='s1')
    """
    kind = KINDS.get(str(said.get("kind")))
    if kind is None:
        raise InputError(
            f"No event is of the kind {said.get('kind')!r}: was the log written by a newer version?"
        )
    given = {name: _frozen(value) for name, value in said.items() if name != "kind"}
    try:
        event: Event = kind(**given)
    except TypeError as why:
        raise InputError(f"An event cannot be read: {why}.") from None
    return event


def key_of(event: Event) -> str | None:
    """Return what makes an event the same when it comes twice; ``None`` where each one counts.

    >>> key_of(Answered("s1", 3, "moth", 1)) == key_of(Answered("s1", 3, "moth", -1))
    True
    """
    if isinstance(event, Answered):
        return f"answered {event.round} {event.student} {event.item}"
    if isinstance(event, Wrote):
        return f"wrote {event.round} {event.student}"
    if isinstance(event, Joined | Enrolled):
        return f"{kind_of(event)} {event.student}"
    return None


def new_id() -> str:
    """Return a fresh id for a class, a student or an activity; nobody can guess it."""
    return secrets.token_hex(8)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple | list) else value


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _frozen(part) for key, part in value.items()}
    return tuple(_frozen(part) for part in value) if isinstance(value, tuple | list) else value
