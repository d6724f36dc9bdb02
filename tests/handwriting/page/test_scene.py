"""The drawing board that all letters of a lesson share."""

from __future__ import annotations

import re

import numpy as np

from homeroom.handwriting.generators import generate
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.lesson import Written
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.page.scene import TALL, Scene, as_values, laid


def test_every_letter_lies_in_the_box() -> None:
    model, inks = model_letter("f"), generate("f", 20, rotation=(-60, 60))
    scene = Scene.of(model, inks)
    left, top, width, height = scene.box
    for ink in (model, *inks):
        points = np.array([p for stroke in ink for p in scene.place(stroke.points)])
        assert (points >= [left, top]).all()
        assert (points <= [left + width, top + height]).all()
    assert np.ptp(model.points[:, 1]) * scene.scale == TALL


def test_a_path_goes_through_every_point() -> None:
    ink = Ink((Stroke([[0, 0], [1, 2], [3, 1]]), Stroke([[5, 5]])))
    scene = Scene(ink, 10.0, (0.0, 0.0, 1.0, 1.0))
    path = scene.path(ink)
    ends = [tuple(map(float, bend.split()[-2:])) for bend in re.findall(r"C([-\d. ]+)", path)]
    assert path.startswith("M0 0C")
    assert ends == [(10.0, 20.0), (30.0, 10.0)]
    assert path.endswith("M50 50h0")  # a dot


def test_a_letter_as_values_has_a_time_for_each_point() -> None:
    model = model_letter("i")
    (ink,) = generate("i", 1)
    shown = Written(ink, True, np.array([0.1, 0.25, 1.0]), 4)
    values = as_values(Scene.of(model, [ink]), shown, laid(shown, model))
    assert values["good"]
    assert values["scores"] == [0.1, 0.25, 1.0]
    assert len(values["strokes"]) == 2
    for stroke in values["strokes"]:
        assert len(stroke["p"]) == len(stroke["t"])
        assert stroke["t"] == sorted(stroke["t"])
    assert values["strokes"][0]["t"][0] == 0.0
    assert values["seconds"] == values["strokes"][-1]["t"][-1]
