"""Estimated time and memory of both engines, by which ``engine="auto"`` chooses.

With N students, d dimensions and a sketch of q nodes, built from b bins with m local moments each:

==========  ===========================================  ==============================
engine      time                                         memory
==========  ===========================================  ==============================
exact       ``N d^2``, then ``N (d + c)`` per round      a copy of the class
sketch      ``N d^2 m + q b m d^2``, then ``q d^2``      ``b m d^2`` numbers
            per round
==========  ===========================================  ==============================

A sketch of 33 nodes has ``b m = 3072``, one of 129 nodes 8192. So many dimensions, or rates that
differ by a large factor, make it slow to build and large, whatever the number of students.

The constants are fitted by hand to one run each of the cells below, on one core in November 2026
(NumPy with OpenBLAS). Other work ran on the machine, and repeated runs of a cell differed by up to
a factor of five; the table has the faster one, some in wall time and some in processor time. The
sketch of the last row was measured on another occasion. Set-up, time per round, extra memory:

========  ====  ==========  ===============================  ===============================
students  d     rates       exact                            sketch
========  ====  ==========  ===============================  ===============================
30,000    3     .1 to .5    10 ms, 1.1 ms, 0                 20 ms, .15 ms, .01 GB
300,000   3     .1 to .5    18 ms, 6.1 ms, .01 GB            75 ms, .13 ms, .02 GB
100,000   25    .1 to .6    25 ms, 2.7 ms, .02 GB            96 ms, .18 ms, .04 GB
100,000   25    .1 to 5     25 ms, 2.9 ms, .02 GB            170 ms, .27 ms, .08 GB
100,000   50    .1 to .6    50 ms, 5.3 ms, .04 GB            214 ms, .39 ms, .11 GB
60,000    100   .1 to .6    174 ms, 8.8 ms, .05 GB           825 ms, .71 ms, .33 GB
60,000    100   .1 to 5     80 ms, 8.6 ms, .05 GB            2.7 s, 2.2 ms, .95 GB
60,000    200   .1 to 5     270 ms, 14 ms, .10 GB            11.9 s, 24 ms, 3.3 GB
========  ====  ==========  ===============================  ===============================
"""

from __future__ import annotations

import math
from typing import NamedTuple

from homeroom import _arrays
from homeroom.classroom import Classroom
from homeroom.moments.build import first_nodes, source_of
from homeroom.moments.rate_statistics import RateBins, RateStatistics

FEWEST = 30_000
"""Groups with fewer students use the exact engine, which then takes at most seconds and has the
single students."""

PER_ROUND = 1.5e-4
"""Seconds per round that neither depend on the class nor on the engine."""

EXACT_SET_UP = 1.1e-10
"""Seconds per student and squared dimension: the first moment matrices."""

EXACT_ROUND = 1.1e-9
"""Seconds per number of a state and round."""

EXACT_STUDENT = 1e-8
"""Seconds per student and round."""

SKETCH_STUDENT = 1.5e-7
"""Seconds per student: each is sorted into a bin.

Measured: about 2e-7. It is set lower because both engines take the same few milliseconds for 30,000
students of two dimensions, where the sketch has always been used.
"""

SKETCH_SUMS = 1.7e-10
"""Seconds per student, local moment and squared dimension."""

SKETCH_SHARES = 2e-10
"""Seconds per node, bin, local moment and squared dimension."""

SKETCH_ROUND = 2e-9
"""Seconds per number of the matrices and round. The nested sketch has 1.5 matrices per node."""

SUMS_IN_MEMORY = 1.4
"""The memory of building a sketch, relative to the sums of its bins."""

COPIES = 5
"""Copies of the matrices of all nodes that are in memory while a sketch is built."""

