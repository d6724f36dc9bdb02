"""What the teacher observes of a class before choosing an example."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom.classroom import Example
from homeroom.learners import AbstractLoss
from homeroom.moments.moments import AbstractMoments, Moments, moments_of
from homeroom.moments.sketch import Sketch


@dataclass(frozen=True, eq=False)
class ItemOutlook:
    """What an observer that asks expects of each item: two functions that compute it when needed.

    Parameters
    ----------
    right
        Returns each student's chance of a right answer to some items, shape ``(students, items)``.
    helps
        Returns how much showing each of some items would help the class, shape ``(items,)``.
    """

    right: Callable[[Ints], Floats]
    helps: Callable[[Ints], Floats]


@dataclass(frozen=True, eq=False)
class Observation:
    """What the teacher observes before a round: the truth, or what an observer makes of it.

    It is valid for that round only: the arrays may be the engine's own.

    Parameters
    ----------
    target
        The target, shape ``(dimensions,)``.
    example_radius, state_radius
        The radii of the ball of examples and of the ball of states.
    loss
        The students' loss.
    gaps
        The observed gap of each student, shape ``(students, dimensions)``.
    rates
        The observed rate of each student, shape ``(students,)``.
    squared_rates
        The mean square of each student's rate, if it is not the square of the mean.
    gentle
        The best squared magnitude for the fastest student; ``1 / max rate`` unless given.
    noise
        Noise that is added to the class's moment matrix.
    ready
        Returns the moments, if the engine keeps them up to date.
    sketch
        Returns the class's sketch, if there is one instead of students.
    shown
        The numbers of the items that the class was shown so far, in order.
    outlook
        What is expected of each item that can be asked, by an observer that asks.
    notes
        Counts for the record, by name.
    memory
        The observer's memory from now on, if observing changed it.
    """

    target: Floats
    example_radius: float
    state_radius: float
    loss: AbstractLoss
    gaps: Array
    rates: Array
    squared_rates: Array | None = None
    gentle: float | None = None
    noise: Floats | None = None
    ready: Callable[[], AbstractMoments] | None = field(default=None, repr=False)
    sketch: Callable[[], Sketch] | None = field(default=None, repr=False)
    shown: Sequence[int] = ()
    outlook: ItemOutlook | None = field(default=None, repr=False)
    notes: Mapping[str, int] = field(default_factory=dict)
    memory: Any = field(default=None, repr=False)

    @cached_property
    def moments(self) -> AbstractMoments:
        """The effect of any example on the class, as observed."""
        kept = None if self.ready is None else self.ready()
        if kept is not None and self.noise is None:
            return kept
        if isinstance(kept, Moments):
            return replace(kept, noise=self.noise)
        return moments_of(
            self.gaps, self.rates, self.squared_rates, gentle=self.gentle, noise=self.noise
        )

    @property
    def gentle_g(self) -> float:
        """The best squared magnitude for the fastest student, within the ball."""
        gentle = self.gentle
        if gentle is None:
            gentle = 1.0 / float(_arrays.namespace(self.rates).max(self.rates))
        return min(gentle, self.example_radius**2)

    @property
    def width(self) -> int:
        """How many numbers an example has."""
        return len(self.target) // self.loss.outputs

    @property
    def states(self) -> Array:
        """The observed states, shape ``(students, dimensions)``."""
        return self.gaps + _arrays.beside(self.target, self.gaps)

    @property
    def mean_gap(self) -> Floats:
        """The mean of the observed gaps."""
        return _arrays.small(_arrays.namespace(self.gaps).mean(self.gaps, axis=0))

    def labels(self, xs: Floats) -> Floats:
        """Return the target's own answers to examples, shape ``(..., width)``."""
        if self.loss.outputs == 1:
            return self.loss.labels(xs @ self.target)
        return self.loss.labels(xs @ self.target.reshape(self.loss.outputs, -1).T)

    def example(self, x: Floats, *, item: int | None = None, label: float | None = None) -> Example:
        """Return the example with the target's own answer, unless another label is given."""
        return Example(x, float(self.labels(x)) if label is None else label, item)

    def seen_with(self, **changes: object) -> Observation:
        """Return the observation with some fields replaced, and without the engine's moments."""
        if not set(changes) <= {"noise"}:
            changes.setdefault("ready", None)
            changes.setdefault("sketch", None)
        return replace(self, **changes)  # type: ignore[arg-type]  # names are checked by replace
