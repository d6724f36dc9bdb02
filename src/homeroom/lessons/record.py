"""The record of a lesson."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from homeroom import _arrays, _notebook, _plugins, plots
from homeroom._arrays import Array, Floats, Ints
from homeroom._checks import InputError, counted
from homeroom.goals import AbstractGoal, DistanceGoal
from homeroom.learners import SILENCE, AbstractLearner
from homeroom.lessons.transcript import CODES, AbstractTranscript, Examples, StoppedBecause

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


RESULTS = ("plans", "nodes", "handed_over", "in_expectation", "goal_by", "verified")
"""The fields of a record that are results besides its errors and counts."""


@dataclass(frozen=True, eq=False, repr=False)
class Record:
    """What happened in a lesson: every example, every error, and why it stopped.

    Parameters
    ----------
    transcript
        What was shown to each group.
    group_of
        The group of each student, shape ``(students,)``.
    final
        The final states, shaped as those of the class; or a function that computes them, for an
        engine that does not follow single students; or ``None`` if they cannot be known. Read it
        as ``final_states``.
    settings
        How the lesson was set up, as plain JSON values: teacher, goal, learner, seed, versions, ...
    counts
        Other events, as counts by name.
    watched, watched_errors
        Students whose own errors were kept, and their squared distances at the start and after each
        round, shape ``(rounds + 1, watched)``.
    engine, error_estimate
        How it was computed, and a bound on the error of the last of ``errors``, from rounding and
        from the nodes of a sketch. Rounding is not tracked for students who learn at random or with
        a loss other than the squared one.
    group_estimates
        The same for each group, shape ``(groups,)``; unless given, the class's estimate.
    plans
        What was planned, one entry per group that had a plan, as plain JSON values.
    nodes, handed_over
        For the sketch engine: how many nodes it had, and why the exact engine continued, for each
        group in which it did.
    in_expectation
        Whether ``errors`` are expectations, over students who learn at random.
    goal_by
        How the goal was decided, where single students were not followed.
    verified
        The exact ``error`` and ``farthest`` at the end, after ``verify=True``.

    Examples
    --------
    >>> from homeroom import Classroom, teach
    >>> record = teach(Classroom.sample())
    >>> record
    Record(154 rounds for 300 students: the goal was reached, error 26.1 -> 0.0992)
    >>> record.errors.shape
    (155,)
    """

    transcript: AbstractTranscript
    group_of: Ints
    final: Array | Callable[[], Array] | None
    settings: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    watched: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    watched_errors: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    engine: str = "exact"
    error_estimate: float = 0.0
    group_estimates: Floats | None = None
    plans: Sequence[Mapping[str, Any]] = ()
    nodes: int | None = None
    handed_over: Sequence[str] = ()
    in_expectation: bool = False
    goal_by: str | None = None
    verified: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "plans", tuple(self.plans))
        object.__setattr__(self, "handed_over", tuple(self.handed_over))

    def settings_and_results(self) -> dict[str, Any]:
        """Return settings and results in one table, for a JSON document."""
        results = {name: getattr(self, name) for name in RESULTS if getattr(self, name)}
        if self.nodes is not None:
            results["handed_over"] = list(self.handed_over)
        return {**self.settings, **results}

    @property
    def rounds(self) -> int:
        """``T``: how many examples the teacher showed, all groups together."""
        return int(self.transcript.rounds.sum())

    @property
    def workload(self) -> float:
        """``S``: how many examples a student saw, on average."""
        return float(self.transcript.rounds @ self.sizes) / len(self.group_of)

    @cached_property
    def final_states(self) -> Array:
        """The final states, shaped as those of the class.

        They are computed on demand after individual lessons in closed form, and after a lesson of
        the sketch engine, by showing the students all examples.
        """
        if self.final is None:
            raise InputError(
                "This lesson followed no single students: its class was read piece by piece, or "
                "learnt at random. Teach a Classroom with engine='exact' for single students."
            )
        return self.final() if callable(self.final) else self.final

    def cost(self, lam: float) -> float:
        """Return ``T + lam * S``, the cost of the lesson for teacher and students (section 5)."""
        return self.rounds + lam * self.workload

    @cached_property
    def sizes(self) -> Ints:
        """How many students each group has."""
        if len(self.transcript.rounds) == 1:
            return np.array([len(self.group_of)])
        return np.bincount(self.group_of, minlength=len(self.transcript.rounds))

    @cached_property
    def errors(self) -> Floats:
        """The class's mean squared distance at the start and after each round.

        With one group this has ``rounds + 1`` numbers. With several, all are taught at the same
        time, and a group that is done keeps its error.
        """
        if len(self.transcript.rounds) == 1:
            return self.transcript.errors(0)
        return self.transcript.side_by_side(self.sizes / len(self.group_of))

    def error_after(self, rounds: int) -> float:
        """Return the class's mean squared distance after that many rounds (or its last).

        Cost: O(groups), where ``errors`` is O(rounds).
        """
        return float((self.sizes / len(self.group_of)) @ self.transcript.errors_at(rounds))

    @cached_property
    def examples(self) -> Examples:
        """The examples, one row each; with several groups, one group after the other."""
        return self.transcript.examples(np.arange(len(self.transcript.rounds)))

    @property
    def stopped_because(self) -> StoppedBecause:
        """Why the lesson stopped; with several groups, the first reason other than the goal."""
        others = self.transcript.stops[self.transcript.stops != CODES.index(StoppedBecause.GOAL)]
        return CODES[int(others[0])] if len(others) else StoppedBecause.GOAL

    @property
    def groups(self) -> Sequence[Record]:
        """One record per group, made on demand."""
        return _Groups(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the record to one ``.npz`` file: arrays and JSON, no pickle."""
        from homeroom.lessons import files

        files.save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Record:
        """Read a record that was saved."""
        from homeroom.lessons import files

        return files.load(path)

    def to_frame(self) -> pandas.DataFrame:
        """Return a table with one row per group and round (needs pandas).

        Columns: ``group``, ``round``, ``error``, ``farthest``, and for the example that led there
        ``item``, ``y`` and ``x1, x2, ...``.
        """
        from homeroom.lessons.files import frame_of

        return frame_of(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the class's error over the rounds, with the watched students if there are any.

        A notebook shows the plot, unless it is drawn on given axes.
        """
        watched = {
            f"student {student}": self.watched_errors[:, column]
            for column, student in enumerate(self.watched)
        }
        with plots.drawing(ax) as drawn:
            return plots.error_curve(self.errors, students=watched, goal=self.goal_line, ax=drawn)

    def _repr_html_(self) -> str:
        first, last = self.errors[0], self.errors[-1]
        rows = [
            ("students", f"{len(self.group_of):,}"),
            ("groups", len(self.transcript.rounds)),
            ("examples that the teacher shows, T", f"{self.rounds:,}"),
            ("examples that a student sees, S", f"{self.workload:,.2f}"),
            ("error", f"{first:.3g} → {last:.3g}"),
            ("stopped because", self.stopped_because.value),
        ]
        return _notebook.html("Record of a lesson", (), rows, lambda: plots.picture(self.plot))

    @property
    def goal_line(self) -> float | None:
        """The value that ``errors`` must reach; ``None`` if the goal is about something else."""
        goal = _plugins.rebuild("goals", self.settings.get("goal"), AbstractGoal)
        return goal.limit if isinstance(goal, DistanceGoal) and goal.power == 1.0 else None

    @property
    def shrinks_gaps(self) -> bool:
        """Whether students took plain gradient steps of the squared loss, as the settings state."""
        learner = _plugins.rebuild("learners", self.settings.get("learner"), AbstractLearner)
        return learner is not None and learner.noise == SILENCE

    def __repr__(self) -> str:
        groups = len(self.transcript.rounds)
        split = f" in {groups} groups" if groups > 1 else ""
        last = self.error_after(int(self.transcript.rounds.max()))
        return (
            f"Record({counted(self.rounds, 'round')} for "
            f"{counted(len(self.group_of), 'student')}{split}: "
            f"{self.stopped_because.value}, error {self.error_after(0):.3g} -> {last:.3g})"
        )

    def estimate_of(self, group: int) -> float:
        """Return a bound on the numerical error of a group's last error."""
        known = self.group_estimates
        return self.error_estimate if known is None else float(known[group])

    def members(self, group: int) -> Ints:
        """Return the numbers of a group's students."""
        by_group, ends = self._by_group
        return by_group[ends[group] - self.sizes[group] : ends[group]]

    @cached_property
    def _by_group(self) -> tuple[Ints, Ints]:
        """The numbers of all students, sorted by group, and where each group ends."""
        return np.argsort(self.group_of, kind="stable"), np.cumsum(self.sizes)


class _Groups(Sequence[Record]):
    """The records of a lesson's groups, each made from the arrays on demand."""

    def __init__(self, whole: Record) -> None:
        self.whole = whole

    def __len__(self) -> int:
        return len(self.whole.transcript.rounds)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> list[Record]: ...
    def __getitem__(self, index: int | slice) -> Record | list[Record]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} groups, but group {index} was asked for")
        return _one_group(self.whole, index % len(self))


