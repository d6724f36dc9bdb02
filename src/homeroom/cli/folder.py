"""Where results are written: a folder that is filled completely or not at all, or one file."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homeroom._checks import InputError
from homeroom._files import is_folder
from homeroom.cli.screen import as_json

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from homeroom.plots import Page


ForceOption = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Write the result even if --out exists already.",
        rich_help_panel="The result",
    ),
]


def check_unused(out: Path, *, force: bool) -> None:
    """Raise an error if a folder holds files, which a result would replace or mix with."""
    if not force and is_folder(out) and any(not is_hidden(path) for path in out.iterdir()):
        raise InputError(
            f"{out} already holds files: choose another folder for --out, or add --force to write "
            "into this one."
        )


def is_hidden(path: Path) -> bool:
    """Return whether a file is one that folders do not show."""
    return path.name.startswith(".")


def check_file_to_write(
    path: Path, option: str = "--out", *, endings: Sequence[str] = (), force: bool
) -> None:
    """Raise an error if a file could not be written in the end, or would replace another."""
    if endings and path.suffix.lower() not in endings:
        raise InputError(f"{option} must end in {' or '.join(endings)}, but is {path}.")
    if is_folder(path):
        raise InputError(f"{option} must name a file, but {path} is a folder.")
    if not is_folder(path.parent):
        raise InputError(f"There is no folder {path.parent} for {option}: make it first.")
    if path.exists() and not force:
        raise InputError(f"{path} exists already: choose another {option}, or add --force.")


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
def folder(out: Path | None, *, force: bool) -> Iterator[Folder]:
    """Yield a temporary folder, which becomes ``out`` when the block ends without an error.

    Whether ``out`` can be written is checked now, before the work. With ``force``, a folder with
    files in it is accepted, and keeps those that the result does not replace.
    """
    if out is None:
        yield Folder(None)
        return
    check_unused(out, force=force)
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
