"""A class of your own: from arrays, or from a table with one row per student."""

import tempfile
from pathlib import Path

from homeroom import Classroom, teach

room = Classroom(
    states=[[1.0, 0.5], [0.0, 0.3], [-0.4, 1.2]],  # what each student believes now
    rates=[0.20, 0.10, 0.15],  # how strongly each reacts to an example
    target=[0.6, 0.8],  # what all students should learn
    names=["Ada", "Ben", "Cleo"],
)

with tempfile.TemporaryDirectory() as folder:
    table = Path(folder, "pupils.csv")
    room.save(table)  # .npz and .parquet work too
    print(table.read_text())
    again = Classroom.load(table)

record = teach(again)
for name, state in zip(again.names or (), record.final_states, strict=True):
    print(f"{name} now believes {state.round(2)}")
