"""A map of items and annotators."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr

from benchmarks.gibbs import mean_by_the_laws
from homeroom import PoolTeacher, teach
from homeroom._checks import InputError
from homeroom.crowd import Answers, Embedding
from homeroom.crowd.atlas import map_data
from homeroom.crowd.fitting.dimensions import map_without
from homeroom.crowd.fitting.parameters import disparity
from homeroom.crowd.fitting.posterior import Prior


@pytest.fixture(scope="module")
def found(crowds: Callable[..., Any]) -> Embedding:
    return Embedding.fit(crowds(items=60, people=30).answers, dimensions=2)


@pytest.fixture(scope="module")
def duck_map(ducks: Answers) -> Embedding:
    return Embedding.fit(ducks)


@pytest.mark.slow
def test_simulated_items_are_found_again(crowds: Callable[..., Any]) -> None:
    """Variances 0.6 of the angles and 0.25 of the thresholds, median of five.

    At most 1.15 times the disparity of the posterior mean under the true distributions.
    """
    worlds = [crowds(seed=seed, angles=0.6**0.5, spread=0.5) for seed in range(5)]
    maps = [Embedding.fit(world.answers, dimensions=2) for world in worlds]
    off = [disparity(world.items, each.items) for world, each in zip(worlds, maps, strict=True)]
    means = [mean_by_the_laws(world, 0.6**0.5, 0.5, draws=1000) for world in worlds]
    best = [disparity(world.items, each) for world, each in zip(worlds, means, strict=True)]
    assert np.median(off) <= 1.15 * np.median(best), (off, best)


@pytest.mark.slow
def test_the_map_is_nearly_as_good_as_knowing_the_annotators(
    crowds: Callable[..., Any],
) -> None:
    """Standard deviations 0.6 and 0.25: within a quarter of a map whose annotators are known."""
    for seed in range(3):
        world = crowds(seed=seed)
        mine = Embedding.fit(world.answers, dimensions=2)
        assert disparity(world.items, mine.items) <= 1.25 * disparity(world.items, informed(world))


def informed(world: Any) -> np.ndarray:
    """Return the mean place of each item by brute force, with known annotators."""
    side = np.linspace(-5, 5, 81)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    certain = grid @ world.people.T - world.thresholds
    answers = world.answers
    yes = np.zeros((len(answers.people), len(answers.items)))
    yes[answers.person, answers.item] = answers.yes
    score = log_ndtr(certain) @ yes + log_ndtr(-certain) @ (1 - yes)
    clouds = [-0.5 * ((grid - side) ** 2).sum(axis=1) for side in (1, -1)]
    score += np.logaddexp(*clouds)[:, None]  # the law that items are drawn from
    weights = np.exp(score - score.max(axis=0))
    places: np.ndarray = (weights / weights.sum(axis=0)).T @ grid
    return places


def test_the_same_answers_in_any_order_give_the_same_map(crowds: Callable[..., Any]) -> None:
    """Other names, another order, some rows twice: equal to 1e-6, without rotating it."""
    answers = crowds(items=60, people=30, share=0.7).answers
    rng = np.random.default_rng(0)
    rows = rng.permutation(np.concatenate([np.arange(len(answers)), np.arange(200)]))
    people, items = rng.permutation(30), rng.permutation(60)
    other = Answers.from_arrays(
        people[answers.person[rows]], items[answers.item[rows]], answers.yes[rows]
    )
    mine = Embedding.fit(answers, dimensions=2)
    theirs = Embedding.fit(other, dimensions=2)
    place = {name: row for row, name in enumerate(theirs.item_names)}
    order = [place[str(items[row])] for row in range(60)]
    np.testing.assert_allclose(theirs.items[order], mine.items, atol=1e-6)
    assert theirs.log_loss == pytest.approx(mine.log_loss, abs=1e-9)


@pytest.mark.slow
def test_ten_percent_missing_answers_barely_move_the_map(crowds: Callable[..., Any]) -> None:
    for seed in range(3):
        answers = crowds(seed=seed).answers
        kept = np.random.default_rng(seed).random(len(answers)) > 0.1
        fewer = replace(
            answers, person=answers.person[kept], item=answers.item[kept], yes=answers.yes[kept]
        )
        whole, part = (Embedding.fit(each, dimensions=2, starts=1) for each in (answers, fewer))
        assert disparity(whole.items, part.items) <= 0.05


@pytest.mark.slow
def test_a_map_is_quick(crowds: Callable[..., Any]) -> None:
    """160 x 67 answers in less than two seconds of one core's time."""
    answers = crowds().answers
    start = time.process_time()
    Embedding.fit(answers, dimensions=2)
    assert time.process_time() - start < 2.0


