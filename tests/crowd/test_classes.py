"""Maps with more than two classes, from simulated crowds whose truth is known."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import log_softmax

from benchmarks.crowds import ClassCrowd, class_answers, simulate_classes
from homeroom.crowd import Answers, Embedding, beliefs, dawid_skene, syllabus
from homeroom.crowd.atlas import lesson_page, map_page
from homeroom.crowd.fitting.answer_table import AnswerTable
from homeroom.crowd.fitting.dimensions import ROW_PRIORS
from homeroom.crowd.fitting.parameters import MapParameters, disparity
from homeroom.crowd.fitting.posterior import Posterior
from homeroom.crowd.fitting.search import Hessian, most_probable, promising_starts


@pytest.fixture(scope="module")
def crowd() -> ClassCrowd:
    return simulate_classes(3, 2, items=40, people=16, seed=3)


@pytest.fixture(scope="module")
def found(crowd: ClassCrowd) -> Embedding:
    return Embedding.fit(crowd.answers, dimensions=2, starts=1)


def small() -> tuple[Posterior, MapParameters]:
    world = simulate_classes(4, 2, items=6, people=3, seed=1)
    rng = np.random.default_rng(0)
    point = MapParameters.of(rng.standard_normal((6, 2)), rng.standard_normal((3, 4, 3)))
    return Posterior(AnswerTable.of(world.answers), ROW_PRIORS[1]), point


def test_the_loss_is_minus_the_log_of_likelihood_and_priors() -> None:
    """With the crowd's rows at their best, found here by trying all moves of them."""
    posterior, point = small()
    table, prior = posterior.table, posterior.prior
    scores = point.certainty(table.person, table.item)
    expected = -log_softmax(scores, axis=1)[np.arange(len(table)), table.choice].sum()
    expected += 0.5 * (point.items**2).sum()
    crowd = prior.crowd_lines(point)
    own = np.array([prior.people, prior.people, prior.thresholds])
    wide = np.array([prior.crowd, prior.crowd, prior.crowd_thresholds])

    def rest(lines: np.ndarray) -> float:
        return float(
            0.5 * (((point.lines - lines) / own) ** 2).sum() + 0.5 * ((lines / wide) ** 2).sum()
        )

    assert posterior.loss(point)[0] == pytest.approx(expected + rest(crowd))
    rng = np.random.default_rng(1)
    assert all(
        rest(crowd + 0.1 * rng.standard_normal(crowd.shape)) > rest(crowd) for _ in range(20)
    )


def test_derivatives_are_those_of_the_loss() -> None:
    posterior, point = small()
    value = lambda flat: posterior.loss(point.like(flat))[0]  # noqa: E731  used once, below
    slope = posterior.loss(point)[1]
    assert np.allclose(slope, approx_fprime(point.flat(), value, 1e-6), atol=1e-3)
    move = np.random.default_rng(2).standard_normal(len(slope))
    step = 1e-5
    ahead = posterior.loss(point.like(point.flat() + step * move))[1]
    behind = posterior.loss(point.like(point.flat() - step * move))[1]
    assert np.allclose(Hessian(posterior, point)(move), (ahead - behind) / (2 * step), atol=1e-5)


