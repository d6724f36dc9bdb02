"""Ways to split a class, and their costs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from homeroom.live.classbook import regroup
from homeroom.live.classbook.proposals import choose
from homeroom.live.classbook.regroup import (
    MOST_GROUPS,
    distance_at,
    estimate,
    split_class,
)
from homeroom.live.events import Left, PhaseBegan, Regrouped
from homeroom.live.refused import Refused
from tests.live.shown import splits_of

Make = Callable[..., Any]


def begun(new_class: Make, students: int) -> Any:
    one = new_class(students)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    one.answer()
    return one


def test_more_rounds_of_the_teacher_mean_fewer_for_each_student(new_class: Make) -> None:
    one = begun(new_class, 20)
    split = splits_of(one.state, lam=0.5)
    ways = split["ways"]
    assert len(ways) > 2
    rounds, work = [way["rounds"] for way in ways], [way["workload"] for way in ways]
    assert rounds == sorted(rounds)
    assert work == sorted(work, reverse=True)
    costs = [way["rounds"] + 0.5 * way["workload"] for way in ways]
    assert costs[split["best"]] == min(costs)
    assert split["now"]["together"] == 1
    assert split["now"]["rounds"] == pytest.approx(split["now"]["workload"])


def test_the_distance_to_aim_at_gives_the_share_of_wrong_answers_of_the_goal(
    new_class: Make,
) -> None:
    one = begun(new_class, 20)
    estimates, space = estimate(one.state.beliefs_about_all, one.state.here), one.state.space
    room = estimates.classroom
    now = float(((room.states - space.target) ** 2).sum(axis=1).mean())
    distances = [distance_at(goal, estimates) for goal in (0.05, 0.1, 0.2, 0.4)]
    assert distances == sorted(distances)
    for goal, distance in zip((0.1, 0.2, 0.4), distances[1:], strict=True):
        states = space.target + np.sqrt(distance / now) * (room.states - space.target)
        wrong = ndtr(-(states @ space.signed.T) / space.sigma).mean()
        assert wrong == pytest.approx(goal, abs=0.01)


def test_a_goal_below_the_errors_at_the_target_is_raised_above_them(new_class: Make) -> None:
    one = begun(new_class, 8)
    assert 0.0 < distance_at(1e-6, estimate(one.state.beliefs_about_all, one.state.here)) < 0.2


def test_the_groups_depend_on_the_weight_of_the_students_time(new_class: Make) -> None:
    one = begun(new_class, 20)
    few, many = split_class(one.state, lam=0.0), split_class(one.state, lam=1000.0)
    assert set(few.groups) == set(many.groups) == set(one.states)
    assert len(set(few.groups.values())) < len(set(many.groups.values()))
    assert few.how == "best:lam=0"
    assert many.how == "best:lam=1000"
    one.add(many)
    one.answer()
    assert splits_of(one.state, lam=1000.0)["now"]["alone"] > 0


@pytest.mark.parametrize("seed", range(6))
def test_the_present_groups_are_beaten_or_among_the_splits(new_class: Make, seed: int) -> None:
    """No split that is offered is worse than the present groups for teacher and students."""
    one = begun(new_class, 16)
    order = np.random.default_rng(seed).permutation(16) % (1 + seed % 3)
    ids = one.state.here
    one.add(Regrouped("by hand", dict(zip(ids, order.tolist(), strict=True))))
    split = splits_of(one.state, lam=1.0)
    now = split["now"]
    beaten = [
        way
        for way in split["ways"]
        if way["rounds"] >= now["rounds"] and way["workload"] >= now["workload"] and way != now
    ]
    assert beaten == []


def test_groups_that_are_best_already_stay(
    new_class: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = begun(new_class, 8)
    groups = dict(zip(one.state.here, [0, 0, 0, 0, 1, 1, 1, 1], strict=True))
    one.add(Regrouped("by hand", groups))
    monkeypatch.setattr(regroup, "frontier", lambda *_, **__: ())
    assert split_class(one.state, lam=1.0).groups == groups
    split = splits_of(one.state)
    assert split["ways"] == [split["now"]]


def test_groups_by_a_rule_or_none(new_class: Make) -> None:
    one = begun(new_class, 12)
    assert len(set(split_class(one.state, groups="by-knowledge:k=3").groups.values())) == 3
    assert set(split_class(one.state, groups="whole").groups.values()) == {0}
    assert len(set(split_class(one.state, groups="individuals").groups.values())) == 12


def test_a_student_who_left_is_in_no_new_group(new_class: Make) -> None:
    one = begun(new_class, 6)
    one.add(Left("s2"))
    assert "s2" not in split_class(one.state, groups="by-knowledge:k=2").groups
    assert estimate(one.state.beliefs_about_all, one.state.here).classroom.students == 5


def test_refusals_give_the_reason(new_class: Make) -> None:
    assert split_class(new_class(0).state, groups="whole").groups == {}
    with pytest.raises(Refused, match="Nothing is known about the class yet: begin the pre-test"):
        splits_of(new_class(0).state)
    with pytest.raises(Refused, match="Nothing is known about the class yet"):
        split_class(new_class(0).state, groups="by-rate")
    state = begun(new_class, 4).state
    with pytest.raises(Refused, match="Lambda must be 0 or more, but is -1"):
        split_class(state, lam=-1.0)
    with pytest.raises(Refused, match="Lambda must be 0 or more, but is nan"):
        splits_of(state, float("nan"))
    with pytest.raises(Refused, match="There is no grouping called 'by-shoe-size'") as caught:
        split_class(state, groups="by-shoe-size")
    assert caught.value.status == 422
    with pytest.raises(Refused, match="`k` must be"):
        split_class(state, groups="by-knowledge:k=99")


def test_the_number_of_groups_is_limited(new_class: Make) -> None:
    one = new_class(MOST_GROUPS + 1)
    one.add(PhaseBegan("teach"))
    with pytest.raises(Refused, match=f"That would be {MOST_GROUPS + 1} groups, but a live class"):
        split_class(one.state, groups="individuals")
    assert all(
        way["together"] + way["alone"] <= MOST_GROUPS for way in splits_of(one.state, 5.0)["ways"]
    )


def test_students_on_a_map_are_split_by_rate_and_knowledge(new_class: Make) -> None:
    """Before rates are known all are the same, and groups by rate would not separate students."""
    one = begun(new_class, 40)
    room = estimate(one.state.beliefs_about_all, one.state.here).classroom
    assert np.ptp(room.rates) < 1e-9
    start = time.process_time()
    groups = split_class(one.state, lam=20.0).groups
    assert time.process_time() - start < 0.3
    sizes = np.bincount(list(groups.values()))
    assert (sizes > 1).sum() > 1


@pytest.mark.slow
def test_the_next_examples_of_many_groups_come_in_time(new_class: Make) -> None:
    one = begun(new_class, 300)
    one.add(split_class(one.state, groups="at-random:k=60"))
    one.answer()
    before = one.state
    start = time.process_time()
    assert len(choose(before, 0)) == 3
    for group in range(60):
        assert choose(before, group).item is not None
    assert time.process_time() - start < 1.0  # 8 ms per group, half of it for what it knows
