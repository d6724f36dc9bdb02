from __future__ import annotations

import time
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes

from homeroom import (
    AsGiven,
    AverageGoal,
    ByRate,
    Classroom,
    EveryoneGoal,
    Individuals,
    ItemPool,
    PoolTeacher,
    Record,
    StoppedBecause,
    teach,
)
from homeroom.goals import DistanceGoal


@pytest.fixture(scope="module")
def room() -> Classroom:
    return Classroom.sample(students=20, dimensions=3, rates=(0.05, 0.4))


@pytest.fixture(scope="module")
def grouped(room: Classroom) -> Record:
    return teach(room, groups=AsGiven([0] * 5 + [1] * 12 + [2] * 3))


def test_rounds_workload_and_cost_are_the_papers(grouped: Record) -> None:
    """``T = sum T_g``, ``S = sum (n_g / N) T_g``, ``cost = T + lambda S``."""
    first, second, third = grouped.transcript.rounds.tolist()
    assert grouped.rounds == first + second + third
    assert grouped.workload == pytest.approx((5 * first + 12 * second + 3 * third) / 20)
    assert grouped.cost(3.0) == pytest.approx(grouped.rounds + 3.0 * grouped.workload)
    assert grouped.sizes.tolist() == [5, 12, 3]


def test_groups_side_by_side_make_one_curve(grouped: Record, room: Classroom) -> None:
    """A group that is done keeps its error."""
    longest = int(grouped.transcript.rounds.max())
    assert len(grouped.errors) == longest + 1
    assert grouped.errors[0] == pytest.approx(room.error)
    expected = sum(
        size / 20 * group.errors[min(4, group.rounds)]
        for size, group in zip((5, 12, 3), grouped.groups, strict=True)
    )
    assert grouped.errors[4] == pytest.approx(expected)
    final = ((grouped.final_states - room.target) ** 2).sum(axis=1).mean()
    assert grouped.errors[-1] == pytest.approx(final)


def test_a_groups_record_is_made_when_asked_for(grouped: Record) -> None:
    groups = grouped.groups
    assert len(groups) == 3
    assert groups[-1].rounds == groups[2].rounds == grouped.transcript.rounds[2]
    assert [group.rounds for group in groups[1:]] == grouped.transcript.rounds[1:].tolist()
    second = groups[1]
    assert second.settings["group"] == 1
    assert second.final_states.shape == (12, 3)
    np.testing.assert_array_equal(
        second.examples.xs, grouped.examples.xs[grouped.examples.groups == 1]
    )
    assert sum(group.rounds for group in groups) == grouped.rounds


def test_a_groups_record_contains_nothing_about_the_whole_class(room: Classroom) -> None:
    """The result of verifying is the class's; students who were not followed stay unknown."""
    verified = teach(room, groups=ByRate(), verify=True)
    assert verified.verified is not None
    assert verified.groups[0].verified is None
    chance = teach(room, groups=ByRate(), learner="langevin:beta=1e6", engine="sketch")
    group = chance.groups[0]
    assert group.rounds == chance.transcript.rounds[0]
    sketched = teach(room, groups=ByRate(), engine="sketch")
    np.testing.assert_array_equal(
        sketched.groups[0].final_states, sketched.final_states[sketched.members(0)]
    )


def test_the_first_reason_other_than_the_goal_is_the_lessons(room: Classroom) -> None:
    """One group can be taught by this pool, the other cannot."""
    states = np.zeros((4, 2))
    states[:2, 0], states[2:, 1] = 3.0, 3.0
    split = Classroom(states, rates=[0.2] * 4, target=[0.0, 0.0])
    teacher = PoolTeacher(ItemPool([[1.0, 0.0]]))
    with pytest.warns(UserWarning, match="1 of 2"):
        record = teach(split, teacher=teacher, groups=AsGiven([0, 0, 1, 1]))
    reasons = [group.stopped_because for group in record.groups]
    assert reasons == [StoppedBecause.GOAL, StoppedBecause.STUCK]
    assert record.stopped_because is StoppedBecause.STUCK


def test_one_slow_student_does_not_make_the_curve_slow() -> None:
    """10^5 students; one of them needs thousands of rounds."""
    many = Classroom.sample(students=100_000, dimensions=4)
    rates = np.array(many.rates)
    rates[7] = 1e-4
    record = teach(Classroom(many.states, rates, many.target), groups=Individuals())
    started = time.process_time()
    assert repr(record).startswith(f"Record({record.rounds} rounds for 100000 students in 100000")
    assert len(record.errors) == record.transcript.rounds[7] + 1 > 1000
    assert time.process_time() - started < 1.0  # of processor time, independent of other processes
    for number in (0, 3, 500):
        expected = record.transcript.errors_at(number).mean()
        assert record.errors[number] == pytest.approx(expected, rel=1e-12)
        assert record.error_after(number) == pytest.approx(expected, rel=1e-12)


def test_it_describes_the_lesson_in_one_line(grouped: Record, room: Classroom) -> None:
    assert repr(grouped).startswith(f"Record({grouped.rounds} rounds for 20 students in 3 groups:")
    assert "the goal was reached, error" in repr(teach(room))
    assert "in 1 groups" not in repr(teach(room))


def test_a_plot_shows_the_class_the_watched_and_the_goal(room: Classroom) -> None:
    record = teach(room, watch=[4, 7])
    ax = record.plot()
    assert isinstance(ax, Axes)
    assert ax.get_yscale() == "log"
    labels = [line.get_label() for line in ax.get_lines()]
    assert labels[:3] == ["student 4", "student 7", "class average"]
    assert ax.get_lines()[-1].get_ydata()[0] == 0.1  # type: ignore[index]
    np.testing.assert_array_equal(ax.get_lines()[2].get_ydata(), record.errors)
    plt.close("all")


def test_a_plot_uses_the_given_axes_and_has_no_line_for_a_goal_on_distances(
    room: Classroom,
) -> None:
    _, ax = plt.subplots()
    assert teach(room, goal=EveryoneGoal(0.5)).plot(ax=ax) is ax
    assert len(ax.get_lines()) == 1
    plt.close("all")


def test_the_goal_of_a_plot_is_that_of_the_mean() -> None:
    """For every goal on the mean squared distance, whatever its name; for no other."""
    room = Classroom.sample(students=6, dimensions=2)
    assert teach(room, goal=AverageGoal(0.2)).goal_line == 0.2
    assert teach(room, goal=EveryoneGoal(0.2)).goal_line is None
    assert teach(room, goal=MeanWithin(0.5)).goal_line == 0.25


@dataclass(frozen=True)
class MeanWithin(DistanceGoal):
    """A root mean square."""

    distance: float
    power = 1.0

    @property
    def limit(self) -> float:
        return self.distance**2
