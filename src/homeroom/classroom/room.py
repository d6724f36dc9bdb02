"""The class (its students, their learning rates, the target), and an example for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from homeroom import _arrays, _checks, _notebook
from homeroom._arrays import Array, Floats
from homeroom._checks import InputTypeError, counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
        The number of the item in the teacher's pool, from 0; ``None`` for a synthesised example.

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

    def __post_init__(self) -> None:
        x: Any = self.x  # of a plug-in, perhaps no array
        if isinstance(x, np.ndarray) and x.dtype != np.float64 and x.dtype.kind in "fiu":
            object.__setattr__(self, "x", x.astype(np.float64))  # x @ x overflows in 8 or 16 bits

    @property
    def magnitude(self) -> float:
        """The length of the feature vector."""
        return float(np.sqrt(self.x @ self.x))

    @property
    def direction(self) -> Floats:
        """The direction of the feature vector, as a unit vector."""
        direction: Floats = self.x / self.magnitude
        return direction


MOST_DRAWN = 5000
"""The most students in the picture of a class."""


@dataclass(frozen=True, eq=False, repr=False)
class Classroom:
    """A class of students who each hold a state, learn at a rate, and share one target.

    Everything is checked once, here; after that it never changes.

    Parameters
    ----------
    states
        What each student believes now, shape ``(students, dimensions)``. Where a question has
        several numbers as its answer, one vector per output: ``(students, outputs, dimensions)``.
    rates
        How strongly each student reacts to an example, shape ``(students,)``, positive.
    target
        The state that all students are to reach, shape ``(dimensions,)`` or
        ``(outputs, dimensions)``.
    state_radius
        States stay in the ball of this radius around zero (the paper's D_W).
    example_radius
        No example is longer than this (the paper's D_X).
    names
        A name for each student, for tables and files.

    Notes
    -----
    Arrays of NumPy and torch are kept where they are, in float32 or float64; other libraries that
    follow the array API standard should work too. Lists become NumPy float64. The class holds the
    arrays it is given, not copies of them.

    Examples
    --------
    >>> room = Classroom(states=[[1.0, 0.0], [0.0, 2.0]], rates=[0.5, 0.25], target=[0.0, 0.0])
    >>> room.students, room.dimensions
    (2, 2)
    >>> room.error
    2.5
    >>> three = Classroom(np.zeros((2, 3, 4)), rates=[0.5, 0.25], target=np.ones((3, 4)))
    >>> three
    Classroom(2 students, 3 outputs, 4 dimensions, rates 0.25 to 0.5)
    >>> three.error
    12.0
    """

    states: Array
    rates: Array
    target: Array
    _: KW_ONLY
    state_radius: float = math.inf
    example_radius: float = 2.0
    names: Sequence[str] | None = None
    outputs: int = field(init=False, default=1)
    """How many vectors a state has, one for each number of an answer."""

    def __post_init__(self) -> None:
        states = _checks.states(self.states, self.target)
        students, *outputs, dimensions = states.shape
        rates = _checks.vector(self.rates, "rates", like=states, length=students, each="student")
        target = _checks.vector(
            self.target,
            "target",
            like=states,
            length=dimensions,
            each="dimension",
            outputs=outputs[0] if outputs else None,
        )
        _checks.rates(rates)
        state_radius = _checks.radius(self.state_radius, "state_radius", may_be_infinite=True)
        rows, aim = _arrays.flat(states), _as_vector(target)
        _checks.distances(rows, aim)
        _checks.inside(rows, aim, state_radius)
        self.__dict__.update(
            states=_arrays.freeze(states),
            rates=_arrays.freeze(rates),
            target=_arrays.freeze(target),
            state_radius=state_radius,
            example_radius=_checks.radius(self.example_radius, "example_radius"),
            names=_checks.names(self.names, students),
            outputs=outputs[0] if outputs else 1,
        )

    @property
    def students(self) -> int:
        """How many students there are."""
        return int(self.states.shape[0])

    @property
    def dimensions(self) -> int:
        """How many numbers a state has; with several outputs, for each of them."""
        numbers = int(self.states.shape[-1])
        return numbers if self.states.ndim == 3 else numbers // self.outputs

    @property
    def flat(self) -> Classroom:
        """The same class with each state as one row, ``(students, outputs * dimensions)``.

        Observers, groupings, teachers and learners get the class in this form.
        """
        if self.states.ndim == 2:
            return self
        room = self.with_states(_arrays.freeze(_arrays.flat(self.states)))
        room.__dict__["target"] = _arrays.freeze(_as_vector(self.target))
        return room

    @property
    def gaps(self) -> Array:
        """How far each student is from the target, ``states - target``."""
        return self.states - self.target

    @property
    def squared_distances(self) -> Array:
        """The squared distance of each student to the target, shape ``(students,)``."""
        return _arrays.sum_squares(_arrays.flat(self.gaps))

    @property
    def error(self) -> float:
        """The class's mean squared distance to the target (Eq. 2 of the paper)."""
        squared = self.squared_distances
        return float(_arrays.namespace(squared).mean(squared))

    def subset(self, students: npt.ArrayLike) -> Classroom:
        """Return the class of only these students, in this order (indices from 0)."""
        rows = _checks.check_students(students, self.students)
        return self._like(
            _arrays.freeze(_arrays.take_rows(self.states, rows)),
            rates=_arrays.freeze(_arrays.take_rows(self.rates, rows)),
            names=None if self.names is None else tuple(self.names[row] for row in rows),
        )

    def with_states(self, states: Array) -> Classroom:
        """Return the same students with new states, unchecked: for results of a lesson."""
        return self._like(states, rates=self.rates, names=self.names)

    def _like(self, states: Array, *, rates: Array, names: Sequence[str] | None) -> Classroom:
        """Return a class with other students, unchecked, and all else the same."""
        room = object.__new__(Classroom)
        room.__dict__.update(self.__dict__, states=states, rates=rates, names=names)
        return room

    @classmethod
    def sample(
        cls,
        students: int = 300,
        dimensions: int = 25,
        rates: tuple[float, float] = (0.05, 0.25),
        seed: int | np.random.Generator = 0,
        *,
        spread: float = 1.0,
        clusters: int = 0,
        cluster_distance: float = 3.0,
        state_radius: float = math.inf,
        example_radius: float = 2.0,
        outputs: int = 1,
    ) -> Classroom:
        """Draw a class like the paper's: random rates, a unit target, scattered states.

        Parameters
        ----------
        students, dimensions
            The size of the class.
        rates
            Rates are uniform between these two.
        seed
            A seed or a generator; drawn from it in this order: rates, target, states.
        spread
            Standard deviation of each coordinate of a state.
        clusters
            If positive, students are split evenly over this many clusters, centred on the first
            axes at ``cluster_distance`` from zero (section 6.1, diverse prior knowledge).
        cluster_distance
            How far the cluster centres are from zero.
        state_radius, example_radius
            As for the class. States drawn outside the ball are moved to its surface.
        outputs
            If more than one, states and target have a vector for each output. Clusters differ in
            the first one.

        Examples
        --------
        >>> Classroom.sample(students=10, dimensions=3, seed=1)
        Classroom(10 students, 3 dimensions, rates 0.0555 to 0.24)
        >>> Classroom.sample(students=10, dimensions=3, seed=1, outputs=2).states.shape
        (10, 2, 3)
        """
        _checks.whole(students, "students", at_least=1)
        _checks.whole(dimensions, "dimensions", at_least=1)
        _checks.whole(clusters, "clusters", at_least=0, at_most=dimensions)
        _checks.whole(outputs, "outputs", at_least=1)
        _checks.not_negative(spread, "spread", example="1.0")
        _checks.not_negative(cluster_distance, "cluster_distance", example="3.0")
        rng = np.random.default_rng(seed)
        low, high = _checks.interval(rates, "rates")
        state_radius = _checks.radius(state_radius, "state_radius", may_be_infinite=True)
        drawn = low + (high - low) * rng.random(students)
        shape = (dimensions,) if outputs == 1 else (outputs, dimensions)
        target = rng.standard_normal(outputs * dimensions)
        target /= np.sqrt(target @ target)
        target *= min(1.0, state_radius)
        states = spread * rng.standard_normal((students, outputs * dimensions))
        if clusters:
            centre_of = np.arange(students) * clusters // students
            states[np.arange(students), centre_of] += cluster_distance
        return cls(
            project(states, state_radius).reshape(students, *shape),
            drawn,
            target.reshape(shape),
            state_radius=state_radius,
            example_radius=example_radius,
        )

    @classmethod
    def load(cls, path: str | PathLike[str], **options: Any) -> Classroom:
        """Read a class from a ``.npz``, ``.csv`` or ``.parquet`` file.

        See :func:`homeroom.classroom.files.load` for the formats and the options.
        """
        from homeroom.classroom import files

        return files.load(path, **options)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the class to a ``.npz``, ``.csv`` or ``.parquet`` file."""
        from homeroom.classroom import files

        files.save(self, path)

    def _repr_html_(self) -> str:
        rates = _arrays.to_numpy(self.rates[:MOST_DRAWN])
        states = _arrays.to_numpy(self.states[:MOST_DRAWN])
        gaps = (states - _arrays.to_numpy(self.target)).reshape(len(rates), -1)
        rows = [
            ("students", f"{self.students:,}"),
            *([("outputs", self.outputs)] if self.outputs > 1 else []),
            ("dimensions", self.dimensions),
            ("learning rates", f"{rates.min():.3g} to {rates.max():.3g}"),
            ("mean squared distance to the target", f"{self.error:.4g}"),
        ]

        def draw() -> Figure:
            from matplotlib.figure import Figure

            figure = Figure(figsize=(5.0, 3.2), layout="constrained")
            ax = figure.add_subplot()
            ax.scatter(rates, np.linalg.norm(gaps, axis=1), s=10, color="#0072b2", alpha=0.6)
            ax.set(xlabel="learning rate", ylabel="distance to the target")
            return figure

        return _notebook.html("Classroom", (), rows, draw)

    def __repr__(self) -> str:
        xp = _arrays.namespace(self.rates)
        slowest, fastest = float(xp.min(self.rates)), float(xp.max(self.rates))
        between = f"rates {slowest:.3g} to {fastest:.3g}"
        outputs = f"{self.outputs} outputs, " if self.outputs > 1 else ""
        size = f"{outputs}{counted(self.dimensions, 'dimension')}"
        return f"Classroom({counted(self.students, 'student')}, {size}, {between})"


def _as_vector(target: Array) -> Array:
    """Return the target's vectors one after the other."""
    return target if target.ndim == 1 else _arrays.namespace(target).reshape(target, (-1,))


def project(states: Array, radius: float) -> Array:
    """Return the states, with those outside the ball moved to its surface.

    >>> project(np.array([[3.0, 4.0], [0.1, 0.2]]), 1.0)
    array([[0.6, 0.8],
           [0.1, 0.2]])
    """
    if math.isinf(radius):
        return states
    xp = _arrays.namespace(states)
    rows = _arrays.flat(states)
    lengths = xp.sqrt(xp.sum(rows * rows, axis=1))
    # A student exactly on the sphere must not be moved by rounding: only longer ones are scaled.
    outside = lengths > radius
    if not bool(xp.any(outside)):
        return states
    scale = xp.where(outside, radius / xp.where(outside, lengths, xp.ones_like(lengths)), 1.0)
    return xp.reshape(rows * scale[:, None], states.shape)


def stays_in_ball(room: Classroom) -> bool:
    """Return whether no state can leave the ball as long as no student moves away from the target.

    That is so if ``|target| + max |gap| <= state_radius`` (and every ``rate * |x|^2 <= 2``).
    """
    if math.isinf(room.state_radius):
        return True
    room = room.flat
    farthest = _arrays.farthest(room.states, room.target)
    target: Floats = _arrays.to_host(room.target)
    return math.sqrt(float(target @ target)) + farthest <= room.state_radius


def in_memory(room: Classroom, name: str) -> Classroom:
    """Return the class with one row per student; raise if its students are not in memory."""
    if not isinstance(room, Classroom):
        raise InputTypeError(
            f"{name}() looks at every student: load the class with Classroom.load(...), "
            f"but `room` is {type(room).__name__}."
        )
    return room.flat
