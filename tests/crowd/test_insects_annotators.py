"""The simulated annotators: each type makes the mistake that the paper names."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import norm

from homeroom.crowd import insects
from homeroom.crowd.insects import ANNOTATOR_TYPES, SPECIES, collection


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ANNOTATOR_TYPES, ids=lambda kind: kind.name)
def test_each_type_makes_the_mistake_that_the_paper_states(
    kind: collection.AnnotatorType, seed: int
) -> None:
    made = insects.make(seed)
    yes = made.answers.yes.reshape(67, 160)[[name == kind.name for name in made.types]]
    for species in SPECIES:
        share = yes[:, [one == species.short for one in made.species]].mean()
        assert share > 0.75 if species.short in kind.butterflies else share < 0.25, species.short


def test_all_types_have_the_same_share_of_annotators() -> None:
    assert Counter(insects.make().types) == {"P1": 17, "P2": 17, "P3": 17, "P4": 16}


def test_typical_insects_lie_at_the_corners_of_a_square() -> None:
    corners = collection.places_of(np.array([species.typical for species in SPECIES]))
    np.testing.assert_allclose(corners, [[-1, -1], [-1, 1], [1, -1], [1, 1]], atol=0.05)


def test_answers_follow_the_stated_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without differences between annotators: P(yes) = Phi(care * (<direction, place> - bar))."""
    for spread in ("ANGLE_SPREAD", "BAR_SPREAD", "CARE_SPREAD"):
        monkeypatch.setattr(collection, spread, 0.0)
    one = np.array([[0.6, 0.4, 0.3, 0.2]])
    place = collection.places_of(one)[0]
    types, yes = collection.simulate_answers(np.repeat(one, 4000, axis=0), np.random.default_rng(0))
    for kind in ANNOTATOR_TYPES:
        angle = np.radians(kind.angle)
        along = place @ [np.cos(angle), np.sin(angle)]
        expected = norm.cdf(collection.CARE * (along - kind.bar))
        found = yes[[one is kind for one in types]].mean()
        assert found == pytest.approx(expected, abs=0.01)


def test_annotators_of_a_type_differ() -> None:
    made = insects.make()
    yes = made.answers.yes.reshape(67, 160)[[name == "P2" for name in made.types]]
    assert np.ptp(yes.mean(axis=1)) > 0.05
