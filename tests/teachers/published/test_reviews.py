"""Spaced repetition and the forgetful greedy: recall at the threshold, boxes, brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
    Classroom,
    ItemPool,
    Lesson,
    RandomTeacher,
    teach,
)
from homeroom.learners import ForgettingLearner, GradientLearner
from homeroom.learners.forgetting import retention
from homeroom.teachers.published import ForgetfulGreedyTeacher, LeitnerTeacher, RecallTeacher
from homeroom.teachers.published.reviews import Reviews

FACTS = np.eye(6)
NEVER = AverageGoal(1e-12)


def beginners(students: int = 3, facts: int = 6) -> Classroom:
    """Students who know nothing, and remember all of what they are shown."""
    return Classroom(np.zeros((students, facts)), np.full(students, 1.0), np.ones(facts))


def test_a_review_comes_when_the_recall_of_the_students_is_at_the_threshold() -> None:
    """Students forget as is assumed: at each review what is left is just below the threshold."""
    room, threshold = beginners(facts=40), 0.7
    teacher = RecallTeacher(ItemPool(np.eye(40)), threshold=threshold, strength=3.0)
    learner = ForgettingLearner(GradientLearner(), strength=3.0)
    lesson = Lesson(room, teacher=teacher, learner=learner, goal=NEVER, max_rounds=50)
    known: set[int | None] = set()
    due = []
    while (example := lesson.ask()) is not None:
        item = example.item  # type: ignore[union-attr]
        left = np.asarray(lesson.parts[0].students.states)[0]
        if item in known:
            due.append(left[item])
        known.add(item)
        lesson.tell()
    assert len(due) >= 15
    # A state is that after the last round; the next one brings it to the threshold or below.
    assert max(due) <= threshold + 0.06
    assert min(due) > threshold - 0.12  # others may have been due first


def test_predicted_recall_is_that_of_the_students() -> None:
    room, learner = beginners(), ForgettingLearner(strength=3.0, exponent=0.7)
    teacher = RecallTeacher(ItemPool(FACTS), strength=3.0, exponent=0.7)
    lesson = Lesson(room, teacher=teacher, learner=learner, goal=NEVER, max_rounds=30)
    predicted = np.zeros(6)
    while (example := lesson.ask()) is not None:
        lesson.tell()
        plan = lesson.parts[0].plan()
        assert plan is not None
        states = np.asarray(lesson.parts[0].students.states)[0]
        # A plan is for the round after it: then it holds for all facts but the one that is shown.
        waiting = (predicted > 0.0) & (np.arange(6) != example.item)  # type: ignore[union-attr]
        np.testing.assert_allclose(states[waiting], predicted[waiting], atol=1e-4)
        predicted = np.array(plan["recall"])
    assert waiting.sum() == 5


def test_boxes_double_the_time_and_a_mistake_starts_again() -> None:
    """By hand: seven rounds of three items."""
    reviews, teacher = Reviews.none(3), LeitnerTeacher(ItemPool(np.eye(3)))
    order = []
    for right in (True, True, True, True, False, True, True):
        row = teacher.choose_item(reviews)
        order.append(row)
        reviews = reviews.after(row, right=right, back=True)
    assert order == [0, 1, 0, 1, 2, 0, 2]
    assert reviews.boxes.tolist() == [2, 1, 1]
    worse = reviews.after(0, right=False, back=True)
    assert worse.boxes.tolist() == [0, 1, 1]


def brute_force_gain(teacher: ForgetfulGreedyTeacher, reviews: Reviews, item: int) -> float:
    """The expected recall of an item with a review now, minus that without, term by term."""
    strength = teacher.strength * 2.0 ** int(reviews.boxes[item])
    age, new = int(reviews.rounds - reviews.last[item]), reviews.last[item] < 0
    recall = 0.0 if new else (1 + age / strength) ** -teacher.exponent
    gain = 0.0
    for t in range(1, teacher.horizon + 1):
        success = (1 + t / (2 * strength)) ** -teacher.exponent
        failure = (1 + t / strength) ** -teacher.exponent
        without = 0.0 if new else (1 + (age + t) / strength) ** -teacher.exponent
        gain += recall * success + (1 - recall) * failure - without
    return gain


def test_the_forgetful_greedy_shows_the_item_with_the_greatest_gain() -> None:
    teacher = ForgetfulGreedyTeacher(ItemPool(FACTS), horizon=7, strength=2.0)
    rng, reviews = np.random.default_rng(0), Reviews.none(6)
    for _ in range(40):
        gains = [brute_force_gain(teacher, reviews, item) for item in range(6)]
        np.testing.assert_allclose(teacher.gains(reviews), gains, rtol=1e-12)
        row = int(np.argmax(gains))
        reviews = reviews.after(row, right=bool(rng.random() < 0.6), back=False)


def lesson_value(teacher: ForgetfulGreedyTeacher, sequence: tuple[int, ...], items: int) -> float:
    """The recall of all items summed over a short lesson in which every review succeeds."""
    last, boxes = np.full(items, -1), np.zeros(items)
    total = 0.0
    for now, item in enumerate(sequence):
        if last[item] >= 0:
            boxes[item] += 1
        last[item] = now
        ages, strengths = now + 1 - last, teacher.strength * 2.0**boxes
        total += float(np.where(last < 0, 0.0, retention(ages, strengths, teacher.exponent)).sum())
    return total


@pytest.mark.parametrize(("items", "rounds"), [(2, 6), (3, 5), (4, 4)])
def test_over_short_horizons_greedy_is_close_to_the_best_of_all_sequences(
    items: int, rounds: int
) -> None:
    """Brute force over all sequences: the lesson with the teacher's own settings has 95 %."""
    teacher = ForgetfulGreedyTeacher(ItemPool(np.eye(items)))
    record = teach(
        beginners(facts=items), teacher=teacher, learner=ForgettingLearner(), goal=NEVER,
        max_rounds=rounds,
    )  # fmt: skip
    greedy = tuple(record.examples.items.tolist())
    best = max(lesson_value(teacher, one, items) for one in product(range(items), repeat=rounds))
    assert lesson_value(teacher, greedy, items) >= 0.95 * best


@pytest.mark.parametrize("make", [LeitnerTeacher, RecallTeacher, ForgetfulGreedyTeacher])
def test_no_fact_is_left_out(make: type) -> None:
    record = teach(
        beginners(), teacher=make(ItemPool(FACTS)), learner=ForgettingLearner(), goal=NEVER,
        max_rounds=40,
    )  # fmt: skip
    assert set(record.examples.items.tolist()) == set(range(6))


def test_reviews_beat_random_facts_for_students_who_forget() -> None:
    rng = np.random.default_rng(0)
    target = np.where(rng.random(12) < 0.5, -1.0, 1.0)
    room = Classroom(-0.2 * np.tile(target, (10, 1)), rng.uniform(0.8, 1.0, 10), target)
    pool = ItemPool(np.eye(12))
    left = [
        teach(room, teacher=teacher, learner=ForgettingLearner(), goal=NEVER, max_rounds=90).errors
        for teacher in (RecallTeacher(pool), RandomTeacher(pool))
    ]
    assert left[0][-1] < left[1][-1]
