"""A package that is not ours enters with one file and one entry point."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from homeroom import InputError, _plugins
from homeroom.matrix import (
    TEACHERS,
    Chosen,
    lesson_cells,
    matrix,
    measured,
    shipped_results,
    summarised,
)
from homeroom.paper import CellStore
from homeroom.testing import check_teacher

if TYPE_CHECKING:
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
    lesson_cells._source_hash,
    matrix._teacher,
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
    assert chosen.assumed == {"farthest": {"squared"}}
    with ThreadPoolExecutor(1) as executor:
        results, lessons = measured(chosen, CellStore(None), executor)
    assert [row["teacher"] for row in lessons] == ["farthest", "farthest"]
    columns = {result.column for result in results}
    others = [result for result in shipped_results() if result.column in columns]
    ranked = {one.teacher: one for one in summarised([*results, *others])}
    assert set(ranked) > {"farthest", "best", "STRICT"}
    assert 1.0 <= ranked["farthest"].rank <= len(TEACHERS) + 1


def test_without_only_a_newcomer_takes_part(newcomer: str) -> None:
    assert list(Chosen.of().teachers) == [*TEACHERS, "farthest"]


def test_an_edited_newcomer_is_taught_again(newcomer: str, tmp_path: Path) -> None:
    store, found = tmp_path / "store", []
    store.mkdir()
    for change in ((".argmax()", ".argmax()"), (".argmax()", ".argmin()")):
        edit(tmp_path, *change)
        chosen = Chosen.of(learners=["squared"], tasks=["directions"], seeds=1, only=newcomer)
        with ThreadPoolExecutor(1) as executor:
            found += measured(chosen, CellStore(store), executor)[0]
    assert found[0].rounds != found[1].rounds
    assert len((store / "cells.jsonl").read_text().splitlines()) == 2


def test_a_mistake_in_a_newcomer_stops_the_run_and_names_the_lesson(
    newcomer: str, tmp_path: Path
) -> None:
    edit(tmp_path, "gaps = np.asarray(seen.gaps)", "gaps = 1 / 0")
    chosen = Chosen.of(learners=["ridge"], tasks=["directions"], seeds=1, only=newcomer)
    with ThreadPoolExecutor(1) as executor, pytest.raises(ZeroDivisionError) as raised:
        measured(chosen, CellStore(None), executor)
    assert raised.value.__notes__ == [
        "In the lesson of teacher farthest, learner ridge, task directions, seed 0."
    ]


def test_only_a_package_means_only_its_teachers(newcomer: str) -> None:
    with pytest.raises(
        InputError, match="random is not a teacher of far-teaching: choose from farth"
    ):
        Chosen.of(["random"], only=newcomer)
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
    assert "means over 5 classes per cell, those of far-teaching over 1" in flat
