"""A pool of letters: normalised scores, good and bad, and the rule behind them."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting.letter_pool import LetterPool
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores import score_all
from homeroom.handwriting.writers import written


@pytest.fixture(scope="module")
def pool() -> LetterPool:
    return LetterPool.make("f", 200, seed=1)


def made(scores: np.ndarray, **settings: float) -> LetterPool:
    model = model_letter("f")
    return LetterPool((model,) * len(scores), scores, model, **settings)


def test_a_pool_is_what_the_generator_wrote_and_what_it_scores(pool: LetterPool) -> None:
    inks = written("f", 200, 1)
    assert len(pool) == 200
    np.testing.assert_array_equal(pool.inks[7].points, inks[7].points)
    np.testing.assert_allclose(pool.scores, score_all(inks, model_letter("f")))


def test_normalised_scores_reach_from_the_model_to_the_worst(pool: LetterPool) -> None:
    """Zero is as in the model, one is as bad as the worst twentieth of the pool."""
    assert pool.normalise([0.0, 0.0, 0.0]).tolist() == [0.0, 0.0, 0.0]
    np.testing.assert_allclose(pool.normalise(pool.worst), 1.0)
    assert (pool.normalise(pool.worst * 1.2) == 1.0).all()
    assert (pool.normalised == 1.0).mean(axis=0) == pytest.approx(0.05, abs=0.011)


def test_the_best_tenth_is_good(pool: LetterPool) -> None:
    averages = pool.normalised.mean(axis=1)
    assert pool.good.sum() == 20
    assert averages[pool.good].max() < averages[~pool.good].min()
    assert made(pool.scores, best=0.5).good.sum() == 100


def test_the_target_says_good_of_good_letters_and_of_no_other(pool: LetterPool) -> None:
    """w* is the rule behind the label: its sign is the label of every letter."""
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


def test_a_child_who_writes_well_believes_what_the_target_says(pool: LetterPool) -> None:
    """No defect: the target; all of a defect: it counts for nothing; half of it: half."""
    well, badly, half = pool.beliefs(np.array([[0.0] * 3, pool.worst, pool.worst / 2]))
    np.testing.assert_allclose(well, pool.target)
    np.testing.assert_allclose(badly, [0.0, 0.0, 0.0, pool.target[3]], atol=1e-12)
    np.testing.assert_allclose(half[:3], pool.target[:3] / 2)


def test_the_same_seed_gives_the_same_pool(pool: LetterPool) -> None:
    np.testing.assert_array_equal(LetterPool.make("f", 200, seed=1).scores, pool.scores)
    assert not np.array_equal(LetterPool.make("f", 200, seed=2).scores, pool.scores)


def test_letters_can_be_like_a_teachers_own() -> None:
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
        (np.ones((1, 3)), {}, r"two letters at least, and three scores .* shape \(1, 3\)"),
        (np.ones((4, 2)), {}, r"it has 4 letters and scores of shape \(4, 2\)"),
        (np.ones((4, 3)) * [1, 0, 1], {}, r"No letter of the pool has any rotation"),
        (np.ones((4, 3)), {"best": 1.0}, r"`best` must be a share between 0 and 1, but is 1.0"),
        (np.ones((4, 3)), {"sharpness": 0.0}, r"`sharpness` must be positive"),
    ],
)
def test_what_is_no_pool_is_refused(
    scores: np.ndarray, settings: dict[str, float], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        made(scores, **settings)
