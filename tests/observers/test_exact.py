"""A teacher who sees everything."""

import math

import numpy as np

from homeroom import Classroom, ExactObserver, Observation
from homeroom.learners import Squared
from homeroom.observers import AbstractObserver, Outcome


def test_the_observation_is_the_truth() -> None:
    room = Classroom.sample(students=3, dimensions=2)
    observer: AbstractObserver = ExactObserver()
    truth = Observation(room.target, 2.0, math.inf, Squared(), room.gaps, room.rates)
    memory = observer.begin(room)
    assert observer.observe(truth, memory, np.random.default_rng(0)) is truth
    assert observer.remember(memory, Outcome(room.rates)) is None
