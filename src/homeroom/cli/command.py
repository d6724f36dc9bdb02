"""How a function becomes a command: its options, and where its result goes.

A command is a function that returns a :class:`~homeroom.cli.result.Result`. As in Python, its
positional parameters are arguments and its keyword-only parameters are options; a parameter that
is a dataclass stands for its fields. The help of an option is what the docstring says about the
parameter. Where NumPy's docstrings have a type, ours have the names and the value of the option, if
they are not the usual ones, and ``[default: ...]`` describes a default that is not a value::

    ways : --way NAME[:KEY=VALUE,...]
        A grouping to compare. May be repeated. [default: the usual ones]

A word in braces, as in ``{teachers}``, is replaced when the help is printed: by the names that are
registered, or by a text of the command. ``--json``, ``--out``, ``--force`` and ``--debug`` are
added here, and here the result is written and printed.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass
from functools import wraps
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar, get_args, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from homeroom.cli.result import Result

DEBUG = "--debug"
Function = TypeVar("Function", bound=Callable[..., Any])
SECTION = "\n\nParameters\n----------\n"
PARAMETER = re.compile(r"^(\w+)(?: : (.+))?\n((?: +.*\n|\n)+)", re.MULTILINE)
OPTION = re.compile(r"(?<!\S)-[\w-]+,? ?")
TEXT = re.compile(r"(.*?)(?: \[default: (.*)\])?")


@dataclass(frozen=True)
class Bounds:
    """The smallest and the largest value of an option, as in ``Annotated[int, Bounds(1, 100)]``."""

    least: float | None = None
    most: float | None = None


Seed = Annotated[int, Bounds(0)]


class ParameterHelp(NamedTuple):
    """What a docstring says about a parameter: names, value, text, and words for the default."""

    names: tuple[str, ...] = ()
    value: str | None = None
    text: str = ""
    default: str | None = None


def read_help(documented: Any) -> tuple[str, dict[str, ParameterHelp]]:
    """Return the text of a docstring before its parameters, and what it says about each of them."""
    about, _, section = inspect.cleandoc(documented.__doc__ or "").partition(SECTION)
    parameters = {}
    for name, usage, lines in PARAMETER.findall(section + "\n"):
        names = tuple(one.strip(", ") for one in OPTION.findall(usage))
        match = TEXT.fullmatch(" ".join(lines.split()))
        text, default = match.groups() if match else ("", None)
        parameters[name] = ParameterHelp(names, OPTION.sub("", usage) or None, text, default)
    return about, parameters


@dataclass(frozen=True)
class Output:
    """What ``--out`` of a command names: a folder, or one file.

    Parameters
    ----------
    about
        The help of ``--out``.
    default
        Where the result is written without ``--out``; nowhere by default.
    endings
        How the name of a file may end; a folder by default.
    in_place
        Whether the command writes it itself, so that a run that was interrupted can continue.
    earlier
        The name of a file that shows that an earlier run has begun to fill the folder.
    """

    about: str = "Write the result, the pictures and a report here."
    default: Path | None = None
    endings: tuple[str, ...] = ()
    in_place: bool = False
    earlier: str = ""

    def write(self, run: Callable[[Path | None], Result], out: Path, *, force: bool) -> Result:
        """Run a command, and write its result; whether that is possible is checked before."""
        from homeroom.cli.files import check_file_to_write, check_unused, new_folder
        from homeroom.plots.page import read_viewer

        if set(self.endings) <= set(PAGE_ENDINGS):
            read_viewer()  # which the page needs
        if self.endings:
            check_file_to_write(out, endings=self.endings, force=force)
        elif self.in_place:
            check_unused(out, force=force or (out / self.earlier).is_file())
        else:
            with new_folder(out, force=force) as folder:
                result = run(folder)
                result.write_into(folder)
            return result
        if self.in_place:
            return run(out)
        result = run(None)
        result.write_file(out)
        result.values["out"] = str(out)
        return result


FOLDER = Output()
PAGE_ENDINGS = (".html", ".htm")
WRITES_FILES = ("place", "force")
"""Parameters of a function that also writes files: the path of ``--out``, and ``--force``."""


def command(
    output: Output | None = FOLDER, texts: Callable[[], dict[str, str]] = dict
) -> Callable[[Function], Function]:
    """Declare that a function returns a result, what ``--out`` names, and texts of the help."""

    def declare(function: Function) -> Function:
        vars(function).update(output=output, texts=texts)
        return function

    return declare


def make_command(name: str, function: Callable[..., Any]) -> Any:
    """Return the command of a function."""
    single = typer.Typer(
        add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False
    )
    about, _ = read_help(function)
    single.command(name, cls=Command, help=about)(take_options(function))
    made = typer.main.get_command(single)
    vars(made)["texts"] = vars(function).get("texts", dict)
    return made


class PlainFlags:
    """A command or a group of commands whose help shows no type for flags."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; flags take no value, so their help needs no ``<bool>``."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
        return parameters


class CommandGroup(PlainFlags, TyperGroup):
    """A group of commands."""


