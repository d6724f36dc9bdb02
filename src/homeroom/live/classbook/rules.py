"""What may happen in a class now; each refusal says why not."""

from __future__ import annotations

import math

from homeroom.live.activities.base import WRITING
from homeroom.live.classbook import learned_map
from homeroom.live.classbook.state import State
from homeroom.live.events import (
    PHASES,
    Answered,
    Closed,
    Enrolled,
    Event,
    Joined,
    Left,
    Opened,
    Overridden,
    PhaseBegan,
    Regrouped,
    Returned,
    Skipped,
    Wrote,
)
from homeroom.live.refused import Refused

LONGEST_NAME = 40
LONGEST_CLASS = 80
MOST_DAYS = 3650
MOST_ASKED = 100
MOST_STUDENTS = 1000
JOINERS = str.maketrans("", "", "\u200c\u200d")
"""Signs that nobody sees, but that names in Persian or Hindi, and some emoji, cannot do without."""

MOST_LETTERS = 500
"""How many letters a child may write in one class."""


def check(state: State, event: Event) -> None:  # noqa: PLR0912 - one line for each kind of event
    """Refuse what cannot happen now."""
    match event:
        case Opened():
            _opened(event)
        case Joined(student, name):
            known = state.people.get(student)
            if known is None or not known.joined:
                _name(state, name, student)
        case Enrolled(student, name):
            _name(state, name, student)
        case Left(student) | Returned(student):
            _joined(state, student)
        case PhaseBegan(phase):
            _phase(state, phase)
        case Answered():
            _answer(state, event)
        case Closed(number) | Skipped(number):
            _round(state, number)
        case Overridden(item):
            _item(state, item)
        case Regrouped(_, groups):
            for student in groups:
                _joined(state, student)
        case Wrote(student, number):
            _letter(state, student, number)
        case _:
            pass


def _opened(event: Opened) -> None:
    name = event.name.strip()
    if not name or len(name) > LONGEST_CLASS or not event.name.isprintable():
        raise Refused(f"A class needs a name of one line, with up to {LONGEST_CLASS} letters.", 422)
    if not 0 < event.goal < math.inf:
        raise Refused(f"The goal must be above 0, such as 0.1, but is {event.goal:g}.", 422)
    if not 1 <= event.retention_days <= MOST_DAYS:
        raise Refused(
            f"Data is kept for 1 to {MOST_DAYS} days, but not for {event.retention_days}.", 422
        )
    if event.pretest is not None and not 1 <= event.pretest <= MOST_ASKED:
        raise Refused(f"A test asks 1 to {MOST_ASKED} items, but not {event.pretest}.", 422)


def _name(state: State, name: str, student: str) -> None:
    seen = name.translate(JOINERS)
    if not seen.strip() or not seen.isprintable():
        raise Refused("A name must have at least one letter, and be written in one line.", 422)
    if len(name) > LONGEST_NAME:
        raise Refused(f"A name may have up to {LONGEST_NAME} letters, but has {len(name)}.", 422)
    same = _sounds(name)
    if any(_sounds(one.name) == same and one.id != student for one in state.people.values()):
        raise Refused(f"Somebody here is called {name.strip()} already: choose another name.")
    if len(state.people) >= MOST_STUDENTS and student not in state.people:
        raise Refused(f"The class is full: it has {MOST_STUDENTS} students.")


def _sounds(name: str) -> str:
    """Return what two names have in common that nobody can tell apart."""
    return name.translate(JOINERS).strip().casefold()


def _joined(state: State, student: str) -> None:
    known = state.people.get(student)
    if known is None or not known.joined:
        raise Refused("There is no such student in this class.", 404)


def _phase(state: State, phase: str) -> None:
    if phase not in PHASES:
        raise Refused(f"A class has the phases {', '.join(PHASES)}, but not {phase[:40]!r}.", 422)
    begun = any(done.phase == "teach" for done in state.rounds)
    if phase in ("lobby", "pretest") and begun:
        raise Refused("The lesson has begun already: make a new class to start from the beginning.")
    if phase in ("pretest", "posttest") and state.activity.kind == WRITING:
        raise Refused("Letters are written, not asked: this class has no tests.")
    if phase == "teach" and state.space is None and state.activity.kind != WRITING:
        learned_map.drawn(state)


def _answer(state: State, event: Answered) -> None:
    _joined(state, event.student)
    if event.answer not in (1, -1):
        raise Refused(f"An answer is 1 or -1, but this is {event.answer}.", 422)
    if not state.people[event.student].here:
        raise Refused("You have left this class: come back first.")
    now = state.now
    if now is None or now.number != event.round or now.ended is not None:
        raise Refused(f"Round {event.round} is over.")
    if event.item not in now.asked(event.student):
        raise Refused("You are not asked about this item now.", 404)
    if state.paused:
        raise Refused("The class is paused: wait until it goes on.")


def _round(state: State, number: int) -> None:
    now = state.now
    if now is None or now.is_test or now.number != number:
        raise Refused("No example is being shown that could be passed over.")


def _item(state: State, item: str) -> None:
    if state.phase != "teach" or state.space is None:
        raise Refused("Items can be chosen during the lesson: begin it first.")
    if item not in state.activity.item_of:
        raise Refused(f"The activity has no item {item[:60]!r}.", 404)
    if item not in state.space.number:
        raise Refused(
            f"{item!r} cannot be shown: its label is not known or not what the rule says."
        )


def _letter(state: State, student: str, number: int) -> None:
    _joined(state, student)
    if state.activity.kind != WRITING:
        raise Refused("In this class nothing is written.")
    if state.phase != "teach" or state.paused:
        raise Refused("The class is not writing now: wait until it goes on.")
    before = max((wrote.round for wrote in state.wrote if wrote.student == student), default=0)
    if not 1 <= number <= before + 1:
        raise Refused(f"Letter {number} cannot come yet: the next one is letter {before + 1}.")
    if number > MOST_LETTERS:
        raise Refused(f"These were {MOST_LETTERS} letters, and that is enough for one class.")
