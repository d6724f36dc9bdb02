"""Every command of the README runs, as it is written there, in a folder of sample files."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from homeroom.cli import app as command_line
from homeroom.cli import run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TYPED = [
    line.strip().partition(" #")[0].strip()
    for line in README.splitlines()
    if re.match(r" {4}\S", line)
]
"""All lines of the README that are typed into a terminal."""

SAMPLE = "homeroom sample homeroom-sample"
COMMANDS = [line for line in TYPED if line.startswith("homeroom ") and line != SAMPLE]
LASTING = [line for line in COMMANDS if line.split()[1] in ("serve", "paper")]
"""Commands that take long, or that run until they are stopped."""

PROCESSES = [line for line in COMMANDS if "--workers" in line or "answers5" in line]
"""Commands that start processes, or take ten seconds of one core."""

QUICK = [line for line in COMMANDS if line not in [*LASTING, *PROCESSES]]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("readme")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run(shlex.split(SAMPLE)[1:]) == 0
    return folder / "homeroom-sample"


def test_every_line_is_either_run_here_or_installs_homeroom() -> None:
    others = [line for line in TYPED if not line.startswith("homeroom ")]
    assert {line.split()[0] for line in others} == {"pipx", "uv", "make", "cd"}
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {line.split()[1] for line in others if line.startswith("make")} <= set(targets)
    assert SAMPLE in TYPED
    assert len(QUICK) > 10
    assert len(LASTING) > 3


def test_no_page_counts_the_commands_or_states_how_long_a_quick_run_takes() -> None:
    """Such numbers were wrong as soon as a command was added, or a figure took longer."""
    help_text = (ROOT / "src/homeroom/cli/paper.py").read_text(encoding="utf-8")
    pages = [README, help_text, *(page.read_text("utf-8") for page in (ROOT / "docs").glob("*.md"))]
    numbers = "two|three|four|five|six|seven|eight|nine|ten|twelve|[0-9]+"
    for line in "\n".join(pages).splitlines():
        assert not re.search(rf"there are ({numbers}) commands", line, re.IGNORECASE), line
        if "paper" in line and "--quick" in line:
            assert not re.search(r"\b(seconds?|minutes?)\b", line), line


def test_every_command_is_on_the_page_of_the_command_line() -> None:
    page = (ROOT / "docs/command-line.md").read_text(encoding="utf-8")
    headings = " ".join(re.findall(r"^## (.+)$", page, re.MULTILINE))
    names = list(command_line.COMMANDS)
    assert "restore" in names
    assert "write" in names
    assert [name for name in names if not re.search(rf"\b{name}\b", headings)] == []


@pytest.mark.slow
@pytest.mark.parametrize("line", QUICK)
def test_a_command_runs(
    line: str, samples: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(samples)
    assert run(shlex.split(line)[1:]) == 0
    said = capsys.readouterr()
    assert said.out.strip()


@pytest.mark.slow
@pytest.mark.parametrize("line", PROCESSES)
def test_a_command_that_takes_longer_runs(line: str, samples: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(line)],
        cwd=samples,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@contextmanager
def started(line: str, folder: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    """Start a command of the README, and stop it in the end."""
    with subprocess.Popen(
        [sys.executable, "-m", *shlex.split(line), *more],
        cwd=folder,
        env={**os.environ, "XDG_DATA_HOME": str(folder / "data"), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("line", [line for line in LASTING if line.split()[1] == "serve"])
def test_a_server_starts_and_serves_its_page(line: str, samples: Path) -> None:
    """The port is a free one, as the usual port may be in use here."""
    shortened = re.sub(r" --port \d+", "", line)
    with started(shortened, samples, "--port", "0") as process:
        assert process.stdout is not None
        said = ""
        while not (found := re.search(r"http://127\.0\.0\.1:(\d+)|http://\S+:(\d+)", said)):
            text = process.stdout.readline()
            assert text, said
            said += text
        port = found[1] or found[2]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=20) as page:
            assert b"<html" in page.read()


@pytest.mark.slow
def test_the_quick_figures_are_drawn(samples: Path) -> None:
    (line,) = [line for line in LASTING if "--quick" in line]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(samples)
        assert run(shlex.split(line)[1:]) == 0
    assert list(samples.glob("paper-report/**/*.svg"))


@pytest.mark.slow
def test_all_figures_are_begun(samples: Path, tmp_path: Path) -> None:
    """All of them take long: the first results are awaited, then the run is interrupted."""
    (line,) = [line for line in LASTING if line.endswith("paper all")]
    with started(line, tmp_path) as process:
        end = time.monotonic() + 240
        while not any(path.is_file() for path in tmp_path.rglob("*")):
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.5)
    assert process.returncode != 1
