"""Bad inputs of random kinds end every command that reads files in one sentence and leave nothing.

The kinds are made by a generator, so that another seed tries other combinations.
"""

from __future__ import annotations

import io
import json
import os
import sqlite3
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from homeroom.cli import serve
from tests.cli.conftest import Homeroom

ENDINGS = (
    *(".csv", ".tsv", ".txt", ".json", ".jsonl", ".npz", ".npy", ".xlsx", ".ods", ".zip"),
    *(".parquet", ".inkml", ".yaml", ".gift", ".db", ".CSV", ""),
)

ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
BOMB = f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e0 "ha">{ENTITIES}]><a>&e9;</a>'.encode()
OUTSIDE = b'<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><ink><trace>&e;</trace></ink>'


def zipped(**parts: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name.replace("__", "/"), data)
    return file.getvalue()


def saved(*arrays: object, **named: object) -> bytes:
    file = io.BytesIO()
    if arrays:
        np.save(file, np.asarray(arrays[0]), allow_pickle=True)
    else:
        np.savez(file, allow_pickle=True, **{k: np.asarray(v) for k, v in named.items()})
    return file.getvalue()


def enormous() -> bytes:
    """Return an array of a few bytes whose header states a size of terabytes."""
    return saved(np.zeros(4)).replace(b"(4,), }" + b" " * 15, b"(4000000000000000,), }", 1)


def other_database() -> bytes:
    with sqlite3.connect(":memory:") as other:
        other.execute("create table class (id text)")
        return bytes(other.serialize())


def broken(data: bytes, rng: np.random.Generator) -> bytes:
    """Return data with some bytes changed."""
    changed = bytearray(data)
    for place in rng.integers(0, len(changed), 1 + len(changed) // 20):
        changed[place] = int(rng.integers(256))
    return bytes(changed)


CONTENTS: dict[str, Callable[[np.random.Generator], bytes]] = {
    "nothing": lambda _: b"",
    "noise": lambda rng: rng.bytes(int(rng.integers(1, 5000))),
    "zero bytes": lambda rng: bytes(int(rng.integers(1, 5000))),
    "only a mark of the encoding": lambda _: b"\xff\xfe",
    "a zip cut off": lambda rng: zipped(a=b"x" * 999)[: int(rng.integers(4, 60))],
    "a zip with changed bytes": lambda rng: broken(zipped(xl__worksheets__a=b"x" * 99), rng),
    "a zip that unpacks to much more": lambda _: zipped(content=bytes(30_000_000)),
    "a zip that leaves its folder": lambda _: zipped(**{"..__..__homeroom-was-here": b"x"}),
    "a zip of nothing": lambda _: zipped(),
    "lists without end": lambda _: b"[" * 100_000,
    "objects without end": lambda _: b'{"a":' * 100_000,
    "a number too large": lambda _: b'[{"student": 1e999, "item": ' + b"9" * 6000 + b"}]",
    "half a character": lambda _: b'{"letter": "\\ud800", "strokes": [{"points": []}]}',
    "entities without end": lambda _: BOMB,
    "an entity from outside": lambda _: OUTSIDE,
    "entities in a spreadsheet": lambda _: zipped(content=BOMB, xl__worksheets__s=BOMB),
    "100,000 columns": lambda _: b",".join(b"c%d" % n for n in range(100_001)) + b"\n",
    "an endless line": lambda _: b"ab " * 1_000_000,
    "an open quotation mark": lambda _: b'student,item,answer\na,"b,1\n' + b"a,b,1\n" * 50,
    "UTF-16 without its mark": lambda _: "student,item\nä,1\n".encode("utf-16-le"),
    "UTF-8 cut in a character": lambda _: b"student,item,answer\n\xc3,\xe2\x82,1\n",
    "a header only": lambda _: b"rate,x1,x2\n",
    "rows of all lengths": lambda _: b"".join(b"1," * n + b"\n" for n in range(1, 40)),
    "no numbers": lambda _: b"rate,x1,x2\nnan,inf,-inf\n1e999,,x\n",
    "pickled objects": lambda _: saved(states=[{"a": 1}, None]),
    "an array of objects": lambda _: saved([{"a": 1}, None]),
    "an array of terabytes": lambda _: enormous(),
    "arrays with other names": lambda _: saved(a=np.zeros(3), b=np.ones((2, 2))),
    "a picture": lambda _: b"\x89PNG\r\n\x1a\n" + bytes(99),
    "a document": lambda _: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n",
    "a page of a server": lambda _: b"<!doctype html><title>404</title><p>Not found</p>",
    "a Parquet file of nothing": lambda _: b"PAR1\x00\x00\x00\x00PAR1",
    "another database": lambda _: other_database(),
    "a database cut off": lambda rng: other_database()[: int(rng.integers(20, 4000))],
    "a list of nothing": lambda _: json.dumps([{}, [], None]).encode(),
    "a mapping of itself": lambda _: b"a: &a [*a, *a]\n? [1, 2]\n: !!python/object:os.system x\n",
}
"""What a file may contain, by name."""

PLACES: dict[str, Callable[[Path], object]] = {
    "no file": lambda _: None,
    "a folder": lambda place: place.mkdir(),
    "a link to itself": lambda place: place.symlink_to(place),
    "a link to nothing": lambda place: place.symlink_to(place.with_name("nothing")),
    "a pipe without a writer": os.mkfifo,
    "a device without end": lambda place: place.symlink_to("/dev/zero"),
    "a device without content": lambda place: place.symlink_to("/dev/null"),
}
"""Paths that are not files, by name."""

KINDS = (*CONTENTS, *PLACES)

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("teach", "BAD"),
    ("teach", "class.csv", "--target", "BAD"),
    ("teach", "class.csv", "--pool", "BAD"),
    ("teach", "class.csv", "--groups", "BAD"),
    ("compare", "BAD"),
    ("group", "BAD"),
    ("certify", "BAD"),
    ("crowd", "embed", "BAD"),
    ("crowd", "groups", "BAD"),
    ("crowd", "teach", "BAD"),
    ("crowd", "map", "BAD"),
    ("crowd", "embed", "answers.csv", "--labels", "BAD"),
    ("crowd", "embed", "answers.csv", "--roster", "BAD"),
    ("crowd", "embed", "answers.csv", "--previous", "BAD"),
    ("write", "score", "BAD"),
    ("write", "score", "a.jsonl", "--model", "BAD"),
    ("write", "score", "a.jsonl", "--forms", "BAD"),
    ("write", "lesson", "BAD"),
    ("write", "forms", "BAD"),
    ("write", "generate", "a", "--generator", "BAD"),
    ("evaluate", "BAD"),
    ("restore", "BAD", "--database", "restored.db"),
    ("backup", "backup.db", "--database", "BAD"),
    ("serve", "--port", "0", "--database", ":memory:", "--activity", "BAD"),
    ("crowd", "embed", "answers.csv", "--out", "map", "--labels", "BAD"),
    ("write", "lesson", "a.jsonl", "--generator", "BAD", "--out", "lesson.html"),
)
"""Every command that reads a file, once for each argument that names one."""


