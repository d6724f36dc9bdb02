"""Optional libraries, and the error that says how to install a missing one."""

from __future__ import annotations

import os
import shlex
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from homeroom._checks import InputError


class MissingExtraError(InputError, ImportError):
    """An optional library is not installed; the message says how to install it."""


MissingExtraError.__module__ = "homeroom"


@contextmanager
def needs(sentence: str, extra: str, *, otherwise: str = "") -> Iterator[None]:
    """Turn a failing import inside the block into an error that names the install command.

    Parameters
    ----------
    sentence
        What needs which library, as in "Tables need pandas".
    extra
        The extra of homeroom that installs it, as in "frames".
    otherwise
        What to do instead of installing it, if there is an alternative.

    >>> with needs("Tables need a library", "frames"):  # doctest: +ELLIPSIS
    ...     import no_such_library
    Traceback (most recent call last):
    homeroom.MissingExtraError: Tables need a library: ...install...[frames]...
    """
    try:
        yield
    except ImportError as reason:
        if (reason.name or "").startswith("homeroom"):
            raise  # a mistake of ours, not a missing library
        also = f", or {otherwise}" if otherwise else ""
        raise MissingExtraError(f"{sentence}: {install_command(extra)}{also}.") from reason


def install_command(extra: str) -> str:
    """Return the command that installs an extra of homeroom where homeroom itself is installed.

    ``pip install`` would not reach the environments of ``pipx install``, ``uv tool install`` and
    ``uvx``, and there is no pip in those that uv makes.
    """
    prefix, package = Path(sys.prefix), shlex.quote(f"homeroom[{extra}]")
    if (prefix / "pipx_metadata.json").is_file():
        return f"pipx runpip {shlex.quote(prefix.name)} install {package}"
    receipt = prefix / "uv-receipt.toml"
    if receipt.is_file():
        return f"uv tool install {_tool_with(extra, receipt)}"
    if any(part.startswith("archive-v") for part in prefix.parts):  # the cache of uv
        return f"uvx --from {package} homeroom"
    if _installer() is None:  # from the sources; an editable install needs no path
        package = f"-e {shlex.quote(f'{Path(__file__).parents[2]}[{extra}]')}"
    if find_spec("pip") is not None or not _is_made_by_uv(prefix):
        return f"pip install {package}"
    if (prefix.parent / "uv.lock").is_file():
        return f"uv add {package}"
    active = os.environ.get("VIRTUAL_ENV") == sys.prefix
    where = "" if active else f"--python {shlex.quote(sys.executable)} "
    return f"uv pip install {where}{package}"


def _tool_with(extra: str, receipt: Path) -> str:
    """Return what ``uv tool install`` is to install: homeroom as before, and one more extra."""
    before: dict[str, Any] = {}
    try:
        tool = tomllib.loads(receipt.read_text(encoding="utf-8"))["tool"]
        before = next(one for one in tool["requirements"] if one["name"] == "homeroom")
    except (OSError, ValueError, LookupError, TypeError, StopIteration):
        pass  # of another version of uv
    extras = ",".join(sorted({*before.get("extras", ()), extra}))
    source = before.get("editable", before.get("directory", "homeroom"))
    return ("-e " if "editable" in before else "") + shlex.quote(f"{source}[{extras}]")


def _is_made_by_uv(prefix: Path) -> bool:
    """Return whether uv made an environment, or installed homeroom into it."""
    try:
        lines = (prefix / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        lines = []
    if any(line.partition("=")[0].strip() == "uv" for line in lines):
        return True
    return _installer() == "uv"


def _installer() -> str | None:
    """Return the name of the program that installed homeroom, or None if it is not installed."""
    try:
        return (metadata.distribution("homeroom").read_text("INSTALLER") or "").strip()
    except metadata.PackageNotFoundError:
        return None
