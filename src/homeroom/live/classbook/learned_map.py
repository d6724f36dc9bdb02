"""A map for an activity that has none: learned from what the class answers in the pre-test."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from homeroom.crowd import Answers, Embedding
from homeroom.live.classbook.choosing import some_items
from homeroom.live.classbook.sight import Sight
from homeroom.live.classbook.state import ErrorPoint, State
from homeroom.live.events import MapDrawn, RoundBegan
from homeroom.live.refused import Refused

ASKED = 20
"""How many items everybody is asked where no map says which would tell most."""

ANSWERS = 10
"""How many answers an item needs, about, to find its place."""


def first_test(state: State, number: int) -> RoundBegan:
    """Return the pre-test that the map is made of.

    Everybody is asked some of the items, so that all of them together tell of as many items as
    can be, each with enough answers.
    """
    assert state.opened is not None
    each = state.opened.pretest or ASKED
    several = max(each, each * len(state.here) // ANSWERS)
    items = some_items(tuple(state.activity.labels), several, seed=state.opened.seed)
    return RoundBegan(number, state.codes.shuffled(items), each=each)


def drawn(state: State) -> MapDrawn:
    """Return the map that the class's answers make.

    Raises
    ------
    Refused
        If these answers are not enough for any map, in a sentence.
    """
    said = [
        (student, item, answer > 0)
        for done in state.rounds
        if done.phase == "pretest"
        for (student, item), answer in done.answers.items()
    ]
    if not said:
        raise Refused("pretest_first")
    who, what, yes = (list(part) for part in zip(*said, strict=True))
    try:
        answers = Answers.from_arrays(who, what, np.array(yes), labels=state.activity.labels)
        dimensions = 1 if min(len(answers.people), len(answers.items)) < 6 else 2
        found = Embedding.fit(answers, dimensions=dimensions, seed=0)
        target = found.target()
    except ValueError as why:
        raise Refused("no_map", why=str(why)) from None
    places = {
        name: tuple(place)
        for name, place in zip(found.item_names, found.items.tolist(), strict=True)
    }
    return MapDrawn(places, tuple(target.tolist()))


def placed(state: State) -> State:
    """Return the state with all rounds that are over told on the new map."""
    assert state.space is not None
    assert state.opened is not None
    if not state.joined:
        return state
    sight = Sight.begin(state.space, state.joined, pretest=state.opened.pretest)
    over = [done for done in state.rounds if done is not state.now]
    for done in over:
        sight = sight.after(done)
    if not over:
        return replace(state, sight=sight)
    error = sight.some(state.here or sight.students).error
    return replace(
        state,
        sight=sight,
        errors=(ErrorPoint(over[-1].number, error.total, error.unsure),),
    )
