"""Drawings of insects: curves, species, SVG and pixels."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from homeroom._arrays import Floats
from homeroom.crowd import insects
from homeroom.crowd.insects import FEATURES, SPECIES
from homeroom.crowd.insects.anatomy import along
from homeroom.crowd.insects.shapes import (
    FINE,
    Shape,
    apply,
    as_pixels,
    as_svg,
    both_sides,
    ellipse,
    pose,
    shrunk,
    smooth,
    strokes,
)
from homeroom.crowd.insects.species import AbstractSpecies, Look, draw

POINTS = np.array([(0.0, 0.0), (10.0, 2.0), (12.0, 9.0), (3.0, 11.0)])


def look(species: AbstractSpecies, **features: float) -> Look:
    typical = dict(zip(FEATURES, species.typical, strict=True))
    return Look(**{**typical, **features}, tone=0.0, rng=np.random.default_rng(0))


def read_back(text: str) -> list[Floats]:
    """The curves of a path's text, read by the rules of SVG."""
    curves = []
    for start, pieces in re.findall(r"M([-\d ]+)c([-\d ]+)", text):
        at = np.array([int(number) for number in re.findall(r"-?\d+", start)], dtype=float)
        moves = np.array([int(number) for number in re.findall(r"-?\d+", pieces)]).reshape(-1, 3, 2)
        points = [at]
        for piece in moves:
            points += [at + step for step in piece]
            at = points[-1]
        curves.append(np.array(points) / FINE)
    return curves


def test_a_smooth_curve_goes_through_its_points() -> None:
    np.testing.assert_allclose(smooth(POINTS)[:-1:3], POINTS)
    np.testing.assert_allclose(smooth(POINTS)[-1], POINTS[0])
    np.testing.assert_allclose(smooth(POINTS, closed=False)[::3], POINTS)


def test_a_smooth_curve_has_no_corner() -> None:
    """The curve has the same direction before and after each point."""
    curve = smooth(POINTS)
    np.testing.assert_allclose(curve[3] - curve[2], curve[4] - curve[3])
    np.testing.assert_allclose(curve[0] - curve[-2], curve[1] - curve[0])


def test_a_stroke_is_straight() -> None:
    stroke = strokes(POINTS[:1], POINTS[1:2])[0]
    places, slopes = along(stroke, np.linspace(0, 1, 7))
    np.testing.assert_allclose(places[:, 1], 0.2 * places[:, 0], atol=1e-12)
    np.testing.assert_allclose(slopes, np.tile(POINTS[1] / np.hypot(10, 2), (7, 1)))


def test_an_ellipse_is_round() -> None:
    places, _ = along(ellipse(3, -4, 5), np.linspace(0, 1, 50))
    np.testing.assert_allclose(np.hypot(places[:, 0] - 3, places[:, 1] + 4), 5, rtol=3e-4)
    wide, _ = along(ellipse(0, 0, 4, 2), np.linspace(0, 1, 50))
    np.testing.assert_allclose((wide[:, 0] / 4) ** 2 + (wide[:, 1] / 2) ** 2, 1, rtol=1e-3)


def test_a_pose_turns_and_stretches_around_its_point() -> None:
    move = pose((2.0, 3.0), turn=90, along=2.0, across=0.5)
    np.testing.assert_allclose(apply(move, np.array([[2.0, 3.0]])), [[2.0, 3.0]])
    np.testing.assert_allclose(apply(move, np.array([[3.0, 3.0]])), [[2.0, 5.0]], atol=1e-12)
    np.testing.assert_allclose(apply(move, np.array([[2.0, 4.0]])), [[1.5, 3.0]], atol=1e-12)
    tilted = pose((0.0, 0.0), across=3.0, axis=45.0)
    np.testing.assert_allclose(apply(tilted, np.array([[1.0, 1.0]])), [[1.0, 1.0]], atol=1e-12)
    np.testing.assert_allclose(apply(tilted, np.array([[1.0, -1.0]])), [[3.0, -3.0]], atol=1e-12)


def test_a_shrunk_curve_is_nearer_to_its_point() -> None:
    np.testing.assert_allclose(shrunk(POINTS, (10, 2), 0.25) - (10, 2), 0.75 * (POINTS - (10, 2)))


def test_both_sides_mirror_the_curves_and_their_clips() -> None:
    right = Shape((POINTS,), fill="#000000", within=POINTS + 1)
    one, two = both_sides([right])
    assert one is right
    np.testing.assert_array_equal(two.curves[0], POINTS * (-1, 1))
    assert two.within is not None
    np.testing.assert_array_equal(two.within, (POINTS + 1) * (-1, 1))


