"""Letters in figures."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from homeroom.handwriting.generators import generate
from homeroom.handwriting.letters import model_letter
from homeroom.paper.figures_letters import draw_ink, draw_samples, empty_axes


def test_a_letter_is_centred_at_its_place_with_size_one() -> None:
    ax = empty_axes(Figure())
    draw_ink(ax, model_letter("f"), model_letter("f"), at=(5.0, 2.0))
    (line,) = ax.get_lines()
    points = np.asarray(line.get_xydata())
    np.testing.assert_allclose((points.min(axis=0) + points.max(axis=0)) / 2, [5.0, 2.0], atol=1e-3)
    np.testing.assert_allclose(np.ptp(points, axis=0).max(), 1.0, atol=1e-3)


def test_a_letter_stands_upright() -> None:
    """The y axis points downwards, as in ink."""
    ax = empty_axes(Figure())
    ax.set_ylim(1.0, -1.0)
    assert ax.yaxis_inverted()
    assert not ax.axison


def test_samples_are_drawn_side_by_side() -> None:
    model = model_letter("i")
    drawn = draw_samples(generate("i", 3), model)
    assert len(drawn.axes[0].get_lines()) == 6  # the letter i and its dot
