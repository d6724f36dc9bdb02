"""Letters that lean to a side; children, their scores and types."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting.generators import KINDS, Child, Kinematic, Knobs, children, generate
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.letter_pool import LetterPool
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.pupils import (
    NO_TYPE,
    Pupil,
    by_writer,
    clear_kinds,
    kinds_of,
    leaning,
    pupils,
    to_classroom,
)
from homeroom.handwriting.scores import score_all, score_each


def test_each_leans_to_the_side_as_far_as_before_and_scores_the_same() -> None:
    model = model_letter("a")
    inks = generate("a", 30, rotation=(-30, 30))
    turned = leaning(inks, model, -1)
    before, after = score_each(inks, model), score_each(turned, model)
    np.testing.assert_allclose(
        [one.angle for one in after], [-abs(one.angle) for one in before], atol=1.0
    )
    np.testing.assert_allclose(
        [one.vector for one in after], [one.vector for one in before], atol=0.02
    )


def test_letters_that_lean_to_that_side_are_not_changed() -> None:
    inks = generate("a", 3, rotation=20)
    assert leaning(inks, model_letter("a"), 1) == inks


def test_no_side_changes_nothing() -> None:
    inks = generate("a", 3)
    assert leaning(inks, model_letter("a"), 0) == inks
    assert leaning([], model_letter("a"), 1) == []


@pytest.fixture(scope="module")
def pool() -> LetterPool:
    return LetterPool.make("f", 200)


def test_a_childs_scores_are_the_mean_over_its_tries() -> None:
    child, model = Child.of("shaky+rotated", seed=1), model_letter("f")
    tries = {"Ada": child.write("f", 3, seed=1), "Ben": child.write("f", 2, seed=2)}
    ada, ben = pupils(tries, model)
    assert (ada.name, ben.name) == ("Ada", "Ben")
    np.testing.assert_allclose(ada.scores, score_all(tries["Ada"], model))
    np.testing.assert_allclose(ben.mean, score_all(tries["Ben"], model).mean(axis=0))


def test_letters_go_to_their_writers() -> None:
    dot = (Stroke([[0, 0], [1, 1]]),)
    inks = [Ink(dot, writer="Ada"), Ink(dot), Ink(dot, writer="Ada")]
    assert by_writer(inks, "class-3") == {"Ada": [inks[0], inks[2]], "class-3": [inks[1]]}


@pytest.mark.parametrize("letter", ["f", "a", "m"])
def test_simulated_children_are_found_to_be_of_their_type(letter: str) -> None:
    """For at least nine of ten, the simulated type is found from the letters."""
    writers = children(10, seed=3)
    pool = LetterPool.make(letter, 200)
    own = pupils({child.name: child.write(letter) for child in writers}, pool.model)
    found = kinds_of(own, pool)
    right = [child.name.startswith(kind) for child, kind in zip(own, found, strict=True)]
    assert np.mean(right) >= 0.9


def test_a_type_is_named_by_the_two_greater_defects(pool: LetterPool) -> None:
    worst = pool.worst
    scores = [worst * [0.1, 0.6, 0.5], worst * [0.6, 0.1, 0.5], worst * [0.6, 0.5, 0.1]]
    own = [Pupil(str(number), (), row[None, :]) for number, row in enumerate(scores)]
    assert kinds_of(own, pool).tolist() == list(KINDS)


def test_children_with_clear_defects_have_a_type(pool: LetterPool) -> None:
    own = pupils({child.name: child.write("f") for child in children(5, seed=4)}, pool.model)
    np.testing.assert_array_equal(clear_kinds(own, pool), kinds_of(own, pool))


@pytest.mark.parametrize("tries", [3, 5, 10])
def test_few_children_have_a_type_by_chance(pool: LetterPool, tries: int) -> None:
    """Two defects are equal on average: which of them is less is a matter of chance.

    One test in ten should find a type. A test with one side would find one for a fifth of the
    children, because the same tries decide which defect is the least.
    """
    rng = np.random.default_rng(1)
    levels = np.array([0.4, 0.4, 0.8]) + 0.15 * rng.standard_normal((1000, tries, 3))
    scores = pool.worst * np.clip(levels, 0.0, 1.0)
    own = [Pupil(str(number), (), one) for number, one in enumerate(scores)]
    assert (clear_kinds(own, pool) != NO_TYPE).mean() <= 0.12


def test_a_class_starts_from_what_its_children_wrote(pool: LetterPool) -> None:
    """A child who copies the model has nothing to learn; each of the others has."""
    model = model_letter("f")
    turned = Kinematic().write("f", [Knobs(rotation=25.0)])
    own = pupils({"Ada": [model], "Ben": turned}, model)
    room = to_classroom(own, pool, rate=0.2)
    assert room.names is not None
    assert list(room.names) == ["Ada", "Ben"]
    assert np.asarray(room.rates).tolist() == [0.2, 0.2]
    np.testing.assert_allclose(np.asarray(room.gaps)[0], 0.0, atol=1e-6)
    ben = np.asarray(room.gaps)[1]
    assert ben[1] == pytest.approx(25 / 45 / pool.worst[1], rel=0.05)
    assert abs(ben[0]) + abs(ben[2]) + abs(ben[3]) < 0.1


def test_no_letter_of_a_pool_is_too_long_for_the_class(pool: LetterPool) -> None:
    room = to_classroom(pupils({"Ada": [model_letter("f")]}, pool.model), pool)
    assert (np.linalg.norm(pool.items.items, axis=1) <= room.example_radius * (1 + 1e-9)).all()


def test_a_class_without_children_or_letters_is_refused() -> None:
    with pytest.raises(ValueError, match=r"A class needs at least one child"):
        pupils({}, model_letter("f"))
    with pytest.raises(ValueError, match=r"Ben has written no letter: leave the child out"):
        pupils({"Ben": []}, model_letter("f"))


def test_a_dot_does_not_count_and_gets_a_note() -> None:
    dot, model = Ink((Stroke([[1.0, 1.0]]),)), model_letter("f")
    turned = Child.of("shaky+rotated", seed=1).write("f", 2)
    mirrored = model.moved(np.diag([-1.0, 1.0]), np.zeros(2))
    ada, ben = pupils({"Ada": [model], "Ben": [dot, *turned, mirrored]}, model)
    assert not ada.remarks
    assert ben.inks == (*turned, mirrored)
    np.testing.assert_allclose(ben.scores[:2], score_all(turned, model))
    assert [sentence[:40] for sentence in ben.remarks] == [
        "Letter 1 of Ben: This is a single dot: t",
        "Letter 4 of Ben: This is mirror writing:",
    ]
    assert ben.notes[0].endswith("compare with a model. It does not count.")


def test_a_child_who_wrote_only_dots_is_refused() -> None:
    dot = Ink((Stroke([[1.0, 1.0]]),))
    with pytest.raises(ValueError, match=r"^Ben has written only dots: leave the child out"):
        pupils({"Ada": [model_letter("f")], "Ben": [dot, dot]}, model_letter("f"))