@pytest.mark.slow
def test_a_map_of_many_is_quick(crowds: Callable[..., Any]) -> None:
    """1000 items x 500 people with 100,000 answers in less than six seconds of one core's time.

    The faster of three fits: another process on the same core slows a fit down.
    """
    answers = crowds(items=1000, people=500, share=0.2).answers
    assert len(answers) == pytest.approx(100_000, rel=0.01)
    times = []
    for _ in range(3):
        start = time.process_time()
        Embedding.fit(answers, dimensions=2, starts=4)
        times.append(time.process_time() - start)
        if times[-1] < 6.0:
            return
    assert min(times) < 6.0


@pytest.mark.slow
def test_a_new_map_is_rotated_to_match_the_previous_one(
    found: Embedding, crowds: Callable[..., Any]
) -> None:
    """Rotated by hand, with fewer annotators, and one new item."""
    answers = crowds(items=60, people=30).answers
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    before = replace(
        found,
        items=(found.items @ turn)[1:],
        item_names=found.item_names[1:],
        labels=found.labels[1:],
    )
    after = Embedding.fit(answers.subset(people=np.arange(28)), previous=before)
    assert after.dimensions == 2
    assert not after.held_out
    assert np.abs(after.items[1:] - before.items).mean() < 0.15
    again = Embedding.fit(answers, previous=found)
    np.testing.assert_allclose(again.items, found.items, atol=1e-7)


@pytest.mark.slow
def test_a_previous_map_of_other_items_or_dimensions_is_not_matched(
    found: Embedding, crowds: Callable[..., Any]
) -> None:
    answers = crowds(items=60, people=30).answers
    stranger = replace(found, item_names=tuple(f"other {name}" for name in found.item_names))
    for previous in (stranger, Embedding.fit(answers, dimensions=1)):
        after = Embedding.fit(answers, dimensions=2, previous=previous)
        np.testing.assert_allclose(after.items, found.items, atol=1e-7)


def test_probabilities_are_by_name_or_position(found: Embedding) -> None:
    expected = float(ndtr(found.people[3] @ found.items[5] - found.thresholds[3]))
    assert found.probability("p3", "i5") == expected
    assert found.probability(3, 5) == expected
    several = found.probability(["p3", "p4"], ["i5", "i6"])
    assert isinstance(several, np.ndarray)
    assert several[0] == pytest.approx(expected)
    assert found.probability(3, np.arange(60)).shape == (60,)  # type: ignore[union-attr]


def test_names_may_be_a_column_of_objects(found: Embedding) -> None:
    people = np.array(["p3", "p4"], dtype=object)
    expected = found.probability([3, 4], [5, 6])
    np.testing.assert_array_equal(found.probability(people, ["i5", "i6"]), expected)
    with pytest.raises(ValueError, match="`person` must be names, or positions"):
        found.probability(np.array(["p3", None]), 5)


def test_lists_of_different_lengths_are_refused(found: Embedding) -> None:
    with pytest.raises(InputError, match=r"the same length, but have the shapes \(2,\) and \(3,\)"):
        found.probability([0, 1], [0, 1, 2])


def test_unknown_annotators_and_items_are_refused(found: Embedding) -> None:
    with pytest.raises(ValueError, match="There is no person called 'Ada' on this map"):
        found.probability("Ada", "i5")
    with pytest.raises(ValueError, match="There is no item called 'moth' on this map"):
        found.newcomer(["moth"], [True])
    with pytest.raises(
        ValueError, match="`item` must be names, or positions from 0 to 59, but is 60"
    ):
        found.probability(0, 60)
    with pytest.raises(ValueError, match=r"`person` must be names, or positions .* but is 0\.5"):
        found.probability(0.5, 0)


def test_a_newcomer_takes_milliseconds(found: Embedding, crowds: Callable[..., Any]) -> None:
    """A newcomer with the answers of annotator 7 gets the line of annotator 7."""
    answers = crowds(items=60, people=30).answers
    mine = answers.person == 7
    found.newcomer(answers.item[mine], answers.yes[mine])
    start = time.process_time()
    weights, threshold, covariance = found.newcomer(answers.item[mine], answers.yes[mine])
    assert time.process_time() - start < 0.05
    np.testing.assert_allclose(weights, found.people[7], atol=1e-6)
    assert threshold == pytest.approx(found.thresholds[7], abs=1e-6)
    assert covariance.shape == (3, 3)
    named = found.newcomer(
        [found.item_names[item] for item in answers.item[mine]], answers.yes[mine]
    )
    np.testing.assert_array_equal(named.weights, weights)


