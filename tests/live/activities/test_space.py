"""The places of items, in the units of a lesson."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.live.activities.insects import activity
from homeroom.live.activities.space import Space
from homeroom.live.refused import Refused


def test_items_have_mean_squared_length_one_and_the_target_length_one() -> None:
    space = activity().space
    assert space is not None
    assert (space.rows**2).sum(axis=1).mean() == pytest.approx(1.0)
    assert np.linalg.norm(space.target) == pytest.approx(1.0)
    assert space.longest == pytest.approx(np.linalg.norm(space.rows, axis=1).max())
    assert space.dimensions == 3


def test_scores_in_units_of_sigma_are_those_of_the_rule() -> None:
    """<target, row> / sigma = <w, place> - tau, whatever the scale."""
    places = {"a": (1.0, 2.0), "b": (-3.0, 0.5), "c": (10.0, 0.0)}
    rule = np.array([0.7, -0.2, 0.3])
    labels = {"a": 1, "b": -1, "c": 1}
    space = Space.of(places, rule, labels)
    for item, place in places.items():
        score = space.rows[space.row_of[item]] @ space.target / space.sigma
        assert score == pytest.approx(rule[:2] @ np.array(place) + rule[2])


def test_items_that_contradict_the_rule_or_have_no_label_are_left_out() -> None:
    places = {"a": (1.0,), "b": (2.0,), "c": (3.0,)}
    assert Space.of(places, (1.0, 0.0), {"a": 1, "b": -1}).ids == ("a",)
    with pytest.raises(Refused, match="No item has a label that agrees with the rule"):
        Space.of(places, (1.0, 0.0), {"b": -1})


def test_signed_rows_make_right_answers_a_yes() -> None:
    space = activity().space
    assert space is not None
    assert (space.signed @ space.target > 0).all()
    assert space.rows_of(["insect-002", "insect-001"]).tolist() == [1, 0]
