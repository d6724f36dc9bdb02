"""A package that is not ours enters with one file and one entry point."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from homeroom import _plugins
from homeroom.studies import bench, bench_lessons
from homeroom.studies.bench import Chosen, load_results, measure
from homeroom.studies.bench_results import CellResult, failures, summarise
from homeroom.studies.bench_tasks import TEACHERS
from homeroom.studies.cells import CellStore
from homeroom.testing import check_teacher
from tests.bad_input import refuse
from tests.cli.conftest import Homeroom

FILE = '''
from dataclasses import dataclass, field, replace

import numpy as np

from homeroom.pools import AbstractPool, Ball
from homeroom.teachers import AbstractTeacher


@dataclass(frozen=True)
class Farthest(AbstractTeacher):
    """Show what helps the farthest student most."""

    pool: AbstractPool = field(default_factory=Ball)

    @property
    def assumes(self):
        return "gradient"

    def prepare(self, room, loss):
        width = room.dimensions // loss.outputs
        return replace(self, pool=self.pool.fit(width, room.example_radius))

    def choose(self, seen, rng):
        gaps = np.asarray(seen.gaps)
        row = int((gaps**2).sum(axis=1).argmax())
        alone = seen.seen_with(gaps=gaps[row : row + 1], rates=seen.rates[row : row + 1])
        pick = self.pool.best(alone.moments, alone.gentle_g)
        return seen.example(np.sqrt(pick.g) * pick.direction, item=pick.item)
'''
CACHES = (
    _plugins._all_entries,
    _plugins._entries,
    _plugins.names,
    _plugins.find,
    _plugins.package,
    bench_lessons._source_hash,
    bench._teacher,
)


@pytest.fixture
def newcomer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a package in a temporary folder: one file, and one entry point."""
    (tmp_path / "far_teaching.py").write_text(FILE, encoding="utf-8")
    info = tmp_path / "far_teaching-0.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: far-teaching\nVersion: 0.3\n")
    (info / "entry_points.txt").write_text(
        "[homeroom.teachers]\nfarthest = far_teaching:Farthest\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    forget()
    yield "far-teaching"
    forget()


def forget() -> None:
    """Forget the package, as a new process would."""
    sys.modules.pop("far_teaching", None)
    importlib.invalidate_caches()
    for cached in CACHES:
        cached.cache_clear()


def edit(folder: Path, old: str, new: str) -> None:
    """Change the newcomer's file."""
    path = folder / "far_teaching.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    forget()


def test_a_newcomer_is_compared_with_the_shipped_results(newcomer: str) -> None:
    check_teacher(_plugins.make("teachers", "farthest"))
    chosen = Chosen.of(learners=["squared", "ridge"], tasks=["directions"], seeds=1, only=newcomer)
    assert chosen.teachers == {"farthest": "farthest"}
    with ThreadPoolExecutor(1) as executor:
        results, lessons = measure(chosen, CellStore(None), executor)
    assert [row["teacher"] for row in lessons] == ["farthest", "farthest"]
    columns = {result.column for result in results}
    others = [result for result in load_results() if result.column in columns]
    ranked = {one.teacher: one for one in summarise([*results, *others])}
    assert set(ranked) > {"farthest", "best", "STRICT"}
    assert 1.0 <= ranked["farthest"].median_rank <= len(TEACHERS) + 1


def test_without_only_a_newcomer_takes_part(newcomer: str) -> None:
    assert list(Chosen.of().teachers) == [*TEACHERS, "farthest"]


def test_an_edited_newcomer_is_taught_again(newcomer: str, tmp_path: Path) -> None:
    store, found = tmp_path / "store", []
    store.mkdir()
    for change in ((".argmax()", ".argmax()"), (".argmax()", ".argmin()")):
        edit(tmp_path, *change)
        chosen = Chosen.of(learners=["squared"], tasks=["directions"], seeds=1, only=newcomer)
        with ThreadPoolExecutor(1) as executor:
            found += measure(chosen, CellStore(store), executor)[0]
    assert found[0].rounds != found[1].rounds
    assert len((store / "cells.jsonl").read_text().splitlines()) == 2


def test_a_mistake_in_a_newcomer_is_its_result(newcomer: str, tmp_path: Path) -> None:
    """The other cells are measured; the one that failed has its error, and is taught again."""
    edit(tmp_path, "gaps = np.asarray(seen.gaps)", "gaps = 1 / 0")
    store = CellStore(None)
    chosen = Chosen.of(["farthest", "best"], learners=["ridge"], tasks=["directions"], seeds=2)
    with ThreadPoolExecutor(1) as executor:
        results, lessons = measure(chosen, store, executor)
        again = measure(chosen, store, executor)[0]
    failed, good = results
    assert failed.failed is not None
    assert failed.failed.startswith("ZeroDivisionError: division by zero (far_teaching.py, line")
    assert good.failed is None
    assert good.seeds == 2
    assert ["failed" in row for row in lessons] == [True, False] * 2
    assert again == results
    assert [one.teacher for one in summarise(results)] == ["best"]
    assert failures(results) == [failed] == [CellResult.from_json(failed.as_json())]


@pytest.mark.parametrize("learners", ["ridge", "ridge,squared"])
def test_the_command_lists_cells_that_failed_and_says_so(
    newcomer: str, homeroom: Homeroom, tmp_path: Path, learners: str
) -> None:
    edit(tmp_path, "gaps = np.asarray(seen.gaps)", "gaps = 1 / 0")
    out = tmp_path / "report"
    line = (
        *("bench", "teachers", "--teachers", "farthest,best", "--learners", learners),
        *("--tasks", "directions", "--seeds", 1, "--workers", 1, "--out", out),
    )
    ran = homeroom(*line, "--json")
    assert ran.code == 1
    assert [one["teacher"] for one in ran.document["teachers"]] == ["best"]
    failed = ran.document["failed"]
    assert [one["learner"] for one in failed] == learners.split(",")
    assert all("ZeroDivisionError" in one["failed"] for one in failed)
    for name in ("report.html", "result.json", "cells.csv", "lessons.csv"):
        assert "ZeroDivisionError" in (out / name).read_text(encoding="utf-8"), name
    ran = homeroom(*line)
    assert ran.code == 1
    assert "ZeroDivisionError" in ran.out
    edit(tmp_path, "gaps = 1 / 0", "gaps = np.asarray(seen.gaps)")
    assert homeroom(*line).code == 0


def test_only_a_package_means_only_its_teachers(newcomer: str) -> None:
    refuse(lambda: Chosen.of(["random"], only=newcomer), "random", "farthest")
    assert Chosen.of(["farthest"], only="Far_Teaching").teachers == {"farthest": "farthest"}
    assert Chosen.of(only="homeroom").teachers == TEACHERS


@pytest.mark.slow
def test_the_command_compares_a_newcomer(newcomer: str, homeroom: Homeroom, tmp_path: Path) -> None:
    out = tmp_path / "report"
    ran = homeroom(
        *("bench", "teachers", "--only", newcomer, "--tasks", "directions", "--seeds", 1),
        *("--workers", 1, "--out", out, "--json"),
    )
    assert ran.code == 0, ran.err
    names = [one["teacher"] for one in ran.document["teachers"]]
    assert set(names) > {"farthest", "best"}
    assert "farthest" in (out / "report.html").read_text(encoding="utf-8")
    said = homeroom(
        *("bench", "teachers", "--only", newcomer, "--tasks", "directions", "--seeds", 1),
        *("--workers", 1, "--out", out),
    ).out
    flat = " ".join(said.split())
    assert "newly taught: 0, reused: 9" in flat
    assert "--seeds 5" in flat
