"""What the teacher's page shows of a class, as plain JSON values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import numpy as np

from homeroom.goals import Knows
from homeroom.lessons import StoppedBecause
from homeroom.live.activities.base import Activity, Item
from homeroom.live.activities.insects import species_of
from homeroom.live.activities.space import Space
from homeroom.live.classbook.choosing import sentence
from homeroom.live.classbook.rounds import Round
from homeroom.live.classbook.state import EXPERIMENT, State, Student

COLOURS = 8
"""The number of group colours on the page; further groups repeat them."""

STOPPED = {one.value: one.name.lower() for one in StoppedBecause}
"""A short name for each reason why a lesson ends."""


def board(state: State, class_id: str) -> dict[str, Any]:
    """Return all that the teacher's page shows of a class.

    Parameters
    ----------
    state
        The class.
    class_id
        Its id in addresses.
    """
    opened = state.opened
    assert opened is not None
    return {
        "class": class_id,
        "name": opened.name,
        "activity": state.activity.id,
        "activity_name": state.activity.name,
        "kind": state.activity.kind,
        "phase": state.phase,
        "paused": state.paused,
        "locked": state.locked,
        "round": state.last_round,
        "version": state.version,
        "students": _students(state),
        "items": [item_of(state, item) for item in state.activity.items],
        "target": _target(state),
        "regions": _regions(state),
        "errors": [point._asdict() for point in state.errors],
        "goal": opened.goal,
        "knows": class_knows(state, state.here),
        "reveal": opened.reveal,
        "discussion": opened.discussion,
        "revealed": state.in_discussion is not None,
        "undo": state.before.phase if state.before is not None and state.can_undo else None,
        "resting": [one for one in state.here if state.rests(one)],
        "review": state.review,
        "next": _next(state),
        "last": last_examples(state),
        "groups": groups(state),
        "how": state.how,
        "finished": _finished(state),
        "counts": _counts(state),
        "lesson": state.lesson,
        "code": opened.code,
        "retention_days": opened.retention_days,
        "experiment": _experiment(state),
        "form": opened.form,
    }


def _experiment(state: State) -> dict[str, Any] | None:
    """Return the arms of an experiment, and how many students chose to take part."""
    settings = None if state.opened is None else state.opened.experiment
    if settings is None:
        return None
    split = state.how == EXPERIMENT
    chosen = Counter(state.consents.get(student) for student in state.joined)
    return {
        "arms": [
            {
                "arm": arm,
                "group": group_name(number),
                "students": sum(group == number for group in state.groups.values()) if split else 0,
            }
            for number, arm in enumerate(settings["arms"])
        ],
        "explore": settings["explore"],
        "rounds": settings["rounds"],
        "agreed": chosen[True],
        "declined": chosen[False],
        "undecided": chosen[None],
        "split": split,
    }


def picture_of(activity: Activity, item: Item, code: str | None = None) -> str | None:
    """Return the address of an item's picture: under its id, or for students under its code."""
    if not item.picture:
        return None
    name = quote(item.id if code is None else code, safe="")
    return f"/api/activities/{quote(activity.id, safe='')}/items/{name}/picture"


def group_name(number: int) -> str:
    """Return the name of a group, the same in every language.

    >>> group_name(0), group_name(25), group_name(26)
    ('A', 'Z', 'A2')
    """
    turn, letter = divmod(number, 26)
    return chr(ord("A") + letter) + (str(turn + 1) if turn else "")


def groups(state: State) -> list[dict[str, Any]]:
    """Return the groups with the present item of each, and why it was chosen."""
    now = state.now if state.phase == "teach" else None
    return [
        {
            "name": group_name(number),
            "size": len(members),
            "colour": number % COLOURS,
            "next": _shown(state, now, number),
        }
        for number, members in enumerate(state.members)
    ]


def class_knows(state: State, students: Sequence[str]) -> dict[str, float] | None:
    """Return the share of right answers expected of some students, with its credible interval.

    ``None`` before the first answers: a prior is not what a class knows.
    """
    beliefs = state.beliefs
    if beliefs is None or beliefs.heard.isdisjoint(students):
        return None
    rows = [beliefs.row[one] for one in students if one in beliefs.row]
    all_known = beliefs.memory.knows  # computed once per round
    counted = all_known.counted[rows]  # 0 for students who seem not to read
    known = Knows(all_known.draws[rows], counted if counted.any() else np.ones(len(rows)))
    return {part: float(value) for part, value in known.of_class._asdict().items()}


