"""An activity is plain data."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from homeroom.live.activities.base import WHICH, Activity, AnswerMap, Item, answer_map
from homeroom.live.activities.insects import activity
from homeroom.live.activities.leaves import activity as leaves


def test_an_activity_survives_a_round_trip_through_json() -> None:
    for one in (activity(), Activity("a", "A", (Item("x", None, "?"),), kind="writing")):
        assert Activity.from_json(json.loads(json.dumps(one.to_json()))) == one


def test_only_items_with_a_label_are_in_labels() -> None:
    one = Activity("a", "A", (Item("x", None), Item("y", -1)), yes="moth", no="bee")
    assert one.labels == {"y": -1}
    assert one.item_of["x"].label is None
    assert (one.word(1), one.word(-1)) == ("moth", "bee")
    assert one.space is None


@pytest.mark.parametrize(
    ("question", "own"),
    [
        ("moth or bee?", None),
        ("Moth or bee?", None),
        ("Yes or no?", None),
        ("Is it a moth?", "Is it a moth?"),
    ],
)
def test_a_question_that_only_names_the_answers_is_left_to_the_page(
    question: str, own: str | None
) -> None:
    one = Activity("a", "A", (Item("x", 1),), question=question, yes="moth", no="bee")
    assert one.question_of("x") == own
    assert Activity("a", "A", (Item("x", 1),), yes="moth", no="bee").question_of("x") is None


def test_an_item_may_have_a_question_and_options_of_its_own() -> None:
    items = (Item("x", 3), Item("y", -1, question="Or a bush?", options=("tree", "bush")))
    one = Activity("a", "A", items, question=WHICH, options=("beech", "elm", "oak"))
    assert (one.question_of("x"), one.question_of("y")) == (None, "Or a bush?")
    assert (one.values("x"), one.values("y")) == ((1, 2, 3), (1, -1))
    assert (one.right_word("x"), one.right_word("y")) == ("oak", "bush")
    assert not one.has_rule
    assert Activity.from_json(json.loads(json.dumps(one.to_json()))) == one


def test_an_activity_with_two_answers_is_stored_as_by_0_1() -> None:
    stored = Activity("a", "A", (Item("x", 1),)).to_json()
    assert not {"options", "facts"} & stored.keys()
    assert list(stored["items"][0]) == ["id", "label", "text", "picture", "explanation"]


def right(plane: AnswerMap, labels: dict[str, int]) -> float:
    """Return the share of items that lie in the region of their own class."""
    normals = np.array([region.normal for region in plane.regions])
    offsets = np.array([region.offset for region in plane.regions])
    names = [region.label for region in plane.regions]
    found = [
        names[int((normals @ np.array(plane.places[item]) - offsets).argmax())] == label
        for item, label in labels.items()
    ]
    return float(np.mean(found))


def test_the_leaves_of_five_trees_are_apart_on_the_map() -> None:
    plane, labels = leaves().plane, leaves().labels
    assert plane is not None
    assert len(plane.regions) == 5
    assert right(plane, labels) >= 0.95


def test_two_coordinates_are_the_plane() -> None:
    rng = np.random.default_rng(0)
    centres = {1: (0.0, 0.0), 2: (5.0, 0.0), 3: (0.0, 5.0)}
    labels = {f"i{n}": 1 + n % 3 for n in range(60)}
    places = {
        item: tuple((np.array(centres[label]) + rng.normal(0, 0.5, 2)).tolist())
        for item, label in labels.items()
    }
    plane = answer_map(places, labels)
    assert plane is not None
    assert plane.places == places
    assert right(plane, labels) == 1.0


def test_the_plane_shows_the_directions_that_separate_the_classes() -> None:
    """In ten dimensions, of which two matter, and the others are much wider."""
    rng = np.random.default_rng(1)
    labels = {f"i{n}": 1 + n % 4 for n in range(200)}
    turn, _ = np.linalg.qr(rng.standard_normal((10, 10)))
    places = {}
    for item, label in labels.items():
        x = rng.normal(0, 3.0, 10)
        x[:2] = np.array([label // 2, label % 2]) + rng.normal(0, 0.1, 2)
        places[item] = tuple((turn @ x).tolist())
    plane = answer_map(places, labels)
    assert plane is not None
    assert right(plane, labels) >= 0.8


@pytest.mark.parametrize("classes", [2, 3])
def test_classes_on_a_line_are_shown_with_the_direction_of_largest_remaining_variance(
    classes: int,
) -> None:
    rng = np.random.default_rng(2)
    labels = {f"i{n}": 1 + n % classes for n in range(60)}
    xs = rng.normal(0, 1, (60, 4)) * [0.1, 0.5, 3.0, 0.5]
    for label in range(classes):
        xs[label::classes] -= xs[label::classes].mean(axis=0)
    xs[:, 0] += [float(label) for label in labels.values()]
    noise = 1e-12 * rng.standard_normal(xs.shape)
    one, other = (
        answer_map(dict(zip(labels, values.tolist(), strict=True)), labels)
        for values in (xs, xs + noise)
    )
    assert one is not None
    assert other is not None
    places = np.array(list(one.places.values()))
    np.testing.assert_allclose(places, list(other.places.values()), atol=1e-6)
    assert abs(np.corrcoef(places[:, 0], xs[:, 0])[0, 1]) > 0.99
    assert np.corrcoef(places[:, 1], xs[:, 2])[0, 1] > 0.99
    assert right(one, labels) == 1.0


@pytest.mark.parametrize("labels", [{}, {"a": 1}, {"a": 2, "b": 2}])
def test_fewer_than_two_classes_have_no_regions(labels: dict[str, int]) -> None:
    assert answer_map({"a": (0.0, 1.0), "b": (1.0, 0.0)}, labels) is None


def test_equal_places_and_one_coordinate_do_not_fail() -> None:
    same = answer_map({"a": (1.0, 1.0, 1.0), "b": (1.0, 1.0, 1.0)}, {"a": 1, "b": 3})
    assert same is not None
    assert np.isfinite([region.normal for region in same.regions]).all()
    line = answer_map({"a": (0.0,), "b": (1.0,), "c": (9.0,)}, {"a": 1, "b": 2})
    assert line is not None
    assert line.places["c"] == (9.0, 0.0)


def test_items_with_several_answers_on_a_map_are_shown_in_coverage_order() -> None:
    listed = leaves().answer_list
    assert listed is not None
    assert listed.coverage is not None
    assert len(listed.coverage.similar) == 5
    without = replace(leaves(), places=None).answer_list
    assert without is not None
    assert without.coverage is None
    facts = replace(leaves(), facts=True).answer_list
    assert facts is not None
    assert facts.coverage is None