def test_a_newcomer_needs_an_answer_for_each_item(found: Embedding) -> None:
    with pytest.raises(ValueError, match=r"for each of the 2 items, but has shape \(1,\)"):
        found.newcomer([0, 1], [True])
    with pytest.raises(ValueError, match=r"`yes` must be True or False, .* but is \[0\.5\]"):
        found.newcomer([0], [0.5])
    with pytest.raises(
        ValueError, match=r"names of classes, or positions from 0 to 1, .*\[ 1 -1\]"
    ):
        found.newcomer([0, 1], [1, -1])
    with pytest.raises(InputError, match=r"list of at least one item, but has shape \(2, 1\)"):
        found.newcomer([["i0"], ["i1"]], [[1], [0]])
    with pytest.raises(InputError, match=r"list of at least one item, but has shape \(0,\)"):
        found.newcomer([], [])


def test_the_answers_of_a_newcomer_may_be_names_of_two_classes(found: Embedding) -> None:
    named = replace(found, classes=("bee", "moth"))
    by_name = named.newcomer([0, 1, 2], ["moth", "bee", "moth"])
    np.testing.assert_array_equal(by_name.weights, found.newcomer([0, 1, 2], [1, 0, 1]).weights)
    with pytest.raises(ValueError, match="There is no class called 'wasp' on this map"):
        named.newcomer([0], ["wasp"])


def test_a_plot_has_the_names_of_two_classes(found: Embedding) -> None:
    labels = np.where(np.arange(60) < 30, 1.0, -1.0)
    drawn = replace(found, classes=("bee", "moth"), labels=labels).plot()
    legend = drawn.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["expert: moth", "expert: bee"]


def test_the_class_can_be_taught_the_experts_rule(found: Embedding) -> None:
    room = found.to_classroom(rate=0.05, example_radius=2.0)
    assert room.names == found.person_names
    np.testing.assert_array_equal(room.target, found.target())
    np.testing.assert_array_equal(room.states[4], [*found.people[4], -found.thresholds[4]])
    assert set(room.rates.tolist()) == {0.05}
    record = teach(room, teacher=PoolTeacher(found.pool()))
    assert record.errors[-1] <= 0.1
    shown = record.examples.items[0]
    direction = np.append(found.items[shown], 1.0)
    np.testing.assert_allclose(
        np.abs(record.examples.xs[0] @ direction),
        np.linalg.norm(record.examples.xs[0]) * np.linalg.norm(direction),
    )


def test_another_target_may_be_given(found: Embedding) -> None:
    unlabelled = replace(found, labels=np.full(60, np.nan))
    assert unlabelled.to_classroom(target=[1.0, 0.0, 0.5]).target.tolist() == [1.0, 0.0, 0.5]
    with pytest.raises(ValueError, match="No item has an expert's label"):
        unlabelled.to_classroom()


def test_the_target_agrees_with_the_expert(found: Embedding) -> None:
    """Labels come from a straight line in the truth; a few items are elsewhere on the map."""
    rule = found.rule()
    assert len(rule.contradicting) <= 6
    assert found.target().shape == (3,)


def test_annotators_who_answer_alike_are_grouped() -> None:
    rng = np.random.default_rng(0)
    person, item = np.divmod(np.arange(45 * 60), 60)
    school = np.repeat([0, 1, 2], [20, 15, 10])
    rule = np.array([item % 2 == 0, item < 30, item % 3 == 0])[school[person], np.arange(2700)]
    answers = Answers.from_arrays(person, item, rule ^ (rng.random(2700) < 0.08))
    groups = Embedding.fit(answers, dimensions=2).groups()
    np.testing.assert_array_equal(groups, school)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_few_answers_per_annotator_give_no_groups(crowds: Callable[..., Any], seed: int) -> None:
    """One cluster, about three answers each: differences in the share of yes are not clusters."""
    answers = crowds(seed=seed, share=3 / 160).answers
    assert not Embedding.fit(answers, dimensions=2).groups().any()


@pytest.mark.slow
def test_progress_goes_from_zero_to_one(crowds: Callable[..., Any]) -> None:
    reported: list[float] = []
    Embedding.fit(crowds(items=60, people=30).answers, progress=reported.append)
    assert reported == sorted(reported)
    assert reported[0] < 0.5
    assert reported[-1] == 1.0


def test_a_map_cannot_be_changed(found: Embedding) -> None:
    with pytest.raises(ValueError, match="read-only"):
        found.items[0, 0] = 1.0