ROUNDS = 3.3
"""Rounds per dimension, times the square root of fastest / slowest rate.

Fitted to the four kinds of classes of 300 students and 25 dimensions in docs/groups.md (static
magnitude, goal 0.1): it gives 130, 202, 261 and 583 rounds; they needed 84, 176, 252 and 584. Other
goals, magnitudes and pools were not tried.
"""

STUDENTS_PER_DIMENSION = 300
"""The fewest students per dimension for a sketch on a GPU, for which no times were measured."""

MOST_BYTES = 1 << 30
TIMES_THE_CLASS = 4.0
"""A sketch of a class in memory may take a gibibyte, or this many times the class's own memory."""


class EngineCost(NamedTuple):
    """The estimated cost of a lesson with one engine."""

    seconds: float
    bytes: float


def sketch_pays(room: Classroom, students: int | None = None, max_rounds: float = math.inf) -> bool:
    """Return whether a sketch is estimated to be faster than the students, and fits in memory.

    ``students`` is the size of the smallest group, each of which has its own sketch; the whole
    class unless given; ``max_rounds`` the limit of rounds. O(students of the class), for the range
    of the rates.
    """
    students = room.students if students is None else students
    if students < FEWEST:
        return False
    if _arrays.on_accelerator(room.states):
        return students >= STUDENTS_PER_DIMENSION * room.dimensions
    rates = source_of(room).rate_statistics
    rounds = min(max_rounds, estimate_rounds(room.dimensions, rates))
    sketch = sketch_cost(room, students, rates, rounds)
    fits = sketch.bytes <= memory_for_sketch(room)
    return fits and sketch.seconds < exact_cost(room, students, rounds).seconds


def exact_cost(room: Classroom, students: int, rounds: float) -> EngineCost:
    """Return the estimated cost of a lesson of so many students and rounds with every student."""
    d, numbers = room.dimensions, students * room.outputs * room.dimensions
    per_round = PER_ROUND + EXACT_ROUND * numbers + EXACT_STUDENT * students
    seconds = EXACT_SET_UP * numbers * d + rounds * per_round
    return EngineCost(seconds, 8.0 * numbers)


def sketch_cost(room: Classroom, students: int, rates: RateStatistics, rounds: float) -> EngineCost:
    """Return the estimated cost of a lesson of so many students and rounds with the sketch."""
    nodes, d = first_nodes(rates), room.dimensions
    bins, moments, matrices = _shape(rates, nodes)
    numbers = students * room.outputs * d
    set_up = (
        SKETCH_STUDENT * students
        + SKETCH_SUMS * numbers * d * moments
        + SKETCH_SHARES * matrices * bins * moments * d**2
    )
    per_round = PER_ROUND + SKETCH_ROUND * 1.5 * matrices * d**2
    seconds = set_up + rounds * per_round
    return EngineCost(seconds, sketch_bytes(d, rates, nodes))


def sketch_bytes(dimensions: int, rates: RateStatistics, nodes: int) -> float:
    """Return the estimated memory that building a sketch of so many nodes takes."""
    bins, moments, matrices = _shape(rates, nodes)
    return 8.0 * dimensions**2 * (SUMS_IN_MEMORY * bins * moments + COPIES * matrices)


def memory_for_sketch(room: Classroom) -> float:
    """Return the most bytes that a sketch of a class in memory may take."""
    return max(MOST_BYTES, TIMES_THE_CLASS * 8.0 * room.students * room.outputs * room.dimensions)


def estimate_rounds(dimensions: int, rates: RateStatistics) -> float:
    """Return a rough number of rounds of a lesson."""
    return ROUNDS * dimensions * math.sqrt(rates.fastest / rates.slowest)


def _shape(rates: RateStatistics, nodes: int) -> tuple[int, int, int]:
    """Return the bins, the local moments per bin and the matrices of a sketch."""
    if rates.different is not None and len(rates.different) <= nodes:
        return len(rates.different), 1, len(rates.different)  # every rate is a node and a bin
    return *RateBins.for_nodes(*rates.span, nodes).shape, nodes
