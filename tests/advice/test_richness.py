from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from homeroom import (
    ByRate,
    Classroom,
    DirectionPool,
    GradientLearner,
    LangevinLearner,
    PoolTeacher,
    richness,
    teach,
)
from homeroom.learners import AbstractLearner, AbstractLoss, Squared, Step


def test_synthesised_examples_have_richness_one() -> None:
    room = Classroom.sample(students=12, dimensions=3)
    assert richness(room, teach(room)) == pytest.approx(1.0, abs=1e-9)


def test_richness_equals_the_ratio_computed_by_hand() -> None:
    """u'Wu / lambda_1(W), W built from the students and its eigenvalues by `eigvalsh`."""
    room = Classroom.sample(students=12, dimensions=3, seed=2)
    rows = np.random.default_rng(1).standard_normal((5, 3))
    record = teach(room, teacher=PoolTeacher(DirectionPool(rows)))
    gaps, rates = room.gaps.copy(), room.rates
    shares = []
    for x in record.examples.xs:
        g = x @ x
        weights = rates * g * (2 - rates * g)
        matrix = (weights[:, None] * gaps).T @ gaps / len(gaps)
        shares.append(x @ matrix @ x / g / np.linalg.eigvalsh(matrix)[-1])
        gaps -= (rates * (gaps @ x))[:, None] * x
    assert richness(room, record) == pytest.approx(np.array(shares), rel=1e-9)


def test_more_directions_make_a_richer_pool() -> None:
    room = Classroom.sample(students=12, dimensions=3, seed=2)
    rows = np.random.default_rng(1).standard_normal((200, 3))
    few = teach(room, teacher=PoolTeacher(DirectionPool(rows[:4])))
    many = teach(room, teacher=PoolTeacher(DirectionPool(rows)))
    assert richness(room, many).min() > richness(room, few).min()
    assert many.rounds <= few.rounds


@pytest.mark.parametrize("settings", [{"groups": ByRate()}, {"learner": LangevinLearner(1e5)}])
def test_a_lesson_that_cannot_be_replayed_is_refused(settings: dict[str, object]) -> None:
    room = Classroom.sample(students=12, dimensions=3, rates=(0.1, 0.5))
    record = teach(room, **settings)  # type: ignore[arg-type]  # a table of keywords
    with pytest.raises(ValueError, match=r"needs one group and learner=GradientLearner\(\)"):
        richness(room, record)


@dataclass(frozen=True)
class Written(AbstractLearner):
    """The gradient learner, written again; or declared to be another."""

    shrinks_gaps: bool = True
    loss: AbstractLoss = Squared()

    def step(self, states: Any, rates: Any, x: Any, y: Any, **more: Any) -> Step:
        return GradientLearner().step(states, rates, x, y, **more)


def test_a_learner_of_your_own_is_asked_what_it_does() -> None:
    room = Classroom.sample(students=12, dimensions=3)
    np.testing.assert_array_equal(
        richness(room, teach(room, learner=Written())), richness(room, teach(room))
    )
    for other in (Written(shrinks_gaps=False), GradientLearner("absolute")):
        with pytest.raises(ValueError, match=r"another whose `shrinks_gaps` is True"):
            richness(room, teach(room, learner=other, max_rounds=3))
