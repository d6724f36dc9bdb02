"""A map for an activity without one, estimated from the class's answers to the pre-test.

A map has a place for each item, and a rule: yes on one side of a line, no on the other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from homeroom.crowd import Answers, Embedding
from homeroom.live.classbook.choosing import some_items
from homeroom.live.classbook.class_beliefs import ClassBeliefs
from homeroom.live.classbook.state import RoundError, State
from homeroom.live.events import MapDrawn, RoundBegan
from homeroom.live.refused import Refused

ASKED = 20
"""The number of items that each student is asked, when there is no map to choose them with."""

WHOLE = 30
"""A list of up to this many facts is asked as a whole: those that a student missed come first."""

ANSWERS = 10
"""About how many answers an item needs to be placed on the map."""


def first_test(state: State, number: int) -> RoundBegan:
    """Return the event that begins the pre-test of an activity without a map, as round ``number``.

    Each student is asked some of the items, so that the class covers as many items as possible,
    each with enough answers. A short list of facts is asked as a whole.
    """
    assert state.opened is not None
    count, facts = len(state.activity.labels), state.activity.facts
    each = state.opened.pretest or (count if facts and count <= WHOLE else ASKED)
    several = max(each, each * len(state.here) // ANSWERS)
    items = some_items(tuple(state.activity.labels), several, seed=state.opened.seed)
    return RoundBegan(number, state.codes.shuffled(items), each=each)


def drawn(state: State) -> MapDrawn:
    """Return the event with the map estimated from the class's answers to the pre-test.

    Raises
    ------
    Refused
        If there are too few answers for a map.
    """
    given = [
        (student, item, answer > 0)
        for done in state.rounds
        if done.phase == "pretest"
        for (student, item), answer in done.answers.items()
    ]
    if not given:
        raise Refused("pretest_first")
    students, items, yes = (list(part) for part in zip(*given, strict=True))
    try:
        answers = Answers.from_arrays(students, items, np.array(yes), labels=state.activity.labels)
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
    """Return the state with beliefs from all rounds that are over, on the new map."""
    assert state.space is not None
    assert state.opened is not None
    if not state.joined:
        return state
    beliefs = ClassBeliefs.begin(state.space, state.joined, pretest=state.opened.pretest)
    over = [done for done in state.rounds if done is not state.now]
    for done in over:
        beliefs = beliefs.after(done)
    if not over:
        return replace(state, beliefs=beliefs)
    memory = beliefs.memory_of(state.here or beliefs.students)
    return replace(state, beliefs=beliefs, errors=(RoundError.of(over[-1].number, memory),))
