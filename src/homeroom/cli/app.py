"""The command ``homeroom``: its subcommands, imported when they run, and its exit codes."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from homeroom.cli.command import DEBUG, CommandGroup, make_command

FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130
"""The exit codes other than 0."""

COMMANDS: dict[str, str | dict[str, str]] = {
    "demo": "demo:demo",
    "sample": "sample:sample",
    "teach": "teach:teach",
    "compare": "compare:compare",
    "group": "group:group",
    "certify": "certify:certify",
    "paper": "paper:paper",
    "serve": "serve:serve",
    "evaluate": "evaluate:evaluate",
    "backup": "backup:backup",
    "restore": "backup:restore",
    "bench": {"gpu": "bench_gpu:bench_gpu", "teachers": "bench_teachers:bench_teachers"},
    "crowd": {
        "embed": "crowd:embed",
        "groups": "crowd:groups",
        "teach": "crowd_teach:teach",
        "map": "crowd:draw_map",
    },
    "write": {
        "score": "write:score",
        "generate": "write:generate",
        "lesson": "write_lesson:lesson",
        "forms": "write_train:forms",
        "train": "write_train:train",
    },
}
"""Where the function of each command is: a module of this package, and a name in it."""

ABOUT = {
    "bench": "Measure a GPU, and compare teachers under many learners.",
    "crowd": "From a table of answers to a map, to groups, and to a lesson.",
    "write": "Score children's letters, and choose letters to write for them.",
}


class Commands(Mapping[str, Any]):
    """Commands by name; each is imported when it is first used."""

    def __init__(self, places: Mapping[str, str | dict[str, str]]) -> None:
        self.places = places
        self.loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self.loaded:
            place = self.places[name]
            self.loaded[name] = (
                _load(name, place) if isinstance(place, str) else _group(name, place)
            )
        return self.loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


def _load(name: str, place: str) -> Any:
    module, _, function = place.partition(":")
    return make_command(name, getattr(import_module(f"homeroom.cli.{module}"), function))


def _group(name: str, places: Mapping[str, str | dict[str, str]]) -> Any:
    """Return a group of commands; without a command it prints its help."""
    part = typer.Typer(
        name=name,
        cls=CommandGroup,
        help=ABOUT.get(name),
        epilog=None
        if name in ABOUT
        else "Start with [bold]homeroom demo[/bold]. Every command has its own --help.",
        rich_markup_mode="rich",
        invoke_without_command=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    part.callback()(_print_help_without_command if name in ABOUT else homeroom)
    group: Any = typer.main.get_command(part)
    group.commands = Commands(places)
    return group


def _print_help_without_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _print_version(wanted: bool) -> None:
    if wanted:
        from homeroom._version import VERSION

        typer.echo(f"homeroom {VERSION}")
        raise typer.Exit


def homeroom(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    _debug: Annotated[
        bool,
        typer.Option(DEBUG, help="Print the traceback of an error, for a bug report."),
    ] = False,
) -> None:
    """Teach a whole class of learners with one lesson."""
    _print_help_without_command(context)


app = _group("homeroom", COMMANDS)


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
    from homeroom.cli.output import print_error, warnings_as_notes

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
    from homeroom._checks import InputError

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
