"""A directive that runs ``homeroom`` while the page is built, and shows what was typed and printed.

    ```{homeroom} teach pupils.csv --groups by-rate
    ```

The commands of a build run one after the other in one folder, which begins with the files of
``homeroom sample``, ``pupils.csv``, ``questions.npy`` and the folder ``insects``. A command that
ends with another exit code than the page states fails the build.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import os
import shlex
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from homeroom import Classroom
from homeroom.cli import run
from homeroom.crowd import insects

if TYPE_CHECKING:
    from sphinx.application import Sphinx

WIDTH = 88


@cache
def folder() -> Path:
    """Return the folder in which the commands run; it is gone when the build ends."""
    made = tempfile.TemporaryDirectory(prefix="homeroom-docs-")
    atexit.register(made.cleanup)
    return Path(made.name)


def fill(_app: Sphinx) -> None:
    """Put the files that the commands use into the folder."""
    with contextlib.redirect_stdout(io.StringIO()):
        run(["sample", str(folder()), "--force"])
    rng = np.random.default_rng(0)
    drawn = Classroom.sample(students=12, dimensions=3, rates=(0.05, 0.6), seed=1)
    names = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jo", "Kim", "Leo"]
    Classroom(drawn.states.round(2), drawn.rates.round(3), drawn.target.round(2), names=names).save(
        folder() / "pupils.csv"
    )
    np.save(folder() / "questions.npy", rng.standard_normal((40, 3)).round(2))
    insects.make().save(folder() / "insects")


@contextlib.contextmanager
def inside() -> Iterator[None]:
    """Work in the folder, with a screen of a fixed width."""
    back, width = Path.cwd(), os.environ.get("COLUMNS")
    os.chdir(folder())
    os.environ["COLUMNS"] = str(WIDTH)
    try:
        yield
    finally:
        os.chdir(back)
        if width is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = width


class Command(SphinxDirective):
    """Run a command and show it with its output."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {
        "exit": directives.nonnegative_int,
        "lines": directives.positive_int,
    }

    def run(self) -> list[nodes.Node]:
        """Return the block of text that a terminal would show."""
        typed = " ".join(self.arguments[0].split())
        said = io.StringIO()
        with inside(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = run(shlex.split(typed))
        if code != self.options.get("exit", 0):
            raise self.error(f"`homeroom {typed}` ended with {code}:\n{said.getvalue()}")
        lines = [line.rstrip() for line in said.getvalue().strip("\n").splitlines()]
        most = self.options.get("lines", len(lines))
        lines = lines[:most] + (["..."] if most < len(lines) else [])
        text = "\n".join([f"$ homeroom {typed}", *lines])
        return [nodes.literal_block(text, text, language="console")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.connect("builder-inited", fill)
    app.add_directive("homeroom", Command)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
