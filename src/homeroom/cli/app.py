"""The command ``homeroom``: its subcommands and its exit codes."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from homeroom import _plugins
from homeroom._checks import InputError
from homeroom.cli.bench import gpu
from homeroom.cli.bench_teachers import teachers
from homeroom.cli.certify import certify
from homeroom.cli.compare import compare
from homeroom.cli.crowd import embed, groups, map_
from homeroom.cli.crowd_teach import teach as crowd_teach
from homeroom.cli.demo import demo
from homeroom.cli.evaluate import evaluate
from homeroom.cli.group import group
from homeroom.cli.options import DEBUG, Command, CommandGroup, DebugOption, fields_as_options
from homeroom.cli.output import print_error, warnings_as_notes
from homeroom.cli.paper import paper
from homeroom.cli.sample import sample
from homeroom.cli.serve import backup, restore, serve
from homeroom.cli.teach import teach
from homeroom.cli.write import generate, score
from homeroom.cli.write_lesson import lesson
from homeroom.cli.write_train import forms, train

FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130
"""The exit codes other than 0."""


def _app(name: str, *, about: str | None = None, epilog: str | None = None) -> typer.Typer:
    """Return an app whose commands are added next; without a command it prints its help."""
    return typer.Typer(
        name=name,
        cls=CommandGroup,
        help=about,
        epilog=epilog,
        rich_markup_mode="rich",
        invoke_without_command=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _print_help_without_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


app = _app(
    "homeroom", epilog="Start with [bold]homeroom demo[/bold]. Every command has its own --help."
)
crowd = _app("crowd", about="From a table of answers to a map, to groups, and to a lesson.")
write = _app("write", about="Score children's letters, and choose letters to write for them.")
bench = _app("bench", about="Measure a GPU, and compare teachers under many learners.")
COMMANDS: dict[typer.Typer, dict[str, Callable[..., None]]] = {
    app: {
        "demo": demo,
        "sample": sample,
        "teach": teach,
        "compare": compare,
        "group": group,
        "certify": certify,
        "paper": paper,
        "serve": serve,
        "evaluate": evaluate,
        "backup": backup,
        "restore": restore,
    },
    bench: {"gpu": gpu, "teachers": teachers},
    crowd: {"embed": embed, "groups": groups, "teach": crowd_teach, "map": map_},
    write: {"score": score, "generate": generate, "lesson": lesson, "forms": forms, "train": train},
}
for part, commands in COMMANDS.items():
    for name, command in commands.items():
        part.command(name, cls=Command)(fields_as_options(command))
for part in (bench, crowd, write):
    part.callback()(_print_help_without_command)
    app.add_typer(part)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"homeroom {_plugins.version()}")
        raise typer.Exit


@app.callback()
def homeroom(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    _debug: DebugOption = False,
) -> None:
    """Teach a whole class of learners with one lesson."""
    _print_help_without_command(context)


def main() -> None:
    """Run the command with the arguments of this process, and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # show ? where the terminal lacks a character
    try:
        code = run(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has closed it, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = FAILED
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run the command with these arguments, and return its exit code.

    Bad input prints one sentence on stderr and returns 2; with ``--debug`` the traceback precedes
    it. Any other exception is a mistake in the program, and is not caught.
    """
    with warnings_as_notes():
        try:
            code = app(args=list(arguments), prog_name="homeroom", standalone_mode=False)
        except KeyboardInterrupt:
            return INTERRUPTED
        except Exception as reason:
            sentence = _sentence(reason, arguments)
            if sentence is None:
                raise
            if DEBUG in arguments:
                traceback.print_exc()
            print_error(sentence)
            return BAD_INPUT
    return code if isinstance(code, int) else 0


def _sentence(reason: Exception, arguments: Sequence[str]) -> str | None:
    """Return what to tell the user about an exception, or None if it is not about their input."""
    if isinstance(reason, typer.TyperException):
        context = getattr(reason, "ctx", None)
        where = context.command_path if context else "homeroom"
        problem = reason.format_message()
        stop = "" if problem.endswith((".", "?")) else "."
        return f"{problem}{stop} See {where} --help."
    if isinstance(reason, InputError):
        return str(reason)
    if isinstance(reason, OSError) and _is_about_an_argument(reason, arguments):
        return f"{reason.filename} cannot be used: {reason.strerror}."
    if isinstance(reason, MemoryError):
        return "There is not enough memory for this: use fewer students."
    return None


def _is_about_an_argument(reason: OSError, arguments: Sequence[str]) -> bool:
    """Return whether an error concerns a file that an argument names, or one inside it."""
    if not isinstance(reason.filename, str):
        return False
    path = Path(reason.filename).absolute()
    values = (argument.rpartition("=")[2] for argument in arguments)
    named = {Path(value).absolute() for value in values if value}
    return not named.isdisjoint((path, *path.parents))
