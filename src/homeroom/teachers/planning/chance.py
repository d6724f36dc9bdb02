"""How long a lesson takes when students also drift by chance: by its plan, or step by step.

A plan does not see what chance will do; a teacher who takes the best next step does, as it comes.
With students who drift a lot, that is worth more than what a plan saves.
"""

from __future__ import annotations

import math

from homeroom._arrays import Floats
from homeroom.goals import AbstractGoal
from homeroom.moments import Sketch
from homeroom.moments.sketch import Noise
from homeroom.pools import AbstractPool
from homeroom.teachers.planning.greedy import best_next


def rounds_with_drift(
    sketch: Sketch,
    xs: Floats,
    drift: float,
    goal: AbstractGoal,
    pool: AbstractPool,
    *,
    longest: float,
    at_most: int,
) -> int:
    """Return how many rounds a lesson takes on average, the best next examples after its own.

    Parameters
    ----------
    sketch
        The class.
    xs
        What is shown first.
    drift
        What chance adds to the class's mean squared distance in a round.
    goal
        When the class is done.
    pool
        Where further examples come from.
    longest
        None of these is longer than this.
    at_most
        Where to stop counting.
    """
    scale = float(sketch.nodes @ sketch.weights) * sketch.matrices.shape[1]
    noise = Noise(heat=drift / scale)
    for number in range(at_most):
        error = sketch.error
        if goal.reached(error, math.sqrt(max(sketch.students * error, 0.0))):
            return number
        if number < len(xs):
            x = xs[number]
        else:
            pick = best_next(sketch.moments, pool, "joint", longest)
            x = math.sqrt(pick.g) * pick.direction
        sketch = sketch.after(x, noise)
    return at_most
