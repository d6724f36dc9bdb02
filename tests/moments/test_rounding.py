import numpy as np
import pytest

from homeroom.moments.rounding import UNIT, Rounding


def test_what_is_added_is_there() -> None:
    rounding = Rounding(np.array([0.1, 0.5]), 4)
    assert rounding.error == 0.0
    rounding.show(np.array([1.0, 0.0, 0.0, 0.0]), 3.0 * UNIT)
    assert rounding.error == pytest.approx(3.0 * UNIT)


def test_gentle_examples_make_it_shrink() -> None:
    """As they do with everybody's gap: by (1 - eta)^2 along the example."""
    rounding, x = Rounding(np.array([0.5]), 1), np.array([1.0])
    rounding.show(x, UNIT)
    for _ in range(10):
        rounding.show(x, 0.0)
    assert rounding.error == pytest.approx(UNIT * 0.25**10)


def test_examples_too_long_for_the_fastest_make_it_grow() -> None:
    rounding, x = Rounding(np.array([0.1, 5.0]), 1), np.array([1.0])
    rounding.show(x, UNIT)
    for _ in range(10):
        rounding.show(x, 0.0)
    assert rounding.error == pytest.approx(UNIT * 16.0**10)
