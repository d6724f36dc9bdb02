"""A pool of items: the teacher shows its items, as they are or rescaled."""

import warnings

import numpy as np

from homeroom import Classroom, DirectionPool, ItemPool, PoolTeacher, teach

room = Classroom.sample(students=100, dimensions=5, seed=3)
items = np.random.default_rng(0).uniform(-0.8, 0.8, size=(40, 5))

fixed = teach(room, teacher=PoolTeacher(ItemPool(items)))
shown, often = np.unique(fixed.examples.items, return_counts=True)
print(f"fixed items:       {fixed.rounds} rounds, item {shown[often.argmax()]} most often")

scaled = teach(room, teacher=PoolTeacher(DirectionPool(items)))
print(f"re-scalable items: {scaled.rounds} rounds")

# A pool that lacks a direction cannot teach it: there is a warning.
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    poor = teach(room, teacher=PoolTeacher(ItemPool(items * [1, 1, 1, 1, 0])), max_rounds=200)
print(said[0].message)
print(poor)
