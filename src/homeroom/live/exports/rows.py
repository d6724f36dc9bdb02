"""Every answer with all that belongs to it: what the exports have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from homeroom.live.classbook import ClassBook
from homeroom.live.events import Answered
from homeroom.live.store.store import Stored


class Said(NamedTuple):
    """An answer that counts: who said what, when, and whether it was right (if anybody knows)."""

    student: str
    name: str
    phase: str
    round: int
    item: str
    answer: int
    label: int | None
    at: float
    version: int

    @property
    def right(self) -> bool | None:
        """Whether the answer was right; ``None`` where nobody knows."""
        return None if self.label is None else self.answer == self.label


def answers(book: ClassBook, stored: Sequence[Stored]) -> Iterator[Said]:
    """Yield the answers that count, in the order they came; not those that came too late."""
    state = book.state
    phases = {done.number: done for done in state.rounds}
    for one in stored:
        event = one.event
        if not isinstance(event, Answered):
            continue
        done = phases.get(event.round)
        if done is None or done.answers.get((event.student, event.item)) != event.answer:
            continue
        yield Said(
            event.student,
            state.people[event.student].name,
            done.phase,
            event.round,
            event.item,
            event.answer,
            state.activity.labels.get(event.item),
            one.at,
            one.version,
        )


def clock(at: float) -> str:
    """Return a time as others read it.

    >>> clock(0.5)
    '1970-01-01T00:00:00.500Z'
    """
    when = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
    return when.replace("+00:00", "Z")
