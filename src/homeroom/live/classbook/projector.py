"""What the projector shows of a class: nothing about a single student, and no answer too early."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from homeroom.live.activities.insects import species_of
from homeroom.live.classbook.board import group_name, tally
from homeroom.live.classbook.rounds import Round
from homeroom.live.classbook.state import State
from homeroom.live.classbook.view import question


def projector(state: State, class_id: str) -> dict[str, Any]:
    """Return all that the projector shows: the question, and after the reveal all answers to it.

    Parameters
    ----------
    state
        The class.
    class_id
        Its id in addresses.
    """
    opened, now = state.opened, state.latest
    assert opened is not None
    asked = [] if now is None else [one for one in now.members if now.asked(one)]
    shown = now is not None and not now.is_test
    return {
        "name": opened.name,
        "activity": state.activity.id,
        "activity_name": state.activity.name,
        "kind": state.activity.kind,
        "letter": state.activity.letter,
        "phase": state.phase,
        "paused": state.paused,
        "locked": state.locked,
        "round": state.last_round,
        "version": state.version,
        "here": len(state.here),
        "asked": len(asked),
        "answered": 0 if now is None else sum(not now.left(one) for one in asked),
        "items": _items(state, now, class_id) if shown and now is not None else [],
        "finished": state.finished is not None,
    }


def on_projector(state: State) -> frozenset[str]:
    """Return the items that the projector shows now."""
    now = state.latest
    if now is None or now.is_test:
        return frozenset()
    return frozenset(item for item in now.items if item is not None)


def _items(state: State, now: Round, class_id: str) -> list[dict[str, Any]]:
    """Return the question of each group."""
    found = []
    for group, item in enumerate(now.items):
        if item is None:
            continue
        asked = question(state, item)
        if asked["picture"] is not None:
            code = quote(asked["id"], safe="")
            asked["picture"] = f"/api/board/{quote(class_id, safe='')}/items/{code}/picture"
        several = len(now.items) > 1
        found.append(
            {
                **asked,
                "group": group_name(group) if several else None,
                "result": result(state, now, group) if now.is_revealed else None,
            }
        )
    return found


def result(state: State, done: Round, group: int) -> dict[str, Any]:
    """Return how often a group chose each answer, the right one, and why it is right."""
    item = str(done.items[group])
    return {
        **tally(state, done, group),
        "label": state.activity.label_of(item),
        "explanation": state.activity.item_of[item].explanation,
        "species": species_of(state.activity, item),
    }
