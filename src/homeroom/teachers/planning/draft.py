"""A lesson on paper."""

from __future__ import annotations

from dataclasses import dataclass

from homeroom._arrays import Floats


@dataclass(frozen=True, eq=False)
class Draft:
    """A lesson on paper.

    Parameters
    ----------
    xs
        Its examples, shape ``(rounds, dimensions)``.
    score
        What it leaves, as the number that the goal is on.
    reached
        Whether that is the goal.
    """

    xs: Floats
    score: float
    reached: bool

    @property
    def rank(self) -> tuple[bool, int, float]:
        """What makes a lesson better than another: the goal, few rounds, then what it leaves."""
        return (not self.reached, len(self.xs) if self.reached else 0, self.score)
