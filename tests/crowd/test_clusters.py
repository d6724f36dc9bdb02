"""Clusters of annotators who would answer alike."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import ndtr

from homeroom._arrays import Floats, Ints
from homeroom.crowd import clusters as module
from homeroom.crowd.clusters import (
    _sample_items,
    clusters,
    reference_crowds,
    reference_silhouette,
    silhouette,
    uncertain_silhouette,
)
from homeroom.crowd.fitting.parameters import MapParameters


def on_a_map(lines: Floats, items: int = 40) -> MapParameters:
    """Return a map of annotators with these lines, and items around the middle."""
    d = lines.shape[1] - 1
    return MapParameters(
        np.random.default_rng(9).standard_normal((items, d)), lines[:, :d], lines[:, d]
    )


def unsure(people: int, by: float = 0.1, d: int = 2) -> Floats:
    """Return covariances for lines that are known up to this standard deviation."""
    return np.broadcast_to(by**2 * np.eye(d + 1), (people, d + 1, d + 1))


def chances(point: MapParameters) -> Floats:
    return np.asarray(ndtr(point.lines @ point.features.T))


MIDDLES = np.array([[2, 0, 0], [-1, 2, 0], [-1, -2, 0], [0, 0, 2], [0, 0, -2]], dtype=np.float64)


def camps(sizes: tuple[int, ...], seed: int = 0) -> tuple[MapParameters, Ints]:
    """Return a map of annotators in clusters, and the cluster of each."""
    rng = np.random.default_rng(seed)
    label = np.repeat(np.arange(len(sizes)), sizes)
    return on_a_map(MIDDLES[label] + 0.2 * rng.standard_normal((len(label), 3))), label


@pytest.mark.parametrize("sizes", [(30, 20, 10), (25, 12), (16, 14, 12, 9, 7)])
def test_the_number_of_groups_is_chosen_automatically(sizes: tuple[int, ...]) -> None:
    point, label = camps(sizes)
    np.testing.assert_array_equal(clusters(point, unsure(len(label))), label)


def test_without_groups_the_whole_class_is_one() -> None:
    lines = np.random.default_rng(0).standard_normal((60, 3))
    assert not clusters(on_a_map(lines), unsure(60)).any()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_evenly_spread_annotators_are_one_group(seed: int) -> None:
    """Lines around one middle: k-means splits them in two, but no better than any such cloud."""
    rng = np.random.default_rng(seed)
    point = on_a_map(np.array([1.0, 0.5, 0.2]) + 0.6 * rng.standard_normal((80, 3)))
    assert not clusters(point, unsure(80)).any()
    rows = chances(point)
    cut = silhouette(cdist(rows, rows), clusters(point, unsure(80), k=2))
    assert cut > module.CLEAR
    assert reference_silhouette(point.lines, point.features, 2, rng) == pytest.approx(cut, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_an_arc_is_one_group(seed: int) -> None:
    """Weights of one length in similar directions: the ends of an arc are not clusters."""
    rng = np.random.default_rng(seed)
    angles = rng.standard_normal(100)
    lines = np.column_stack([np.cos(angles), np.sin(angles), 0.05 * rng.standard_normal(100)])
    assert not clusters(on_a_map(lines, 160), unsure(100)).any()


def test_an_annotator_with_few_answers_may_be_in_any_group() -> None:
    """Thresholds of annotators with five answers have six values, but are uncertain."""
    rng = np.random.default_rng(0)
    steps = rng.binomial(5, 0.5, 80)
    lines = np.column_stack([np.full(80, 0.5), np.zeros(80), 0.4 * (steps - 2.5)])
    point = on_a_map(lines + 0.03 * rng.standard_normal(lines.shape))
    sure, guessed = unsure(80, 0.03), unsure(80, 0.6)
    labels = clusters(point, sure)
    assert labels.max() + 1 >= 5
    assert not clusters(point, guessed).any()
    apart = [
        uncertain_silhouette(point.lines, each, point.features, labels, rng)
        for each in (sure, guessed)
    ]
    assert apart[0] > 0.7
    assert apart[1] < 0.0


def test_without_uncertainty_no_annotator_moves() -> None:
    point, label = camps((30, 20))
    rows = chances(point)
    found = uncertain_silhouette(
        point.lines, unsure(50, 0.0), point.features, label, np.random.default_rng(0)
    )
    assert found == pytest.approx(silhouette(cdist(rows, rows), label), rel=1e-12)


def test_two_annotators_are_one_group() -> None:
    point = on_a_map(np.array([[2.0, 0.0, 0.0], [-2.0, 0.0, 0.0]]))
    assert clusters(point, unsure(2)).tolist() == [0, 0]


def test_as_many_groups_as_asked_for_the_largest_first() -> None:
    point, label = camps((5, 30, 10))
    found = clusters(point, unsure(45), k=3)
    np.testing.assert_array_equal(found, np.array([2, 0, 1])[label])


def test_a_sample_is_clustered_if_there_are_very_many_annotators(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "SAMPLE", 50)
    point, label = camps((150, 100, 60))
    np.testing.assert_array_equal(clusters(point, unsure(310)), label)


def test_a_sample_of_items_is_enough() -> None:
    rng = np.random.default_rng(0)
    assert _sample_items(5, rng).tolist() == [0, 1, 2, 3, 4]
    some = _sample_items(5000, rng)
    assert len(np.unique(some)) == module.ITEMS


def test_the_silhouette_is_that_of_a_loop() -> None:
    rng = np.random.default_rng(0)
    rows, labels = rng.random((20, 3)), rng.integers(0, 3, 20)
    labels[0] = 3  # alone
    distances = cdist(rows, rows)
    each = []
    for person, label in enumerate(labels):
        own = [other for other in np.flatnonzero(labels == label) if other != person]
        if not own:
            each.append(0.0)
            continue
        inside = distances[person, own].mean()
        outside = min(
            distances[person, labels == other].mean() for other in range(4) if other != label
        )
        each.append((outside - inside) / max(inside, outside))
    assert silhouette(distances, labels) == pytest.approx(np.mean(each), rel=1e-12)
    assert silhouette(distances, np.zeros(20, dtype=np.int64)) == 0.0


def test_more_groups_than_annotators_are_refused() -> None:
    with pytest.raises(ValueError, match="`k` must be at least 1 and at most 2, but is 3"):
        clusters(on_a_map(np.zeros((2, 3))), unsure(2), k=3)


def test_one_reference_crowd_has_the_spread_of_the_real_one() -> None:
    rng = np.random.default_rng(0)
    lines = rng.standard_normal((50, 3)) @ rng.standard_normal((3, 3)) + [1.0, 2.0, 3.0]
    cloud = next(reference_crowds(lines, 100_000, rng))
    assert cloud.shape == (100_000, 3)
    np.testing.assert_allclose(cloud.mean(axis=0), lines.mean(axis=0), atol=0.05)
    np.testing.assert_allclose(np.cov(cloud.T), np.cov(lines.T), rtol=0.05, atol=0.05)


@pytest.mark.parametrize("d", [2, 3])
def test_the_other_reference_crowd_stays_on_the_arc(d: int) -> None:
    """Weights of length two stay so, with the same spread of angles."""
    rng = np.random.default_rng(0)
    weights = np.eye(d)[0] + 0.5 * rng.standard_normal((300, d))
    weights *= 2 / np.linalg.norm(weights, axis=1, keepdims=True)
    lines = np.column_stack([weights, 0.3 * rng.standard_normal(300)])
    _, arc = reference_crowds(lines, 20_000, rng)
    np.testing.assert_allclose(np.linalg.norm(arc[:, :d], axis=1), 2.0, rtol=1e-12)
    middle = weights.mean(axis=0) / np.linalg.norm(weights.mean(axis=0))
    turns = [np.arccos(np.clip(each @ middle / 2, -1, 1)) for each in (weights, arc[:, :d])]
    assert np.mean(turns[1] ** 2) == pytest.approx(np.mean(turns[0] ** 2), rel=0.05)
    assert arc[:, d].std() == pytest.approx(lines[:, d].std(), rel=0.05)


def test_with_one_dimension_there_are_no_angles() -> None:
    rng = np.random.default_rng(0)
    assert len(list(reference_crowds(rng.standard_normal((20, 2)), 30, rng))) == 1


def test_an_annotator_without_weights_has_no_line() -> None:
    rng = np.random.default_rng(0)
    crowds = list(reference_crowds(np.zeros((20, 3)), 30, rng))
    assert [crowd.tolist() for crowd in crowds] == [np.zeros((30, 3)).tolist()] * 2
