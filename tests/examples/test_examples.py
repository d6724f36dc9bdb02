"""Every example runs, alone, without a warning, and shows something."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))


def run(script: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", str(script), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=folder,
        env={**os.environ, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"},
    )


def test_they_are_numbered_and_short() -> None:
    assert [script.name[:2] for script in SCRIPTS] == [f"{n + 1:02}" for n in range(len(SCRIPTS))]
    assert len(SCRIPTS) >= 11
    for script in SCRIPTS:
        assert len(script.read_text().splitlines()) <= 36, script.name


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_it_shows_something_and_leaves_nothing(
    script: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(script)])
    runpy.run_path(str(script), run_name="__main__")
    said = capsys.readouterr()
    assert said.err == ""
    assert len(said.out.splitlines()) >= 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_it_runs_in_a_separate_python(script: Path, tmp_path: Path) -> None:
    ran = run(script, tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    assert len(ran.stdout.splitlines()) >= 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_plotting_example_writes_only_to_the_given_folder(tmp_path: Path) -> None:
    ran = run(EXAMPLES / "10_save_and_plot.py", tmp_path, "kept")
    assert ran.returncode == 0, ran.stderr
    assert {file.name for file in (tmp_path / "kept").iterdir()} == {"record.npz", "lesson.png"}
