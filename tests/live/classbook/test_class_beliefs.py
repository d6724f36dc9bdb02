"""The beliefs about a class, with a row per student."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from homeroom.live.activities.insects import activity
from homeroom.live.activities.space import AnswerList, Space
from homeroom.live.classbook.class_beliefs import (
    POINTS,
    ClassBeliefs,
    ellipses,
    on_the_plane,
    summaries,
)
from homeroom.live.classbook.rounds import Round
from homeroom.live.events import PhaseBegan
from homeroom.observers.quizzing.beliefs import Belief
from homeroom.observers.quizzing.estimates import ellipse
from homeroom.observers.quizzing.fitted_people import SHEPARD
from homeroom.observers.quizzing.log import Shown
from homeroom.observers.quizzing.quiz_state import QuizState

STUDENTS = ("ada", "ben", "cy")
ITEMS = ("insect-003", "insect-070", "insect-120", "insect-150")


@pytest.fixture(scope="module")
def space() -> Space:
    """Return the map of the insects."""
    found = activity().space
    assert found is not None
    return found


def quizzed(space: Space) -> ClassBeliefs:
    answers = {
        (student, item): 1 if at % 2 else -1
        for student in STUDENTS
        for at, item in enumerate(ITEMS)
    }
    test = Round(0, "pretest", ITEMS, members=dict.fromkeys(STUDENTS, 0), answers=answers)
    return ClassBeliefs.begin(space, STUDENTS).after(test)


def taught(
    beliefs: ClassBeliefs, *, groups: dict[str, int], items: tuple[str, ...]
) -> ClassBeliefs:
    answers = {(student, items[group]): 1 for student, group in groups.items()}
    return beliefs.after(Round(1, "teach", items, members=groups, answers=answers))


def test_a_class_begins_with_the_learner_fitted_to_people(space: Space) -> None:
    facts = AnswerList(("a", "b", "c"), np.array([1, 2, 3]), np.array([3, 3, 3]), facts=True)
    for one in (space, facts):
        quiz = ClassBeliefs.begin(one, STUDENTS).memory
        assert 2.0 * quiz.assumed.model.guess == SHEPARD.lapse.value
        np.testing.assert_allclose(quiz.rates, SHEPARD.step.value)
    quiz = ClassBeliefs.begin(space, STUDENTS).memory
    assert quiz.margin == SHEPARD.margin.value * quiz.assumed.model.sigma
    near = np.abs(space.rows @ space.target) < quiz.margin
    np.testing.assert_allclose(np.abs(space.taught[near]), quiz.margin)


def hurried(space: Space, *, seconds: bool, knows: bool = False) -> ClassBeliefs:
    """Return beliefs after a test in which all take 6 s and know the answers, but Cy takes .5 s."""
    items = tuple(space.ids[::10][:16])
    right = {item: 1 if space.taught[space.row_of[item]] > 0 else -1 for item in items}
    coins = dict(zip(items, np.random.default_rng(2).choice([-1, 1], 16).tolist(), strict=True))
    students = (*"abcdefg", "cy")
    answers = {
        (one, item): coins[item] if one == "cy" and not knows else right[item]
        for one in students
        for item in items
    }
    took = {(one, item): 0.5 if one == "cy" else 6.0 for one in students for item in items}
    test = Round(
        0,
        "pretest",
        items,
        members=dict.fromkeys(students, 0),
        answers=answers,
        seconds=took if seconds else {},
    )
    return ClassBeliefs.begin(space, students).after(test)


def test_random_answers_faster_than_reading_are_reported(space: Space) -> None:
    seen = hurried(space, seconds=True).summaries
    assert not seen["cy"].honest
    assert seen["cy"].hasty == 16
    assert all(one.honest and one.hasty == 0 for name, one in seen.items() if name != "cy")


def test_without_times_they_look_like_those_of_a_beginner(space: Space) -> None:
    assert all(one.honest for one in hurried(space, seconds=False).summaries.values())


def test_a_student_who_knows_the_answers_may_be_quick(space: Space) -> None:
    assert hurried(space, seconds=True, knows=True).summaries["cy"].honest


def test_groups_with_the_same_item_equal_one_group(space: Space) -> None:
    together = taught(quizzed(space), groups=dict.fromkeys(STUDENTS, 0), items=("insect-100",))
    apart = taught(
        quizzed(space), groups={"ada": 0, "ben": 1, "cy": 1}, items=("insect-100", "insect-100")
    )
    assert np.array_equal(together.memory.bank.means, apart.memory.bank.means)


def test_each_row_moves_as_if_the_whole_class_had_seen_its_example(space: Space) -> None:
    items = ("insect-100", "insect-020")
    apart = taught(quizzed(space), groups={"ada": 0, "ben": 1, "cy": 1}, items=items)
    for item, rows in ((items[0], [0]), (items[1], [1, 2])):
        before = quizzed(space).memory.hear(apart.memory.log[1])  # type: ignore[arg-type]
        number = space.row_of[item]
        bank = before.show(Shown(space.rows[number], space.taught[number], number)).bank
        assert np.allclose(apart.memory.bank.means[rows], bank.means[rows], rtol=0, atol=1e-12)


def test_a_student_who_saw_nothing_does_not_move(space: Space) -> None:
    before = taught(quizzed(space), groups=dict.fromkeys(STUDENTS, 0), items=("insect-100",))
    after = taught(before, groups={"ada": 0}, items=("insect-020",))
    assert np.array_equal(after.memory.bank.means[1:], before.memory.bank.means[1:])
    assert np.array_equal(after.memory.bank.covariances[1:], before.memory.bank.covariances[1:])
    assert (after.memory.bank.means[0] != before.memory.bank.means[0]).any()


def test_a_part_of_the_class_can_be_used_as_a_class(space: Space) -> None:
    beliefs = taught(quizzed(space), groups=dict.fromkeys(STUDENTS, 0), items=("insect-100",))
    some = beliefs.memory_of(("cy", "ada"))
    assert np.array_equal(some.bank.means, beliefs.memory.bank.means[[2, 0]])
    assert np.array_equal(some.answers, beliefs.memory.answers[[2, 0]])
    assert beliefs.memory_of(STUDENTS) is beliefs.memory


def test_students_may_be_added_together_or_one_by_one(space: Space) -> None:
    beliefs = taught(quizzed(space), groups=dict.fromkeys(STUDENTS, 0), items=("insect-100",))
    at_once = beliefs.with_newcomers((*STUDENTS, "dee", "eve"))
    one_by_one = beliefs.with_newcomers(("dee",)).with_newcomers(("dee", "eve"))
    assert at_once.students == one_by_one.students == (*STUDENTS, "dee", "eve")
    assert np.array_equal(at_once.memory.bank.means, one_by_one.memory.bank.means)
    assert beliefs.with_newcomers(STUDENTS) is beliefs
    later = taught(at_once, groups=dict.fromkeys(at_once.students, 0), items=("insect-020",))
    revised = later.memory.revised()  # goes through the whole log, with the newcomers' rows
    assert revised.students == 5


def test_a_round_without_answers_still_shows_its_example(space: Space) -> None:
    silent = Round(1, "teach", ("insect-100",), members=dict.fromkeys(STUDENTS, 0), ended="closed")
    after = quizzed(space).after(silent)
    assert after.memory.rounds == 1
    assert after.memory.answers.shape == (3, 4)


def test_answers_to_items_that_are_not_on_the_map_are_left_out(space: Space) -> None:
    strange = Round(
        0,
        "pretest",
        ("no such item", ITEMS[0]),
        members={"ada": 0},
        answers={("ada", "no such item"): 1, ("ada", ITEMS[0]): 1},
    )
    assert ClassBeliefs.begin(space, STUDENTS).after(strange).memory.answers.shape == (3, 1)


def test_an_estimate_takes_effect_two_rounds_after_its_answers(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of several threads that need it, one computes it."""
    calls: list[int] = []

    def counted(self: QuizState) -> QuizState:
        calls.append(1)
        return replace(self, assumed=replace(self.assumed, radius=1.5 * self.assumed.radius))

    monkeypatch.setattr(QuizState, "revised", counted)
    groups = dict.fromkeys(STUDENTS, 0)
    tested = quizzed(space)
    once = taught(tested, groups=groups, items=("insect-100",))
    assert once.memory.assumed == tested.memory.assumed
    assert not calls
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ClassBeliefs.prepare, [tested, once, tested, once]))
        found = list(pool.map(lambda _: once.estimated, range(4)))
    assert len(calls) == 1
    assert all(one is found[0] for one in found)
    assert found[0].memory.rounds == 1
    twice = taught(once, groups=groups, items=("insect-100",))
    assert twice.memory.assumed == found[0].memory.assumed == tested.revised.memory.assumed
    assert twice.memory.assumed != tested.memory.assumed
    assert twice.latest is twice  # due again after five examples
    assert len(calls) == 1


