"""What users see, as plain data: results of commands, their files, the web API, boards of classes.

A case is a command on the files of ``homeroom sample``, or a part of the live classroom. Its result
is stored as one line of JSON in ``seen.jsonl``. Numbers have six digits; what differs from run to
run, or from version to version, is left out (``VOLATILE``). Long lists of like rows keep every
tenth row, and their length.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import math
import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any, NamedTuple

from homeroom.cli import run

STORE = Path(__file__).with_name("seen.jsonl")
VOLATILE = {"version", "seconds", "core_seconds", "folder", "file", "files", "at", "time", "made"}
"""Keys of results that differ from run to run, or from version to version."""

LONGEST = 60
"""The most entries of a list that are all kept."""

KEPT = 10
"""Of a longer list, each entry whose position is a multiple of this is kept."""

DIGITS = 6
RELATIVE = 2e-4
"""The tolerance of numbers, relative to the stored value. They have six digits; a fitted map
differs between processors by a few units of the fifth."""


class Case(NamedTuple):
    """A command, and whether it runs only in the slow tests.

    ``FILE`` in an argument is a file of the sample; ``OUT`` is where the command writes.
    """

    command: str
    slow: bool = False


CROWD = "FILE/answers.csv --labels FILE/experts.csv --dimensions 2"
FIVE = "FILE/answers5.csv --labels FILE/experts5.csv --dimensions 2"
INK = "FILE/ada.inkml FILE/ben.inkml FILE/cleo.inkml"
COMMANDS: dict[str, Case] = {
    "sample": Case("sample OUT/sample", slow=True),
    "demo": Case("demo --out OUT/demo", slow=True),
    "teach": Case("teach FILE/students.csv --out OUT/lesson"),
    "teach-parquet": Case("teach FILE/students.parquet --verify"),
    "teach-drawn": Case("teach --students 20 --dimensions 3 --groups by-rate"),
    "teach-everyone": Case("teach FILE/students.csv --goal everyone --magnitude dynamic"),
    "compare": Case("compare FILE/students.csv --out OUT/compare", slow=True),
    "compare-ways": Case("compare FILE/students.csv --way by-rate --way by-knowledge:k=3"),
    "compare-frontier": Case("compare FILE/students.csv --frontier", slow=True),
    "group": Case("group FILE/students.csv --out OUT/groups"),
    "group-knowledge": Case("group FILE/students.csv --groups by-knowledge:k=3"),
    "certify": Case("certify FILE/students.csv --out OUT/proof"),
    "crowd-embed": Case(f"crowd embed {CROWD} --out OUT/map"),
    "crowd-embed-chosen": Case("crowd embed FILE/answers.csv", slow=True),
    "crowd-embed-five": Case(f"crowd embed {FIVE}", slow=True),
    "crowd-embed-zooniverse": Case("crowd embed FILE/classifications.csv --dimensions 1"),
    "crowd-embed-form": Case("crowd embed FILE/form.csv --positive butterfly --dimensions 1"),
    "crowd-groups": Case(f"crowd groups {CROWD} --k 3 --out OUT/groups"),
    "crowd-groups-five": Case(f"crowd groups {FIVE} --k 2", slow=True),
    "crowd-teach": Case(f"crowd teach {CROWD} --k 3 --out OUT/lesson"),
    "crowd-teach-fixed": Case(f"crowd teach {CROWD} --k 2 --fixed", slow=True),
    "crowd-teach-five": Case(f"crowd teach {FIVE} --k 2", slow=True),
    "crowd-map": Case(f"crowd map {CROWD} --k 3 --out OUT/map.html"),
    "write-score": Case("write score FILE/ada.inkml"),
    "write-generate": Case("write generate f --out OUT/sheet.svg"),
    "write-lesson": Case(
        f"write lesson {INK} --pool 100 --out OUT/lesson.html --trajectories OUT/robot.json"
    ),
    "write-forms": Case("write forms FILE --letter f --out OUT/forms.jsonl", slow=True),
    "paper": Case(
        "paper 3a --quick --seeds 1 --set students=20 --set dimensions=4 --workers 1 "
        "--out OUT/paper",
        slow=True,
    ),
    "bench-teachers": Case(
        "bench teachers --teachers best,MaxGrad --learners gradient --tasks directions --quick "
        "--workers 1 --out OUT/teachers",
        slow=True,
    ),
    "evaluate": Case("evaluate DATA/experiment.jsonl --out OUT/evaluation"),
    "backup": Case("backup OUT/backup.db --database OUT/classroom.db", slow=True),
    "bad-file": Case("teach FILE/nothing.csv"),
    "bad-option": Case("teach FILE/students.csv --eps -1"),
    "bad-teacher": Case("teach FILE/students.csv --teacher nobody"),
    "bad-answers": Case("crowd embed FILE/ada.inkml"),
}
LEFT_OUT = {
    "serve": "its pages are in `api` and `boards`",
    "restore": "test_files_of_0_2.py restores a backup",
    "bench gpu": "needs a GPU, and measures times",
    "write train": "takes minutes, and depends on the version of PyTorch",
}
"""Commands that are not stored, and why."""

NO_JSON = {"backup"}
DATA = Path(__file__).parents[1] / "data" / "0.2"


@cache
def write_sample() -> Path:
    """Write the files of ``homeroom sample`` once; return their folder."""
    folder = Path(mkdtemp(prefix="homeroom-frozen-")) / "sample"
    with contextlib.redirect_stdout(io.StringIO()):
        assert run(["sample", str(folder), "--json"]) == 0
    return folder


def remove_sample() -> None:
    """Remove what :func:`write_sample` wrote."""
    if write_sample.cache_info().currsize:
        shutil.rmtree(write_sample().parent)
        write_sample.cache_clear()


def run_command(case: Case) -> dict[str, Any]:
    """Return the exit code of a command, its JSON, and the files that it writes."""
    with TemporaryDirectory() as out:
        words = case.command.split()
        if "--database" in words:
            packed = (DATA / "classroom.db.gz").read_bytes()
            (Path(out) / "classroom.db").write_bytes(gzip.decompress(packed))
        folders = {"OUT": out, "DATA": str(DATA)}
        folders |= {"FILE": str(write_sample())} if "FILE" in case.command else {}
        for name, folder in folders.items():
            words = [folder + word[len(name) :] if is_in(word, name) else word for word in words]
        words += [] if words[0] in NO_JSON else ["--json"]
        printed, complaint = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complaint):
            code = run(words)
        names = {path.relative_to(out).as_posix() for path in Path(out).rglob("*")}
        names = {name for name in names if (Path(out) / name).is_file()}
        text = printed.getvalue()
        for name, folder in folders.items():
            text = text.replace(folder, name)
    found: dict[str, Any] = {"code": code, "files": sorted(names)}
    if text and words[0] not in NO_JSON:
        found["json"] = shorten(json.loads(text))
    if code:
        found["lines_of_stderr"] = len(complaint.getvalue().splitlines())
    return found


def is_in(word: str, folder: str) -> bool:
    """Return whether an argument is a folder or a file in it."""
    return word == folder or word.startswith(f"{folder}/")


def shorten(value: Any) -> Any:
    """Return a JSON value with six digits, without what is volatile, and with every tenth row."""
    if isinstance(value, dict):
        return {key: shorten(part) for key, part in value.items() if key not in VOLATILE}
    if isinstance(value, list):
        if len(value) <= LONGEST:
            return [shorten(part) for part in value]
        return [f"{len(value)} entries", *(shorten(part) for part in value[::KEPT])]
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.{DIGITS}g}")
    return value


def describe_api() -> dict[str, Any]:
    """Return the paths, methods, bodies and responses of the web API, and its schemas."""
    from homeroom.live.app import create_app
    from homeroom.live.settings import ServerSettings

    document = create_app(ServerSettings()).openapi()
    paths = {
        f"{method} {path}": {
            "parameters": sorted(part["name"] for part in action.get("parameters", ())),
            "body": name_schemas(action.get("requestBody", {})),
            "responses": {
                code: name_schemas(response) for code, response in action["responses"].items()
            },
        }
        for path, actions in document["paths"].items()
        for method, action in actions.items()
    }
    schemas = {
        name: {"properties": sorted(schema.get("properties", schema.get("enum", ())), key=str)}
        | {"required": sorted(schema.get("required", ()))}
        for name, schema in document["components"]["schemas"].items()
    }
    return {"paths": paths, "schemas": schemas}


def name_schemas(message: Any) -> list[str]:
    """Return the media types of a body or a response, with the names of their schemas."""
    return [
        f"{media} {part.get('schema', {}).get('$ref', '').rpartition('/')[2]}".strip()
        for media, part in message.get("content", {}).items()
    ]


def describe_codes() -> Any:
    """Return all codes, with their status and sentence."""
    import homeroom.live

    path = Path(homeroom.live.__file__).with_name("codes.json")
    return json.loads(path.read_text("utf-8"))


def describe_boards() -> dict[str, Any]:
    """Return what the teacher and students see of the classes in a database of 0.2."""
    from tests.test_files_of_0_2 import DATABASE, see_as_students, serve_copy

    with serve_copy(DATABASE) as teacher:
        lines = teacher.get("/api/classes").raise_for_status().json()["classes"]
        lines.sort(key=lambda one: (one["created"], one["class"]))
        boards = {
            f"{one['activity']} {one['class'][:4]}": dict(read_pages(teacher, one["class"]))
            for one in lines
        }
        return {**boards, "students": shorten(dict(see_as_students(teacher)))}


def read_pages(teacher: Any, class_id: str) -> Iterator[tuple[str, Any]]:
    """Yield the name and the content of each page of a class."""
    for name in ("", "/report", "/history", "/letters"):
        answer = teacher.get(f"/api/classes/{class_id}{name}")
        yield name or "/", {"status": answer.status_code, "json": shorten(answer.json())}
    table = teacher.get(f"/api/classes/{class_id}/export.csv").raise_for_status()
    yield "/export.csv", shorten(table.text.splitlines())
    for kind in ("json", "inkml", "xapi.jsonl", "experiment.jsonl"):
        answer = teacher.get(f"/api/classes/{class_id}/export.{kind}")
        yield f"/export.{kind}", [answer.status_code, answer.headers["content-type"]]


PARTS: dict[str, tuple[Callable[[], Any], bool]] = {
    **{name: (partial(run_command, case), case.slow) for name, case in COMMANDS.items()},
    "api": (describe_api, False),
    "codes": (describe_codes, False),
    "boards": (describe_boards, False),
}
"""Everything that is stored: how it is found out, and whether only in the slow tests."""


def find_out(name: str) -> Any:
    """Return what users see of a part now, as plain JSON values."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    return json.loads(json.dumps(PARTS[name][0]()))


