"""The sketch engine: a round costs the same for three hundred students and for ten million.

The students are looked at once, to build the sketch; after that only its few matrices are taught,
O(nodes * dimensions^2) a round. Where the students themselves are needed after all, the examples so
far are shown to them, and the lesson goes on with the exact engine.
"""

from __future__ import annotations

import math

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom.classroom import Classroom, Example
from homeroom.classroom.room import projection_is_idle
from homeroom.engines.exact import ExactClass
from homeroom.engines.overshoot import LONG
from homeroom.learners import AbstractLearner
from homeroom.moments import AbstractMoments, Observation, sketch_of
from homeroom.moments.build import NODES
from homeroom.observers import AbstractObserver, ExactObserver, NoisyMoments, Outcome
from homeroom.teachers import AbstractTeacher, ClassroomTeacher, PoolTeacher, RandomTeacher


def why_not_sketched(
    room: Classroom, teacher: AbstractTeacher, observer: AbstractObserver, learner: AbstractLearner
) -> str | None:
    """Return why a lesson cannot be given to a sketch, or ``None`` if it can."""
    if not learner.shrinks_gaps:
        return "it needs plain gradient students with the squared loss"
    if not isinstance(observer, ExactObserver | NoisyMoments):
        return "this observer looks at single students, which a sketch does not have"
    if not isinstance(teacher, ClassroomTeacher | PoolTeacher | RandomTeacher):
        return "this teacher may look at single students, which a sketch does not have"
    if not isinstance(teacher, ClassroomTeacher) and teacher.pool.labels is not None:
        return "the pool has labels of its own, which need not be the target's"
    if not projection_is_idle(room):
        return "students may come to the edge of the ball of states"
    return None


class SketchClass:
    """A class that is taught by its sketch, with the same doors as :class:`ExactClass`.

    Two things differ. ``farthest`` is an upper limit, ``sqrt(students * error)`` or the farthest at
    the start. And ``states`` are worked out when they are asked for, by showing the students all
    examples.
    """

    def __init__(
        self,
        room: Classroom,
        learner: AbstractLearner,
        rng: np.random.Generator,
        nodes: int = NODES,
    ) -> None:
        self.room = room
        self.learner = learner
        self.rng = rng
        self.handed_over: str | None = None
        self._start = self._sketch = sketch_of(room, nodes)
        self._target: Floats = _arrays.small(room.target)
        self._shown: list[Floats] = []
        self._longest = 0.0
        self._exact: ExactClass | None = None
        self.fastest = self._sketch.fastest
        self._measure()

    @property
    def nodes(self) -> int:
        """How many rates stand for everybody's."""
        return len(self._start.nodes)

    @property
    def negative_rates(self) -> int:
        """How many negative rates were drawn: none, as these students draw no rates."""
        return 0

    @property
    def states(self) -> Array:
        """The students' states now: O(students * dimensions * rounds), worked out anew."""
        return (self._exact or self._replayed()).states

    @property
    def squared_distances(self) -> Array:
        """Each student's squared distance to the target, worked out like the states."""
        return (self._exact or self._replayed()).squared_distances

    @property
    def error_estimate(self) -> float:
        """How far the error may be off, but for rounding.

        The difference to what half as many nodes make of the same lesson.
        """
        if self._exact is not None or self._start.exact:
            return 0.0
        coarse = self._start.coarse().error_after(np.array(self._shown))
        return abs(self.error - coarse)

    def look(self) -> Observation:
        """Return what there is to see of the class: its moments."""
        if self._exact is not None:
            return self._exact.look()
        return Observation(
            target=self._target,
            example_radius=self.room.example_radius,
            state_radius=self.room.state_radius,
            loss=self.learner.loss,
            gaps=self.room.states[:0, :],  # nobody in particular
            rates=self.room.rates[:0],
            gentle=1.0 / self.fastest,
            ready=self._ready,
        )

    def learn(self, example: Example) -> Outcome:
        """Show the class an example; its sketch changes."""
        if self._exact is None:
            self._hand_over_before(example)
        if self._exact is not None:
            outcome = self._exact.learn(example)
            self.error, self.farthest = self._exact.error, self._exact.farthest
            return outcome
        self._sketch = self._sketch.after(example.x)
        self._shown.append(example.x)
        self._longest = max(self._longest, float(example.x @ example.x))
        self._measure()
        return Outcome(self.room.rates, example)

    def put(self, states: Array) -> Outcome:
        """Take states from outside: from now on the students themselves count."""
        self._hand_over("states were told from outside")
        assert self._exact is not None
        outcome = self._exact.put(states)
        self.error, self.farthest = self._exact.error, self._exact.farthest
        return outcome

    def settle(self) -> None:
        """Do nothing: a sketch has no drift to settle."""
        if self._exact is not None:
            self._exact.settle()

    def _measure(self) -> None:
        self.error = max(self._sketch.error, 0.0)
        # While nobody moves away, nobody is farther than the farthest was at the start.
        self.farthest = math.sqrt(self.room.students * self.error)
        if self._longest * self.fastest <= LONG:
            self.farthest = min(self.farthest, self._start.farthest)

    def _ready(self) -> AbstractMoments:
        return self._sketch.moments

    def _hand_over_before(self, example: Example) -> None:
        """Give the class to the exact engine if the sketch could not follow this example."""
        right = float(self._target @ example.x)
        if abs(example.y - right) > 1e-9 * (1.0 + abs(right)):
            self._hand_over("an example's label was not the target's own")
        elif (
            not math.isinf(self.room.state_radius)
            and self.fastest * float(example.x @ example.x) > LONG
        ):
            self._hand_over("an example was so long that students may leave the ball of states")

    def _hand_over(self, why: str) -> None:
        if self._exact is None:
            self._exact = self._replayed()
            self.handed_over = f"after round {len(self._shown)}: {why}"

    def _replayed(self) -> ExactClass:
        """Return the students themselves, after all examples so far."""
        students = ExactClass(self.room, self.learner, self.rng)
        for x in self._shown:
            students.learn(Example(x, float(self._target @ x)))
        return students
