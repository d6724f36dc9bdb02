"""Files that homeroom 0.2 wrote open with the present version, and say what they said then.

``tests/data/0.2/make.py`` wrote them, and ``said.json`` with the functions below, all with the code
of 0.2. Only what must stay the same is compared: not, for example, estimates of a live class, and
not the ids and the handwriting of students who were removed, which are erased on opening.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from homeroom import Classroom, Embedding, teach
from homeroom.handwriting.generators.lstm import LetterModel
from homeroom.live.app import create_app
from homeroom.live.backup import restore
from homeroom.live.settings import Hashing, ServerSettings
from homeroom.live.store import EventStore, open_store
from homeroom.live.store.store import plain
from homeroom.studies.cells import CellStore
from homeroom.studies.experiment_log import read_logs
from tests.live.conftest import BASE, PASSWORD

FILES = Path(__file__).parent / "data" / "0.2"
SAID = FILES / "said.json"
CLASSES = ("class.npz", "class.csv", "class.parquet", "class-outputs.npz")
MAPS = ("map-two.npz", "map-five.npz")
CELLS = ("cells-paper.jsonl", "cells-teachers.jsonl")
DATABASE, BACKUP, LOG, NETWORK = "classroom.db", "backup.db", "experiment.jsonl", "network.npz"
BOARD = ("activity", "kind", "lesson", "phase", "round", "version", "locked", "paused", "goal")
"""What the teacher's page shows that follows from the log alone."""

RELATIVE = 1e-6
"""How closely numbers agree that are computed; what is stored must be equal."""


def describe_class(name: str) -> dict[str, Any]:
    """Return the arrays of a class, and a short lesson."""
    room = Classroom.load(FILES / name)
    lesson = teach(room, max_rounds=5)
    return {
        "states": room.states.tolist(),
        "rates": room.rates.tolist(),
        "target": room.target.tolist(),
        "radii": [room.state_radius, room.example_radius] if np.isfinite(room.state_radius) else [],
        "names": None if room.names is None else list(room.names),
        "errors": np.asarray(lesson.errors).tolist(),
    }


def describe_map(name: str) -> dict[str, Any]:
    """Return the parameters of a map, and what follows from them."""
    found = Embedding.load(FILES / name)
    return {
        "items": np.asarray(found.items).tolist(),
        "people": np.asarray(found.people).tolist(),
        "thresholds": np.asarray(found.thresholds).tolist(),
        "names": [list(found.item_names), list(found.person_names)],
        "probability": np.asarray(
            found.probability(found.person_names[:2], found.item_names[:2])
        ).tolist(),
        "target": np.asarray(found.target()).tolist(),
        "groups": np.asarray(found.groups(2)).tolist(),
        "held_out": {str(key): value for key, value in found.held_out.items()},
    }


def describe_network(name: str) -> dict[str, Any]:
    """Return the card of a letter network, and what its weights draw first."""
    model = LetterModel.load(FILES / name)
    conditions = np.zeros((2, model.weights.habits.rows.shape[1]), dtype=np.float32)
    drawn = model.draft(np.array([0, 5]), conditions, np.random.default_rng(0))
    card = model.card.to_json()
    return {"card": card, "places": np.asarray(drawn.places)[:, :4].tolist()}


def describe_cells(name: str) -> dict[str, Any]:
    """Return the rows of the cells that a run resumes from."""
    with TemporaryDirectory() as folder:
        shutil.copy(FILES / name, Path(folder) / "cells.jsonl")
        return dict(CellStore(Path(folder)).rows)


def describe_log(name: str) -> list[dict[str, Any]]:
    """Return the lessons in the log of an experiment."""
    return [
        {
            "arms": list(lesson.arms),
            "answers": [[one.student, one.item, one.right] for one in lesson.answers],
            "choices": [[one.arm, one.item] for one in lesson.choices],
        }
        for lesson in read_logs([FILES / name])
    ]


def describe_database(name: str) -> dict[str, Any]:
    """Return the classes, events and activities of a database."""
    with TemporaryDirectory() as folder, open_store(unpack(name, folder)) as store:
        return describe_store(store)


def describe_backup(name: str) -> dict[str, Any]:
    """Return what is restored from a backup. Restoring signs all students out."""
    with TemporaryDirectory() as folder, open_store(":memory:") as store:
        counts = restore(store, unpack(name, folder))
        found = describe_store(store)
    for events in found["events"].values():
        if events[-1]["kind"] == "signedout":
            del events[-1]
    return {"counts": list(counts), **found}


def unpack(name: str, folder: str) -> str:
    """Unpack a database into a folder, and return its path."""
    path = Path(folder) / name
    path.write_bytes(gzip.decompress((FILES / f"{name}.gz").read_bytes()))
    return str(path)