def _students(state: State) -> list[dict[str, Any]]:
    """Return what the page shows of each student, with their last choice."""
    last = _last_shown(state)
    counts = Counter(student for done in state.rounds for student, _ in done.answers)
    counts.update(wrote.student for wrote in state.wrote)
    return [
        {**_student(state, one), **_choice(state, last, one.id), "answers": counts[one.id]}
        for one in state.people.values()
    ]


def _last_shown(state: State) -> Round | None:
    """Return the last round of the lesson whose right answer was shown."""
    rounds = (done for done in reversed(state.rounds) if not done.is_test and done.is_revealed)
    return next(rounds, None)


def _choice(state: State, done: Round | None, student: str) -> dict[str, Any]:
    """Return what a student chose in a round, in words, and whether it was right."""
    item = next(iter(done.asked(student)), None) if done is not None else None
    answer = done.answers.get((student, item)) if done is not None and item is not None else None
    if item is None or answer is None:
        return {"choice": None, "right": None}
    label = state.activity.labels.get(item)
    right = None if label is None else answer == label
    return {"choice": state.activity.word(answer, item), "right": right}


def _student(state: State, one: Student) -> dict[str, Any]:
    """Return what the page shows of one student."""
    now = state.latest
    asked = () if now is None else now.asked(one.id)
    beliefs = state.beliefs
    known = None if beliefs is None else beliefs.summaries.get(one.id)
    heard = frozenset() if beliefs is None else beliefs.heard
    suspected = known is not None and not known.honest
    return {
        "id": one.id,
        "name": one.name,
        "here": one.here,
        "joined": one.joined,
        "signed_out": one.signed_out,
        "answered": now is not None and one.id in now.members and not now.left(one.id),
        "asked": len(asked),
        "done": 0 if now is None else len(asked) - len(now.left(one.id)),
        "p_right": known.p_right if known is not None and one.id in heard else None,
        "state": known and known.state,
        "ellipse": known and known.ellipse,
        "group": state.group_of(one.id) if one.joined else None,
        "rate_words": known and known.rate_words,
        "honest": known and known.honest,
        "same_button": _same_button(state, one.id) if suspected else None,
        "hasty": known.hasty if known is not None and suspected else None,
    }


def _same_button(state: State, student: str) -> int:
    """Return how often a student pressed their most frequent button."""
    pressed = Counter(
        state.activity.values(item).index(answer)
        for done in state.rounds
        for (one, item), answer in done.answers.items()
        if one == student
    )
    return max(pressed.values(), default=0)


def item_of(state: State, item: Item) -> dict[str, Any]:
    """Return an item for the teacher: its picture or text, its label, its place on the map."""
    places = state.places or {}
    place = places.get(item.id)
    return {
        "id": item.id,
        "place": None if place is None else (*place, 0.0)[:2],
        "label": state.activity.right_word(item.id),
        "picture": picture_of(state.activity, item),
        "text": item.text,
        "question": item.question,
        "species": species_of(state.activity, item.id),
        "usable": state.usable(item.id),
    }


def _target(state: State) -> dict[str, Any] | None:
    """Return the rule as a line on the map, ``<normal, place> = offset``, and as a state."""
    if not isinstance(state.space, Space):
        return None
    normal = (*state.space.target[:-1].tolist(), 0.0)[:2]
    return {"normal": normal, "offset": -float(state.space.target[-1]), "state": normal}


def _regions(state: State) -> list[dict[str, Any]]:
    """Return the region of each answer on the map, if there are more than two answers."""
    plane, word = state.activity.plane, state.activity.word
    regions = () if plane is None else plane.regions
    return [{**one._asdict(), "label": word(one.label)} for one in regions]


def _next(state: State) -> dict[str, Any] | None:
    """Return the present item of the largest group, and why it was chosen."""
    if state.phase != "teach" or state.now is None:
        return None
    order = sorted(range(len(state.members)), key=lambda group: -len(state.members[group]))
    shown = (_shown(state, state.now, group) for group in order)
    return next((one for one in shown if one is not None), None)


