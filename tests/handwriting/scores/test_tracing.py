"""Letters as equally many points."""

from __future__ import annotations

import numpy as np

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.resample import by_length
from homeroom.handwriting.scores.tracing import POINTS, lines, shares, standard, traced


def test_a_stroke_is_read_evenly_along_its_length() -> None:
    """The independent resampling of the ink room says the same."""
    ink = model_letter("f")
    found = traced([lines(ink)], np.array([POINTS]))[:, 0]
    expected = by_length(ink, POINTS)
    np.testing.assert_allclose(np.column_stack([found.real, found.imag]), expected, atol=1e-9)


def test_many_letters_are_read_as_each_alone() -> None:
    inks = [Ink((Stroke([[0, 0], [k, 1]]), Stroke([[2, 2], [2, 3], [5, k]]))) for k in (1, 4, 9)]
    counts = np.array([5, POINTS - 5])
    together = traced([lines(ink) for ink in inks], counts)
    alone = [traced([lines(ink)], counts)[:, 0] for ink in inks]
    np.testing.assert_allclose(together.T, alone, atol=1e-9)


def test_a_dot_among_the_strokes_stays_where_it_is() -> None:
    ink = Ink((Stroke([[0, 0], [0, 4]]), Stroke([[7, 8]]), Stroke([[1, 1], [1, 1]])))
    found = traced([lines(ink)], np.array([6, 5, 5]))[:, 0]
    assert (found[6:11] == 7 + 8j).all()
    assert (found[11:] == 1 + 1j).all()


def test_points_are_shared_by_length_but_short_strokes_get_some() -> None:
    counts = shares(lines(model_letter("i")))
    assert counts.sum() == POINTS
    assert counts.min() == 5


def test_joined_strokes_are_one_line() -> None:
    parts = lines(model_letter("t"), joined=True)
    assert len(parts) == 1
    assert len(parts[0]) == len(model_letter("t").points)


def test_the_standard_size_is_an_rms_radius_of_one() -> None:
    points = traced([lines(model_letter("a"))], np.array([POINTS]))
    found, radius = standard(7e-200 * points + 3e-199j)
    np.testing.assert_allclose(np.abs(found.mean(axis=0)), 0.0, atol=1e-12)
    np.testing.assert_allclose((np.abs(found) ** 2).mean(axis=0), 1.0)
    np.testing.assert_allclose(radius, 7e-200 * standard(points)[1])
