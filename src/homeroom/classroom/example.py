"""One example, as it is shown to a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from homeroom._arrays import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """One question with its right answer: a feature vector and its label.

    Parameters
    ----------
    x
        The feature vector, shape ``(dimensions,)``.
    y
        The label: a number, -1 or +1, or a class 1, 2, ...; for a class of students with several
        outputs one number per output, shape ``(outputs,)``.
    item
        Which item of the teacher's pool this is, counted from 0; ``None`` if it was made up.

    Examples
    --------
    >>> import numpy as np
    >>> example = Example(np.array([3.0, 4.0]), y=1.0)
    >>> example.magnitude
    5.0
    >>> example.direction
    array([0.6, 0.8])
    """

    x: Floats
    y: Any  # a float, or an array of several outputs
    item: int | None = None

    @property
    def magnitude(self) -> float:
        """How long the feature vector is."""
        return float(np.sqrt(self.x @ self.x))

    @property
    def direction(self) -> Floats:
        """Which way it points, as a unit vector."""
        direction: Floats = self.x / self.magnitude
        return direction
