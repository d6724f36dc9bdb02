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

    def is_answered_by(self, target: Floats) -> bool:
        """Return whether the label is this target's own answer, up to rounding.

        ``target`` has one vector, or the vectors of all outputs one after the other.
        """
        if len(target) == len(self.x):
            right = float(target @ self.x)
            return bool(abs(self.y - right) <= 1e-9 * (1.0 + abs(right)))
        answers = answers_of(target, self.x)
        return bool((np.abs(self.y - answers) <= 1e-9 * (1.0 + np.abs(answers))).all())


def answers_of(target: Floats, xs: Floats) -> Floats:
    """Return a target's scores for examples: a number each, or one per output.

    >>> answers_of(np.array([1.0, 2.0, 3.0, 4.0]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    array([[1., 3.],
           [2., 4.]])
    """
    width = xs.shape[-1]
    return xs @ (target if len(target) == width else target.reshape(-1, width).T)
