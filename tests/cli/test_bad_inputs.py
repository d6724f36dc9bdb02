"""Every command refuses bad input in one sentence that names it, with code 2, and leaves nothing.

``BAD`` lists command lines with the word that must be named. ``KINDS`` of files are made by a
generator, so that another seed tries other combinations.
"""

from __future__ import annotations

import io
import json
import os
import sqlite3
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from homeroom import Classroom
from homeroom.cli import serve
from homeroom.crowd import Embedding
from homeroom.handwriting.files import write_ink
from homeroom.handwriting.generators import generate
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.letters import model_letter
from tests.cli.conftest import Homeroom, refuse

CLASS = "student,rate,w1,w2\nAda,0.2,1.0,0.5\nBen,0.1,0.0,0.3\ntarget,,0.6,0.8\n"
ANSWERS = "student,item,answer\n" + "".join(f"p{n % 7},i{n % 9},{n % 2}\n" for n in range(63))
TEXTS = {
    "class.csv": CLASS,
    "class.txt": CLASS,
    "negative.csv": CLASS.replace("Ben,0.1", "Ben,-0.1"),
    "nan.csv": CLASS.replace("0.5", "nan"),
    "huge.csv": CLASS.replace("0.5", "1e200"),
    "mixed.csv": CLASS.replace(",", ";").replace("0.2", "0,2"),
    "twice.csv": "student,group\nAda,1\nAda,2\nBen,1\n",
    "answers.csv": ANSWERS,
    "empty.csv": "",
    "header.csv": "student,item,answer\n",
    "one-person.csv": "student,item,answer\nA,a,1\nA,b,0\n",
    "one-item.csv": "student,item,answer\nA,a,1\nB,a,0\n",
    "all-yes.csv": "student,item,answer\nA,a,1\nB,b,1\n",
    "all-x.csv": "student,item,answer\nA,a,x\nB,b,x\n",
    "many.csv": "student,item,answer\n" + "".join(f"A,i{n},{n}\n" for n in range(51)),
    "bad.jsonl": '{"letter": "f", "strokes": [{"points": []}]}\n' * 2,
    "empty.jsonl": "",
}

