"""How many rounds are proved to be enough, and how many the lesson needs."""

from homeroom import Classroom, EveryoneGoal, NoisyMoments, certify, teach

room = Classroom.sample(seed=0)

certificate = certify(room)
print(certificate)
record = teach(room)
print(f"The lesson needed {record.rounds}.")
for rounds in (0, 50, 150):
    error, bound = record.errors[rounds], certificate.bound(rounds)
    print(f"after {rounds:3} rounds: {error:5.2f}, proved at most {bound:5.2f}")

print(certify(room, goal=EveryoneGoal(0.5)))
print(certify(room, observer=NoisyMoments(0.0005)))
