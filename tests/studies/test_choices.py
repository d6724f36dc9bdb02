"""What one choice does: the estimates, their intervals, and when they are refused."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.experiments import (
    CHOICES,
    LASTING,
    OTHER_CHOICES,
    ChoiceStudy,
    choice_coverage,
)
from homeroom.studies.choices import ALL, ChoiceEffect, choice_effects
from homeroom.studies.experiment_log import ExperimentLesson


def found(lessons: list[ExperimentLesson], arm: str = "homeroom") -> ChoiceEffect:
    return next(one for one in choice_effects(lessons, ahead=1) if one.taught_by == arm)


def lessons_of(study: ChoiceStudy, seed: int = 0) -> list[ExperimentLesson]:
    return study.lessons(np.random.default_rng(seed))


def test_a_large_effect_is_found_by_both_estimates() -> None:
    study = ChoiceStudy(classes=12, effect=0.3, rounds=30)
    effect = found(lessons_of(study))
    assert effect.weighted is not None
    assert effect.doubly_robust is not None
    for one in (effect.weighted, effect.doubly_robust):
        assert 0.1 < one.low < study.truth(1) < one.high < 0.5


def test_self_normalised_means_are_those_of_a_direct_sum() -> None:
    lessons = lessons_of(ChoiceStudy(classes=6, rounds=40))
    effect = found(lessons)
    answers = [one for lesson in lessons for one in lesson.answers]
    right: dict[str, list[bool]] = {}
    usual: dict[tuple[str, str], float] = {}
    for lesson in lessons:
        others = [one for other in lessons if other is not lesson for one in other.answers]
        mean = float(np.mean([bool(one.right) for one in answers]))
        for item in {one.item for one in answers}:
            right[item] = [bool(one.right) for one in others if one.item == item]
            usual[lesson.classroom, item] = (sum(right[item]) + 5 * mean) / (len(right[item]) + 5)
    above = np.zeros((2, 2))
    for lesson in lessons:
        line = [one for one in lesson.choices if one.arm == "homeroom"]
        for now, after in itertools.pairwise(line):
            given = [
                float(bool(one.right)) - usual[lesson.classroom, one.item]
                for one in lesson.answers
                if (one.arm, one.round) == ("homeroom", after.round)
            ]
            assert now.probability is not None
            weights = np.array([now.item == now.choices["homeroom"], 1 / now.allowed])
            above += np.outer(weights / now.probability, [1.0, np.mean(given)])
    direct = above[0, 1] / above[0, 0] - above[1, 1] / above[1, 0]
    assert effect.weighted is not None
    assert effect.weighted.value == pytest.approx(direct)


def test_few_effective_choices_are_refused() -> None:
    effect = found(lessons_of(ChoiceStudy(classes=4, explore=0.1, rounds=15)))
    assert effect.effective < 30
    assert effect.weighted is None
    assert effect.doubly_robust is None
    assert "effective number of choices is" in effect.refused


def test_one_class_is_refused() -> None:
    effect = found(lessons_of(ChoiceStudy(classes=1, rounds=150)))
    assert effect.effective >= 30
    assert "from one class" in effect.refused


def test_choices_of_the_teacher_and_without_answers_after_them_do_not_count() -> None:
    lessons = lessons_of(ChoiceStudy(classes=2, rounds=10))
    everything = found(lessons)
    assert everything.choices == 2 * 9  # the last choice has no answers after it
    forced = [
        replace(one, choices=[choice._replace(probability=None) for choice in one.choices])
        for one in lessons
    ]
    assert choice_effects(forced) == []


def test_the_effective_number_is_that_of_kish() -> None:
    study = ChoiceStudy(classes=3, explore=1.0, rounds=30)  # weights are 1 at random
    effect = found(lessons_of(study))
    line = [
        one.item == one.choices["homeroom"]
        for lesson in lessons_of(study)
        for one in lesson.choices
        if one.arm == "homeroom" and one.round < 30
    ]
    assert effect.effective == pytest.approx(sum(line))


def test_all_arms_are_pooled_and_each_is_listed() -> None:
    effects = choice_effects(lessons_of(ChoiceStudy(classes=3)), ahead=1)
    assert [(one.rule, one.taught_by) for one in effects] == [
        ("homeroom", ALL),
        ("homeroom", "homeroom"),
        ("homeroom", "random"),
    ]


@pytest.mark.slow
def test_the_doubly_robust_interval_is_shorter_on_average() -> None:
    both = choice_coverage(CHOICES["20 classes, no learner in the log"], 15, seed=3)
    assert both["robust_error"] < both["error"]


@pytest.mark.slow
def test_intervals_cover_in_few_studies() -> None:
    both = choice_coverage(CHOICES["4 classes"], 40, seed=3)
    assert both["effective"] >= 100
    assert min(both["weighted"], both["robust"]) >= 0.85


@pytest.mark.slow
@pytest.mark.parametrize("name", CHOICES)
def test_intervals_cover_where_a_hundred_choices_count(name: str) -> None:
    """On other seeds than those of the benchmark."""
    both = choice_coverage(CHOICES[name], 400, seed=950 + list(CHOICES).index(name))
    assert both["effective"] >= 100
    assert min(both["weighted"], both["robust"]) >= 0.92


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "seed"), [("3 classes, all arms", 302), ("3 classes, the random arm", 304)]
)
def test_intervals_cover_with_few_classes_and_in_other_arms(name: str, seed: int) -> None:
    study, arm = OTHER_CHOICES[name]
    both = choice_coverage(study, 200, seed, arm)
    assert both["effective"] >= 100
    assert min(both["weighted"], both["robust"]) >= 0.92


@pytest.mark.slow
@pytest.mark.parametrize("ahead", [2, 3])
def test_intervals_cover_effects_on_several_answers(ahead: int) -> None:
    both = choice_coverage(LASTING, 400, seed=900 + ahead, ahead=ahead)
    assert both["effective"] >= 100
    assert min(both["weighted"], both["robust"]) >= 0.92


def test_an_effect_on_the_next_two_answers_is_shared_by_three() -> None:
    study = ChoiceStudy(effect=0.12, lasts=2, classes=30, rounds=40)
    truths = [study.truth(ahead) for ahead in (1, 2, 3)]
    assert truths == pytest.approx([0.11, 0.11, 0.22 / 3])
    lessons = lessons_of(study)
    for ahead, truth in enumerate(truths, start=1):
        one = next(e for e in choice_effects(lessons, ahead=ahead) if e.taught_by == "homeroom")
        assert one.weighted is not None
        assert abs(one.weighted.value - truth) < 0.025
