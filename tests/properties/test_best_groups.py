"""The best groups are never worse than the usual ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeroom import (
    AverageGoal,
    BestGroups,
    ByRate,
    Classroom,
    ClassroomTeacher,
    EveryoneGoal,
    Individuals,
    WholeClass,
    teach,
)
from homeroom.goals import AbstractGoal

goals = st.sampled_from([AverageGoal(0.1), AverageGoal(0.001), EveryoneGoal(0.3)])


@st.composite
def classes(draw: st.DrawFn) -> Classroom:
    seed, students = draw(st.integers(0, 10**6)), draw(st.integers(1, 40))
    rng = np.random.default_rng(seed)
    spread = 10 ** rng.uniform(-1.2, rng.uniform(-1.2, 0.6), students)
    drawn = Classroom.sample(students, draw(st.integers(1, 6)), seed=rng)
    return Classroom(drawn.states, np.round(spread, 3), drawn.target)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["rate", "knowledge", "both"])
@settings(max_examples=25, deadline=None)
@given(
    room=classes(),
    lam=st.one_of(st.just(0.0), st.floats(0.01, 1000.0)),
    goal=goals,
    magnitude=st.sampled_from(["static", "dynamic", "joint", "best"]),
    cells=st.integers(1, 12),
)
def test_best_groups_never_cost_more_than_the_usual_ones(
    *, by: str, room: Classroom, lam: float, goal: AbstractGoal, magnitude: str, cells: int
) -> None:
    """T + lambda S is at most that of the whole class, doubling bins and individuals."""
    teacher = ClassroomTeacher(magnitude, safe=True)
    costs = [
        teach(room, groups=groups, goal=goal, teacher=teacher).cost(lam)
        for groups in (WholeClass(), ByRate(), Individuals())
    ]
    best = teach(room, groups=BestGroups(lam, by, cells), goal=goal, teacher=teacher)
    assert best.cost(lam) <= min(costs) + 1e-9
    assert best.stopped_because.value == "the goal was reached"
