"""Write the files of this folder again, with the code of homeroom 0.2.

They are kept as 0.2 wrote them: run this only to add a file, with a checkout of 0.2, and look at
what changes. Ids and times of the live classes are new at each run::

    PYTHONPATH=/path/to/homeroom-0.2/src:. python tests/data/0.2/make.py [NAME...]

A name is one of ``MAKERS``, or ``none``; all by default. What 0.2 says about its files is stored
beside them in ``said.json``. It is computed by the functions with which the tests read the files
today. (The files ``lesson-*.npz`` and ``lessons.json`` are older, and not written here.)
"""

from __future__ import annotations

import gzip
import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

HERE = Path(__file__).parent
PAPER = ("paper", "3a", "--quick", "--seeds", "1", "--set", "students=20", "--set", "dimensions=4")
TEACHERS = ("bench", "teachers", "--teachers", "best", "--learners", "gradient", "--tasks")


def make_classes() -> None:
    """Write a class in each format, and one with two outputs."""
    from homeroom import Classroom

    drawn = Classroom.sample(students=12, dimensions=3, rates=(0.1, 0.5), seed=5)
    names = [f"Zoë {number}" for number in range(12)]
    room = Classroom(
        drawn.states, drawn.rates, drawn.target, example_radius=1.5, state_radius=9.0, names=names
    )
    for suffix in ("npz", "csv", "parquet"):
        room.save(HERE / f"class.{suffix}")
    rng = np.random.default_rng(6)
    states, target = rng.normal(size=(8, 3, 2)), rng.normal(size=(3, 2))
    Classroom(states, rng.uniform(0.1, 0.5, 8), target).save(HERE / "class-outputs.npz")


def make_maps() -> None:
    """Write a map of yes and no, and one of five answers."""
    from homeroom import Answers, Embedding

    rng = np.random.default_rng(7)
    people, items = (one.ravel() for one in np.mgrid[:8, :15])
    for name, words in (("two", ["no", "yes"]), ("five", ["oak", "ash", "lime", "fir", "yew"])):
        right = np.arange(15) % len(words)
        wrong = rng.random(len(people)) < 0.2 + 0.3 * (people % 2)
        given = np.where(wrong, rng.integers(len(words), size=len(people)), right[items])
        table = "\n".join(
            f"p{person},i{item},{words[answer]}"
            for person, item, answer in zip(people, items, given, strict=True)
        )
        labels = "\n".join(f"i{item},{words[answer]}" for item, answer in enumerate(right[:10]))
        with TemporaryDirectory() as folder:
            answers, experts = Path(folder) / "answers.csv", Path(folder) / "experts.csv"
            answers.write_text(f"student,item,answer\n{table}\n", encoding="utf-8")
            experts.write_text(f"item,label\n{labels}\n", encoding="utf-8")
            read = Answers.read(answers, labels=experts)
        Embedding.fit(read, dimensions=2).save(HERE / f"map-{name}.npz")


def make_network() -> None:
    """Write a letter network that was trained from scratch for a few steps, with few units."""
    from homeroom.handwriting.generators.lstm.training.__main__ import written
    from homeroom.handwriting.generators.lstm.training.train import train
    from homeroom.handwriting.generators.lstm.training.training_run import TrainingSettings

    settings = TrainingSettings(steps=5, batch=8, hidden=8, held_out=0.1, device="cpu")
    train(written(2, seed=0, jobs=1), HERE / "network.npz", settings, story={"corpus": "a test"})


def make_cells() -> None:
    """Write the stored cells of a figure of the paper, and of a comparison of teachers."""
    from homeroom.cli import run

    for name, command in (("paper", PAPER), ("teachers", (*TEACHERS, "directions", "--quick"))):
        with TemporaryDirectory() as folder:
            assert run([*command, "--workers", "1", "--out", f"{folder}/out", "--json"]) == 0
            shutil.copy(Path(folder) / "out" / "cells.jsonl", HERE / f"cells-{name}.jsonl")


def make_live() -> None:
    """Write a database with five classes, its backup, and the log of an experiment."""
    from homeroom.live.backup import back_up

    with TemporaryDirectory() as folder:
        database = Path(folder) / "classroom.db"
        fill_database(database)
        back_up(str(database), database.with_name("backup.db"))
        for name in ("classroom.db", "backup.db"):
            packed = gzip.compress((database.parent / name).read_bytes(), mtime=0)
            (HERE / f"{name}.gz").write_bytes(packed)


