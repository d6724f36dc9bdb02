"""A map for an activity without one, estimated from the class's answers to the pre-test.

A map has a place for each item, and a rule: yes on one side of a line, no on the other.
"""

from __future__ import annotations

import numpy as np

from homeroom.crowd import Answers, Embedding
from homeroom.live.classbook.state import State
from homeroom.live.refused import Refused


def estimate(state: State) -> tuple[dict[str, tuple[float, ...]], tuple[float, ...]]:
    """Return the map estimated from the class's answers to the pre-test: places and target.

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
    return places, tuple(target.tolist())
