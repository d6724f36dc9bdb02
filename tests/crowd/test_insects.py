"""The collection of insects: its contents, its seed, its files."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.image import imread

from homeroom.crowd import Answers, insects
from homeroom.crowd.insects import FEATURES, SPECIES, Insects


@pytest.fixture(scope="module")
def made() -> Insects:
    return insects.make()


@pytest.fixture(scope="module")
def folder(made: Insects, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("insects") / "deep" / "in"
    made.save(place)
    return place


def test_there_are_forty_of_each_species_as_in_the_paper(made: Insects) -> None:
    assert Counter(made.species) == {"cmoth": 40, "tmoth": 40, "rbfly": 40, "pbfly": 40}
    assert len(made) == len(set(made.names)) == 160
    assert len(made.answers.people) == len(made.types) == 67


def test_labels_are_the_truth(made: Insects) -> None:
    kinds = {species.short: species.kind for species in SPECIES}
    for label, species in zip(made.labels, made.species, strict=True):
        assert label == (1 if kinds[species] == "butterfly" else -1)


def test_the_build_separates_moths_from_butterflies_and_the_pattern_does_not(made: Insects) -> None:
    """Wings and antennae separate the two kinds; eyespots and stripes overlap."""
    build = made.features[:, 0] + made.features[:, 1]
    pattern = made.features[:, 2] + made.features[:, 3]
    butterfly = made.labels > 0
    assert build[butterfly].min() > build[~butterfly].max()
    assert pattern[butterfly].min() < pattern[~butterfly].max()
    assert ((made.features >= 0) & (made.features <= 1)).all()


def test_a_seed_fixes_pictures_features_and_answers(made: Insects) -> None:
    again, other = insects.make(0), insects.make(1)
    np.testing.assert_array_equal(again.features, made.features)
    np.testing.assert_array_equal(again.answers.yes, made.answers.yes)
    assert again.types == made.types
    assert again.svg(77) == made.svg(77) == made.svg(77)
    np.testing.assert_array_equal(again.pixels(77, 32), made.pixels(77, 32))
    assert other.svg(77) != made.svg(77)
    assert (other.answers.yes != made.answers.yes).any()


@pytest.mark.slow
def test_no_two_insects_look_the_same(made: Insects) -> None:
    assert len({made.svg(insect) for insect in range(40, 60)}) == 20


def test_every_annotator_answers_every_item_once(made: Insects) -> None:
    pairs = set(zip(made.answers.person.tolist(), made.answers.item.tolist(), strict=True))
    assert len(pairs) == len(made.answers) == 67 * 160


@pytest.mark.slow
def test_a_folder_has_a_picture_of_every_insect(made: Insects, folder: Path) -> None:
    pictures = sorted(path.stem for path in folder.glob("*.svg"))
    assert pictures == sorted(made.names)
    assert (folder / "insect-042.svg").read_text() == made.svg(41)


@pytest.mark.slow
def test_saved_answers_are_read_like_any_others(made: Insects, folder: Path) -> None:
    read = Answers.read(folder / "answers.csv", labels=folder / "labels.csv")
    assert read.people == made.answers.people
    assert read.items == made.answers.items
    for name in ("person", "item", "yes", "labels"):
        np.testing.assert_array_equal(getattr(read, name), getattr(made.answers, name))
    assert not read.dropped


def test_saved_files_have_the_true_features(made: Insects, folder: Path) -> None:
    with (folder / "features.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["species"] for row in rows] == list(made.species)
    saved = np.array([[float(row[name]) for name in FEATURES] for row in rows])
    np.testing.assert_allclose(saved, made.features, atol=5e-5)


def test_pictures_come_as_pixels_too_if_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homeroom.crowd.insects.collection.OF_EACH", 1)
    few = insects.make()
    few.save(tmp_path, png=24)
    read = imread(tmp_path / "insect-003.png")
    np.testing.assert_allclose(read, few.pixels(2, 24) / 255, atol=1e-6)
    assert len(list(tmp_path.glob("*.png"))) == 4


def test_a_size_that_is_not_possible_is_refused_before_anything_is_written(
    made: Insects, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="`png` must be"):
        made.save(tmp_path / "new", png=0)
    assert not (tmp_path / "new").exists()


def test_a_picture_does_not_describe_what_it_shows(made: Insects) -> None:
    words = {word for species in SPECIES for word in (*species.name.split(), species.short)}
    for insect in range(0, 160, 40):
        text = made.svg(insect)
        assert not words & set(re.findall(r"\w+", text.lower()))
        assert ET.fromstring(text).tag.endswith("svg")


def test_invalid_arguments_are_refused(made: Insects, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"file/folder cannot be written: Not a directory\."):
        made.save(tmp_path / "file" / "folder")
    with pytest.raises(
        ValueError, match=r"`insect` must be at least 0 and at most 159, but is 160"
    ):
        made.svg(160)
    with pytest.raises(ValueError, match=r"`insect` must be at least 0 and at most 159, but is -1"):
        made.pixels(-1)
    with pytest.raises(ValueError, match=r"`size` must be at least 1 and at most 4096, but is 0"):
        made.pixels(0, 0)
    with pytest.raises(ValueError, match=r"`seed` must be at least 0, but is -1"):
        insects.make(-1)


def test_the_documented_features_are_the_typical_ones() -> None:
    page = (Path(__file__).parents[2] / "docs" / "insects.md").read_text(encoding="utf-8")
    for species in SPECIES:
        numbers = " | ".join(f"{value:.2f}" for value in species.typical)
        assert f"| {species.name} | {species.short} | {numbers} |" in page