def fill_database(database: Path) -> None:
    """Teach five classes; write the tickets of some students, and the log of an experiment."""
    from fastapi.testclient import TestClient

    from homeroom.live.app import create_app
    from homeroom.live.settings import Hashing, ServerSettings
    from tests.live.conftest import BASE, Live

    settings = ServerSettings(database=str(database), hashing=Hashing(1, 8, 1))
    tickets: dict[str, str] = {}
    with TestClient(create_app(settings), base_url=BASE, headers={"origin": BASE}) as teacher:
        live = Live(teacher, settings)
        live.sign_in()
        for activity in ("insects", "leaves"):
            class_id, students = teach_class(live, activity)
            tickets |= {name: one.browser.cookies["homeroom_student"] for name, one in students}
            live.act(class_id, "phase", phase="done").raise_for_status()
        live.act(
            class_id, "lessons", activity="times-tables", retention_days=DAYS
        ).raise_for_status()  # a next lesson
        teach_uploaded(live)
        teach_writing(live)
        class_id, _ = teach_class(live, "insects", {"arms": ["homeroom", "easy-first"]})
        live.act(class_id, "phase", phase="done").raise_for_status()
        log = live.teacher.get(f"/api/classes/{class_id}/export.experiment.jsonl")
        (HERE / "experiment.jsonl").write_bytes(log.raise_for_status().content)
    (HERE / "tickets.json").write_text(json.dumps(tickets, indent=1) + "\n", encoding="utf-8")


DAYS = 3650
"""How long the classes are kept: opened later, a server deletes them."""


def teach_class(live: Any, activity: str, experiment: Any = None) -> tuple[str, list[Any]]:
    """Teach four students with both tests; one is removed, and one is only on the class list."""
    more = {} if experiment is None else {"experiment": {**experiment, "rounds": 3}}
    class_id, code = live.make_class(activity, retention_days=DAYS, **more)
    students = [(f"{name} ({activity})", live.join(code, name)) for name in ("Ada", "Ben", "Cai")]
    gone = live.join(code, "Dov")
    everyone = [one for _, one in students]
    for student in everyone if experiment else ():
        student.browser.post("/api/consent", json={"agrees": True}).raise_for_status()
    for phase in ("pretest", "teach", "posttest"):
        live.act(class_id, "phase", phase=phase).raise_for_status()
        present = [*everyone, gone] if phase == "pretest" else everyone
        for turn in range(3 if phase == "teach" else 20):
            for number, student in enumerate(present):
                answer_next(student, turn + number, wait=phase == "teach")
        if phase == "pretest":
            live.act(class_id, "remove", students=[gone.id]).raise_for_status()
    return class_id, students


def answer_next(student: Any, number: int, *, wait: bool = True) -> None:
    """Answer the question of a student; without one, perhaps wait for it."""
    for _ in range(300 if wait else 1):
        item = student.view["item"]
        if item is not None:
            break
        time.sleep(0.02)
    else:
        return
    options = item["options"]
    value = options[number % len(options)]["value"]
    student.answer(value).raise_for_status()


def teach_uploaded(live: Any) -> None:
    """Teach an uploaded table without a map, and leave the class in its lesson."""
    rows = [f"animal {number},{('bird', 'fish', 'bat')[number % 3]}" for number in range(12)]
    table = "\n".join(["item,label", *rows]).encode()
    files = {"files": ("animals.csv", table, "text/csv")}
    made = live.teacher.post("/api/activities", data={"name": "Animals"}, files=files)
    class_id, code = live.make_class(made.raise_for_status().json()["id"], retention_days=DAYS)
    students = [live.join(code, name) for name in ("Ada", "Ben")]
    live.act(class_id, "phase", phase="teach").raise_for_status()
    for number in range(3):
        for student in students:
            answer_next(student, number)


def teach_writing(live: Any) -> None:
    """Let two students write a letter f; one of them is removed."""
    from homeroom.handwriting import Child
    from homeroom.live.classbook import writing

    class_id, code = live.make_class("letter-f", retention_days=DAYS)
    students = [live.join(code, name) for name in ("Ada", "Ben")]
    live.act(class_id, "phase", phase="teach").raise_for_status()
    for number, student in enumerate(students):
        ink = Child.of("shaky+rotated", seed=number).write("f", tries=1)[0]
        body = {"round": 1, "strokes": writing.strokes_of(ink)}
        student.browser.post("/api/ink", json=body).raise_for_status()
    live.act(class_id, "remove", students=[students[1].id]).raise_for_status()


MAKERS: dict[str, Callable[[], None]] = {
    "none": lambda: None,
    "classes": make_classes,
    "maps": make_maps,
    "network": make_network,
    "cells": make_cells,
    "live": make_live,
}


def main(names: list[str]) -> None:
    """Write the files, and what this version says about them."""
    from tests.test_files_of_0_2 import SAID, describe_all

    for name in names or MAKERS:
        MAKERS[name]()
    lines = (f"{json.dumps(name)}: {json.dumps(said)}" for name, said in describe_all().items())
    SAID.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
