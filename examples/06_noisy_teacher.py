"""A teacher with noisy observations needs a few more rounds."""

from homeroom import Classroom, Individuals, NoisyMoments, NoisyStates, teach

room = Classroom.sample(seed=0)
print(f"exact observations:   {teach(room).rounds} rounds")
for delta in (0.5, 1.0, 5.0):
    record = teach(room, observer=NoisyStates(delta), seed=1)
    print(f"states off by {delta}:    {record.rounds} rounds")
record = teach(room, observer=NoisyMoments(0.05), seed=1)
print(f"matrix off by 0.05:   {record.rounds} rounds")
print(f"one by one, exactly:  {teach(room, groups=Individuals()).rounds} rounds")