Make = Callable[..., Any]


def test_ellipses_equal_those_of_the_observer() -> None:
    rng = np.random.default_rng(0)
    roots = rng.standard_normal((4, 3, 3))
    belief = Belief(rng.standard_normal((4, 3)), roots @ np.swapaxes(roots, 1, 2))
    edges = ellipses(on_the_plane(belief))
    for student in range(4):
        expected = ellipse(belief, student, np.array([0, 1]), points=POINTS)
        assert edges[student] == pytest.approx(expected)


def test_a_map_with_one_axis_is_a_line() -> None:
    belief = Belief(np.array([[2.0, 5.0]]), np.array([[[4.0, 1.0], [1.0, 9.0]]]))
    plane = on_the_plane(belief)
    assert plane.means.tolist() == [[2.0, 0.0]]
    assert not ellipses(plane)[0, :, 1].any()


def test_chances_have_an_interval_that_shrinks_with_answers(new_class: Make) -> None:
    one = new_class(6)
    one.add(PhaseBegan("pretest"))
    before = summaries(one.state.beliefs_about_all.students, one.state.beliefs_about_all.memory)
    one.answer()
    one.add(PhaseBegan("teach"))
    after = summaries(one.state.beliefs_about_all.students, one.state.beliefs_about_all.memory)
    for student in one.states:
        wide, narrow = before[student].p_right, after[student].p_right
        assert wide["low"] < wide["middle"] < wide["high"]
        assert narrow["high"] - narrow["low"] < wide["high"] - wide["low"]
        assert len(after[student].ellipse or ()) == POINTS
    assert {like.rate_words for like in before.values()} == {"not known yet"}


def test_chances_match_the_share_of_right_answers(new_class: Make) -> None:
    one = new_class(40)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    found = summaries(one.state.beliefs_about_all.students, one.state.beliefs_about_all.memory)
    right = []
    for student, state in one.states.items():
        scores = one.space.signed @ state / one.space.sigma
        right.append((student, float((scores > 0).mean())))
    apart = [found[student].p_right["middle"] - share for student, share in right]
    assert abs(np.mean(apart)) < 0.06
    inside = [
        found[student].p_right["low"] - 0.05 <= share <= found[student].p_right["high"] + 0.05
        for student, share in right
    ]
    assert np.mean(inside) > 0.8
