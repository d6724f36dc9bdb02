"""A class too large for memory: its students are read piece by piece.

A sketch of such a class (all that is needed for the averages in a lesson) is a sum over its
students, and the parts of a sum can be computed in any order and on any machine. So a *runner*
passes over the pieces: one after the other in this process, or many at a time on a cluster.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from os import PathLike
from typing import Any

import numpy.typing as npt

from homeroom import _arrays, _checks
from homeroom._arrays import Floats
from homeroom._checks import InputError, counted
from homeroom.classroom.pieces import AbstractPiece
from homeroom.classroom.runners import AbstractRunner, OneByOne


@dataclass(frozen=True, eq=False, repr=False)
class LargeClass:
    """A class that is read piece by piece; :func:`homeroom.teach` teaches it by its sketch.

    Parameters
    ----------
    pieces
        Where the students are.
    target
        The target, shape ``(dimensions,)``; with several outputs
        ``(outputs, dimensions)``, and the pieces have their vectors one after the other.
    state_radius, example_radius
        As for a :class:`Classroom`.
    rates
        The lowest and the highest rate, if they are known; otherwise the rates are read first. A
        rate outside is refused when it is read.
    runner
        Computes the passes over the pieces.
    outputs
        The number of vectors per state, where the target is given as one vector.
    """

    pieces: Sequence[AbstractPiece]
    target: Floats
    _: KW_ONLY
    state_radius: float = math.inf
    example_radius: float = 2.0
    rates: tuple[float, float] | None = None
    runner: AbstractRunner = field(default_factory=OneByOne)
    outputs: int = 1

    def __post_init__(self) -> None:
        if not self.pieces:
            raise InputError("A class needs at least one student, but there is nothing to read.")
        target = _arrays.to_host(self.target)
        outputs = target.shape[0] if target.ndim == 2 else self.outputs
        target = target.reshape(-1)
        if len(target) % _checks.whole(outputs, "outputs", at_least=1):
            raise InputError(
                f"`target` must have the same number of coordinates for each of {outputs} outputs, "
                f"but has {len(target)} in total."
            )
        _checks.vector(target, "target", like=target, length=len(target), each="dimension")
        state_radius = _checks.radius(self.state_radius, "state_radius", may_be_infinite=True)
        _checks.inside(target[None, :], target, state_radius)
        self.__dict__.update(
            target=_arrays.freeze(target),
            state_radius=state_radius,
            example_radius=_checks.radius(self.example_radius, "example_radius"),
            rates=None if self.rates is None else _checks.interval(self.rates, "rates"),
            outputs=outputs,
        )

    @classmethod
    def open(
        cls,
        source: Any,
        *,
        target: npt.ArrayLike | str | PathLike[str] | None = None,
        state_radius: float | None = None,
        example_radius: float | None = None,
        rates: tuple[float, float] | None = None,
        runner: AbstractRunner | None = None,
    ) -> LargeClass:
        """Open a class that is larger than memory, without reading its students yet.

        Parameters
        ----------
        source
            A Parquet file, a folder of them, a ``.npz`` file that is not compressed, a folder with
            ``states.npy`` and ``rates.npy``, a Dask data frame, or a pair of arrays
            ``(states, rates)`` of NumPy or of Dask. Arrays in memory and in files may have
            several outputs.
        target
            The target, or a file that contains it, if the source does not.
        state_radius, example_radius
            Replace the radii that the source states.
        rates
            The lowest and the highest rate, which saves reading the rates first. A rate outside is
            refused when it is read.
        runner
            Computes the passes over the pieces: by default in this process, and for a Dask
            collection on the cluster of its client.

        Raises
        ------
        ValueError
            If it is not a class; the message states what was expected, what was found, and where.

        Examples
        --------
        >>> import numpy as np
        >>> states = np.random.default_rng(0).standard_normal((1000, 3))
        >>> LargeClass.open((states, np.full(1000, 0.1)), target=[1.0, 0.0, 0.0])
        LargeClass(1 piece, 3 dimensions)
        """
        from homeroom.classroom import opening
        from homeroom.classroom.files import no_target

        announced = None if rates is None else _checks.interval(rates, "rates")
        found = opening.find(source, announced)
        if target is None and found.target is None:
            raise no_target(source)
        own = found.radii
        radii = {"state_radius": state_radius, "example_radius": example_radius}
        given: dict[str, Any] = {
            name: own.get(name) if value is None else value for name, value in radii.items()
        }
        return cls(
            found.pieces,
            opening.read_target(found.target if target is None else target, found),
            rates=found.rates,
            runner=runner or opening.usual_runner(found),
            **{name: value for name, value in given.items() if value is not None},
        )

    @property
    def dimensions(self) -> int:
        """The number of coordinates of a state; with several outputs, of each of them."""
        return len(self.target) // self.outputs

    def __repr__(self) -> str:
        return (
            f"LargeClass({counted(len(self.pieces), 'piece')}, "
            f"{f'{self.outputs} outputs, ' if self.outputs > 1 else ''}"
            f"{counted(self.dimensions, 'dimension')})"
        )
