from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from homeroom import (
    AsGiven,
    AtRandom,
    AverageGoal,
    ByKnowledge,
    ByRate,
    Classroom,
    ClassroomTeacher,
    EveryoneGoal,
    GradientLearner,
    Individuals,
    ItemPool,
    LangevinLearner,
    MeanTeacher,
    NoisyMoments,
    NoisyStates,
    PoolTeacher,
    RandomTeacher,
    RateHistory,
    StochasticRateLearner,
    StoppedBecause,
    teach,
)
from homeroom._arrays import to_numpy
from homeroom.lessons import Progress

ITEMS = 0.5 * np.random.default_rng(2).standard_normal((12, 4))
LESSONS: dict[str, dict[str, Any]] = {
    "static": {},
    "joint": {"teacher": ClassroomTeacher("joint"), "goal": EveryoneGoal(0.2)},
    "by rate": {"groups": ByRate()},
    "by knowledge": {"groups": ByKnowledge(2)},
    "individuals": {"groups": Individuals()},
    "mean, individuals": {"groups": Individuals(), "teacher": MeanTeacher()},
    "items": {"teacher": PoolTeacher(ItemPool(ITEMS)), "goal": AverageGoal(1.0)},
    "items, individuals": {
        "teacher": PoolTeacher(ItemPool(ITEMS)),
        "groups": Individuals(),
        "max_rounds": 30,
    },
    "random": {"teacher": RandomTeacher(), "groups": AtRandom(2)},
    "noisy states": {"observer": NoisyStates(0.3)},
    "noisy moments": {"observer": NoisyMoments(0.1)},
    "rates that vary": {"observer": RateHistory(0.02), "learner": StochasticRateLearner(0.02)},
    "langevin": {"learner": LangevinLearner(1e5)},
    "logistic": {"learner": GradientLearner("logistic"), "max_rounds": 4},
    "hinge items": {
        "learner": GradientLearner("hinge", classes=2),
        "teacher": PoolTeacher(ItemPool(ITEMS[:, :2])),
        "max_rounds": 9,
    },
    "in a ball": {"max_rounds": 12},
}


def classes(name: str) -> Classroom:
    radius = 2.0 if name == "in a ball" else np.inf
    return Classroom.sample(students=15, dimensions=4, seed=1, state_radius=radius)


def moved(room: Classroom, library: Any, dtype: str = "float64") -> Classroom:
    states, rates, target = (
        library.asarray(np.array(part), dtype=getattr(library, dtype))
        for part in (room.states, room.rates, room.target)
    )
    return Classroom(states, rates, target, state_radius=room.state_radius * (1 + 1e-7))


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize(
    "library", ["array_api_strict", pytest.param("torch", marks=pytest.mark.slow)]
)
def test_every_array_library_gives_the_same_lesson(name: str, library: str) -> None:
    """Within 1e-8 of NumPy's errors, where examples are searched for within 1e-4."""
    xp = pytest.importorskip(library)
    room = classes(name)
    here, there = teach(moved(room, np), **LESSONS[name]), teach(moved(room, xp), **LESSONS[name])
    close = 1e-4 if name == "logistic" else 1e-8
    assert there.transcript.rounds.tolist() == here.transcript.rounds.tolist()
    np.testing.assert_allclose(there.errors, here.errors, atol=close)
    np.testing.assert_allclose(to_numpy(there.final_states), here.final_states, atol=close)
    assert type(there.final_states) is type(moved(room, xp).states)


@pytest.mark.parametrize("name", LESSONS)
def test_single_precision_gives_nearly_the_same_lesson(name: str) -> None:
    """Errors within 1e-3 in the first rounds; the goal within two rounds of double precision."""
    room = classes(name)
    double, single = (
        teach(room, **LESSONS[name]),
        teach(moved(room, np, "float32"), **LESSONS[name]),
    )
    assert single.final_states.dtype == np.float32
    close = 0.05 if name in {"logistic", "items, individuals"} else 1e-3
    np.testing.assert_allclose(single.errors[:5], double.errors[:5], rtol=close)
    assert abs(len(single.errors) - len(double.errors)) <= 2


def test_individuals_may_come_in_any_order() -> None:
    """Singletons are individuals, whatever their groups are called."""
    room = classes("static")
    labels = np.random.default_rng(0).permutation(15)
    for teacher in (ClassroomTeacher(), MeanTeacher()):
        named = teach(room, teacher=teacher, groups=AsGiven(labels))
        plain = teach(room, teacher=teacher, groups=Individuals())
        np.testing.assert_allclose(named.final_states, plain.final_states, atol=1e-12)
        np.testing.assert_array_equal(
            named.transcript.rounds[named.group_of], plain.transcript.rounds
        )
        np.testing.assert_array_equal(named.group_of, labels)


def test_noise_on_the_moments_reaches_individuals_too() -> None:
    """Taught one by one, as a matrix for each student would be too much."""
    room = classes("static")
    record = teach(room, groups=Individuals(), observer=NoisyMoments(0.5), max_rounds=200)
    assert record.rounds > teach(room, groups=Individuals()).rounds


def test_progress_is_reported_from_time_to_time() -> None:
    reports: list[Progress] = []
    teach(Classroom.sample(), progress=reports.append)
    assert [progress.rounds for progress in reports] == [64, 128]
    assert 0 < reports[0].done < reports[1].done < 1
    assert reports[0].error > reports[1].error
    assert {(progress.group, progress.groups) for progress in reports} == {(0, 1)}


def test_progress_over_groups_rises_from_group_to_group() -> None:
    reports: list[Progress] = []
    teach(Classroom.sample(), groups=ByRate(), progress=reports.append)
    shares = [progress.done for progress in reports]
    assert shares == sorted(shares)
    assert [progress.group for progress in reports] == [0, 0, 0, 0, 1, 1, 2]
    assert {progress.groups for progress in reports} == {3}


def test_progress_does_not_rise_while_the_class_moves_away() -> None:
    reports: list[Progress] = []
    room = Classroom.sample(students=4, dimensions=2, rates=(1.2, 1.3))
    teacher = RandomTeacher(ItemPool([[1.0, 1.0], [-1.0, 1.0]]))
    with pytest.warns(UserWarning, match="above 2"):
        teach(room, teacher=teacher, max_rounds=130, progress=reports.append)
    assert [progress.done for progress in reports] == [0.0, 0.0]


def test_the_single_student_teacher_is_the_class_of_one() -> None:
    room = Classroom([[0.0, 3.0]], rates=[0.05], target=[0.0, 0.0])
    whole, alone = teach(room), teach(room, groups=Individuals())
    np.testing.assert_array_equal(whole.errors, alone.errors)
    np.testing.assert_allclose(whole.examples.xs, [[0.0, 2.0]] * whole.rounds, atol=1e-15)
    assert whole.stopped_because is StoppedBecause.GOAL