def _shown(state: State, now: Round | None, group: int) -> dict[str, Any] | None:
    """Return the item of a group in a round, and why it was chosen."""
    if now is None or group >= len(now.items) or now.items[group] is None:
        return None
    item = state.activity.item_of[str(now.items[group])]
    reason = now.reasons[group] if group < len(now.reasons) else None
    return {
        "item": item.id,
        "label": state.activity.right_word(item.id),
        "why": sentence(reason),
        "reason": reason_in_words(state, item.id, reason),
        "group": group_name(group) if len(state.members) > 1 else None,
        "explanation": item.explanation,
        "question": item.question,
        "species": species_of(state.activity, item.id),
        "options": options(state.activity, item.id),
        "result": tally(state, now, group) if now.is_revealed else None,
    }


def options(activity: Activity, item: str) -> list[dict[str, Any]]:
    """Return the answers to an item, with their words."""
    pairs = zip(activity.values(item), activity.options_of(item), strict=True)
    return [{"value": value, "label": word} for value, word in pairs]


def tally(state: State, done: Round, group: int) -> dict[str, Any]:
    """Return how often a group chose each answer, and which one is right."""
    item = str(done.items[group])
    counts = Counter(
        answer for (student, _), answer in done.answers.items() if done.members[student] == group
    )
    values = state.activity.values(item)
    return {
        "counts": [counts[value] for value in values],
        "right": state.activity.item_of[item].label,
    }


def reason_in_words(
    state: State, item: str, reason: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    """Return the reason, with the word for the expected wrong answer as ``"instead"``.

    It is the other of two answers, or the most frequent wrong one if the reason has its number.
    """
    if reason is None:
        return None
    label, values = state.activity.labels.get(item), state.activity.values(item)
    number = reason.get("answer")
    if number is not None and 0 < number <= len(values):
        return {**reason, "instead": state.activity.word(values[number - 1], item)}
    wrong = None if label is None or len(values) > 2 else state.activity.word(-label, item)
    return {**reason, "instead": wrong}


def last_examples(state: State) -> list[dict[str, Any]]:
    """Return what each group saw in the last round that is over, and how many were right."""
    over = (done for done in reversed(state.rounds) if done is not state.now and done.shown)
    done = next(over, None)
    if done is None:
        return []
    taught = [group for group, item in enumerate(done.items) if item is not None]
    return [
        {
            **row,
            "label": state.activity.right_word(row["item"]),
            "explanation": state.activity.item_of[row["item"]].explanation,
            "species": species_of(state.activity, row["item"]),
            "question": state.activity.item_of[row["item"]].question,
            "reason": reason_in_words(state, row["item"], row["reason"]),
            "options": options(state.activity, row["item"]),
            "result": tally(state, done, group),
        }
        for group, row in zip(taught, results(state, done), strict=True)
        if row["item"] in state.activity.labels
    ]


def results(state: State, done: Round) -> list[dict[str, Any]]:
    """Return the item of each group in a lesson round, why, and how many answered it right."""
    found: list[dict[str, Any]] = []
    for group, item in enumerate(done.items):
        if item is None:
            continue
        given = [
            answer
            for (student, _), answer in done.answers.items()
            if done.members[student] == group
        ]
        found.append(
            {
                "group": group_name(group) if len(done.items) > 1 else None,
                "item": item,
                "answers": len(given),
                "right": sum(answer == state.activity.labels.get(item) for answer in given),
                "reason": done.reasons[group] if group < len(done.reasons) else None,
            }
        )
    return found


def _finished(state: State) -> list[str] | None:
    """Return why there is no next example, as short names that the pages translate."""
    if state.finished is None:
        return None
    return [STOPPED[why] for why in state.finished.why if why in STOPPED] or ["no_students"]


def _counts(state: State) -> dict[str, int]:
    """Return the numbers of students and answers."""
    now, here = state.latest, state.here
    waiting = 0 if now is None else sum(1 for student in here if now.left(student))
    given = [
        (answer, state.activity.labels.get(item))
        for done in state.rounds
        for (_, item), answer in done.answers.items()
    ]
    return {
        "students": len(state.people),
        "here": len(here),
        "answered": 0 if now is None else len(here) - waiting,
        "waiting": waiting,
        "answers": len(given),
        "right": sum(answer == label for answer, label in given),
    }
