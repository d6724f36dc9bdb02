"""The workers: each school makes the mistake that the paper names."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import norm

from homeroom.crowd import insects
from homeroom.crowd.insects import SCHOOLS, SPECIES, workers


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("school", SCHOOLS, ids=lambda school: school.name)
def test_a_school_calls_butterflies_what_the_paper_says(school: workers.School, seed: int) -> None:
    made = insects.make(seed)
    yes = made.answers.yes.reshape(67, 160)[[name == school.name for name in made.schools]]
    for species in SPECIES:
        share = yes[:, [one == species.short for one in made.species]].mean()
        assert share > 0.75 if species.short in school.butterflies else share < 0.25, species.short


def test_every_school_has_its_share_of_the_workers() -> None:
    assert Counter(insects.make().schools) == {"P1": 17, "P2": 17, "P3": 17, "P4": 16}


def test_typical_insects_lie_at_the_corners_of_a_square() -> None:
    corners = workers.places_of(np.array([species.typical for species in SPECIES]))
    np.testing.assert_allclose(corners, [[-1, -1], [-1, 1], [1, -1], [1, 1]], atol=0.05)


def test_answers_follow_the_stated_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without differences between workers: P(yes) = Phi(care * (<direction, place> - bar))."""
    for spread in ("ANGLE_SPREAD", "BAR_SPREAD", "CARE_SPREAD"):
        monkeypatch.setattr(workers, spread, 0.0)
    one = np.array([[0.6, 0.4, 0.3, 0.2]])
    place = workers.places_of(one)[0]
    schools, yes = workers.ask(np.repeat(one, 4000, axis=0), np.random.default_rng(0))
    for school in SCHOOLS:
        angle = np.radians(school.angle)
        along = place @ [np.cos(angle), np.sin(angle)]
        expected = norm.cdf(workers.CARE * (along - school.bar))
        found = yes[[one is school for one in schools]].mean()
        assert found == pytest.approx(expected, abs=0.01)


def test_workers_of_a_school_differ() -> None:
    made = insects.make()
    yes = made.answers.yes.reshape(67, 160)[[name == "P2" for name in made.schools]]
    assert np.ptp(yes.mean(axis=1)) > 0.05
