"""Split a class by how fast students learn, and see what each group needs."""

from homeroom import AsGiven, BestGroups, ByRate, Classroom, ClassroomTeacher, teach

room = Classroom.sample(students=120, dimensions=10, rates=(0.1, 0.6), seed=2)

record = teach(room, groups=ByRate(), teacher=ClassroomTeacher("dynamic"))
for number, group in enumerate(record.groups, start=1):
    print(f"group {number}: {len(group.group_of)} students, {group.rounds} rounds")
print(f"T = {record.rounds}, S = {record.workload:.1f}")

# Groups that are already fixed: one label per student.
tables = ["window" if student % 3 else "door" for student in range(room.students)]
print(teach(room, groups=AsGiven(tables)))

# The groups that cost least, T + S, if a student's time weighs as much as the teacher's.
best = teach(room, groups=BestGroups(lam=1), teacher=ClassroomTeacher("dynamic", safe=True))
print(best, f"costs {best.cost(1):.1f}")
