"""The contract of every registered learner and loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom import (
    AttentionLearner,
    Classroom,
    GradientLearner,
    ItemMemoryLearner,
    LangevinLearner,
    MomentumLearner,
    Record,
    StochasticRateLearner,
    _plugins,
    teach,
)
from homeroom._arrays import Array, Floats, to_numpy
from homeroom.classroom import Example
from homeroom.learners import (
    Absolute,
    AbstractLearner,
    AbstractLoss,
    ForgettingLearner,
    Hinge,
    HypothesisLearner,
    Logistic,
    MixedLearner,
    PeopleLearner,
    RidgeLearner,
    Squared,
    Step,
)
from homeroom.testing import check_learner

# Name: the short text, and what it builds.
LEARNERS: dict[str, tuple[str, AbstractLearner]] = {
    "gradient": ("gradient:loss=logistic,classes=2", GradientLearner("logistic", classes=2)),
    "stochastic-rate": (
        "stochastic-rate:sigma=0.05,clip=true",
        StochasticRateLearner(0.05, clip=True),
    ),
    "langevin": ("langevin:beta=10000.0,loss=hinge", LangevinLearner(1e4, loss="hinge")),
    "momentum": ("momentum:momentum=0.4", MomentumLearner(0.4)),
    "attention": ("attention:attention=0.7,lasting=0.5", AttentionLearner(0.7, 0.5)),
    "hypotheses": ("hypotheses:alpha=3.0", HypothesisLearner(3.0)),
    "forgetting": ("forgetting:strength=2.0", ForgettingLearner(strength=2.0)),
    "ridge": ("ridge:loss=logistic,classes=2", RidgeLearner("logistic", classes=2)),
    "people": ("people:margin=1.5", PeopleLearner(margin=1.5)),
    "mixed": ("mixed", MixedLearner()),
    "item-memory": (
        "item-memory:rule=2,seconds=3600.0",
        ItemMemoryLearner(2, seconds=3600.0),
    ),
}
LOSSES: dict[str, tuple[str, AbstractLoss]] = {
    "squared": ("squared", Squared()),
    "absolute": ("absolute", Absolute()),
    "logistic": ("logistic:classes=2", Logistic(classes=2)),
    "hinge": ("hinge:classes=2", Hinge(classes=2)),
}
every_learner = pytest.mark.parametrize("name", _plugins.names("learners"))
every_loss = pytest.mark.parametrize("name", _plugins.names("losses"))


def step(learner: AbstractLearner, room: Classroom) -> Step:
    """Show all students an example; twice if they have a memory, so that it is used."""
    outputs = learner.loss.outputs
    x = np.linspace(0.3, 0.9, room.dimensions // outputs)
    scores = to_numpy(room.target).astype(float).reshape(outputs, -1) @ x
    example = Example(x, float(learner.loss.labels(scores[0] if outputs == 1 else scores)))
    rng, memory = np.random.default_rng(4), learner.begin(room)
    taken = Step(room.states, room.rates, memory)
    for _ in range(2 if memory is not None else 1):
        taken = learner.step(taken.states, room.rates, taken.memory, example, rng)
    return taken


def test_every_registered_learner_and_loss_is_checked() -> None:
    assert set(LEARNERS) == set(_plugins.names("learners"))
    assert set(LOSSES) == set(_plugins.names("losses"))


@every_learner
def test_it_passes_the_public_check(name: str, room: Classroom) -> None:
    check_learner(LEARNERS[name][1], room=room)
    if name == "gradient":
        check_learner(GradientLearner(), room=room)


@pytest.mark.parametrize(
    "learner", [StochasticRateLearner(0.05), LangevinLearner(1e3)], ids=["rates", "drift"]
)
def test_the_declared_noise_is_that_of_the_steps(learner: AbstractLearner) -> None:
    assert learner.noise is not None
    check_learner(learner)


@every_learner
def test_other_array_libraries_give_the_same_students(
    name: str, room: Classroom, library: Any, move: Callable[..., Classroom]
) -> None:
    """Within 1e-12 of NumPy's."""
    learner = LEARNERS[name][1]
    there, here = step(learner, move(room, library)), step(learner, room)
    np.testing.assert_allclose(to_numpy(there.states), here.states, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(to_numpy(there.rates), here.rates, rtol=1e-12)
    assert there.states.dtype == library.float64


@every_learner
def test_single_precision_stays_single(
    name: str, room: Classroom, move: Callable[..., Classroom]
) -> None:
    """Within 1e-5 of double precision."""
    single = step(LEARNERS[name][1], move(room, dtype="float32"))
    assert single.states.dtype == np.float32
    np.testing.assert_allclose(single.states, step(LEARNERS[name][1], room).states, atol=1e-5)


@every_learner
def test_its_record_survives_saving(
    name: str, room: Classroom, same_after_saving: Callable[[Record], None]
) -> None:
    same_after_saving(teach(room, learner=LEARNERS[name][1], max_rounds=3))


@pytest.mark.parametrize(
    ("kind", "name"),
    [("learners", name) for name in LEARNERS] + [("losses", name) for name in LOSSES],
)
def test_it_is_described_by_its_name_and_built_from_its_text(kind: str, name: str) -> None:
    text, thing = LEARNERS[name] if kind == "learners" else LOSSES[name]
    assert _plugins.describe(thing)["name"] == name
    assert _plugins.make(kind, text) == thing


@every_loss
def test_slopes_are_the_same_in_other_libraries_and_precisions(name: str, library: Any) -> None:
    """Within 1e-12 of NumPy's; in single precision within 1e-5."""
    loss, rng = LOSSES[name][1], np.random.default_rng(6)
    scores = rng.standard_normal((5, 3) if loss.outputs == 1 else (5, 3, loss.outputs))
    before, labels = scores.copy(), np.asarray(loss.labels(rng.standard_normal(scores.shape[1:])))
    expected = loss.slopes(scores, labels)
    np.testing.assert_array_equal(scores, before)

    def there(values: Floats, dtype: str) -> Array:
        return library.asarray(np.array(values), dtype=getattr(library, dtype))

    for dtype, close in (("float64", 1e-12), ("float32", 1e-5)):
        slopes = loss.slopes(there(scores, dtype), there(labels, dtype))
        assert slopes.dtype == getattr(library, dtype)
        np.testing.assert_allclose(to_numpy(slopes), expected, atol=close)
