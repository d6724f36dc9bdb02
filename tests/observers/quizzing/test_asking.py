"""Which items tell most."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from homeroom._arrays import Floats
from homeroom.observers.quizzing import asking
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.asking import choose_items, entropy, information
from homeroom.observers.quizzing.bank import Belief


def by_integration(mean: float, variance: float, model: AnswerModel) -> float:
    """Return the mutual information of a score and an answer to it, in nats."""
    scores = mean + np.sqrt(variance) * np.linspace(-8, 8, 4001)
    weight = norm.pdf(scores, mean, np.sqrt(variance))
    weight /= weight.sum()
    yes = model.yes(scores)
    return float(entropy(np.array(weight @ yes)) - weight @ entropy(yes))


@pytest.mark.parametrize(
    "model", [AnswerModel(0.25), AnswerModel(0.5, 0.1, 0.1), AnswerModel(0.25, 0.25, 0.02)]
)
@pytest.mark.parametrize(("mean", "variance"), [(0.0, 1.0), (0.5, 0.3), (1.0, 0.05), (-0.6, 2.0)])
def test_information_is_mutual_information(
    mean: float, variance: float, model: AnswerModel
) -> None:
    """Within .05 nats of an integral: what counts is which item tells most."""
    belief = Belief(np.array([[mean, 0.0]]), np.array([[[variance, 0.0], [0.0, 1.0]]]))
    found = information(belief, np.array([[1.0, 0.0]]), model)[0, 0]
    assert found == pytest.approx(by_integration(mean, variance, model), abs=0.05)


def fan(count: int) -> Floats:
    angles = np.linspace(0.0, np.pi, count, endpoint=False)
    return np.column_stack([np.cos(angles), np.sin(angles)])


def ask(count: int, belief: Belief, xs: Floats, seed: int = 0) -> list[int]:
    chosen = choose_items(
        belief,
        np.ones(len(belief.means)),
        xs,
        AnswerModel(0.25),
        count=count,
        asked=np.zeros(len(xs), dtype=np.int64),
        rng=np.random.default_rng(seed),
    )
    return [int(item) for item in chosen]


def test_what_is_least_known_is_asked_first() -> None:
    belief = Belief(np.zeros((3, 2)), np.tile(np.diag([0.01, 1.0]), (3, 1, 1)))
    assert ask(1, belief, fan(12)) == [6]  # straight along the second axis


def test_the_next_item_does_not_ask_the_same_again() -> None:
    belief = Belief(np.zeros((3, 2)), np.tile(np.diag([0.6, 0.7]), (3, 1, 1)))
    first, second = fan(12)[ask(2, belief, fan(12))]
    assert abs(first @ second) < 0.5


def test_every_third_item_is_random() -> None:
    belief = Belief(np.zeros((3, 2)), np.tile(np.diag([0.01, 1.0]), (3, 1, 1)))
    several = np.array([ask(6, belief, fan(60), seed) for seed in range(20)])
    assert (several[:, :2] == several[0, :2]).all()
    assert len(set(several[:, 2])) > 10
    assert len(set(several[:, 5])) > 10


def test_no_item_comes_again_before_all_were_asked() -> None:
    belief = Belief(np.zeros((3, 2)), np.tile(np.eye(2), (3, 1, 1)))
    assert sorted(ask(24, belief, fan(12))) == sorted(2 * list(range(12)))


def test_of_very_many_items_some_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def counted(belief: Belief, xs: Floats, model: AnswerModel) -> Floats:
        seen.append(len(xs))
        return information(belief, xs, model)

    monkeypatch.setattr(asking, "information", counted)
    belief = Belief(np.zeros((3, 2)), np.tile(np.eye(2), (3, 1, 1)))
    ask(2, belief, fan(1000))
    assert seen == [asking.CANDIDATES] * 2


def test_clickers_have_no_say() -> None:
    covariances = np.stack([np.diag([1.0, 0.001]), np.diag([0.001, 1.0])])
    belief = Belief(np.zeros((2, 2)), covariances)
    for honesty, item in ((np.array([1.0, 0.0]), 0), (np.array([0.0, 1.0]), 6)):
        chosen = choose_items(
            belief,
            honesty,
            fan(12),
            AnswerModel(0.25),
            count=1,
            asked=np.zeros(12, dtype=np.int64),
            rng=np.random.default_rng(0),
        )
        assert chosen.tolist() == [item]
