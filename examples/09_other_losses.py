"""Students who answer yes or no, or one of several classes, instead of a number."""

import numpy as np

from homeroom import AverageGoal, Classroom, GradientLearner, ItemPool, PoolTeacher, teach

room = Classroom.sample(students=20, dimensions=6, seed=5)
goal = AverageGoal(1.0)

for loss in ("squared", "logistic", "hinge", "absolute"):
    record = teach(room, learner=GradientLearner(loss), goal=goal, max_rounds=12)
    course = f"error {record.errors[0]:.2f} -> {record.errors[-1]:.2f}"
    print(f"{loss:>8}: {course}, {record.rounds} rounds")

# Three classes: a state holds one vector of two numbers for each class.
items = np.random.default_rng(0).uniform(-1, 1, size=(50, 2))
three = GradientLearner("logistic", classes=3)
record = teach(room, learner=three, teacher=PoolTeacher(ItemPool(items)), max_rounds=12)
print(f"3 classes: error {record.errors[0]:.2f} -> {record.errors[-1]:.2f}")
print(f"The first labels shown were {record.examples.ys[:8].astype(int)}.")
