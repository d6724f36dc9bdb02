"""The command itself: what it offers, and how it ends."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated

import typer

from homeroom.cli.bench import bench
from homeroom.cli.certify import certify
from homeroom.cli.compare import compare
from homeroom.cli.crowd import crowd
from homeroom.cli.demo import demo
from homeroom.cli.group import group
from homeroom.cli.paper import paper
from homeroom.cli.screen import say_error, warnings_as_sentences
from homeroom.cli.serve import serve
from homeroom.cli.spread import spread
from homeroom.cli.teach import teach
from homeroom.cli.write import write

BAD_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    name="homeroom",
    epilog="Start with [bold]homeroom demo[/bold], then ask a command for its own --help.",
    rich_markup_mode="rich",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (demo, teach, compare, group, certify, paper, bench, serve):
    app.command()(spread(command))
app.add_typer(crowd)
app.add_typer(write)


def _say_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"homeroom {version('homeroom')}")
        raise typer.Exit


@app.callback()
def homeroom(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="Say which version."),
    ] = False,
) -> None:
    """Teach a whole class of learners with one lesson."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _with_help(reason: typer.TyperException) -> str:
    """Return a complaint about options as a sentence that says where to look them up."""
    context = getattr(reason, "ctx", None)
    where = context.command_path if context else "homeroom"
    complaint = reason.format_message()
    stop = "" if complaint.endswith((".", "?")) else "."
    return f"{complaint}{stop} See {where} --help."


def main() -> None:
    """Run the command and leave."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a poor terminal shows ? and goes on
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command with these arguments, and return the code to leave with.

    Bad input is one sentence on stderr and code 2. Everything that checks input raises one of the
    errors below with such a sentence in it.
    """
    with warnings_as_sentences():
        try:
            code = app(args=list(arguments), prog_name="homeroom", standalone_mode=False)
        except typer.TyperException as reason:
            say_error(_with_help(reason))
            return BAD_INPUT
        except (ValueError, TypeError, OSError, ImportError) as reason:
            say_error(str(reason) or type(reason).__name__)
            return BAD_INPUT
        except ArithmeticError as reason:
            say_error(
                f"These numbers cannot be computed with ({reason}): they are too large, too small "
                "or too far apart."
            )
            return BAD_INPUT
        except MemoryError:
            say_error("This does not fit into the memory of this machine: take fewer students.")
            return BAD_INPUT
        except KeyboardInterrupt:
            return INTERRUPTED
    return code if isinstance(code, int) else 0
