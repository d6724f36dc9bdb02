"""A first lesson: teach a class of 300 with one example per round."""

from homeroom import Classroom, teach

room = Classroom.sample(students=300, dimensions=25, seed=0)
print(room)

record = teach(room)
print(record)
print(f"After half of the rounds the error was {record.errors[record.rounds // 2]:.2f}.")

first = record.examples.xs[0]
print(f"The first example has {len(first)} numbers and length {(first @ first) ** 0.5:.2f}.")
