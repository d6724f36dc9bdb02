"""Which answers are enough for a map, and what a map should not be trusted with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from homeroom.crowd import Answers, Embedding
from homeroom.crowd.fitting import uncertainty as laplaces
from homeroom.crowd.map_warnings import check_enough

USELESS = "The rule fits no more of the expert's labels than one answer to all items would"


def doubts_about(answers: Answers, dimensions: int = 2) -> str:
    return "\n".join(Embedding.fit(answers, dimensions=dimensions, starts=1).warnings)


def test_a_good_map_has_no_warnings(crowds: Callable[..., Any]) -> None:
    answers = crowds().answers
    assert doubts_about(replace(answers, labels=np.full(160, np.nan))) == ""


def test_unanswered_items_are_named(crowds: Callable[..., Any]) -> None:
    answers = crowds(items=30, people=20).answers
    kept = (answers.item != 3) & (answers.item != 17)
    said = doubts_about(only(answers, kept))
    assert "2 items got no answer (i3, i17): their places on the map mean nothing." in said


def test_annotators_without_answers_are_named(crowds: Callable[..., Any]) -> None:
    answers = crowds(items=30, people=20).answers
    said = doubts_about(only(answers, answers.person != 4))
    assert "1 annotator gave no answer (p4): their lines on the map mean nothing." in said


def test_disconnected_parts_are_reported(crowds: Callable[..., Any]) -> None:
    answers = crowds(items=30, people=20).answers
    said = doubts_about(only(answers, (answers.item < 25) == (answers.person < 15)))
    assert (
        "The answers fall into 2 parts that have neither annotators nor items in common "
        "(5 items outside the largest: i25, i26, i27, ...): their places relative to each other "
        "mean nothing. Make a map of each."
    ) in said
    tied = (answers.item < 25) == (answers.person < 15)
    assert "fall into" not in doubts_about(only(answers, tied | (answers.item == 0)))


def test_too_few_answers_are_counted(crowds: Callable[..., Any]) -> None:
    answers = crowds(items=30, people=20).answers
    rare = (answers.item >= 4) | (answers.person < 5)
    said = doubts_about(only(answers, rare))
    assert "4 of 30 items have fewer than 6 answers (i0, i1, i2, ...): too few for 2 dimens" in said
    assert "so their places are guesses." in said
    rare = (answers.person != 7) | (answers.item < 8)
    said = doubts_about(only(answers, rare))
    assert "1 of 20 annotators have fewer than 9 answers (p7): too few for 2 dimensions" in said
    assert "so their lines and groups are guesses." in said


def test_an_axis_without_differences_is_not_identified(crowds: Callable[..., Any]) -> None:
    answers = crowds(items=60, people=30, angles=0.0).answers
    said = doubts_about(answers)
    assert "Axis 2 is not identified: annotators think too much alike" in said
    assert "along it. Take fewer dimensions." in said
    assert "Axis 1" not in said
    assert "not identified" not in doubts_about(answers, dimensions=1)


@pytest.mark.parametrize(("yes", "word"), [(True, "duck"), (False, "no duck")])
def test_annotators_who_always_say_the_same_are_named(
    yes: bool, word: str, crowds: Callable[..., Any]
) -> None:
    answers = crowds(items=30, people=20).answers
    same = replace(
        answers,
        yes=np.where(answers.person == 2, yes, answers.yes),
        positive="duck",
        negative="no duck",
    )
    assert f"1 annotator always said {word!r} (p2): how they weigh the items" in doubts_about(same)


def test_intervals_that_are_too_narrow_are_reported(
    crowds: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(laplaces, "MAX_SIZE", 10)
    assert "intervals are too narrow" in doubts_about(crowds(items=30, people=20).answers)


def test_labels_that_no_straight_rule_fits_are_counted(crowds: Callable[..., Any]) -> None:
    answers = crowds(items=30, people=20).answers
    labels = np.where(np.arange(30) % 10, answers.labels, -answers.labels)
    said = doubts_about(replace(answers, labels=labels))
    assert "No straight rule fits the expert's labels: " in said
    assert USELESS not in said


def test_a_rule_no_better_than_one_answer_to_all_is_a_guess(crowds: Callable[..., Any]) -> None:
    """Every second item along the only axis is a yes."""
    answers = crowds(items=30, people=20).answers
    along = Embedding.fit(answers, dimensions=1, starts=1).items[:, 0].argsort().argsort()
    said = doubts_about(replace(answers, labels=np.where(along % 2, 1.0, -1.0)), dimensions=1)
    assert "No straight rule fits the expert's labels: " in said
    assert USELESS in said


@pytest.mark.parametrize(
    ("label", "one", "other"), [(1.0, "duck", "goose"), (-1.0, "goose", "duck")]
)
def test_equal_labels_give_no_target(
    label: float, one: str, other: str, crowds: Callable[..., Any]
) -> None:
    answers = replace(crowds(items=30, people=20).answers, positive="duck", negative="goose")
    said = doubts_about(replace(answers, labels=np.full(30, label)))
    assert f"All of the expert's labels are {one!r} (30 items): where that ends is unknown" in said
    assert f"the target is a guess. Add labels that are {other!r}." in said


def test_too_few_labels_give_no_target(crowds: Callable[..., Any]) -> None:
    answers = crowds(items=30, people=20).answers
    labels = np.where(np.arange(30) < 9, np.where(np.arange(30) % 2, 1.0, -1.0), np.nan)
    assert "target is a guess" not in doubts_about(replace(answers, labels=labels))
    labels[8] = np.nan
    said = doubts_about(replace(answers, labels=labels))
    assert "The expert labelled only 8 items: too few for 2 dimensions" in said
    assert "so the target is a guess. It takes 9." in said


def only(answers: Answers, kept: Any) -> Answers:
    """Return some of the answers, with all annotators and items."""
    return replace(
        answers,
        person=answers.person[kept],
        item=answers.item[kept],
        choices=answers.choices[kept],
    )


@pytest.mark.slow
def test_random_answers_support_no_map() -> None:
    rng = np.random.default_rng(0)
    person, item = np.divmod(np.arange(600), 30)
    dice = Answers.from_arrays(person, item, rng.random(600) < 0.4)
    found = Embedding.fit(dice)
    assert found.dimensions == 0
    (said,) = found.warnings
    assert "There is no map: an axis would predict held-out answers no better than each" in said
    assert "share of 'yes' does (log loss 0.759, 0.675 without)." in said


def sparse(items: int, people: int, *, answers: int = 3, weight: float, seed: int) -> Answers:
    """Return a table with a few answers per item of annotators who look at two features alike."""
    rng = np.random.default_rng(seed)
    places = rng.standard_normal((items, 2)) + np.where(np.arange(items) % 2, 1.0, -1.0)[:, None]
    weights = weight * (0.7 + 0.4 * rng.standard_normal((people, 2)))
    person = np.concatenate([rng.choice(people, answers, replace=False) for _ in range(items)])
    item = np.repeat(np.arange(items), answers)
    certain = (weights[person] * places[item]).sum(axis=1) - 0.5 * rng.standard_normal(people)[
        person
    ]
    return Answers.from_arrays(person, item, rng.random(len(item)) < ndtr(certain))


@pytest.mark.slow
@pytest.mark.parametrize(("items", "people", "weight"), [(150, 150, 1.0), (150, 30, 0.0)])
def test_sparse_answers_do_not_get_axes_that_are_not_identified(
    items: int, people: int, weight: float
) -> None:
    """Three answers per item; version 0.1 chose from one to four axes for such tables."""
    found = Embedding.fit(sparse(items, people, weight=weight, seed=0))
    assert found.dimensions == 0
    assert found.held_out.keys() >= {0, 1, 2}
    assert found.warnings[0].startswith("There is no map: ")
    assert "Collect more answers per item." in found.warnings[0]


@pytest.mark.slow
def test_sparse_answers_get_an_axis_that_predicts_held_out_answers() -> None:
    found = Embedding.fit(sparse(200, 40, weight=1.0, seed=0))
    assert found.dimensions == 1
    assert found.held_out[1] < found.held_out[0] - 0.05
    assert "Places along axis 1 are rough: items keep 5" in "".join(found.warnings)


def test_one_axis_that_is_not_identified_asks_for_more_answers() -> None:
    person, item = np.divmod(np.arange(64), 8)
    few = Answers.from_arrays(person, item, np.random.default_rng(0).random(64) < 0.5)
    said = doubts_about(few, dimensions=1)
    assert "Axis 1 is not identified: " in said
    assert "along it. It takes more answers." in said
    assert "fewer dimensions" not in said


def test_no_more_than_all_of_the_prior_variance_is_kept() -> None:
    """By the curvature it may seem more, if all items are in one point."""
    person, item = np.divmod(np.arange(6), 2)
    yes = np.array([True, False, False, False, True, True])
    few = Answers.from_arrays(person, item, yes)
    assert Embedding.fit(few, dimensions=1).uncertainty.items.mean() > 1
    assert "items keep 100 % of their prior variance" in doubts_about(few, dimensions=1)


def test_an_earlier_map_that_cannot_be_matched_is_reported(crowds: Callable[..., Any]) -> None:
    answers = crowds(items=30, people=20).answers
    before = Embedding.fit(answers, dimensions=1, starts=1)
    end = ": the new map could not be rotated to match it."
    for earlier, dimensions, said in (
        (before, 2, "The earlier map has 1 dimension, and this one 2"),
        (replace(before, item_names=tuple("abc")), 1, "The earlier map has none of these items"),
    ):
        found = Embedding.fit(answers, dimensions=dimensions, previous=earlier, starts=1)
        assert found.warnings[0] == said + end
    again = Embedding.fit(answers, previous=before, starts=1)
    assert "could not be rotated" not in "".join(again.warnings)


def test_two_annotators_two_items_and_both_answers_are_enough() -> None:
    check_enough(Answers.from_arrays(["Ada", "Ben"], ["moth", "wasp"], [1, 0]))


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (
            Answers.from_arrays([], [], []),
            r"There are no answers: a map needs some of two annotators",
        ),
        (
            Answers.from_arrays(["Ada", "Ada"], ["moth", "wasp"], [1, 0]),
            r"All answers are of one annotator \('Ada'\), but a map shows how annotators differ",
        ),
        (
            Answers.from_arrays(["Ada", "Ben"], ["moth", "moth"], [1, 0]),
            r"All answers are to one item \('moth'\), but a map shows how items differ",
        ),
        (
            Answers.from_arrays(["Ada", "Ben"], ["moth", "wasp"], [1, 1], positive="moth"),
            r"All 2 answers are 'moth', so annotators and items do not differ",
        ),
        (
            Answers.from_arrays(["Ada", "Ben"], ["moth", "wasp"], [0, 0]),
            r"All 2 answers are 'no', so annotators and items do not differ",
        ),
    ],
)
def test_too_few_answers_are_refused_in_one_sentence(answers: Answers, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        check_enough(answers)


def test_a_path_is_not_accepted_as_answers() -> None:
    with pytest.raises(
        TypeError, match=r"as Answers.read\('answers.csv'\) returns them, but is str"
    ):
        check_enough("answers.csv")  # type: ignore[arg-type]
