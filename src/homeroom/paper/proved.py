"""One lesson for each theorem of the paper, and what the theorem says about it beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np

from homeroom.advice import certify
from homeroom.goals import AverageGoal
from homeroom.learners import LangevinLearner, StochasticRateLearner
from homeroom.lessons import teach
from homeroom.observers import NoisyMoments, NoisyStates, RateHistory
from homeroom.paper.cells import Row
from homeroom.paper.classes import mixed_class
from homeroom.paper.settings import Settings
from homeroom.pools import DirectionPool
from homeroom.teachers import PoolTeacher

THEOREMS = {
    "average": "Theorem 1, on average",
    "everyone": "Theorem 1, everyone",
    "noisy states": "Theorem 2, noisy states",
    "random rates": "Theorem 3, random rates",
    "noisy W": "appendix A.1, noisy W",
    "Langevin": "appendix A.2, Langevin",
    "pool": "appendix C, a pool",
}
"""The theorems by a short name, in the order of the paper."""

ON_AVERAGE = ("random rates", "Langevin")
"""Those that speak of an expectation."""

POOL = 1000
LONG = 5_000


def theorem(settings: dict[str, Any], name: str, rounds: int, seed: int) -> list[Row]:
    """Teach for some rounds as one theorem supposes, and write its bound beside each error."""
    chosen = Settings.from_json(settings)
    if name == "pool":  # a thousand directions are rich in ten dimensions, and poor in more
        chosen = Settings.from_json({**settings, "dimensions": chosen.knowledge_dimensions})
    room = mixed_class(chosen, seed)
    directions = np.random.default_rng(seed + 10_000).standard_normal((POOL, chosen.dimensions))
    # Noise so small that the proved floor is near the goal: with more, the bound says little.
    supposed: dict[str, dict[str, Any]] = {
        "noisy states": {"observer": NoisyStates(1e-4)},
        "random rates": {
            "learner": StochasticRateLearner(0.05),
            "observer": RateHistory(0.05, weights="known"),
        },
        "noisy W": {"observer": NoisyMoments(1e-3)},
        "Langevin": {"learner": LangevinLearner(1e4)},
        "pool": {"teacher": PoolTeacher(DirectionPool(directions))},
    }
    options = supposed.get(name, {})
    goal = AverageGoal(0.01 * chosen.eps)
    if name == "pool":  # its bound comes from the whole lesson, so that must come to its goal
        rounds = LONG
    record = teach(room, goal=goal, max_rounds=rounds, seed=seed, **options)
    proved = certify(room, goal=goal, record=record if name == "pool" else None, **options)
    # Nobody is farther than all together: |e_j|^2 <= N mean |e|^2.
    errors, times = record.errors, 1
    if name == "everyone":
        errors, times = record.transcript.farthest(0) ** 2, room.students
    return [
        {
            "theorem": name,
            "seed": seed,
            "round": number,
            "error": float(error),
            "bound": times * proved.bound(number),
        }
        for number, error in enumerate(errors)
    ]
