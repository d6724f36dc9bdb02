"""Where results go: the terminal, a folder that is filled completely or not at all, or one file."""

from __future__ import annotations

import csv
import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from homeroom._checks import InputError
from homeroom._files import is_folder
from homeroom.cli.options import in_panel
from homeroom.cli.report import CommandReport, as_json, page_of
from homeroom.cli.screen import show

result_option = in_panel("The result")

JsonOption = Annotated[bool, result_option("Print the result as one JSON document.", "--json")]
ForceOption = Annotated[
    bool, result_option("Write the result even if --out exists already.", "--force")
]


@dataclass(frozen=True)
class ResultOptions:
    """Where the result goes."""

    json: JsonOption = False
    out: Annotated[
        Path | None,
        result_option("Write the result, the pictures and a report here.", metavar="FOLDER"),
    ] = None
    force: ForceOption = False

    @contextmanager
    def folder(self) -> Iterator[Folder]:
        """Yield a folder that becomes ``--out``, as :func:`folder` does."""
        with folder(self.out, force=self.force) as place:
            yield place

    def show(self, report: CommandReport) -> None:
        """Print the report as text or as JSON, and where its page is."""
        show(report, json=self.json)
        if self.out is not None and not self.json:
            typer.echo(f"\nThe report is at {self.out / 'report.html'}")


class Folder:
    """A folder to write into; without a path, nothing is written."""

    def __init__(self, path: Path | None) -> None:
        self.path = path

    def __bool__(self) -> bool:
        return self.path is not None

    def write(self, report: CommandReport) -> None:
        """Write a report: its JSON document, its page, its pictures and its other files."""
        if self.path is None:
            return
        from homeroom.plots import save_figure

        drawn = {chart.name: chart.draw() for chart in report.charts}
        for name, figure in drawn.items():
            for ending in ("svg", "png"):
                save_figure(figure, self.path / f"{name}.{ending}")
        for name, write in report.files.items():
            write(self.path / name)
        if "report.html" not in report.files:
            page_of(report, drawn).write(self.path / "report.html")
        (self.path / "result.json").write_text(as_json(report.values) + "\n", encoding="utf-8")


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


def check_unused(out: Path, *, force: bool) -> None:
    """Raise an error if a folder holds files, which a result would replace or mix with."""
    if force or not is_folder(out):
        return
    if any(not path.name.startswith(".") for path in out.iterdir()):
        raise InputError(
            f"{out} already holds files: choose another folder for --out, or add --force to write "
            "into this one."
        )


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


def csv_file(
    header: Sequence[str], rows: Callable[[], Iterable[Sequence[Any]]]
) -> Callable[[Path], None]:
    """Return a function that writes a table as ``.csv``, its rows made only then."""

    def write(path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows())

    return write


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
    """Move a temporary folder to ``out``, or its files into ``out`` if that exists."""
    if out.exists():
        for file in sorted(temporary.rglob("*")):
            place = out / file.relative_to(temporary)
            if file.is_dir():
                place.mkdir(exist_ok=True)
            else:
                file.replace(place)
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    mask = os.umask(0)
    os.umask(mask)
    temporary.chmod(0o777 & ~mask)
    temporary.replace(out)
