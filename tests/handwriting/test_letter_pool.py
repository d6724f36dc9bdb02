"""The pool of letters, and the teacher that chooses from it."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, GradientLearner, Individuals, PoolTeacher, teach
from homeroom.handwriting import Pupil, next_letter
from homeroom.handwriting.generators.dispatch import generate_letters
from homeroom.handwriting.letter_pool import LetterPool, LetterTeacher
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores import score_all


@pytest.fixture(scope="module")
def pool() -> LetterPool:
    return LetterPool.make("f", 200, seed=1)


def made(scores: np.ndarray, **settings: float) -> LetterPool:
    model = model_letter("f")
    return LetterPool((model,) * len(scores), scores, model, **settings)


def test_a_pool_has_the_letters_of_the_generator_and_their_scores(pool: LetterPool) -> None:
    inks = generate_letters("f", 200, 1)
    assert len(pool) == 200
    np.testing.assert_array_equal(pool.inks[7].points, inks[7].points)
    np.testing.assert_allclose(pool.scores, score_all(inks, model_letter("f")))


def test_normalised_scores_reach_from_the_model_to_the_worst(pool: LetterPool) -> None:
    """Zero is as in the model, one as bad as the worst twentieth of the pool."""
    assert pool.normalise([0.0, 0.0, 0.0]).tolist() == [0.0, 0.0, 0.0]
    np.testing.assert_allclose(pool.normalise(pool.worst), 1.0)
    assert (pool.normalise(pool.worst * 1.2) == 1.0).all()
    assert (pool.normalised == 1.0).mean(axis=0) == pytest.approx(0.05, abs=0.011)


def test_the_best_tenth_is_good(pool: LetterPool) -> None:
    averages = pool.normalised.mean(axis=1)
    assert pool.good.sum() == 20
    assert averages[pool.good].max() < averages[~pool.good].min()
    assert made(pool.scores, best=0.5).good.sum() == 100


def test_letters_that_share_the_lowest_average_are_all_good(pool: LetterPool) -> None:
    scores = pool.scores[:20].copy()
    scores[:5] = 0.0
    tied = made(scores, best=0.1)
    assert tied.good.tolist() == [True] * 5 + [False] * 15
    assert tied.limit == pytest.approx(tied.normalised[5:].mean(axis=1).min() / 2)


def test_the_target_is_positive_exactly_for_good_letters(pool: LetterPool) -> None:
    """The sign of the rule w* is the label of every letter."""
    items = pool.items
    assert items.labels is not None
    said = np.sign(items.items @ pool.target)
    np.testing.assert_array_equal(said[said != 0], items.labels[said != 0])
    assert (items.labels == np.where(pool.good, 1.0, -1.0)).all()


def test_a_letter_is_its_scores_and_a_constant_times_the_sharpness(pool: LetterPool) -> None:
    sharp = made(pool.scores, sharpness=2.0)
    np.testing.assert_allclose(sharp.items.items[:, :3], 2.0 * pool.normalised)
    assert (sharp.items.items[:, 3] == 2.0).all()
    np.testing.assert_allclose(sharp.target, pool.target)


def test_a_child_who_writes_well_starts_at_the_target(pool: LetterPool) -> None:
    """No defect: the weight of the target; all of it: zero; half of it: half."""
    well, badly, half = pool.beliefs(np.array([[0.0] * 3, pool.worst, pool.worst / 2]))
    np.testing.assert_allclose(well, pool.target)
    np.testing.assert_allclose(badly, [0.0, 0.0, 0.0, pool.target[3]], atol=1e-12)
    np.testing.assert_allclose(half[:3], pool.target[:3] / 2)


def test_the_same_seed_gives_the_same_pool(pool: LetterPool) -> None:
    np.testing.assert_array_equal(LetterPool.make("f", 200, seed=1).scores, pool.scores)
    assert not np.array_equal(LetterPool.make("f", 200, seed=2).scores, pool.scores)


def test_letters_can_follow_a_teachers_model() -> None:
    own = model_letter("l")
    pool = LetterPool.make("k", 30, model=own)
    assert pool.model is own
    assert {ink.letter for ink in pool.inks} == {"k"}
    np.testing.assert_allclose(pool.scores, score_all(pool.inks, own))


def test_a_small_pool_is_refused() -> None:
    with pytest.raises(ValueError, match=r"`size` must be at least 20, but is 3"):
        LetterPool.make("f", 3)


@pytest.mark.parametrize(
    ("scores", "settings", "complaint"),
    [
        (np.ones((1, 3)), {}, r"at least two letters, with three scores .* shape \(1, 3\)"),
        (np.ones((4, 2)), {}, r"it has 4 letters and scores of shape \(4, 2\)"),
        (np.zeros((4, 3)), {}, r"No letter of the pool has any defect"),
        (np.ones((4, 3)), {}, r"All letters of the pool are equally good"),
        ([[0.1] * 3, [0.2, np.nan, 0.1]], {}, r"at least 0, but letter 1 .* has \[0.2, nan, 0.1\]"),
        (
            [[0.1] * 3, [0.2, -0.1, 0.1]],
            {},
            r"`scores` must be numbers of at least 0, but letter 1",
        ),
        (np.ones((4, 3)), {"best": 1.0}, r"`best` must be a fraction between 0 and 1, but is 1.0"),
        (np.ones((4, 3)), {"sharpness": 0.0}, r"`sharpness` must be positive"),
    ],
)
def test_an_invalid_pool_is_refused(
    scores: np.ndarray, settings: dict[str, float], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        made(scores, **settings)


LEARNER, GOAL = GradientLearner("logistic"), AverageGoal(0.2)


@pytest.fixture(scope="module")
def pool_of_letter_teacher() -> LetterPool:
    return LetterPool.make("f", 300)


@pytest.fixture(scope="module")
def room(pool_of_letter_teacher: LetterPool) -> Classroom:
    scores = np.array([[0.1, 0.5, 0.5], [0.1, 0.6, 0.4], [0.05, 0.55, 0.6]])
    return Classroom(
        pool_of_letter_teacher.beliefs(scores),
        [0.05] * 3,
        pool_of_letter_teacher.target,
        example_radius=6.0,
    )


def test_a_teacher_who_looks_at_all_letters_is_the_pool_teacher(
    pool_of_letter_teacher: LetterPool, room: Classroom
) -> None:
    everything = teach(
        room,
        teacher=LetterTeacher(pool_of_letter_teacher, looks_at=300),
        learner=LEARNER,
        goal=GOAL,
        seed=3,
    )
    usual = teach(
        room, teacher=PoolTeacher(pool_of_letter_teacher.items), learner=LEARNER, goal=GOAL
    )
    np.testing.assert_array_equal(everything.examples.items, usual.examples.items)
    np.testing.assert_array_equal(everything.examples.xs, usual.examples.xs)


def test_letters_are_seldom_repeated(pool_of_letter_teacher: LetterPool, room: Classroom) -> None:
    def different(teacher: LetterTeacher) -> float:
        items = teach(room, teacher=teacher, learner=LEARNER, goal=GOAL).examples.items
        return len(set(items.tolist())) / len(items)

    assert (
        different(LetterTeacher(pool_of_letter_teacher, looks_at=30))
        > different(LetterTeacher(pool_of_letter_teacher, 300)) + 0.1
    )


def test_the_item_is_the_index_of_the_letter_shown(
    pool_of_letter_teacher: LetterPool, room: Classroom
) -> None:
    teacher = LetterTeacher(pool_of_letter_teacher, looks_at=40)
    shown = teach(room, teacher=teacher, learner=LEARNER, goal=GOAL).examples
    assert pool_of_letter_teacher.items.labels is not None
    np.testing.assert_allclose(shown.xs, pool_of_letter_teacher.items.items[shown.items])
    np.testing.assert_allclose(shown.ys, pool_of_letter_teacher.items.labels[shown.items])


def test_individuals_are_shown_letters_of_the_pool(
    pool_of_letter_teacher: LetterPool, room: Classroom
) -> None:
    teacher = LetterTeacher(pool_of_letter_teacher, looks_at=40)
    record = teach(room, teacher=teacher, learner=LEARNER, goal=GOAL, groups=Individuals())
    assert len(record.groups) == 3
    for own in record.groups:
        assert own.errors[-1] <= 0.2
        np.testing.assert_allclose(
            own.examples.xs, pool_of_letter_teacher.items.items[own.examples.items]
        )


def test_where_no_fresh_letter_helps_the_whole_pool_is_looked_at(
    pool_of_letter_teacher: LetterPool,
) -> None:
    """With one letter per round, the lesson would end at the first that does not help."""
    room = Classroom(
        pool_of_letter_teacher.beliefs([[0.1, 0.5, 0.5]]),
        [0.05],
        pool_of_letter_teacher.target,
        example_radius=6.0,
    )
    for groups in ("whole", "individuals"):
        record = teach(
            room,
            teacher=LetterTeacher(pool_of_letter_teacher, looks_at=1),
            learner=LEARNER,
            goal=GOAL,
            groups=groups,
        )
        assert record.stopped_because.name == "GOAL"


@pytest.mark.filterwarnings("ignore:.*will never be shown")
@pytest.mark.parametrize("groups", ["whole", "individuals"])
def test_letters_that_are_too_long_for_the_class_are_not_shown(
    pool_of_letter_teacher: LetterPool, groups: str
) -> None:
    states = pool_of_letter_teacher.beliefs(np.random.default_rng(0).random((5, 3)))
    room = Classroom(states, [0.1] * 5, pool_of_letter_teacher.target, example_radius=4.0)
    for looks_at in (1, 100):
        teacher = LetterTeacher(pool_of_letter_teacher, looks_at)
        record = teach(room, teacher=teacher, learner=LEARNER, max_rounds=30, groups=groups)
        shown = record.groups[0].examples
        assert len(shown.items)
        assert (np.linalg.norm(shown.xs, axis=1) <= 4.0 + 1e-6).all()
        np.testing.assert_array_equal(
            shown.xs, pool_of_letter_teacher.items.items[np.asarray(shown.items)]
        )


def test_looking_at_no_letters_is_refused(pool_of_letter_teacher: LetterPool) -> None:
    with pytest.raises(ValueError, match=r"`looks_at` must be at least 1, but is 0"):
        LetterTeacher(pool_of_letter_teacher, looks_at=0)


def test_a_round_o_has_no_rotation_to_avoid_and_can_be_taught() -> None:
    pool = LetterPool.make("o", 40, model=model_letter("o", "print"))
    assert (pool.normalised[:, 1] <= 1.0).all()
    child = Pupil("child", (), np.array([[0.5, 0.0, 0.5]]))
    assert next_letter(child, pool, seed=0) is not None
