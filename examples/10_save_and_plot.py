"""Save a lesson to one file, load it again, and plot it.

Run it with a folder to keep the files: python 10_save_and_plot.py lesson
"""

import sys
import tempfile
from pathlib import Path

from homeroom import Classroom, Record, teach
from homeroom.plots import save_figure

with tempfile.TemporaryDirectory() as temporary:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
    folder.mkdir(parents=True, exist_ok=True)

    teach(Classroom.sample(seed=0), watch=[0, 1, 2]).save(folder / "record.npz")

    record = Record.load(folder / "record.npz")
    print(record)
    print(f"taught by {record.settings['teacher']}, seed {record.settings['seed']}")

    save_figure(record.plot().figure, folder / "lesson.png")
    for file in sorted(folder.glob("*.*")):
        print(f"{file.name}: {file.stat().st_size // 1024} KiB")
