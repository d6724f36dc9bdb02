"""A class that is never in memory as a whole: its arrays are read from files piece by piece."""

import tempfile
from pathlib import Path

import numpy as np

from homeroom import LargeClass, teach
from homeroom.lessons import save_students

STUDENTS, DIMENSIONS = 200_000, 5

with tempfile.TemporaryDirectory() as temporary:
    folder = Path(temporary)
    rng = np.random.default_rng(0)
    shape = (STUDENTS, DIMENSIONS)
    states = np.lib.format.open_memmap(folder / "states.npy", "w+", np.float64, shape)
    for first in range(0, STUDENTS, 50_000):  # written in blocks, as they will be read
        states[first : first + 50_000] = rng.standard_normal((50_000, DIMENSIONS))
    states.flush()
    np.save(folder / "rates.npy", rng.uniform(0.1, 0.5, STUDENTS))
    np.save(folder / "target.npy", np.full(DIMENSIONS, 0.5))

    room = LargeClass.open(folder)  # with runner=OnDask(client), a cluster reads it
    record = teach(room)
    print(record)
    print(f"by the {record.engine}: error off by at most {record.error_estimate:.0e}")

    record = save_students(room, record, folder / "students.csv")  # one more pass
    print(f"verified: error {record.verified['error']:.4f}, ", end="")
    print(f"the farthest student at {record.verified['farthest']:.2f}")
    print(*(folder / "students.csv").read_text().splitlines()[:3], sep="\n")
