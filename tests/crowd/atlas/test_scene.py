"""What the viewer draws of a map."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from homeroom.crowd import Answers, Embedding
from homeroom.crowd.atlas.scene import (
    MAX_LINES,
    choose_people,
    ellipses,
    map_data,
    normals,
    on_the_plane,
)
from tests.crowd.atlas.test_pages import GROUPS, crowd


def test_an_ellipse_holds_95_percent_of_a_gaussian() -> None:
    """Points drawn from the Gaussian are inside the ellipse as often as stated."""
    covariance = np.array([[0.5, 0.3], [0.3, 0.4]])
    (shape,) = ellipses(covariance[None])
    assert shape is not None
    long, short, angle = shape
    points = np.random.default_rng(0).multivariate_normal([0.0, 0.0], covariance, size=20_000)
    along = points @ [np.cos(angle), np.sin(angle)]
    across = points @ [-np.sin(angle), np.cos(angle)]
    inside = (along / long) ** 2 + (across / short) ** 2 < 1
    assert inside.mean() == pytest.approx(0.95, abs=0.005)


def test_only_the_first_two_axes_have_ellipses() -> None:
    assert ellipses(np.diag([0.01, 0.04, 9.0])[None]) == ellipses(np.diag([0.01, 0.04])[None])
    assert ellipses(np.ones((2, 1, 1))) == [None, None]


def test_every_item_annotator_and_group_is_in_the_data() -> None:
    answers, found = crowd()
    data = map_data(answers, found, GROUPS, {"<0>": "data:image/png;base64,AA"})
    assert [item["place"] for item in data["items"]] == found.items.tolist()
    assert [item["label"] for item in data["items"]] == found.labels.tolist()
    pictures = [item["picture"] for item in data["items"]]
    assert pictures == ["data:image/png;base64,AA", *[None] * 29]
    assert [person["group"] for person in data["people"]] == GROUPS.tolist()
    (line,) = data["people"][3]["lines"]
    assert line == {"normal": found.people[3].tolist(), "offset": found.thresholds[3]}
    (middle,) = data["groups"][1]["lines"]
    np.testing.assert_allclose(middle["normal"], found.people[GROUPS == 1].mean(axis=0))
    (target,) = data["target"]
    np.testing.assert_allclose([*target["normal"], -target["offset"]], found.target())
    assert data["classes"] == data["regions"] == []


def test_without_labels_there_is_no_target() -> None:
    answers, found = crowd()
    data = map_data(answers, replace(found, labels=np.full(30, np.nan)), GROUPS)
    assert data["target"] is None
    assert {item["label"] for item in data["items"]} == {None}


def test_several_answers_have_a_region_each() -> None:
    rng = np.random.default_rng(0)
    person, item = np.divmod(np.arange(12 * 20), 20)
    said = np.array(["a", "b", "c"])[(item + (rng.random(240) < 0.1)) % 3]
    answers = Answers.from_arrays(person, item, said.tolist())
    found = Embedding.fit(answers, dimensions=2)
    data = map_data(answers, found, np.zeros(12, dtype=np.int64))
    assert data["classes"] == ["a", "b", "c"]
    assert len(data["regions"]) == len(data["people"][0]["lines"]) == 3
    np.testing.assert_allclose(data["regions"][0]["normal"], found.people[:, 0].mean(axis=0))


def test_some_annotators_of_each_group_are_drawn_if_there_are_many() -> None:
    groups = np.array([0] * 5000 + [1] * 50)
    chosen = choose_people(groups)
    assert len(chosen) <= MAX_LINES + 2
    assert set(groups[chosen].tolist()) == {0, 1}
    assert choose_people(np.zeros(5, dtype=np.int64)).tolist() == [0, 1, 2, 3, 4]
    assert len(choose_people(np.zeros(200, dtype=np.int64), classes=20)) < 50


def test_the_first_two_coordinates_are_drawn() -> None:
    items = np.arange(12.0).reshape(4, 3)
    np.testing.assert_array_equal(on_the_plane(items), items[:, :2])
    np.testing.assert_array_equal(normals(items), items[:, :2])


def test_items_on_one_dimension_are_stacked_without_moving_sideways() -> None:
    items = np.random.default_rng(0).standard_normal((200, 1))
    placed = on_the_plane(items)
    np.testing.assert_array_equal(placed[:, 0], items[:, 0])
    assert placed[:, 1].min() == 0
    assert placed[:, 1].max() <= 0.5 * np.ptp(items)
    assert len(np.unique(placed.round(9), axis=0)) == 200
    np.testing.assert_array_equal(normals(np.array([2.0])), [2.0, 0.0])
    assert np.isfinite(on_the_plane(np.ones((3, 1)))).all()
