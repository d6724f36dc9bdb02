"""What is known of a class, with names to its rows."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.classroom import Example
from homeroom.live.activities.insects import activity
from homeroom.live.activities.space import Space
from homeroom.live.classbook.rounds import Round
from homeroom.live.classbook.sight import Remembering, Sight, room_of
from homeroom.observers import Outcome

STUDENTS = ("ada", "ben", "cy")
ITEMS = ("insect-003", "insect-070", "insect-120", "insect-150")


@pytest.fixture(scope="module")
def space() -> Space:
    """Give the insects' map."""
    found = activity().space
    assert found is not None
    return found


def quizzed(space: Space) -> Sight:
    answers = {
        (who, item): 1 if at % 2 else -1 for who in STUDENTS for at, item in enumerate(ITEMS)
    }
    test = Round(0, "pretest", ITEMS, members=dict.fromkeys(STUDENTS, 0), answers=answers)
    return Sight.begin(space, STUDENTS).after(test)


def taught(sight: Sight, *, groups: dict[str, int], items: tuple[str, ...]) -> Sight:
    answers = {(who, items[group]): 1 for who, group in groups.items()}
    return sight.after(Round(1, "teach", items, members=groups, answers=answers))


def test_groups_that_see_the_same_are_as_one_group(space: Space) -> None:
    together = taught(quizzed(space), groups=dict.fromkeys(STUDENTS, 0), items=("insect-100",))
    apart = taught(
        quizzed(space), groups={"ada": 0, "ben": 1, "cy": 1}, items=("insect-100", "insect-100")
    )
    assert np.array_equal(together.book.bank.means, apart.book.bank.means)


def test_each_row_moves_as_if_its_example_had_been_everybodys(space: Space) -> None:
    items = ("insect-100", "insect-020")
    apart = taught(quizzed(space), groups={"ada": 0, "ben": 1, "cy": 1}, items=items)
    for item, rows in ((items[0], [0]), (items[1], [1, 2])):
        before = quizzed(space).book
        heard = before.hear(apart.book.log[1])  # type: ignore[arg-type]
        x = space.rows[space.number[item]]
        bank = heard.bank.shown(x, float(x @ space.target), attention=1.0, drift=0.0)
        assert np.allclose(apart.book.bank.means[rows], bank.means[rows], rtol=0, atol=1e-12)


def test_who_saw_nothing_stays_where_she_was(space: Space) -> None:
    before = taught(quizzed(space), groups=dict.fromkeys(STUDENTS, 0), items=("insect-100",))
    after = taught(before, groups={"ada": 0}, items=("insect-020",))
    assert np.array_equal(after.book.bank.means[1:], before.book.bank.means[1:])
    assert np.array_equal(after.book.bank.covariances[1:], before.book.bank.covariances[1:])
    assert (after.book.bank.means[0] != before.book.bank.means[0]).any()


def test_a_part_of_the_class_is_a_class_of_its_own(space: Space) -> None:
    sight = taught(quizzed(space), groups=dict.fromkeys(STUDENTS, 0), items=("insect-100",))
    some = sight.some(("cy", "ada"))
    assert np.array_equal(some.bank.means, sight.book.bank.means[[2, 0]])
    assert np.array_equal(some.answers, sight.book.answers[[2, 0]])
    assert sight.some(STUDENTS) is sight.book


def test_newcomers_in_one_go_or_one_by_one_are_the_same(space: Space) -> None:
    sight = taught(quizzed(space), groups=dict.fromkeys(STUDENTS, 0), items=("insect-100",))
    at_once = sight.with_newcomers((*STUDENTS, "dee", "eve"))
    one_by_one = sight.with_newcomers(("dee",)).with_newcomers(("dee", "eve"))
    assert at_once.students == one_by_one.students == (*STUDENTS, "dee", "eve")
    assert np.array_equal(at_once.book.bank.means, one_by_one.book.bank.means)
    assert sight.with_newcomers(STUDENTS) is sight
    later = taught(at_once, groups=dict.fromkeys(at_once.students, 0), items=("insect-020",))
    revised = later.book.revised()  # goes through the whole log, with the newcomers' rows
    assert revised.students == 5


def test_a_round_without_answers_still_shows_its_example(space: Space) -> None:
    silent = Round(1, "teach", ("insect-100",), members=dict.fromkeys(STUDENTS, 0), ended="closed")
    after = quizzed(space).after(silent)
    assert after.book.rounds == 1
    assert after.book.answers.shape == (3, 4)


def test_answers_to_items_that_are_not_on_the_map_are_left_out(space: Space) -> None:
    strange = Round(
        0,
        "pretest",
        ("no such item", ITEMS[0]),
        members={"ada": 0},
        answers={("ada", "no such item"): 1, ("ada", ITEMS[0]): 1},
    )
    assert Sight.begin(space, STUDENTS).after(strange).book.answers.shape == (3, 1)


def test_a_lesson_in_the_middle_hears_before_it_shows(space: Space) -> None:
    sight = quizzed(space)
    observer = Remembering(sight.quiz, sight.book)
    assert observer.begin(room_of(space, 3)) is sight.book
    number = space.number["insect-100"]
    x = space.rows[number]
    outcome = Outcome(np.full(3, 0.3), Example(x, float(x @ space.target)), [{number: 1}] * 3)
    after = observer.remember(sight.book, outcome)
    expected = taught(sight, groups=dict.fromkeys(STUDENTS, 0), items=("insect-100",)).book
    assert np.array_equal(after.bank.means, expected.bank.means)
    assert observer.judged(after) == sight.quiz.judged(after)