def _one_group(whole: Record, group: int) -> Record:
    """Return the record of one group, from the arrays of all groups."""
    from homeroom.lessons.transcript import Transcript

    transcript = whole.transcript
    xs, ys, items, _ = transcript.examples([group])
    members = whole.members(group)
    return Record(
        Transcript(
            transcript.rounds[group : group + 1],
            transcript.stops[group : group + 1],
            transcript.errors(group),
            transcript.farthest(group),
            xs,
            ys,
            items,
        ),
        np.zeros(len(members), dtype=np.int64),
        _final_of(whole, members),
        {**whole.settings, "group": group},
        engine=whole.engine,
        error_estimate=whole.estimate_of(group),
        plans=whole.plans,
        nodes=whole.nodes,
        handed_over=whole.handed_over,
        in_expectation=whole.in_expectation,
        goal_by=whole.goal_by,
    )  # the result of verifying is about the whole class only


def _final_of(whole: Record, members: Ints) -> Array | Callable[[], Array] | None:
    """Return the final states of some students, computed on demand if those of the class are."""
    if whole.final is None:
        return None
    if callable(whole.final):
        return lambda: _arrays.take_rows(whole.final_states, members)
    return _arrays.take_rows(whole.final_states, members)


def average_over_students(values: Floats, group_of: Ints) -> float:
    """Return the mean over all students of ``values``, one per group."""
    if len(values) == 1:
        return float(values[0])
    # Each part is divided first: the largest values would overflow when added up.
    return float((np.bincount(group_of) / len(group_of)) @ values)


def make_one_group(students: int) -> Ints:
    """Return zeros, the group of each of so many students, in the memory of one number."""
    return np.broadcast_to(np.int64(0), (students,))
