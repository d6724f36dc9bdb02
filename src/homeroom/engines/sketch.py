"""The sketch engine: a round costs the same for three hundred students and for ten million.

One pass over the students builds the sketch: a matrix for each of a few rates, its *nodes*, from
which all averages over the class are interpolated. After that only these matrices are replay_class,
O(nodes * dimensions^2) per round. The sketch checks itself: when half of its nodes no longer give
the same error, it is rebuilt with twice as many nodes, and shown the lesson so far. Where the
students themselves are needed, they are shown the lesson so far, and the exact engine continues.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom._checks import InputError
from homeroom.classroom import Classroom, Example, LargeClass
from homeroom.classroom.room import stays_in_ball
from homeroom.engines.costs import memory_for_sketch, sketch_bytes
from homeroom.engines.exact import ExactClass, RoundingBounds, bound_distance, has_own_label
from homeroom.engines.replay import LONG, TOLERANCE, replay_class
from homeroom.goals import AbstractGoal
from homeroom.learners import SILENCE, AbstractLearner
from homeroom.moments import Observation
from homeroom.moments.build import ArraySource, first_nodes, source_of
from homeroom.moments.sketch import NestedSketch
from homeroom.observers import AbstractObserver, Outcome
from homeroom.teachers import AbstractTeacher

MOST_NODES = 513
"""With more nodes than this, or with a sketch that is too large, the exact engine continues."""

_HALF = TOLERANCE / 2
"""The relative error that is allowed from too few nodes, and also from rounding."""


def why_not_sketched(
    room: Classroom | LargeClass,
    teacher: AbstractTeacher,
    observer: AbstractObserver,
    learner: AbstractLearner,
    goal: AbstractGoal | None = None,
) -> str | None:
    """Return why a lesson cannot be given to a sketch, or ``None`` if it can."""
    noise = learner.noise
    if noise is None:
        return (
            f"{type(learner).__name__} declares no `noise`: if the expected step is a "
            "gradient step of the squared loss, with rates that are not clipped, let it return a "
            "Noise(...)"
        )
    if observer.needs_students:
        return (
            f"{type(observer).__name__} looks at single students, which a sketch does not have "
            "(`needs_students`): pass the engine's moments on, as in truth.seen_with(noise=...), "
            "and set `needs_students` to False"
        )
    if teacher.needs_students:
        return (
            f"{type(teacher).__name__} may look at single students, or show other labels than the "
            "target's, which a sketch does not have (`needs_students`): choose by seen.moments "
            "alone, and set `needs_students` to False"
        )
    if goal is not None and goal.needs_students:
        return (
            f"{type(goal).__name__} needs the states of single students, which a sketch does not "
            "have (`needs_students`): decide by progress.mean_squared and progress.farthest"
        )
    if noise != SILENCE and not math.isinf(room.state_radius):
        return "randomness may bring students to the edge of the ball of states"
    if isinstance(room, Classroom) and not stays_in_ball(room):
        return "students may come to the edge of the ball of states"
    return None


class SketchClass:
    """A class that is taught by its sketch, with the same methods as :class:`ExactClass`.

    Two things differ. ``farthest`` is an upper limit: ``sqrt(students * error)`` or the farthest at
    the start. And ``states`` are computed on demand, by showing the students all examples.

    Parameters
    ----------
    room
        The class.
    learner
        How the students change.
    rng
        The source of randomness for the learner, once the exact engine continues.
    nodes
        The number of nodes at the start; chosen from the range of the rates unless given.
    rows
        The students of a group, unless the whole class is taught.
    """

    def __init__(
        self,
        room: Classroom | LargeClass,
        learner: AbstractLearner,
        rng: np.random.Generator,
        nodes: int | None = None,
        rows: Ints | None = None,
    ) -> None:
        self.room = room = room.flat if isinstance(room, Classroom) else room
        self.learner = learner
        self.rng = rng
        self.rows = rows
        self.handed_over: str | None = None
        """After which round the exact engine continued, and why; ``None`` if it did not."""
        self._off = 0.0  # a bound on the error of `error`
        assert learner.noise is not None
        noise = learner.noise
        # Drift adds its variance to each of the vectors.
        self._noise = replace(noise, heat=room.outputs * noise.heat)
        self._target: Floats = _arrays.to_host(room.target)
        self._shown: list[Floats] = []
        self._longest = 0.0
        self._doubtful: str | None = None  # why the sketch must not continue
        self._exact: ExactClass | None = None
        self._source = source_of(room, rows)
        nodes = first_nodes(self._source.rate_statistics) if nodes is None else nodes
        self._sketch = NestedSketch(self._source.sketch(nodes))
        self._start = self._sketch.start
        self.fastest = self._start.fastest
        self._check_edge()
        self._measure()

    @property
    def size(self) -> int:
        """How many students there are."""
        return self._start.students

    @property
    def by_chance(self) -> bool:
        """Whether its students learn at random, so that only their average is known."""
        return self._noise != SILENCE

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self._sketch.count

    @property
    def uncertainty(self) -> RoundingBounds:
        """Bounds on the errors of ``error`` and ``farthest``, from interpolation and rounding."""
        if self._exact is not None:
            return self._exact.uncertainty
        return RoundingBounds(self._off, bound_distance(self.farthest, self.size * self._off))

    @property
    def negative_rates(self) -> int:
        """How many negative rates were drawn; a sketch draws none."""
        return 0 if self._exact is None else self._exact.negative_rates

    @property
    def states(self) -> Array:
        """The students' states now, computed each time: O(students * dimensions * rounds)."""
        return (self._exact or self._replay_students()).states

    @property
    def squared_distances(self) -> Array:
        """Each student's squared distance to the target, computed like the states."""
        return (self._exact or self._replay_students()).squared_distances

    def is_lost(self) -> bool:
        """Return whether rounding errors are so large that the computed states are meaningless.

        That holds as well if the class is not in memory and its error is within its own rounding:
        no engine can continue then.
        """
        if self._exact is not None:
            return self._exact.is_lost()
        return self._doubtful is not None and self.error <= self._off

    def look(self, shown: Sequence[int] = ()) -> Observation:
        """Return what can be observed of the class, its moments, and the items it was shown."""
        if self._doubtful is not None:
            self._hand_over(self._doubtful)
        if self._exact is not None:
            return self._exact.look(shown)
        return Observation(
            target=self._target,
            example_radius=self.room.example_radius,
            state_radius=self.room.state_radius,
            loss=self.learner.loss,
            gaps=np.zeros((0, len(self._target))),  # no single students
            rates=np.zeros(0),
            gentle=1.0 / self.fastest,
            sketch=self._sketch,
            shown=shown,
            outputs=self.room.outputs,
        )

    def learn(self, example: Example) -> Outcome:
        """Show the class an example; its sketch changes."""
        if self._exact is None:
            self._hand_over_before(example)
        if self._exact is not None:
            outcome = self._exact.learn(example)
            self.error, self.farthest = self._exact.error, self._exact.farthest
            return outcome
        self._sketch.show(example.x, self._noise)
        self._shown.append(example.x)
        self._longest = max(self._longest, float(example.x @ example.x))
        self._measure()
        return Outcome(np.zeros(0), example)

    def put(self, states: Array) -> Outcome:
        """Take states from outside: from now on the exact engine continues."""
        self._hand_over("states were given from outside")
        assert self._exact is not None
        outcome = self._exact.put(states)
        self.error, self.farthest = self._exact.error, self._exact.farthest
        return outcome

    def settle(self) -> None:
        """Compute the distances again without accumulated rounding, in the exact engine.

        A sketch computes its error from its matrices in every round anyway.
        """
        if self._exact is not None:
            self._exact.settle()
            self.error, self.farthest = self._exact.error, self._exact.farthest

    def _measure(self) -> None:
        """Compute the error, with more nodes if these are not enough."""
        sketch = self._sketch
        # More nodes do not help against rounding, which may even make the error negative.
        while sketch.missed > max(_HALF * sketch.error, sketch.rounding) and math.isfinite(
            sketch.error
        ):
            if not self._can_refine:
                self._hand_over(f"{self.nodes} nodes leave an error of up to {sketch.missed:.3g}")
                return
            sketch = self._refine()
        self.error = max(sketch.error, 0.0)
        if sketch.rounding > _HALF * sketch.error:
            why = f"rounding may have grown to {sketch.rounding:.3g}"
            if not isinstance(self.room, LargeClass):
                self._hand_over(why)
                return
            # A goal may still be known to be reached: refused only if the lesson continues.
            self._doubtful = why
        off = sketch.missed + sketch.rounding
        self._off = off if math.isfinite(self.error) and math.isfinite(off) else math.inf
        # While no student moves away, none is farther than the farthest was at the start.
        self.farthest = math.sqrt(self.size * self.error)
        if self._longest * self.fastest <= LONG and self._noise == SILENCE:
            self.farthest = min(self.farthest, self._start.farthest)

    @property
    def _can_refine(self) -> bool:
        """Whether a sketch with twice the nodes is allowed, and not too large for the class."""
        nodes = 2 * self.nodes - 1
        if nodes > MOST_NODES or not isinstance(self._source, ArraySource):
            return nodes <= MOST_NODES
        room = self._source.room
        needed = sketch_bytes(room.dimensions, self._source.rate_statistics, nodes)
        return needed <= memory_for_sketch(room)

    def _refine(self) -> NestedSketch:
        """Build the sketch again with twice the nodes, and show it the lesson so far."""
        self._sketch = NestedSketch(self._source.sketch(2 * self.nodes - 1))
        for x in self._shown:
            self._sketch.show(x, self._noise)
        return self._sketch

    def _check_edge(self) -> None:
        """Raise if students of a class that is not in memory may reach the boundary of the ball."""
        reach = math.sqrt(float(self._target @ self._target)) + self._start.farthest
        if isinstance(self.room, LargeClass) and reach > self.room.state_radius:
            self._hand_over("students may come to the edge of the ball of states")

    def _hand_over_before(self, example: Example) -> None:
        """Hand the class over to the exact engine if the sketch cannot follow this example."""
        if not has_own_label(example, self._target):
            self._hand_over("an example's label was not the target's own")
        elif (
            not math.isinf(self.room.state_radius)
            and self.fastest * float(example.x @ example.x) > LONG
        ):
            self._hand_over("an example was so long that students may leave the ball of states")

    def _hand_over(self, why: str) -> None:
        """Let the exact engine continue, and note why; raise an error if it cannot."""
        if self._exact is not None:
            return
        if isinstance(self.room, LargeClass):
            raise InputError(
                f"The sketch cannot continue after round {len(self._shown)}: {why}. The exact "
                "engine could, but needs the class in memory: Classroom.load(...)."
            )
        if self._noise != SILENCE and self._shown:
            raise InputError(
                f"The sketch cannot continue after round {len(self._shown)}: {why}. Its students "
                "learn at random, so the lesson cannot be repeated for them: use engine='exact'."
            )
        self._exact = ExactClass(self._members(), self.learner, self.rng)
        for x in self._shown:
            self._exact.learn(Example(x, _arrays.answers_of(self._target, x)))
        self.error, self.farthest = self._exact.error, self._exact.farthest
        self.handed_over = f"after round {len(self._shown)}: {why}"

    def _replay_students(self) -> Classroom:
        """Return the students themselves, after all examples so far."""
        if self._noise != SILENCE:
            raise InputError(
                "A sketch of students who learn at random describes the class on average, and no "
                "single student: use engine='exact' for single students."
            )
        shown = np.array(self._shown).reshape(-1, self.room.dimensions)
        return replay_class(self._members(), shown)

    def _members(self) -> Classroom:
        """Return the students as they were at the start."""
        if isinstance(self.room, LargeClass):
            raise InputError(
                "The students of a class that is read piece by piece are not kept in memory: use "
                "verify=True, or load the class with Classroom.load(...)."
            )
        return self.room if self.rows is None else self.room.subset(self.rows)
