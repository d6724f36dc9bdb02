"""The crowd on its map, the types found in it, the classes drawn from it, and their lessons."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeroom import AsGiven, AtRandom, AverageGoal, Individuals, PoolTeacher, teach
from homeroom.crowd import insects as insect_pictures
from homeroom.crowd.insects import SPECIES
from homeroom.studies.figures import PaperPlan
from homeroom.studies.insects import (
    BACKGROUND,
    InsectCrowd,
    class_of_types,
    clip_line,
    crowd_for,
    crowd_from_seed,
    insect_map,
    insects,
    show_insects,
    thumbnail,
    types_of,
)
from homeroom.studies.paper import FIGURES
from homeroom.studies.rows import Row, where
from homeroom.studies.settings import PaperSettings

SETTINGS = PaperSettings(crowd_students=16)


@pytest.fixture(scope="module")
def crowd() -> InsectCrowd:
    return crowd_from_seed(0)


def test_types_found_from_the_answers_are_the_simulated_ones(crowd: InsectCrowd) -> None:
    assert np.mean(crowd.types == np.array(crowd.insects.types)) > 0.9


def test_the_target_separates_butterflies_from_moths(crowd: InsectCrowd) -> None:
    items = np.column_stack([crowd.places, np.ones(len(crowd.places))])
    right = np.sign(items @ crowd.target) == crowd.insects.labels
    assert right.mean() > 0.95


def test_hypotheses_agree_with_the_answers(crowd: InsectCrowd) -> None:
    items = np.column_stack([crowd.places, np.ones(len(crowd.places))])
    said = crowd.insects.answers.yes.reshape(67, 160)
    assert np.mean((crowd.states @ items.T > 0) == said) > 0.85


def test_the_pool_has_every_insect_with_its_threshold(crowd: InsectCrowd) -> None:
    items = np.column_stack([crowd.places, np.ones(len(crowd.places))])
    lengths = np.linalg.norm(items, axis=1, keepdims=True)
    np.testing.assert_allclose(crowd.pool.directions, items / lengths)


def test_a_hypothesis_has_the_type_whose_mistakes_it_makes() -> None:
    """Four species at the corners of a square, and one line per type."""
    made = insect_pictures.make()
    corners = {"cmoth": (-1, -1), "tmoth": (-1, 1), "rbfly": (1, -1), "pbfly": (1, 1)}
    places = np.array([corners[species] for species in made.species], dtype=float)
    lines = {"P1": (1, 1, 1), "P2": (1, 1, -1), "P3": (1, -1, -1), "P4": (0, 0, 1)}
    states = np.array(list(lines.values()), dtype=float)
    assert types_of(states, places, made).tolist() == list(lines)
    assert [one.short for one in SPECIES] == list(corners)


@pytest.mark.parametrize("diversity", [1, 2, 3, 4])
def test_a_class_has_equally_many_of_each_of_its_types(diversity: int) -> None:
    room, types = class_of_types(PaperSettings(), diversity, 3)
    assert room.students == 60
    assert sorted(Counter(types.tolist()).values()) == [60 // diversity] * diversity
    assert set(room.rates.tolist()) == {0.05}
    assert room.example_radius == 2.0
    np.testing.assert_array_equal(room.target, crowd_for(PaperSettings(), 3).target)


def test_the_types_of_a_class_are_random() -> None:
    drawn = {class_of_types(PaperSettings(), 1, seed)[1][0] for seed in range(4)}
    assert len(drawn) > 1


def test_without_noise_every_student_is_an_annotator_of_their_type() -> None:
    quiet = PaperSettings(crowd_noise=0.0)
    crowd = crowd_for(quiet, 1)
    room, types = class_of_types(quiet, 4, 1)
    for state, kind in zip(room.states, types, strict=True):
        same = np.flatnonzero((crowd.states == state).all(axis=1))
        assert kind in crowd.types[same]
    noisy, same_types = class_of_types(PaperSettings(), 4, 1)
    np.testing.assert_array_equal(types, same_types)
    spread = float(np.std(noisy.states - room.states))
    assert spread == pytest.approx(0.1, rel=0.2)


def test_every_seed_has_a_crowd_from_seed_its_own() -> None:
    assert crowd_for(PaperSettings(), 1) is crowd_for(PaperSettings(insects=1), 0)
    assert crowd_for(PaperSettings(), 1) is not crowd_for(PaperSettings(), 0)


def test_a_crowd_without_a_type_is_refused(
    crowd: InsectCrowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    single_type = replace(crowd, types=np.full(67, "P2"))
    monkeypatch.setattr("homeroom.studies.insects.crowd_from_seed", lambda seed: single_type)
    with pytest.raises(
        ValueError, match=r"has no annotator of type P1: change the setting `insects`"
    ):
        class_of_types(PaperSettings(), 4, 0)


@pytest.fixture(scope="module")
def shown() -> list[Row]:
    return show_insects(SETTINGS, 0)


def test_the_four_ways_agree_with_teach() -> None:
    rows = where(insects(SETTINGS, 2), diversity=3)
    room, types = class_of_types(SETTINGS, 3, 2)
    teacher, goal = PoolTeacher(crowd_for(SETTINGS, 2).pool), AverageGoal(0.2)
    ways = {"CTwP-Opt": AsGiven(types), "CTwP-Rand": AtRandom(3), "IT": Individuals()}
    for way, groups in ways.items():
        record = teach(room, teacher=teacher, goal=goal, groups=groups, seed=2)
        (row,) = where(rows, way=way)
        assert (row["T"], row["S"]) == (record.rounds, record.workload)
    (row,) = where(rows, way="CT")
    assert row["T"] == row["S"] == teach(room, teacher=teacher, goal=goal).rounds


def test_every_diversity_is_measured_in_every_way() -> None:
    rows = insects(SETTINGS, 0)
    assert [row["diversity"] for row in rows] == [k for k in (1, 2, 3, 4) for _ in range(4)]
    one = {row["way"]: row["T"] for row in where(rows, diversity=1)}
    assert one["CT"] == one["CTwP-Opt"] == one["CTwP-Rand"]


def test_each_type_gets_its_own_examples(shown: list[Row]) -> None:
    """The rows of a type are the lesson of its learners alone."""
    room, types = class_of_types(SETTINGS, 4, 0)
    crowd = crowd_for(SETTINGS, 0)
    for kind in ("P1", "P2", "P3", "P4"):
        own = teach(
            room.subset(np.flatnonzero(types == kind)),
            teacher=PoolTeacher(crowd.pool),
            goal=AverageGoal(0.2),
        )
        rows = where(shown, who=kind)
        assert [row["item"] for row in rows] == own.examples.items.tolist()
        assert [row["species"] for row in rows] == [
            crowd.insects.species[item] for item in own.examples.items
        ]


def test_rounds_are_numbered_from_zero_in_every_lesson(shown: list[Row]) -> None:
    for who in ("CT", "P1", "P2", "P3", "P4"):
        own = [row["round"] for row in where(shown, who=who)]
        assert own == list(range(len(own)))
        assert own


def test_the_map_has_all_insects_annotators_and_the_target() -> None:
    rows = insect_map(SETTINGS, 0)
    crowd = crowd_for(SETTINGS, 0)
    assert [len(where(rows, kind=kind)) for kind in ("insect", "worker", "target")] == [160, 67, 1]
    (target,) = where(rows, kind="target")
    assert [target[name] for name in ("x", "y", "bias")] == crowd.target.tolist()
    first = where(rows, kind="worker")[0]
    assert [first[name] for name in ("x", "y", "bias")] == crowd.states[0].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("change", ["crowd_eps=1000", "crowd_students=4"])
def test_a_strip_is_drawn_for_any_lesson(change: str) -> None:
    """An empty lesson, and a lesson of four learners."""
    settings = SETTINGS.change(change)
    rows = show_insects(settings, 0)
    assert bool(rows) == (change != "crowd_eps=1000")
    drawn = FIGURES["4c"].draw(rows, PaperPlan(settings, quick=True))
    drawn.draw_without_rendering()
    names = [label.get_text() for label in drawn.axes[0].get_yticklabels()]
    assert len(names) == 5
    assert ("0 examples" in names[0]) == (not rows)


def test_a_long_lesson_skips_rounds() -> None:
    rows = [
        {"seed": 0, "who": "CT", "round": number, "item": 0, "species": "cmoth"}
        for number in range(60)
    ]
    drawn = FIGURES["4c"].draw(rows, PaperPlan(SETTINGS, quick=True))
    drawn.draw_without_rendering()
    ticks = [int(label.get_text()) for label in drawn.axes[0].get_xticklabels()]
    assert ticks == list(range(1, 61, 5))  # the spacing of the paper


LOW, HIGH = np.array([-2.0, -1.0]), np.array([1.0, 3.0])
numbers = st.floats(-3, 3).map(lambda value: round(value, 3))


def test_a_line_ends_at_the_border_of_the_rectangle() -> None:
    ends = clip_line(np.array([1.0, 0.0, -0.5]), LOW, HIGH)  # x = 0.5
    assert sorted(map(tuple, ends.tolist())) == [(0.5, -1.0), (0.5, 3.0)]


@given(numbers, numbers, numbers)
def test_ends_lie_on_the_line_and_inside_the_rectangle(x: float, y: float, bias: float) -> None:
    line = np.array([x, y, bias])
    ends = clip_line(line, LOW, HIGH)
    assert len(ends) in {0, 2}
    np.testing.assert_allclose(ends @ line[:2] + bias, 0, atol=1e-9)
    assert ((ends >= LOW - 1e-9) & (ends <= HIGH + 1e-9)).all()


@pytest.mark.parametrize("bias", [9.0, -9.0])
def test_a_line_outside_the_rectangle_has_no_ends(bias: float) -> None:
    assert clip_line(np.array([1.0, 1.0, bias]), LOW, HIGH).shape == (0, 2)


def test_a_thumbnail_has_the_background_colour() -> None:
    made = insect_pictures.make()
    picture = thumbnail(made, 130, 60)
    assert picture.shape == (60, 60, 3)
    np.testing.assert_allclose(picture[0, 0], BACKGROUND)
    opaque = made.pixels(130, 60)[..., 3] == 255
    np.testing.assert_allclose(picture[opaque], made.pixels(130, 60)[opaque][:, :3] / 255)