@pytest.mark.slow
def test_rows_sum_to_zero_and_the_fit_is_repeatable(crowd: ClassCrowd, found: Embedding) -> None:
    assert np.abs(found.people.sum(axis=1)).max() < 1e-8
    assert np.abs(found.thresholds.sum(axis=1)).max() < 1e-8
    again = Embedding.fit(crowd.answers, dimensions=2, starts=1)
    assert np.array_equal(again.items, found.items)
    assert found.uncertainty.people.shape == (16, 3, 3, 3)
    chances = found.probability(["p0", "p1"], ["i0", "i1"])
    assert np.allclose(np.sum(chances, axis=1), 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("classes", range(2, 9))
def test_a_map_is_nearly_as_close_to_the_truth_as_with_the_true_prior(
    classes: int, dimensions: int
) -> None:
    """At most 1.15 times the disparity of the fit that starts at the truth with its prior."""
    world = simulate_classes(classes, dimensions, seed=20 + classes)
    best = most_probable(Posterior(AnswerTable.of(world.answers), world.prior), [world.truth])
    mine = Embedding.fit(world.answers, dimensions=dimensions)
    ours, theirs = (disparity(world.truth.items, each.items) for each in (mine, best))
    assert ours <= 1.15 * theirs


@pytest.mark.slow
def test_a_newcomer_with_many_answers_is_near_the_annotator(
    crowd: ClassCrowd, found: Embedding
) -> None:
    answers = crowd.answers
    own = answers.person == 0
    words = [answers.classes[code] for code in answers.choices[own]]
    newcomer = found.newcomer(answers.item[own], words)
    assert np.abs(newcomer.weights - found.people[0]).max() < 0.2
    with pytest.raises(ValueError, match="no class called 'emu'"):
        found.newcomer(["i0"], ["emu"])


def test_a_map_with_classes_is_kept_in_a_file(found: Embedding, tmp_path: Path) -> None:
    found.save(tmp_path / "map.npz")
    same = Embedding.load(tmp_path / "map.npz")
    assert np.array_equal(same.people, found.people)
    assert (same.classes, same.prior, same.dawid_skene) == (
        found.classes,
        found.prior,
        found.dawid_skene,
    )


def test_dawid_skene_finds_clear_labels_and_confusions() -> None:
    rng = np.random.default_rng(0)
    truth = np.arange(90) % 3
    person, item = np.divmod(np.arange(20 * 90), 90)
    said = np.where(rng.random(len(item)) < 0.7, truth[item], (truth[item] + 1) % 3)
    words = np.array(["a", "b", "c"])[said]
    labels = dawid_skene(Answers.from_arrays(person, item, words.tolist()))
    assert np.array_equal(labels.labels, truth)
    assert np.abs(labels.confusions[:, 0, 1].mean() - 0.3) < 0.05


@pytest.mark.slow
def test_groups_are_described_by_what_they_take_for_what() -> None:
    """Half of the crowd takes class c for class b."""
    world = simulate_classes(3, 2, items=60, people=24, seed=5, own=0.2)
    rows = world.truth.lines.copy()
    rows[12:, 1], rows[12:, 2] = rows[12:, 2].copy(), rows[12:, 1].copy()
    answers = class_answers(MapParameters.of(world.truth.items, rows), seed=0)
    target = world.truth.lines.mean(axis=0)
    scores = world.truth.items @ target[:, :-1].T - target[:, -1]
    answers = replace(answers, labels=scores.argmax(axis=1).astype(float))
    found = Embedding.fit(answers, dimensions=2, starts=2)
    groups = found.groups()
    assert sorted(np.bincount(groups)) == [12, 12]
    described = beliefs(answers, found, groups)
    confused = described[groups[20]]
    assert {(one.truth, one.said) for one in confused.confusions[:2]} == {
        ("c1", "c2"),
        ("c2", "c1"),
    }
    plan = syllabus(found, groups, rate=0.3, max_rounds=60)
    for group in (None, 0, 1):
        shown = [one.item for one in plan.shown(group)]
        assert all(
            len(set(shown[at : at + 6])) == len(shown[at : at + 6]) for at in range(len(shown))
        )
    page = map_page(answers, found, groups, described)
    assert len(page.parts[2]["regions"]) == 3
    assert "takes 'c1' for 'c2'" in page.html()
    assert "c1" in lesson_page(answers, plan, described).html()


def test_one_answer_per_annotator_gives_no_axes() -> None:
    rng = np.random.default_rng(0)
    answers = Answers.from_arrays(
        np.arange(40), np.arange(40) % 20, rng.choice(["a", "b", "c"], 40)
    )
    assert Embedding.fit(answers).dimensions == 0


def test_classes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="from 2 to 50 different answers, but there are 51"):
        Answers.from_arrays(range(51), range(51), [f"c{number}" for number in range(51)])
    with pytest.raises(ValueError, match="numbers from 0 to 2"):
        Answers(("A",), ("i",), [0], [0], choices=[3], classes=["a", "b", "c"])
    same = Answers(("A", "B"), ("i", "j"), [0, 1], [0, 1], choices=[1, 1], classes=["a", "b", "c"])
    with pytest.raises(ValueError, match="All 2 answers are 'b'"):
        Embedding.fit(same)


def test_starts_need_no_dense_matrix() -> None:
    """The leading patterns are those of the dense matrix."""
    world = simulate_classes(4, 2, items=80, people=60, seed=2)
    table = AnswerTable.of(world.answers)
    start = next(promising_starts(table, 2, ROW_PRIORS[0], 1, np.random.default_rng(0)))
    assert disparity(start.items, world.truth.items) < 0.5
