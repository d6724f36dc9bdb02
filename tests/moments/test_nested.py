import numpy as np
import pytest

from homeroom import Classroom
from homeroom.learners import SILENCE, Noise
from homeroom.moments import sketch_of
from homeroom.moments.nested import NestedSketch

XS = 0.5 * np.random.default_rng(1).standard_normal((12, 5))


@pytest.fixture(scope="module")
def room() -> Classroom:
    return Classroom.sample(students=400, dimensions=5, rates=(0.1, 2.0))


@pytest.mark.parametrize("noise", [SILENCE, Noise(rate_variance=0.04), Noise(heat=0.3)])
def test_both_are_taught_as_each_would_be(room: Classroom, noise: Noise) -> None:
    fine = sketch_of(room)
    coarse, nested = fine.coarse(), NestedSketch(fine)
    for x in XS:
        nested.show(x, noise)
        fine, coarse = fine.after(x, noise), coarse.after(x, noise)
    assert nested.error == pytest.approx(fine.error, rel=1e-12)
    assert nested.missed == pytest.approx(abs(fine.error - coarse.error), abs=1e-12)
    np.testing.assert_allclose(nested.fine.matrices, fine.matrices, atol=1e-12)
    np.testing.assert_allclose(nested.moments.weigh(0.4), fine.moments.weigh(0.4), atol=1e-12)


def test_the_sketch_it_began_with_stays_as_it_was(room: Classroom) -> None:
    sketch = sketch_of(room)
    before = sketch.matrices.copy()
    NestedSketch(sketch).show(XS[0])
    np.testing.assert_array_equal(sketch.matrices, before)


def test_an_exact_sketch_needs_no_twin() -> None:
    rng = np.random.default_rng(0)
    few = Classroom(rng.standard_normal((90, 5)), rng.choice([0.1, 0.4], 90), np.zeros(5))
    nested = NestedSketch(sketch_of(few))
    nested.show(XS[0])
    assert nested.count == 2
    assert nested.missed == 0.0
