"""Optional libraries that are missing."""

from __future__ import annotations

import importlib.util
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import homeroom
from homeroom._extras import install_command, needs


def test_a_missing_library_names_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    sentence = r"Tables need pandas: pip install 'homeroom\[frames\]'\."
    with pytest.raises(homeroom.MissingExtraError, match=sentence) as raised:
        homeroom.teach(homeroom.Classroom.sample(students=2, dimensions=1)).to_frame()
    assert isinstance(raised.value, ImportError)
    assert isinstance(raised.value, homeroom.InputError)


def test_the_error_may_name_an_alternative() -> None:
    with (
        pytest.raises(ImportError, match=r"pip install 'homeroom\[a\]', or use \.csv\."),
        needs("This needs it", "a", otherwise="use .csv"),
    ):
        raise ImportError


def test_other_errors_pass() -> None:
    with pytest.raises(KeyError), needs("This needs it", "a"):
        raise KeyError


RECEIPT = """[tool]
requirements = [{ name = "numpy" }, { name = "homeroom", extras = ["live"]%s }]
"""

INSTALLED = [
    ({"pipx_metadata.json": "{}"}, "pipx runpip env install 'homeroom[a]'"),
    ({"uv-receipt.toml": RECEIPT % ""}, "uv tool install 'homeroom[a,live]'"),
    (
        {"uv-receipt.toml": RECEIPT % ', editable = "/my work"'},
        "uv tool install -e '/my work[a,live]'",
    ),
    ({"uv-receipt.toml": "of another version"}, "uv tool install 'homeroom[a]'"),
    ({"pyvenv.cfg": "home = /usr\nuv = 0.9.1\n"}, "uv pip install 'homeroom[a]'"),
    ({"pyvenv.cfg": "uv = 0.9.1\n", "../uv.lock": ""}, "uv add 'homeroom[a]'"),
    ({"pyvenv.cfg": "home = /usr\n"}, "pip install 'homeroom[a]'"),
    ({}, "pip install 'homeroom[a]'"),
]


def without_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "homeroom._extras.find_spec", lambda name: None if name == "pip" else find(name)
    )


@pytest.mark.parametrize(("files", "command"), INSTALLED)
def test_the_install_command_fits_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], command: str
) -> None:
    prefix = tmp_path / "env"
    prefix.mkdir()
    for name, text in files.items():
        (prefix / name).write_text(text)
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setenv("VIRTUAL_ENV", str(prefix))
    without_pip(monkeypatch)
    assert install_command("a") == command
    if command.startswith("uv pip"):
        monkeypatch.delenv("VIRTUAL_ENV")  # uv would look for another environment
        assert f"--python {sys.executable}" in install_command("a")
        monkeypatch.undo()
        monkeypatch.setattr(sys, "prefix", str(prefix))
        assert install_command("a").startswith("pip install")  # there is a pip: it works


def test_the_install_command_of_uvx_runs_homeroom_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "uv" / "archive-v0" / "x1y2"))
    assert install_command("a") == "uvx --from 'homeroom[a]' homeroom"


def test_homeroom_that_is_not_installed_is_installed_from_its_sources(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str) -> Any:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    root = Path(homeroom.__file__).parents[2]
    assert install_command("a") == f"pip install -e '{root}[a]'"
