"""Schools of thought."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import ndtr

from homeroom._arrays import Floats
from homeroom.crowd import schools as module
from homeroom.crowd.schools import by_chance, schools, silhouette, some_items


def camps(sizes: tuple[int, ...], seed: int = 0) -> tuple[Floats, np.ndarray]:
    """Return people who answer 40 items like their camp, and the camp of each."""
    rng = np.random.default_rng(seed)
    middle = rng.random((len(sizes), 40))
    label = np.repeat(np.arange(len(sizes)), sizes)
    return np.clip(middle[label] + 0.05 * rng.standard_normal((len(label), 40)), 0, 1), label


@pytest.mark.parametrize("sizes", [(30, 20, 10), (25, 12), (16, 14, 12, 9, 7)])
def test_groups_are_found_and_so_is_how_many(sizes: tuple[int, ...]) -> None:
    rows, label = camps(sizes)
    np.testing.assert_array_equal(schools(rows), label)


def test_without_groups_there_is_one() -> None:
    rows = np.random.default_rng(0).random((60, 40))
    assert not schools(rows).any()


@pytest.mark.parametrize("seed", range(3))
def test_people_who_are_spread_evenly_are_one_group(seed: int) -> None:
    """Lines around one middle: k-means cuts them in two, but as well as it cuts any such cloud."""
    rng = np.random.default_rng(seed)
    items = np.column_stack([rng.standard_normal((40, 2)), -np.ones(40)])
    lines = np.array([1.0, 0.5, 0.2]) + 0.6 * rng.standard_normal((80, 3))
    rows = ndtr(lines @ items.T)
    assert not schools(rows).any()
    cut = silhouette(cdist(rows, rows), schools(rows, k=2))
    assert cut > module.CLEAR
    assert by_chance(rows, 2, rng) == pytest.approx(cut, abs=0.1)


def test_two_people_are_one_group() -> None:
    assert schools(np.array([[0.0, 1.0], [1.0, 0.0]])).tolist() == [0, 0]


def test_as_many_groups_as_asked_for_the_largest_first() -> None:
    rows, label = camps((5, 30, 10))
    found = schools(rows, k=3)
    np.testing.assert_array_equal(found, np.array([2, 0, 1])[label])


def test_a_sample_finds_the_groups_of_very_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAMPLE", 50)
    rows, label = camps((150, 100, 60))
    np.testing.assert_array_equal(schools(rows), label)


def test_some_items_are_enough() -> None:
    rng = np.random.default_rng(0)
    assert some_items(5, rng).tolist() == [0, 1, 2, 3, 4]
    some = some_items(5000, rng)
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


def test_more_groups_than_people_are_refused() -> None:
    with pytest.raises(ValueError, match="`k` must be at least 1 and at most 2, but is 3"):
        schools(np.zeros((2, 3)), k=3)
