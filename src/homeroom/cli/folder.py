"""The folder that --out names: everything arrives in it at once, or nothing does."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from homeroom._checks import InputError
from homeroom.cli.screen import as_json

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from homeroom.plots import Page


class Folder:
    """A folder to write into; without a path it takes everything and keeps nothing."""

    def __init__(self, path: Path | None) -> None:
        self.path = path

    def __bool__(self) -> bool:
        return self.path is not None

    def __truediv__(self, name: str) -> Path:
        assert self.path is not None
        return self.path / name

    def figure(self, name: str, drawn: Figure) -> None:
        """Write a picture, as ``.svg`` to print and as ``.png`` to send."""
        from homeroom.plots import save_figure

        for ending in ("svg", "png"):
            save_figure(drawn, self / f"{name}.{ending}")

    def page(self, page: Page) -> None:
        """Write the report."""
        page.write(self / "report.html")

    def result(self, document: dict[str, Any]) -> None:
        """Write the result as JSON."""
        (self / "result.json").write_text(as_json(document) + "\n", encoding="utf-8")


@contextmanager
def folder(out: Path | None) -> Iterator[Folder]:
    """Give a folder to write into, which becomes ``out`` only if all went well.

    Whether it can be written is found out now, before the work. A folder that exists keeps its
    other files.
    """
    if out is None:
        yield Folder(None)
        return
    temporary = _temporary(out)
    try:
        yield Folder(temporary)
        _move(temporary, out)
    except OSError as reason:
        full = reason.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        if full or str(reason.filename).startswith(str(temporary)):
            raise InputError(f"--out {out} cannot be written: {reason.strerror}.") from None
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _temporary(out: Path) -> Path:
    """Return a new folder on the same disk as ``out``."""
    near = out
    while not near.exists() and near != near.parent:
        near = near.parent
    if not near.is_dir():
        raise InputError(f"--out must name a folder, but {near} is a file: choose another name.")
    try:
        return Path(tempfile.mkdtemp(dir=near, prefix=".homeroom-"))
    except OSError as reason:
        raise InputError(
            f"--out cannot be written: {near} says '{reason.strerror}'; choose another folder."
        ) from None


def _move(temporary: Path, out: Path) -> None:
    if out.exists():
        for file in sorted(temporary.iterdir()):
            file.replace(out / file.name)
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    mask = os.umask(0)
    os.umask(mask)
    temporary.chmod(0o777 & ~mask)
    temporary.replace(out)
