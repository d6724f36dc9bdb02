"""What the teacher observes of a class before choosing."""

import math
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

from homeroom import Classroom, Example, Observation, RandomTeacher
from homeroom._arrays import to_numpy
from homeroom._checks import InputError
from homeroom.learners import AbstractLoss, Hinge, Logistic, Squared
from homeroom.moments import FewStudents, Moments, moments_of, sketch_of


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


@pytest.mark.parametrize("xp", [np, strict])
def test_states_and_the_mean_gap_follow_from_the_gaps(xp: Any) -> None:
    observation = seen(xp=xp)
    gaps = to_numpy(observation.gaps)
    np.testing.assert_allclose(to_numpy(observation.states), gaps + observation.target)
    np.testing.assert_allclose(observation.mean_gap, gaps.mean(axis=0))


def test_moments_are_built_once() -> None:
    observation = seen()
    assert observation.moments is observation.moments
    expected = moments_of(observation.gaps, observation.rates).weigh(1.0)
    np.testing.assert_array_equal(observation.moments.weigh(1.0), expected)


def test_moments_that_are_kept_are_taken() -> None:
    kept = moments_of(np.eye(6), np.ones(6), few=0)
    assert seen(ready=lambda: kept).moments is kept


@pytest.mark.parametrize("few", [0, 100])
def test_noise_comes_on_top_of_whatever_is_kept(few: int) -> None:
    observation = seen()
    kept = moments_of(observation.gaps, observation.rates, few=few)
    assert isinstance(kept, FewStudents if few else Moments)
    noisy = seen(ready=lambda: kept).seen_with(noise=np.eye(6))
    np.testing.assert_allclose(noisy.moments.weigh(1.0), kept.weigh(1.0) + np.eye(6), atol=1e-14)


def test_moments_kept_for_other_students_no_longer_count() -> None:
    kept = moments_of(np.eye(6), np.ones(6), few=0)
    changed = seen(ready=lambda: kept).seen_with(rates=np.full(5, 0.1))
    expected = moments_of(changed.gaps, changed.rates).weigh(1.0)
    np.testing.assert_allclose(changed.moments.weigh(1.0), expected)


def test_what_does_not_exist_cannot_be_changed() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'mood'"):
        seen().seen_with(mood="good")


def test_the_gentle_magnitude_is_that_of_the_fastest_within_the_ball() -> None:
    """g = min(1 / max eta, D_X^2), unless it is given."""
    assert seen(rates=np.array([0.5, 0.1])).gentle_g == 2.0
    assert seen(rates=np.array([0.5]), example_radius=1.2).gentle_g == pytest.approx(1.44)
    assert seen(gentle=0.3).gentle_g == 0.3


def test_labels_are_the_targets_own_answers() -> None:
    xs = np.eye(6)[:3]
    assert seen().labels(xs).tolist() == [1.0, 2.0, 3.0]
    assert seen(Hinge()).labels(-xs).tolist() == [-1.0, -1.0, -1.0]
    three = seen(Logistic(classes=3))
    assert three.width == 2
    # the target's vectors are (1, 2), (3, 0) and (0, 9)
    assert three.labels(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])).tolist() == [
        2.0,
        3.0,
        1.0,
    ]
    assert three.labels(np.array([1.0, 0.0])) == 2.0


def test_an_example_has_the_targets_answer_unless_another_is_given() -> None:
    x = np.array([2.0, 0, 0, 0, 0, 0])
    assert seen().example(x).y == 2.0
    assert seen().example(x, item=4).item == 4
    assert seen().example(x, label=-7.0).y == -7.0


def test_a_sketch_is_good_only_for_the_class_it_is_of() -> None:
    """A change to the observed students removes the sketch of the original ones."""
    room = Classroom.sample(students=5, dimensions=6)
    of_sketch = seen(sketch=lambda: sketch_of(room))
    assert of_sketch.seen_with(noise=np.eye(6)).sketch is of_sketch.sketch
    assert of_sketch.seen_with(rates=2.0 * of_sketch.rates).sketch is None


@pytest.mark.parametrize("kind", [np.uint8, np.float64])
def test_an_example_of_small_integers_must_be_in_the_ball(kind: type) -> None:
    """In 8 bits, the square of 16 is 0."""
    long = seen().example(np.array([16, 0, 0, 0, 0, 0], dtype=kind))
    with pytest.raises(InputError, match="its length is 16"):
        seen().check_example(long, RandomTeacher(), "choose")


@pytest.mark.parametrize("y", [None, "a", 1j, np.zeros(1)])
def test_the_label_of_an_example_must_be_a_number(y: Any) -> None:
    example = Example(np.zeros(6), y)
    with pytest.raises(InputError, match="choose must return a number as label, but y is"):
        seen().check_example(example, RandomTeacher(), "choose")