def test_invalid_fits_are_refused_in_one_sentence(crowds: Callable[..., Any]) -> None:
    answers = crowds(items=5, people=3).answers
    with pytest.raises(ValueError, match="`dimensions` must be at least 1 and at most 3, but is 4"):
        Embedding.fit(answers, dimensions=4)
    with pytest.raises(ValueError, match="`starts` must be at least 1, but is 0"):
        Embedding.fit(answers, dimensions=1, starts=0)
    with pytest.raises(ValueError, match="All 15 answers are 'yes'"):
        Embedding.fit(replace(answers, yes=np.ones(15, dtype=np.bool_)))


def test_the_smallest_tables_have_a_map_if_asked_for() -> None:
    answers = Answers.from_arrays(["a", "a", "b"], ["x", "y", "x"], [True, False, False])
    found = Embedding.fit(answers, dimensions=1)
    assert np.isfinite(found.items).all()
    assert np.isfinite(found.uncertainty.items).all()
    assert repr(found).startswith("Embedding(2 items, 2 annotators, 1 dimension, log loss ")


@pytest.mark.slow
def test_without_axes_there_are_thresholds_and_nothing_else(tmp_path: Path) -> None:
    """Too few answers for any map: each annotator says yes to all items alike."""
    answers = Answers.from_arrays(
        ["a", "a", "b", "b"], ["x", "y", "x", "y"], [True, True, False, True], labels={"x": 1}
    )
    found = Embedding.fit(answers)
    assert repr(found).startswith("Embedding(2 items, 2 annotators, 0 dimensions, log loss ")
    assert found.probability("a", "x") == found.probability("a", "y") > 0.6
    assert found.newcomer(["x"], [False]).threshold > 0
    found.save(tmp_path / "map.npz")
    again = Embedding.load(tmp_path / "map.npz")
    np.testing.assert_array_equal(again.thresholds, found.thresholds)
    np.testing.assert_array_equal(again.uncertainty.people, found.uncertainty.people)
    assert (again.dimensions, again.warnings) == (0, found.warnings)
    for needs_axes in (
        found.rule, found.target, found.groups, found.to_classroom, found.pool,
        lambda: map_data(answers, found, np.zeros(2, dtype=np.int64)),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"support no map.*--dimensions 1"):
            needs_axes()
    assert Embedding.fit(answers, previous=found).held_out  # it is no guide for the number of axes


@pytest.mark.slow
def test_ducks_have_two_dimensions(duck_map: Embedding) -> None:
    assert duck_map.dimensions == 2
    assert min(duck_map.held_out, key=duck_map.held_out.__getitem__) == 2


@pytest.mark.slow
def test_answers_about_ducks_that_were_held_out_are_predicted(ducks: Answers) -> None:
    """Each tenth held out in turn: log loss at most 0.275 and accuracy at least 0.89 on average."""
    order = np.random.default_rng(0).permutation(len(ducks))
    out = np.array_split(order, 10)
    losses, right = [], []
    for some in out:
        point = map_without(ducks, some, 2, Prior(), number=1, seed=0)
        certain = point.certainty(ducks.person[some], ducks.item[some])
        certain = np.where(ducks.yes[some], certain, -certain)
        losses.append(-log_ndtr(certain).mean())
        right.append((certain > 0).mean())
    assert np.mean(losses) <= 0.275
    assert np.mean(right) >= 0.89


@pytest.mark.slow
def test_ducks_have_three_groups_of_annotators(
    ducks: Answers, kinds: np.ndarray, duck_map: Embedding
) -> None:
    """Some call every water bird a duck, some all but geese, and some mostly say no."""
    groups = duck_map.groups()
    assert abs(np.bincount(groups) - [25, 18, 10]).max() <= 1
    ducks_, geese, grebes, nothing = [0, 2], [1], [4], [3]

    def share(group: int, of: list[int]) -> float:
        rows = (groups[ducks.person] == group) & np.isin(kinds[ducks.item], of)
        return float(ducks.yes[rows].mean())

    assert all(share(0, birds) > 0.8 for birds in (ducks_, geese, grebes))
    assert share(1, ducks_) > 0.8
    assert share(1, geese) < 0.2
    assert all(share(2, birds) < 0.35 for birds in (ducks_, geese, grebes))
    assert all(share(group, nothing) < 0.1 for group in (0, 1))


@pytest.mark.slow
def test_similar_birds_are_close_to_each_other(kinds: np.ndarray, duck_map: Embedding) -> None:
    """Four of five pictures are of the species of most of the five nearest."""
    gaps = np.linalg.norm(duck_map.items[:, None] - duck_map.items, axis=2)
    np.fill_diagonal(gaps, np.inf)
    near = kinds[np.argsort(gaps, axis=1)[:, :5]]
    most = np.array([np.bincount(row).argmax() for row in near])
    assert (most == kinds).mean() >= 0.8