def describe_store(store: EventStore) -> dict[str, Any]:
    """Return the classes, events and activities in a store."""
    return {
        "classes": {row.id: [row.name, row.activity, row.code] for row in store.classes()},
        "events": {row.id: describe_events(store, row.id) for row in store.classes()},
        "activities": [one.to_json() for one in store.activities()],
    }


def describe_events(store: EventStore, class_id: str) -> list[dict[str, Any]]:
    """Return the events of a class; those who were removed have a number instead of an identity."""
    events = json.loads(json.dumps([plain(one) for one in store.events(class_id)]))
    removed = [who for one in events if one["kind"] == "removed" for who in one["students"]]
    texts = []
    for event in events:
        if event.get("student") in removed:
            for private in {"name", "strokes", "scores", "form"} & event.keys():
                del event[private]
        text = json.dumps(event)
        for number, student in enumerate(removed):
            text = text.replace(f'"{student}"', f'"removed {number}"')
        texts.append(json.loads(text))
    return texts


def describe_pages(name: str) -> dict[str, Any]:
    """Return what the pages of the teacher and of the students show after a restart."""
    with serve_copy(name) as teacher:
        lines = teacher.get("/api/classes").raise_for_status().json()["classes"]
        classes = {one["class"]: describe_page(teacher, one["class"]) for one in lines}
        seats = {
            who: [seen["student"], seen["nickname"], seen["phase"], seen["round"], seen["item"]]
            for who, seen in see_as_students(teacher)
        }
    return {"classes": classes, "seats": seats}


def see_as_students(teacher: TestClient) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what students see whose browsers were open in 0.2."""
    for who, ticket in json.loads((FILES / "tickets.json").read_text("utf-8")).items():
        student = TestClient(teacher.app, base_url=BASE, cookies={"homeroom_student": ticket})
        student.portal = teacher.portal
        yield who, student.get("/api/me").raise_for_status().json()


def describe_page(teacher: TestClient, class_id: str) -> dict[str, Any]:
    """Return what follows from the log alone on the page of a class, and its table of answers."""
    board = teacher.get(f"/api/classes/{class_id}").raise_for_status().json()
    table = teacher.get(f"/api/classes/{class_id}/export.csv").raise_for_status().text
    return {
        **{key: board[key] for key in BOARD},
        "students": [[one["id"], one["name"], one["answers"]] for one in board["students"]],
        "table": table.splitlines(),
    }


@contextmanager
def serve_copy(name: str) -> Iterator[TestClient]:
    """Serve a copy of a database to its teacher, who signs in."""
    with TemporaryDirectory() as folder:
        settings = ServerSettings(database=unpack(name, folder), hashing=Hashing(1, 8, 1))
        opened = TestClient(create_app(settings), base_url=BASE, headers={"origin": BASE})
        with opened as teacher:
            body = {"password": PASSWORD}
            teacher.post("/api/teacher/sign-in", json=body).raise_for_status()
            yield teacher


CASES: dict[str, tuple[Callable[[str], Any], str]] = {
    **{name: (describe_class, name) for name in CLASSES},
    **{name: (describe_map, name) for name in MAPS},
    **{name: (describe_cells, name) for name in CELLS},
    NETWORK: (describe_network, NETWORK),
    LOG: (describe_log, LOG),
    DATABASE: (describe_database, DATABASE),
    BACKUP: (describe_backup, BACKUP),
    "pages": (describe_pages, DATABASE),
}


def describe_all() -> dict[str, Any]:
    """Return what this version says about all files."""
    said = {name: describe(file) for name, (describe, file) in CASES.items()}
    said[BACKUP] = {"counts": said[BACKUP]["counts"]}  # the rest is that of the database
    return said


def differences(before: Any, now: Any, where: str = "") -> Iterable[str]:
    """Yield where two JSON values differ; numbers may differ by rounding."""
    if isinstance(before, dict) and isinstance(now, dict) and before.keys() == now.keys():
        for key in before:
            yield from differences(before[key], now[key], f"{where}/{key}")
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for number, (one, other) in enumerate(zip(before, now, strict=True)):
            yield from differences(one, other, f"{where}/{number}")
    elif isinstance(before, float) and isinstance(now, int | float):
        if now != pytest.approx(before, rel=RELATIVE, abs=RELATIVE):
            yield f"{where}: {now} instead of {before}"
    elif before != now:
        yield f"{where}: {str(now)[:200]} instead of {str(before)[:200]}"


@pytest.mark.parametrize("name", CASES)
def test_a_file_of_0_2_says_the_same(name: str) -> None:
    describe, file = CASES[name]
    now = json.loads(json.dumps(describe(file)))
    said = json.loads(SAID.read_text("utf-8"))
    before = {**said[name], **said[DATABASE]} if name == BACKUP else said[name]
    found = list(differences(before, now))
    assert not found, "\n".join(found[:20])
