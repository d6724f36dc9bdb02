"""Letters that lean to one side."""

from __future__ import annotations

import numpy as np

from homeroom.handwriting.generators import generate
from homeroom.handwriting.leaning import leaning
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores import score_each


def test_each_leans_to_the_side_as_far_as_before_and_scores_the_same() -> None:
    model = model_letter("a")
    inks = generate("a", 30, rotation=(-30, 30))
    turned = leaning(inks, model, -1)
    before, after = score_each(inks, model), score_each(turned, model)
    np.testing.assert_allclose(
        [one.angle for one in after], [-abs(one.angle) for one in before], atol=0.5
    )
    np.testing.assert_allclose(
        [one.vector for one in after], [one.vector for one in before], atol=0.02
    )


def test_what_leans_to_that_side_already_is_left_alone() -> None:
    inks = generate("a", 3, rotation=20)
    assert leaning(inks, model_letter("a"), 1) == inks


def test_no_side_changes_nothing() -> None:
    inks = generate("a", 3)
    assert leaning(inks, model_letter("a"), 0) == inks
    assert leaning([], model_letter("a"), 1) == []
