"""What the teacher observes of a class before choosing."""

import math
from typing import Any

import numpy as np
import pytest

from homeroom import Example, Observation, RandomTeacher
from homeroom.learners import AbstractLoss, Hinge, Logistic, Squared
from homeroom.moments import FewStudents, Moments, moments_of
from tests.bad_input import refuse


def seen(loss: AbstractLoss = Squared(), xp: Any = np, **more: Any) -> Observation:
    rng = np.random.default_rng(0)
    parts: dict[str, Any] = {
        "target": np.array([1.0, 2.0, 3.0, 0.0, 0.0, 9.0]),
        "example_radius": 2.0,
        "state_radius": math.inf,
        "loss": loss,
        "gaps": xp.asarray(rng.standard_normal((5, 6))),
        "rates": xp.asarray(0.3 + rng.random(5)),
    }
    return Observation(**(parts | more))


@pytest.mark.parametrize("few", [0, 100])
def test_noise_comes_on_top_of_whatever_is_kept(few: int) -> None:
    observation = seen()
    kept = moments_of(observation.gaps, observation.rates, few=few)
    assert isinstance(kept, FewStudents if few else Moments)
    noisy = seen(kept=kept).seen_with(noise=np.eye(6))
    np.testing.assert_allclose(noisy.moments.weigh(1.0), kept.weigh(1.0) + np.eye(6), atol=1e-14)


def test_labels_are_the_targets_own_answers() -> None:
    xs = np.eye(6)[:3]
    assert seen().labels(xs).tolist() == [1.0, 2.0, 3.0]
    assert seen(Hinge()).labels(-xs).tolist() == [-1.0, -1.0, -1.0]
    three = seen(Logistic(classes=3), outputs=3)
    assert three.width == 2
    # the target's vectors are (1, 2), (3, 0) and (0, 9)
    assert three.labels(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])).tolist() == [
        2.0,
        3.0,
        1.0,
    ]
    assert three.labels(np.array([1.0, 0.0])) == 2.0


@pytest.mark.parametrize("kind", [np.uint8, np.float64])
def test_an_example_of_small_integers_must_be_in_the_ball(kind: type) -> None:
    """In 8 bits, the square of 16 is 0."""
    long = seen().example(np.array([16, 0, 0, 0, 0, 0], dtype=kind))
    refuse(lambda: seen().check_example(long, RandomTeacher()), "example_radius", "16")


@pytest.mark.parametrize("y", [None, "a", 1j, np.zeros(1)])
def test_the_label_of_an_example_must_be_a_number(y: Any) -> None:
    example = Example(np.zeros(6), y)
    refuse(lambda: seen().check_example(example, RandomTeacher()), "number")
