"""One example, as it is shown to a class."""

import numpy as np
import pytest

from homeroom import Example


def test_an_example_is_its_magnitude_times_its_direction() -> None:
    """x = gamma u with |u| = 1."""
    example = Example(np.array([1.0, -2.0, 2.0]), y=0.5)
    assert example.magnitude == 3.0
    np.testing.assert_allclose(example.magnitude * example.direction, example.x)
    assert np.linalg.norm(example.direction) == pytest.approx(1.0)


def test_a_synthesised_example_has_no_item() -> None:
    assert Example(np.ones(1), 1.0).item is None
    assert Example(np.ones(1), 1.0, item=7).item == 7


def test_an_example_is_immutable() -> None:
    with pytest.raises(AttributeError, match="cannot assign"):
        Example(np.ones(1), 1.0).y = 2.0  # type: ignore[misc]
