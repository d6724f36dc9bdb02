"""Group numbers."""

from typing import Any

import numpy as np
import pytest

from homeroom.groups.base import numbered


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([7, 7, -1, 3], [2, 2, 0, 1]),
        (["b", "a", "b"], [1, 0, 1]),
        ([0.5], [0]),
        ([True, False], [1, 0]),
    ],
)
def test_labels_of_any_kind_become_numbers_without_gaps(labels: Any, expected: Any) -> None:
    found = numbered(np.asarray(labels))
    assert found.tolist() == expected
    assert found.dtype == np.int64