@pytest.mark.parametrize("species", SPECIES, ids=lambda species: species.short)
def test_an_insect_stays_inside_its_square(species: AbstractSpecies) -> None:
    for wings in (0.0, 1.0):
        for chance in range(3):
            typical = look(species, wings=wings, antennae=wings)
            own = Look(**{**vars(typical), "rng": np.random.default_rng(chance)})
            points = np.concatenate([c for shape in draw(species, own) for c in shape.curves])
            # What is drawn within a wing may reach beyond it, but not what is seen.
            inside = [s.within for s in draw(species, own) if s.within is not None]
            free = [c for s in draw(species, own) if s.within is None for c in s.curves]
            assert np.abs(np.concatenate([*inside, *free])).max() < 100
            assert np.isfinite(points).all()


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("species", SPECIES, ids=lambda species: species.short)
def test_every_feature_can_be_seen(species: AbstractSpecies, feature: str) -> None:
    """Two insects that differ in one feature alone differ in many pixels, and not in a shade."""
    middle = species.typical[FEATURES.index(feature)]
    low, high = (
        as_pixels(draw(species, look(species, **{feature: value})), 120).astype(int)
        for value in (max(0.0, middle - 0.2), min(1.0, middle + 0.2))
    )
    changed = np.abs(low - high).max(axis=2) > 40
    assert changed.sum() > 25


def count(pixels: np.ndarray, colour: tuple[int, int, int], off: int = 30) -> int:
    near = np.abs(pixels[..., :3].astype(int) - colour).max(axis=2) < off
    return int((near & (pixels[..., 3] > 200)).sum())


def test_larger_eyespots_have_larger_rings() -> None:
    ringlet = SPECIES[2]
    areas = [
        count(as_pixels(draw(ringlet, look(ringlet, eyespots=size)), 300), (0xE2, 0xB6, 0x59))
        for size in (0.1, 0.3, 0.5)
    ]
    assert areas[0] < areas[1] < areas[2]


def test_stronger_stripes_are_broader() -> None:
    tiger = SPECIES[1]
    areas = [
        count(as_pixels(draw(tiger, look(tiger, stripes=strength)), 300), (0xF6, 0xEA, 0xD0))
        for strength in (0.7, 0.85, 1.0)
    ]
    assert areas[0] < areas[1] < areas[2]


def test_broader_wings_cover_more() -> None:
    for species in SPECIES:
        narrow, broad = (
            (as_pixels(draw(species, look(species, wings=wings)), 120)[..., 3] > 0).sum()
            for wings in (0.2, 0.8)
        )
        assert broad > 1.1 * narrow


def test_pixels_are_where_the_curves_are() -> None:
    red = Shape((ellipse(50, -50, 30),), fill="#ff0000")
    pixels = as_pixels([red], 200)
    assert pixels.shape == (200, 200, 4)
    assert pixels[50, 150].tolist() == [255, 0, 0, 255]  # up and right
    assert pixels[150, 50].tolist()[3] == 0
    assert (pixels[..., 3] / 255).sum() == pytest.approx(np.pi * 30**2, rel=4e-3)


def test_only_the_part_within_the_clip_is_visible() -> None:
    half = ellipse(-100, 0, 100, 1e6)
    pixels = as_pixels([Shape((ellipse(0, 0, 40),), fill="#00ff00", opacity=0.5, within=half)], 100)
    assert pixels[50, 40, 3] == pytest.approx(128, abs=2)
    assert (pixels[:, 51:, 3] == 0).all()


def test_every_clip_path_is_used_for_its_own_shape() -> None:
    """Many clips in one drawing: the renderer must not take one for another."""
    discs = [ellipse(20 * (k % 9) - 80, 20 * (k // 9) - 80, 8) for k in range(81)]
    clipped = [Shape((ellipse(0, 0, 500),), fill="#ff0000", within=disc) for disc in discs]
    filled = as_pixels([Shape((disc,), fill="#ff0000") for disc in discs], 200)
    for _ in range(4):
        seen = as_pixels(clipped, 200)
        assert np.abs(seen[..., 3].astype(int) - filled[..., 3]).max() < 60


def test_lines_have_the_stated_width() -> None:
    line = Shape(strokes(np.array([[-50, 0]]), np.array([[50, 0]])), line="#0000ff", width=8)
    seen = as_pixels([line], 400)[:, 200, 3] / 255
    assert seen.sum() == pytest.approx(16, abs=0.5)


def test_the_text_has_the_curves_in_tenths() -> None:
    made = insects.make()
    shapes = made.shapes(130)
    paths = ET.fromstring(made.svg(130)).findall("{http://www.w3.org/2000/svg}path")
    for shape, path in zip(shapes, paths, strict=True):
        read = read_back(path.attrib["d"])
        assert len(read) == len(shape.curves)
        for one, other in zip(read, shape.curves, strict=True):
            np.testing.assert_allclose(one, other, atol=0.051)
        assert path.attrib.get("fill") == shape.fill
        assert path.attrib.get("stroke") == shape.line
        assert float(path.attrib.get("opacity", 1)) == pytest.approx(shape.opacity, abs=0.01)


def test_clips_are_defined_and_never_shared_between_drawings() -> None:
    made = insects.make()
    names = []
    for insect in (0, 1):
        text = made.svg(insect)
        defined = re.findall(r'clipPath id="([^"]+)"', text)
        assert set(re.findall(r"url\(#([^)]+)\)", text)) == set(defined)
        assert len(set(defined)) == len(defined) == 5  # two wings on either side, and the body
        names += defined
    assert len(set(names)) == 10


def test_the_same_shapes_give_the_same_text() -> None:
    shape = Shape((smooth(POINTS),), line="#123456", width=0.5)
    assert as_svg([shape], name="a") == as_svg([shape], name="a")
    assert 'stroke-width="5"' in as_svg([shape], name="a")
