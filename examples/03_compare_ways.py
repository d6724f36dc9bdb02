"""Together, in groups or one by one? It depends on whose time counts.

The teacher shows T examples, a student sees S of them on average, and a way costs T + lambda S.
"""

from homeroom import ByKnowledge, ByRate, Classroom, Individuals, WholeClass, compare

room = Classroom.sample(students=120, dimensions=10, seed=1)
ways = {
    "together": WholeClass(),
    "by rate": ByRate(),
    "by knowledge": ByKnowledge(k=3),
    "one by one": Individuals(),
}
comparison = compare(room, ways=ways, lambdas=(0, 2, 8, 100))
print(comparison)
print()
for lam in comparison.lambdas:
    print(f"lambda = {lam:g}: teach {comparison.best(lam).name}")
