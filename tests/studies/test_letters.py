"""Classes of children who write, the letters they are shown, and their lessons."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import spearmanr, t

from homeroom import AsGiven, AtRandom, AverageGoal, GradientLearner, Individuals, teach
from homeroom.handwriting.letter_pool import LetterTeacher
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.pupils import kinds_of
from homeroom.studies.figures import PaperPlan
from homeroom.studies.letters import (
    TRIES,
    TYPES,
    class_of_children,
    draw_ink,
    empty_axes,
    lessons_of,
    other_defect,
    pen_costs,
    pen_samples,
    pen_word,
    pool_for,
    show_letters,
    trend,
)
from homeroom.studies.paper import FIGURES
from homeroom.studies.rows import Row, where
from homeroom.studies.settings import PaperSettings

SETTINGS = PaperSettings(pen_children=6, pen_pool=120)
SMALL = PaperSettings(pen_children=12, pen_pool=150)


def test_a_class_has_equally_many_children_of_each_type() -> None:
    for diversity in (1, 2, 3):
        made = class_of_children(SMALL, diversity, seed=4)
        found, counts = np.unique(made.types, return_counts=True)
        assert len(found) == diversity
        assert set(counts.tolist()) == {12 // diversity}
        assert {len(child.inks) for child in made.children} == {TRIES}
        assert made.room.students == 12


def test_the_type_of_a_child_is_found_from_its_letters() -> None:
    made = class_of_children(PaperSettings(pen_pool=150), 3, seed=1)
    assert np.mean(kinds_of(made.children, made.pool) == made.types) >= 0.95


def test_no_two_children_are_the_same() -> None:
    names = {child.name for seed in (0, 1) for child in class_of_children(SMALL, 3, seed).children}
    assert len(names) == 24


def test_a_seed_gives_the_same_class_and_another_seed_another() -> None:
    states = [np.asarray(class_of_children(SMALL, 3, seed).room.states) for seed in (2, 2, 3)]
    np.testing.assert_array_equal(states[0], states[1])
    assert not np.array_equal(states[0], states[2])


def test_the_settings_choose_the_pool() -> None:
    pool = pool_for(SMALL.change("pen_best=0.3, pen_sharpness=2, pen_letter=a"), 0)
    assert len(pool) == 150
    assert pool.good.sum() == 45
    assert pool.sharpness == 2.0
    assert pool.inks[0].letter == "a"
    assert pool_for(SMALL, 0, "e").inks[0].letter == "e"


def test_types_are_the_papers_three() -> None:
    assert TYPES == ("shaky+rotated", "distorted+shaky", "distorted+rotated")


@pytest.fixture(scope="module")
def shown() -> list[Row]:
    return show_letters(SETTINGS, 0)


def test_each_type_gets_its_own_letters(shown: list[Row]) -> None:
    """The rows of a type are the lesson of its group; the first are those of the whole class."""
    made = class_of_children(SETTINGS, 3, 0)
    record = teach(
        made.room,
        teacher=LetterTeacher(made.pool),
        learner=GradientLearner("logistic"),
        goal=AverageGoal(0.2),
        groups=AsGiven(made.types),
    )
    for kind, own in zip(sorted(TYPES), record.groups, strict=True):
        rows = where(shown, who=kind)
        assert [row["item"] for row in rows] == own.examples.items.tolist()
        assert [row["round"] for row in rows] == list(range(own.rounds))
    row = where(shown, who="CT")[0]
    scores = made.pool.normalised[row["item"]]
    scores_shown = [row[name] for name in ("distortion", "rotation", "shakiness")]
    np.testing.assert_allclose(scores_shown, scores, atol=1e-6)
    assert row["usual_rotation"] == pytest.approx(made.pool.normalised[:, 1].mean(), abs=1e-6)


def test_the_four_ways_agree_with_teach() -> None:
    rows = where(pen_costs(SETTINGS, 1), diversity=3)
    made = class_of_children(SETTINGS, 3, 1)
    ways = {"CTwP-Opt": AsGiven(made.types), "CTwP-Rand": AtRandom(3), "IT": Individuals()}
    for way, groups in ways.items():
        record = teach(
            made.room,
            teacher=LetterTeacher(made.pool),
            learner=GradientLearner("logistic"),
            goal=AverageGoal(0.2),
            groups=groups,
            seed=1,
        )
        (row,) = where(rows, way=way)
        assert (row["T"], row["S"]) == (record.rounds, record.workload)


def test_samples_have_the_simulated_and_the_found_type() -> None:
    rows = pen_samples(SETTINGS, 0)
    assert len(rows) == 6 * 5
    assert {row["type"] for row in rows} == set(TYPES)
    assert np.mean([row["type"] == row["found"] for row in rows]) > 0.8


def test_a_child_writes_better_from_interaction_to_interaction() -> None:
    """Not in every single interaction, but from the first to the last."""
    rows = pen_word(SETTINGS, 0)
    for letter in "nao":
        own = where(rows, letter=letter)
        assert [row["talk"] for row in own] == list(range(5))
        assert own[0]["round"] == 0
        for name in ("child_rotation", "child_shakiness"):
            assert own[-1][name] < own[0][name]
        assert own[0]["item"] in range(len(pool_for(SETTINGS, 0, letter)))


@pytest.mark.parametrize("change", ["pen_eps=1000", "pen_children=3"])
def test_strips_and_words_are_drawn_for_any_lesson(change: str) -> None:
    """An empty lesson, and a lesson of three children."""
    settings = SETTINGS.change(change)
    plan = PaperPlan(settings, quick=True)
    rows = show_letters(settings, 0)
    assert bool(rows) == (change != "pen_eps=1000")
    FIGURES["6a"].draw(rows, plan).draw_without_rendering()
    FIGURES["1b"].draw(pen_word(settings, 0), plan).draw_without_rendering()


def test_a_long_lesson_skips_rounds() -> None:
    rows = [
        {"seed": 0, "who": "shaky+rotated", "round": number, "item": 0, "good": False}
        for number in range(150)
    ]
    drawn = FIGURES["6a"].draw(rows, PaperPlan(SETTINGS, quick=True))
    named = [text.get_text() for text in drawn.axes[0].texts]
    assert named == ["model", *(str(number) for number in range(1, 151, 3))]


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


def lesson(values: list[float], seed: int = 0, letter: str = "f") -> list[Row]:
    return [
        {
            "who": "CT",
            "seed": seed,
            "letter": letter,
            "round": number,
            "rotation": value,
            "usual_rotation": 0.5,
        }
        for number, value in enumerate(values)
    ]


FALLING = [0.9, 0.8, 0.8, 0.6, 0.1, 0.4, 0.3, 0.2]


def test_a_trend_is_read_off_the_first_and_the_last_third() -> None:
    found = trend([lesson(FALLING)], "rotation")
    assert found.first == pytest.approx(0.85)
    assert found.last == pytest.approx(0.25)
    assert found.share == pytest.approx(np.mean(FALLING) / 0.5)
    assert found.half is None
    assert found.falls
    assert "one class, no interval" in str(found)


def test_the_rank_correlation_is_spearmans() -> None:
    """SciPy's, with equal values among them."""
    expected = spearmanr(np.arange(8), FALLING).statistic
    assert trend([lesson(FALLING)], "rotation").order == pytest.approx(expected)
    assert trend([lesson([0.3] * 8)], "rotation").order == 0.0


def test_the_interval_is_students() -> None:
    lessons = [lesson(FALLING), lesson(FALLING[::-1]), lesson([0.5, 0.1] * 4)]
    found = trend(lessons, "rotation")
    orders = [trend([one], "rotation").order for one in lessons]
    half = t.ppf(0.975, 2) * np.std(orders, ddof=1) / np.sqrt(3)
    assert found.half == pytest.approx(half)
    assert not found.falls
    assert (
        str(found) == f"{found.first:.2f} to {found.last:.2f} (ρ {found.order:+.2f} ± {half:.2f})"
    )


def test_lessons_are_distinguished_by_class_and_letter() -> None:
    rows = lesson([0.1, 0.2]) + lesson([0.3], seed=1) + lesson([0.4], letter="a")
    found = lessons_of(rows, "CT")
    assert [[row["rotation"] for row in own] for own in found] == [[0.1, 0.2], [0.3], [0.4]]
    assert lessons_of(rows, "no such type") == []


def test_each_type_is_spared_one_defect() -> None:
    kinds = ("shaky+rotated", "distorted+shaky", "distorted+rotated")
    assert [other_defect(kind) for kind in kinds] == ["distortion", "rotation", "shakiness"]
