"""The built-in activity."""

from __future__ import annotations

from homeroom.live.activities.insects import activity, collection, picture
from homeroom.live.refused import CODES


def test_every_insect_has_a_picture_a_label_and_an_explanation() -> None:
    made = collection()
    assert len(activity().items) == 160
    for item, species in zip(activity().items, made.species, strict=True):
        assert item.label == (1 if species.endswith("fly") else -1)
        assert item.explanation
        kind = "butterfly" if item.label > 0 else "moth"
        assert f" is a {kind}: " in item.explanation
    drawn = picture("insect-001")
    assert drawn is not None
    assert drawn.media == "image/svg+xml"
    assert drawn.data.startswith(b"<svg")
    assert b"script" not in drawn.data
    assert picture("insect-999") is None


def test_all_insects_can_be_taught() -> None:
    space = activity().space
    assert space is not None
    assert len(space.ids) == 160


def test_a_species_has_a_code_and_explains_the_label() -> None:
    made = activity()
    for item in made.items:
        species = item.species
        assert species is not None
        assert species in CODES["insects"]
        assert species.endswith("bfly" if item.label == 1 else "moth")
