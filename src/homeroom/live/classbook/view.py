"""What a student sees: her own, and nothing of anybody else."""

from __future__ import annotations

from typing import Any

from homeroom.live.activities.base import Item
from homeroom.live.activities.insects import species_of
from homeroom.live.classbook.board import group_name, picture_of
from homeroom.live.classbook.rounds import Round
from homeroom.live.classbook.rules import seated
from homeroom.live.classbook.state import State


def view(state: State, student: str) -> dict[str, Any]:
    """Return all that a student's page shows her.

    Labels are kept back in tests, and until she has answered.
    """
    known = seated(state, student)
    now = state.now
    left = () if now is None or not known.here else now.left(student)
    answered = now is not None and bool(now.asked(student)) and not left
    return {
        "kind": state.activity.kind,
        "activity": state.activity.id,
        "activity_name": state.activity.name,
        "phase": state.phase,
        "paused": state.paused,
        "round": _number(state, now, student),
        "version": state.version,
        "student": student,
        "nickname": known.name,
        "here": known.here,
        "item": _question(state, left[0]) if left else None,
        "left": len(left),
        "answered": answered,
        "feedback": _feedback(state, now, student) if answered else None,
        "example": _before(state, student),
        "finished": state.finished is not None,
        "progress": progress(state, student),
        "writing": _writing(state, student),
        "group": group_name(state.group_of(student)) if len(state.members) > 1 else None,
    }


def _number(state: State, now: Round | None, student: str) -> int:
    """Return the present round; where letters are written, which of her letters comes next."""
    if state.activity.letter is not None:
        return 1 + max((one.round for one in state.wrote if one.student == student), default=0)
    return state.last_round if now is None else now.number


def _writing(state: State, student: str) -> dict[str, Any] | None:
    if state.activity.letter is None:
        return None
    from homeroom.live.classbook import writing  # here: it takes long to import

    return writing.view(state, student)


def progress(state: State, student: str) -> dict[str, int]:
    """Return how much a student has answered, and how much of it right.

    Right answers of the present test are not told before it is over.
    """
    answered = right = rounds = 0
    for done in state.rounds:
        said = [(item, done.answers.get((student, item))) for item in done.asked(student)]
        given = [(item, answer) for item, answer in said if answer is not None]
        answered += len(given)
        rounds += bool(given) and not done.is_test
        if not (done.is_test and done is state.now):
            right += sum(answer == state.activity.labels.get(item) for item, answer in given)
    return {"answered": answered, "right": right, "rounds": rounds}


def _question(state: State, item: str) -> dict[str, Any]:
    activity = state.activity
    return {
        **_looks(state, activity.item_of[item]),
        "question": activity.own_question,
        "options": [{"value": value, "label": activity.word(value)} for value in (1, -1)],
    }


def _looks(state: State, item: Item) -> dict[str, Any]:
    return {"id": item.id, "picture": picture_of(state.activity, item), "text": item.text}


def _feedback(state: State, now: Round | None, student: str) -> dict[str, Any] | None:
    """Return what is told to her who has answered."""
    item = None if now is None else now.shown(student)
    if now is None or item is None:
        return None
    return _told(state, now, student, item)


def _before(state: State, student: str) -> dict[str, Any] | None:
    """Return the last example that she has seen before the present one."""
    for done in reversed(state.rounds):
        item = None if done is state.now else done.shown(student)
        if item is not None:
            told = _told(state, done, student, item)
            return {"item": _looks(state, state.activity.item_of[item]), **told}
    return None


def _told(state: State, done: Round, student: str, item: str) -> dict[str, Any]:
    shown, answer = state.activity.item_of[item], done.answers.get((student, item))
    return {
        "round": done.number,
        "right": None if answer is None else answer == shown.label,
        "label": "" if shown.label is None else state.activity.word(shown.label),
        "explanation": shown.explanation,
        "species": species_of(state.activity, item),
    }
