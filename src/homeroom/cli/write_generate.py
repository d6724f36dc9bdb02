"""``homeroom write generate``: letters as children might write them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from homeroom._checks import InputError
from homeroom._words import counted
from homeroom.cli.screen import Screen
from homeroom.cli.write_options import GeneratorOption, JsonOption, SeedOption

_THE_KNOBS = "The knobs: a number, or a range as in 0.1:0.3"
_USUALLY = "drawn at random"


def _knob(what: str) -> Any:
    return typer.Option(
        help=what, metavar="X|LOW:HIGH", rich_help_panel=_THE_KNOBS, show_default=_USUALLY
    )


@dataclass(frozen=True)
class KnobOptions:
    """How to write."""

    distortion: Annotated[str | None, _knob("How far the form is off, 0 to 0.95.")] = None
    rotation: Annotated[str | None, _knob("Degrees turned to the right, -90 to 90.")] = None
    shakiness: Annotated[str | None, _knob("How much the line trembles, 0 to 0.95.")] = None
    shear: Annotated[str | None, _knob("Slant, -1 to 1; a style, no defect.")] = None
    aspect: Annotated[str | None, _knob("Breadth for its height, a factor.")] = None
    size: Annotated[str | None, _knob("A factor to the model's size.")] = None
    tempo: Annotated[str | None, _knob("A factor to the usual speed.")] = None

    def settings(self) -> dict[str, Any]:
        """Return the knobs that were given, as numbers or pairs."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: _range(text, name) for name, text in given.items() if text is not None}


def _range(text: str, name: str) -> float | tuple[float, float]:
    try:
        ends = [float(part) for part in text.split(":")]
    except ValueError:
        ends = []
    if len(ends) not in (1, 2):
        raise InputError(
            f"--{name} must be a number or a range, as in 0.2 or 0.1:0.3, but is {text!r}."
        )
    return ends[0] if len(ends) == 1 else (ends[0], ends[1])


def generate(
    letter: Annotated[
        str, typer.Argument(metavar="LETTER", help="Which letter.", show_default=False)
    ],
    knobs: KnobOptions,
    *,
    n: Annotated[
        int,
        typer.Option("-n", min=1, max=100_000, help="How many.", rich_help_panel="The letters"),
    ] = 20,
    generator: GeneratorOption = "kinematic",
    bias: Annotated[
        float | None,
        typer.Option(
            help="How neatly a network writes, 0 to 10.",
            rich_help_panel="The letters",
            show_default="0, as it has learnt",
        ),
    ] = None,
    seed: SeedOption = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where the letters go: .svg is a sheet to look at, .inkml or .jsonl ink.",
            rich_help_panel="The result",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Write letters as children might, well and badly, each one different.

    A network takes the knobs as far as it has learnt them, and says how far
    that is.

    [bold]Examples[/bold]
    $ homeroom write generate f -n 20 --out sheet.svg
    $ homeroom write generate a --rotation 10:30 --shakiness 0.4 --out ink.jsonl
    $ homeroom write generate g --generator lstm --bias 1 --out sheet.svg
    $ homeroom write generate g --generator lstm --shakiness 0.5 --rotation -20:20
    """
    from homeroom.handwriting.files import write_ink
    from homeroom.handwriting.letters import LETTERS, model_letter
    from homeroom.handwriting.scores import score_all
    from homeroom.handwriting.writers import written

    screen = Screen(as_json=json)
    settings = knobs.settings() | ({} if bias is None else {"bias": bias})
    if bias is not None and generator == "kinematic":
        raise InputError("--bias says how a network writes: add --generator lstm.")
    if out is not None and not out.parent.is_dir():
        raise InputError(f"There is no folder {out.parent} for --out: make it first.")
    inks = written(letter, n, seed, generator=generator, **settings)
    if out is not None:
        write_ink(inks, out, ruled=out.suffix.lower() == ".svg")
    document: dict[str, Any] = {
        "letter": letter,
        "letters": n,
        "seed": seed,
        "generator": generator,
    }
    screen.say(f"{counted(n, 'letter')} {letter!r} by the {generator} generator.")
    if letter in LETTERS:
        scores = score_all(inks, model_letter(letter))
        document["scores"] = scores
        document["mean"] = scores.mean(axis=0)
        names = ("distortion", "rotation", "shakiness")
        said = ", ".join(
            f"{name} {value:.2f}" for name, value in zip(names, scores.mean(axis=0), strict=True)
        )
        screen.say(f"On average: {said}.", style="dim")
    if out is not None:
        document["out"] = str(out)
        screen.say(f"The letters are at {out}", style="bold")
    screen.result(document)