def bad_input(kind: str, rng: np.random.Generator, folder: Path) -> Path:
    """Return a bad input of some kind, with a random ending."""
    place = folder / f"bad{ENDINGS[int(rng.integers(len(ENDINGS)))]}"
    if kind in PLACES:
        PLACES[kind](place)
    else:
        place.write_bytes(CONTENTS[kind](rng))
    return place


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with good files, for the other arguments."""
    (tmp_path / "class.csv").write_text("rate,x1,x2,target1,target2\n.1,1,2,0,0\n.2,2,1,0,0\n")
    (tmp_path / "answers.csv").write_text(
        "student,item,answer\n" + "".join(f"p{n % 7},i{n % 9},{n % 2}\n" for n in range(63))
    )
    (tmp_path / "a.jsonl").write_text(
        '{"letter": "a", "strokes": [{"points": [[0, 0], [1, 1], [0, 1], [1, 0]]}]}\n'
    )
    monkeypatch.setattr(serve, "_run", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def assert_refused(homeroom: Homeroom, command: Sequence[str], bad: Path, folder: Path) -> None:
    before = sorted(folder.iterdir())
    ran = homeroom(*(str(bad) if part == "BAD" else part for part in command))
    assert ran.code == 2, (command, bad.name, ran)
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert 0 < len(ran.err) < 3000
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("number", range(len(COMMANDS)))
def test_each_command_refuses_some_bad_inputs(
    homeroom: Homeroom, folder: Path, number: int
) -> None:
    rng = np.random.default_rng(number)
    for kind in rng.choice(KINDS, 2, replace=False):
        place = folder / kind.replace(" ", "-")
        place.mkdir()
        assert_refused(homeroom, COMMANDS[number], bad_input(kind, rng, place), folder)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_link_to_itself_is_refused(
    homeroom: Homeroom, folder: Path, command: Sequence[str]
) -> None:
    place = folder / "links"
    place.mkdir()
    bad = bad_input("a link to itself", np.random.default_rng(0), place)
    assert_refused(homeroom, command, bad, folder)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_bad_inputs_are_refused_by_all_commands(
    homeroom: Homeroom, folder: Path, kind: str
) -> None:
    for number, command in enumerate(COMMANDS):
        place = folder / str(number)
        place.mkdir()
        rng = np.random.default_rng([0, number])
        assert_refused(homeroom, command, bad_input(kind, rng, place), folder)