BAD = [
    ("tech", "'tech'"),
    ("teach missing.csv", "missing.csv"),
    ("teach class.txt", "class.txt"),
    ("teach negative.csv", "`rates`"),
    ("teach nan.csv", "`states`"),
    ("teach huge.csv", "float64"),
    ("teach mixed.csv", "'0,2'"),
    ("teach cut.npz", "cut.npz"),
    ("teach shapes.npz", "`rates`"),
    ("teach class.csv --students 4", "--students"),
    ("teach class.csv --sample-seed 4", "--sample-seed"),
    ("teach --target class.csv", "--target"),
    ("teach class.csv --target 1,0,2", "`target`"),
    ("teach class.csv --target 1", "`target`"),
    ("teach class.csv --target 1,nan", "--target"),
    ("teach class.csv --target 1;0", "--target"),
    ("teach class.csv --target 1,,0", "--target"),
    ("teach class.csv --target nowhere", "--target"),
    ("teach --students 1000000000000000", "memory"),
    ("teach --students 0", "`students`"),
    ("teach --dimensions 0", "`dimensions`"),
    ("teach --rates 0.2 0.1", "`rates`"),
    ("teach --rates 0 0.1", "`rates`"),
    ("teach --example-radius 0", "`example_radius`"),
    ("teach --state-radius -1", "`state_radius`"),
    ("teach class.csv --state-radius 0.5", "`target`"),
    ("teach --max-rounds -1", "`max_rounds`"),
    ("teach --eps 0", "`eps`"),
    ("teach --eps nan", "`eps`"),
    ("teach --goal average:eps=0.1 --eps 0.2", "eps"),
    ("teach --goal avrage", "'average'"),
    ("teach --teacher clasroom", "'classroom'"),
    ("teach --teacher classroom:magnitude=loud", "`magnitude`"),
    ("teach --teacher classroom:volume=9", "'volume'"),
    ("teach --teacher pool", "--pool"),
    ("teach --teacher strict", "--pool"),
    ("teach --rescalable", "--pool"),
    ("teach --groups by-knowledge:k=0", "`k`"),
    ("teach --groups missing.csv", "missing.csv"),
    ("teach class.csv --groups twice.csv", "'Ada'"),
    ("teach --groups as-given:labels=1", "--groups"),
    ("teach --observer noisy-states", "'delta'"),
    ("teach --learner gradient:loss=huber", "'huber'"),
    ("teach --seed -1", "--seed"),
    ("teach --seed many", "--seed"),
    ("teach --volume 9", "--volume"),
    ("teach class.csv --pool wide.npy", "`items`"),
    ("teach class.csv --watch Zoe", "'Zoe'"),
    ("teach class.csv --watch Ada --groups by-rate", "`watch`"),
    ("teach class.csv --column speed=rate", "'speed'"),
    ("teach class.csv --column rate", "--column"),
    ("teach class.csv --column rate=a --column rate=b", "--column"),
    ("teach --column rate=Speed", "--column"),
    ("teach class.csv --out class.csv", "--out"),
    ("teach class.csv --out class.csv/inside", "--out"),
    ("teach class.csv --out /proc/lesson", "--out"),
    ("teach --workers 2", "--workers"),
    ("teach --rate-range 1 2", "--rate-range"),
    ("teach --scheduler x", "--scheduler"),
    ("teach class.parquet --workers 0", "--workers"),
    ("teach class.parquet --workers 2 --engine exact", "--workers"),
    ("teach class.parquet --rate-range 0.1 0.5 --engine exact", "--rate-range"),
    ("teach class.parquet --rate-range 0.5 0.1", "`rates`"),
    ("teach class.parquet --workers 1 --watch 3", "--watch"),
    ("teach class.parquet --workers 1 --groups by-rate", "--groups"),
    ("teach class.parquet --workers 1 --groups twice.csv", "--groups"),
    ("teach class.parquet --workers 1 --column rate=a", "--column"),
    ("teach class.parquet --workers 1 --learner langevin:beta=9 --verify", "learn"),
    ("teach class.parquet --engine fast", "`engine`"),
    ("teach class.parquet --scheduler tcp://127.0.0.1:1 --students 5", "--students"),
    ("teach ink --engine exact", "--engine"),
    ("compare --lambdas 1,x", "--lambdas"),
    ("compare --lambdas=,", "--lambdas"),
    ("compare --lambdas=-1", "`lambdas`"),
    ("compare --lambdas inf", "`lambdas`"),
    ("compare --way by-luck", "'by-luck'"),
    ("compare --way whole --way whole", "--way"),
    ("group --groups as-given", "--groups"),
    ("certify --teacher clasroom", "'classroom'"),
    ("demo --seed -1", "--seed"),
    ("demo --out class.csv", "--out"),
    ("crowd embed", "ANSWERS"),
    ("crowd embed answers.csv --column student", "--column"),
    ("crowd embed answers.csv --column item=a --column item=b", "--column"),
    ("crowd groups answers.csv --seed -1", "--seed"),
    ("crowd map missing.csv --dimensions 0", "--dimensions"),
    ("crowd teach missing.csv --k 0", "--k"),
    ("crowd groups answers.csv --k 8", "`k`"),
    ("crowd embed answers.csv --keep best", "--keep"),
    ("crowd embed answers.csv --positive ant", "`positive`"),
    ("crowd embed answers.csv --missing 1,unsrue", "'unsrue'"),
    ("crowd embed answers.csv --positive 1 --missing 1", "--missing"),
    ("crowd embed missing.csv --previous no.npz", "no.npz"),
    ("crowd embed missing.csv --previous class.csv", "class.csv"),
    ("crowd teach missing.csv --max-rounds -1", "`max_rounds`"),
    ("crowd teach missing.csv --goal mastery", "--goal"),
    ("crowd teach missing.csv --rate 0", "`rate`"),
    ("crowd teach missing.csv --rate nan", "`rate`"),
    ("crowd teach missing.csv --example-radius -1", "`example_radius`"),
    ("crowd teach missing.csv --magnitude huge", "`magnitude`"),
    ("crowd teach answers.csv", "label"),
    ("crowd map answers.csv --out map.png", "--out"),
    ("crowd map answers.csv --out nowhere/map.html", "nowhere"),
    ("crowd map answers.csv --out dir.html", "--out"),
    *((f"crowd {command} empty.csv", "empty.csv") for command in ("embed", "groups", "teach")),
    ("crowd embed header.csv", "header.csv"),
    ("crowd teach one-person.csv", "'A'"),
    ("crowd teach one-item.csv", "'a'"),
    ("crowd teach all-yes.csv", "'yes'"),
    ("crowd embed all-x.csv", "'x'"),
    ("crowd embed many.csv", "50"),
    ("write score nope.inkml", "nope.inkml"),
    ("write score empty.jsonl", "empty.jsonl"),
    ("write score dot.jsonl", "dot.jsonl, letter 1"),
    ("write score bad.jsonl", "bad.jsonl"),
    ("write score unnamed.jsonl", "--letter"),
    ("write score odd.jsonl", "'é'"),
    ("write score f.jsonl --letter g", "'g'"),
    ("write score f.jsonl --model nope", "nope"),
    ("write score f.jsonl --form runes", "'runes'"),
    ("write score f.jsonl --model f.jsonl --form print", "--model"),
    ("write lesson dot.jsonl", "dot"),
    ("write lesson f.jsonl bad.jsonl", "bad.jsonl"),
    ("write lesson f.jsonl f.jsonl", "twice"),
    ("write lesson odd.jsonl", "`letter`"),
    ("write lesson f.jsonl --out x.pdf", "--out"),
    ("write lesson f.jsonl --out no/x.html", "--out"),
    ("write lesson f.jsonl --out dir.html", "--out"),
    ("write lesson f.jsonl --trajectories x", "--trajectories"),
    ("write lesson f.jsonl g.jsonl", "--letter"),
    ("write lesson f.jsonl --eps 0 --pool 20", "`eps`"),
    ("write lesson f.jsonl --rate 0 --pool 20", "`rates`"),
    ("write lesson f.jsonl --height 0 --trajectories r.json --pool 20", "`height`"),
    ("write lesson f.jsonl --pool 3", "--pool"),
    ("write generate é", "`letter`"),
    ("write generate f --rotation a", "--rotation"),
    ("write generate f --rotation 1:2:3", "--rotation"),
    ("write generate f --rotation 99", "`rotation`"),
    ("write generate f --bias 1", "--bias"),
    ("write generate f --generator me", "`generator`"),
    ("write generate f --generator me.npz", "me.npz"),
    ("write generate f --out no/x.svg", "--out"),
    ("write generate f --out x.doc", "--out"),
    ("write generate f -n 0", "-n"),
    ("write forms nope", "nope"),
    ("write forms nameless", "--letter"),
    ("write train nope", "nope"),
    ("write train ink", "ink"),
    ("write train dots", "pen"),
    ("write train ink --out x.pt", "--out"),
    ("evaluate log.jsonl --difference 0", "--difference"),
    ("evaluate log.jsonl --difference nan", "--difference"),
    ("evaluate log.jsonl --ahead 0", "--ahead"),
    ("evaluate log.jsonl --seed -1", "--seed"),
    ("bench cpu", "'cpu'"),
    ("bench gpu --students 100", "--students"),
    ("bench gpu --students 10000.5", "--students"),
    ("bench gpu --students inf", "--students"),
    ("bench gpu --dimensions 0", "--dimensions"),
    ("bench gpu --nodes 34", "--nodes"),
    ("bench gpu --nodes 515", "--nodes"),
    ("bench gpu --seed -1", "--seed"),
    ("bench teachers --tasks dogs", "'dogs'"),
    ("bench teachers --teachers bets", "'best'"),
    ("bench teachers --quick --seeds 3", "--seeds"),
    ("bench teachers --seeds 0", "--seeds"),
    ("bench teachers --only nobody", "'nobody'"),
    ("bench teachers --teachers best,", "--teachers"),
    ("bench teachers --tasks ball,", "''"),
    ("bench teachers --teachers pool:magnitude=nonsense", "magnitude"),
    ("bench teachers --workers 0", "--workers"),
    ("bench teachers --out ink", "ink"),
    ("paper 4z", "'4z'"),
    ("paper 7", "'7'"),
    ("paper 3a --set eps", "'eps'"),
    ("paper 3a --set eps=0", "`eps`"),
    ("paper 3a --seeds 0", "`seeds`"),
    ("paper 3a --workers 0", "--workers"),
    ("paper 3a --out class.csv", "class.csv"),
    ("sample --seed -1", "--seed"),
    ("sample ink", "ink"),
    ("serve --origin school.example", "--origin"),
    ("serve --origin ftp://x", "--origin"),
    ("serve --origin https://", "--origin"),
    ("serve --origin https://x/y", "--origin"),
    ("serve --origin http://[x", "--origin"),
    ("serve --port 99999", "--port"),
    ("serve --port 0 --host nowhere.invalid", "--host"),
    ("serve --port 0 --activity nothing", "nothing"),
    ("serve --port 0 --database mysql://x", "postgresql"),
    ("serve --port 0 --database ink", "ink"),
    ("serve --port 0 --database class.csv", "class.csv"),
    ("serve --port 0 --database class.csv/x.db", "class.csv"),
    *(
        (f"{command} --database {place}", "--database")
        for command in ("serve --port 0", "backup new.db", "restore class.csv")
        for place in ("typo/x.db", "sqlite:///typo/x.db")
    ),
    ("restore none.db", "none.db"),
    ("restore class.csv --database one.db", "backup"),
    ("backup class.csv --database one.db", "class.csv"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with good and bad files, in which commands run; no server is started."""
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        Path(name).write_text(text)
    room = Classroom.load("class.csv")
    room.save("class.npz")
    room.save("class.parquet")
    Path("cut.npz").write_bytes(Path("class.npz").read_bytes()[:-200])
    np.savez("shapes.npz", states=np.zeros((4, 2)), rates=np.ones(3), target=np.zeros(2))
    np.save("wide.npy", np.eye(4))
    for name in ("ink", "dots", "nameless", "dir.html"):
        Path(name).mkdir()
    Path("ink", "notes.txt").write_text("no ink at all")
    nameless, dot = replace(model_letter("f"), letter=None), Ink((Stroke([[1, 1]]),), letter="f")
    for place, inks in {
        "f.jsonl": generate("f", 2),
        "g.jsonl": generate("g", 2),
        "dot.jsonl": [dot],
        "dots/l.jsonl": [dot],
        "unnamed.jsonl": [nameless],
        "nameless/l.jsonl": [nameless],
        "odd.jsonl": [replace(nameless, letter="é")],
    }.items():
        write_ink(inks, place)
    monkeypatch.setattr(serve, "_run", lambda *_: None)
    monkeypatch.setattr(Embedding, "fit", None)  # it would take a while
    return tmp_path


def list_all(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


@pytest.mark.parametrize(("line", "named"), BAD, ids=[line for line, _ in BAD])
def test_bad_input_is_refused_by_its_name_and_leaves_nothing(
    homeroom: Homeroom, folder: Path, line: str, named: str
) -> None:
    if line.startswith("write train"):
        pytest.importorskip("torch")
    before = list_all(folder)
    refuse(homeroom(*line.split()), named)
    assert list_all(folder) == before


EMPTY = [
    "teach --teacher",
    "teach --goal",
    "teach --groups",
    "teach --pool",
    "teach class.csv --target",
    "crowd teach answers.csv --goal",
    "bench teachers --teachers",
    "serve --database",
    "backup new.db --database",
    "write generate f --generator",
]


@pytest.mark.parametrize("line", EMPTY)
@pytest.mark.parametrize("equals", [False, True])
def test_an_option_without_a_value_is_refused_and_named(
    homeroom: Homeroom, folder: Path, line: str, equals: bool
) -> None:
    *words, option = line.split()
    before = list_all(folder)
    refuse(homeroom(*words, *([f"{option}="] if equals else [option, ""])), f"{option} is empty")
    assert list_all(folder) == before


ENDINGS = (
    *(".csv", ".tsv", ".txt", ".json", ".jsonl", ".npz", ".npy", ".xlsx", ".ods", ".zip"),
    *(".parquet", ".inkml", ".yaml", ".gift", ".db", ".CSV", ""),
)

ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
BOMB = f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e0 "ha">{ENTITIES}]><a>&e9;</a>'.encode()
OUTSIDE = b'<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><ink><trace>&e;</trace></ink>'


def make_zip(**parts: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name.replace("__", "/"), data)
    return file.getvalue()


def save_arrays(*arrays: object, **named: object) -> bytes:
    file = io.BytesIO()
    if arrays:
        np.save(file, np.asarray(arrays[0]), allow_pickle=True)
    else:
        np.savez(file, allow_pickle=True, **{k: np.asarray(v) for k, v in named.items()})
    return file.getvalue()


def make_enormous() -> bytes:
    """Return an array of a few bytes whose header states a size of terabytes."""
    return save_arrays(np.zeros(4)).replace(b"(4,), }" + b" " * 15, b"(4000000000000000,), }", 1)


def make_database() -> bytes:
    with sqlite3.connect(":memory:") as other:
        other.execute("create table class (id text)")
        return bytes(other.serialize())


def change_bytes(data: bytes, rng: np.random.Generator) -> bytes:
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
    "a zip cut off": lambda rng: make_zip(a=b"x" * 999)[: int(rng.integers(4, 60))],
    "a zip with changed bytes": lambda rng: change_bytes(
        make_zip(xl__worksheets__a=b"x" * 99), rng
    ),
    "a zip that unpacks to much more": lambda _: make_zip(content=bytes(30_000_000)),
    "a zip that leaves its folder": lambda _: make_zip(**{"..__..__homeroom-was-here": b"x"}),
    "a zip of nothing": lambda _: make_zip(),
    "lists without end": lambda _: b"[" * 100_000,
    "objects without end": lambda _: b'{"a":' * 100_000,
    "a number too large": lambda _: b'[{"student": 1e999, "item": ' + b"9" * 6000 + b"}]",
    "half a character": lambda _: b'{"letter": "\\ud800", "strokes": [{"points": []}]}',
    "entities without end": lambda _: BOMB,
    "an entity from outside": lambda _: OUTSIDE,
    "entities in a spreadsheet": lambda _: make_zip(content=BOMB, xl__worksheets__s=BOMB),
    "100,000 columns": lambda _: b",".join(b"c%d" % n for n in range(100_001)) + b"\n",
    "an endless line": lambda _: b"ab " * 1_000_000,
    "an open quotation mark": lambda _: b'student,item,answer\na,"b,1\n' + b"a,b,1\n" * 50,
    "UTF-16 without its mark": lambda _: "student,item\nä,1\n".encode("utf-16-le"),
    "UTF-8 cut in a character": lambda _: b"student,item,answer\n\xc3,\xe2\x82,1\n",
    "a header only": lambda _: b"rate,x1,x2\n",
    "rows of all lengths": lambda _: b"".join(b"1," * n + b"\n" for n in range(1, 40)),
    "no numbers": lambda _: b"rate,x1,x2\nnan,inf,-inf\n1e999,,x\n",
    "pickled objects": lambda _: save_arrays(states=[{"a": 1}, None]),
    "an array of objects": lambda _: save_arrays([{"a": 1}, None]),
    "an array of terabytes": lambda _: make_enormous(),
    "arrays with other names": lambda _: save_arrays(a=np.zeros(3), b=np.ones((2, 2))),
    "a picture": lambda _: b"\x89PNG\r\n\x1a\n" + bytes(99),
    "a document": lambda _: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n",
    "a page of a server": lambda _: b"<!doctype html><title>404</title><p>Not found</p>",
    "a Parquet file of nothing": lambda _: b"PAR1\x00\x00\x00\x00PAR1",
    "another database": lambda _: make_database(),
    "a database cut off": lambda rng: make_database()[: int(rng.integers(20, 4000))],
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

COMMANDS = [
    "teach BAD",
    "teach class.csv --target BAD",
    "teach class.csv --pool BAD",
    "teach class.csv --groups BAD",
    "compare BAD",
    "group BAD",
    "certify BAD",
    "crowd embed BAD",
    "crowd groups BAD",
    "crowd teach BAD",
    "crowd map BAD",
    "crowd embed answers.csv --labels BAD",
    "crowd embed answers.csv --previous BAD",
    "write score BAD",
    "write score f.jsonl --model BAD",
    "write score f.jsonl --forms BAD",
    "write lesson BAD",
    "write forms BAD",
    "write generate a --generator BAD",
    "evaluate BAD",
    "restore BAD --database restored.db",
    "backup backup.db --database BAD",
    "serve --port 0 --database :memory: --activity BAD",
    "crowd embed answers.csv --out map --labels BAD",
    "write lesson f.jsonl --generator BAD --out lesson.html",
]
"""Every command that reads a file, once for each argument that names one."""


def make_bad(kind: str, rng: np.random.Generator, folder: Path) -> Path:
    """Return a bad input of some kind in a new folder, with a random ending."""
    folder.mkdir()
    place = folder / f"bad{ENDINGS[int(rng.integers(len(ENDINGS)))]}"
    if kind in PLACES:
        PLACES[kind](place)
    else:
        place.write_bytes(CONTENTS[kind](rng))
    return place


def assert_refused(homeroom: Homeroom, command: str, bad: Path, folder: Path) -> None:
    before = sorted(folder.iterdir())
    ran = homeroom(*(bad if part == "BAD" else part for part in command.split()))
    assert (ran.code, ran.out) == (2, ""), (command, bad.name, ran)
    assert "Traceback" not in ran.err
    assert 0 < len(ran.err) < 3000
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("number", range(len(COMMANDS)))
def test_each_command_refuses_some_bad_files(homeroom: Homeroom, folder: Path, number: int) -> None:
    rng = np.random.default_rng(number)
    for kind in (*rng.choice(KINDS, 2, replace=False), "a link to itself"):
        bad = make_bad(kind, rng, folder / kind.replace(" ", "-"))
        assert_refused(homeroom, COMMANDS[number], bad, folder)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_bad_files_are_refused_by_all_commands(homeroom: Homeroom, folder: Path, kind: str) -> None:
    for number, command in enumerate(COMMANDS):
        bad = make_bad(kind, np.random.default_rng([0, number]), folder / str(number))
        assert_refused(homeroom, command, bad, folder)


FILES = [
    ("teach FILE.csv", "noise latin"),
    ("teach FILE.npz", "noise"),
    ("teach FILE.parquet", "noise folder"),
    ("teach class.csv --pool FILE.npy", "noise folder"),
    ("teach class.csv --groups FILE.csv", "latin folder"),
    ("crowd embed FILE.jsonl", "noise folder"),
    ("crowd embed answers.csv --labels FILE.json", "noise folder"),
    ("write score FILE.inkml", "noise folder"),
    *((f"crowd {command} FILE.csv", "two-gigabytes") for command in ("embed", "teach")),
    ("crowd embed FILE.parquet", "two-gigabytes"),
]


@pytest.mark.parametrize(("line", "kinds"), FILES, ids=[line for line, _ in FILES])
def test_a_file_that_cannot_be_read_is_named(
    homeroom: Homeroom, folder: Path, line: str, kinds: str
) -> None:
    for kind in (*kinds.split(), "x" * 300):
        words = line.replace("FILE", kind).split()
        (path,) = (Path(word) for word in words if word.startswith(kind))
        if kind == "folder":
            path.mkdir()
        elif kind == "noise":
            path.write_bytes(np.random.default_rng(0).bytes(500))
        elif kind == "latin":
            path.write_bytes("Ä\u00a0;ö\n1;ü".encode("latin-1"))
        elif kind == "two-gigabytes":
            with path.open("wb") as file:
                file.write(b"PAR1" if path.suffix == ".parquet" else b"student,item,answer\n")
                file.truncate(2 << 30)  # a hole, which fills no disk
        refuse(homeroom(*words), kind)