def read_store() -> dict[str, Any]:
    """Return what is stored, by the name of the part."""
    if not STORE.exists():
        return {}
    rows = map(json.loads, STORE.read_text("utf-8").splitlines())
    return {row["name"]: row["seen"] for row in rows}


def write_store(seen: dict[str, Any]) -> None:
    """Store what is seen, one part per line."""
    lines = (
        json.dumps({"name": name, "seen": seen[name]}, separators=(",", ":"), ensure_ascii=False)
        for name in PARTS
        if name in seen
    )
    STORE.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def differences(before: Any, now: Any, where: str = "") -> Iterator[str]:
    """Yield where what is seen differs from what is stored; numbers may differ by rounding."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in before.keys() - now.keys():
            yield f"{where}/{key}: gone, was {cut(before[key])}"
        for key in now.keys() - before.keys():
            yield f"{where}/{key}: new, {cut(now[key])}"
        for key in before.keys() & now.keys():
            yield from differences(before[key], now[key], f"{where}/{key}")
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for number, (one, other) in enumerate(zip(before, now, strict=True)):
            yield from differences(one, other, f"{where}/{number}")
    elif is_number(before) and is_number(now):
        if abs(before - now) > RELATIVE * max(abs(before), DIGITS * RELATIVE):
            yield f"{where}: {now} instead of {before}"
    elif before != now:
        yield f"{where}: {cut(now)} instead of {cut(before)}"


def is_number(value: Any) -> bool:
    """Return whether a JSON value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def cut(value: Any) -> str:
    """Return a short text of a JSON value."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 150 else f"{text[:150]}..."