class Command(PlainFlags, TyperCommand):
    """A command whose options are never empty, and whose help is completed when it is printed."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; refuse an empty value, which would mean the default."""
        from homeroom._checks import InputError

        options = [part for part in self.get_params(ctx) if part.param_type_name == "option"]
        takes = {name for option in options if not option.is_flag for name in option.opts}
        for option, value in pairwise([*args, "-"]):
            name, equals, text = option.partition("=")
            if name in takes and not (text if equals else value):
                raise InputError(f"{name} is empty: give it a value, or leave it out.")
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with the words in braces replaced."""
        from homeroom import _plugins

        values = {kind: ", ".join(_plugins.names(kind)) for kind in _plugins.KINDS}
        values |= vars(self)["texts"]()
        parts: list[Any] = [self, *self.params]
        for part in parts:
            part.help = re.sub(r"\{(\w+)\}", lambda word: values[word[1]], part.help or "")
        super().format_help(ctx, formatter)


def take_options(function: Callable[..., Any]) -> Callable[..., int]:
    """Return a function of the options of a command, which runs it and returns the exit code."""
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    bundles: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}

    @wraps(function)
    def run_command(**options: Any) -> int:
        options.pop("debug", None)  # which `run` looks up
        for name, bundle in bundles.items():
            fields = [field for field in inspect.signature(bundle).parameters if field in options]
            options[name] = bundle(**{field: options.pop(field) for field in fields})
        if "output" in vars(function):
            return _run_and_show(function, options, vars(function)["output"])
        function(**options)
        return 0

    output = vars(function).get("output")
    parameters = list(_list_parameters(function, leave_out=WRITES_FILES if output else ()))
    if "output" in vars(function):
        parameters += _list_result_options(output)
    debug = ParameterHelp(text="Print the traceback of an error, for a bug report.")
    parameters.append(_make_option("debug", bool, False, debug))
    run_command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run_command.__annotations__ = {one.name: one.annotation for one in parameters}
    return run_command


def _list_parameters(
    documented: Any, leave_out: tuple[str, ...] = ()
) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a function, or the fields of a dataclass, as Typer reads them."""
    about, texts = read_help(documented)
    panel = about.partition("\n")[0].rstrip(".") if is_dataclass(documented) else None
    hints = get_type_hints(documented, include_extras=True)
    for name, parameter in inspect.signature(documented).parameters.items():
        hint, default = hints[name], parameter.default
        if is_dataclass(hint):
            yield from _list_parameters(hint)
        elif name in leave_out:
            continue
        elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            yield _make_option(name, hint, default, texts[name], panel)
        else:
            info = typer.Argument(
                help=texts[name].text,
                metavar=texts[name].value,
                show_default=default not in (None, inspect.Parameter.empty),
            )
            yield _annotate(name, default, Annotated[hint, info])


def _list_result_options(output: Output | None) -> Iterator[inspect.Parameter]:
    """Yield the options about the result."""
    panel = "The result"
    json = ParameterHelp(text="Print the result as one JSON document.")
    yield _make_option("json", bool, False, json, panel)
    if output is not None:
        out = ParameterHelp(value="FILE" if output.endings else "FOLDER", text=output.about)
        yield _make_option("out", Path | None, output.default, out, panel)
        force = ParameterHelp(text="Write the result even if --out exists already.")
        yield _make_option("force", bool, False, force, panel)


def _make_option(
    name: str, hint: Any, default: Any, said: ParameterHelp, panel: str | None = None
) -> inspect.Parameter:
    """Return an option as Typer reads it. A flag changes its default."""
    bounds = next((part for part in get_args(hint) if isinstance(part, Bounds)), Bounds())
    dashed = name.replace("_", "-")
    usual = f" /--no-{dashed}" if default is True else f"--{dashed}"
    info = typer.Option(
        *(said.names or [f"--{dashed}/--no-{dashed}" if hint == bool | None else usual]),
        help=said.text,
        metavar=said.value,
        min=bounds.least,
        max=bounds.most,
        show_default=said.default or not isinstance(default, bool),
        rich_help_panel=panel,
    )
    return _annotate(name, default, Annotated[hint, info])


def _annotate(name: str, default: Any, hint: Any) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=hint)


def _run_and_show(
    function: Callable[..., Result], options: dict[str, Any], output: Output | None
) -> int:
    """Run a command, write what it returns to ``--out``, and print it; return the exit code."""
    from homeroom.cli.output import show

    json, out = options.pop("json"), None
    if output is None:
        result = function(**options)
    else:
        out, force = options.pop("out"), options.pop("force")
        takes = inspect.signature(function).parameters

        def run(place: Path | None = None) -> Result:
            more = {"place": place, "force": force}
            return function(**options, **{name: more[name] for name in more if name in takes})

        result = run() if out is None else output.write(run, out, force=force)
    show(result, json=json)
    if output and out and not output.in_place and not json:
        typer.echo(f"\nWritten: {out if output.endings else out / 'report.html'}")
    return result.exit_code
